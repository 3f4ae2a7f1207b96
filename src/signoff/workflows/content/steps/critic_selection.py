"""Who judges a piece: the critics that its recipe names, and those that a selector adds. Settled once, at the start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from signoff.core.commands import StartTurn
from signoff.core.declarations import Now
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.workflows.content.config import config_of
from signoff.workflows.content.outputs import SelectorOutput
from signoff.workflows.content.shelf import Advisor, Recipe, of_run
from signoff.workflows.content.state import Piece

KEY = "select"
TASK = """\
Choose who should judge this content besides the critics that are named for it. The needs say what must be looked at;
the candidates say what they can judge. Take those without whom a need would go unjudged, and no others. None is a
valid choice.
"""


def named(recipe: Recipe, advisors: dict[str, Advisor]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The named critics that can judge, and what is wrong with the others."""
    found, warnings = [], []
    for name in dict.fromkeys(recipe.named_critics):
        if name not in advisors:
            warnings.append(f"the critic {name!r} is not on the shelf: it is left out")
        elif name == recipe.author_advisor:
            warnings.append(f"{name!r} is the author, and nobody judges their own work: it is left out")
        elif not advisors[name].judges:
            warnings.append(f"{name!r} has no evaluationExpertise to judge with: it is left out")
        else:
            found.append(name)
    return tuple(found), tuple(warnings)


def candidates(recipe: Recipe, advisors: dict[str, Advisor]) -> list[Advisor]:
    """Everybody who could judge: those with expertise, without the author."""
    return [one for one in advisors.values() if one.judges and one.id != recipe.author_advisor]


def ask(now: Now, piece: Piece, recipe: Recipe) -> StartTurn:
    """The selector's turn."""
    advisors = of_run(now.state, now.look).advisors()
    fixed, _ = named(recipe, advisors)
    others = [one for one in candidates(recipe, advisors) if one.id not in fixed]
    notes: dict[str, Any] = {
        "type": piece.kind,
        "needs": recipe.evaluation_needs,
        "emphasis": recipe.evaluation_emphasis or "",
        "named": list(fixed),
        "candidates": [{"id": one.id, "name": one.name, "expertise": one.expertise} for one in others],
        "most": config_of(now.state, now.look).more_critics,
    }
    return StartTurn(key=KEY, agent="critic-selector", contract="critic-selector", task=TASK, notes=notes)


def check(now: Now, output: SelectorOutput) -> Sequence[Finding]:
    """Whether the selector chose among those that it was given."""
    assert now.turn is not None  # narrows the type: a contract is asked about a turn
    notes = now.turn.start.notes
    known = [one["id"] for one in notes["candidates"]]
    wrong = [name for name in output.advisorIds if name not in (*known, *notes["named"])]
    if wrong:
        return [_finding(f"{', '.join(wrong)} is no candidate", f"choose among {', '.join(known) or 'nobody'}")]
    if len(set(output.advisorIds) - set(notes["named"])) > notes["most"]:
        return [_finding(f"{len(output.advisorIds)} critics are chosen", f"choose at most {notes['most']}")]
    return []


def _finding(problem: str, repair: str) -> Finding:
    return Finding(rule="content.selection", problem=problem, repair=repair)


def settled(now: Now, piece: Piece, recipe: Recipe) -> Piece:
    """The piece with its critics: the named ones and the chosen ones, each once, in a stable order.

    A selector that failed, or said nothing that could be read, leaves the named ones alone.
    """
    advisors = of_run(now.state, now.look).advisors()
    fixed, warnings = named(recipe, advisors)
    chosen: Iterable[str] = now.output.advisorIds if isinstance(now.output, SelectorOutput) else ()
    if now.refused:
        warnings += (f"no further critics were selected: {now.refused[0].problem}",)
    return replace(piece, chosen=True, critics=tuple(dict.fromkeys((*fixed, *chosen)))).warned(*warnings)
