"""What a test shows: of which words it speaks, and whether it reaches the program at all.

A test that touches nothing of the program passes without the work and shows nothing. A test that does is about a
criterion where it says nearly all of its words, and every figure in it. That is rough; in doubt nothing is shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.wording import content

LONG: Final = 8
SPARE: Final = 4
"""Of a criterion with so many words or more one in four may be missing: it says more than it asks for. Of a short one
none may."""
ALONE: Final = 0.8
"""The same of a test that nobody names as evidence: it has to say so in its own name and description."""
_LEAD: Final = re.compile(r"\AIt is done and holds\. (?:[^:“”]+: |Do as was answered to “(?P<asked>[^”]*)”: )")
_CALLER: Final = re.compile(r"\A(?:[\w'’-]+ ){1,6}(?=(?:calls|asks|uses) the (?:REST )?API\b)", re.IGNORECASE)
"""Somebody who is there already and calls what is built: nothing has to speak of them."""
_FIGURE: Final = re.compile(r"\d+")
_TAKEN_BACK: Final = re.compile(r"\bskip|\bxfail")
TESTS: Final = re.compile(r"(?:^|/)test_\w+\.py$")


@dataclass(frozen=True, slots=True)
class Proof:
    """A test: its file, its name, what it says it shows, all of its text, and the parts of the program it reaches."""

    path: str
    name: str
    said: str
    text: str
    reaches: tuple[str, ...]
    skips: bool

    @property
    def shows(self) -> str:
        return f"{self.said} {self.text}"


def asked_for(criterion: str) -> str:
    """What a criterion asks for: its words without those that every criterion has, with the question of an answer."""
    found = _LEAD.match(criterion)
    if found is None:
        return squeeze(criterion)
    return squeeze(f"{found['asked'] or ''} {_CALLER.sub('Who ', criterion[found.end() :])}")


def lacking(criterion: str, proofs: Iterable[Proof]) -> tuple[str, ...]:
    """The words and figures of a criterion that these tests do not speak of; nothing where they are about it."""
    given, said = list(proofs), asked_for(criterion)
    text = " ".join(one.shows for one in given).replace("_", " ")
    words, known = content(said), content(text)
    missing = [figure for figure in dict.fromkeys(_FIGURE.findall(said)) if figure not in _FIGURE.findall(text)]
    spare = len(words) // SPARE if len(words) >= LONG else 0
    if given and words and len(words - known) <= spare and not missing:
        return ()
    return tuple(missing) or tuple(sorted(words - known)) or ("nothing that can be looked for",)


def alone(criterion: str, proofs: Iterable[Proof]) -> list[Proof]:
    """The tests of which each says by itself that it shows a criterion, whoever wrote them."""
    words = content(asked_for(criterion))
    found = (one for one in proofs if one.reaches and words)
    return [
        one for one in found if len(words & content(one.said)) >= ALONE * len(words) and not lacking(criterion, [one])
    ]


# --- reading tests ----------------------------------------------------------------------------------------------------


def proofs(files: Mapping[str, str]) -> list[Proof]:
    """Every test in these files; those that are no tests are the program."""
    program = {_module(path) for path in files if path.endswith(".py") and not _is_test(path)}
    return [one for path in sorted(files) if TESTS.search(path) for one in _proofs(path, files[path], program)]


def _is_test(path: str) -> bool:
    return path.startswith("tests/") or "/tests/" in path or TESTS.search(path) is not None


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").removesuffix("/__main__").replace("/", ".")


def _proofs(path: str, text: str, program: Collection[str]) -> Iterator[Proof]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    about, bound = ast.get_docstring(tree) or "", _bound(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            said = f"{node.name.replace('_', ' ')}. {ast.get_docstring(node) or ''}"
            marks = [ast.get_source_segment(text, mark) or "" for mark in node.decorator_list]
            whole = " ".join((*marks, ast.get_source_segment(text, node) or "", about))
            skips = any(map(_TAKEN_BACK.search, marks))
            yield Proof(path, node.name, said, whole, tuple(_reached(node, bound, program)), skips)


def _bound(tree: ast.Module) -> dict[str, ast.AST]:
    """What each name of a file stands for: what is defined or imported at its top."""
    found = dict[str, ast.AST]()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update((alias.asname or alias.name.split(".")[0], node) for alias in node.names)
        elif isinstance(node, ast.Assign):
            found.update(
                (name.id, node) for one in node.targets for name in ast.walk(one) if isinstance(name, ast.Name)
            )
    return found


def _reached(test: ast.AST, bound: Mapping[str, ast.AST], program: Collection[str]) -> Iterator[str]:
    """The modules of the program that a test uses, itself or through what it uses."""
    left, seen = [test], set[int]()
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for part in ast.walk(node):
            yield from _imports(part, program)
            name = part.id if isinstance(part, ast.Name) else part.arg if isinstance(part, ast.arg) else ""
            if name in bound:
                left.append(bound[name])


def _imports(node: ast.AST, program: Collection[str]) -> Iterator[str]:
    """The modules of the program that a node names: it imports them, or has their name as a text."""
    if isinstance(node, ast.ImportFrom):
        whole = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    elif isinstance(node, ast.Import):
        whole = [alias.name for alias in node.names]
    else:
        whole = [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
    yield from (name for name in whole if name in program)
