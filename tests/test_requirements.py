"""Requirements travel with the code: every one has a test that names it, and no test names one that is not there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGES = TESTS.parent / "docs" / "requirements"


@cache
def required() -> set[str]:
    return {
        match
        for page in PAGES.glob("*.md")
        for match in re.findall(r"^- \*\*([A-Z]{2}-\d+)\*\*", page.read_text(), re.M)
    }


@cache
def functions() -> dict[Path, list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """What every module of the tests defines, parsed once."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {path: [node for node in ast.walk(tree) if isinstance(node, kinds)] for path, tree in trees().items()}


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}


def modules() -> Iterator[Path]:
    return (path for path in trees() if path.name.startswith("test_"))


SLOW = ("pytest.mark.slow", "pytest.mark.claude", "needs_claude")
"""What keeps a test out of `make test`."""


def slow(node: ast.stmt) -> bool:
    """Whether a test, or with `pytestmark` every test of a module, runs in `make test-all` only."""
    if isinstance(node, ast.Assign):
        said = [part for part in ast.walk(node.value) if isinstance(part, ast.expr)]
        return ast.unparse(node.targets[0]) == "pytestmark" and any(ast.unparse(part) in SLOW for part in said)
    decorators = getattr(node, "decorator_list", ())
    return any(ast.unparse(each) in SLOW for each in decorators)


@cache
def marked(*, everywhere: bool = False) -> dict[str, list[str]]:
    """The requirements that marks name, with the tests that carry them: those of `make test`, or all there are."""
    found: dict[str, list[str]] = {}
    for path in modules():
        whole = [node for node in trees()[path].body if isinstance(node, ast.Assign)]
        late = path.parent.name == "smollm" or any(map(slow, whole))
        if late and not everywhere:
            continue
        for number in (number for node in trees()[path].body for number in _module_marks(node)):
            found.setdefault(number, []).append(path.name)
        for node in functions()[path]:
            for number in () if slow(node) and not everywhere else _marks(node):
                found.setdefault(number, []).append(f"{path.name}::{node.name}")
    return found


def _module_marks(node: ast.stmt) -> list[str]:
    """`pytestmark = pytest.mark.req(...)` speaks for every test of its module."""
    if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != "pytestmark":
        return []
    return [number for part in ast.walk(node.value) if isinstance(part, ast.Call) for number in _named(part)]


def _marks(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[str]:
    return [number for call in node.decorator_list if isinstance(call, ast.Call) for number in _named(call)]


def _named(call: ast.Call) -> list[str]:
    if ast.unparse(call.func) != "pytest.mark.req":
        return []
    return [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]


def test_there_are_requirements() -> None:
    assert {f"SP-{n}" for n in range(1, 22)} <= required()


@pytest.mark.parametrize("number", sorted(required(), key=lambda n: (n[:2], int(n[3:]))))
def test_every_requirement_has_a_test(number: str) -> None:
    assert marked().get(number), f"no test in `make test` is a promise for {number}"


def test_every_mark_names_a_requirement() -> None:
    unknown = {number: tests for number, tests in marked(everywhere=True).items() if number not in required()}
    assert not unknown


def test_every_test_can_fail() -> None:
    """A test that asserts nothing is none: each has an assertion, a `raises`, or a helper of the tests that has."""
    helpers = _asserting()
    idle = [
        f"{path.name}::{node.name}"
        for path in modules()
        for node in functions()[path]
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not _can_fail(node, helpers)
    ]
    assert not idle


def _asserting() -> set[str]:
    """The helpers of the tests, and of the shipped conformance suite, that fail by themselves."""
    found = {"law"}
    for defined in functions().values():
        for node in defined:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("test_") and _can_fail(node, set()):
                found.add(node.name)
    return found


def _can_fail(node: ast.FunctionDef, helpers: set[str]) -> bool:
    calls = {ast.unparse(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    known = calls & {"pytest.raises", "pytest.fail"} or {name.split(".")[-1] for name in calls} & helpers
    return bool(known) or any(isinstance(part, ast.Assert) for part in ast.walk(node))
