"""Makes a draft say what the registry says, sentence by sentence, and nothing else.

- A sentence, list item, row or heading of a removed or reserved claim goes, in both languages; a heading takes what is
  under it along, and a feature or question with nothing left under it goes too.
- A sentence that promises more than its changed claim is replaced by the claim's own text.
- A number with a unit, a code beside a marker, or a high-risk statement that no claim of its sentence states is marked
  with the one claim that does; where none or several would do, a new claim is proposed, when the role may propose.

The copywriter applies the edits; the editor gives them as fixes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from signoff.artifacts.markdown_parsing import CLAIM_COMMENT
from signoff.evidence.canonical import visible
from signoff.evidence.places import unstated
from signoff.evidence.quantities.reading import quantities
from signoff.workflows.solution_page import risk
from signoff.workflows.solution_page.assembler import draft_text
from signoff.workflows.solution_page.assembler.claim_book import Book, lacking
from signoff.workflows.solution_page.assembler.draft_text import Block, Piece
from signoff.workflows.solution_page.documents.page_template import Lang
from signoff.workflows.solution_page.gates.claims import needs_claim

COMPARING = "superlative-comparison"
NOTED_CHARS = 80
EditKind = Literal["removed", "restated", "marked"]
_CELL = re.compile(r"(?<=\|) *((?:[^|\\]|\\.)*?) *(?=\|)")


@dataclass(frozen=True, slots=True)
class Edit:
    """`page[start:end]` becomes `new`; `notes` say which sentences are lost or changed by it, and why."""

    start: int
    end: int
    new: str
    kind: EditKind
    claims: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of a sentence: its new text, or None when it goes; no kind when it stays as it is."""

    text: str | None
    kind: EditKind | None = None
    claims: tuple[str, ...] = ()


def edited(page: str, made: Sequence[Edit]) -> str:
    """The page with these edits made."""
    for edit in reversed(made):
        page = page[: edit.start] + edit.new + page[edit.end :]
    return re.sub(r"\n{3,}", "\n\n", page).lstrip("\n")


def edits(page: str, lang: Lang, book: Book, twin: str = "") -> tuple[Edit, ...]:
    """What must change, in the order of the page. `twin` is the page in the other language."""
    return tuple(_Pass(page, lang, book, _Twin(draft_text.blocks(page), draft_text.blocks(twin))).edits())


@dataclass(frozen=True)
class _Twin:
    """Finds the sentence that says the same in the other language."""

    here: Sequence[Block]
    there: Sequence[Block]

    def of(self, block: int, piece: int) -> Piece | None:
        mine = self.here[block].pieces
        if self._aligned(block):
            return self.there[block].pieces[piece]
        if not quantities(visible(mine[piece].words)):
            return None
        same = [other for there in self.there for other in there.pieces if _same_numbers(mine[piece], other)]
        return same[0] if len(same) == 1 else None

    @cached_property
    def _same_shape(self) -> bool:
        return [one.kind for one in self.here] == [one.kind for one in self.there]

    def _aligned(self, block: int) -> bool:
        return self._same_shape and len(self.here[block].pieces) == len(self.there[block].pieces)


def _same_numbers(one: Piece, other: Piece) -> bool:
    stated = quantities(visible(other.words))
    return bool(stated) and not unstated(one.words, [other.words]) and not unstated(other.words, [one.words])


