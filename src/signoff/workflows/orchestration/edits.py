"""What people edit while a design is made, or after it: their bytes win, and what that undoes is made again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from signoff.artifacts.textio import decode
from signoff.core.commands import CancelTurn, Command, Withdraw, Write
from signoff.core.events import DocsChanged
from signoff.core.frozen import replace
from signoff.core.refs import Ref
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import decisions, places, reopening, stack
from signoff.workflows.orchestration import roster as ro
from signoff.workflows.orchestration.decisions import without_evolution
from signoff.workflows.orchestration.design import STEPS, Design, Shelf, noted, own_of
from signoff.workflows.orchestration.designing import tactical_tasks
from signoff.workflows.orchestration.documents import BY_CODE, is_of_work, is_one
from signoff.workflows.orchestration.executing import go_on
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.staffing import recompleted
from signoff.workflows.orchestration.working import edited_outputs

JUMPS = ("review", "approve_architecture", "approve_roster", "create_agents", "sequence", "integration", "verify")
"""Where edits lead."""
AFTER = ("execute", "adapt", "done", "escalated")
"""Where nothing is made of an edit until a person says so."""


def edited(now: Now) -> Move:
    """A person's edit wins. What code makes is put back; the rest leads to the step that has to look at it again."""
    if own_of(now.state).step == "replaced":
        return Move(own_of(now.state))
    if _is_replaced(now):
        return Move(own_of(now.state), _dropped(now), "to_replaced")
    now, writes = _put_back(now)
    changed = {path for path in _named(now) if now.was.get(path) != now.state.docs.get(path)} - _only_grown(now)
    own = _of_now(_noticed(own_of(now.state), changed), now.state.docs)
    writes = (*writes, *_recompleted(now, own, changed))
    leads = sorted({step for path in changed if (step := _leads(own, path))}, key=STEPS.index)
    if own.step in AFTER:
        return _edited_after(now, own, changed, leads, writes)
    if not leads or leads[0] == own.step in ("approve_architecture", "approve_roster"):
        return _redone(now, own, changed, writes)
    own = replace(_begun(own, leads[0]), returned={})
    return Move(own, (*writes, *_dropped(now)), f"to_{leads[0]}")


def _named(now: Now) -> Mapping[str, str | None]:
    """The documents that the event names."""
    return now.event.docs if isinstance(now.event, DocsChanged) else {}


def _is_replaced(now: Now) -> bool:
    """Whether another run took the folder over: both drafts are of its task, or everything is cleared away for it."""
    if not {places.STACK, places.DECISIONS} <= now.was.keys():
        return False
    drafts = [ref for path in (places.STACK, places.DECISIONS) if (ref := now.state.ref(path))]
    if not drafts:
        return not any(path.startswith(f"{places.HOME}/") and not places.is_common(path) for path in now.state.docs)
    return all(_task_id(now, ref) != own_of(now.state).task_id for ref in drafts)


def _task_id(now: Now, draft: Ref) -> str:
    if draft.path == places.STACK:
        return now.look(draft, stack.parse).task_id
    return now.look(draft, decisions.parse).task_id


def _only_grown(now: Now) -> set[str]:
    """The decisions, where nothing but their evolution notes was edited after the approval: those are not approved."""
    before, after = now.was.get(places.DECISIONS), now.state.docs.get(places.DECISIONS)
    if own_of(now.state).step not in ("execute", "adapt", "done") or before is None or after is None:
        return set()
    was, texts = Ref(places.DECISIONS, before), Shelf(now.state, now.look)
    same = without_evolution(now.look(was, decode)) == without_evolution(texts.text(places.DECISIONS))
    return {places.DECISIONS} if same else set()


def _recompleted(now: Now, own: Design, changed: set[str]) -> tuple[Command, ...]:
    """What code knows of a roster is never believed from an edit, and follows the registry."""
    told = places.ROSTER in changed or any(_is_registry(own, path) for path in changed)
    if not told or places.ROSTER not in now.state.docs:
        return ()
    shelf = Shelf(now.state, now.look)
    return (Write(path=places.ROSTER, text=ro.render(recompleted(now, own, shelf.roster))),)


def _dropped(now: Now) -> tuple[Command, ...]:
    """Work and requests of the step that is left."""
    turns = tuple(CancelTurn(turn=turn) for turn in now.state.wanted)
    return (
        *turns,
        *(Withdraw(request=name) for name in now.state.requests if now.state.requests[name].kind != "budget"),
    )


def _redone(now: Now, own: Design, changed: set[str], writes: tuple[Command, ...]) -> Move:
    """Turns that read what was changed are asked again, on what is there now.

    An open approval stays: whoever says yes is told first that what they were asked about has changed.
    """
    read = {path for turn in now.state.turns.values() for path in turn.start.reads}
    again = changed & read or own.returned != own_of(now.state).returned
    return Move(own, (*writes, *_dropped(now)), "redo") if again else Move(own, writes)


def _noticed(own: Design, changed: set[str]) -> Design:
    if own.summary in changed and own.step != "architecture":
        problem = f"{own.summary} changed after the architecture was drafted"
        repair = "reject the next approval to have the part made again that it concerns"
        own = own.warned(noted("plan.changed", problem, repair, file=own.summary))
    if places.POC_SPECS in changed and not _is_at(own, "pocs"):
        own = replace(own, integrated=False)  # on its way to be verified again: it comes by their places once more
    told = {path for path in changed if path.endswith("/agent_instructions.md")}
    own = replace(own, by_hand=own.by_hand | told)
    if own.step == "escalated":
        mine = {path for path in changed if not path.startswith(places.copy_of(own.run, places.LIBRARY))}
        own = _since(own, mine)  # other projects fill the library
    return own


