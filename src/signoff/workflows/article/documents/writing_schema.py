"""What writing leaves in the config: `workflowState.writing`. A section is there once its step has come."""

from __future__ import annotations

from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.article.documents import terms


class Outline(Form):
    """The shape of the article; sections are counted and named by code from the outline itself."""

    h2Count: terms.Count | None = None
    structure: terms.Texts = ()
    introFramework: terms.IntroFramework | None = None
    conclusionType: terms.ConclusionType | None = None
    funnelStage: terms.FunnelStage | None = None


class JourneyUsed(Form):
    """What of the reader's journey the draft speaks of."""

    funnelStage: terms.FunnelStage
    primaryCTAUsed: Text | None = None
    nextTopicsMentioned: terms.Texts = ()
    prerequisitesMentioned: terms.Texts = ()


class Execution(Form):
    """What the draft holds; counted by code."""

    actualWordCount: terms.Count
    internalLinksUsed: terms.Count
    dataPointsUsed: terms.Count
    casesUsed: terms.Count
    expertExplanationsUsed: terms.Count
    debatesUsed: terms.Count
    userVoicesUsed: terms.Count


class Used(Form):
    """A material, where it stands and what for."""

    id: terms.MaterialId
    location: terms.Place
    purpose: Text


class Skipped(Form):
    """A material that is not used, and why."""

    id: terms.MaterialId
    reason: Text


class Borrowed(Form):
    """Something taken over from an explanation, and how it was changed."""

    id: terms.MaterialId
    element: Text
    adapted: Text


class DifferentiatorCoverage(Form):
    """How many of the differentiators are used; computed by code."""

    total: terms.Count
    used: terms.Count
    list: terms.Texts = ()


class MaterialUsage(Form):
    """What became of the materials."""

    used: tuple[Used, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    borrowed: tuple[Borrowed, ...] = ()
    differentiatorCoverage: DifferentiatorCoverage | None = None


# --- decisions --------------------------------------------------------------------------------------------------------


class ThesisExecution(Form):
    """How the thesis is argued: the two statements are words of the draft."""

    thesis: Text | None = None
    stance: terms.Stance | None = None
    proofPointsUsed: terms.Texts = ()
    introStatement: Text | None = None
    conclusionReinforcement: Text | None = None


class PersonaExecution(Form):
    """How the author's voice shows: bias and phrases are words of the draft."""

    role: Text
    biasAppliedIn: tuple[terms.Placed, ...] = ()
    voiceTraitsUsed: terms.Texts = ()
    signaturePhrases: terms.Texts = ()


class DepthAdaptation(Form):
    """How a thesis for other readers was made to fit these."""

    applied: terms.YesNo
    originalRecommendedDepth: terms.ThesisDepth | None = None
    actualDepth: terms.Depth | None = None
    strategy: Text | None = None


class HookUsed(Form):
    """How the article opens."""

    type: terms.Hook
    content: Text


class InsightUsed(Form):
    """An insight and where it stands."""

    insight: Text
    location: terms.ShortPlace


class DifferentiationApplied(Form):
    """How the article sets itself apart."""

    primaryDifferentiatorUsed: Text
    irreplicableInsightsUsed: tuple[InsightUsed, ...] = ()
    avoidedPatterns: terms.Texts = ()
    titleDifferentiation: Text | None = None


class SectionsToWatch(Form):
    """Where the proofreader should look."""

    strong: terms.Texts = ()
    weak: terms.Texts = ()
    differentiated: terms.Texts = ()


class _LinkUsed(Form):
    target: Text
    anchor: Text
    url: Text


class RequiredLinkUsed(_LinkUsed):
    """A link that had to be there, as it stands in the draft."""

    location: terms.Place


class RecommendedLinkUsed(_LinkUsed):
    """A link that was welcome, as it stands in the draft."""

    priority: terms.Priority


class LinksUsed(Form):
    """The internal links of the draft; the total is counted by code."""

    requiredLinksUsed: tuple[RequiredLinkUsed, ...] = ()
    recommendedLinksUsed: tuple[RecommendedLinkUsed, ...] = ()
    totalCount: terms.Count | None = None
    clusterContext: Text | None = None


class DifferentiatedFrom(Form):
    """Another article of the project, and how the two angles differ."""

    article: Text
    theirAngle: Text
    ourAngle: Text


class BacklinkOpportunity(Form):
    """An article that could link to this one, and for what."""

    existingArticle: Text
    concept: Text


class LinkableAnchor(Form):
    """Words that other articles can link to."""

    phrase: Text
    concept: Text
    location: terms.Place


class CrossArticleStrategy(Form):
    """How the article stands beside the others of the project."""

    differentiatedFrom: tuple[DifferentiatedFrom, ...] = ()
    backlinkOpportunitiesCreated: tuple[BacklinkOpportunity, ...] = ()
    linkableAnchorsCreated: tuple[LinkableAnchor, ...] = ()


class MentionUsed(Form):
    """A product and the words that mention it."""

    category: Text
    mentionText: Text
    location: terms.Place


class MentionSkipped(Form):
    """A product that is not mentioned, and why."""

    category: Text
    reason: Text


class ProductMentions(Form):
    """Products in the draft; counted by code."""

    used: tuple[MentionUsed, ...] = ()
    skipped: tuple[MentionSkipped, ...] = ()
    count: terms.Count | None = None


class Decisions(Form):
    """What the writer decided, for the proofreader to verify."""

    thesisExecution: ThesisExecution | None = None
    personaExecution: PersonaExecution | None = None
    depthAdaptation: DepthAdaptation | None = None
    hookUsed: HookUsed | None = None
    differentiationApplied: DifferentiationApplied | None = None
    opinionsIncluded: tuple[terms.Bracketed, ...] = ()
    sectionsToWatch: SectionsToWatch | None = None
    internalLinks: LinksUsed | None = None
    crossArticleStrategy: CrossArticleStrategy | None = None
    productMentions: ProductMentions | None = None


class Writing(Form):
    """Everything that was decided while the article was written."""

    status: terms.Status | None = None
    completedAt: terms.Moment | None = None
    outline: Outline | None = None
    buyerJourney: JourneyUsed | None = None
    execution: Execution | None = None
    materialUsage: MaterialUsage | None = None
    decisions: Decisions | None = None
