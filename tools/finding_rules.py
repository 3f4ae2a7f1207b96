"""Collects every rule that a finding can have, with its causes and repairs, from the source.

A finding is built by `Finding(rule=…, problem=…, repair=…)`, or by a helper that passes these on, whose callers are
followed (`text_resolver.py`). A rule that cannot be resolved is told, and a test fails for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from source_tree import Function, Module, Tree, parameters, walk
from text_resolver import SAME, Call

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src/signoff"


@dataclass(frozen=True, order=True)
class Rule:
    """One way in which a finding of this rule is built, in one module; `module` is the one that names the rule."""

    rule: str
    module: str
    problem: str
    repair: str
    built_in: str


@dataclass(frozen=True)
class Collected:
    """What was found, and the calls whose rule only a run could say."""

    rules: tuple[Rule, ...]
    unresolved: tuple[str, ...]


@cache
def collect(package: Path = PACKAGE) -> Collected:
    """Every rule of the source."""
    tree = Tree.read(package)
    rules: set[Rule] = set()
    unresolved: set[str] = set()
    for module in tree.modules.values():
        for call in _sites(module):
            if _copies(call):
                continue
            owner = module.owner(call)
            found = _families(tree, module, call) or list(_rules(tree, module, call))
            rules |= {one for one in found if _whole(one.rule)}
            unresolved |= {f"{owner}: {one.rule or 'no rule'}" for one in found if not _whole(one.rule)}
            unresolved |= {f"{owner} is handed to {taker}" for taker in _escapes(tree, module, call)}
    return Collected(tuple(sorted(rules)), tuple(sorted(unresolved)))


def _copies(call: ast.Call) -> bool:
    """Whether the finding is built from the fields of another, whose rule is listed where that one is built."""
    given = {one.arg: ast.unparse(one.value) for one in call.keywords}
    rule = given.get("rule", "")
    return ".model_dump(" in given.get(None, "") or (
        rule.endswith(".rule") and given.get("problem") == f"{rule.removesuffix('.rule')}.problem"
    )


def _rules(tree: Tree, module: Module, call: ast.Call) -> Iterator[Rule]:
    for one in Call(tree, module, call).worlds():
        yield Rule(one.rule, one.named_in, one.problem, one.repair, module.name)


def _whole(rule: str) -> bool:
    return bool(rule) and "‹" not in rule


def _escapes(tree: Tree, module: Module, call: ast.Call) -> list[str]:
    """A helper whose rule is a parameter must be called by name: else its rules could not be listed."""
    scope, rule = module.scope(call), next((one.value for one in call.keywords if one.arg == "rule"), None)
    names = {one.id for one in walk(rule) if isinstance(one, ast.Name)} if rule else set()
    if not isinstance(scope, Function) or not names & {one.arg for one in parameters(scope)}:
        return []
    return tree.escapes(scope)


def _sites(module: Module) -> Iterator[ast.Call]:
    """The calls that build a finding: `Finding(…)`, and `replace(finding, rule=…)`."""
    for node in walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            renames = node.func.id == "replace" and any(keyword.arg == "rule" for keyword in node.keywords)
            if node.func.id == "Finding" or renames:
                yield node


# --- rules that are named by data ------------------------------------------------------------------------------------


def _families(tree: Tree, module: Module, call: ast.Call) -> list[Rule]:
    """Rules whose names are data: the phrase lists of articles, the checks of content, and gaps of a design."""
    rule = next((ast.unparse(one.value) for one in call.keywords if one.arg == "rule"), "")
    if "article.pattern.{" in rule:
        return list(_phrase_lists(module))
    if "content.{check.name}" in rule:
        return list(_content_checks(tree))
    if "gap.{finding.rule.rpartition" in rule:
        return list(_unproven(module))
    return []


def _phrase_lists(module: Module) -> Iterator[Rule]:
    from signoff.workflows.article.checks.patterns import lists

    for language in ("en", "zh"):
        for name, pattern in lists(language).items():
            problem = f"{pattern.level}: ‹text› in ‹sentence›, a phrase of patterns/{language}.yaml"
            yield Rule(f"article.pattern.{name}", module.name, problem, f"write it without; {pattern.why}", module.name)


FOUND = ("line", "problem", "repair")
"""The order of the fields of what a check of content finds."""


def _content_checks(tree: Tree) -> Iterator[Rule]:
    """A check is `Check("name", find)`, and what it finds is every `Found(…)` in `find`."""
    for module, call in tree.calls["Check"]:
        if module.name.startswith("workflows.content.checks") and isinstance(call.args[0], ast.Constant):
            find = call.args[1].func if isinstance(call.args[1], ast.Call) else call.args[1]
            place = tree.lookup(module, find.id) if isinstance(find, ast.Name) else None
            for found in walk(place[1]) if place else ():
                if isinstance(found, ast.Call) and isinstance(found.func, ast.Name) and found.func.id == "Found":
                    for one in Call(tree, place[0], found, FOUND).worlds():
                        yield Rule(f"content.{call.args[0].value}", module.name, one.problem, one.repair, module.name)


def _unproven(module: Module) -> Iterator[Rule]:
    listed = module.defined["_UNPROVEN"]
    assert isinstance(listed, ast.Tuple)
    for one in listed.elts:
        assert isinstance(one, ast.Constant)
        yield Rule(f"gap.{str(one.value).rpartition('.')[2]}", module.name, SAME, SAME, module.name)
