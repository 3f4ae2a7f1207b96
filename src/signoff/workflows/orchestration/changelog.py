"""`tsa_changelog.md`: what a tactical architect changed in the drafts and what it left, checked against the bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import Field, model_validator

from signoff.artifacts import lines
from signoff.artifacts.forms import Form
from signoff.artifacts.textio import decode
from signoff.core.findings import Finding
from signoff.workflows.orchestration import decisions, places, prose, sections
from signoff.workflows.orchestration.drafts import (
    DECISIONS,
    PATHS,
    STACK,
    Difference,
    Document,
    Drafts,
    differences,
    leaves,
    said,
)
from signoff.workflows.orchestration.ids import Epoch
from signoff.workflows.orchestration.nearest import nearest
from signoff.workflows.orchestration.prose import Item, Labelled, Prose, Reader, Remark, Title
from signoff.workflows.orchestration.reviews import NAMES, Domain
from signoff.workflows.orchestration.sections import Section

__all__ = [
    "Change",
    "Difference",
    "Document",
    "Drafts",
    "Entry",
    "NotTaken",
    "appended",
    "differences",
    "findings",
    "parse",
]


class Change(Form):
    """One change. `place` is a JSON leaf (`technology_stack.backend.framework`, `performance_targets.p95`) or a heading
    of the Markdown (`Security Architecture`, `Decision 2: One writer`)."""

    document: Document
    place: Title
    before: str | None = Field(None, alias="from", description="nothing where it is new; a list as JSON")
    after: str | None = Field(None, alias="to", description="nothing where it was taken out; a list as JSON")
    reason: Prose
    evidence: Remark = ""

    @model_validator(mode="after")
    def _changes(self) -> Change:
        if self.before is None and self.after is None:
            raise ValueError("`from` and `to` are both empty, so nothing changed; say what it was and what it is")
        return self


class NotTaken(Form):
    """A suggestion of the reviewer that was not followed."""

    suggestion: Prose
    reason: Prose
    deferred: Remark = ""


class Entry(Form):
    """What one turn of the tactical architect made of one review."""

    number: int = Field(ge=1)
    domain: Domain
    at: Epoch
    changes: tuple[Change, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()


# --- checking ---------------------------------------------------------------------------------------------------------


_OFFERED: Final = 40
"""Among so many changes that were made the one is looked for that a wrong name may have meant."""


def findings(before: Drafts, after: Drafts, changes: Sequence[Change]) -> tuple[Finding, ...]:
    """What the changes and the drafts say differently: each change of the drafts is named once, and only those are."""
    found = differences(before, after)
    forbidden = set(_forbidden(before, after, found))
    by_name: dict[tuple[str, str], list[Difference]] = {}
    for one in found:
        for name in one.names:
            by_name.setdefault((one.document, name), []).append(one)
    named = [by_name.get((change.document, _named(change)), []) for change in changes]
    told = {one for hits in named if len(hits) == 1 for one in hits}
    return (
        *(_untouchable(one) for one in found if one in forbidden),
        *(_unnamed(one) for one in found if one not in told and one not in forbidden),
        *_entries(before, changes, named, found),
        *_twice(changes, named),
    )


def _named(change: Change) -> str:
    bare = change.place.strip("` ")
    return sections.folded(bare.lstrip("# ")) if change.document == DECISIONS else bare.removeprefix("$.")


def _entries(
    before: Drafts, changes: Sequence[Change], named: Sequence[Sequence[Difference]], found: Sequence[Difference]
) -> Iterator[Finding]:
    unchanged = {place: said(value) for place, value in leaves(before.stack).items()}
    for change, hits in zip(changes, named, strict=True):
        if not hits:
            yield _unmade(change, unchanged, found)
        elif len(hits) > 1:
            places_of = " or ".join(f"`{one.place}`" for one in hits)
            yield _finding(
                "ambiguous", change, f"`{change.place}` names several places that changed", f"name {places_of}"
            )
        else:
            yield from _untrue(change, hits[0])


def _unmade(change: Change, unchanged: dict[str, str], found: Sequence[Difference]) -> Finding:
    changed = [one.place for one in found if one.document == change.document]
    near = nearest(change.place, changed[:_OFFERED], 0.5)
    place = _named(change) if change.document == STACK else ""
    still = f"; it is {_shown(unchanged[place])} before and after" if place in unchanged else ""
    listed = ", ".join(f"`{place}`" for place in changed[:8]) or "nothing"
    repair = f"name it `{near}`, if that is meant" if near else "make the change, or leave it out of the log"
    return _finding(
        "unmade",
        change,
        f"the log names a change of `{change.place}` that was not made{still}; what changed there: {listed}",
        repair,
    )


def _untrue(change: Change, real: Difference) -> Iterator[Finding]:
    """The sides of a change that are not what the log says. Of Markdown the log gives a summary: only that there was
    or is something is compared."""
    for side, given, text in (("from", change.before, real.before), ("to", change.after, real.after)):
        right = _same(given, text) if change.document == STACK else _both(given, text)
        if not right:
            yield _finding(
                "untrue",
                change,
                f"the log has `{change.place}` {side} {_shown(given)}, the draft {_shown(text)}",
                f"write as `{side}` what the draft has" if text is not None else f"leave `{side}` out",
            )


def _same(given: str | None, text: str | None) -> bool:
    if given is None or text is None:
        return text is None and (given is None or given.strip() in ("", "[]"))
    listed = _list(text)
    return given.split() == text.split() or (listed is not None and _list(given) == listed)


def _list(text: str) -> list[Any] | None:
    """A list that was written as JSON, however it is spaced."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, list) else None


