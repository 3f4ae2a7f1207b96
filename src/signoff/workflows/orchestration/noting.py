"""What becomes of the notes that an agent says: numbered by code, settled only by whoever may settle them.

Whose question a note is can only move up (`LADDER`): an agent may find that a matter of implementation is one of
security, and never the other way round. So no number of turns makes a note its own that was somebody else's once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from operator import eq
from typing import Final

from signoff.core.findings import Finding
from signoff.workflows.orchestration.authority import DECIDES, Category, Decider
from signoff.workflows.orchestration.notes import Note, Resolver, Said

LADDER: Final[tuple[Decider, ...]] = (
    "agent_self", "tactical_solution_architect", "escalation_resolution", "person",
)  # fmt: skip
"""Who decides, from the agent itself up to the person."""


def merged(known: Sequence[Note], said: Sequence[Said], at: int) -> tuple[Note, ...]:
    """The notes of a session after a turn; new ones are numbered, and nothing that was settled is changed."""
    notes = {note.note_id: note for note in known}
    numbers = count(_highest(notes) + 1)
    for one in said:
        before = notes.get(one.note_id or "")
        if before is None:
            note = _note(one, f"note_{next(numbers):03d}", at, at, one.category)
        elif before.status == "resolved":
            continue
        else:
            note = _note(one, before.note_id, before.timestamp, at, one.category or before.category)
        notes[note.note_id] = note
    return tuple(notes.values())


def _highest(notes: Iterable[str]) -> int:
    """The highest number there is: ids go on from there and are never given twice, whatever is missing between them."""
    return max((int(note_id.rpartition("_")[2]) for note_id in notes), default=0)


def _note(one: Said, note_id: str, since: int, at: int, category: Category | None) -> Note:
    own = one.status == "resolved"
    return Note(
        note_id=note_id,
        timestamp=since,
        description=one.description,
        context=one.context,
        category=category,
        status=one.status,
        resolution=one.resolution if own else None,
        resolved_by="agent_self" if own else None,
        resolution_timestamp=at if own else None,
        escalation_reason=one.escalation_reason if one.status == "escalated" else None,
    )


def resolved(note: Note, resolution: str, by: Resolver, at: int) -> Note:
    """A note that somebody else has settled; one that is settled stays as it is."""
    settled = {"status": "resolved", "resolution": resolution, "resolved_by": by, "resolution_timestamp": at}
    return note if note.status == "resolved" else _with(note, settled)


def escalated(note: Note, reason: str) -> Note:
    """An open note that its agent did not settle in time, and that is put to somebody else."""
    return _with(note, {"status": "escalated", "escalation_reason": reason}) if note.status == "open" else note


def _with(note: Note, changed: Mapping[str, object]) -> Note:
    """The note with these fields, in its form: a copy would be believed without being looked at."""
    return Note.model_validate({**note.model_dump(), **changed})


def asked(known: Sequence[Note], said: Sequence[Said], same: Callable[[str, str], bool] = eq) -> tuple[str, ...]:
    """What a turn asks that was not asked before: its new notes, and those that now say something else.

    One that is only carried on, in what counts as the same words, is not asked again.
    """
    before = {note.note_id: note.description for note in known}
    return tuple(
        one.description
        for one in said
        if one.status != "resolved" and not (one.note_id in before and same(before[one.note_id], one.description))
    )


# --- what is refused --------------------------------------------------------------------------------------------------


def findings(
    known: Sequence[Note],
    said: Sequence[Said],
    keywords: Sequence[str],
    own: Collection[Category] = (),
) -> tuple[Finding, ...]:
    """What an agent may not say: a note that is not its own, a settled one anew, a decision that is not its to make.

    `own` are categories that are this agent's to settle besides those that are every agent's: a tactical task has
    those of the tactical architect. The keywords bind it like everybody.
    """
    return tuple(_wrong(known, said, tuple(keywords), own))


def _wrong(
    known: Sequence[Note], said: Sequence[Said], keywords: tuple[str, ...], own: Collection[Category]
) -> Iterator[Finding]:
    notes = {note.note_id: note for note in known}
    seen: set[str] = set()
    for one in said:
        before = notes.get(one.note_id or "")
        if one.note_id in seen:
            yield _finding("twice", f"{one.note_id} is said twice", "say each note once", one)
        if one.note_id is not None:
            seen.add(one.note_id)
        if one.note_id is not None and before is None:
            valid = ", ".join(notes) or "none yet"
            problem = f"there is no {one.note_id} in this session; valid: {valid}"
            yield _finding("unknown", problem, "leave note_id out of a new note, code numbers it", one)
        elif before is not None and before.status == "resolved":
            problem = f"{before.note_id} is settled: {before.resolution}"
            yield _finding("settled", problem, "leave it as it is, and say what is new as a new note", one)
        else:
            yield from _incomplete(one)
            yield from _kept(before, one, keywords, own) if before else ()
            if one.status == "resolved":
                yield from _self_resolved(before, one, keywords, own)


def _incomplete(one: Said) -> Iterator[Finding]:
    """What a status requires, and what contradicts it: code does not guess which of the two was meant."""
    about = _about(one)
    given = {"resolved": one.resolution, "escalated": one.escalation_reason}
    fields = {"resolved": "resolution", "escalated": "escalation_reason"}
    if one.status in fields and not _said(given[one.status]):
        problem = f"{about} is {one.status} without {fields[one.status]}"
        yield _finding("incomplete", problem, f"give {fields[one.status]}, or say it as open", one)
    for status, field in fields.items():
        if status != one.status and _said(given[status]):
            problem = f"{about} is {one.status}, but has {field}"
            yield _finding("contradiction", problem, f"say it as {status}, or leave {field} out", one)


def _kept(before: Note, one: Said, keywords: tuple[str, ...], own: Collection[Category]) -> Iterator[Finding]:
    """What a note that is taken up may not lose: being escalated, whose matter it is, and the words that say so."""
    if before.status == "escalated" and one.status != "escalated":
        problem = f"{before.note_id} is escalated and not yet settled by who it was escalated to"
        yield _finding("authority", problem, "leave it escalated, with its escalation_reason", one)
    if before.category and one.category and _rank(one.category, own) < _rank(before.category, own):
        problem = (
            f"{before.note_id} is a matter of {before.category}, to be settled by {_who(before.category, own)}; "
            f"as one of {one.category} it would be by {_who(one.category, own)}"
        )
        yield _finding("authority", problem, "leave its category as it is, and escalate it", one)
    lost = set(_spoken(_words(before), keywords)) - set(_spoken(_words(one), keywords))
    if lost and one.status != "escalated":
        problem = f"{before.note_id} spoke of {_quoted(keywords, lost)}, and now does no more"
        yield _finding("authority", problem, "keep its words and add to them, or escalate it", one)


def _self_resolved(
    before: Note | None, one: Said, keywords: tuple[str, ...], own: Collection[Category]
) -> Iterator[Finding]:
    """The authority rules: in doubt, a note is escalated (OR-22)."""
    about, category = _about(one), one.category or (before.category if before else None)
    if category is None:
        problem = f"{about} has no category, so nobody knows who may settle it"
        yield _finding("authority", problem, f"give its category ({', '.join(DECIDES)}), or escalate it", one)
    elif _rank(category, own):
        problem = f"{about} is a matter of {category}, to be settled by {_who(category, own)}"
        yield _finding("authority", problem, "escalate it, with escalation_reason", one)
    if spoken := _spoken(f"{_words(one)}\n{one.resolution or ''}", keywords):
        problem = f"{about} speaks of {_quoted(keywords, spoken)}, which no agent settles by itself"
        yield _finding("authority", problem, "escalate it, with escalation_reason", one)


# --- whose matter it is -----------------------------------------------------------------------------------------------


_WHO: Final[Mapping[Decider, str]] = {
    "agent_self": "the agent itself",
    "tactical_solution_architect": "the tactical architect",
    "escalation_resolution": "escalation-resolution",
    "person": "a person",
}


def _rank(category: Category, own: Collection[Category]) -> int:
    return 0 if category in own else LADDER.index(DECIDES[category])


def _who(category: Category, own: Collection[Category]) -> str:
    return _WHO[LADDER[_rank(category, own)]]


# --- keywords ---------------------------------------------------------------------------------------------------------

_UNSPACED: Final = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Letters of scripts that have no spaces between words, or that glue endings to them: a word begins anywhere there."""
_LETTER: Final = rf"[^\W\d_{_UNSPACED}]"
_HUMP: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")


