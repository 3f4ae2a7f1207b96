"""The checks of a draft (AR-9, AR-10): each a pure function on values, and here bound to documents by role.

Roles: `config`, `outline`, `draft`, `sources`, and every page that was read, by its address. What is measured follows
from the config; `params` have what only the project knows: how many characters a word counts in Chinese, and what
articles before this one have used up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Gate, GateInput
from signoff.core.findings import Finding
from signoff.evidence.sources.fetched_pages import parse_page
from signoff.workflows.article.checks import argument, evidence, form, patterns
from signoff.workflows.article.checks.text import Given
from signoff.workflows.article.documents import audiences, materials
from signoff.workflows.article.documents.config_schema import parse_doc

PAGE = "page "
"""How the role of a page begins that was read; its address follows."""

Check = Callable[[Given], Iterator[Finding]]

CHECKS: Final[Mapping[str, tuple[str, tuple[Check, ...]]]] = {
    "shape": (
        "the budget, and the outline's sections in its order",
        (form.length, form.structure, form.plain),
    ),
    "thesis": ("the thesis in opening, conclusion and sections of its own", (argument.thesis, argument.depth)),
    "persona": ("bias and signature phrases, in words that stand there", (argument.persona, argument.siblings)),
    "materials": ("markers lead to materials; no differentiator is forgotten", (evidence.materials,)),
    "statistics": ("every number with a unit leads to the quote of a datum", (evidence.statistics,)),
    "mentions": ("links and products as declared, where they belong", (form.links, form.products)),
    "patterns": ("filler, announcements, talk of competitors, machine phrasing", (patterns.patterns,)),
}
"""By name: what it is for, and what it runs."""


def run(name: str, given: Given) -> list[Finding]:
    """What one check finds."""
    return [finding for check in CHECKS[name][1] for finding in check(given)]


def run_all(given: Given) -> list[Finding]:
    """What all of them find."""
    return [finding for name in CHECKS for finding in run(name, given)]


def given_of(found: GateInput) -> Given:
    """The values of the documents."""
    config = found.look(found.ref("config"), parse_doc)
    least, most = audiences.budget(config.articleLength, config.language, float(found.params.get("characters", 1.6)))
    return Given(
        config=config,
        outline=found.look(found.ref("outline"), decode) if "outline" in found.of else "",
        draft=found.look(found.ref("draft"), decode),
        items=found.look(found.ref("sources"), materials.parse_items) if "sources" in found.of else (),
        file=found.ref("draft").path,
        outline_file=found.of["outline"].path if "outline" in found.of else "the outline",
        least=least,
        most=most,
        pages={
            role.removeprefix(PAGE): found.look(ref, parse_page).text
            for role, ref in found.of.items()
            if role.startswith(PAGE)
        },
        avoid=found.params.get("avoid", {}),
    )


def _gate(name: str, found: GateInput) -> Sequence[Finding]:
    return run(name, given_of(found))


GATES: Final = {
    name: Gate(name=name, about=about, run=partial(_gate, name)) for name, (about, _checks) in CHECKS.items()
}