def _both(given: str | None, text: str | None) -> bool:
    """Whether both have something or neither has; of a heading that had no text of its own both can be said."""
    return text == "" or (given is None) == (text is None)


def _unnamed(one: Difference) -> Finding:
    return Finding(
        rule="changelog.unnamed",
        problem=f"`{one.place}` changed from {_shown(one.before)} to {_shown(one.after)}, and the log does not say so",
        repair="add it to `changes` with the reason, or undo it",
        file=PATHS[one.document],
        about=one.place,
    )


def _twice(changes: Sequence[Change], named: Sequence[Sequence[Difference]]) -> Iterator[Finding]:
    seen: set[object] = set()
    for change, hits in zip(changes, named, strict=True):
        place = (change.document, hits[0].place if len(hits) == 1 else _named(change))
        if place in seen:
            yield _finding("twice", change, f"the log names `{change.place}` twice", "put both into one entry")
        seen.add(place)


def _shown(text: str | None) -> str:
    if text is None:
        return "nothing"
    plain = " ".join(text.split())
    return f"“{plain if len(plain) <= 120 else plain[:119] + '…'}”"


def _finding(rule: str, change: Change, problem: str, repair: str) -> Finding:
    return Finding(
        rule=f"changelog.{rule}", problem=problem, repair=repair, file=PATHS[change.document], about=change.place
    )


# --- what no review changes -------------------------------------------------------------------------------------------

_FIXED: Final = ("task_id", "created")
_CONTROL: Final = prose.item_label(("Created", "Task ID"))


def _forbidden(before: Drafts, after: Drafts, found: Sequence[Difference]) -> Iterator[Difference]:
    """The changes that are not the tactical architect's to make, named or not."""
    fixed = [decisions.EVOLUTION, *([decisions.CONTROL] if _control(before) != _control(after) else [])]
    retitled = {sections.folded(_title(after))} if _title(before) != _title(after) else set()
    for one in found:
        if one.document == STACK:
            forbidden = one.place in _FIXED
        else:
            forbidden = bool(one.names & retitled) or any(_is_in(one, place) for place in fixed)
        if forbidden:
            yield one