@dataclass
class _Pass:
    page: str
    lang: Lang
    book: Book
    twin: _Twin
    choices: list[list[Choice]] = field(default_factory=list)

    def edits(self) -> Iterator[Edit]:
        blocks = self.twin.here
        self.choices = [[self.choose(at, n) for n in range(len(block.pieces))] for at, block in enumerate(blocks)]
        gone = self.gone(blocks)
        for at, block in enumerate(blocks):
            made = [choice for choice in self.choices[at] if choice.kind]
            if at in gone:
                yield self.removal(block, gone[at], tuple(self.losses(at, gone[at])))
            elif made:
                new = block.rebuilt([choice.text for choice in self.choices[at]])
                kind = made[0].kind or "marked"
                yield Edit(block.start, block.end, new, kind, _ids(made), tuple(self.losses(at)))

    def losses(self, at: int, with_block: Sequence[str] = ()) -> Iterator[str]:
        """What a reader no longer finds; `with_block` are the claims that took the whole block away."""
        for piece, choice in zip(self.twin.here[at].pieces, self.choices[at], strict=True):
            words = _short(" ".join(piece.words.split()).strip("| "))
            if choice.kind == "removed":
                yield f"left out, because {self.statuses(choice.claims)}: {words}"
            elif with_block:
                yield f"left out with what it belongs to, because {self.statuses(with_block)}: {words}"
            elif choice.kind == "restated":
                yield f"said in the words of {', '.join(choice.claims)}, which promises less: {words}"

    def statuses(self, claim_ids: Sequence[str]) -> str:
        known = ((one, self.book.claim(one)) for one in dict.fromkeys(claim_ids))
        return ", ".join(f"{one} is {claim.status if claim else 'not registered'}" for one, claim in known)

    # --- one sentence -----------------------------------------------------------------------------------------------

    def choose(self, at: int, number: int) -> Choice:
        block = self.twin.here[at]
        piece, twin = block.pieces[number], self.twin.of(at, number)
        lost = [one for one in (*piece.claims, *(twin.claims if twin else ())) if self.book.unusable(one)]
        if lost:
            return Choice(None, "removed", tuple(lost))
        unknown = [one for one in piece.claims if self.book.claim(one) is None]
        over = [one for one in piece.claims if self.book.overstated(one, piece.words, piece.claims)]
        if over and (text := self.restated(block, piece, over)):
            return Choice(text, "restated", tuple(over))
        raw = draft_text.unmarked(piece.raw, unknown)
        given = [one for one in piece.claims if one not in unknown]
        if block.kind == "row":
            return Choice(raw, "marked", tuple(unknown)) if unknown else Choice(raw)
        return self.covered(block, piece, twin, raw, given)

    def restated(self, block: Block, piece: Piece, over: Sequence[str]) -> str:
        texts = [(one, self.book.written(one, self.lang)) for one in piece.claims]
        if not all(text for _, text in texts):
            return ""
        if block.kind == "row":
            said = "; ".join(draft_text.marked(text, [one]) for one, text in texts)
            return _with_marked_cell(piece.raw, said)
        if block.kind == "heading":
            return draft_text.marked(texts[0][1], over)
        gap = " " if self.lang == "en" else ""
        return gap.join(draft_text.marked(draft_text.sentence(text, self.lang), [one]) for one, text in texts)

    def covered(self, block: Block, piece: Piece, twin: Piece | None, raw: str, given: list[str]) -> Choice:
        if not self.open(piece, given, block) and not (twin and self.open(twin, given, block)):
            return Choice(raw, "marked", piece.claims) if raw != piece.raw else Choice(raw)
        other = twin.words if twin else ""
        known = self.book.stated_as(piece.words, other)
        if known is not None and not known.usable:
            return Choice(None, "removed", (known.id,))
        found = known.id if known else self.covering(piece, other, given) or self.proposed(piece, other)
        if found is None or found in given:
            return Choice(raw, "marked", piece.claims) if raw != piece.raw else Choice(raw)
        return Choice(draft_text.marked(raw, [found]), "marked", (found,))

    def open(self, piece: Piece, given: Sequence[str], block: Block) -> bool:
        """Whether it says something that needs a claim and has none. A title names a topic, unless it compares."""
        if self.uncovered(piece.words, given):
            return True
        rated = risk.sentence_risk(piece.words)
        asks = block.kind == "heading" and (block.level == 2 or piece.words.endswith(("?", "？")))
        topic = block.kind == "heading" and rated.category != COMPARING
        return rated.level == "high" and not given and not asks and not topic

    def uncovered(self, words: str, given: Sequence[str]) -> bool:
        """Whether it states what its claims do not: a number that needs one; where it has claims, a code too."""
        texts = self.book.texts(given)
        return any(map(needs_claim, unstated(words, [texts]))) or bool(given and lacking(words, texts))

    def covering(self, piece: Piece, other: str, given: Sequence[str]) -> str | None:
        for words in (piece.words, other):
            if self.uncovered(words, given) and (found := self.book.covering(words, given)):
                return found
        return None

    def proposed(self, piece: Piece, other: str) -> str | None:
        english, chinese = (piece.words, other) if self.lang == "en" else (other, piece.words)
        return self.book.propose(english or chinese, chinese)

    # --- what goes as a whole ---------------------------------------------------------------------------------------

    def gone(self, blocks: Sequence[Block]) -> dict[int, tuple[str, ...]]:
        """The blocks with nothing left, by place, each with the claims that took it away."""
        gone = {at: _ids(all_) for at, all_ in enumerate(self.choices) if all_ and all(c.text is None for c in all_)}
        for at, block in enumerate(blocks):
            under = _under(blocks, at) if block.kind == "heading" else range(0)
            if at in gone:
                gone |= {below: gone[at] for below in under if below not in gone}
        for at in range(len(blocks) - 1, -1, -1):
            needed = self.dependants(blocks, at)
            if at not in gone and needed and all(one in gone for one in needed):
                gone[at] = gone[needed[0]]
        return gone

    def dependants(self, blocks: Sequence[Block], at: int) -> Sequence[int]:
        """What a block stands for: a feature's or question's text, a table's rows."""
        block = blocks[at]
        if block.kind == "heading":
            return _under(blocks, at) if block.level > 2 else ()
        if block.kind != "row" or (at and blocks[at - 1].kind == "row" and not block.is_rule):
            return ()
        rows = range(at + 1, len(blocks))
        end = next((n for n in rows if blocks[n].kind != "row"), len(blocks))
        return [n for n in range(at + 1, end) if not blocks[n].is_rule]

    def removal(self, block: Block, claims: tuple[str, ...], notes: tuple[str, ...]) -> Edit:
        """The block with the line end before it; with the blank lines too, when blank lines follow."""
        start = block.start
        blank_after = self.page[block.end :][:2] in ("", "\n", "\n\n")
        while start and self.page[start - 1] == "\n":
            start -= 1
            if not blank_after:
                break
        return Edit(start, block.end, "", "removed", claims, notes)


def _short(words: str) -> str:
    return words if len(words) <= NOTED_CHARS else words[: NOTED_CHARS - 1] + "…"


def _ids(choices: Sequence[Choice]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for choice in choices for one in choice.claims))


def _under(blocks: Sequence[Block], at: int) -> range:
    """The blocks that a heading governs."""
    level = blocks[at].level
    after = (n for n in range(at + 1, len(blocks)) if blocks[n].kind == "heading" and blocks[n].level <= level)
    return range(at + 1, next(after, len(blocks)))


def _with_marked_cell(row: str, said: str) -> str:
    """The row with this in the cell that carries the markers."""
    done = False

    def put(cell: re.Match[str]) -> str:
        nonlocal done
        if done or not CLAIM_COMMENT.search(cell[1]):
            return cell[0]
        done = True
        return f" {said} "

    return _CELL.sub(put, row)
