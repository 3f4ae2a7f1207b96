"""Files that people edit: their bytes win, and everything that the edit undoes is made again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from signoff.artifacts.text_decoding import decode
from signoff.core.commands import CancelTurn, Command, Withdraw, Write
from signoff.core.declarations import Now
from signoff.core.events import DocsChanged
from signoff.core.refs import Ref
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design.roster import recompleted
from signoff.workflows.orchestration.design.turns import written
from signoff.workflows.orchestration.documents import agent_roster, architecture_decisions, technology_stack
from signoff.workflows.orchestration.documents.architecture_decisions import without_evolution
from signoff.workflows.orchestration.documents.parsers import BY_CODE, Parse, is_document, is_of_work
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.state import STEPS, Design, Shelf, noted, own_of
from signoff.workflows.orchestration.work import completion
from signoff.workflows.orchestration.work.doer_turns import edited_outputs
from signoff.workflows.orchestration.work.execution import go_on

JUMPS = ("review", "approve_architecture", "approve_roster", "create_agents", "sequence", "integration", "verify")
"""The steps to which edits lead."""
AFTER = ("execute", "adapt", "done", "escalated")
"""The steps in which an edit waits until a person decides how to go on."""


def edited(now: Now) -> Move:
    """A person's edit wins. Edits of files that code makes are put back; others lead to the step that handles them."""
    if own_of(now.state).step == "replaced":
        return Move(own_of(now.state))
    if _is_replaced(now):
        return Move(own_of(now.state), _dropped(now), "to_replaced")
    now, writes = _put_back(now)
    changed = {path for path in _named(now) if now.was.get(path) != now.state.docs.get(path)} - _only_grown(now)
    own = _noticed(own_of(now.state), changed)
    still = {key: given for key, given in own.returned.items() if given.is_of(now.state.docs)}
    own = replace(own, returned=still)  # outputs that wait for others count while their inputs are unchanged
    if places.ROSTER in now.state.docs and any(path == places.ROSTER or _is_registry(own, path) for path in changed):
        roster = recompleted(now, own, Shelf(now.state, now.look).roster)  # computed fields do not come from an edit
        writes = (*writes, Write(path=places.ROSTER, text=agent_roster.render(roster)))
    leads = sorted({step for path in changed if (step := _leads(own, path))}, key=STEPS.index)
    if own.step in AFTER:
        return _edited_after(now, own, changed, leads, writes)
    if not leads or leads[0] == own.step in ("approve_architecture", "approve_roster"):
        return _redone(now, own, changed, writes)
    if leads[0] == "review":
        own = replace(own, reviewed=0, decided=0)
    elif leads[0] == "approve_roster":
        own = replace(own, kept=frozenset(), integrated=False)
    return Move(replace(own, returned={}), (*writes, *_dropped(now)), f"to_{leads[0]}")


def _named(now: Now) -> Mapping[str, str | None]:
    """The documents that the event names."""
    return now.event.docs if isinstance(now.event, DocsChanged) else {}


def _is_replaced(now: Now) -> bool:
    """Whether another run took over the folder: both drafts are of its task, or everything was cleared for it."""
    if not {places.STACK, places.DECISIONS} <= now.was.keys():
        return False
    drafts = [ref for path in (places.STACK, places.DECISIONS) if (ref := now.state.ref(path))]
    if not drafts:
        return not any(path.startswith(f"{places.HOME}/") and not places.is_common(path) for path in now.state.docs)
    own = own_of(now.state).task_id
    kinds: Mapping[str, Parse] = {places.STACK: technology_stack.parse, places.DECISIONS: architecture_decisions.parse}
    return all(now.look(ref, kinds[ref.path]).task_id != own for ref in drafts)


def _only_grown(now: Now) -> set[str]:
    """The decisions, if only their evolution notes were edited after the approval, which does not cover these."""
    before, after = now.was.get(places.DECISIONS), now.state.docs.get(places.DECISIONS)
    if own_of(now.state).step not in ("execute", "adapt", "done") or before is None or after is None:
        return set()
    was, texts = Ref(places.DECISIONS, before), Shelf(now.state, now.look)
    same = without_evolution(now.look(was, decode)) == without_evolution(texts.text(places.DECISIONS))
    return {places.DECISIONS} if same else set()


