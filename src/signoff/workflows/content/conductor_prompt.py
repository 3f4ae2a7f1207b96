"""What the conducting agent is told: a goal, the rubric, the limits and the critics. The order of work is its own."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.workflows.content.shelf import Advisor, Recipe
from signoff.workflows.content.state import APPROVED, AT_LIMIT, Piece
from signoff.workflows.content.steps.toolbox import TOOLS

_GOAL = """\
## Goal

A saved piece of {kind} content about “{title}” that passes the editor's rubric. How you get there is yours to decide:
which critics to ask, whom to ask again after a revision, what to tell the author besides the editor's brief.

## Tools

{tools}

Every reply says under `now` where the piece stands and which tools are legal. A call that is not legal changes nothing
and tells you what is.

## The editor's rubric

You cannot override it, and you do not judge quality yourself, not even where every critic failed.

- An open high issue: revise.
- Every critic asked afresh in two rounds, and the same critics score lower in the later one: approve, since revising
  makes it worse.
- An average of at least {minimum:g} over the newest critiques: approve.
- Anything else: revise.

## Limits

- At most {revisions} of revision, so {rounds} in all; the last revision is judged too.
- A critic judges a draft once. One with an open high issue must judge the next draft, the others may: what they said
  before is carried forward.
- A decision counts when its round is summarized. Content is saved as `{approved}` after an approval, as `{at_limit}`
  when no revision is left, and not otherwise.

## Critics

{critics}
"""


def goal(piece: Piece, recipe: Recipe, critics: Sequence[Advisor]) -> str:
    """The task of the conducting agent."""
    listed = [f"- `{one.id}` ({one.name}): {' '.join(one.expertise.split())}" for one in critics]
    return _GOAL.format(
        kind=piece.kind,
        title=piece.idea["title"],
        tools="\n".join(f"- `{tool.name}`: {tool.about}" for tool in TOOLS.values()),
        minimum=recipe.min_aggregate_score,
        revisions=_counted(recipe.max_revision_rounds, "round"),
        rounds=_counted(recipe.max_revision_rounds + 1, "round"),
        approved=APPROVED,
        at_limit=AT_LIMIT,
        critics="\n".join(listed) or "None: nobody can judge this yet. Asking for critiques puts that to a person.",
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
