"""`tsa_changelog.md`: what a tactical architect changed in the drafts and what it left, checked against the bytes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from signoff.artifacts.forms import Form, Text

Document = Literal["technology_stack.json", "architecture_decisions.md"]


class Change(Form):
    """One change. `place` is a JSON leaf (`technology_stack.backend.framework`, `performance_targets.p95`) or a heading
    of the Markdown (`Security Architecture`, `Decision 2: One writer`)."""

    document: Document
    place: Text
    before: str | None = Field(None, alias="from", description="nothing where it is new")
    after: str | None = Field(None, alias="to", description="nothing where it was taken out")
    reason: Text
    evidence: str = ""


class NotTaken(Form):
    """A suggestion of the reviewer that was not followed."""

    suggestion: Text
    reason: Text
    deferred: str = ""