def _is_in(one: Difference, title: str) -> bool:
    """Whether it is under this heading or is the heading itself."""
    place = sections.folded(title)
    return any(name == place or name.startswith(f"{place} > ") for name in one.names)


def _title(drafts: Drafts) -> str:
    return next((one.title for one in sections.split(drafts.decisions) if one.level == 1), "")


def _control(drafts: Drafts) -> list[str]:
    """Date and task of the document, as they stand there."""
    found = sections.named(sections.split(drafts.decisions), decisions.CONTROL)
    items = prose.items(found.whole, 0)[0] if found else []
    return sorted(item.text for item in items if _CONTROL.match(item.first))


def _untouchable(one: Difference) -> Finding:
    return Finding(
        rule="changelog.forbidden",
        problem=f"`{one.place}` changed from {_shown(one.before)} to {_shown(one.after)}; a review changes neither "
        f"title, task and date of the drafts nor “{decisions.EVOLUTION}”",
        repair="undo it",
        file=PATHS[one.document],
        about=one.place,
    )


# --- writing ----------------------------------------------------------------------------------------------------------

TITLE: Final = "Tactical Solution Architect Change Log"
MADE: Final = "Changes Made:"
LEFT: Final = "Feedback Not Incorporated:"
_OWN, _BELOW, _DEEP = 6, 8, 5
"""Further lines of a suggestion and of what is below it are indented so far; labels below it at most by the last."""


def appended(
    log: str | None,
    *,
    number: int,
    domain: Domain,
    at: int,
    changes: Sequence[Change],
    not_taken: Sequence[NotTaken],
) -> str:
    """The log with one more entry; what is there stays as it is."""
    newline = lines.newline(log or "")
    begin = f"{log.rstrip()}{newline * 2}---" if log and log.strip() else f"# {TITLE}"
    parts = [
        f"## TSA Instance #{number}: {NAMES[domain]} Review",
        f"**Timestamp**: {at}\n**Reviewer Feedback**: {places.review(domain).rpartition('/')[2]}",
        f"### {MADE}",
        "\n".join(_change(place, one) for place, one in enumerate(changes, 1)) or prose.NONE,
        f"### {LEFT}",
        "\n".join(_not_taken(place, one) for place, one in enumerate(not_taken, 1)) or prose.NONE,
    ]
    return begin + ("\n\n" + "\n\n".join(parts) + "\n").replace("\n", newline)


def _change(number: int, change: Change) -> str:
    head = f"{number}. {prose.bold(f'{change.document} - {change.place}')}: {_what(change)}"
    return _item(head, number, {"Reason": change.reason, "Supporting evidence": change.evidence})


def _what(change: Change) -> str:
    if change.before is None:
        return f"Added {_quoted(change.after)}"
    if change.after is None:
        return f"Removed {_quoted(change.before)}"
    return f"Changed from {_quoted(change.before)} to {_quoted(change.after)}"


def _quoted(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)


def _not_taken(number: int, one: NotTaken) -> str:
    head = prose.bullet(f"**Suggestion**: {one.suggestion}", f"{number}.", _OWN)
    return _item(head, number, {"Reason": one.reason, "Deferred": one.deferred})


def _item(head: str, number: int, below: dict[str, str]) -> str:
    indent = " " * len(f"{number}. ")
    told = [indent + prose.bullet(f"**{label}**: {text}", hang=_BELOW) for label, text in below.items() if text]
    return "\n".join([head, *told])


# --- reading ----------------------------------------------------------------------------------------------------------

_HEAD: Final = re.compile(
    rf"TSA Instance #([1-9][0-9]{{0,5}}): ({'|'.join(map(re.escape, NAMES.values()))}) Review", re.I
)
_LABELS: Final = prose.label_pattern(("Timestamp", "Reviewer Feedback"))
_STRING: Final = r'("(?:[^"\\]|\\.)*")'
_WHAT: Final = (
    (re.compile(rf"Added {_STRING}"), ("to",)),
    (re.compile(rf"Removed {_STRING}"), ("from",)),
    (re.compile(rf"Changed from {_STRING} to {_STRING}"), ("from", "to")),
)
_SUGGESTION: Final = prose.item_label(("Suggestion",))


