"""Installing files into a person's folder, and taking them out again: planned first, written after.

What is ours is known by a manifest with digests. A person's own file is never written over unless they say so, and is
then kept beside it; one of ours that they edited is theirs from then on.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import signoff
from signoff.artifacts import frontmatter, jsonio
from signoff.artifacts.jsonio import Added
from signoff.artifacts.text_decoding import decode
from signoff.core.errors import DocumentError, RefusedError, UsageError
from signoff.core.findings import Finding
from signoff.core.refs import digest
from signoff.shell.files import inside, make_folders, read_if_there, remove, world, write_whole

MANIFEST = "signoff.json"
KEPT = ".before-signoff"
What = Literal["create", "update", "same", "keep", "refuse", "remove", "restore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What is to be installed: files of our own, and what is to stand in JSON files of the person, by their names.

    `workflows` are those that it is for, each with the files that it alone needs. `short_names` says that commands have
    no prefix.
    """

    files: Mapping[str, str]
    merged: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    workflows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    short_names: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where to. Paths are below `home`, except those in `elsewhere`. Nothing leaves `root`, if there is one."""

    home: Path
    root: Path | None = None
    elsewhere: Mapping[str, Path] = field(default_factory=dict)

    def target(self, path: str) -> Path:
        """The file that a path means, links followed; one that leads out of the home or of the project is refused.

        Manifests come with a clone: what one names is deleted, so nothing beside the home is named by it.
        """
        full = self.elsewhere.get(path, self.home / path)
        if path not in self.elsewhere and (".." in Path(path).parts or Path(path).is_absolute()):
            raise UsageError(f"{path!r} leads out of {self.home}", repair=f"remove it from {MANIFEST}")
        if self.root is not None:
            inside(self.root, os.path.relpath(full, self.root))
        return Path(os.path.realpath(full))


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one file, and why; `before` and `after` are its bytes, None for no file."""

    path: str
    what: What
    why: str = ""
    before: bytes | None = None
    after: bytes | None = None

    @property
    def writes(self) -> bool:
        return self.what in ("create", "update", "remove", "restore")

    def diff(self) -> Iterator[str]:
        """What would change, line by line."""
        old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (self.before, self.after))
        was, now = ("/dev/null" if data is None else self.path for data in (self.before, self.after))
        return difflib.unified_diff(old, new, was, now, lineterm="")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was installed: the digests of our files, what was put into the person's, what was kept of theirs, and the
    workflows with the files that each alone needs. Manifests of earlier versions name no workflows: they had all."""

    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    added: Mapping[str, tuple[Added, ...]] = field(default_factory=dict)
    created: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    workflows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    short_names: bool = False

    def text(self) -> str:
        """As it is written."""
        plain = {
            "about": "What `signoff install` put here; `signoff install --remove` reads it.",
            "signoff": signoff.__version__,
            "files": self.files,
            "added": {path: [one.plain() for one in added] for path, added in self.added.items()},
            "created": self.created,
            "folders": self.folders,
            "kept": self.kept,
            "workflows": self.workflows,
            "short_names": self.short_names,
        }
        return json.dumps(plain, ensure_ascii=False, indent=1) + "\n"

    @staticmethod
    def read(data: bytes | None, file: str) -> Manifest | None:
        """The manifest in a file. An invalid one is refused, because it says which files may be deleted."""
        if data is None:
            return None
        plain = jsonio.read(decode(data, file), file)
        try:
            return Manifest(
                {str(path): tuple(map(str, shas)) for path, shas in plain["files"].items()},
                {str(path): tuple(map(Added.read, added)) for path, added in plain["added"].items()},
                tuple(map(str, plain["created"])),
                tuple(map(str, plain["folders"])),
                {str(path): _kept_name(str(path), str(name)) for path, name in plain["kept"].items()},
                {str(name): tuple(map(str, paths)) for name, paths in plain.get("workflows", {}).items()},
                bool(plain.get("short_names")),
            )
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            problem, repair = f"it is not a manifest of Signoff ({error})", "put it back as it was, or remove it"
            raise DocumentError(
                [Finding(rule="manifest", problem=problem, repair=repair, file=file, line=1)]
            ) from error


def _kept_name(path: str, name: str) -> str:
    """The name under which a file was kept: its own with our ending, so that nothing else is moved in its place."""
    if not re.fullmatch(rf"{re.escape(path + KEPT)}(-[0-9]{{1,3}})?", name):
        raise ValueError(f"{path!r} cannot be kept as {name!r}")
    return name


@dataclass(frozen=True, slots=True)
class Plan:
    """Every step, in order, and the manifest as it is then; None when nothing of ours is left."""

    place: Place
    steps: tuple[Step, ...]
    manifest: Manifest | None
    before: Manifest

    @property
    def refused(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.what == "refuse")


def installed(place: Place) -> Manifest | None:
    """What we know to have put there."""
    path = place.target(MANIFEST)
    return Manifest.read(read_if_there(path), str(path))


# --- installing -------------------------------------------------------------------------------------------------------


def install(place: Place, kit: Kit, *, force: bool = False) -> Plan:
    """What would be done so that the place has exactly this kit; nothing is written."""
    known = installed(place) or Manifest()
    steps = [_file(place, known, path, text.encode(), force=force) for path, text in kit.files.items()]
    gone = [path for path in known.files if path not in kit.files]
    steps += [_gone(place, known, path) for path in gone]
    merged = {path: _merged(place, known, path, wanted, force=force) for path, wanted in kit.merged.items()}
    steps += [step for step, _ in merged.values()]
    steps += [_unmerged(place, known, path) for path in known.added if path not in kit.merged]
    digests = {path: (digest(text),) for path, text in kit.files.items()}
    edited = {step.path for step in steps if step.what == "keep"}
    files = {path: known.files[path] if path in edited else shas for path, shas in digests.items()}
    created = tuple(step.path for step, _ in merged.values() if step.before is None or step.path in known.created)
    folders = dict.fromkeys([*known.folders, *_new_folders(place, steps)])
    manifest = Manifest(
        files=files,
        added={path: added for path, (_, added) in merged.items()},
        created=created,
        folders=_needed(folders, [*files, *created]),
        kept={
            **known.kept,
            **{step.path: _beside(place, step.path) for step in steps if _forced(step) and step.path not in known.kept},
        },
        workflows=kit.workflows,
        short_names=kit.short_names,
    )
    return Plan(place, tuple(steps), manifest, known)


def _file(place: Place, known: Manifest, path: str, data: bytes, *, force: bool) -> Step:
    found = read_if_there(place.target(path))
    if found is None:
        return Step(path, "create", after=data)
    if found == data:
        return Step(path, "same", before=found, after=data)
    if digest(found) in known.files.get(path, ()):
        return Step(path, "update", before=found, after=data)
    if force:
        return Step(path, "update", "the old one is kept beside it", found, data)
    if path in known.files:
        return Step(path, "keep", "you edited it; --force writes it again and keeps yours beside it", found, found)
    return Step(path, "refuse", "a file of your own is there", found, found)


def _gone(place: Place, known: Manifest, path: str) -> Step:
    """A file that we installed once and that is not wanted any more."""
    found = read_if_there(place.target(path))
    if found is None:
        return Step(path, "same", "it is gone already")
    if digest(found) not in known.files[path]:
        return Step(path, "keep", "you edited it, so it is yours", found, found)
    if path in known.kept and (old := read_if_there(place.target(known.kept[path]))) is not None:
        return Step(path, "restore", "what was there before", found, old)
    return Step(path, "remove", before=found)


def _merged(
    place: Place, known: Manifest, path: str, wanted: Mapping[str, Any], *, force: bool
) -> tuple[Step, tuple[Added, ...]]:
    target = place.target(path)
    found = read_if_there(target)
    old = None if found is None else decode(found, str(target))
    text = jsonio.unmerge(old or "{}", str(target), known.added.get(path, ()))
    if old is None or (path in known.created and not jsonio.read(text, str(target))):
        fresh = json.dumps(wanted, ensure_ascii=False, indent=2) + "\n"
        what: What = "create" if old is None else "same" if fresh == old else "update"
        return Step(path, what, "", found, fresh.encode()), tuple(Added((), one, key) for key, one in wanted.items())
    clashes = jsonio.clashes(text, str(target), wanted)
    if clashes and not force:
        why = f"it has a value of your own at {', '.join('.'.join(clash) for clash in clashes)}"
        return Step(path, "refuse", why, found, found), known.added.get(path, ())
    for clash in clashes:
        text = jsonio.without(text, str(target), clash)
    text, added = jsonio.merge(text, str(target), wanted)
    why = "the old one is kept beside it" if clashes else "what else is in it stays as it is"
    return Step(path, "same" if text == old else "update", "" if text == old else why, found, text.encode()), added


def _new_folders(place: Place, steps: Sequence[Step]) -> list[str]:
    """The folders that are made for new files, below the home and the home itself, the outermost first."""
    found: dict[str, None] = {}
    for step in steps:
        if step.what == "create" and step.path not in place.elsewhere:
            parents = [*reversed(Path(step.path).parents)]
            found |= {str(parent): None for parent in parents if not (place.home / parent).exists()}
    return list(found)


def _needed(folders: Iterable[str], paths: Sequence[str]) -> tuple[str, ...]:
    """Those of the folders that hold one of these files."""
    above = {str(parent) for path in paths for parent in Path(path).parents}
    return tuple(folder for folder in folders if folder in above)


def _forced(step: Step) -> bool:
    return step.what == "update" and "kept beside" in step.why


def _beside(place: Place, path: str) -> str:
    names = (f"{path}{KEPT}{'' if number == 1 else f'-{number}'}" for number in range(1, 1000))
    return next(name for name in names if not _place_of(place, path, name).exists())


def _place_of(place: Place, path: str, name: str) -> Path:
    full = place.elsewhere.get(path, place.home / path)
    return full.with_name(Path(name).name)


# --- taking out -------------------------------------------------------------------------------------------------------


def uninstall(place: Place) -> Plan:
    """What would be done so that nothing of ours is left; what was edited since stays."""
    known = _must_be_installed(place)
    steps = [_gone(place, known, path) for path in known.files]
    steps += [_unmerged(place, known, path) for path in known.added]
    return Plan(place, tuple(steps), None, known)


def without(place: Place, workflows: Collection[str], merged: Mapping[str, Mapping[str, Any]]) -> Plan:
    """What would be done so that nothing is left that these workflows alone need; `merged` is for those that stay."""
    known = _must_be_installed(place)
    stay = {name: paths for name, paths in known.workflows.items() if name not in workflows}
    alone = {path for name in workflows for path in known.workflows.get(name, ())}
    alone -= {path for paths in stay.values() for path in paths}
    steps = [_gone(place, known, path) for path in known.files if path in alone]
    joined = {path: _merged(place, known, path, wanted, force=False) for path, wanted in merged.items()}
    files = {path: shas for path, shas in known.files.items() if path not in alone}
    manifest = replace(
        known,
        files=files,
        added={path: added for path, (_, added) in joined.items()},
        folders=_needed(known.folders, [*files, *known.created]),
        kept={path: name for path, name in known.kept.items() if path not in alone},
        workflows=stay,
    )
    return Plan(place, (*steps, *(step for step, _ in joined.values())), manifest, known)


def _must_be_installed(place: Place) -> Manifest:
    known = installed(place)
    if known is None:
        raise UsageError(f"nothing of signoff is installed in {place.home}", repair="name another place")
    return known


def _unmerged(place: Place, known: Manifest, path: str) -> Step:
    target = place.target(path)
    found = read_if_there(target)
    if found is None:
        return Step(path, "same", "it is gone already")
    old = decode(found, str(target))
    text = jsonio.unmerge(old, str(target), known.added[path])
    if path in known.created and not jsonio.read(text, str(target)):
        return Step(path, "remove", before=found)
    why = "what else is in it stays as it is"
    return Step(path, "same" if text == old else "update", "" if text == old else why, found, text.encode())


# --- doing it ---------------------------------------------------------------------------------------------------------


def carry_out(plan: Plan) -> None:
    """Writes what was planned. The manifest comes first and last, so that after a kill it is known what is ours."""
    if plan.refused:
        raise RefusedError(
            "; ".join(f"{step.path}: {step.why}" for step in plan.refused),
            repair="move them away, or write over them with --force, which keeps the old ones; nothing was written",
        )
    target = plan.place.target(MANIFEST)
    needless = {*plan.before.folders} - {*(plan.manifest.folders if plan.manifest else ())}
    folders = [plan.place.target(folder) for folder in sorted(needless, key=len, reverse=True)]
    if plan.manifest is not None:
        write_whole(target, _either(plan.before, plan.manifest).text().encode(), durable=False)
    for step in plan.steps:
        if step.writes:
            _write(plan, step)
    if plan.manifest is None:
        remove(target)
    for folder in folders:
        with suppress(OSError):  # it is not empty: a person's files are in it
            folder.rmdir()
    if plan.manifest is not None:
        write_whole(target, plan.manifest.text().encode(), durable=False)


def _either(before: Manifest, after: Manifest) -> Manifest:
    """What may be ours while the files are being written: the old, the new, or some of both."""
    files, added = {*before.files, *after.files}, {*before.added, *after.added}
    return replace(
        after,
        files={path: (*before.files.get(path, ()), *after.files.get(path, ())) for path in sorted(files)},
        added={path: (*before.added.get(path, ()), *after.added.get(path, ())) for path in sorted(added)},
        folders=tuple(dict.fromkeys([*before.folders, *after.folders])),
        workflows={**before.workflows, **after.workflows},
    )


def _write(plan: Plan, step: Step) -> None:
    target = plan.place.target(step.path)
    with world(target, "write"):
        if read_if_there(target) != step.before:
            raise RefusedError(f"{target} changed meanwhile", repair="call it again: it goes on where it was")
        if _forced(step) and plan.manifest is not None and step.path in plan.manifest.kept and step.before is not None:
            kept = _place_of(plan.place, step.path, plan.manifest.kept[step.path])
            if not kept.exists():
                write_whole(kept, step.before, durable=True)
        if step.after is None:
            remove(target)
        else:
            make_folders(target.parent)
            write_whole(target, step.after, durable=False)
        if step.what == "restore":
            remove(plan.place.target(plan.before.kept[step.path]))


# --- the heads of installed files -------------------------------------------------------------------------------------

PLUGINS = "plugins"
"""The folder of a marketplace in which each plugin has a folder with files of its own."""


def lint_head(path: str, text: str) -> tuple[Finding, ...]:
    """What is wrong with the head of an agent, a skill or a command; other files have none."""
    parts = path.split("/")
    kind, *rest = parts[2:] if parts[0] == PLUGINS else parts
    if kind == "agents" and path.endswith(".md"):
        return frontmatter.lint(text, path, frontmatter.AGENT, required=("name", "description"))
    if kind == "skills" and rest[1:] == ["SKILL.md"]:
        return frontmatter.lint(text, path, frontmatter.SKILL, name=rest[0], required=("description",))
    if kind == "commands" and path.endswith(".md") and text.startswith("---"):
        return frontmatter.lint(text, path, frontmatter.SKILL)
    return ()
