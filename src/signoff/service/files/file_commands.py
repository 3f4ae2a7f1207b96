"""Commands on plain files, without a run: files are read here, the pure command decides, and files are written here."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from signoff.core.declarations import FileCall, FileCommand, FileOutcome
from signoff.core.errors import DefinitionError, DocumentError, RefusedError, UsageError
from signoff.core.findings import Finding, failing
from signoff.service.project import find_root
from signoff.shell.files import inside, read_if_there, world, write_whole
from signoff.shell.run import home_copies
from signoff.shell.run.folder_store import FolderStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a command found, said and wrote. `changes` is the diff of what was, or would have been, written."""

    command: str
    files: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    said: tuple[str, ...] = ()
    shown: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    changes: str = ""

    @property
    def passed(self) -> bool:
        return not failing(self.findings)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON data."""
        return {
            "command": self.command,
            "pass": self.passed,
            "files": list(self.files),
            "findings": [asdict(finding) for finding in self.findings],
            "data": dict(self.data),
            "written": list(self.written),
            "changes": self.changes,
        }


@dataclass(frozen=True, slots=True)
class _Change:
    """New bytes for a file, and what must still be there when they are written."""

    name: str
    target: Path
    before: bytes | None
    after: bytes


def call(
    command: FileCommand, files: Sequence[Path], params: Mapping[str, Any], *, home: Path = Path(), dry: bool = False
) -> Done:
    """Runs one command over these files; what it wants written is written whole, or only shown when `dry`.

    A command that takes no files is about the project that `home` belongs to.
    """
    given = _given(command, files)
    root = find_root(_real(files[0]).parent if files else home)
    known = _Known({_real(Path(name)): data for name, data in given.items()}, root)
    folders = {place.parent for place in known.seen}
    here = [place for place in command.places if not place.startswith(home_copies.HERE)]
    places = {path: data for path in FolderStore(root).digests(here) if (data := known.read(path)) is not None}
    kept, notices = _at_home(command)
    try:
        outcome = command.run(FileCall(files=given, params=params, read=known.read, places={**places, **kept}))
    except DocumentError as error:  # a file that cannot be read as what it should be is what the command found
        outcome = FileOutcome(findings=error.findings)
    for name in outcome.writes:
        if not command.writes or not any(_real(Path(name)).is_relative_to(folder) for folder in folders):
            raise DefinitionError(
                f"{command.name} wants to write {name!r}",
                valid="files beside the ones it was given, if it is declared with writes=True",
            )
    changes = [change for name, text in outcome.writes.items() if (change := _change(name, text, known))]
    done = Done(
        command=command.name,
        files=tuple(given),
        findings=outcome.findings,
        said=(*notices, *outcome.said),
        shown=outcome.shown,
        data=outcome.data,
    )
    if not dry:
        _write(changes)
        done = replace(done, written=tuple(change.name for change in changes))
    return replace(done, changes="".join(_diff(change) for change in changes))


# --- reading ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Known:
    """What the command has seen of each file, by its real place; `root` is the project around the first file."""

    seen: dict[Path, bytes | None]
    root: Path

    def read(self, path: str) -> bytes | None:
        target = _real(inside(self.root, path))
        if target not in self.seen:
            self.seen[target] = read_if_there(target)
        return self.seen[target]


def _given(command: FileCommand, files: Sequence[Path]) -> dict[str, bytes]:
    if command.most is not None and len(files) > command.most:
        raise UsageError(
            f"{command.name} takes at most {command.most} files, {len(files)} given", repair="call it once for each"
        )
    places: dict[Path, Path] = {}
    beside = set()
    if len(files) == 1:  # a single file brings others along from its folder; several mean these and no others
        near = {one for name in command.beside for one in files[0].parent.glob(name) if one.is_file()}
        beside = {one for one in near if _real(one) != _real(files[0])}
    for file in (*files, *sorted(beside)):
        if not file.is_file():
            raise UsageError(
                f"{str(file)!r} is a folder" if file.is_dir() else f"there is no file {str(file)!r}",
                repair="give the path of a file",
            )
        if (other := places.setdefault(_real(file), file)) is not file:
            raise UsageError(f"{str(other)!r} and {str(file)!r} are one file", repair="name each file once")
    given = {}
    for file in places.values():
        with world(file, "read"):
            given[str(file)] = file.read_bytes()
    return given


def _at_home(command: FileCommand) -> tuple[dict[str, bytes], list[str]]:
    """What the person keeps at home and the command wants to see, and what is wrong with it."""
    patterns = dict.fromkeys((place for place in command.places if place.startswith(home_copies.HERE)), "")
    folder = home_copies.chosen()
    if not patterns or folder is None:
        return {}, []
    notices: list[str] = []
    home = home_copies.Home(folder, command.name, notices.append)
    return {one.path: data for one in home.kept(patterns) if (data := home.read(one.path)) is not None}, notices


def _real(file: Path) -> Path:
    with world(file, "find"):
        return file.resolve()


# --- writing ----------------------------------------------------------------------------------------------------------


def _change(name: str, text: str, known: _Known) -> _Change | None:
    """What a write would change; nothing when the file is like that already."""
    target = _real(Path(name))
    before = known.seen[target] if target in known.seen else read_if_there(target)
    after = text.encode()
    return None if before == after else _Change(name, target, before, after)


def _write(changes: Sequence[_Change]) -> None:
    """Looks at every file first: if one changed meanwhile, none is written."""
    moved = [change.name for change in changes if read_if_there(change.target) != change.before]
    if moved:
        raise RefusedError(
            f"{', '.join(moved)} changed while the command was at work, so nothing was written",
            repair="call it again: it then works on what is there now",
        )
    for change in changes:
        with world(change.target, "write"):
            mode = change.target.stat().st_mode & 0o7777 if change.before is not None else None
            write_whole(change.target, change.after, durable=True)
            if mode is not None:
                change.target.chmod(mode)


def _diff(change: _Change) -> str:
    before, after = (_lines(data) for data in (change.before or b"", change.after))
    return "".join(difflib.unified_diff(before, after, f"{change.name} (now)", f"{change.name} (then)"))


def _lines(data: bytes) -> list[str]:
    """Lines as they are, with what cannot be seen made visible."""
    *lines, last = data.decode("utf-8", "replace").replace("\r", "\\r").split("\n")
    return [*(f"{line}\n" for line in lines), *([f"{last}\n\\ No newline at end of file\n"] if last else [])]
