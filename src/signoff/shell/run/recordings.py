"""A recording: the raw outputs of a run and what people did in it, kept in a folder to be played again.

    recording.yaml                 what was recorded, by whom and when; every file below with its digest
    turns/0003-editor/raw-1.txt    what the agent gave in its first attempt at its third turn
    turns/0003-editor/files-1/…    the files it wrote
    edits/2/…                      what a person wrote into documents before their second answer

Names of files by agents and people end in `.recorded`, so that no test runner or linter takes them for a part of the
project.

Outputs are found by turn and attempt, never by what the brief said: a better brief does not break a recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signoff.artifacts import yamlio
from signoff.core.errors import DocumentError, UsageError
from signoff.core.refs import digest
from signoff.core.workflow import Workflow
from signoff.shell.files import inside, read_if_there

FORMAT = 1
FOLDER, INDEX, SUFFIX = "recordings", "recording.yaml", ".recorded"
MARK = "recorded:"
"""How an act of a recording is signed: it is not a person's signature."""

LARGEST = 4_000_000


def place(run: str) -> str:
    """Where a project has the recording of a run."""
    return f"{FOLDER}/{run}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One attempt of a turn: its output and files, the commands and tools that it called, or why it failed."""

    key: str
    raw: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    failed: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What a person did while the run waited: answers to questions in a document, edits, then one act.

    `edits` are documents by path, None for one that was removed. A sitting without an act is all edits.
    """

    answers: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[str, bytes | None] = field(default_factory=dict)
    request: str = ""
    act: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    by: str = ""

    @property
    def did(self) -> tuple[Any, ...]:
        """What is compared with a played run: all but who did it."""
        edits = {path: data and digest(data) for path, data in self.edits.items()}
        return dict(self.answers), edits, self.request, self.act, dict(self.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A whole run, ready to be played. `docs` are the digests of what lay in the project when it began."""

    workflow: str
    version: int
    run: str
    params: Mapping[str, Any]
    docs: Mapping[str, str]
    turns_by: str
    began: str
    takes: Mapping[tuple[str, int], Take] = field(default_factory=dict)
    sittings: tuple[Sitting, ...] = ()

    @property
    def recorded(self) -> str:
        """The day on which it was recorded."""
        return self.began[:10]

    @property
    def label(self) -> str:
        """Whose turns are played, for wherever the run is shown."""
        return f"a recording of {self.recorded} (turns by {self.turns_by})"


# --- to files ---------------------------------------------------------------------------------------------------------


def render(recording: Recording) -> dict[str, bytes]:
    """The files of a recording by their paths in its folder."""
    files: dict[str, bytes] = {}
    turns = [_turn(turn, attempt, take, files) for (turn, attempt), take in recording.takes.items()]
    people = [_sitting(number, one, files) for number, one in enumerate(recording.sittings, 1)]
    index = {
        "recording": FORMAT,
        "workflow": recording.workflow,
        "version": recording.version,
        "run": recording.run,
        "turns_by": recording.turns_by,
        "began": recording.began,
        "params": dict(recording.params),
        "docs": dict(recording.docs),
        "turns": turns,
        "people": people,
        "files": {path: digest(data) for path, data in files.items()},
    }
    return {INDEX: yamlio.dump(index).encode(), **files}


def _turn(turn: str, attempt: int, take: Take, files: dict[str, bytes]) -> dict[str, Any]:
    home = f"turns/{turn}"
    if take.failed is None:
        files[f"{home}/raw-{attempt}.txt"] = take.raw.encode("utf-8", "surrogatepass")
    files |= {f"{home}/files-{attempt}/{path}{SUFFIX}": data for path, data in take.files.items()}
    more = {
        "files": sorted(take.files),
        "commands": list(take.commands),
        "calls": [{"tool": tool, "args": dict(args)} for tool, args in take.calls],
        "failed": {"kind": take.failed[0], "detail": take.failed[1]} if take.failed else None,
    }
    return {"turn": turn, "attempt": attempt, "key": take.key, **{name: one for name, one in more.items() if one}}


def _sitting(number: int, one: Sitting, files: dict[str, bytes]) -> dict[str, Any]:
    files |= {f"edits/{number}/{path}{SUFFIX}": data for path, data in one.edits.items() if data is not None}
    more = {
        "answers": dict(one.answers),
        "edits": sorted(path for path, data in one.edits.items() if data is not None),
        "removed": sorted(path for path, data in one.edits.items() if data is None),
        "request": one.request,
        "act": one.act,
        "payload": dict(one.payload),
        "by": one.by,
    }
    return {name: value for name, value in more.items() if value}


# --- from files -------------------------------------------------------------------------------------------------------


def read(folder: Path, workflow: Workflow | None = None, run: str | None = None) -> Recording:
    """The recording in a folder. A damaged one, or one of another run or version, is refused with the reason."""
    data = read_if_there(folder / INDEX)
    if data is None:
        raise UsageError(
            f"there is no recording in {folder}",
            valid=f"a folder with a {INDEX}, as `signoff record RUN --into DIR` makes it",
            repair="choose another runtime, or see what can be shown with `signoff demo`",
        )
    index = _index(data, folder)
    _refuse_foreign(index, folder, workflow, run)
    files = dict(_files(index, folder))
    try:
        return _recording(index, files)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(folder, f"{INDEX} lacks what it should have: {error!r}") from error


