"""`architecture_decisions.md`: what was decided and why, and a last section that grows while the work is done."""

from __future__ import annotations

from pydantic import Field

from signoff.artifacts.forms import Form, Text


class Decision(Form):
    """One decision of the architecture."""

    title: Text
    context: Text
    decision: Text
    rationale: tuple[Text, ...] = Field(min_length=1)
    alternatives: tuple[Text, ...] = ()
    constraints: tuple[Text, ...] = ()
    implications: tuple[Text, ...] = ()
    risks: tuple[Text, ...] = ()


class Principle(Form):
    """A rule that the design keeps."""

    name: Text
    text: Text


class Architecture(Form):
    """What an architect gives: every section of the document but document control and evolution notes."""

    executive_summary: Text
    overview: Text
    decisions: tuple[Decision, ...] = Field(min_length=1)
    principles: tuple[Principle, ...] = ()
    integration: Text
    security: Text
    deployment: Text
    open_questions: tuple[Text, ...] = ()
