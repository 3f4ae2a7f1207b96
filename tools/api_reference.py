"""`docs/reference/api.md`: the public names of the package, from their docstrings."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from types import ModuleType

PACKAGES = ("signoff", "signoff.evidence", "signoff.testing")
HEAD = """\
# Python API

<!-- Made by `make docs` from the docstrings. Do not edit. -->

{said}

How to use it: [from Python](../guides/python.md), [a workflow of your own](../guides/own-workflow.md).
"""
SAID = "What can be imported from {packages} is public; everything else can change between versions."


def render() -> str:
    """The whole page."""
    said = SAID.format(packages=", ".join(f"`{name}`" for name in PACKAGES))
    parts = [HEAD.format(said=said)]
    for package in PACKAGES:
        module = importlib.import_module(package)
        entries = list(_entries(module))
        if entries:
            parts += [f"## `{package}`\n\n{_doc(module)}\n", *entries]
    return "\n".join(parts)


def _entries(package: ModuleType) -> Iterator[str]:
    """Of the names that a package declares in `__all__`; without one, of what the modules of the package define."""
    declared = getattr(package, "__all__", None)
    if declared is not None:
        yield from (_entry(name, getattr(package, name)) for name in declared)
    elif package.__name__ != "signoff":
        for found in pkgutil.iter_modules(package.__path__):
            yield from _of_module(importlib.import_module(f"{package.__name__}.{found.name}"))


def _of_module(module: ModuleType) -> Iterator[str]:
    names = [name for name, value in vars(module).items() if not name.startswith("_") and _is_of(value, module)]
    if names:
        yield f"### `{module.__name__}`\n\n{_doc(module)}\n"
        yield from (_entry(name, getattr(module, name), level=4) for name in names)


def _is_of(value: object, module: ModuleType) -> bool:
    is_made = inspect.isclass(value) or inspect.isfunction(value)
    return is_made and getattr(value, "__module__", "") == module.__name__


def _entry(name: str, value: object, level: int = 3) -> str:
    heading = f"{'#' * level} `{name}`\n"
    if inspect.isclass(value) or inspect.isfunction(value):
        node = _node(value)
        lines = _signature(name, node) if node else [name]
        return f"{heading}\n```text\n{chr(10).join(lines)}\n```\n\n{_doc(value)}\n{_methods(node)}"
    return f"{heading}\n{_said(name, value)}\n"


def _said(name: str, value: object) -> str:
    """What a name stands for that is neither a class nor a function."""
    if inspect.ismodule(value):
        return _doc(value)
    if isinstance(value, str):
        return "The version." if name == "__version__" else f"The text `{value}`."
    return "A type, for annotations."


def _node(value: object) -> ast.stmt | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None


def _signature(name: str, node: ast.stmt) -> list[str]:
    """As it is written: the parameters of a function, or the fields of a class."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [_head(name, node)]
    if isinstance(node, ast.ClassDef):
        made = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
        if made:
            return [_head(name, made).removesuffix(" -> None").replace("(self, ", "(").replace("(self)", "()")]
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and not ast.unparse(one).startswith("_")]
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return [f"class {name}({bases})" if bases else f"class {name}", *(f"    {ast.unparse(one)}" for one in fields)]
    return [name]


def _head(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    word = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word}{name}({ast.unparse(node.args)}){returns}"


def _methods(node: ast.stmt | None) -> str:
    """The public methods of a class that say what they do."""
    if not isinstance(node, ast.ClassDef):
        return ""
    rows = [
        f"| `{_head(one.name, one)}` | {_cell(ast.get_docstring(one) or '')} |"
        for one in node.body
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not one.name.startswith("_")
        and ast.get_docstring(one)
    ]
    return "\n".join(["", "| method | what it does |", "|---|---|", *rows, ""]) if rows else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _doc(value: object) -> str:
    """A docstring as plain paragraphs; what is indented or drawn stays as it is."""
    text = inspect.getdoc(value) or ""
    paragraphs = text.split("\n\n")
    return "\n\n".join(_paragraph(one) for one in paragraphs).replace("<", "&lt;")


def _paragraph(text: str) -> str:
    drawn = any(line.startswith((" ", "├", "│", "└")) for line in text.splitlines())
    return f"```text\n{textwrap.dedent(text)}\n```" if drawn else text
