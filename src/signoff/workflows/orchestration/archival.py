"""Archival: sessions are put away under names of their own, with a log of what was done and an index of where they are.

It is a function and no agent: it gets bytes and gives what is to be written. A session that cannot be read stays where
it is, and the person is told; the others are put away all the same. A log or an index that cannot be read is left as it
is too, and what is new goes into the next of its family (`cleanup_log_2.json`). So nothing is ever lost.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Final, Generic, TypeVar

from pydantic import ConfigDict, Field

from signoff.artifacts.forms import Form, Text
from signoff.artifacts.textio import decode
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import ids, jsondoc, notes, places
from signoff.workflows.orchestration.ids import ARCHIVAL, Epoch, TaskId

CURRENT: Final = "session_current.json"
LOG: Final = f"{places.agent(ARCHIVAL)}/cleanup_log.json"
INDEX: Final = f"{places.agent(ARCHIVAL)}/archive_index.json"
ARCHIVED: Final = "archived"
LONGEST: Final = 150
"""So much of a task's name is in the name of a file: file systems end at 255."""

_SESSION: Final = re.compile(rf"{re.escape(places.AGENTS)}([^/]+)/completion_drive/{re.escape(CURRENT)}")


class Logged(Form):
    """What was done with one session: where it was and went, and what came of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    at: Epoch
    agent: Text
    source: Text = Field(alias="from")
    to: str = Field("", description="nothing where it stayed")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="64 hexadecimal digits")
    result: Text


class Kept(Form):
    """Where a session is."""

    task_id: TaskId
    agent: Text
    path: Text
    session_start: Epoch
    archived_at: Epoch


class Log(Form):
    """`cleanup_log.json`, the newest last: a file of these rows and nothing else."""

    rows: tuple[Logged, ...] = ()


class Index(Form):
    """`archive_index.json`, the newest last, likewise."""

    rows: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What archival does: texts to write by their paths, None for what is taken away; and what a person must know."""

    writes: Mapping[str, str | None]
    warnings: tuple[Finding, ...] = ()


# --- which sessions ---------------------------------------------------------------------------------------------------


def current(agent: str) -> str:
    """The session of an agent that is at work."""
    return f"{places.agent(agent)}/completion_drive/{CURRENT}"


def agent_of(path: str) -> str | None:
    """Whose session lies at a path, if one does."""
    found = _SESSION.fullmatch(path)
    return found[1] if found else None


def stale(sessions: Mapping[str, bytes], unfinished: Collection[str]) -> dict[str, bytes]:
    """The sessions of no task of an unfinished run. One that cannot be read is among them: archival says so."""
    return {
        path: data
        for path, data in sessions.items()
        if agent_of(path) is not None and _task_of(data, path) not in unfinished
    }


def _task_of(data: bytes, path: str) -> str | None:
    try:
        return notes.parse(data, path).task_id
    except DocumentError:
        return None


# --- what is done -----------------------------------------------------------------------------------------------------


def archive(sessions: Mapping[str, bytes], *, there: Collection[str], books: Mapping[str, bytes], at: int) -> Archive:
    """Puts these sessions away; a file among them that is no session is left alone.

    `there` are all paths below `agents/`, so that no name is taken twice; `books` is whatever lies in the folder of the
    archival: log and index, and what is beside them. The same input gives the same writes.
    """
    log, index = _book(LOG, Log, books), _book(INDEX, Index, books)
    logged, kept = list(log.found.rows), list(index.found.rows)
    texts: dict[str, str | None] = {}
    warnings = [*log.warnings, *index.warnings]
    for path, data in sorted(sessions.items()):
        agent, sha = agent_of(path), hashlib.sha256(data).hexdigest()
        if agent is None:
            continue
        try:
            session, text = notes.parse(data, path), decode(data, path)
        except DocumentError as error:
            warnings.append(_failed(path, error))
            if not _said_before(logged, path, sha):
                logged.append(_logged(at, agent, path, "", sha, f"not archived: {_why(error)}"))
            continue
        target = _target(path, session, {*there, *texts})
        texts[target] = text
        logged.append(_logged(at, agent, path, target, sha, ARCHIVED))
        kept.append(_kept(session, agent, target, at))
    gone = {row.source: None for row in logged[len(log.found.rows) :] if row.to}
    books_now = {**log.written(Log(rows=tuple(logged))), **index.written(Index(rows=tuple(kept)))}
    return Archive(writes={**texts, **books_now, **gone}, warnings=tuple(warnings))


