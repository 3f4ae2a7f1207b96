"""Step 5: the agent weighs each decision again; code refuses what it may not say and writes what code knows better.

What is decided and still fits the answers stays byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signoff.core.commands import Write
from signoff.core.declarations import Now
from signoff.core.findings import Finding, failing
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks import staleness
from signoff.workflows.clarify.checks.answer_quality import judge
from signoff.workflows.clarify.checks.authority import unreadable
from signoff.workflows.clarify.checks.expected_decisions import Expected, expected
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.answers import CONTRADICTION, untagged
from signoff.workflows.clarify.documents.decisions import OPEN, STATUSES, Decision, Decisions, counts, cut, folded
from signoff.workflows.clarify.outputs import ConfirmOutput
from signoff.workflows.clarify.state import Inquiry, clarifications_of, decisions_of, judged, own_of
from signoff.workflows.clarify.steps.turns import on_output, stopped_by_scope, turn
from signoff.workflows.kit.table_steps import noted

# --- the turn ---------------------------------------------------------------------------------------------------------


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
        made = decisions_of(now.state, now.look)  # what a person wrote stays; only the counts are made right
        text = de.with_front(made.text, final(made.entries, own.round)) if made else ""
        writes = (Write(path=own.decisions, text=text),) if made else ()
        return Move(replace(own, stale={}), writes, _open_or_done(own, now, made))
    given = {
        "entries": [one.plain() for one in wanted],
        "round": own.round + 1,
        "path": own.clarifications,
        "decisions": own.decisions,
        "evaluation": own.evaluation.plain() if own.evaluation else None,
        "only": len(wanted) < len(entries),
    }
    task = f"Decide {', '.join(one.id for one in wanted)}: weigh each draft against the answers, none passes unchanged."
    reads = [own.clarifications, own.decisions]
    return Move(own, (turn(now, "confirm", "confirm-decisions", task, given, reads),))


def pending(now: Now) -> tuple[Expected, ...]:
    """What is not decided yet, or decided on other answers than the ones that are there now."""
    own, doc, before = own_of(now.state), clarifications_of(now.state, now.look), decisions_of(now.state, now.look)
    entries = every_entry(now)
    if own.round == 0 or before is None or doc is None or own.evaluation is None:
        return entries
    old = staleness.stale(before, doc, own.evaluation).decisions
    return tuple(one for one in entries if one.was in (None, "draft") or one.was not in one.allowed or one.id in old)


def _confirmed(now: Now, own: Inquiry, given: ConfirmOutput) -> Move:
    before = decisions_of(now.state, now.look)
    output = de.parse(given.decisions, own.decisions)
    entries, corrected = settled(output, wanted_of(now))
    text = de.render(entries, {}) if before is None else de.spliced(before, entries)
    made = de.parse(text, own.decisions)
    text = de.with_front(text, final(made.entries, own.round + 1))
    own = own.warned(*corrected, *front_findings(output, entries, own.round + 1))
    decided = frozenset(one.id for one in entries)
    own = replace(
        own.giving(made.entries), round=own.round + 1, stale={}, edited_since=(), by_hand=own.by_hand - decided
    )
    write = Write(path=own.decisions, text=text)
    return Move(own, (write,), _open_or_done(own, now, de.parse(text, own.decisions)))


on_confirm = on_output(ConfirmOutput, _confirmed)


def _open_or_done(own: Inquiry, now: Now, made: de.Decisions | None) -> str:
    doc = clarifications_of(now.state, now.look)
    if made is None or doc is None or own.evaluation is None:
        return "open"
    return "open" if staleness.unsettled(made, doc, own.evaluation, own.given) else "done"


# --- what is refused --------------------------------------------------------------------------------------------------

_OWN = ("decision", "reasoning", "implication", "contradiction", "change", "note")
"""What an agent writes itself; the rest of an entry is computed."""


def check_confirm(now: Now, output: ConfirmOutput) -> Sequence[Finding]:
    """The merge protocol: nothing dropped, renamed or passed through, and no status that was not earned."""
    own = own_of(now.state)
    made = de.parse(output.decisions, own.decisions)
    before_ref = now.state.ref(own.decisions)
    before = now.look(before_ref, de.parse_doc) if before_ref else None
    return [*unreadable(output), *failing(made.problems), *check_final(made, wanted_of(now), before)]


def wanted_of(now: Now) -> tuple[Expected, ...]:
    """The entries that the turn was asked for, computed again from the documents it read."""
    asked = {str(entry["id"]) for entry in now.turn.start.notes["entries"]} if now.turn else set()
    return tuple(one for one in every_entry(now) if one.id in asked)


def every_entry(now: Now) -> tuple[Expected, ...]:
    """What decisions.md must hold, by the answers as they are."""
    own, doc = own_of(now.state), clarifications_of(now.state, now.look)
    if doc is None or own.evaluation is None:
        return ()
    ref = now.state.ref(own.decisions)
    return expected(doc, own.evaluation, now.look(ref, de.parse_doc) if ref else None, own.given)


def check_final(output: Decisions, wanted: Sequence[Expected], before: Decisions | None) -> tuple[Finding, ...]:
    """Everything for which the output cannot be taken; problems of reading it are not repeated here."""
    return tuple(_Check(output, wanted, before).findings())


class _Check:
    """One output against what was asked for."""

    def __init__(self, output: Decisions, wanted: Sequence[Expected], before: Decisions | None) -> None:
        self.output, self.wanted, self.before = output, wanted, before
        self.asked = {one.id for one in wanted}
        self.known = {key for one in wanted for key in one.sources}
        self.waiting = {key: one for one in wanted if one.allowed == ("critical-gap",) for key in one.sources}
        self.renamed: set[str] = set()

    def wrong(self, rule: str, about: str, problem: str, repair: str, entry: Decision | None = None) -> Finding:
        line = entry.line or None if entry else None
        return Finding(
            rule=f"decisions.{rule}", problem=problem, repair=repair, file=self.output.file, line=line, about=about
        )

    def findings(self) -> Iterator[Finding]:
        for one in self.wanted:
            entry = self.output.entry(one.id)
            if entry is None:
                yield self.missing(one)
            else:
                yield from self.entry(one, entry)
        yield from self.unknown()

    # --- which entries ------------------------------------------------------------------------------------------------

    def missing(self, one: Expected) -> Finding:
        others = (entry for entry in self.output.entries if entry.id not in self.asked)
        twin = next((entry for entry in others if set(entry.sources) == set(one.sources)), None)
        if twin is None:
            problem = f"{one.id} ({one.title}) is not there, and no entry may be dropped"
            how = f"`### {one.id}: {one.title}` with Source {', '.join(one.sources)} and the status {_or(one.allowed)}"
            return self.wrong("missing", one.id, problem, f"decide it: {how}")
        self.renamed.add(twin.id)
        problem = f"{one.id} ({one.title}) is not there; {twin.id} rests on the same {', '.join(twin.sources)}: renamed"
        return self.wrong("missing", one.id, problem, f"write `### {one.id}: {one.title}`; ids never change", twin)

    def unknown(self) -> Iterator[Finding]:
        for entry in self.output.entries:
            if entry.id in self.asked or entry.id in self.renamed:
                continue
            there = self.before is not None and self.before.entry(entry.id) is not None
            why = "was not asked for this time" if there else "is an id that was not asked for"
            repair = f"leave it out: write only {', '.join(one.id for one in self.wanted)}"
            yield self.wrong("unknown", entry.id, f"{entry.id} ({entry.title}) {why}", repair, entry)

    # --- one entry ----------------------------------------------------------------------------------------------------

    def entry(self, one: Expected, entry: Decision) -> Iterator[Finding]:
        if untagged(entry.title) != untagged(one.title):
            problem = f"{one.id} was {one.title!r} and is now {entry.title!r}"
            yield self.wrong("renamed", one.id, problem, f"write `### {one.id}: {one.title}`", entry)
        yield from self.sources(one, entry)
        allowed = self.allowed(one, entry)
        if entry.status == "draft":
            problem = f"{one.id} still has the status 'draft', and every draft has to be decided"
            yield self.wrong("draft", one.id, problem, f"use {_or(allowed)}: {one.why}", entry)
        elif entry.status in STATUSES and entry.status not in allowed:
            problem = f"{one.id} has the status {entry.status!r}, which it may not have now: {one.why}"
            yield self.wrong("status", one.id, problem, f"use {_or(allowed)}", entry)
        # The rest is judged by the status that it must have, so that one more try can repair everything.
        entry = replace(entry, status=entry.status if entry.status in allowed else allowed[0])
        yield from self.conflict(one, entry)
        yield from self.words(one, entry)

    def allowed(self, one: Expected, entry: Decision) -> tuple[str, ...]:
        """An answer of another entry may be the other side of a conflict, once it is named as a source."""
        if "resolved" in one.allowed and len(self.known.intersection({*one.sources, *entry.sources})) > 1:
            return tuple(dict.fromkeys(["resolved", "conflict-resolved", *one.allowed]))
        return one.allowed

    def sources(self, one: Expected, entry: Decision) -> Iterator[Finding]:
        if not entry.sources:
            return  # said when it was read
        repair = f"write `- **Source:** {', '.join(one.sources)}`"
        if lost := [key for key in one.sources if key not in entry.sources]:
            problem = f"{one.id} leaves out {', '.join(lost)}, on which it has to rest"
            yield self.wrong("source", one.id, problem, repair, entry)
        if strange := [key for key in entry.sources if key not in self.known]:
            problem = f"{one.id} names {', '.join(map(repr, strange))}, which is not a source of the entries asked for"
            yield self.wrong("source", one.id, problem, repair, entry)
        if waiting := [key for key in entry.sources if key not in one.sources and key in self.waiting]:
            gaps = ", ".join(dict.fromkeys(self.waiting[key].id for key in waiting))
            problem = f"{one.id} names {', '.join(waiting)}, of the open gap {gaps}: nothing can be decided on it yet"
            yield self.wrong("source", one.id, problem, repair, entry)

    def conflict(self, one: Expected, entry: Decision) -> Iterator[Finding]:
        if entry.status != "conflict-resolved":
            return
        sources = list(dict.fromkeys([*one.sources, *(key for key in entry.sources if key in self.known)]))
        named = set(sources).intersection(ids.NAMED.findall(entry.contradiction))
        roots = set(map(ids.root, sources))
        if one.title.startswith(CONTRADICTION) and len(roots) > 1:
            named = set(map(ids.root, named))  # a question and its own refinement are one side of it
        if len(named) < 2:
            found = ", ".join(sorted(named, key=ids.order)) or "neither"
            problem = f"{one.id} is conflict-resolved, and of the two sides its Contradiction names {found}"
            repair = f"say in `- **Contradiction:** …` which ids disagree and how, by id: {', '.join(sources)}"
            yield self.wrong("conflict", one.id, problem, repair, entry)

    def words(self, one: Expected, entry: Decision) -> Iterator[Finding]:
        """An entry that is decided says what, why and with which effect; an open one says what it waits for."""
        lacking = _lacking(entry)
        if lacking and entry.status in OPEN:
            problem = f"{one.id} is open ({entry.status}) and does not say what it waits for"
            yield self.wrong("note", one.id, problem, "add `- **Note:** …` with what the person has to answer", entry)
        elif lacking:
            problem = f"{one.id} was passed through: it has no {' and no '.join(lacking)} of its own"
            lines = ", ".join(f"`- **{name}:** …`" for name in lacking)
            yield self.wrong("unchanged", one.id, problem, f"weigh it against its answers and add {lines}", entry)
        elif self.is_passed_on(one, entry):
            problem = f"{one.id} was passed through: its answers have changed and not a word of it has"
            repair = "weigh it against the answers of now; if the decision stands, say in `- **Reasoning:** …` why"
            yield self.wrong("unchanged", one.id, problem, repair, entry)

    def is_passed_on(self, one: Expected, entry: Decision) -> bool:
        old = self.before.entry(one.id) if self.before else None
        if old is None or entry.status in OPEN:
            return False
        news = (set(one.sources), one.answers, one.settled) != (set(old.sources), old.answers, old.settled)
        return news and all(getattr(entry, name) == getattr(old, name) for name in _OWN)


def _lacking(entry: Decision) -> list[str]:
    """The fields that an entry of this status cannot do without and has not."""
    if entry.status == "needs-review":
        return [] if any(_says(entry, name) for name in ("Decision", "Reasoning", "Note")) else ["Reasoning"]
    needed = ("Note",) if entry.status in OPEN else ("Decision", "Reasoning", "Implication")
    return [name for name in needed if not _says(entry, name)]


def _says(entry: Decision, name: str) -> bool:
    """Whether a field has words in it, and not only `TBD`."""
    value = str(getattr(entry, name.lower()))
    return bool(value) and judge(value).why not in ("empty", "placeholder")


def _or(names: Sequence[str]) -> str:
    return " or ".join(names)


# --- taking it --------------------------------------------------------------------------------------------------------


def settled(output: Decisions, wanted: Sequence[Expected]) -> tuple[tuple[Decision, ...], tuple[Finding, ...]]:
    """The entries as they will be written: the agent's words, and what code computed; warnings where they differed."""
    answers = {key: said for one in wanted for key, said in one.answers.items()}
    heard = {key: words for one in wanted for key, words in one.heard.items()}
    entries, warnings = list[Decision](), list[Finding]()
    for one in wanted:
        entry = output.entry(one.id)
        if entry is not None:
            sources = _sources(one, entry, answers)
            made = replace(
                entry,
                title=one.title,
                sources=sources,
                section=one.section,
                answers={key: answers[key] for key in sources if key in answers},
                settled=_settled(one, [heard[key] for key in sources if key in heard and key not in one.sources]),
                change=_change(one, entry),
                line=0,
                span=(0, 0),
            )
            entries.append(made)
            warnings += _corrected(output.file, entry, made)
    return tuple(entries), tuple(warnings)