def _index(data: bytes, folder: Path) -> dict[str, Any]:
    try:
        index = yamlio.load_mapping(data.decode(), INDEX, limit=LARGEST)
    except (DocumentError, UnicodeDecodeError) as error:
        raise _damaged(folder, f"{INDEX} is not readable: {error}") from error
    if (found := index.get("recording")) != FORMAT:
        raise UsageError(
            f"{folder} is a recording of format {found!r}",
            valid=f"format {FORMAT}",
            repair="record the run again with `signoff record`, or use the version of signoff that made it",
        )
    return index


def _refuse_foreign(index: Mapping[str, Any], folder: Path, workflow: Workflow | None, run: str | None) -> None:
    of = f"{index.get('workflow')} run {index.get('run')!r}"
    if (workflow is not None and index.get("workflow") != workflow.name) or run not in (None, index.get("run")):
        wanted = f"{workflow.name if workflow else 'a'} run {run!r}"
        raise UsageError(
            f"{folder} is a recording of the {of}, not of the {wanted}",
            repair=f"play it under its own name, or put a recording of {run!r} there",
        )
    if workflow is not None and index.get("version") != workflow.version:
        raise UsageError(
            f"{folder} was recorded with version {index.get('version')} of {workflow.name}, "
            f"this is version {workflow.version}",
            repair="record the run again with `signoff record`, or use the version of signoff that made it",
        )


def _files(index: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, bytes]]:
    listed = index.get("files")
    if not isinstance(listed, Mapping):
        raise _damaged(folder, f"{INDEX} lists no files")
    for path, sha in listed.items():
        data = read_if_there(inside(folder, str(path), "recording"))
        if data is None:
            raise _damaged(folder, f"{path} is missing")
        if digest(data) != sha:
            raise _damaged(
                folder, f"{path} was changed: sha256 {str(sha)[:12]} is listed, {digest(data)[:12]} is there"
            )
        yield str(path), data


def _damaged(folder: Path, what: str) -> UsageError:
    return UsageError(f"the recording in {folder} is damaged: {what}", repair="restore the folder from git or a backup")


def _recording(index: Mapping[str, Any], files: Mapping[str, bytes]) -> Recording:
    return Recording(
        workflow=str(index["workflow"]),
        version=int(index["version"]),
        run=str(index["run"]),
        params=dict(index["params"]),
        docs={str(path): str(sha) for path, sha in index["docs"].items()},
        turns_by=str(index["turns_by"]),
        began=str(index["began"]),
        takes={(str(one["turn"]), int(one["attempt"])): _take(one, files) for one in index["turns"]},
        sittings=tuple(_sat(number, one, files) for number, one in enumerate(index["people"], 1)),
    )


def _take(one: Mapping[str, Any], files: Mapping[str, bytes]) -> Take:
    home, attempt = f"turns/{one['turn']}", int(one["attempt"])
    failed = one.get("failed")
    return Take(
        key=str(one["key"]),
        raw="" if failed else files[f"{home}/raw-{attempt}.txt"].decode("utf-8", "surrogatepass"),
        files={str(path): files[f"{home}/files-{attempt}/{path}{SUFFIX}"] for path in one.get("files", ())},
        commands=tuple(map(str, one.get("commands", ()))),
        calls=tuple((str(call["tool"]), dict(call["args"])) for call in one.get("calls", ())),
        failed=(str(failed["kind"]), str(failed["detail"])) if failed else None,
    )


def _sat(number: int, one: Mapping[str, Any], files: Mapping[str, bytes]) -> Sitting:
    edits: dict[str, bytes | None] = {
        str(path): files[f"edits/{number}/{path}{SUFFIX}"] for path in one.get("edits", ())
    }
    return Sitting(
        answers={str(key): str(text) for key, text in one.get("answers", {}).items()},
        edits=edits | dict.fromkeys(map(str, one.get("removed", ()))),
        request=str(one.get("request", "")),
        act=str(one.get("act", "")),
        payload=dict(one.get("payload", {})),
        by=str(one.get("by", "")),
    )


# --- what people did in a run -----------------------------------------------------------------------------------------


def unlike(recorded: Sequence[Sitting], found: Sequence[Sitting]) -> str:
    """How people's acts differ from the recording so far, in a few words; empty if they do not.

    The last sitting that was found may be unfinished: a person who has edited may not have answered yet.
    """
    for number, one in enumerate(found):
        if number >= len(recorded):
            return f"nothing more was recorded, and {told(one)}"
        wanted = recorded[number]
        if one.act:
            if one.did != wanted.did:
                return f"recorded was: {told(wanted)}; found is: {told(one)}"
        elif not (one.answers.items() <= wanted.answers.items() and one.edits.items() <= wanted.edits.items()):
            return f"recorded was: {told(wanted)}; found is: {told(one)}"
    return ""


def told(one: Sitting) -> str:
    """What a person did, in a line."""
    said = [f"{key} answered with {text[:60]!r}" for key, text in one.answers.items()]
    wrote = [f"{path} {'edited' if data is not None else 'removed'}" for path, data in one.edits.items()]
    with_it = ", ".join(f"{key}: {str(value)[:200]!r}" for key, value in one.payload.items() if value)
    act = [f"{one.act}{f' ({with_it})' if with_it else ''} at {one.request}"] if one.act else []
    return ", ".join([*said[:3], *(["…"] if len(said) > 3 else []), *wrote, *act])
