"""Confirm-decisions: every entry weighed against all answers that bear on it, with reasoning and what follows from it.

The decision is what the person said, never more. Where a refinement speaks against the answer to its question, the
refinement holds, because it came later and was asked about exactly that point, and the entry says so. Code can name the
answers that bear a decision and the choices that fall away; what a decision means for the trade, it cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final

from signoff.artifacts.numbers import with_units
from signoff.workflows.clarify import decisions
from signoff.workflows.clarify.clarifications import Clarifications, Item
from signoff.workflows.clarify.decisions import Decision
from signoff.workflows.clarify.evaluation import judge, meaning
from signoff.workflows.clarify.expectation import untagged
from signoff.workflows.clarify.ids import ID, parent, root
from signoff.workflows.clarify.players.analyst import ground_of, said
from signoff.workflows.clarify.players.clashes import Ground, Said, changed, clash
from signoff.workflows.clarify.players.desk import Desk, Payload, player
from signoff.workflows.clarify.players.phrases import CHINESE, ENGLISH, Phrases
from signoff.workflows.clarify.players.refiner import DELEGATED
from signoff.workflows.clarify.players.replies import Reply, reply_of
from signoff.workflows.clarify.players.research_notes import letter_of
from signoff.workflows.wording import clipped, folded, is_chinese, joined, plain, sentences

OPEN: Final = decisions.OPEN


@dataclass(frozen=True)
class Case:
    """One entry to be decided: what code says of it, and the items of the file that it rests on."""

    entry: Mapping[str, Any]
    doc: Clarifications
    ground: Ground

    @property
    def id(self) -> str:
        return str(self.entry["id"])

    @property
    def title(self) -> str:
        return str(self.entry["title"])

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(map(str, self.entry["sources"]))

    @property
    def allowed(self) -> tuple[str, ...]:
        return tuple(map(str, self.entry["allowed"]))

    @property
    def settled(self) -> str:
        return folded(str(self.entry.get("settled") or ""))

    @cached_property
    def phrases(self) -> Phrases:
        return CHINESE if is_chinese(self.title, self.settled, *self.said.values()) else ENGLISH

    @cached_property
    def items(self) -> Mapping[str, Item]:
        found = {key: self.doc.item(key) for key in self.sources}
        return {key: item for key, item in found.items() if item is not None}

    @property
    def change(self) -> str:
        """Which answer of a contradiction changed since it was found."""
        return folded(str(self.entry.get("change") or ""))

    @cached_property
    def replies(self) -> Mapping[str, Reply]:
        answered = (key for key, item in self.items.items() if item.answer.strip())
        return {key: reply_of(self.items[key]) for key in answered if self.verdict(key) != "not_answered"}

    @cached_property
    def said(self) -> Mapping[str, str]:
        """What each answered source says, on one line."""
        return {key: reply.said for key, reply in self.replies.items()}

    def verdict(self, key: str) -> str:
        item = self.items.get(key)
        return judge(item.answer, item.choices).verdict if item else "not_answered"

    @cached_property
    def clear(self) -> tuple[str, ...]:
        """The sources that settle something; a short answer may be a term that the project knows, so code decides."""
        found = tuple(key for key in self.said if self.verdict(key) == "clear")
        return found or (tuple(self.said) if "resolved" in self.allowed else ())

    def as_said(self, key: str) -> Said:
        item = self.items[key]
        return Said(key, item.title, item.body, self.said[key])


@dataclass(frozen=True, slots=True)
class Ruling:
    """A contradiction that a person settled: the entry, its sides, and the one that was said to hold ("" for none)."""

    id: str
    sides: tuple[str, ...]
    holds: str
    text: str


def _work(desk: Desk) -> Payload:
    doc = desk.clarifications
    ground = ground_of(doc)
    cases = [Case(entry, doc, ground) for entry in desk.notes.get("entries", ())]
    rulings = [ruling for case in (*cases, *_ruled_before(desk, cases)) if (ruling := _ruling(case))]
    entries = [_decided(case, rulings) for case in cases]
    front = {
        "status": "open" if any(entry.status in OPEN for entry in entries) else "complete",
        **decisions.counts(entries),
        "round": desk.notes.get("round", 1),
    }
    return {"decisions": decisions.render(entries, front)}


def _ruled_before(desk: Desk, cases: Sequence[Case]) -> Iterator[Case]:
    """Contradictions that were settled earlier and are not asked for again: what they settled still holds."""
    before = decisions.parse(desk.text(str(desk.notes.get("decisions", ""))) or "")
    asked = {case.id for case in cases}
    for entry in before.entries:
        if entry.status == "conflict-resolved" and entry.settled and entry.id not in asked:
            plain_entry = {"id": entry.id, "title": entry.title, "sources": entry.sources, "settled": entry.settled}
            yield Case({**plain_entry, "allowed": ["conflict-resolved"]}, desk.clarifications, Ground({}, frozenset()))


def _decided(case: Case, rulings: Sequence[Ruling]) -> Decision:
    blank = Decision(
        id=case.id,
        title=case.title,
        sources=case.sources,
        section=str(case.entry.get("section") or ""),
        answers={str(key): folded(str(text)) for key, text in (case.entry.get("answers") or {}).items()},
        settled=case.settled,
        status=case.allowed[0] if case.allowed else "needs-review",
    )
    if case.change and "contradiction" in case.allowed:
        return _judged_again(case, blank)
    if blank.status in OPEN:
        return replace(blank, note=_open_note(case))
    if case.settled:
        return _settled(case, blank)
    if case.allowed == ("needs-review",) or not case.clear:
        return _reviewed(case, blank)
    return _resolved(case, blank, rulings)


# --- the ways an entry can go -----------------------------------------------------------------------------------------


def _open_note(case: Case) -> str:
    words, keys = case.phrases, ", ".join(case.sources)
    return (words.open_contradiction if "contradiction" in case.allowed else words.open_gap).format(keys=keys)


def _judged_again(case: Case, blank: Decision) -> Decision:
    """An answer of a contradiction changed: where nothing speaks against it any more, the answers stand as they are."""
    words, keys = case.phrases, ", ".join(case.sources)
    changed = words.changed.format(change=case.change)
    sides = [case.as_said(key) for key in case.said]
    if any(clash(a, b, case.ground) for a, b in combinations(sides, 2) if root(a.key) != root(b.key)):
        return replace(blank, status="contradiction", note=joined([_open_note(case), changed]))
    if "resolved" not in case.allowed:
        made = _reviewed(case, blank)
        return replace(made, reasoning=joined([changed, made.reasoning]))
    return replace(
        blank,
        status="resolved",
        decision=words.agree.format(sides=_sides(case)),
        reasoning=joined([changed, words.agree_why.format(keys=keys)]),
        implication=words.agree_so.format(keys=keys),
    )


def _settled(case: Case, blank: Decision) -> Decision:
    """A person answered a contradiction or a critical gap; that answer is the decision."""
    words, is_conflict = case.phrases, case.allowed == ("conflict-resolved",)
    made = replace(
        blank,
        status="conflict-resolved" if is_conflict else "resolved",
        decision=_stated(case, case.settled),
        reasoning=words.settled_why.format(sides=_sides(case)) if is_conflict else words.settled_gap,
        implication=_implication(case, case.settled),
    )
    if not is_conflict:
        return made
    follows = words.both_follow.format(keys=", ".join(case.sources))
    return replace(made, implication=follows, contradiction=words.against.format(sides=_sides(case)))


def _sides(case: Case) -> str:
    """Every source with its words, so that both sides of a contradiction can be read."""
    words = case.phrases
    shown = {key: clipped(case.said.get(key, words.nothing), 200) for key in case.sources}
    return "; ".join(words.side.format(key=key, text=text) for key, text in shown.items())


def _reviewed(case: Case, blank: Decision) -> Decision:
    """Nothing clear to decide from: what was said is kept, and what is missing is named."""
    words, keys = case.phrases, ", ".join(case.sources)
    said = "; ".join(case.said.values()) or words.nothing
    return replace(
        blank,
        status="needs-review",
        decision=words.tentative.format(said=clipped(said, 300)),
        reasoning=words.tentative_why.format(keys=keys),
        implication=words.tentative_so,
        note=words.tentative_note.format(keys=keys),
    )


def _resolved(case: Case, blank: Decision, rulings: Sequence[Ruling]) -> Decision:
    ruled, against = _overruled(case, rulings), _contradicted(case)
    first = against[1] if against else case.clear[0]
    text = _following(case, first, ruled) if ruled else _text(case, first, against)
    made = replace(
        blank,
        status="resolved",
        decision=_stated(case, text),
        reasoning=joined(_reasons(case, first, against, rulings)),
        implication=_implication(case, text, "" if ruled else first),
        change=_change(case),
    )
    if case.said[first].startswith(DELEGATED) and "needs-review" in case.allowed:
        words = case.phrases
        return replace(made, status="needs-review", implication=words.tentative_so, note=words.delegated)
    if against is None or "conflict-resolved" not in case.allowed:
        return made
    sides = "; ".join(case.phrases.side.format(key=key, text=clipped(case.said[key], 200)) for key in against)
    told = case.phrases.later.format(sides=sides, key=against[1])
    return replace(made, status="conflict-resolved", contradiction=told)


def _text(case: Case, first: str, against: tuple[str, str] | None) -> str:
    """What was decided: the answer that bears it, and what clear refinements add."""
    left_out = {first, *(against or ())}
    texts = [case.said[first], *(case.said[key] for key in case.clear if key not in left_out)]
    return joined(_sentence(clipped(text, 400)) for text in dict.fromkeys(texts))


def _following(case: Case, first: str, ruled: Ruling) -> str:
    """What is left of an answer when the part that a ruling goes against is taken out, and the ruling."""
    holding = case.doc.item(ruled.holds)
    found = clash(case.as_said(first), said(holding), case.ground) if holding else None
    kept = [one for one in sentences(case.said[first]) if found and found.left not in one]
    return joined([*kept, case.phrases.follows.format(id=ruled.id, ruling=ruled.text)])


# --- what speaks for and against --------------------------------------------------------------------------------------


def _contradicted(case: Case) -> tuple[str, str] | None:
    """An answer and a later answer below it that cannot both hold."""
    for later in case.clear:
        above = parent(later)
        while above is not None and above not in case.clear:
            above = parent(above)
        if above is not None and clash(case.as_said(above), case.as_said(later), case.ground, kin=True):
            return above, later
    return None


def _change(case: Case) -> str:
    """A parameter that a refinement changed."""
    for later in case.clear:
        above = case.doc.item(parent(later) or "")
        found = changed(meaning(above.answer, above.choices), case.said[later]) if above else None
        if above and found:
            old, new = found
            return case.phrases.change.format(old=old.text, above=above.key, new=new.text, later=later)
    return ""


def _ruling(case: Case) -> Ruling | None:
    if case.allowed != ("conflict-resolved",) or not case.settled:
        return None
    sides = tuple(key for key in case.sources if parent(key) is None)
    named = [found.group() for found in ID.finditer(clipped(case.settled, 40)) if found.group() in sides]
    holds = named[0] if len(named) == 1 else ""
    _, mark, rest = case.settled.partition(":") if holds else ("", "", "")
    return Ruling(case.id, sides, holds, rest.strip() if mark and rest.strip() else case.settled)


def _overruled(case: Case, rulings: Sequence[Ruling]) -> Ruling | None:
    """The settled contradiction by which this answer no longer holds."""
    return next((one for one in rulings if one.holds and one.holds not in case.sources and _is_side(case, one)), None)


def _is_side(case: Case, ruling: Ruling) -> bool:
    return case.id != ruling.id and any(key in ruling.sides for key in case.sources)


def _reasons(case: Case, first: str, against: tuple[str, str] | None, rulings: Sequence[Ruling]) -> Iterator[str]:
    words, sided = case.phrases, [one for one in rulings if _is_side(case, one)]
    yield from _borne_by(case, first)
    for key in case.said:
        if key != first:
            phrase = words.adds if key in case.clear else words.vague
            yield phrase.format(key=key, text=clipped(case.said[key], 200))
    if against:
        yield words.later_why.format(later=against[1], above=against[0])
    for one in sided:
        is_against = one.holds and one.holds not in case.sources
        yield (words.overruled if is_against else words.upheld).format(id=one.id, keys=", ".join(one.sides))
    if len(case.said) == 1 and not sided:
        yield words.alone


def _borne_by(case: Case, key: str) -> Iterator[str]:
    """How an answer came about: by a choice, recommended or not, or in the person's own words; and what it refines."""
    words, reply = case.phrases, case.replies[key]
    yield _way(case, key)
    if reply.taken_over and reply.reason:
        yield words.reason.format(reason=_sentence(clipped(reply.reason, 300)))
    elif reply.choices and reply.goes_further and not reply.taken_over:
        yield words.more
    above = case.doc.item(parent(key) or "")
    if above and above.key not in case.said:
        said_there = folded(meaning(above.answer, above.choices))
        phrase = words.refines if said_there else words.refines_nothing
        yield phrase.format(key=above.key, text=clipped(said_there, 120))