def _dropped(now: Now) -> tuple[Command, ...]:
    """Cancels the turns and requests of the step that the run leaves."""
    asked = (name for name, ask in now.state.requests.items() if ask.kind != "budget")
    return (*(CancelTurn(turn=turn) for turn in now.state.wanted), *(Withdraw(request=name) for name in asked))


def _redone(now: Now, own: Design, changed: set[str], writes: tuple[Command, ...]) -> Move:
    """Turns that read a changed file begin again. An open approval stays: the person is told what changed."""
    read = {path for turn in now.state.turns.values() for path in turn.start.reads}
    again = changed & read or own.returned != own_of(now.state).returned
    return Move(own, (*writes, *_dropped(now)), "redo") if again else Move(own, writes)


def _noticed(own: Design, changed: set[str]) -> Design:
    if own.summary in changed and own.step != "architecture":
        problem = f"{own.summary} changed after the architecture was drafted"
        repair = "reject the next approval to have the part made again that it concerns"
        own = own.warned(noted("plan.changed", problem, repair, file=own.summary))
    if places.POC_SPECS in changed and not _is_at(own, "pocs"):
        own = replace(own, integrated=False)  # on the way to the next verification the PoCs are placed again
    told = {path for path in changed if path.endswith("/agent_instructions.md")}
    own = replace(own, by_hand=own.by_hand | told)
    if own.step == "escalated":
        mine = {path for path in changed if not path.startswith(places.copy_of(own.run, places.LIBRARY))}
        own = _since(own, mine)  # other projects fill the library
    return own


def _since(own: Design, paths: Iterable[str]) -> Design:
    """The design with edits that wait for a person to decide how to go on."""
    return replace(own, edited_since=tuple(sorted({*own.edited_since, *paths})))


def _is_at(own: Design, step: str) -> bool:
    """Whether the run has reached a step, or stopped there."""
    at = own.step if own.step in STEPS else own.resume_to or STEPS[0]
    return STEPS.index(at) >= STEPS.index(step)


def _leads(own: Design, path: str) -> str | None:
    """The step that handles an edited document, if the run has reached it."""
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
    if path.endswith("/agent_instructions.md") and beyond("verify"):  # those of tactical tasks are not approved
        return None if path in map(places.instructions, own.tactical_tasks) else "verify"
    if path == own.summary and beyond("verify"):  # the coordination plan quotes it
        return "sequence"
    return None


def _is_registry(own: Design, path: str) -> bool:
    library = places.copy_of(own.run, places.LIBRARY)
    mine = path.startswith(places.borrowed(own.run)) and not path.startswith(library)
    return path == places.REGISTRY or path.startswith(places.TEMPLATES) or mine


def _put_back(now: Now) -> tuple[Now, tuple[Command, ...]]:
    """Puts back edited files that code makes, and needed files that were removed."""
    ours = (path for path in now.was if path not in now.state.docs and path.startswith(f"{places.HOME}/"))
    gone = [path for path in ours if is_document(path) or is_of_work(path) or path.startswith(places.TEMPLATES)]
    forged = [path for path in BY_CODE if path in _named(now) and path in now.state.docs]
    put = (path for path in _named(now) if is_of_work(path) and path in now.state.docs)
    forged += [path for path in put if path in now.was or own_of(now.state).work]
    if not gone and not forged:
        return now, ()
    own = own_of(now.state)
    for path in gone:
        problem = f"{path} was removed and has been put back"
        own = own.warned(noted("design.removed", problem, "edit it instead", file=path))
    for path in forged:
        repair = "edit what it is made from: roster, contracts, checkpoints"
        own = own.warned(noted("design.by_code", f"{path} is made by code and has been put back", repair, file=path))
    before = {path: now.was.get(path) for path in (*gone, *forged)}
    texts = {path: now.look(Ref(path, sha), decode) if sha else None for path, sha in before.items()}
    docs = {path: sha for path, sha in {**now.state.docs, **before}.items() if sha}
    return replace(now, state=replace(now.state, docs=docs, own=own)), written(texts)


def _edited_after(now: Now, own: Design, changed: set[str], leads: list[str], writes: tuple[Command, ...]) -> Move:
    """After the approval an edit of the design voids it and waits for the person to resume. An edit of what an agent
    made is a new version: agents that built on the one before begin again."""
    design = {path for yes in own.approvals if yes.gate == "design" for path in yes.digests}
    found = [*leads, *(["verify"] if changed & design else [])]
    if own.step == "done":
        move = completion.noticed(now, own, changed, partial(_leads, own))
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
