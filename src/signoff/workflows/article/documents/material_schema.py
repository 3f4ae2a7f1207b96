"""The five kinds of material: as a round gives them, with the words they rest on, and as they stand in the config."""

from __future__ import annotations

from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.article.documents import terms


class Material(Form):
    """What every material has: what it does for the thesis, and where it fits."""

    thesisSupport: terms.ThesisSupport
    suggestedPlacement: terms.Place


class Found(Material):
    """A material as a round gives it: the words, and the page that they stand in."""

    quote: Text
    url: Text


class _Case(Material):
    title: Text
    summary: Text
    suggestedUse: Text
    persuasionType: Text
    competitorHas: terms.YesNo


class CaseFound(_Case, Found):
    """Something that happened."""


class Case(_Case):
    """A case in the config."""

    id: terms.CaseId


class DatumFound(Found):
    """A figure, as it stands in the quote, and what it says."""

    value: Text
    claim: Text


class _Expert(Material):
    concept: Text
    expert: Text
    analogyAvailable: terms.YesNo
    canBorrow: terms.Texts = ()


class ExpertFound(_Expert, Found):
    """How somebody who knows explains it."""


class ExpertExplanation(_Expert):
    """An expert explanation in the config."""

    id: terms.ExpertId


class VoiceFound(Found):
    """What somebody who lives with it said."""

    sourceType: terms.Speaker
    suggestedUse: terms.VoiceUse


class _Debate(Material):
    topic: Text
    positions: terms.Count
    ourPosition: Text


class DebateFound(_Debate, Found):
    """A question on which those who know differ."""


class Debate(_Debate):
    """A debate in the config."""

    id: terms.DebateId
