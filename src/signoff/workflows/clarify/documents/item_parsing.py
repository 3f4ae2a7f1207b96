"""Reading one item: what stands between its heading and the next one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signoff.artifacts.lines import OPENER, Edit, Line, blank
from signoff.workflows.clarify.documents.line_marks import (
    CHOICE,
    LABEL,
    LOOSE,
    LOOSE_CHOICE,
    LOOSE_FIRST,
    ORIGINS,
    is_mark,
    unescaped,
)
from signoff.workflows.clarify.documents.older_formats import Spot

_OTHER: Final = re.compile(
    r"[*_]{0,3}(?:other|其[他它])[*_]{0,3}(?:[,，]? ?please\b.*| ?[(（](?:[^()（）]|[(（][^()（）]*[)）])*[)）])?"
    r"[ *_.。]*(?:(?:[:：–—…]|\.\.|-+(?!\S)).*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One choice; `end` is where the last of its lines ends in the text."""

    letter: str
    text: str
    line: int
    end: int = 0

    @property
    def other(self) -> bool:
        """Whether it is the choice for whatever no other choice says: the word, not a sentence that begins with it."""
        return _OTHER.fullmatch(" ".join(self.text.split())) is not None


@dataclass(slots=True)
class Lettered:
    """A choice while its lines are put together.

    `form` is the older form it is in, empty when it is in none, and `tick` the place of the mark of a ticked box.
    """

    letter: str
    line: Line
    words: list[str]
    mark: str
    end: int
    form: Literal["", "bullet", "box", "choice"] = ""
    tick: int | None = None

    def choice(self) -> Choice:
        return Choice(letter=self.letter, text=" ".join(self.words), line=self.line.number, end=self.end)