def _spoken(text: str, keywords: tuple[str, ...]) -> tuple[str, ...]:
    """The keywords that a text speaks of: whole words, in any case or width, in the plural or inside a name, or in
    letters that only look like theirs."""
    flat = "\n".join(map(_folded, (text, _HUMP.sub(" ", text), text.translate(_LATIN))))
    return tuple(word for word in keywords if (pattern := _pattern(word)) and pattern.search(flat))


@lru_cache(maxsize=1024)
def _pattern(keyword: str) -> re.Pattern[str] | None:
    words = re.findall(r"[^\W_]+|[^\w\s]+", _folded(keyword))
    if not words:
        return None
    inner = r"[\W_]*".join(map(re.escape, words))
    begins = rf"(?<!{_LETTER})" if re.match(_LETTER, words[0]) else ""
    ends = rf"(?:['’]?s|es)?(?!{_LETTER})" if re.match(_LETTER, words[-1][-1]) else ""
    return re.compile(begins + inner + ends)


_ALIKE: Final = {
    "a": "аɑαА", "b": "ВΒ", "c": "сϲСϹ", "d": "ԁ", "e": "еΕЕ", "h": "һНΗ", "i": "іıιІΙ", "j": "јЈ", "k": "кκКΚ",
    "m": "МΜ", "n": "ոΝ", "o": "оοօОΟ", "p": "рρРΡ", "q": "ԛ", "s": "ѕЅ", "t": "тτТΤ", "u": "υս", "v": "ѵν",
    "w": "ԝωԜ", "x": "хχХΧ", "y": "уүγУΥ", "z": "Ζ",
}  # fmt: skip
_LATIN: Final = {ord(other): letter for letter, others in _ALIKE.items() for other in others}
"""Letters of other scripts that are read as Latin ones: what looks like a keyword is taken for one."""
_UNSEEN: Final = ("Cf", "Mn", "Me")
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def _folded(text: str) -> str:
    """Without case, width, marks and characters that are not seen."""
    apart = unicodedata.normalize("NFKD", text)
    seen = "".join(char for char in apart if unicodedata.category(char) not in _UNSEEN and char not in _BLANK)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())


def _words(one: Note | Said) -> str:
    return f"{one.description}\n{one.context}"


def _quoted(keywords: Sequence[str], found: Collection[str]) -> str:
    return ", ".join(repr(word) for word in dict.fromkeys(keywords) if word in found)


# --- words ------------------------------------------------------------------------------------------------------------


def _said(text: str | None) -> bool:
    return bool(text and text.strip())


def _about(one: Said) -> str:
    return one.note_id or repr(one.description if len(one.description) <= 60 else one.description[:59] + "…")


def _finding(rule: str, problem: str, repair: str, one: Said) -> Finding:
    return Finding(rule=f"note.{rule}", problem=problem, repair=repair, about=_about(one))
