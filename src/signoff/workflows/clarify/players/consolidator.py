"""The consolidator: one numbered question for each thing that is open, whichever dimensions asked it.

Two research questions are one when most of the telling words of the shorter one are in the other. Words that stand in
many questions tell little. Numbers, codes and names have to be the same on both sides: what differs in nothing else is
still two questions. What it cannot see: the same thing asked in wholly different words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from signoff.workflows.clarify.clarifications import Draft, canonical
from signoff.workflows.clarify.players import openings, research_notes
from signoff.workflows.clarify.players.desk import RESEARCH, Desk, Payload, player
from signoff.workflows.clarify.players.marks import names, numbers
from signoff.workflows.clarify.players.research_notes import Note, letter_of
from signoff.workflows.wording import (
    alike,
    clipped,
    content,
    covered,
    folded,
    is_chinese,
    joined,
    overlap,
    weights,
)

SAME: Final = 0.5
SAME_NAME: Final = 0.25
SAME_CHOICE: Final = 0.6
SAID: Final = 0.75
MOST_CHOICES: Final = 4
LETTERS: Final = "ABCD"


@dataclass(slots=True)
class Group:
    """Research questions that ask the same thing; the first one raised it."""

    notes: list[Note] = field(default_factory=list)

    @property
    def base(self) -> Note:
        """The one whose words are taken: what must be answered, then what has choices of its own, then the first."""
        return min(self.notes, key=lambda note: (note.is_generic or len(note.choices) < 2, not note.must))

    @property
    def must(self) -> bool:
        return any(note.must for note in self.notes)


def _work(desk: Desk) -> Payload:
    wanted = [str(name) for name in desk.notes.get("origins", ())]
    notes = _notes(desk, wanted)
    groups = grouped(notes)
    keep = {str(key): str(title) for key, title in (desk.notes.get("keep") or {}).items()}
    order = {name: at for at, name in enumerate(dict.fromkeys(note.dimension for note in notes))}
    groups.sort(key=lambda group: order[group.base.dimension])
    named = _named(groups, keep, int(desk.notes.get("next") or 1))
    sections = _sections(named)
    most = int(desk.notes.get("most") or 40)
    reason = _scope_reason(len(groups), most, sections)
    read = {note.origin for note in notes}
    return {
        "clarifications": _file(sections, len(notes) - len(groups), bool(reason)),
        "dropped": [{"origin": name, "reason": _UNREAD} for name in wanted if name not in read],
        "scope_reason": reason,
    }


_UNREAD: Final = "no question with this name could be read in the research notes"


def _notes(desk: Desk, wanted: Sequence[str]) -> list[Note]:
    """The research questions by the order of their names in the brief, each once."""
    paths = [path for path in desk.named if RESEARCH in path]
    read = [note for path in paths for note in research_notes.parse(desk.text(path) or "")]
    known = {note.origin: note for note in reversed(read)}
    return [known[name] for name in wanted if name in known]


def grouped(notes: Sequence[Note]) -> list[Group]:
    """The notes by what they ask, in the order in which it came up."""
    weight = weights([note.words for note in notes])
    known = frozenset[str]().union(*(names(". ".join([note.question, *note.choices])) for note in notes))
    groups = list[Group]()
    for note in notes:
        home = next((group for group in groups if _belongs(note, group, weight, known)), None)
        if home is None:
            home = Group()
            groups.append(home)
        home.notes.append(note)
    return groups


def _belongs(note: Note, group: Group, weight: Mapping[str, float], known: frozenset[str]) -> bool:
    """Whether it asks what the first one asked, and none of the others has a number or a name that it lacks."""
    return _same(group.notes[0], note, weight) and all(one.marks.agree(note.marks, known) for one in group.notes)


def _same(a: Note, b: Note, weight: Mapping[str, float]) -> bool:
    shared = a.words & b.words
    if folded(a.title).casefold() == folded(b.title).casefold():
        rest = a.words - a.name_words, b.words - b.name_words
        return not all(rest) or overlap(*rest, weight) >= SAME_NAME
    named = overlap(a.name_words, b.words, weight), overlap(b.name_words, a.words, weight)
    return (
        len(shared) > 1 and overlap(a.words, b.words, weight) >= SAME and max(named) >= SAME and min(named) >= SAME_NAME
    )


# --- ids and sections -------------------------------------------------------------------------------------------------


def _named(groups: Sequence[Group], keep: Mapping[str, str], following: int) -> list[tuple[str, str, Group]]:
    """Each group with its id and title: one that people have seen keeps both."""
    open_ids, found = dict(keep), list[tuple[str, str, Group]]()
    for title, group in _titled(groups):
        key = _kept([title, *(note.title for note in group.notes)], open_ids)
        found.append((key, open_ids.pop(key) if key else title, group))
    return _numbered(found, following)


def _titled(groups: Sequence[Group]) -> list[tuple[str, Group]]:
    """Each group with a title that no other has."""
    found, taken = list[tuple[str, Group]](), dict[str, int]()
    for group in groups:
        title = group.base.title
        taken[title.casefold()] = count = taken.get(title.casefold(), 0) + 1
        found.append((title if count == 1 else f"{title} ({count})", group))
    return found


def _kept(titles: Sequence[str], open_ids: Mapping[str, str]) -> str:
    best = max(open_ids, key=lambda key: _likeness(titles, open_ids[key]), default="")
    return best if best and _likeness(titles, open_ids[best]) >= 0.75 else ""


def _likeness(titles: Sequence[str], shown: str) -> float:
    same = (alike(title, shown) for title in titles if numbers(title) == numbers(shown))
    return max(same, default=0.0)


def _numbered(found: Sequence[tuple[str, str, Group]], following: int) -> list[tuple[str, str, Group]]:
    """New ids in the order of the file."""
    named = list[tuple[str, str, Group]]()
    for key, title, group in found:
        named.append((key or f"Q{following}", title, group))
        following += not key
    return named


def _sections(named: Sequence[tuple[str, str, Group]]) -> list[tuple[str, list[tuple[str, Draft]]]]:
    sections = dict[str, list[tuple[str, Draft]]]()
    for key, title, group in named:
        sections.setdefault(group.base.dimension, []).append((key, _draft(title, group)))
    return list(sections.items())


def _draft(title: str, group: Group) -> Draft:
    base, choices = group.base, _choices(group)
    return Draft(
        title=title,
        body=_body(group),
        choices=choices,
        origins=tuple(note.origin for note in group.notes),
        recommendation=_recommendation(base, choices),
        must=group.must,
    )


def _body(group: Group) -> str:
    """The question, and how others put it where that says more."""
    asked = group.base.question or openings.handled(group.base.title)
    others = [note.asked for note in group.notes if note is not group.base and note.asked]
    new = [text for text in dict.fromkeys(others) if covered(text, asked) < SAID][:2]
    if not new:
        return asked
    also = "另一处资料的说法：" if is_chinese(asked) else "Another source puts it so: "
    return joined([asked, also + joined(clipped(text, 240) for text in new)])


def _choices(group: Group) -> tuple[str, ...]:
    """The choices of all, each once, at most four; those of the base come first, so that its letters stay right."""
    base = group.base
    kept = list(dict.fromkeys(text for text in base.choices if text))
    more = [text for note in group.notes if note is not base and not note.is_generic for text in note.choices]
    for text in more:
        if content(text) and not any(_same_choice(text, other) for other in kept):
            kept.append(text)
    kept = kept if len(kept) > 1 else list(dict.fromkeys([*kept, *openings.generic(base.title, base.question)]))
    return tuple(kept[:MOST_CHOICES])


def _same_choice(text: str, other: str) -> bool:
    return text == other or (covered(text, other) >= SAME_CHOICE and numbers(text) <= numbers(other))


def _recommendation(base: Note, choices: Sequence[str]) -> str:
    """What the base recommends, by the letter that its choice has now."""
    letter, why = letter_of(base.recommendation)
    meant = base.choices[LETTERS.index(letter)] if letter and letter in LETTERS[: len(base.choices)] else ""
    if meant in choices:
        return f"{LETTERS[choices.index(meant)]} — {why}" if why else LETTERS[choices.index(meant)]
    return base.recommendation or f"A — {_START_HAN if is_chinese(base.title) else _START}"


_START: Final = "A place to start from; the research recommends none."
_START_HAN: Final = "先以此为起点；调研未给出建议。"


# --- the file ---------------------------------------------------------------------------------------------------------


def _scope_reason(count: int, most: int, sections: Sequence[tuple[str, Sequence[object]]]) -> str:
    if count <= most:
        return ""
    by_size = sorted(sections, key=lambda one: -len(one[1]))
    sizes = ", ".join(f"{title} {len(questions)}" for title, questions in by_size)
    return f"{count} questions are open and one sitting takes about {most} ({sizes}); begin with one or two of these."


def _file(sections: Sequence[tuple[str, Sequence[tuple[str, Draft]]]], merged: int, narrower: bool) -> str:
    drafts = [pair for _, questions in sections for pair in questions]
    front: dict[str, object] = {
        "question_count": len(drafts),
        "sections": len(sections),
        "duplicates_removed": merged,
        "refinement_count": 0,
        "status": "pending",
        "priority_questions": [key for key, draft in drafts if draft.must],
    }
    if narrower:
        front["scope_recommendation"] = True
    return canonical(sections, front)


consolidate_research = player(_work)