def _settled(one: Expected, more: Sequence[str]) -> str:
    """What the person settled; what they said to the gap of an added source is part of it."""
    if one.title.startswith(CONTRADICTION):
        return one.settled
    return "; ".join(
        dict.fromkeys(filter(None, [one.settled, *(said for said in more if said not in one.heard.values())]))
    )


def _change(one: Expected, entry: Decision) -> str:
    """What the agent says has changed, after what code knows of it; an open entry is held to nothing yet."""
    if entry.status in OPEN or one.change in entry.change:
        return entry.change
    return f"{one.change}. {entry.change}".strip() if entry.change else one.change


def _sources(one: Expected, entry: Decision, answers: Mapping[str, str]) -> tuple[str, ...]:
    """The computed sources, then what the agent added from other entries, with the refinements that belong to it.

    An open entry takes none: an answer to something else does not answer what it waits for.
    """
    if entry.status in OPEN:
        return one.sources
    added = [key for key in entry.sources if key not in one.sources and key in answers]
    more = [key for key in answers if ids.is_within(key, added)]
    return tuple(dict.fromkeys([*one.sources, *added, *more]))


def _corrected(file: str, entry: Decision, made: Decision) -> Iterator[Finding]:
    for key, said in entry.answers.items():
        if said != made.answers.get(key):
            yield _warning("answer", file, entry, f"the answer of {key or 'nothing'}", said, made.answers.get(key, ""))
    if entry.settled and entry.settled != made.settled:
        yield _warning("answer", file, entry, "what the person settled", entry.settled, made.settled)
    if left := [key for key in entry.sources if key not in made.sources]:
        said, right = (", ".join(sources) for sources in (entry.sources, made.sources))
        problem = f"{entry.id} is open and names {', '.join(left)} as a source, which cannot answer it"
        yield replace(_warning("source", file, entry, "the sources", said, right), problem=problem)
    if entry.section and entry.section != folded(made.section):
        yield _warning("section", file, entry, "the section", entry.section, made.section)


