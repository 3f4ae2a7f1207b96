"""Step 5: decisions, each weighed again; what is decided and not stale stays byte for byte."""

from __future__ import annotations

from signoff.core.commands import Write
from signoff.core.declarations import Now
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify import merge
from signoff.workflows.clarify.checks.authority import every_entry, wanted_of
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.outputs import (
    ConfirmOutput,
)
from signoff.workflows.clarify.state import (
    Inquiry,
    clarifications,
    clarifications_of,
    decisions,
    decisions_of,
    judged,
    noted,
    own_of,
)
from signoff.workflows.clarify.steps.turns import blocked, is_end_of_turn, stopped_by_scope, turn


def enter_confirm(now: Now) -> Move:
    """The agent is asked for what has to be decided, or decided again; everything else stays byte for byte."""
    own = judged(now.state, now.look)
    if stopped_by_scope(now, own):
        return Move(own, (), "scope")
    now = replace(now, state=replace(now.state, own=own))
    entries, wanted = every_entry(now), pending(now)
    if not entries:
        warning = noted("clarify.undecided", "there is no answer to decide anything from", "answer some questions")
        return Move(own.warned(warning), (), "nothing")
    if not wanted:
        return Move(replace(own, stale={}), _counted(now, own), _outcome(now, own))
    given = {
        "entries": [one.plain() for one in wanted],
        "round": own.round + 1,
        "path": clarifications(own.name),
        "decisions": decisions(own.name),
        "evaluation": own.evaluation.plain() if own.evaluation else None,
        "only": len(wanted) < len(entries),
    }
    task = f"Decide {', '.join(one.id for one in wanted)}: weigh each draft against the answers, none passes unchanged."
    reads = [clarifications(own.name), decisions(own.name)]
    return Move(own, (turn(now, "confirm", "confirm-decisions", task, given, reads),))


def _counted(now: Now, own: Inquiry) -> tuple[Write, ...]:
    """Where nothing has to be decided, what a person wrote stays; only the counts are made right."""
    made = decisions_of(now.state, now.look)
    text = de.with_front(made.text, merge.final(made.entries, own.round)) if made else ""
    return (Write(path=decisions(own.name), text=text),) if made else ()


def pending(now: Now) -> tuple[merge.Expected, ...]:
    """What is not decided yet, or decided on other answers than the ones that are there now."""
    own, doc, before = own_of(now.state), clarifications_of(now.state, now.look), decisions_of(now.state, now.look)
    entries = every_entry(now)
    if own.round == 0 or before is None or doc is None or own.evaluation is None:
        return entries
    old = merge.stale(before, doc, own.evaluation).decisions
    return tuple(one for one in entries if one.was in (None, "draft") or one.was not in one.allowed or one.id in old)


def on_confirm(now: Now) -> Move:
    if not is_end_of_turn(now):
        return Move(own_of(now.state))
    if stop := blocked(now, "confirm-decisions"):
        return stop
    assert isinstance(now.output, ConfirmOutput)  # narrows the type: the contract read it
    own, before = own_of(now.state), decisions_of(now.state, now.look)
    output = de.parse(now.output.decisions, decisions(own.name))
    entries, corrected = merge.settled(output, wanted_of(now))
    text = de.render(entries, {}) if before is None else de.spliced(before, entries)
    made = de.parse(text, decisions(own.name))
    text = de.with_front(text, merge.final(made.entries, own.round + 1))
    own = own.warned(*corrected, *merge.front_findings(output, entries, own.round + 1))
    decided = frozenset(one.id for one in entries)
    own = replace(
        own.giving(made.entries), round=own.round + 1, stale={}, edited_since=(), by_hand=own.by_hand - decided
    )
    write = Write(path=decisions(own.name), text=text)
    return Move(own, (write,), _open_or_done(own, now, de.parse(text, decisions(own.name))))


def _outcome(now: Now, own: Inquiry) -> str:
    return _open_or_done(own, now, decisions_of(now.state, now.look))


def _open_or_done(own: Inquiry, now: Now, made: de.Decisions | None) -> str:
    doc = clarifications_of(now.state, now.look)
    if made is None or doc is None or own.evaluation is None:
        return "open"
    return "open" if merge.unsettled(made, doc, own.evaluation, own.given) else "done"
