"""What research leaves in the config: `workflowState.research`. A section is there once its step has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.workflows.article.material_schema import Case, Debate, ExpertExplanation
from signoff.workflows.article.terms import (
    Adjustment,
    Count,
    Hook,
    Level,
    MaterialId,
    Moment,
    Percent,
    Score,
    Slot,
    Stance,
    Status,
    Strategy,
    Texts,
    ThesisDepth,
    YesNo,
)

# --- the first phase: what others have written ------------------------------------------------------------------------


class Competitor(Form):
    """One page that competes with the article."""

    structure: Texts = ()
    stances: Texts = ()
    dataPoints: Texts = ()
    gaps: Texts = ()


class Stances(Form):
    """Where the competing pages agree, differ and take things for granted."""

    consensus: Texts = ()
    disagreements: Texts = ()
    implicitAssumptions: Texts = ()


class DataSourcing(Form):
    """How well the competing pages prove what they say."""

    strongSources: Texts = ()
    weakClaims: Texts = ()
    opportunityAreas: Texts = ()


class Terminology(Form):
    """The words of the trade, by what they stand for."""

    standardTerms: Mapping[str, Text] = {}
    readerExpectations: Text | None = None


class StanceOpportunity(Form):
    """A position that all take, and what the article could say to it."""

    theyAllSay: Text
    ourStance: Stance
    evidence: Text


class CompetitorAnalysis(Form):
    """The competing pages as a whole."""

    stances: Stances | None = None
    dataSourcing: DataSourcing | None = None
    terminology: Terminology | None = None
    stanceOpportunities: tuple[StanceOpportunity, ...] = ()


class Signals(Form):
    """What the level of the innovation space was read from."""

    contentVariance: Level
    answerUniqueness: Literal["single", "few", "many"]
    judgmentRequired: Literal["none", "some", "significant"]


class InnovationSpace(Form):
    """How much room the topic leaves for an angle of its own; what follows from the level is computed."""

    level: Level | None = None
    reason: Text | None = None
    signals: Signals | None = None
    strategy: Strategy | None = None
    skipThesis: YesNo | None = None


class DepthGain(Form):
    """How deep the others go, and how deep the article goes."""

    competitorLevel: Literal["surface", "moderate", "deep"]
    ourTarget: Literal["match", "deeper", "much-deeper"]
    specificAreas: Texts = ()


class CoverageGain(Form):
    """What the others leave out, and what the article adds of it."""

    competitorGaps: Texts = ()
    ourAdditions: Texts = ()


class PracticalGain(Form):
    """What the others give readers to work with, and what the article adds."""

    competitorProvides: Texts = ()
    ourAdditions: Texts = ()


class ExecutionDifferentiation(Form):
    """How the article is better made, where it cannot say something else."""

    depth: DepthGain
    coverage: CoverageGain
    practicalValue: PracticalGain
    score: Score


class Gaps(Form):
    """What is missing: in the data that was found, and in what competitors cover."""

    data: Texts = ()
    coverage: Texts = ()


class RecommendedThesis(Form):
    """A thesis that a person may choose."""

    thesis: Text
    stance: Stance
    recommendedDepth: ThesisDepth
    evidenceSummary: Text
    differentiationScore: Score


# --- the second phase: what the materials say -------------------------------------------------------------------------


class GoldenInsight(Form):
    """Something worth telling, and where it comes from."""

    insight: Text
    source: Text
    suggestedUse: Literal["hook", "opener", "evidence"]


class Insights(Form):
    """The best of what was found."""

    goldenInsights: tuple[GoldenInsight, ...] = ()
    quality: Literal["high", "medium", "limited"]
    suggestedHook: Hook


class DifferentiationTypes(Form):
    """In what the article differs: topics, positions, workmanship."""

    coverage: Texts = ()
    stance: Texts = ()
    quality: Texts = ()


class IrreplicableInsight(Form):
    """An insight that others cannot simply take over."""

    insight: Text
    sourceType: Literal["practitioner", "data", "counter-intuitive", "case-study"]
    source: Text
    intentAlignment: Literal["aligned", "partial"]


class Differentiation(Form):
    """What makes the article worth reading beside the others."""

    score: Score
    primaryDifferentiator: Text
    types: DifferentiationTypes | None = None
    irreplicableInsights: tuple[IrreplicableInsight, ...] = ()
    avoidList: Texts = ()


class ThesisValidation(Form):
    """Whether the materials carry the thesis that was chosen."""

    originalThesis: Text | None = None
    evidenceFor: Texts = ()
    evidenceAgainst: Texts = ()
    validatedThesis: Text | None = None
    personaFraming: Text | None = None
    adjustment: Adjustment


class WritingAdvice(Form):
    """What the writer should lean on, and what to be careful with."""

    emphasize: Texts = ()
    cautious: Texts = ()
    differentiateWith: Texts = ()
    stanceToTake: Texts = ()
    terminologyToUse: Mapping[str, Text] = {}
    personaVoiceNotes: Texts = ()


class BeginnerPhrasing(Form):
    """How beginners speak of the topic."""

    questions: Texts = ()
    problemDescriptions: Texts = ()
    emotionalTone: Literal["uncertain", "curious", "frustrated"] | None = None


class PractitionerPhrasing(Form):
    """How practitioners speak of the topic."""

    questions: Texts = ()
    problemDescriptions: Texts = ()
    emotionalTone: Literal["frustrated", "urgent", "analytical"] | None = None


class ExpertPhrasing(Form):
    """How experts speak of the topic, and what they leave unsaid."""

    discussions: Texts = ()
    assumedKnowledge: Texts = ()
    technicalLevel: Text | None = None


class Term(Form):
    """What users say, what the trade says, and which of the two the article uses."""

    usersSay: Text
    technicalTerm: Text
    useInArticle: Text


class QuotableVoice(Form):
    """A phrase to remember."""

    quote: Text
    sourceType: Literal["beginner", "practitioner", "expert"]
    suggestedUse: Literal["hook", "example", "evidence"]


class UserVoices(Form):
    """How readers speak of the topic."""

    collected: YesNo
    audienceMatch: Text | None = None
    beginnerPhrasing: BeginnerPhrasing | None = None
    practitionerPhrasing: PractitionerPhrasing | None = None
    expertPhrasing: ExpertPhrasing | None = None
    terminologyMap: tuple[Term, ...] = ()
    quotableVoices: tuple[QuotableVoice, ...] = ()


class AcademicSource(Form):
    """A source of research."""

    source: Text
    credential: Text
    quote: Text
    url: Text
    usage: Text


class IndustrySource(Form):
    """An organisation or a standard."""

    source: Text
    document: Text
    quote: Text
    url: Text
    usage: Text


class NamedExpert(Form):
    """An expert with a name and a post."""

    name: Text
    credential: Text
    quote: Text
    url: Text
    usage: Text


class Practitioner(Form):
    """Somebody who does the work and wrote about it."""

    username: Text
    platform: Text
    statedExperience: Text
    quote: Text
    url: Text
    usage: Text


class SourcesFound(Form):
    """Sources with a name, the weightiest first."""

    tier1_academic: tuple[AcademicSource, ...] = ()
    tier2_industry: tuple[IndustrySource, ...] = ()
    tier3_namedExperts: tuple[NamedExpert, ...] = ()
    tier4_practitioners: tuple[Practitioner, ...] = ()


class EatSignals(Form):
    """What readers will trust the article for."""

    experienceSignals: Texts = ()
    expertiseSignals: Texts = ()
    authoritySignals: Texts = ()
    trustSignals: Texts = ()


class Distribution(Form):
    """Which quotes go where."""

    introduction: Text | None = None
    body: Text | None = None
    conclusion: Text | None = None


class QuotePlan(Form):
    """How many sources are quoted by name, and where."""

    targetCount: Annotated[
        str, Field(pattern=r"^[0-9]+(?:-[0-9]+)?$", description="a number or a range in quotes, as in '2-3'")
    ]
    distribution: Distribution | None = None


class AuthorityStrategy(Form):
    """Whom the article calls as a witness."""

    sourcesFound: SourcesFound | None = None
    eatSignals: EatSignals | None = None
    quotePlan: QuotePlan | None = None


# --- materials --------------------------------------------------------------------------------------------------------


class ByThesisRelevance(Form):
    """Ids of materials by what they do for the thesis."""

    strongSupport: tuple[MaterialId, ...] = ()
    counterPoints: tuple[MaterialId, ...] = ()
    neutral: tuple[MaterialId, ...] = ()


class Materials(Form):
    """What was found and checked; data and user voices stand in the file of sources alone."""

    cases: tuple[Case, ...] = ()
    expertExplanations: tuple[ExpertExplanation, ...] = ()
    debates: tuple[Debate, ...] = ()
    byThesisRelevance: ByThesisRelevance | None = None
    byPlacement: Mapping[Slot, tuple[MaterialId, ...]] = {}
    differentiators: tuple[MaterialId, ...] = ()


class Summary(Form):
    """How much there is; counted by code."""

    sourceCount: Count
    dataPointCount: Count
    competitorCount: Count
    caseCount: Count
    expertExplanationCount: Count
    debateCount: Count
    userVoiceCount: Count


class Mix(Form):
    """The share of each kind of material."""

    cases: Percent
    data: Percent
    expert: Percent
    userVoice: Percent
    debates: Percent


class MaterialMix(Form):
    """The shares that the type of article wants, those that are there, and what is short; computed by code."""

    targetMix: Mix
    actualMix: Mix
    gaps: Texts = ()


class Research(Form):
    """Everything that was found out before a word was written."""

    status: Status | None = None
    completedAt: Moment | None = None
    urlCache: Texts = ()
    competitorContent: Mapping[str, Competitor] = {}
    summary: Summary | None = None
    materialMix: MaterialMix | None = None
    competitorAnalysis: CompetitorAnalysis | None = None
    insights: Insights | None = None
    differentiation: Differentiation | None = None
    innovationSpace: InnovationSpace | None = None
    executionDifferentiation: ExecutionDifferentiation | None = None
    gaps: Gaps | None = None
    controversies: Texts = ()
    coreThesis: Text | None = None
    recommendedTheses: tuple[RecommendedThesis, ...] = ()
    thesisValidation: ThesisValidation | None = None
    writingAdvice: WritingAdvice | None = None
    userVoices: UserVoices | None = None
    authorityStrategy: AuthorityStrategy | None = None
    materials: Materials | None = None
