"""`conversation_summary_{task}.md`: what a person wants, as it was talked over; everything later leads back to it."""

from __future__ import annotations

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.workflows.orchestration.ids import Name


class Made(Form):
    """A decision that was made in the conversation."""

    decision: Text
    rationale: Text
    alternatives: str = ""


class Resolved(Form):
    """A question that came up, and its answer."""

    question: Text
    answer: Text


class Plan(Form):
    """The summary as a value, in the order of its sections."""

    task: Name
    goal: Text
    decisions: tuple[Made, ...] = ()
    constraints: tuple[Text, ...] = ()
    resolved: tuple[Resolved, ...] = ()
    open_items: tuple[Text, ...] = ()
    dependencies: tuple[Text, ...] = Field((), description="what this connects to or depends on")