def _since(own: Design, paths: Iterable[str]) -> Design:
    """With what was edited and waits for a person to say how to go on."""
    return replace(own, edited_since=tuple(sorted({*own.edited_since, *paths})))


def _of_now(own: Design, docs: Mapping[str, str]) -> Design:
    """Work that waits for its neighbours counts as long as what it was made from is there."""
    return replace(own, returned={key: given for key, given in own.returned.items() if given.is_of(docs)})


def _is_at(own: Design, step: str) -> bool:
    """Whether the run has come to a step, or stopped there."""
    at = own.step if own.step in STEPS else own.resume_to or STEPS[0]
    return STEPS.index(at) >= STEPS.index(step)


def _leads(own: Design, path: str) -> str | None:
    """The step that has to look at an edited document again, if the run has come so far."""

    beyond = partial(_is_at, own)
    if path in (places.STACK, places.DECISIONS) and beyond("review"):
        return "approve_architecture" if beyond("approve_architecture") else "review"
    if path == places.ROSTER and beyond("roster"):
        return "approve_roster"
    if _is_registry(own, path) and beyond("approve_roster"):
        return "create_agents" if beyond("create_agents") else "approve_roster"
    if path in (places.CONTRACTS, places.CHECKPOINTS) and beyond("sequence"):
        return "sequence"
    if path == places.POC_SPECS and beyond("pocs"):
        return "integration"
    if path.endswith("/agent_instructions.md") and beyond("verify") and path not in _of_tactical(own):
        return "verify"
    if path == own.summary and beyond("verify"):  # the plan as people read it begins with its words
        return "sequence"
    return None


def _of_tactical(own: Design) -> set[str]:
    """The instructions of tasks that came up while the work was done: nobody approved those."""
    return {places.instructions(name) for name in tactical_tasks(own)}


def _is_registry(own: Design, path: str) -> bool:
    library = places.copy_of(own.run, places.LIBRARY)
    mine = path.startswith(places.borrowed(own.run)) and not path.startswith(library)
    return path == places.REGISTRY or path.startswith(places.TEMPLATES) or mine


def _begun(own: Design, step: str) -> Design:
    """What has to be done anew from there on."""
    if step == "review":
        return replace(own, reviewed=0, decided=0)
    return replace(own, kept=frozenset(), integrated=False) if step == "approve_roster" else own


def _put_back(now: Now) -> tuple[Now, tuple[Command, ...]]:
    """What code makes, and what was removed and cannot be done without, is put back as it was."""
    gone = [path for path in now.was if path not in now.state.docs and _is_needed(path)]
    forged = [path for path in BY_CODE if path in _named(now) and path in now.state.docs]
    put = (path for path in _named(now) if is_of_work(path) and path in now.state.docs)
    forged += [path for path in put if path in now.was or own_of(now.state).work]
    if not gone and not forged:
        return now, ()
    own = own_of(now.state)
    for path in gone:
        own = own.warned(
            noted("design.removed", f"{path} was removed and has been put back", "edit it instead", file=path)
        )
    for path in forged:
        repair = "edit what it is made from: roster, contracts, checkpoints"
        own = own.warned(noted("design.by_code", f"{path} is made by code and has been put back", repair, file=path))
    before = {path: now.was.get(path) for path in (*gone, *forged)}
    texts = {path: now.look(Ref(path, sha), decode) if sha else None for path, sha in before.items()}
    docs = {path: sha for path, sha in {**now.state.docs, **before}.items() if sha}
    now = replace(now, state=replace(now.state, docs=docs, own=own))
    return now, tuple(Write(path=path, text=text) for path, text in texts.items())


def _is_needed(path: str) -> bool:
    return path.startswith(f"{places.HOME}/") and (
        is_one(path) or is_of_work(path) or path.startswith(places.TEMPLATES)
    )


def _edited_after(now: Now, own: Design, changed: set[str], leads: list[str], writes: tuple[Command, ...]) -> Move:
    """After the approval an edit voids it, visibly, and waits for the person to say `resume`. What agents have made is
    another matter: that is another version, and who built on the one before begins again."""
    design = {path for yes in own.approvals if yes.gate == "design" for path in yes.digests}
    found = [*leads, *(["verify"] if changed & design else [])]
    if own.step == "done":
        move = reopening.noticed(now, own, changed, partial(_leads, own))
        return replace(move, commands=(*writes, *move.commands))
    if not found:
        if own.step != "execute" or own.stale or own.work is None or not changed:
            return Move(own, writes)
        seen = replace(now, state=replace(now.state, own=own))
        move = go_on(seen, edited_outputs(own.work, now.state.docs, epoch(now.event.at)))
        return replace(move, commands=(*writes, *move.commands))
    own = _since(own, (path for path in changed if path in design or _leads(own, path)))
    own = replace(own, stale=min([*found, *([own.stale] if own.stale else [])], key=STEPS.index))
    if own.step == "escalated":
        return Move(own, writes)
    return Move(replace(own, digest=""), (*writes, *_dropped(now)), "redo")
