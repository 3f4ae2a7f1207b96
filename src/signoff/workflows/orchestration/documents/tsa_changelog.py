"""`tsa_changelog.md`: the tactical architect's changes of the drafts after each review, and rejected suggestions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field, model_validator

from signoff.artifacts import lines, markdown_blocks
from signoff.artifacts.markdown_blocks import Prose, Remark, Title
from signoff.artifacts.yaml_forms import Form
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.reviews import NAMES, Domain
from signoff.workflows.orchestration.ids import Epoch

Document = Literal["technology_stack.json", "architecture_decisions.md"]
STACK: Final[Document] = "technology_stack.json"
DECISIONS: Final[Document] = "architecture_decisions.md"
PATHS: Final[Mapping[Document, str]] = {STACK: places.STACK, DECISIONS: places.DECISIONS}
MADE: Final = "Changes Made:"
LEFT: Final = "Feedback Not Incorporated:"
_OWN, _BELOW = 6, 8
"""The indents of a suggestion's further lines and of the items below it."""


class Change(Form):
    """One change. `place` is a JSON leaf (`technology_stack.backend.framework`, `performance_targets.p95`) or a heading
    of the Markdown (`Security Architecture`, `Decision 2: One writer`)."""

    document: Document
    place: Title
    before: str | None = Field(None, alias="from", description="left out if the place is new; a list as JSON")
    after: str | None = Field(None, alias="to", description="left out if the place was removed; a list as JSON")
    reason: Prose
    evidence: Remark = ""

    @model_validator(mode="after")
    def _changes(self) -> Change:
        if self.before is None and self.after is None:
            raise ValueError("`from` and `to` are both missing, so nothing changed; give the old and the new text")
        return self


class NotTaken(Form):
    """A suggestion of the reviewer that was rejected or deferred."""

    suggestion: Prose
    reason: Prose
    deferred: Remark = ""


class Entry(Form):
    """The result of one turn of the tactical architect on one review."""

    number: int = Field(ge=1)
    domain: Domain
    at: Epoch
    changes: tuple[Change, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()


def appended(log: str, entry: Entry) -> str:
    """The log with one more entry; every byte of the old log stays."""
    newline = lines.newline(log)
    begin = f"{log.rstrip()}{newline * 2}---" if log.strip() else "# Tactical Solution Architect Change Log"
    parts = [
        f"## TSA Instance #{entry.number}: {NAMES[entry.domain]} Review",
        f"**Timestamp**: {entry.at}\n**Reviewer Feedback**: {places.review(entry.domain).rpartition('/')[2]}",
        f"### {MADE}",
        "\n".join(_change(at, one) for at, one in enumerate(entry.changes, 1)) or markdown_blocks.NONE,
        f"### {LEFT}",
        "\n".join(_not_taken(at, one) for at, one in enumerate(entry.not_taken, 1)) or markdown_blocks.NONE,
    ]
    return begin + ("\n\n" + "\n\n".join(parts) + "\n").replace("\n", newline)


def _change(number: int, change: Change) -> str:
    before, after = (json.dumps(text, ensure_ascii=False) for text in (change.before, change.after))
    what = f"Changed from {before} to {after}"
    if change.before is None:
        what = f"Added {after}"
    elif change.after is None:
        what = f"Removed {before}"
    head = f"{number}. {markdown_blocks.bold(f'{change.document} - {change.place}')}: {what}"
    return _item(head, number, {"Reason": change.reason, "Supporting evidence": change.evidence})


def _not_taken(number: int, one: NotTaken) -> str:
    head = markdown_blocks.bullet(f"**Suggestion**: {one.suggestion}", f"{number}.", _OWN)
    return _item(head, number, {"Reason": one.reason, "Deferred": one.deferred})


def _item(head: str, number: int, below: dict[str, str]) -> str:
    indent = " " * len(f"{number}. ")
    said = (markdown_blocks.bullet(f"**{label}**: {text}", hang=_BELOW) for label, text in below.items() if text)
    return "\n".join([head, *(indent + one for one in said)])
