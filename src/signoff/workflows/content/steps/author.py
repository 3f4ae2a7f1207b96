"""The author at work: a first draft, or a revision of the one there is. Advisor and framework are its guides."""

from __future__ import annotations

from typing import Any

from signoff.core.commands import Command, StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.state import replace
from signoff.workflows.content import issues as life
from signoff.workflows.content.outputs import AuthorOutput
from signoff.workflows.content.shelf import Recipe, of_run, there
from signoff.workflows.content.state import Piece, Round, draft_path

KEY = "author"
DRAFT_TASK = """\
Write the first draft of this content. The idea says what it is about, its facts and the foundation documents are all
that you may claim. Follow the method of your guides; where one is a framework, its sections are the structure.
"""
REVISE_TASK = """\
Revise the draft. Address every issue of the brief, the high ones first, and say of each how. What stands under
doNotRegress is good as it is: keep it so. Give the whole text, not only what changed.
"""


def start(now: Now, piece: Piece, recipe: Recipe, task: str) -> tuple[Piece, StartTurn]:
    """The author's turn, for a draft or a revision; a missing framework is a warning, and the work goes on."""
    shelf = of_run(now.state, now.look)
    advisor, framework = shelf.advisor(recipe.author_advisor), recipe.author_framework
    files = shelf.framework(framework) if framework else ()
    missing = [f"the framework {framework!r} is missing: it is written without one"] if framework and not files else []
    missing += [] if advisor else [f"the author {recipe.author_advisor!r} is not on the shelf: its method is missing"]
    revising = task == "revise"
    number = len(piece.rounds) + (1 if revising or piece.round is None else 0)
    notes: dict[str, Any] = {
        "task": task,
        "type": piece.kind,
        "round": number,
        "limit": piece.most_rounds,
        "idea": piece.idea,
        "advisor": {"id": recipe.author_advisor, "name": advisor.name if advisor else recipe.author_advisor},
        "framework": framework if files else None,
        "docs": list(recipe.author_context_docs),
        **(_revision(piece) if revising else {}),
    }
    turn = StartTurn(
        key=KEY,
        agent="author",
        contract="author",
        task=REVISE_TASK if revising else DRAFT_TASK,
        reads=(*there(recipe.author_context_docs, now.state), *((draft_path(piece.name),) if revising else ())),
        guides=(*((advisor.path,) if advisor else ()), *files),
        notes=notes,
    )
    return piece.warned(*missing), turn


def _revision(piece: Piece) -> dict[str, Any]:
    wanted = [one for one in life.opened(piece.issues) if one.severity != "low"]
    ordered = [one for severity in ("high", "medium") for one in wanted if one.severity == severity]
    fields = ("id", "severity", "advisor", "name", "description", "suggestion")
    summary = piece.round.summary if piece.round else None
    return {
        "draft": draft_path(piece.name),
        "brief": [{name: getattr(one, name) for name in fields} for one in ordered],
        "doNotRegress": list(summary.keep if summary else ()),
        "note": piece.note,
    }


def written(piece: Piece, output: AuthorOutput, sha: str) -> tuple[Piece, tuple[Command, ...]]:
    """The piece with its new draft; a revision begins a new round, and so does the first draft."""
    text = output.content.rstrip() + "\n"
    write = Write(path=draft_path(piece.name), text=text)
    if piece.doing == "revise" or piece.round is None:
        number = len(piece.rounds) + 1
        revisions = piece.revisions + (piece.doing == "revise")
        return replace(piece, rounds=(*piece.rounds, Round(number=number, of=sha)), revisions=revisions), (write,)
    return piece.in_round(Round(number=piece.round.number, of=sha)), (write,)  # a draft that a person took away
