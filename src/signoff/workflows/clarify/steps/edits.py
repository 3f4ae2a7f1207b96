"""What people edit while an inquiry is under way or after it: their bytes win, and what that makes stale is said."""

from __future__ import annotations

from signoff.core.commands import Ask, CancelTurn, Command, Withdraw
from signoff.core.decide import RESUME
from signoff.core.declarations import Now
from signoff.core.refs import Ref
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify import config
from signoff.workflows.clarify.checks import expected_decisions, lint, staleness
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.state import SOURCES, Inquiry, clarifications_of, decisions_of, judged, own_of
from signoff.workflows.clarify.steps.person_choices import AGAIN
from signoff.workflows.clarify.steps.turns import stopped_by_scope
from signoff.workflows.kit.table_steps import changed_paths, noted, put_back

ASKING = ("scope", "answers", "refinements", "unsettled")
ODD = ("clarifications.heading", "clarifications.entry", "clarifications.section", "clarifications.answer_label")
"""What a person may have meant as a question or an answer, and code does not read as one."""
WORKING = ("detail", "refine", "deepen", "confirm")


def edited(now: Now) -> Move:
    """A person's edit wins. Answers are judged again; work that read the old ones is done again."""
    own = own_of(now.state)
    needed = (own.clarifications, own.decisions)
    now, writes = put_back(now, own, "clarify.removed", lambda path: path in needed)
    changed = changed_paths(now)
    own = _edited_by_hand(now, _noticed(now, judged(now.state, now.look), changed))
    if own.step == "research" and any(path.startswith(SOURCES) for path in changed):
        own = replace(own, returned={})  # what was found in the old material need not be in the new
    if own.step == "complete":
        move = _edited_after(now, own, changed)
        return replace(move, commands=(*writes, *move.commands))
    outcome = _outcome(now, own, changed)
    cancel = tuple(CancelTurn(turn=turn) for turn in now.state.wanted) if outcome else ()
    return Move(own, (*writes, *cancel), outcome)


def _noticed(now: Now, own: Inquiry, changed: set[str]) -> Inquiry:
    if own.step in ("escalated", "complete"):
        own = replace(own, edited_since=tuple(sorted({*own.edited_since, *changed})))
    sources = any(path.startswith(SOURCES) for path in changed)
    if own.step not in ("research", "scope", "escalated") and sources:
        problem = "the sources changed after the research"
        own = own.warned(noted("clarify.sources", problem, "start a run of another name to have them researched"))
    doc = clarifications_of(now.state, now.look)
    if own.clarifications not in changed or doc is None:
        return own
    odd = tuple(one for one in lint.findings(doc) if one.rule in ODD)
    repair = "nothing to do: its id is not given to anything else"
    vanished = (
        noted("clarify.vanished", f"{key} ({title}) is no longer in the file", repair, key)
        for key, title in own.shown.items()
        if doc.item(key) is None
    )
    return replace(own.warned(*vanished).showing(doc), in_file=odd)


def _edited_by_hand(now: Now, own: Inquiry) -> Inquiry:
    """Which decisions are a person's own words now."""
    path, made = own.decisions, decisions_of(now.state, now.look)
    if path not in now.was or made is None:
        return own
    before = now.look(Ref(path, now.was[path]), de.parse_doc)
    old = {one.id: before.text[slice(*one.span)].strip() for one in before.entries}
    changed = {one.id for one in made.entries if old.get(one.id) != made.text[slice(*one.span)].strip()}
    return replace(own.giving(made.entries), by_hand=own.by_hand | changed)


def _outcome(now: Now, own: Inquiry, changed: set[str]) -> str | None:
    """Where an edit leads."""
    mine = own.clarifications in changed or config.PATH in changed
    if own.step == "research":
        return "redo" if config.PATH in changed or any(path.startswith(SOURCES) for path in changed) else None
    if own.step in ASKING:
        return "again" if mine or own.decisions in changed else None
    if own.step in WORKING and stopped_by_scope(now, own):
        return "scope"
    if own.step in WORKING and (mine or (own.step == "confirm" and own.decisions in changed)):
        return "redo"
    return None


# --- after the decisions (CL-13) --------------------------------------------------------------------------------------


def _edited_after(now: Now, own: Inquiry, changed: set[str]) -> Move:
    """What became stale is shown, with what it costs to decide it again; nothing is done before the person says so."""
    old = now.state.request_of("stale")
    withdraw: tuple[Command, ...] = (Withdraw(request=old.request),) if old else ()
    own = replace(own, stale=stale_now(now, own))
    if not own.stale:
        mine = {own.clarifications, own.decisions}
        return Move(replace(own, edited_since=()) if changed <= mine else own, withdraw)
    entries = ", ".join(own.stale)
    what = " and ".join(sorted(path.rsplit("/", 1)[-1] for path in own.edited_since)) or "the files"
    question = f"{own.name} was edited since it was decided ({what}). Stale: {entries}. Resume to decide that again."
    notes = {"from": list(AGAIN), "stale": dict(own.stale), "turns": 1}
    return Move(own, (*withdraw, Ask(key="stale", kind="stale", options=(RESUME,), question=question, notes=notes)))


def stale_now(now: Now, own: Inquiry) -> dict[str, str]:
    """Every id that no longer fits the answers, and why."""
    doc, made = clarifications_of(now.state, now.look), decisions_of(now.state, now.look)
    if doc is None or made is None or own.evaluation is None:
        return {}
    found = staleness.stale(made, doc, own.evaluation)
    undecided = dict.fromkeys(found.undecided, "answered since, and in no decision yet")
    waiting = dict.fromkeys(staleness.unsettled(made, doc, own.evaluation, own.given), "open: it waits for a person")
    unearned = {  # a status that a person wrote, and that the answers do not allow: `draft`, above all
        one.id: f"its status {one.was!r} is none of {', '.join(one.allowed)}: {one.why}"
        for one in expected_decisions.expected(doc, own.evaluation, made)
        if one.was is not None and one.was not in one.allowed
    }
    return {**unearned, **waiting, **undecided, **found.refinements, **found.decisions}
