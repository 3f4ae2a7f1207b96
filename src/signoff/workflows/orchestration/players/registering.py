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
        if name != "help":
            print(f"there is no command {name!r}; these are there:", file=sys.stderr)
        print("\\n".join(f"{name}: {about}" for name, (_, about) in COMMANDS.items()))
        return 0 if name == "help" else 2
    module, _, function = COMMANDS[name][0].partition(":")
    return int(getattr(import_module(module), function)(rest) or 0)


if __name__ == "__main__":
    sys.exit(main())
'''


_START: Final = '''\
"""What `python -m` starts: the command that is named, or the list of all."""

import sys

from {module} import main

sys.exit(main())
'''
_SHOWS: Final = r"\bregisters? (?:their|its|the) commands?\b"


def place(task: Task) -> str:
    """Where the task has its commands registered, if it may write there."""
    found = (hit[1] for text in task.actions for hit in _REGISTERS.finditer(text))
    return next((path for path in found if task.may_write(path)), "")


def entry(task: Task) -> str:
    """The file beside the registry that `python -m` starts, where the task names it and may write it."""
    path = f"{place(task).rpartition('/')[0]}/__main__.py"
    return path if place(task) and any(f"`{path}`" in text for text in task.actions) and task.may_write(path) else ""


def registered(task: Task, name: str, function: str, about: str) -> dict[str, str]:
    """The registry with one command more, and what starts it; nothing where the task asks for none."""
    path, start = place(task), entry(task)
    if not path:
        return {}
    commands = {**_known(task.desk.text(path)), name: (function, about)}
    lines = (
        f"    {json.dumps(name)}: ({json.dumps(function)}, {json.dumps(about)}),\n"
        for name, (function, about) in sorted(commands.items())
    )
    module = path.removesuffix(".py").replace("/", ".")
    return {path: _TEXT % "".join(lines), **({start: _START.format(module=module)} if start else {})}


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


def cases(task: Task, name: str, usage: str) -> tuple[Case, ...]:
    """What shows that a command is registered, started and says how it is called."""
    path = place(task)
    if not path:
        return ()
    module = path.removesuffix(".py").replace("/", ".")
    made = [
        case(
            _SHOWS,
            f'''
def test_the_command_{name}_is_registered_and_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    """The REST API and the import both register their commands in {path}, where everybody finds them.

    What is registered is there, and a call without its arguments is told which they are.
    """
    registry = import_module({module!r})
    assert registry.main([]) == 0
    assert {name!r} in capsys.readouterr().out
    assert registry.main([{name!r}]) == 2
    assert "usage: {usage}" in capsys.readouterr().err
    assert registry.main(["no such command"]) == 2
''',
        )
    ]
    if entry(task):
        program = module.rpartition(".")[0]
        made.append(
            case(
                _SHOWS,
                f'''
def test_python_m_{program}_lists_and_starts_{name}() -> None:
    """The program is started with `python -m {program}`: it lists what there is, through {entry(task)}."""
    root = Path(str(import_module({module!r}).__file__)).parents[{path.count("/")}]
    listed = subprocess.run([sys.executable, "-m", {program!r}], cwd=root, capture_output=True, text=True, check=False)
    assert (listed.returncode, {name!r} in listed.stdout) == (0, True), listed.stderr
    wrong = [sys.executable, "-m", {program!r}, {name!r}]
    assert subprocess.run(wrong, cwd=root, capture_output=True, check=False).returncode == 2
''',
            )
        )
    return tuple(made)
