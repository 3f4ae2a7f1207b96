"""Completion-drive notes: an agent's assumptions and questions, who decides them, and who settled them.

Agents give notes; code numbers and keeps them (`completion_drive/session_current.json`). The category of a note says
who decides (OR-22), and it can only move up the `LADDER`: a question of implementation may become one of security, but
never the other way round. So an agent can never make a note its own by saying it again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, model_validator

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text, repeated
from signoff.core.findings import Finding
from signoff.workflows.orchestration.ids import Epoch, TaskId

Category = Literal[
    "technology", "architecture", "security", "requirement", "conflict", "consistency", "bug", "implementation",
    "documentation",
]  # fmt: skip
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
Decider = Literal["tactical_solution_architect", "person", "escalation_resolution", "agent_self"]
DECIDES: Final[Mapping[Category, Decider]] = {
    "technology": "tactical_solution_architect",
    "architecture": "tactical_solution_architect",
    "security": "tactical_solution_architect",
    "requirement": "person",
    "conflict": "escalation_resolution",
    "consistency": "agent_self",
    "bug": "agent_self",
    "implementation": "agent_self",
    "documentation": "agent_self",
}
LADDER: Final[Mapping[Decider, str]] = {
    "agent_self": "the agent itself",
    "tactical_solution_architect": "the tactical architect",
    "escalation_resolution": "escalation-resolution",
    "person": "a person",
}
"""Those who decide, from the agent up to the person, and their names for people."""
NoteStatus = Literal["open", "resolved", "escalated"]
Resolver = Literal["agent_self", "workflow_executor", "user", "escalation_resolution"]
NoteId = Annotated[str, Field(pattern=r"^note_[0-9]{3,6}$", description="as code gave it: note_001")]

MOST: Final = 200
"""How many notes a turn may give: each is compared with all others, and must be settled."""
LONGEST: Final = 4_000
"""How many characters a field of a note may have: people read it, and so does every later turn of the agent."""

SETTLING: Final = ("resolution", "resolved_by", "resolution_timestamp")
NEEDS: Final[Mapping[NoteStatus, tuple[str, ...]]] = {
    "open": (),
    "resolved": SETTLING,
    "escalated": ("escalation_reason",),
}
FORBIDS: Final[Mapping[NoteStatus, tuple[str, ...]]] = {
    "open": (*SETTLING, "escalation_reason"),
    "resolved": (),
    "escalated": SETTLING,
}
"""The fields that a note of each status must and must not have (OR-19). A settled note keeps its escalation reason."""


def decided_by(decider: Decider) -> tuple[Category, ...]:
    """The categories that a decider decides."""
    return tuple(category for category, who in DECIDES.items() if who == decider)


class Said(Form):
    """A note as an agent says it: a new one has no `note_id`, one of its own session is taken up again by it."""

    note_id: NoteId | None = None
    description: Text = Field(max_length=LONGEST)
    context: Text = Field(max_length=LONGEST)
    category: Category | None = Field(None, description="left out of a note that is taken up, it stays what it is")
    status: NoteStatus = "open"
    resolution: str | None = Field(None, max_length=LONGEST)
    escalation_reason: str | None = Field(None, max_length=LONGEST)


class Note(Form):
    """A note of a session. It has the fields that its status requires, and none that contradicts it."""

    note_id: NoteId
    timestamp: Epoch
    description: Text
    context: Text
    category: Category | None = None
    status: NoteStatus
    resolution: Text | None = None
    resolved_by: Resolver | None = None
    resolution_timestamp: Epoch | None = None
    escalation_reason: Text | None = None

    @model_validator(mode="after")
    def _as_its_status_says(self) -> Note:
        missing = [name for name in NEEDS[self.status] if getattr(self, name) is None]
        surplus = [name for name in FORBIDS[self.status] if getattr(self, name) is not None]
        if missing:
            raise ValueError(f"{self.note_id} is {self.status} and has no {', no '.join(missing)}")
        if surplus:
            raise ValueError(f"{self.note_id} is {self.status}, but has {', '.join(surplus)}")
        return self

    def resolved(self, resolution: str, by: Resolver, at: int) -> Note:
        """The note, settled; if it is settled already, unchanged."""
        settled = {"status": "resolved", "resolution": resolution, "resolved_by": by, "resolution_timestamp": at}
        return self if self.status == "resolved" else self._with(settled)

    def escalated(self, reason: str) -> Note:
        """The note, escalated if it was open, because its agent did not settle it in time."""
        return self._with({"status": "escalated", "escalation_reason": reason}) if self.status == "open" else self

    def _with(self, changed: Mapping[str, object]) -> Note:
        return Note.model_validate({**self.model_dump(), **changed})  # a copy would not be validated


class Session(Form):
    """`completion_drive/session_current.json`: the notes of one agent's session."""

    task_id: TaskId
    session_start: Epoch
    notes: tuple[Note, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Session:
        if twice := [note_id for _, note_id in repeated([note.note_id for note in self.notes])]:
            raise ValueError(f"{', '.join(dict.fromkeys(twice))}: there is more than one note of this id")
        return self


parse_session = jsonio.parser(Session, "session")


def merged(known: Sequence[Note], said: Sequence[Said], at: int) -> tuple[Note, ...]:
    """The notes of a session after a turn: new ones are numbered, settled ones do not change."""
    notes = {note.note_id: note for note in known}
    highest = max((int(note_id.rpartition("_")[2]) for note_id in notes), default=0)
    numbers = count(highest + 1)  # an id is never given twice
    for one in said:
        before = notes.get(one.note_id or "")
        if before and before.status == "resolved":
            continue
        own = one.status == "resolved"
        note = Note(
            note_id=before.note_id if before else f"note_{next(numbers):03d}",
            timestamp=before.timestamp if before else at,
            description=one.description,
            context=one.context,
            category=one.category or (before.category if before else None),
            status=one.status,
            resolution=one.resolution if own else None,
            resolved_by="agent_self" if own else None,
            resolution_timestamp=at if own else None,
            escalation_reason=one.escalation_reason if one.status == "escalated" else None,
        )
        notes[note.note_id] = note
    return tuple(notes.values())


def asked(known: Sequence[Note], said: Sequence[Said], same: Callable[[str, str], bool]) -> tuple[str, ...]:
    """What a turn asks that was not asked before: its new notes, and those that now say something else."""
    before = {note.note_id: note.description for note in known}
    return tuple(
        one.description
        for one in said
        if one.status != "resolved" and not (one.note_id in before and same(before[one.note_id], one.description))
    )


# --- what is refused --------------------------------------------------------------------------------------------------


def findings(
    known: Sequence[Note], said: Sequence[Said], keywords: Sequence[str], own: Collection[Category] = ()
) -> Iterator[Finding]:
    """Findings about notes: unknown or settled ones, incomplete ones, and decisions that the agent may not make.

    `own` are categories that this agent settles in addition to those of every agent: a tactical task settles those of
    the tactical architect. The keywords apply to every agent.
    """
    notes = {note.note_id: note for note in known}
    seen: set[str] = set()
    for one in said:
        before = notes.get(one.note_id or "")
        if one.note_id in seen:
            yield _finding("twice", f"{one.note_id} is given twice", "give each note once", one)
        if one.note_id is not None:
            seen.add(one.note_id)
        if one.note_id is not None and before is None:
            valid = ", ".join(notes) or "none yet"
            problem = f"there is no {one.note_id} in this session; valid: {valid}"
            yield _finding("unknown", problem, "leave note_id out of a new note: code numbers it", one)
        elif before is not None and before.status == "resolved":
            problem = f"{before.note_id} is settled: {before.resolution}"
            yield _finding("settled", problem, "leave it as it is, and give what is new as a new note", one)
        else:
            yield from _incomplete(one)
            yield from _kept(before, one, keywords, own) if before else ()
            if one.status == "resolved":
                yield from _self_resolved(before, one, keywords, own)


def _finding(rule: str, problem: str, repair: str, one: Said) -> Finding:
    return Finding(rule=f"note.{rule}", problem=problem, repair=repair, about=_about(one))


def _about(one: Said) -> str:
    return one.note_id or repr(one.description if len(one.description) <= 60 else one.description[:59] + "…")


def _incomplete(one: Said) -> Iterator[Finding]:
    """Findings about fields that the status requires or forbids: code does not guess which of them is wrong."""
    about = _about(one)
    fields = {"resolved": ("resolution", one.resolution), "escalated": ("escalation_reason", one.escalation_reason)}
    for status, (field, text) in sorted(fields.items(), key=lambda each: each[0] != one.status):
        given = bool(text and text.strip())
        if status == one.status and not given:
            problem = f"{about} is {status} without {field}"
            yield _finding("incomplete", problem, f"give {field}, or make the note open", one)
        elif status != one.status and given:
            problem = f"{about} is {one.status}, but has {field}"
            yield _finding("contradiction", problem, f"make the note {status}, or leave {field} out", one)


def _kept(before: Note, one: Said, keywords: Sequence[str], own: Collection[Category]) -> Iterator[Finding]:
    """Findings about a note that is given again and lost something: its escalation, its category, or a keyword."""
    if before.status == "escalated" and one.status != "escalated":
        problem = f"{before.note_id} is escalated and not settled yet"
        yield _finding("authority", problem, "leave it escalated, with its escalation_reason", one)
    if before.category and one.category and _rank(one.category, own) < _rank(before.category, own):
        problem = (
            f"{before.note_id} is a matter of {before.category}, which {_who(before.category, own)} settles; "
            f"as one of {one.category}, {_who(one.category, own)} would settle it"
        )
        yield _finding("authority", problem, "leave its category as it is, and escalate it", one)
    now = _spoken(f"{one.description}\n{one.context}", keywords)
    lost = [word for word in _spoken(f"{before.description}\n{before.context}", keywords) if word not in now]
    if lost and one.status != "escalated":
        problem = f"{before.note_id} no longer mentions {', '.join(map(repr, lost))}"
        yield _finding("authority", problem, "keep its words and add to them, or escalate it", one)


def _self_resolved(
    before: Note | None, one: Said, keywords: Sequence[str], own: Collection[Category]
) -> Iterator[Finding]:
    """Findings about a note that its agent settled without the authority (OR-22)."""
    about, category = _about(one), one.category or (before.category if before else None)
    if category is None:
        problem = f"{about} has no category, so it is not clear who may settle it"
        yield _finding("authority", problem, f"give its category ({', '.join(DECIDES)}), or escalate it", one)
    elif _rank(category, own):
        problem = f"{about} is a matter of {category}, which {_who(category, own)} settles"
        yield _finding("authority", problem, "escalate it, with escalation_reason", one)
    if spoken := _spoken(f"{one.description}\n{one.context}\n{one.resolution or ''}", keywords):
        problem = f"{about} mentions {', '.join(map(repr, spoken))}, which no agent settles by itself"
        yield _finding("authority", problem, "escalate it, with escalation_reason", one)


def _rank(category: Category, own: Collection[Category]) -> int:
    return 0 if category in own else [*LADDER].index(DECIDES[category])


def _who(category: Category, own: Collection[Category]) -> str:
    return [*LADDER.values()][_rank(category, own)]


# --- keywords ---------------------------------------------------------------------------------------------------------

_UNSPACED: Final = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Letters of scripts without spaces between words, or with endings joined to them: a word may begin anywhere."""
_LETTER: Final = rf"[^\W\d_{_UNSPACED}]"
_HUMP: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_ALIKE: Final = {
    "a": "аɑαА", "b": "ВΒ", "c": "сϲСϹ", "d": "ԁ", "e": "еΕЕ", "h": "һНΗ", "i": "іıιІΙ", "j": "јЈ", "k": "кκКΚ",
    "m": "МΜ", "n": "ոΝ", "o": "оοօОΟ", "p": "рρРΡ", "q": "ԛ", "s": "ѕЅ", "t": "тτТΤ", "u": "υս", "v": "ѵν",
    "w": "ԝωԜ", "x": "хχХΧ", "y": "уүγУΥ", "z": "Ζ",
}  # fmt: skip
_LATIN: Final = {ord(other): letter for letter, others in _ALIKE.items() for other in others}
"""Letters of other scripts that look like Latin ones: what looks like a keyword counts as one."""
_UNSEEN: Final = ("Cf", "Mn", "Me")
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def _spoken(text: str, keywords: Sequence[str]) -> tuple[str, ...]:
    """The keywords that a text mentions: whole words in any case or width, in the plural, inside a name, or in letters
    that look like Latin ones."""
    flat = "\n".join(map(_folded, (text, _HUMP.sub(" ", text), text.translate(_LATIN))))
    return tuple(word for word in dict.fromkeys(keywords) if (pattern := _pattern(word)) and pattern.search(flat))


@lru_cache(maxsize=1024)
def _pattern(keyword: str) -> re.Pattern[str] | None:
    words = re.findall(r"[^\W_]+|[^\w\s]+", _folded(keyword))
    if not words:
        return None
    inner = r"[\W_]*".join(map(re.escape, words))
    begins = rf"(?<!{_LETTER})" if re.match(_LETTER, words[0]) else ""
    ends = rf"(?:['’]?s|es)?(?!{_LETTER})" if re.match(_LETTER, words[-1][-1]) else ""
    return re.compile(begins + inner + ends)


def _folded(text: str) -> str:
    """The text without case, width, marks and invisible characters."""
    apart = unicodedata.normalize("NFKD", text)
    seen = "".join(char for char in apart if unicodedata.category(char) not in _UNSEEN and char not in _BLANK)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
