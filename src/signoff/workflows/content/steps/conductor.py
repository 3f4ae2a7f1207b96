"""The conducting agent: its task, its turns, what it waits for, and the fixed policy that may take its place.

The agent calls tools in an order of its own; code rules which are legal and what comes of them. It may end its turn
when the content is saved, or while a person must act; if there is work and no turn of it is open, a new one begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.artifacts import yamlio
from signoff.core.commands import Ask, Command, Finish, Reply, StartTurn, TurnLimits, Write
from signoff.core.decide import BUDGET, RESUME
from signoff.core.declarations import Assignment, Conversation, Effects, Now, ToolCall, Tools
from signoff.core.findings import Finding
from signoff.core.state import State, replace
from signoff.workflows.content.outputs import OrchestratorOutput
from signoff.workflows.content.shelf import Advisor, Recipe, of_run
from signoff.workflows.content.state import APPROVED, AT_LIMIT, Call, Piece, draft_path, own_of
from signoff.workflows.content.steps.toolbox import (
    CRITIQUE,
    DECIDE,
    DRAFT,
    LOAD,
    REVISE,
    SAVE,
    SUMMARIZE,
    TOOLS,
    critiques,
    legal,
    standing,
)

KEY = "conduct"
ESCALATION = "escalation"
REQUESTS = 12
"""How often a model may be asked per round: twice what a round takes that asks its critics in two parts."""

# --- the task ---------------------------------------------------------------------------------------------------------

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


# --- its turns --------------------------------------------------------------------------------------------------------


def conducted(now: Now, piece: Piece, recipe: Recipe, *commands: Command) -> Effects:
    """Begins a turn of the conducting agent if there is work and no turn of it is open."""
    open_turns = (*now.state.turns.values(), *now.state.parked)
    waits = piece.blocked or piece.stopped or piece.saved or piece.doing
    if waits or any(one.start.key == KEY for one in open_turns):
        return Effects(piece, commands)
    notes = {"now": standing(piece, recipe, drafted=_drafted(now.state, piece, commands)), "idea": piece.idea}
    shelf = of_run(now.state, now.look)
    start = StartTurn(
        key=KEY,
        agent="orchestrator",
        contract="orchestrator",
        task=goal(piece, recipe, [one for name in piece.critics if (one := shelf.advisor(name))]),
        tools=tuple(TOOLS),
        notes=notes,
        # the first draft and the output count as one round more
        limits=TurnLimits(requests=REQUESTS * (recipe.max_revision_rounds + 2)),
    )
    return Effects(piece, (*commands, start))


def _drafted(state: State, piece: Piece, commands: Sequence[Command]) -> bool:
    written = [command for command in commands if isinstance(command, Write)]
    return written[-1].text is not None if written else state.ref(draft_path(piece.name)) is not None


def check_end(now: Now, output: OrchestratorOutput) -> Sequence[Finding]:
    """A conversation may end when the content is saved, or while only a person can bring it on."""
    piece = own_of(now.state)
    if piece.saved or piece.blocked or now.state.stop == BUDGET:
        return []
    recipe = of_run(now.state, now.look).recipe(piece.kind)
    can = legal(piece, recipe, drafted=now.state.ref(draft_path(piece.name)) is not None)
    problem = f"the turn ended with status {output.status!r}, and the content is not saved"
    return [Finding(rule="content.unsaved", problem=problem, repair=f"go on; legal now: {', '.join(can)}")]


def ended(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """The conversation is over. Saved is saved, whatever its last word was."""
    if piece.saved:
        return Effects(piece, (Finish(reason="complete" if piece.saved == APPROVED else piece.saved),))
    if not now.refused or piece.blocked:  # it may end while a person must act, and fail if a person is asked already
        return conducted(now, piece, recipe)
    why = f"the conducting agent could not finish the content: {now.refused[0].problem}"
    ask = Ask(key=ESCALATION, kind=ESCALATION, options=(RESUME,), question=f"{why}. Resume to try again from here.")
    return Effects(replace(piece, stopped=why), (ask, Finish(reason="escalated")))


# --- what it waits for ------------------------------------------------------------------------------------------------


def done(now: Now, piece: Piece, recipe: Recipe, result: dict[str, object], *commands: Command) -> Effects:
    """What further turns were started for has come: the call that asked for it is answered."""
    waiting, piece = piece.calls, replace(piece, calls=(), doing="")
    said = {**result, "now": standing(piece, recipe, drafted=_drafted(now.state, piece, commands))}
    replies = (Reply(turn=one.turn, call_id=one.call_id, result=said) for one in waiting if _listens(now.state, one))
    return conducted(now, piece, recipe, *commands, *replies)


def _listens(state: State, call: Call) -> bool:
    """Whether the conversation that asked still goes on."""
    turn = state.turns.get(call.turn)
    return turn is not None and turn.start.attempt == call.attempt and call.call_id in turn.calls


# --- what only a person can settle ------------------------------------------------------------------------------------

BLOCKED = "blocked"
RETRY, STOP = "retry", "stop"
NO_CRITICS = "there are no critics: none that is named can judge, and none was selected"
_ABOUT = {RETRY: "Tries it again, on the files as they are now.", STOP: "Ends the run without content."}


def ask_person(why: str) -> Ask:
    """Puts a round that cannot go on to a person; it is never an approval."""
    return Ask(key=BLOCKED, kind="choice", options=(RETRY, STOP), question=f"{why}.", notes={"about": _ABOUT})


def blocked(now: Now, piece: Piece, recipe: Recipe, why: str) -> Effects:
    piece = replace(piece, blocked=why, retried=False, queue=())
    return done(now, piece, recipe, critiques(piece, recipe), ask_person(why))


# --- the fixed policy -------------------------------------------------------------------------------------------------

ORDER = (SAVE, REVISE, SUMMARIZE, DECIDE, CRITIQUE, DRAFT)
"""What is done first, of what is legal: a decision as soon as it may be made, critics only while it may not."""

PATIENCE = 200


def orchestrator(assignment: Assignment, _tools: Tools) -> Conversation:
    """Conducts one piece by the policy until it is saved, or until a person must act."""
    now: Mapping[str, Any] = assignment.start.notes["now"]
    for _ in range(PATIENCE):
        tool = next((one for one in ORDER if one in now["legal"]), None)
        if tool is None or now.get("blocked"):
            break
        reply: Reply = yield ToolCall(tool, _args(tool, now))
        if reply.illegal:  # it was told another state: loading documents is always legal, and says where it stands
            reply = yield ToolCall(LOAD, {"docTypes": []})
            if reply.illegal or reply.result["now"] == now:
                break
        now = reply.result["now"]
    return yamlio.dump({"status": "waiting" if now["legal"] else "saved"})


def _args(tool: str, now: Mapping[str, Any]) -> dict[str, Any]:
    if tool == SAVE:
        return {"quality": now["quality"]}
    asked = {*now["mustRun"], *now["withOpenIssues"]}
    wanted = [name for name in now["mayRun"] if name in asked]
    return {"advisorIds": wanted} if tool == CRITIQUE and wanted else {}
