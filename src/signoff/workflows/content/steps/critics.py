"""Critics: who judges a piece, settled once at the start; and their turns, as many at once as the config allows.

A critic that fails is left out of the round; if all of them fail, there is no round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from signoff.core.commands import Command, StartTurn
from signoff.core.declarations import Now
from signoff.core.findings import Finding
from signoff.core.state import State, replace
from signoff.workflows.content.config import config_of
from signoff.workflows.content.outputs import CriticOutput, SelectorOutput
from signoff.workflows.content.shelf import Advisor, Recipe, of_run, there
from signoff.workflows.content.state import Critique, Piece, Said, draft_path

# --- who judges -------------------------------------------------------------------------------------------------------

SELECT = "select"
SELECT_TASK = """\
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
            warnings.append(f"{name!r} is the author, and an author does not judge its own work: it is left out")
        elif not advisors[name].judges:
            warnings.append(f"{name!r} has no evaluationExpertise to judge with: it is left out")
        else:
            found.append(name)
    return tuple(found), tuple(warnings)


def candidates(recipe: Recipe, advisors: dict[str, Advisor]) -> list[Advisor]:
    """The advisors that could judge: those with expertise, without the author."""
    return [one for one in advisors.values() if one.judges and one.id != recipe.author_advisor]


def selection(now: Now, piece: Piece, recipe: Recipe) -> StartTurn:
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
    return StartTurn(key=SELECT, agent="critic-selector", contract="critic-selector", task=SELECT_TASK, notes=notes)


def check_selection(now: Now, output: SelectorOutput) -> Sequence[Finding]:
    """Whether the selector chose among those that it was given."""
    assert now.turn is not None  # narrows the type: a contract is asked about a turn
    notes = now.turn.start.notes
    known = [one["id"] for one in notes["candidates"]]
    wrong = [name for name in output.advisorIds if name not in (*known, *notes["named"])]
    if wrong:
        choice = f"choose among {', '.join(known)}" if known else "choose none: there are no candidates"
        return [_finding(f"{', '.join(wrong)} is not a candidate", choice)]
    if len(set(output.advisorIds) - set(notes["named"])) > notes["most"]:
        return [_finding(f"{len(output.advisorIds)} critics are chosen", f"choose at most {notes['most']}")]
    return []


def _finding(problem: str, repair: str) -> Finding:
    return Finding(rule="content.selection", problem=problem, repair=repair)


def selected(now: Now, piece: Piece, recipe: Recipe) -> Piece:
    """The piece with its critics: the named ones and the chosen ones, each once, in a stable order.

    A selector that failed, or said nothing that could be read, leaves the named ones alone.
    """
    advisors = of_run(now.state, now.look).advisors()
    fixed, warnings = named(recipe, advisors)
    chosen: Iterable[str] = now.output.advisorIds if isinstance(now.output, SelectorOutput) else ()
    if now.refused:
        warnings += (f"no further critics were selected: {now.refused[0].problem}",)
    return replace(piece, chosen=True, critics=tuple(dict.fromkeys((*fixed, *chosen)))).warned(*warnings)


# --- their turns ------------------------------------------------------------------------------------------------------

PREFIX = "critic:"
TASK = """\
Judge this draft within your discipline, by the method of your guide. Say what is wrong with words of the draft in
quotation marks, what to do about it, and which aspects are good as they are. Judge the draft alone, not its history.
"""


def flying(state: State) -> tuple[str, ...]:
    """The critics whose turns are out, or wait for a larger budget."""
    turns = (*state.turns.values(), *state.parked)
    return tuple(one.start.key.removeprefix(PREFIX) for one in turns if one.start.key.startswith(PREFIX))


def begun(now: Now, piece: Piece, recipe: Recipe) -> tuple[Piece, tuple[Command, ...]]:
    """As many turns of the queue as there is room for."""
    out = flying(now.state)
    room = max(0, config_of(now.state, now.look).critics_at_once - len(out))
    first, rest = piece.queue[:room], piece.queue[room:]
    return replace(piece, queue=rest), tuple(_turn(now, piece, recipe, name) for name in first)


def _turn(now: Now, piece: Piece, recipe: Recipe, name: str) -> StartTurn:
    advisor = of_run(now.state, now.look).advisor(name)
    current = piece.round
    earlier = [one.summary for one in piece.rounds[piece.before :] if one.summary]
    notes: dict[str, Any] = {
        "round": current.number if current else 1,
        "limit": piece.most_rounds,
        "type": piece.kind,
        "advisor": {
            "id": name,
            "name": advisor.name if advisor else name,
            "expertise": advisor.expertise if advisor else "",
            "doesNotEvaluate": advisor.blind_to if advisor else "",
        },
        "emphasis": recipe.evaluation_emphasis or "",
        "minimum": recipe.min_aggregate_score,
        "doNotRegress": list(earlier[-1].keep if earlier else ()),
        "idea": piece.idea,
        "draft": draft_path(piece.name),
        "docs": list(advisor.docs if advisor else ()),
    }
    docs = there(advisor.docs if advisor else (), now.state)
    return StartTurn(
        key=f"{PREFIX}{name}",
        agent="critic",
        contract="critic",
        task=TASK,
        reads=(draft_path(piece.name), *docs),
        guides=(advisor.path,) if advisor else (),
        notes=notes,
    )


def heard(now: Now, piece: Piece) -> Piece:
    """The piece with what one critic said, or that it could say nothing."""
    assert now.turn is not None  # narrows the types: a critic judges a draft
    assert piece.round is not None
    notes = now.turn.start.notes["advisor"]
    number = piece.round.number
    if isinstance(now.output, CriticOutput):
        said = tuple(Said(one.severity, one.description, one.suggestion) for one in now.output.issues)
        critique = Critique(
            advisor=notes["id"],
            name=notes["name"],
            round=number,
            score=now.output.score,
            issues=said,
            clean=tuple(now.output.clean),
        )
    else:
        error = now.refused[0].problem if now.refused else "it gave nothing back"
        critique = Critique(advisor=notes["id"], name=notes["name"], round=number, error=error)
    return piece.in_round(piece.round.with_critique(critique))


def failed(piece: Piece) -> bool:
    """Whether every critic that was asked in this round failed."""
    ran: Sequence[Critique] = piece.round.ran if piece.round else ()
    return all(one.error for one in ran)
