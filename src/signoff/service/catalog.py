"""The workflows there are: those that ship, those of installed packages, and those that a project names.

A shipped one is a package below `signoff.workflows` with a module `workflow`. An installed package offers one with the
entry point group `signoff.workflows` (and gates with `signoff.gates`). A project names a file that is not installed in
`signoff.toml`:

    [workflows]
    press-release = "workflows/press_release.py"

Names are listed without importing anything; the code of a workflow is imported when it is wanted.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from itertools import pairwise
from pathlib import Path
from typing import Any

import signoff.workflows
from signoff.core.declarations import Gate, Tool
from signoff.core.errors import DefinitionError, DocumentError, UsageError
from signoff.core.findings import Finding
from signoff.core.personas import Persona
from signoff.core.state import replace
from signoff.core.workflow import Workflow
from signoff.service.status_overview import CONFIG, around

WORKFLOWS, GATES = "signoff.workflows", "signoff.gates"
_named: dict[str, Path] = {}
"""The workflows of the project that is worked on, by name: files that are not installed."""


def names() -> tuple[str, ...]:
    """The workflows by name, found without importing them: shipped ones first, then others in order."""
    return tuple(dict.fromkeys((*_shipped(), *sorted({*_installed(WORKFLOWS), *_named}))))


def _shipped() -> tuple[str, ...]:
    found = (module for module in pkgutil.iter_modules(signoff.workflows.__path__) if module.ispkg)
    return tuple(module.name.replace("_", "-") for module in found if _has(module.name, "workflow"))


def _has(package: str, name: str, homes: Sequence[str] = ()) -> bool:
    """Whether the package of a workflow has this module."""
    places = (f"{home}/{package}" for home in homes or signoff.workflows.__path__)
    return any(module.name == name for module in pkgutil.iter_modules(places))


def with_commands() -> list[str]:
    """The workflows that have commands on plain files. Ours have them in a module `commands`, and are not imported."""
    ours = [str(Path(signoff.__file__).parent / "workflows")]
    return [
        name
        for name in names()
        if _has(package := name.replace("-", "_"), "commands", ours)
        or (not _has(package, "workflow", ours) and workflow(name).people.commands)
    ]


@cache
def _installed(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


def use_project_of(argv: Sequence[str]) -> None:
    """Adds the workflows of the project that a command line is about, before its commands are made of them."""
    told = Path(next((after for option, after in pairwise(argv) if option == "--project"), "."))
    if told.is_dir():
        use_project(around(told) or told.resolve())


def use_project(root: Path) -> None:
    """Adds the workflows that `signoff.toml` of this project names."""
    file = root / CONFIG
    if not file.is_file():
        return
    try:
        told = tomllib.loads(file.read_text("utf-8")).get("workflows", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _wrong(str(error), "correct the file; docs/guides/own-workflow.md has an example") from error
    if not isinstance(told, dict) or not all(isinstance(path, str) for path in told.values()):
        raise _wrong("`workflows` is no table of names and files", 'write [workflows] and name = "path/to/file.py"')
    for name, path in told.items():
        if name in _shipped():
            raise _wrong(f"the name {name!r} is taken by a shipped workflow", "choose another name")
        if not (root / path).resolve().is_relative_to(root.resolve()):
            raise _wrong(f"{path!r} leads out of the project", "keep the file inside the project, or install it")
        _named[name] = root / path


def _wrong(problem: str, repair: str) -> DocumentError:
    return DocumentError([Finding(rule="config.workflows", problem=problem, repair=repair, file=CONFIG)])


def workflow(name: str) -> Workflow:
    """One workflow, imported when it is wanted."""
    if name in _shipped():
        found = importlib.import_module(f"signoff.workflows.{name.replace('-', '_')}.workflow").WORKFLOW
    elif name in _named:
        found = _from_file(name, _named[name])
    elif name in _installed(WORKFLOWS):
        entry = _installed(WORKFLOWS)[name]
        found = _loaded(entry)
        if isinstance(found, Workflow) and entry.dist:
            found = replace(found, distribution=entry.dist.name)
    else:
        raise UsageError(
            f"there is no workflow {name!r}",
            valid=", ".join(names()),
            repair=f"name one of them, install the package that has it (pip install …), or name its file in {CONFIG}",
        )
    if not isinstance(found, Workflow) or found.name != name:
        raise DefinitionError(
            f"what is registered as {name!r} is not a Workflow of that name", repair="correct its name"
        )
    return found


def workflow_of(run: str, name: str, distribution: str) -> Workflow:
    """The workflow of a run; one that is not here is named with the package that had it when the run was worked on."""
    if name in names():
        return workflow(name)
    install = f"`pip install {distribution}`" if distribution else "install its package (pip install …)"
    raise UsageError(
        f"{run} is a run of the workflow {name!r}, which is not installed here",
        valid=", ".join(names()),
        repair=f"{install}, or name its file in {CONFIG}; until then `signoff status {run}` shows where the run stands",
    )


def _from_file(name: str, file: Path) -> Any:
    if not file.is_file():
        raise _wrong(f"the workflow {name!r} is {str(file.name)!r}, and there is no such file", "correct the path")
    module = f"_signoff_project.{name.replace('-', '_')}"
    if module in sys.modules and getattr(sys.modules[module], "__file__", "") == str(file):
        return getattr(sys.modules[module], "WORKFLOW", None)
    spec = importlib.util.spec_from_file_location(module, file)
    assert spec is not None and spec.loader is not None  # noqa: PT018 - narrows two types: the file is there
    made = importlib.util.module_from_spec(spec)
    sys.modules[module] = made
    spec.loader.exec_module(made)
    return getattr(made, "WORKFLOW", None)


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        home = entry.dist.name if entry.dist else entry.value
        raise UsageError(
            f"{entry.name!r} of the package {home!r} cannot be imported: {error}",
            repair=f"install it again: pip install --force-reinstall {home}",
        ) from error


def gates() -> dict[str, Gate]:
    """The gates of workflows and packages that say which documents they read, so that files can take their place.

    A name that several of them have is `WORKFLOW/NAME`.
    """
    found: dict[str, dict[str, Gate]] = {}
    offered = [(name, gate) for name in names() for gate in workflow(name).gates]
    offered += [(entry.value, _loaded(entry)) for entry in _installed(GATES).values()]
    for owner, gate in offered:
        if gate.reads and gate not in found.setdefault(gate.name, {}).values():
            found[gate.name][owner] = gate
    return {
        name if len(owners) == 1 else f"{owner}/{name}": gate
        for name, owners in found.items()
        for owner, gate in owners.items()
    }


def tools() -> dict[str, Tool]:
    """What agents may call within a turn, of all workflows. A host calls them by name, so each is declared once."""
    found: dict[str, tuple[str, Tool]] = {}
    for name in names():
        for tool in workflow(name).tools:
            if tool.name in found:
                raise DefinitionError(
                    f"the tool {tool.name!r} is declared by {found[tool.name][0]} and by {name}",
                    repair="give one of them another name",
                )
            found[tool.name] = (name, tool)
    return {name: tool for name, (_, tool) in found.items()}


def personas() -> dict[str, tuple[Workflow, Persona]]:
    """The personas of all workflows, each with its workflow. A person calls them by name, so each is declared once."""
    found: dict[str, tuple[Workflow, Persona]] = {}
    for flow in map(workflow, names()):
        for persona in flow.people.personas.values():
            if persona.name in found:
                raise DefinitionError(
                    f"the persona {persona.name!r} is declared by {found[persona.name][0].name} and by {flow.name}",
                    repair="give one of them another name",
                )
            found[persona.name] = (flow, persona)
    return found