def _way(case: Case, key: str) -> str:
    words, reply = case.phrases, case.replies[key]
    advised = letter_of(case.items[key].recommendation)[0]
    if reply.taken_over:
        phrase = words.taken_over if reply.choices else words.taken_over_whole
    elif not reply.choices:
        phrase = words.own_words
    elif len(reply.choices) > 1:
        phrase = words.chosen_several if advised else words.chosen_several_freely
    elif advised:
        phrase = words.recommended if advised == reply.letters else words.chosen_otherwise
    else:
        phrase = words.chosen
    return phrase.format(key=key, letter=reply.letters, advised=advised)


def _fallen(case: Case, first: str) -> tuple[str, ...]:
    """The choices that were offered beside those that were taken."""
    taken = case.replies[first].choices
    others = case.items[first].choices if taken else ()
    return tuple(
        f"{choice.letter}. {clipped(plain(choice.text), 90)}"
        for choice in others
        if not choice.other and choice not in taken and not choice.text.startswith(DELEGATED)
    )


def _together(case: Case, first: str) -> str:
    """Of several choices, that all of them apply."""
    taken = case.replies[first].choices
    named = "; ".join(f"{choice.letter}. {clipped(plain(choice.text), 90)}" for choice in taken)
    return case.phrases.together.format(choices=named) if len(taken) > 1 else ""


