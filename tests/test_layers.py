"""The layers of design: who may import whom, and what pure code may not touch."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import signoff

ROOT = Path(__file__).parent.parent / "src" / "signoff"
ORDER = ("core", "artifacts", "evidence", "workflows", "shell", "service")

WORLD = {
    "asyncio", "fcntl", "ftplib", "glob", "http", "httpx", "io", "multiprocessing", "os", "pathlib", "random",
    "requests", "secrets", "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "threading",
    "time", "urllib.request", "uuid",
}  # fmt: skip
ALLOWED = {
    ("evidence/sources/pdf/pages.py", "io"),  # pypdf reads a stream: BytesIO over bytes in memory touches nothing
    ("evidence/sources/files.py", "pathlib"),  # PurePosixPath is text with a grammar
    ("workflows/kit/fault_plans.py", "random"),  # seeded: the same plan every time
}


def modules(layer: str) -> list[Path]:
    return sorted((ROOT / layer).rglob("*.py"))


@cache
def nodes(path: Path) -> tuple[ast.Import | ast.ImportFrom | ast.Call, ...]:
    """What a module imports and calls, parsed once."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom | ast.Call))


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "signoff":
            yield from (f"signoff.{signoff._HOME.get(alias.name, alias.name)}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("layer", ORDER)
def test_a_layer_imports_only_what_stands_below_it(layer: str) -> None:
    assert not outside(layer, ORDER[: ORDER.index(layer) + 1])


def test_surfaces_import_the_public_api_and_the_service() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("surfaces")
        for node in nodes(path)
        for name in written(node)
        if name.startswith("signoff.")
        and name.split(".")[1] not in ("service", "surfaces")
        and name.removeprefix("signoff.") not in signoff.__all__
    ]
    assert not found


def written(node: ast.Import | ast.ImportFrom | ast.Call) -> Iterator[str]:
    """What an import names, as it is written: a public name of ours is not looked up where it is defined."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def test_surfaces_import_nothing_relatively_or_by_name() -> None:
    """So that the test above sees every import."""
    for path in modules("surfaces"):
        for node in nodes(path):
            assert not (isinstance(node, ast.ImportFrom) and node.level), path
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module"
            ):
                assert path.relative_to(ROOT).as_posix() == "surfaces/cli/app.py", "the table of commands"


def outside(layer: str, allowed: tuple[str, ...]) -> list[str]:
    """What the modules of a layer import of ours, and may not; wherever in a module the import stands."""
    assert modules(layer)
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(layer)
        for name in imports(path)
        if name.startswith("signoff.") and name.split(".")[1] not in (*allowed, "__version__")
    ]


@pytest.mark.req("LB-1")
def test_a_shipped_workflow_stands_on_the_public_api() -> None:
    past = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("workflows/solution_page")
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (name := node.module or "").startswith("signoff.core")
    ]
    assert not past, "what a workflow needs of the kernel is public"


@pytest.mark.parametrize("layer", ["core", "artifacts", "evidence", "workflows"])
def test_pure_layers_import_nothing_that_touches_the_world(layer: str) -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(layer)
        for name in imports(path)
        if (name in WORLD or name.split(".")[0] in WORLD - {"urllib.request"})
        and (path.relative_to(ROOT).as_posix(), name.split(".")[0]) not in ALLOWED
    ]
    assert not found


@pytest.mark.parametrize("layer", ["core", "artifacts", "evidence", "workflows"])
def test_pure_layers_open_no_files(layer: str) -> None:
    calls = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules(layer)
        for node in nodes(path)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("open", "print", "input", "exec", "eval")
    ]
    assert not calls


def test_importing_signoff_is_light() -> None:
    heavy = "pydantic,yaml,markdown_it,pypdf,httpx,rich,typer,asyncio"
    code = f"import sys, signoff; print([m for m in {heavy.split(',')} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_no_room_has_two_owners() -> None:
    big = {str(p.relative_to(ROOT)): n for p in ROOT.rglob("*.py") if (n := len(p.read_text().splitlines())) > 500}
    assert not big, "a file over 500 lines has a second subject: split it"
