"""`docs/reference/findings.md`: every rule with its causes and repairs, and where it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from finding_rules import Rule, collect
from text_resolver import SAME

HEAD = """\
# Findings

<!-- Made by `make docs` from the source. Do not edit. -->

A finding says where something is wrong, by which rule, what was found and how to repair it:

```text
3-drafts/desk-lamp/content-en.md:14: claims.unknown: C-DL-009 is not in the registry (C-DL-008). Repair: correct the id, or register the claim
```

This page lists the {rules} rules. ‹Words like these› stand for what the run fills in. A rule with several causes has
them one below the other, each with its repair. Findings are errors unless they are shown as a warning; a warning fails
no gate. The rule ids are stable: filter by them in the output of `--json`.

"""  # noqa: E501 - a finding is one line

FORMS = "Documents that have a form"
READ_BY_FORM = """\
Config files, sheets, registries and the documents that agents give back are read by a form. The beginning of the rule
names the document; the ending is one of these:"""
SECTIONS = (
    ("workflows.solution_page", "solution-page"),
    ("workflows.clarify", "clarify"),
    ("workflows.content", "content"),
    ("workflows.article", "article"),
    ("workflows.orchestration", "orchestration"),
    ("evidence", "Evidence"),
    ("artifacts", "Reading documents"),
    ("workflows.kit.fixes", "Reading documents"),
    ("core", "The kernel"),
    ("", "Projects, agent files, hosts and installation"),
)
SHARED = {
    "form": "a field is missing, unknown, or has a value that is not valid there",
    "json": "the file is not JSON",
    "section": "a section is missing, or there twice",
}
"""The endings of rules that every document with a form has, whatever the document."""


def render() -> str:
    """The whole page."""
    collected = collect()
    if collected.unresolved:
        raise SystemExit("rules that cannot be listed:\n" + "\n".join(collected.unresolved))
    shared = [rule for rule in collected.rules if _is_shared(rule)]
    own = [rule for rule in collected.rules if not _is_shared(rule)]
    parts = [HEAD.format(rules=len({rule.rule for rule in collected.rules})), _forms(shared)]
    for title in dict.fromkeys(title for _, title in SECTIONS):
        found = [rule for rule in own if _section(rule) == title]
        parts += [f"## {title}\n\n", _table(found), "\n"] if found else []
    return "".join(parts).rstrip("\n") + "\n"


def _is_shared(rule: Rule) -> bool:
    shared = rule.built_in in ("artifacts.yaml_forms", "artifacts.jsonio", "artifacts.markdown_headings")
    return shared and "." in rule.rule  # `json` itself is of files that belong to others


def _section(rule: Rule) -> str:
    return next(title for start, title in SECTIONS if rule.module.startswith(start))


def _forms(rules: Sequence[Rule]) -> str:
    """The rules that say the same of every document, once."""
    lines = [f"## {FORMS}\n\n{READ_BY_FORM}\n\n"]
    for ending, said in SHARED.items():
        mine = [rule for rule in rules if rule.rule.endswith(f".{ending}")]
        names = sorted({rule.rule for rule in mine})
        ways = list(dict.fromkeys((rule.problem, rule.repair) for rule in mine))
        lines += [f"### Rules that end in `.{ending}`: {said}\n\n", "| cause | repair |\n|---|---|\n"]
        lines += [f"| {_cell(problem)} | {_cell(repair)} |\n" for problem, repair in ways]
        lines += ["\n", "| rule | comes from |\n|---|---|\n"]
        for name in names:
            where = dict.fromkeys(_section(rule) for rule in mine if rule.rule == name)
            lines.append(f"| `{name}` | {', '.join(where)} |\n")
        lines.append("\n")
    return "".join(lines)


def _table(rules: Iterable[Rule]) -> str:
    ways: dict[str, list[tuple[str, str]]] = {}
    for rule in rules:
        ways.setdefault(rule.rule, []).append((rule.problem, rule.repair))
    lines = ["| rule | cause | repair |\n|---|---|---|\n"]
    for name, found in sorted(ways.items()):
        for place, (problem, repair) in enumerate(dict.fromkeys(found)):
            lines.append(f"| {f'`{name}`' if place == 0 else ''} | {_cell(problem)} | {_cell(repair)} |\n")
    return "".join(lines)


def _cell(text: str) -> str:
    """A text as it is, whatever Markdown would make of it."""
    if text in (SAME, "‹problem›", "‹repair›"):
        return f"({SAME})"
    text = re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)
    return text.replace("<", "&lt;").replace("{", "&#123;")
