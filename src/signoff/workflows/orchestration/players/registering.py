"""The file in which several parts of a program register their commands: whoever comes second keeps what is there."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Final

from signoff.workflows.orchestration.players.crafting import Case, Task, case

_REGISTERS: Final = re.compile(r"\bregisters? (?:their|its|the) commands? in `([^`]+\.py)`", re.IGNORECASE)

_TEXT: Final = '''\
"""The commands of the program: each part registers its own here."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {
%s}
"""A command's name: the function behind it, and what it does."""


def main(argv: list[str] | None = None) -> int:
    """Runs the command that is named; without one, lists what there is."""
    name, *rest = (sys.argv[1:] if argv is None else argv) or ["help"]
    if name not in COMMANDS:
        print("\\n".join(f"{name}: {about}" for name, (_, about) in COMMANDS.items()))
        return 0 if name == "help" else 2
    module, _, function = COMMANDS[name][0].partition(":")
    return int(getattr(import_module(module), function)(rest) or 0)


if __name__ == "__main__":
    sys.exit(main())
'''


def place(task: Task) -> str:
    """Where the task has its commands registered, if it may write there."""
    found = (hit[1] for text in task.actions for hit in _REGISTERS.finditer(text))
    return next((path for path in found if task.may_write(path)), "")


def registered(task: Task, name: str, function: str, about: str) -> dict[str, str]:
    """The registry with one command more; nothing where the task asks for none."""
    path = place(task)
    if not path:
        return {}
    commands = {**_known(task.desk.text(path)), name: (function, about)}
    lines = (
        f"    {json.dumps(name)}: ({json.dumps(function)}, {json.dumps(about)}),\n"
        for name, (function, about) in sorted(commands.items())
    )
    return {path: _TEXT % "".join(lines)}


def _known(text: str) -> Mapping[str, tuple[str, str]]:
    """The commands that others have registered."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return {}
    for node in body:
        if isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == ["COMMANDS"]:
            found = ast.literal_eval(node.value)
            return {str(name): (str(one[0]), str(one[1])) for name, one in found.items()}
    return {}


def cases(task: Task, name: str) -> tuple[Case, ...]:
    """What shows that a command is registered."""
    path = place(task)
    if not path:
        return ()
    module = path.removesuffix(".py").replace("/", ".")
    return (
        case(
            r"\bregisters? (?:their|its|the) commands?\b",
            f'''
def test_the_command_{name}_is_registered_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """The commands are registered where everybody finds them, and what is registered is there."""
    registry = import_module({module!r})
    assert registry.main([]) == 0
    assert {name!r} in capsys.readouterr().out
    module, _, function = registry.COMMANDS[{name!r}][0].partition(":")
    assert callable(getattr(import_module(module), function))
''',
        ),
    )
