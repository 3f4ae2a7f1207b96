"""A new project: the files a person starts from, or a copy of a shipped example. Nothing is overwritten."""

from __future__ import annotations

import importlib.resources
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import signoff
from signoff.core.errors import UsageError
from signoff.service import catalog
from signoff.shell.files import refuse_taken, world
from signoff.shell.run import recordings
from signoff.shell.run.recordings import Recording
from signoff.shell.runtimes import recorded

WORKFLOW = "solution-page"
"""The workflow of a new project, if none is named."""
IGNORED = """\
# what only the machine needs: locks and half-written files
.lock
.stamps.json
.*.tmp
"""
_CALL = re.compile(r"signoff run (\S+) ([a-z0-9-]+)")


@dataclass(frozen=True, slots=True)
class Scaffolded:
    """What was made, what was there and stayed, and how to go on. `starter` are the files that want to be filled in.

    `sources` are the folders for documents, of a workflow that has no starter files.
    """

    root: Path
    workflow: str
    slug: str
    created: tuple[str, ...]
    kept: tuple[str, ...]
    starter: tuple[str, ...] = ()
    opening: str = ""
    sources: tuple[str, ...] = ()


def examples() -> dict[str, Path]:
    """The shipped examples by name: in a checkout beside the sources, in an installation inside the package."""
    package = Path(str(importlib.resources.files(signoff)))
    for home in (package / "examples", package.parent.parent / "examples"):
        if home.is_dir():
            return {folder.name: folder for folder in sorted(home.iterdir()) if (folder / "README.md").is_file()}
    return {}


def example(name: str) -> Path:
    """One example's folder."""
    known = examples()
    if name not in known:
        raise UsageError(f"there is no example {name!r}", valid=", ".join(known) or "none is installed")
    return known[name]


def called(folder: Path) -> tuple[str, str]:
    """The workflow and the slug that an example is run with, as its README says."""
    found = _CALL.search((folder / "README.md").read_text("utf-8"))
    if found is None:
        raise UsageError(f"{folder}/README.md does not say how to run the example")
    return found[1], found[2]


@dataclass(frozen=True, slots=True)
class Demo:
    """An example that can be shown without a model: its recording is played, or code of the workflow does the work."""

    workflow: str
    example: str
    recording: Recording | None
    first: bool = True
    """Whether it is shown if no example is named."""

    @property
    def by(self) -> str:
        """Whose turns are played."""
        return self.recording.label if self.recording else "code that assembles a page from its sheet, now"

    @property
    def params(self) -> Mapping[str, Any]:
        """What the recorded run was begun with."""
        given = self.recording.params.items() if self.recording else ()
        return {name: value for name, value in given if name != "slug"}

    @property
    def option(self) -> str:
        """What is added to the command, if the workflow has another example that is shown first."""
        return "" if self.first else f" --example {self.example}"


SHOWN = {"solution-page": "hardware"}
"""The example that is shown of a workflow that has several."""


def demos() -> list[Demo]:
    """What can be shown, those of a workflow together and its first one first."""
    found = []
    for name, folder in examples().items():
        workflow, run = called(folder)
        place = folder / recordings.place(run)
        shown = SHOWN.get(workflow, name) == name
        if (place / recordings.INDEX).is_file():
            found.append(Demo(workflow, name, recordings.read(place), shown))
        elif catalog.workflow(workflow).by_code.players:
            found.append(Demo(workflow, name, None, shown))
    order = (WORKFLOW, *catalog.names())
    return sorted(found, key=lambda one: (order.index(one.workflow), not one.first))


def demo(workflow: str, named: str | None = None) -> Demo:
    """The demo of a workflow, of this example or of its first one."""
    found = demos()
    mine = [one for one in found if one.workflow == workflow and named in (None, one.example)]
    if not mine:
        what = f"example {named!r} of {workflow!r}" if named else f"demo of {workflow!r}"
        valid = ", ".join(f"{one.workflow} ({one.example})" for one in found)
        raise UsageError(f"there is no {what}", valid=valid, repair="see `signoff demo` for what can be shown")
    return mine[0]


def lay_out(demo: Demo, folder: Path | None, home: Path) -> Scaffolded:
    """Copies the example of a demo into a new folder: this one, or one below `home` that is named after its run."""
    if folder is not None:
        refuse_taken(folder.absolute())
    return start(folder or copy_of(demo.example, home), demo.example)


def start(root: Path, from_example: str | None = None, workflow: str | None = None) -> Scaffolded:
    """Makes a project in this folder: the starter files of a workflow, or an example's."""
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file", repair="name a folder, there or not")
    if from_example is None:
        name = workflow or WORKFLOW
        words = re.findall(r"[a-z0-9]+", root.resolve().name.lower())
        slug = catalog.workflow(name).setup.first_run or "-".join(words) or "my-run"
        files = starter = _starter(name)
    else:
        folder, starter = example(from_example), {}
        with world(folder, "read"):
            copied = [file for file in folder.rglob("*") if file.is_file()]
            files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in copied}
        name, slug = called(folder)
        if workflow not in (None, name):
            raise UsageError(
                f"the example {from_example!r} is one of {name}, not of {workflow!r}", repair="leave --workflow out"
            )
    made = {".gitignore": IGNORED.encode()}
    made |= {path: text.encode() for path, text in catalog.workflow(name).setup.scaffold(files.get).items()}
    files = {**made, **files}
    outcome = {path: _put(root / path, data) for path, data in sorted(files.items())}
    folders = () if files.keys() - {".gitignore"} else catalog.workflow(name).documents.sources
    outcome |= {folder: _make(root / folder) for folder in folders if folder.endswith("/")}
    created, kept = (tuple(path for path, new in outcome.items() if new is wanted) for wanted in (True, False))
    opening = catalog.workflow(name).setup.opening if from_example is None else _play(root, name, slug)
    return Scaffolded(root, name, slug, created, kept, tuple(starter), opening, tuple(folders))


def _play(root: Path, workflow: str, run: str) -> str:
    """The command that plays the recording of an example, "" if it has none."""
    place = root / recordings.place(run)
    if not (place / recordings.INDEX).is_file():
        return ""
    params = recordings.read(place).params.items()
    said = [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in params if name != "slug"]
    return " ".join(["signoff run", workflow, run, *said, "--runtime", recorded.RECORDED])


def _starter(name: str) -> dict[str, bytes]:
    workflow = catalog.workflow(name)
    if not workflow.setup.starter:
        return {}
    home = importlib.resources.files(workflow.package)
    return {path: (home / file).read_bytes() for path, file in workflow.setup.starter.items()}


def _put(target: Path, data: bytes) -> bool:
    """Writes a new file; one that is there stays as it is."""
    with world(target, "write"):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("xb") as file:
                file.write(data)
        except FileExistsError:
            return False
    return True


def _make(target: Path) -> bool:
    """Makes an empty folder; one that is there stays as it is."""
    with world(target, "write"):
        new = not target.exists()
        target.mkdir(parents=True, exist_ok=True)
    return new


def copy_of(name: str, home: Path) -> Path:
    """A fresh folder for a copy of an example: its slug, numbered when that is taken."""
    _, slug = called(example(name))
    numbered = (home / (slug if n == 1 else f"{slug}-{n}") for n in range(1, 10_000))
    return next(folder for folder in numbered if not folder.exists())
