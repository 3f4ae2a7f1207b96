"""What research leaves in the config: `workflowState.research`. A section is there once its step has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.article.documents import terms
from signoff.workflows.article.documents.materials import Case, Debate, ExpertExplanation

# --- the first phase: what others have written ------------------------------------------------------------------------


class Competitor(Form):
    """One page that competes with the article."""

    structure: terms.Texts = ()
    stances: terms.Texts = ()
    dataPoints: terms.Texts = ()
    gaps: terms.Texts = ()


class Stances(Form):
    """Where the competing pages agree, differ and take things for granted."""

    consensus: terms.Texts = ()
    disagreements: terms.Texts = ()
    implicitAssumptions: terms.Texts = ()


class DataSourcing(Form):
    """How well the competing pages prove what they say."""

    strongSources: terms.Texts = ()
    weakClaims: terms.Texts = ()
    opportunityAreas: terms.Texts = ()


class Terminology(Form):
    """The words of the trade, by what they stand for."""

    standardTerms: Mapping[str, Text] = {}
    readerExpectations: Text | None = None


class StanceOpportunity(Form):
    """A position that all take, and what the article could say to it."""

    theyAllSay: Text
    ourStance: terms.Stance
    evidence: Text


class CompetitorAnalysis(Form):
    """The competing pages as a whole."""

    stances: Stances | None = None
    dataSourcing: DataSourcing | None = None
    terminology: Terminology | None = None
    stanceOpportunities: tuple[StanceOpportunity, ...] = ()


class Signals(Form):
    """What the level of the innovation space was read from."""

    contentVariance: terms.Level
    answerUniqueness: terms.AnswerUniqueness
    judgmentRequired: terms.JudgmentRequired


class InnovationSpace(Form):
    """How much room the topic leaves for an angle of its own; what follows from the level is computed."""

    level: terms.Level | None = None
    reason: Text | None = None
    signals: Signals | None = None
    strategy: terms.Strategy | None = None
    skipThesis: terms.YesNo | None = None


class DepthGain(Form):
    """How deep the others go, and how deep the article goes."""

    competitorLevel: terms.CompetitorDepth
    ourTarget: terms.TargetDepth
    specificAreas: terms.Texts = ()


class CoverageGain(Form):
    """What the others leave out, and what the article adds of it."""

    competitorGaps: terms.Texts = ()
    ourAdditions: terms.Texts = ()


class PracticalGain(Form):
    """What the others give readers to work with, and what the article adds."""

    competitorProvides: terms.Texts = ()
    ourAdditions: terms.Texts = ()


class ExecutionDifferentiation(Form):
    """How the article is better made, where it cannot say something else."""

    depth: DepthGain
    coverage: CoverageGain
    practicalValue: PracticalGain
    score: terms.Score


class Gaps(Form):
    """What is missing: in the data that was found, and in what competitors cover."""

    data: terms.Texts = ()
    coverage: terms.Texts = ()


class RecommendedThesis(Form):
    """A thesis that a person may choose."""

    thesis: Text
    stance: terms.Stance
    recommendedDepth: terms.ThesisDepth
    evidenceSummary: Text
    differentiationScore: terms.Score


# --- the second phase: what the materials say -------------------------------------------------------------------------


class GoldenInsight(Form):
    """Something worth telling, and where it comes from."""

    insight: Text
    source: Text
    suggestedUse: terms.InsightUse


class Insights(Form):
    """The best of what was found."""

    goldenInsights: tuple[GoldenInsight, ...] = ()
    quality: terms.InsightQuality
    suggestedHook: terms.Hook


class DifferentiationTypes(Form):
    """In what the article differs: topics, positions, workmanship."""

    coverage: terms.Texts = ()
    stance: terms.Texts = ()
    quality: terms.Texts = ()


class IrreplicableInsight(Form):
    """An insight that others cannot simply take over."""

    insight: Text
    sourceType: terms.InsightSource
    source: Text
    intentAlignment: terms.IntentAlignment


class Differentiation(Form):
    """What makes the article worth reading beside the others."""

    score: terms.Score
    primaryDifferentiator: Text
    types: DifferentiationTypes | None = None
    irreplicableInsights: tuple[IrreplicableInsight, ...] = ()
    avoidList: terms.Texts = ()


class ThesisValidation(Form):
    """Whether the materials carry the thesis that was chosen."""

    originalThesis: Text | None = None
    evidenceFor: terms.Texts = ()
    evidenceAgainst: terms.Texts = ()
    validatedThesis: Text | None = None
    personaFraming: Text | None = None
    adjustment: terms.Adjustment


class WritingAdvice(Form):
    """What the writer should lean on, and what to be careful with."""

    emphasize: terms.Texts = ()
    cautious: terms.Texts = ()
    differentiateWith: terms.Texts = ()
    stanceToTake: terms.Texts = ()
    terminologyToUse: Mapping[str, Text] = {}
    personaVoiceNotes: terms.Texts = ()


class BeginnerPhrasing(Form):
    """How beginners speak of the topic."""

    questions: terms.Texts = ()
    problemDescriptions: terms.Texts = ()
    emotionalTone: terms.BeginnerTone | None = None


class PractitionerPhrasing(Form):
    """How practitioners speak of the topic."""

    questions: terms.Texts = ()
    problemDescriptions: terms.Texts = ()
    emotionalTone: terms.PractitionerTone | None = None


class ExpertPhrasing(Form):
    """How experts speak of the topic, and what they leave unsaid."""

    discussions: terms.Texts = ()
    assumedKnowledge: terms.Texts = ()
    technicalLevel: Text | None = None


class Term(Form):
    """What users say, what the trade says, and which of the two the article uses."""

    usersSay: Text
    technicalTerm: Text
    useInArticle: Text


class QuotableVoice(Form):
    """A phrase to remember."""

    quote: Text
    sourceType: terms.Speaker
    suggestedUse: terms.VoiceUse


class UserVoices(Form):
    """How readers speak of the topic."""

    collected: terms.YesNo
    audienceMatch: Text | None = None
    beginnerPhrasing: BeginnerPhrasing | None = None
    practitionerPhrasing: PractitionerPhrasing | None = None
    expertPhrasing: ExpertPhrasing | None = None
    terminologyMap: tuple[Term, ...] = ()
    quotableVoices: tuple[QuotableVoice, ...] = ()


class _Quoted(Form):
    quote: Text
    url: Text
    usage: Text


class AcademicSource(_Quoted):
    """A source of research."""

    source: Text
    credential: Text


class IndustrySource(_Quoted):
    """An organisation or a standard."""

    source: Text
    document: Text


class NamedExpert(_Quoted):
    """An expert with a name and a post."""

    name: Text
    credential: Text


class Practitioner(_Quoted):
    """A person who does the work and wrote about it."""

    username: Text
    platform: Text
    statedExperience: Text


class SourcesFound(Form):
    """Sources with a name, the weightiest first."""

    tier1_academic: tuple[AcademicSource, ...] = ()
    tier2_industry: tuple[IndustrySource, ...] = ()
    tier3_namedExperts: tuple[NamedExpert, ...] = ()
    tier4_practitioners: tuple[Practitioner, ...] = ()


class EatSignals(Form):
    """What readers will trust the article for."""

    experienceSignals: terms.Texts = ()
    expertiseSignals: terms.Texts = ()
    authoritySignals: terms.Texts = ()
    trustSignals: terms.Texts = ()


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

    strongSupport: tuple[terms.MaterialId, ...] = ()
    counterPoints: tuple[terms.MaterialId, ...] = ()
    neutral: tuple[terms.MaterialId, ...] = ()


class Materials(Form):
    """What was found and checked; data and user voices stand in the file of sources alone."""

    cases: tuple[Case, ...] = ()
    expertExplanations: tuple[ExpertExplanation, ...] = ()
    debates: tuple[Debate, ...] = ()
    byThesisRelevance: ByThesisRelevance | None = None
    byPlacement: Mapping[terms.Slot, tuple[terms.MaterialId, ...]] = {}
    differentiators: tuple[terms.MaterialId, ...] = ()


class Summary(Form):
    """How much there is; counted by code."""

    sourceCount: terms.Count
    dataPointCount: terms.Count
    competitorCount: terms.Count
    caseCount: terms.Count
    expertExplanationCount: terms.Count
    debateCount: terms.Count
    userVoiceCount: terms.Count


class Mix(Form):
    """The share of each kind of material."""

    cases: terms.Percent
    data: terms.Percent
    expert: terms.Percent
    userVoice: terms.Percent
    debates: terms.Percent


class MaterialMix(Form):
    """The shares that the type of article wants, those that are there, and what is short; computed by code."""

    targetMix: Mix
    actualMix: Mix
    gaps: terms.Texts = ()


class Research(Form):
    """Everything that was found out before a word was written."""

    status: terms.Status | None = None
    completedAt: terms.Moment | None = None
    urlCache: terms.Texts = ()
    competitorContent: Mapping[str, Competitor] = {}
    summary: Summary | None = None
    materialMix: MaterialMix | None = None
    competitorAnalysis: CompetitorAnalysis | None = None
    insights: Insights | None = None
    differentiation: Differentiation | None = None
    innovationSpace: InnovationSpace | None = None
    executionDifferentiation: ExecutionDifferentiation | None = None
    gaps: Gaps | None = None
    controversies: terms.Texts = ()
    coreThesis: Text | None = None
    recommendedTheses: tuple[RecommendedThesis, ...] = ()
    thesisValidation: ThesisValidation | None = None
    writingAdvice: WritingAdvice | None = None
    userVoices: UserVoices | None = None
    authorityStrategy: AuthorityStrategy | None = None
    materials: Materials | None = None