def _warning(rule: str, file: str, entry: Decision, what: str, said: str, right: str) -> Finding:
    shown = repr(cut(right)) if right else "nothing"
    problem = f"{entry.id} gives {what} as {cut(said)!r}; the clarifications say {shown}"
    return Finding(
        rule=f"decisions.{rule}",
        problem=problem,
        repair="nothing to do: it was written as the clarifications say",
        file=file,
        line=entry.line or None,
        about=entry.id,
        severity="warning",
    )


# --- frontmatter ------------------------------------------------------------------------------------------------------


def final(entries: Sequence[Decision], round: int) -> dict[str, Any]:  # noqa: A002 - the field is called so
    """The frontmatter of a final file, counted; it is complete when nothing in it is open."""
    still = any(entry.status in (*OPEN, "draft") for entry in entries)
    return {"status": "open" if still else "complete", **counts(entries), "round": round}


def reviewing(decisions: Decisions) -> tuple[str, ...]:
    """The decisions that a person should look at again, because their answers do not settle them."""
    return tuple(entry.id for entry in decisions.entries if entry.status == "needs-review")


def front_findings(
    output: Decisions,
    entries: Sequence[Decision],
    round: int,  # noqa: A002 - the field is called so
) -> tuple[Finding, ...]:
    """Where the frontmatter that an agent wrote is not what code counts; nothing it left out is held against it."""
    return tuple(
        Finding(
            rule="decisions.count",
            problem=f"the output says `{name}: {output.front[name]}`, and it is {right}",
            repair="nothing to do: it was corrected",
            file=output.file,
            line=1,
            about=name,
            severity="warning",
        )
        for name, right in final(entries, round).items()
        if name in output.front and output.front[name] != right
    )