def _implication(case: Case, text: str, first: str = "") -> str:
    """What follows: where it applies, which choices do and which do not, and what has to be kept."""
    words, top = case.phrases, case.doc.item(root(case.sources[0])) if case.sources else None
    told = [words.so.format(title=clipped(plain(top.title if top else untagged(case.title)), 120))]
    if first and (together := _together(case, first)):
        told.append(together)
    if first and (offered := _fallen(case, first)):
        told.append(words.fallen.format(choices="; ".join(offered)))
    if names := sorted(name for name in case.ground.names if name in text):
        told.append(words.names.format(names=", ".join(names)))
    if numbers := list(dict.fromkeys(quantity.text for quantity in with_units(text))):
        told.append(words.numbers.format(numbers=", ".join(numbers[:4])))
    return joined(told)


def _stated(case: Case, text: str) -> str:
    """A decision as a sentence; one that would read as a placeholder is said to be what was answered."""
    stated = _sentence(plain(text))
    is_empty = judge(stated).why in ("empty", "placeholder")
    return case.phrases.as_written.format(text=clipped(folded(text), 300)) if is_empty else stated


def _sentence(text: str) -> str:
    said = folded(text)
    end = "" if not said or said[-1] in ".。!?！？…" else "。" if is_chinese(said) else "."
    return said[:1].upper() + said[1:] + end


confirm_decisions = player(_work)
