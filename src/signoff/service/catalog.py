"""The workflows there are: every package below `signoff.workflows` that has a definition; nothing lists them."""

from __future__ import annotations

import importlib
import pkgutil

import signoff.workflows
from signoff.core.errors import DefinitionError, UsageError
from signoff.core.personas import Persona
from signoff.core.workflow import Tool, Workflow


def names() -> tuple[str, ...]:
    """The workflows by name, found without importing them; a package that defines nothing is none."""
    found = (module for module in pkgutil.iter_modules(signoff.workflows.__path__) if module.ispkg)
    return tuple(module.name.replace("_", "-") for module in found if _defined(module.name))


def _defined(package: str) -> bool:
    homes = (f"{home}/{package}" for home in signoff.workflows.__path__)
    return any(module.name == "definition" for module in pkgutil.iter_modules(homes))


def workflow(name: str) -> Workflow:
    """One workflow, imported when it is wanted."""
    if name not in names():
        raise UsageError(f"there is no workflow {name!r}", valid=", ".join(names()), repair="name one of them")
    module = importlib.import_module(f"signoff.workflows.{name.replace('-', '_')}.definition")
    found: Workflow = module.WORKFLOW
    return found


def tools() -> dict[str, Tool]:
    """What agents may call within a turn, of all workflows. A host calls them by name, so each is declared once."""
    found: dict[str, tuple[str, Tool]] = {}
    for name in names():
        for tool in workflow(name).tools.values():
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
        for persona in flow.personas.values():
            if persona.name in found:
                raise DefinitionError(
                    f"the persona {persona.name!r} is declared by {found[persona.name][0].name} and by {flow.name}",
                    repair="give one of them another name",
                )
            found[persona.name] = (flow, persona)
    return found
