"""The offline doer's craft of acceptance tests: what the others built, tried from outside, and a report of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from signoff.workflows.orchestration.players import api_tests, craft_database, import_tests, tables
from signoff.workflows.orchestration.players.api_tests import Known
from signoff.workflows.orchestration.players.craft_api import built_on
from signoff.workflows.orchestration.players.craft_database import package
from signoff.workflows.orchestration.players.crafting import Assumed, Case, Made, Suite, Task, case
from signoff.workflows.orchestration.players.tables import Table

_MARKS: Final = {"api": "def create_app(", "import": "class NotAsDescribedError("}
"""What tells the parts apart that these tests know."""
_END: Final = re.compile(r'\("(\w+)", _now\(\), number\)')


def craft(task: Task) -> Made | None:
    """Tests of the parts among its inputs that it knows; None where it knows none, or writes no tests of the whole."""
    given = built_on(task)
    if given is None or not task.test or task.module:
        return None
    folder = task.test.rpartition("/")[0]
    modules = {
        kind: package(path)
        for kind, mark in _MARKS.items()
        for path, text in task.inputs(".py").items()
        if mark in text
    }
    found = tables.written(task.inputs(".sql").values())
    suites = [craft_database.suite(f"{folder}/test_acceptance_schema.py", given.database, found)]
    end = _ended(task, modules.get("api", ""))
    if "api" in modules:
        more = _of_the_tests(given.table, end)
        path = f"{folder}/test_acceptance_api.py"
        suites.append(api_tests.suite(path, modules["api"], given.database, Known(given.table, end), *more))
    if "import" in modules and len(given.table.unique) == 1:
        path = f"{folder}/test_acceptance_import.py"
        suites.append(import_tests.suite(path, modules["import"], given, _Legacy.of(given.table)))
    assumed = Assumed(
        "The parts are tried through the functions that their handovers name, in the process and without a port.",
        f"`{folder}`",
        "The task has tests run without a network, and a port that is taken would make a red run that means nothing.",
    )
    report = {task.handover: _report(suites, task)}
    return Made(report, tuple(suites), (assumed,), f"acceptance tests in {folder}")


@dataclass(frozen=True, slots=True)
class _Legacy:
    """The file of an import as somebody knows it who sees the import and not the file."""

    path: str
    taken: Mapping[str, str]
    dropped: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table) -> _Legacy:
        return cls("the legacy file", dict.fromkeys((*table.filled, *tables.TIMES), ""))


def _ended(task: Task, module: str) -> str:
    """The status that DELETE sets, as the module has it."""
    text = next((text for path, text in task.inputs(".py").items() if module and package(path) == module), "")
    found = _END.search(text)
    return found[1] if found else "inactive"


def _of_the_tests(table: Table, end: str) -> tuple[Case, ...]:
    """What shows that the tests themselves are worth something."""
    path = f"/{table.name}"
    return (
        case(
            r"\bof its own\b|\btheir order\b",
            f'''
def test_every_test_has_a_database_of_its_own_in_a_temporary_folder(api: Client, tmp_path: Path) -> None:
    """Tests run without a network and do not depend on their order.

    Each is against a database of its own in a temporary folder, and begins with an empty table.
    """
    assert api("GET", "{path}")[1]["{table.name}"] == []
    assert [file.name for file in tmp_path.glob("*.db")] == ["service.db"]
    assert not list(Path.cwd().glob("*.db"))
''',
        ),
        case(
            r"\bautomated tests\b|\bwhatever happens\b",
            f'''
def test_a_test_does_not_pass_whatever_happens(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test passes whatever happens: with the code broken on purpose, the test of DELETE is seen to fail."""
    monkeypatch.setattr(import_module(create_app.__module__), "_deactivate", lambda connection, number: (204, None))
    made = api.add()
    assert api("DELETE", f"{path}/{{made['id']}}") == (204, None)
    assert api("GET", f"{path}/{{made['id']}}")[1]["status"] != {end!r}
''',
        ),
    )


def _report(suites: list[Suite], task: Task) -> str:
    lines = ["# Test report", "", "## What was tested"]
    for suite in suites:
        chosen = suite.chosen(task)
        lines += ["", f"`{suite.path}`:", "", *(f"- `{one.name}`" for one in chosen)]
    lines += ["", "## What was found", "", "Nothing that fails: the command in the evidence says how it ended."]
    lines += ["", "## What was not tested", "", "Speed on another machine, and several programs at the same time."]
    return "\n".join(lines) + "\n"
