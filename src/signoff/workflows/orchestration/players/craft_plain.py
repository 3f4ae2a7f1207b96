"""What the offline doer does where it knows no craft: it describes the work, and says that it did no more than that.

The module gives the actions of the plan in their order and refuses what is none of them; the handover says how each
can go wrong. Both are tested for what they are. Whoever wants the thing itself takes a model for this role.
"""

from __future__ import annotations

import re
from dataclasses import replace
from string import Template
from typing import Final

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.players import registering
from signoff.workflows.orchestration.players.craft_database import package
from signoff.workflows.orchestration.players.crafting import Assumed, Case, Made, Suite, Task, case

MODULE: Final = Template('''\
"""The work of $agent as the plan has it, step by step. It is described here, and not built."""

from __future__ import annotations

STEPS = (
$steps)


def step(number: int) -> str:
    """One step by its number, from 1."""
    if not 1 <= number <= len(STEPS):
        raise ValueError(f"there is no step {number}; valid: 1 to {len(STEPS)}")
    return STEPS[number - 1]


def main(argv: list[str]) -> int:
    """Prints the steps."""
    print("\\\\n".join(STEPS))
    return 0
''')

HEAD: Final = Template('''\
"""What $agent describes, held against itself: every step of the plan is there, in its words."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

HANDOVER = Path($handover)
DESCRIBED = HANDOVER.read_text(encoding="utf-8")
''')

_WHY: Final = "This doer works offline and has no craft for it; a model in this role would build it."


def craft(task: Task) -> Made:
    """A description of the work in every file that the contract names."""
    files = dict[str, str]()
    for path in map(task.file, task.named):
        if path == registering.place(task):
            about = f"shows the steps of {task.agent}"
            files.update(registering.registered(task, task.stem, f"{package(task.module)}:main", about))
        elif not path.startswith("tests/"):
            files[path] = _module(task) if path.endswith(".py") else _described(task, path)
    files.setdefault(task.handover, _described(task, task.handover))
    suites = (Suite(task.test, _head(task), tuple(_cases(task))),) if task.test else ()
    assumed = Assumed(
        "A description of each step, in its order and in the words of the plan, is taken for the step itself.",
        f"`{task.handover}`",
        _WHY,
    )
    return Made(files, suites, (assumed,), f"a description of its {len(_steps(task))} steps, and nothing that is built")


def with_described(task: Task, made: Made) -> Made:
    """What a craft makes, and beside it a description of what the criteria ask for and the craft knows nothing of."""
    known = [one for suite in made.suites for one in suite.cases]
    left = [one for one in task.criteria if one.command and not any(case.shows.search(one.text) for case in known)]
    if not left or not made.suites or task.handover not in made.files:
        return made
    first, *others = made.suites
    lines = ["", "## Described, and not built", "", *(f"- {one.text}" for one in left)]
    files = {**made.files, task.handover: made.files[task.handover] + "\n".join(lines) + "\n"}
    described = case(
        "|".join(re.escape(one.text) for one in left),
        f'''
def test_what_is_not_built_is_described_in_the_handover() -> None:
    """It is described, and not built."""
    handover = Path({task.handover!r}).read_text(encoding="utf-8")
    assert [text for text in {[one.text for one in left]!r} if text not in handover] == []
''',
    )
    named = ", ".join(one.id for one in left)
    assumed = Assumed(f"A description is taken for the thing itself: {named}.", f"`{task.handover}`", _WHY)
    suites = (replace(first, cases=(*first.cases, described)), *others)
    return replace(made, files=files, suites=suites, assumed=(*made.assumed, assumed))


def _steps(task: Task) -> tuple[str, ...]:
    """What is described: the actions, or what the criteria say where there are none."""
    return task.actions or tuple(one.text for one in task.criteria) or (f"The task of {task.agent}",)


def _module(task: Task) -> str:
    steps = "".join(f"    {text!r},\n" for text in _steps(task))
    return MODULE.substitute(agent=task.agent, steps=steps)


def _described(task: Task, path: str) -> str:
    """The steps as a document; of a page of HTML, one that a browser shows."""
    steps = _steps(task)
    if path.endswith(".html"):
        items = "\n".join(f"<li>{_escaped(text)}</li>" for text in steps)
        return f'<!doctype html>\n<html lang="en"><title>{task.agent}</title>\n<ol>\n{items}\n</ol>\n</html>\n'
    mark = "--" if path.endswith(".sql") else ""
    lines = [
        f"# {task.agent}",
        "",
        "Described, and not built.",
        "",
        *(f"{n}. {text}" for n, text in enumerate(steps, 1)),
    ]
    if path == task.handover and task.modes:
        lines += ["", "## How it goes wrong", "", *(f"- {one.mode}. Then: {one.remediation}" for one in task.modes)]
    return "\n".join(f"{mark} {line}".strip() if mark else line for line in lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _head(task: Task) -> str:
    return HEAD.substitute(agent=task.agent, handover=repr(task.handover))


def _cases(task: Task) -> list[Case]:
    made = [
        case(
            re.escape(text),
            f'''
def test_step_{number}_is_described_in_the_words_of_the_plan() -> None:
    """It is described, and not built: step {number}."""
    assert {text!r} in DESCRIBED
''',
        )
        for number, text in enumerate(_steps(task), 1)
    ]
    made += [
        case(
            "",
            f"""
def test_way_{number}_in_which_it_goes_wrong_is_described() -> None:
    {_said(one.mode)}
    assert {one.mode!r} in DESCRIBED
    assert {one.remediation!r} in DESCRIBED
""",
        )
        for number, one in enumerate(task.modes, 1)
    ]
    if task.module and not task.module.startswith(places.HOME):
        made.append(
            case(
                "",
                f'''
def test_the_module_gives_every_step_and_refuses_what_is_none() -> None:
    """Bad input does not end in a traceback that says nothing: what is valid is said."""
    module = import_module({package(task.module)!r})
    assert [module.step(number) for number in range(1, len(module.STEPS) + 1)] == list(module.STEPS)
    with pytest.raises(ValueError, match="valid: 1 to"):
        module.step(0)
''',
            )
        )
    return made


def _said(text: str) -> str:
    """A docstring, whatever is in the text."""
    return repr(text)