def parse(data: bytes, path: str) -> tuple[Entry, ...]:
    """The entries of a log in their order; DocumentError names every line that is not in the form of one."""
    found = sections.split(decode(data, path))
    reader = Reader(path, "changelog")
    entries = [_entry(one, [*sections.under(found, one)], reader) for one in found if one.level == 2]
    return tuple(reader.built(Entry, values, {(): line}) for line, values in entries)


def _entry(section: Section, below: Sequence[Section], reader: Reader) -> tuple[int, dict[str, Any]]:
    values: dict[str, Any] = {}
    head = _HEAD.fullmatch(section.title)
    if head:
        domains = {name.casefold(): domain for domain, name in NAMES.items()}
        values |= {"number": int(head[1]), "domain": domains[head[2].casefold()]}
    else:
        said = f"`## TSA Instance #1: {NAMES['security']} Review`"
        reader.wrong("entry", section.line, f"“{section.title}” is the title of no entry", f"write it as {said}")
    stamp = prose.labelled(section.body, section.line + 1, _LABELS).get("timestamp")
    if stamp and stamp.first.strip().isdecimal():
        values["at"] = int(stamp.first)
    for name, title, read in (("changes", MADE, _changes), ("not_taken", LEFT, _suggestions)):
        part = sections.named(below, title, 3)
        if part is None:
            reader.wrong("entry", section.line, f"this entry has no “{title}”", f"add a line `### {title}`")
        else:
            values[name] = [*read(part, reader)]
    return section.line, values


def _changes(section: Section, reader: Reader) -> Iterator[dict[str, Any]]:
    for item in reader.items(section.whole, section.line + 1):
        head = prose.headed(item.first)
        document, _, place = head[0].partition(" - ") if head else ("", "", "")
        what = _read_what(head[1]) if head else None
        if document not in PATHS or not place or what is None:
            reader.wrong(
                "change",
                item.line,
                f"this is no change: {item.first[:80]!r}",
                f'write it as `1. **{STACK} - place**: Changed from "old" to "new"`, or Added "new", or Removed "old"',
            )
        else:
            below = _told(item, {"Reason": "reason", "Supporting evidence": "evidence"})
            yield {"document": document, "place": place, **what, **below}


def _read_what(text: str) -> dict[str, Any] | None:
    for pattern, names in _WHAT:
        if found := pattern.fullmatch(text.strip()):
            try:
                return {name: json.loads(found[at]) for at, name in enumerate(names, 1)}
            except ValueError:  # an escape that JSON does not know
                return None
    return None


def _suggestions(section: Section, reader: Reader) -> Iterator[dict[str, Any]]:
    for item in reader.items(section.whole, section.line + 1):
        own = prose.sub_items(item, ("Reason", "Deferred"), _DEEP)[""]
        label = _SUGGESTION.match(own.first)
        if label is None:
            reader.wrong(
                "suggestion",
                item.line,
                f"this is no suggestion: {item.first[:80]!r}",
                "write it as `1. **Suggestion**: …`",
            )
        else:
            said = prose.hung(own.first[label.end() :], own.rest, _OWN)
            yield {"suggestion": said, **_told(item, {"Reason": "reason", "Deferred": "deferred"})}


def _told(item: Item, labels: dict[str, str]) -> dict[str, str]:
    found: dict[str, Labelled] = prose.sub_items(item, tuple(labels), _DEEP)
    return {
        name: prose.hung(one.first, one.rest, _BELOW)
        for label, name in labels.items()
        if (one := found.get(label.casefold()))
    }