def _kept(session: notes.Session, agent: str, path: str, at: int) -> Kept:
    return Kept(task_id=session.task_id, agent=agent, path=path, session_start=session.session_start, archived_at=at)


def _logged(at: int, agent: str, source: str, to: str, sha: str, result: str) -> Logged:
    return Logged(at=at, agent=agent, source=source, to=to, sha256=sha, result=result)


def _said_before(logged: Sequence[Logged], path: str, sha: str) -> bool:
    """Whether it was said before of the same bytes that they stay where they are."""
    last = next((row for row in reversed(logged) if row.source == path), None)
    return last is not None and last.sha256 == sha and not last.to


def _failed(path: str, error: DocumentError) -> Finding:
    first = error.findings[0]
    return Finding(
        rule="archival.session",
        problem=f"the session cannot be read and stays where it is: {_why(error)}",
        repair=f"{first.repair}; or move the file out of the way yourself",
        file=path,
        line=first.line,
        severity="warning",
    )


def _why(error: DocumentError) -> str:
    first, *others = error.findings
    return first.problem + (f" (and {len(others)} more)" if others else "")


# --- names ------------------------------------------------------------------------------------------------------------


def _target(path: str, session: notes.Session, taken: Collection[str]) -> str:
    folder = path.removesuffix(CURRENT)
    return next(name for name in _names(folder + archive_name(session)) if name not in taken)


def archive_name(session: notes.Session) -> str:
    """`session_YYYYMMDD_HHMM_task.json`, from the session's start in UTC and its task without the epoch."""
    moment = datetime.fromtimestamp(session.session_start, UTC).strftime("%Y%m%d_%H%M")
    return f"session_{moment}_{ids.slug(session.task_id)[:LONGEST].rstrip('_')}.json"


def _names(path: str) -> Iterator[str]:
    """The path itself, then the same with `_2`, `_3` and so on."""
    yield path
    for number in count(2):
        yield f"{path.removesuffix('.json')}_{number}.json"


# --- log and index ----------------------------------------------------------------------------------------------------

B = TypeVar("B", Log, Index)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Book(Generic[B]):
    """The file of a family that is written on, what it holds, and which of the family could not be read."""

    path: str
    found: B
    warnings: tuple[Finding, ...]

    def written(self, now: B) -> dict[str, str]:
        """The file with what is new, where there is something."""
        rows = [row.model_dump(mode="json", by_alias=True) for row in now.rows]
        return {} if now == self.found else {self.path: jsondoc.written(rows)}


def _book(first: str, form: type[B], books: Mapping[str, bytes]) -> _Book[B]:
    """The first of a family that can be read, or that is not there yet."""
    broken: list[Finding] = []
    for path in _names(first):
        try:
            found = parse_book(form, books[path], path) if path in books else form()
        except DocumentError as error:
            broken.append(error.findings[0])
        else:
            return _Book(path=path, found=found, warnings=_told(broken, path))
    raise AssertionError("there is always one more name")


def parse_book(form: type[B], data: bytes, path: str) -> B:
    """A log or an index: a list, which is read as every document here, as the one field of its form."""
    return jsondoc.parse(form, b'{"rows": ' + data + b"\n}", path, rule="archival")


def _told(broken: Sequence[Finding], instead: str) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            rule="archival.book",
            problem=f"it cannot be read and is left as it is ({one.problem}); what is new is in {instead}",
            repair=f"{one.repair}; then put the entries of {instead} at its end and remove that file",
            file=one.file,
            line=one.line,
            severity="warning",
        )
        for one in broken
    )
