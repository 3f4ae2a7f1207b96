"""The archive of sessions: each session gets a name of its own; a log and an index record it.

A session that cannot be read stays where it is, and the person is told. A log or an index that cannot be read also
stays, and new entries go into the next file of its kind (`cleanup_log_2.json`). So nothing is lost.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Final, Generic, TypeVar

from pydantic import ConfigDict, Field

from signoff.artifacts import jsonio
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, Text
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.refs import Ref
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.ids import ARCHIVAL, Epoch, TaskId, epoch
from signoff.workflows.orchestration.work.notes import Session, parse_session

CURRENT: Final = "session_current.json"
LOG: Final = f"{places.agent(ARCHIVAL)}/cleanup_log.json"
INDEX: Final = f"{places.agent(ARCHIVAL)}/archive_index.json"
ARCHIVED: Final = "archived"
LONGEST: Final = 150
"""How many characters of a task's name go into a file name; file systems allow 255 in all."""

_SESSION: Final = re.compile(rf"{re.escape(places.AGENTS)}([^/]+)/completion_drive/{re.escape(CURRENT)}")


class Logged(Form):
    """What was done with one session: where it was, where it went, and the result."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    at: Epoch
    agent: Text
    source: Text = Field(alias="from")
    to: str = Field("", description="nothing if it stayed")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="64 hexadecimal digits")
    result: Text


class Kept(Form):
    """The place of an archived session."""

    task_id: TaskId
    agent: Text
    path: Text
    session_start: Epoch
    archived_at: Epoch


class Log(Form):
    """`cleanup_log.json`: a list of these rows, the newest last."""

    rows: tuple[Logged, ...] = ()


class Index(Form):
    """`archive_index.json`: a list of these rows, the newest last."""

    rows: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The result of archiving: texts by path, None for a file to remove, and warnings for the person."""

    writes: Mapping[str, str | None]
    warnings: tuple[Finding, ...] = ()


def agent_of(path: str) -> str | None:
    """The agent whose session has this path, if it is the path of a session."""
    found = _SESSION.fullmatch(path)
    return found[1] if found else None


def is_kept(path: str) -> bool:
    """Whether a file is a session or belongs to the archive: such files outlive the run that made them."""
    return path.startswith(f"{places.agent(ARCHIVAL)}/") or "/completion_drive/session_" in path


def put_away(now: Now) -> Archive:
    """Archives every session of the project."""

    def data(paths: Iterable[str]) -> dict[str, bytes]:
        return {path: now.look(Ref(path, now.state.docs[path]), _as_it_is) for path in paths}

    docs = now.state.docs
    sessions = data(path for path in docs if agent_of(path) is not None)
    books = data(path for path in docs if path.startswith(f"{places.agent(ARCHIVAL)}/"))
    there = [path for path in docs if path.startswith(places.AGENTS)]
    return archive(sessions, there=there, books=books, at=epoch(now.event.at))


def _as_it_is(data: bytes, _path: str) -> bytes:
    return data


def archive(sessions: Mapping[str, bytes], *, there: Collection[str], books: Mapping[str, bytes], at: int) -> Archive:
    """Archives these sessions, given by path. A file among them that is not a session stays.

    `there` are all paths below `agents/`, so that no name is used twice; `books` are the files in the archive's folder.
    The same input gives the same writes.
    """
    log, index = _book(LOG, Log, books), _book(INDEX, Index, books)
    logged, kept = list(log.found.rows), list(index.found.rows)
    texts: dict[str, str | None] = {}
    warnings = [*log.warnings, *index.warnings]
    for path, data in sorted(sessions.items()):
        agent, sha = agent_of(path), hashlib.sha256(data).hexdigest()
        if agent is None:
            continue
        target, result = "", ARCHIVED
        try:
            session, text = parse_session(data, path), decode(data, path)
        except DocumentError as error:
            warnings.append(_failed(path, error))
            last = next((row for row in reversed(logged) if row.source == path), None)
            if last is not None and last.sha256 == sha and not last.to:  # the log says so already
                continue
            result = f"not archived: {_why(error)}"
        else:
            started, name = session.session_start, path.removesuffix(CURRENT) + archive_name(session)
            target = next(one for one in _names(name) if one not in {*there, *texts})
            texts[target] = text
            kept.append(Kept(task_id=session.task_id, agent=agent, path=target, session_start=started, archived_at=at))
        logged.append(Logged(at=at, agent=agent, source=path, to=target, sha256=sha, result=result))
    gone = {row.source: None for row in logged[len(log.found.rows) :] if row.to}
    books_now = {**log.written(Log(rows=tuple(logged))), **index.written(Index(rows=tuple(kept)))}
    return Archive(writes={**texts, **books_now, **gone}, warnings=tuple(warnings))


def _failed(path: str, error: DocumentError) -> Finding:
    first = error.findings[0]
    return Finding(
        rule="archival.session",
        problem=f"the session cannot be read and stays where it is: {_why(error)}",
        repair=f"{first.repair}; or move the file away",
        file=path,
        line=first.line,
        severity="warning",
    )


def _why(error: DocumentError) -> str:
    first, *others = error.findings
    return first.problem + (f" (and {len(others)} more)" if others else "")


def archive_name(session: Session) -> str:
    """`session_YYYYMMDD_HHMM_task.json`, from the session's start in UTC and its task without the epoch."""
    moment = datetime.fromtimestamp(session.session_start, UTC).strftime("%Y%m%d_%H%M")
    return f"session_{moment}_{ids.slug(session.task_id)[:LONGEST].rstrip('_')}.json"


def _names(path: str) -> Iterator[str]:
    """The path itself, then the same with `_2`, `_3` and so on."""
    yield path
    for number in count(2):
        yield f"{path.removesuffix('.json')}_{number}.json"


B = TypeVar("B", Log, Index)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Book(Generic[B]):
    """The log or index that new entries go into, its entries, and warnings about those that could not be read."""

    path: str
    found: B
    warnings: tuple[Finding, ...]

    def written(self, now: B) -> dict[str, str]:
        """The file with its new entries, if there are any."""
        rows = [row.model_dump(mode="json", by_alias=True) for row in now.rows]
        return {} if now == self.found else {self.path: jsonio.written(rows)}


def _book(first: str, form: type[B], books: Mapping[str, bytes]) -> _Book[B]:
    """The first log or index that can be read, or else a new one."""
    broken: list[Finding] = []
    for path in _names(first):
        try:
            found = parse_book(form, books[path], path) if path in books else form()
        except DocumentError as error:
            broken.append(error.findings[0])
        else:
            told = tuple(
                Finding(
                    rule="archival.book",
                    problem=f"it cannot be read and stays as it is ({one.problem}); new entries are in {path}",
                    repair=f"{one.repair}; then append the entries of {path} and remove that file",
                    file=one.file,
                    line=one.line,
                    severity="warning",
                )
                for one in broken
            )
            return _Book(path=path, found=found, warnings=told)
    raise AssertionError("_names never ends")


def parse_book(form: type[B], data: bytes, path: str) -> B:
    """Parses a log or an index: a list, as the one field of its form."""
    return jsonio.parse(form, b'{"rows": ' + data + b"\n}", path, rule="archival")