class Block:
    """The parts of one item, line by line."""

    def __init__(self, lines: Sequence[Line], fenced: Sequence[int], sealed: bool, newline: str) -> None:
        self.sealed, self.newline = sealed, newline
        self._lines, self._fenced = lines, fenced
        self._last: dict[str, int] | None = None
        self._last_a: int | None = None
        self.body: list[str] = []
        self.lettered: list[Lettered] = []
        self.origins: list[str] = []
        self.reasons: list[str] = []
        self.answers: list[str] = []
        self._texts = {"body": self.body, "recommendation": self.reasons, "answer": self.answers}
        self.labels: list[tuple[str, int]] = []
        self.spots: list[Spot] = []
        self.answer_start: int | None = None
        self.answer_end = 0
        self._sink: Literal["body", "choice", "recommendation", "answer", "lost"] = "body"
        self._gap = False
        self._answered = False  # whether there is a label for the answer, with or without words behind it
        self._may_choose = True  # choices stand before recommendation and answer, and there is one run of them
        self.own_end = lines[0].end
        for line, inside in zip(lines[1:], fenced[1:], strict=True):
            if line.text:
                self._read(line, inside)
            else:
                self._take_blank("")
        self.written = "\n".join(self.answers).strip()
        if any(one.form for one in self.lettered):
            self._settle_choices()

    # --- what came out -------------------------------------------------------------------------------------------

    @property
    def answer(self) -> str:
        """What the person means: a ticked box is an answer too."""
        return self.written or ", ".join(one.letter for one in self.lettered if one.tick is not None)

    @property
    def answer_span(self) -> tuple[int, int] | None:
        return None if self.answer_start is None else (self.answer_start, self.answer_end)

    # --- line by line --------------------------------------------------------------------------------------------

    def _read(self, line: Line, inside: int) -> None:
        first = line.text[0]
        if first.isspace():
            if line.text.isspace():
                self._take_blank(line.text)
                return
            first = line.text.lstrip(" ")[0]
        self.own_end = line.end
        if not inside and self._shapes(line, first):
            return
        if self._sink != "choice" or not self._goes_on(line, inside):
            self._take(line, bool(inside))

    def _shapes(self, line: Line, first: str) -> bool:
        """Takes a line that is more than text: a label, the origins, a choice."""
        if first == "*":
            label = LABEL.match(line.text)
            if label and self._label(label, line):
                return True
        elif first == "_":
            origins = ORIGINS.match(line.text)
            if origins:
                self._from(origins, line)
                return True
        if not self._answered and first in LOOSE_FIRST and self._loose(line):
            return True
        return (self._may_choose or self._sink == "choice") and self._choice(line)

    def _label(self, label: re.Match[str], line: Line) -> bool:
        """Takes a label, when it is one here."""
        name = label[1]
        if name in ("Question", "Choices"):
            rest = line.text[label.end() :].strip(" \t")
            if not self._may_choose or is_mark(rest, "body") or _like_choice(rest) or rest == "---":
                return False  # without the label, the rest would be read as something else
            self._old_label(label, line, rest)
            self.body.append(unescaped(rest, "body"))
            return True
        if label[2] != ":":
            self._note_form("colon" if "：" in (label[2], label[3]) else name.lower(), name, label, line)
        self._begin(name, label, line)
        return True

    def _loose(self, line: Line) -> bool:
        """Takes a label that is typed in another way, when nothing else in the item is the label."""
        found = LOOSE.match(line.text)
        if found is None:
            return False
        name = "Answer" if found["answer"] else "Recommendation"
        if name in dict(self.labels):
            return False
        if (self._may_choose or name == "Recommendation") and self._follows(name, line):
            return False  # words of the body: the label itself stands below
        self._note_form(name.lower(), name, found, line)
        self._begin(name, found, line)
        return True

    def _follows(self, name: str, line: Line) -> bool:
        """Whether a label that is one everywhere comes after a line; the lines are searched once."""
        if self._last is None:
            rows = zip(self._lines, self._fenced, strict=True)
            found = ((LABEL.match(one.text), one.number) for one, inside in rows if not inside)
            self._last = {label[1]: number for label, number in found if label}
        return self._last.get(name, 0) > line.number

    def _begin(self, name: str, label: re.Match[str], line: Line) -> None:
        """What follows belongs to this label; to nothing when the item had such a label before."""
        sink: Literal["answer", "recommendation"] = "answer" if name == "Answer" else "recommendation"
        self._sink, rest = "lost" if name in dict(self.labels) else sink, line.text[label.end() :]
        self.labels.append((name, line.number))
        self._may_choose, self._answered = False, self._answered or sink == "answer"
        if self._sink == "lost":
            return
        self._texts[self._sink].append(rest)
        if self._sink == "answer":
            self.answer_start = line.start + label.end()
            self.answer_end = line.end if blank(rest) else line.start + len(line.text.rstrip())

    def _old_label(self, label: re.Match[str], line: Line, rest: str) -> None:
        end = line.end if not rest else line.start + line.text.index(rest, label.end())
        self._spot(label[1].lower(), line, (line.start, end, ""))

    def _note_form(self, form: str, name: str, label: re.Match[str], line: Line) -> None:
        space = "" if line.text[label.end() : label.end() + 1] in ("", " ", "\t") else " "
        self._spot(form, line, (line.start, line.start + label.end(), f"**{name}:**{space}"))

    def _spot(self, form: str, line: Line, *edits: Edit, by_hand: str = "") -> None:
        self.spots.append(Spot(form=form, line=line.number, found=line.text.strip(), edits=edits, by_hand=by_hand))

    def _from(self, found: re.Match[str], line: Line) -> None:
        self.origins += [part.strip() for part in found[2].split(",") if part.strip()]
        self._sink = "body"
        if found[1] == "：":
            space = "" if found[2][:1] in (" ", "\t") else " "
            self._spot("colon", line, (line.start + found.start(1), line.start + found.end(1), f":{space}"))

    def _choice(self, line: Line) -> bool:
        """Takes a line as a choice, when it is one: a run begins with A and goes on with any letter."""
        found = _written(line.text)
        if found is None:
            loose = _typed(line.text)
            return loose is not None and self._loose_choice(loose, line)
        letter = found[3].upper()
        if self._sink != "choice" and letter != "A":
            return False
        tick = line.start + found.start(2) if found[2] in ("x", "X") else None
        form: Literal["", "bullet", "box"] = "" if not found[1] else "bullet" if found[2] is None else "box"
        self._offer(Lettered(letter, line, [line.text[found.end() :].strip()], found[0], line.end, form, tick))
        return True

    def _loose_choice(self, found: re.Match[str], line: Line) -> bool:
        """Takes a choice that is typed in another way, when it can be nothing else."""
        letter = found[1] or found[2] or found[3]
        if self._sink == "choice":
            if ord(letter) != ord(self.lettered[-1].letter) + 1:
                return False
        elif letter != "A" or not self._b_follows(line) or self._last_written() > line.number:
            return False  # words of the body: `A、B两类客户`, or a list above the choices
        self._offer(Lettered(letter, line, [line.text[found.end() :].strip()], found[0], line.end, "choice"))
        return True

    def _b_follows(self, line: Line) -> bool:
        """Whether the next choice in the run that would begin with a line is B."""
        gap = False
        for at in range(line.number - self._lines[0].number + 1, len(self._lines)):
            text = _unlabelled(self._lines[at].text)
            if blank(text):
                gap = True
            elif self._fenced[at] or LOOSE.match(text) or ORIGINS.match(text):
                return False
            elif _like_choice(text):
                return _letter(text) == "B"
            elif gap and text[0] not in " \t":
                return False
        return False

    def _last_written(self) -> int:
        """The last line in which choices begin as they are written; the lines are searched once."""
        if self._last_a is None:
            self._last_a = 0
            for line, inside in zip(self._lines, self._fenced, strict=True):
                if not inside and LOOSE.match(line.text):
                    break
                if not inside and (found := _written(line.text)) and found[3].upper() == "A":
                    self._last_a = line.number
        return self._last_a

    def _offer(self, one: Lettered) -> None:
        self._sink, self._gap, self._may_choose = "choice", False, False
        self.lettered.append(one)

    def _take(self, line: Line, fenced: bool) -> None:
        """Takes a line as text of whatever it stands in."""
        if self._sink == "choice" or self._sink == "lost":
            return
        self._texts[self._sink].append(line.text if fenced else unescaped(line.text, self._sink))
        if self._sink == "answer":
            self.answer_end = line.start + len(line.text.rstrip())

    def _take_blank(self, text: str) -> None:
        if self._sink == "choice":
            self._gap = True
        elif self._sink != "lost":
            self._texts[self._sink].append(text)

    def _goes_on(self, line: Line, inside: int) -> bool:
        """Whether a line belongs to the choice above it; if not, the run of choices ends."""
        if self._is_indented(line) if inside == OPENER else line.text[0] in " \t" or not (self._gap or inside):
            self.lettered[-1].words.append(line.text.strip())
            self.lettered[-1].end = line.end
            return True
        self._sink = "body"
        self.body.append("")
        return False

    def _is_indented(self, opener: Line) -> bool:
        """Whether a fence ends, and all of its lines are indented."""
        at = opener.number - self._lines[0].number
        end = next((to for to in range(at + 1, len(self._lines)) if self._fenced[to] != 1), len(self._lines))
        never_ends = self.sealed and end == len(self._lines)
        return not never_ends and all(line.text[:1] in ("", " ", "\t") for line in self._lines[at:end])

    # --- choices in an older form --------------------------------------------------------------------------------

    def _settle_choices(self) -> None:
        """What replaces boxes and bullets; a tick is taken out only if the answer says the same."""
        ticked = [one for one in self.lettered if one.tick is not None]
        said = self.written.upper()
        letters = [one.letter for one in ticked]
        differs = bool(said) and letters != re.findall(r"\b[A-Z]\b", said)[: max(1, len(letters))]
        stays = self.sealed or differs
        writes = () if stays or self.written or not ticked else (self._ticked_answer(),)
        for one in self.lettered:
            if not one.form:
                continue
            edit = (one.line.start, one.line.start + len(one.mark), f"{one.letter}. ")
            if one.tick is not None and stays:
                by_hand = "write the ticked letter into the answer or take the tick out"
                self._spot(one.form, one.line, by_hand=by_hand)
            else:
                self._spot(one.form, one.line, edit, *(writes if ticked and one is ticked[0] else ()))

    def _ticked_answer(self) -> Edit:
        if self.answer_span is not None:
            return (*self.answer_span, f" {self.answer}")
        return self.own_end, self.own_end, f"{self.newline * 2}**Answer:** {self.answer}"


# --- lines that look like choices --------------------------------------------------------------------------------


def _unlabelled(text: str) -> str:
    """A line as it reads once the labels are gone that only older forms have: no repair may make a run of choices."""
    label = LABEL.match(text)
    return text[label.end() :].strip(" \t") if label and label[1] in ("Question", "Choices") else text


def _written(text: str) -> re.Match[str] | None:
    """A choice as it is written, or one with a bullet or box."""
    found = CHOICE.match(text)
    return found if found and (found[1] or (found[3].isupper() and found[4] == ".")) else None


def _typed(text: str) -> re.Match[str] | None:
    return LOOSE_CHOICE.match(text) if text[0] in "(（" or text[1:2] in (")", "）", "、") else None


def _like_choice(text: str) -> bool:
    return bool(text) and (CHOICE.match(text) is not None or _typed(text) is not None)


def _letter(text: str) -> str:
    """The letter of a line that looks like a choice, empty when it cannot go on a run."""
    found = _written(text)
    if found:
        return found[3].upper()
    loose = _typed(text)
    return (loose[1] or loose[2] or loose[3]) if loose else ""
