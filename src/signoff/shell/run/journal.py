"""The journal: one line for each commit, chained by checksum. Only what it says has happened.

A last line without a newline was never committed and is dropped. Any other line whose checksum is wrong makes the
journal corrupt, and nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from signoff.core.errors import CorruptError
from signoff.core.events import Event, from_plain, to_plain
from signoff.core.refs import digest

FIRST = "0" * 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """Events decided on revision `base`, entered together."""

    base: int
    events: tuple[Event, ...]

    @property
    def rev(self) -> int:
        return self.base + len(self.events)


@dataclass(frozen=True, slots=True)
class Tail:
    """Where the journal ends: its revision, the checksum to chain to, the length and number of its whole lines."""

    rev: int = 0
    seal: str = FIRST
    size: int = 0
    lines: int = 0


def sayable(said: Any) -> Any:
    """What an agent or a provider says, as the journal can carry it: it may not be valid Unicode."""
    return json.loads(json.dumps(said, ensure_ascii=False, default=str).encode("utf-8", "replace"))


def encode(commit: Commit, tail: Tail) -> bytes:
    """The commit's line, chained to the tail."""
    body = json.dumps(
        {"base": commit.base, "rev": commit.rev, "events": [to_plain(event) for event in commit.events]},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return f'{{"seal":"{_seal(tail.seal, body.encode())}",{body[1:]}\n'.encode()


def decode(data: bytes, tail: Tail, file: str) -> tuple[Sequence[Commit], Tail]:
    """The commits in these bytes, which follow `tail`."""
    commits = []
    whole, newline, _torn = data.rpartition(b"\n")
    for line in whole.split(b"\n") if newline else ():
        commit, tail = _line(line, tail, file)
        commits.append(commit)
    return commits, tail


def _line(line: bytes, tail: Tail, file: str) -> tuple[Commit, Tail]:
    head, body = line[:27], b"{" + line[27:]
    seal = _seal(tail.seal, body)
    if head != f'{{"seal":"{seal}",'.encode():
        raise CorruptError(
            f"{file}:{tail.lines + 1}: the line after revision {tail.rev} (byte {tail.size}) does not add up: "
            "it was edited, or lines before it are missing",
            repair="restore the journal from git or a backup; the documents themselves are untouched",
        )
    commit = _commit(body, f"{file}:{tail.lines + 1}")
    return commit, Tail(commit.rev, seal, tail.size + len(line) + 1, tail.lines + 1)


def _commit(body: bytes, place: str) -> Commit:
    """The commit of a line whose checksum is right. If it cannot be read, another version wrote it."""
    try:
        entry = json.loads(body)
        return Commit(base=entry["base"], events=tuple(from_plain(event) for event in entry["events"]))
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptError(
            f"{place}: the line is whole, but says what this version of Signoff does not know",
            repair="use the version of Signoff that wrote it, or a newer one",
        ) from error


def _seal(previous: str, body: bytes) -> str:
    return digest(previous.encode() + body)[:16]
