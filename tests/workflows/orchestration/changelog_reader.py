"""Reads the tactical architect's changelog back into entries, to compare it with what happened."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from signoff.artifacts import markdown_blocks, markdown_headings
from signoff.artifacts.markdown_blocks import Item, Labelled, Reader
from signoff.artifacts.markdown_headings import Section
from signoff.artifacts.text_decoding import decode
from signoff.workflows.orchestration.documents.reviews import NAMES
from signoff.workflows.orchestration.documents.tsa_changelog import LEFT, MADE, PATHS, STACK, Entry

_OWN, _BELOW, _DEEP = 6, 8, 5
_HEAD: Final = re.compile(
    rf"TSA Instance #([1-9][0-9]{{0,5}}): ({'|'.join(map(re.escape, NAMES.values()))}) Review", re.I
)
_LABELS: Final = markdown_blocks.label_pattern(("Timestamp", "Reviewer Feedback"))
_STRING: Final = r'("(?:[^"\\]|\\.)*")'
_WHAT: Final = (
    (re.compile(rf"Added {_STRING}"), ("to",)),
    (re.compile(rf"Removed {_STRING}"), ("from",)),
    (re.compile(rf"Changed from {_STRING} to {_STRING}"), ("from", "to")),
)
_SUGGESTION: Final = markdown_blocks.item_label(("Suggestion",))


def parse(data: bytes, path: str) -> tuple[Entry, ...]:
    """The entries of a log in their order; DocumentError names every line that is not in the form of one."""
    found = markdown_headings.split(decode(data, path))
    reader = Reader(path, "changelog")
    entries = [_entry(one, [*markdown_headings.under(found, one)], reader) for one in found if one.level == 2]
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
    stamp = markdown_blocks.labelled(section.body, section.line + 1, _LABELS).get("timestamp")
    if stamp and stamp.first.strip().isdecimal():
        values["at"] = int(stamp.first)
    for name, title, read in (("changes", MADE, _changes), ("not_taken", LEFT, _suggestions)):
        part = markdown_headings.named(below, title, 3)
        if part is None:
            reader.wrong("entry", section.line, f"this entry has no “{title}”", f"add a line `### {title}`")
        else:
            values[name] = [*read(part, reader)]
    return section.line, values


def _changes(section: Section, reader: Reader) -> Iterator[dict[str, Any]]:
    for item in reader.items(section.whole, section.line + 1):
        head = markdown_blocks.headed(item.first)
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
        own = markdown_blocks.sub_items(item, ("Reason", "Deferred"), _DEEP)[""]
        label = _SUGGESTION.match(own.first)
        if label is None:
            reader.wrong(
                "suggestion",
                item.line,
                f"this is no suggestion: {item.first[:80]!r}",
                "write it as `1. **Suggestion**: …`",
            )
        else:
            said = markdown_blocks.hung(own.first[label.end() :], own.rest, _OWN)
            yield {"suggestion": said, **_told(item, {"Reason": "reason", "Deferred": "deferred"})}


def _told(item: Item, labels: dict[str, str]) -> dict[str, str]:
    found: dict[str, Labelled] = markdown_blocks.sub_items(item, tuple(labels), _DEEP)
    return {
        name: markdown_blocks.hung(one.first, one.rest, _BELOW)
        for label, name in labels.items()
        if (one := found.get(label.casefold()))
    }
