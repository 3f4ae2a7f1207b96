"""How the author mends headline, action and sections: each function gives texts that may be better."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Final

from signoff.workflows.content.players import compose
from signoff.workflows.content.players.compose import HEADINGS, Subject, button, first_sentence, heading, mark, question
from signoff.workflows.content.players.edits import capitalised, in_block, in_prose, inserted, lowered, replaced
from signoff.workflows.content.players.mends_words import Mended
from signoff.workflows.content.rules.action import begins_with_verb, is_vague, side_roads
from signoff.workflows.content.rules.foundation import Action
from signoff.workflows.content.rules.headline import MOST_WORDS
from signoff.workflows.content.rules.lexicon import compiled, fold
from signoff.workflows.content.rules.load import MOST_TAGS, limit
from signoff.workflows.content.rules.piece import WEBSITE, Piece, count, listed, quoted
from signoff.workflows.content.rules.search import has_keyword, keyword_of, meta_limits
from signoff.workflows.content.rules.structure import SECTIONS, sections_of, unanswered
from signoff.workflows.wording import plain, sentences

_CLAUSE: Final = re.compile(r",|;|:| who | that | which | with | and | – | — |\.")
_META_LINE: Final = {
    name: re.compile(
        rf"^([ \t]*(?:[-*+][ \t]+)?\**(?:meta[ -])?{name}\**[ \t]*:\**[ \t]*)\S.*$", re.IGNORECASE | re.MULTILINE
    )
    for name in ("title", "description")
}
_TAGGED: Final = re.compile(r"[ \t]*(?<![\w&/])#[^\W\d_]\w*")
_LEVEL: Final = re.compile(r"^( {0,3})(#{1,6})(?=[ \t])")


# --- the headline -----------------------------------------------------------------------------------------------------


def headline(piece: Piece, subject: Subject) -> Iterator[Mended]:
    """Shorter headlines from words that the material has; what stood behind a colon goes under the headline."""
    old = next((one for one in piece.page.headings if one.level == 1), None)
    for said in dict.fromkeys(_headlines(piece, subject)):
        if old is None:
            text = inserted(piece.text, 0, [heading(1, said)])
        else:
            text = replaced(piece.text, old.line, old.last_line, [heading(1, said)])
        yield Mended(text, f"The headline is now {quoted(said)}, {count(said)} words.")


def _headlines(piece: Piece, subject: Subject) -> Iterator[str]:
    title, reader = subject.idea.title.rstrip(" ."), audience(subject)
    keyword = capitalised(keyword_of(piece))
    old = piece.headline
    for said in (old.partition(": ")[0], title):
        if keyword and fold(keyword) not in fold(said):
            yield f"{keyword}: {lowered(said)}"
        yield said
        if reader:
            yield f"{said} for {reader}"
    if keyword and reader:
        yield f"{keyword} for {reader}"
    why = first_sentence(subject.base.said("Why us"))
    yield from (plain(text).rstrip(" .") for text in (_clause(old), _clause(why)) if text)
    yield " ".join(old.split()[:MOST_WORDS])


def _clause(text: str) -> str:
    """The text as far as its first joint."""
    return _CLAUSE.split(text, maxsplit=1)[0].strip()


def audience(subject: Subject) -> str:
    """The audience in a few words."""
    said = first_sentence(subject.base.said("For whom")) or subject.idea.audience
    return lowered(plain(_clause(said)))


def keyword_opening(piece: Piece, subject: Subject) -> Iterator[Mended]:
    """A page names keyword and audience before its first line; an article names its subject."""
    if not piece.prose:
        return
    keyword, reader = capitalised(keyword_of(piece)), audience(subject)
    openings = [f"{keyword} for {reader}:"] if reader and piece.kind == WEBSITE else []
    for said in (*openings, f"{keyword}:"):
        text = in_block(piece.text, piece.prose[0], partial(_begun, said))
        yield Mended(text, f"The opening begins with {quoted(said)}.")


def _begun(said: str, source: str) -> str:
    return f"{said} {lowered(source)}"


def keyword_density(piece: Piece, _: Subject) -> Iterator[Mended]:
    """From the third mention on, its last word alone."""
    keyword = keyword_of(piece)
    pattern, seen = compiled({keyword: ""}).pattern, [0]

    def shortened(found: re.Match[str]) -> str:
        seen[0] += 1
        return found.group() if seen[0] < 3 else found.group().split()[-1]

    yield Mended(in_prose(piece, lambda line: pattern.sub(shortened, line)), f"Said “{keyword}” less often.")


# --- the action -------------------------------------------------------------------------------------------------------


def _goal(piece: Piece, subject: Subject) -> Action | None:
    """The action of the positioning, or the clearest one that the draft has."""
    offered = [subject.base.action, *(offer.action for offer in piece.offers)]
    clear = (one for one in offered if one and one.label and not is_vague(one.label) and begins_with_verb(one.label))
    return next(clear, None)


def action_clear(piece: Piece, subject: Subject) -> Iterator[Mended]:
    goal = _goal(piece, subject)
    if goal is None:
        return
    text = piece.text
    for offer in piece.offers:
        if is_vague(offer.label) or not begins_with_verb(offer.label) or count(offer.label) > count(goal.label):
            text = replaced(text, offer.line, offer.line, [button(Action(goal.label, offer.action.url or goal.url))])
    yield Mended(text, f"The call to action now says {quoted(goal.label)}.")


def one_action(piece: Piece, subject: Subject) -> Iterator[Mended]:
    goal = _goal(piece, subject)
    text = piece.text
    for offer in piece.offers if goal else ():
        assert goal is not None  # narrows the type
        if fold(offer.label) != fold(goal.label):
            text = replaced(text, offer.line, offer.line, [button(Action(goal.label, goal.url or offer.action.url))])
    named = f"Every call to action says {quoted(goal.label)}." if goal else "One call to action is left."
    if piece.kind != WEBSITE:
        yield Mended(text, named)
        return
    for link in side_roads(piece):
        text = text.replace(f"[{link.text}]({link.url})", link.text)
    yield Mended(text, f"{named} Links that led away are plain words now.")


def action_placed(piece: Piece, subject: Subject) -> Iterator[Mended]:
    goal = _goal(piece, subject)
    if goal is None:
        return
    text, how = piece.text, list[str]()
    begins = [part.heading.line for part in piece.body if part.heading]
    ending = begins[-2] if len(begins) > 1 else 1
    if not any(offer.line >= ending for offer in piece.offers):
        room = sections_of(piece).get("final-cta") if piece.kind == WEBSITE else None
        text = inserted(text, room.last_line if room else _end(piece), [button(goal)])
        how.append("at the end")
    first = begins[0] if begins else piece.page.line_count + 1
    if piece.kind == WEBSITE and not any(offer.line < first for offer in piece.offers):
        top = [block.last_line for block in piece.hero.blocks if block.kind in ("paragraph", "heading")]
        text = inserted(text, max(top, default=0), [button(goal)])
        how.append("in the hero")
    yield Mended(text, f"The call to action stands {' and '.join(how)}.")


def _end(piece: Piece) -> int:
    """The last line that a visitor reads."""
    lines = [block.last_line for part in piece.body for block in part.blocks if block.kind != "html"]
    titles = [part.heading.last_line for part in piece.body if part.heading]
    return max([*lines, *titles], default=0)


# --- sections ---------------------------------------------------------------------------------------------------------


def sections(piece: Piece, subject: Subject) -> Iterator[Mended]:
    """What is missing from the documents' own words; then everything in order."""
    material = compose.rooms(subject)
    text, added = piece.text, list[str]()
    for name in reversed(list(SECTIONS)):
        now = Piece(text, piece.kind, piece.docs)
        if name not in sections_of(now) and material.get(name):
            text = inserted(text, _before(now, name), _titled(name, material[name], marked=bool(piece.marks)))
            added.append(name)
    ordered = _in_order(Piece(text, piece.kind, piece.docs))
    told = f"Added {', '.join(reversed(added))}." if added else ""
    yield Mended(ordered, f"{told} The sections stand in order.".strip())


def _titled(name: str, blocks: list[str], *, marked: bool) -> list[str]:
    return [*([mark(name)] if marked else []), heading(2, HEADINGS[name]), *blocks]


def _before(piece: Piece, name: str) -> int:
    """The last line above the section that follows."""
    names = list(SECTIONS)
    there = sections_of(piece)
    later = [there[other].line for other in names[names.index(name) + 1 :] if other in there]
    return min([*later, piece.meta_line]) - 1


def _in_order(piece: Piece) -> str:
    there = sorted(sections_of(piece).items(), key=lambda named: named[1].line)
    names = [name for name, _ in there]
    if names == [name for name in SECTIONS if name in names]:
        return piece.text
    lines = piece.text.rstrip("\n").split("\n")
    edges = [room.line for _, room in there] + [min(piece.meta_line, len(lines) + 1)]
    cut = {name: lines[start - 1 : stop - 1] for name, (start, stop) in zip(names, pairwise(edges), strict=True)}
    body = [line for name in SECTIONS if name in cut for line in (*_stripped(cut[name]), "")]
    return "\n".join([*lines[: edges[0] - 1], *body, *lines[edges[-1] - 1 :]]).rstrip("\n") + "\n"


def _stripped(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def feature_count(piece: Piece, subject: Subject) -> Iterator[Mended]:
    room = sections_of(piece).get("features")
    missing = [pair for pair in subject.base.features if fold(pair.name) not in fold(piece.all_words)]
    if room and missing:
        blocks = [part for pair in missing for part in question(pair.name, pair.text)]
        named = listed(pair.name for pair in missing)
        yield Mended(inserted(piece.text, room.last_line, blocks), f"Added features: {named}.")


def objections(piece: Piece, _: Subject) -> Iterator[Mended]:
    """Each unanswered question with its answer, where objections are met, or before the last section."""
    pairs = unanswered(piece)
    blocks = [part for pair in pairs for part in question(pair.name, pair.text)]
    how = f"Answered {listed(pair.name for pair in pairs)}."
    if piece.kind == WEBSITE:
        yield Mended(_asked(piece, ("objections", "faq"), blocks), how)
        return
    begins = [part.heading.line for part in piece.body if part.heading]
    chapter = [heading(2, compose.ARTICLE["against"]), *blocks]
    yield Mended(inserted(piece.text, begins[-1] - 1 if begins else _end(piece), chapter), how)


def price(piece: Piece, subject: Subject) -> Iterator[Mended]:
    blocks = list(question(compose.COST, " ".join(map(compose.sentence, subject.base.said("Price")))))
    yield Mended(_asked(piece, ("faq", "objections"), blocks), "Said what it costs.")


def _asked(piece: Piece, names: tuple[str, str], blocks: list[str]) -> str:
    """Questions at the end of the first of these sections that is there, or else in a new one."""
    there = sections_of(piece)
    room = there.get(names[0]) or there.get(names[1])
    if room:
        return inserted(piece.text, room.last_line, blocks)
    return inserted(piece.text, _before(piece, names[0]), _titled(names[0], blocks, marked=bool(piece.marks)))


def meta(piece: Piece, subject: Subject) -> Iterator[Mended]:
    text = piece.text
    for name, made in (("title", _title(piece, subject)), ("description", _description(piece, subject))):
        least, most = meta_limits(piece, name)
        if made and not least <= len(piece.meta.get(name, "")) <= most:
            text = _with_meta(text, name, made)
    yield Mended(text, "Brought the meta lines to the length that a search result shows.")


def _with_meta(text: str, name: str, made: str) -> str:
    lines = list(_META_LINE[name].finditer(text))
    if not lines:
        return f"{text.rstrip()}\n\n{capitalised(name)}: {made}\n"
    last = lines[-1]
    return text[: last.start()] + last.group(1) + made + text[last.end() :]


def _title(piece: Piece, subject: Subject) -> str:
    least, most = meta_limits(piece, "title")
    options = [
        said for text in (piece.headline, *_headlines(piece, subject)) if least <= len(said := plain(text)) <= most
    ]
    found = (said for said in options if subject.base.keywords and has_keyword(piece, said))
    return max(found, key=len, default=next(iter(options), ""))


def _description(piece: Piece, subject: Subject) -> str:
    """Whole sentences of `Why us` and what follows, as many as fit; the first one cut where none does."""
    least, most = meta_limits(piece, "description")
    lines = (
        *subject.base.said("Why us"),
        *subject.base.said("For whom"),
        *subject.base.said("Problem"),
        subject.idea.title,
    )
    said = [plain(one) for line in lines for one in sentences(line)]
    made = ""
    for one in said:
        longer = f"{made} {one}".strip()
        made = longer if len(longer) <= most else made
    if len(made) >= least or not said:
        return made
    return said[0][:most].rpartition(" ")[0].rstrip(" ,;:") or said[0][:most]


# --- posts and headings -----------------------------------------------------------------------------------------------


def post_length(piece: Piece, _: Subject) -> Iterator[Mended]:
    """Sentences from the end go until it fits; the first and the action stay."""
    text = piece.text
    for block in reversed(piece.prose[1:]):
        if len(text.strip()) <= limit(piece):
            break
        text = replaced(text, block.line, block.last_line, ())
    short = re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
    yield Mended(short, f"Shortened the post to {len(short.strip())} characters.")


def hashtags(piece: Piece, _: Subject) -> Iterator[Mended]:
    most, seen = piece.foundation.limit("social-media-strategy", "tag") or MOST_TAGS, [0]

    def kept(found: re.Match[str]) -> str:
        seen[0] += 1
        return found.group() if seen[0] <= most else ""

    yield Mended(_TAGGED.sub(kept, piece.text), f"Kept {most} hashtags.")


def heading_order(piece: Piece, _: Subject) -> Iterator[Mended]:
    """One title; no level is skipped on the way down."""
    lines, level, titled = piece.text.split("\n"), 0, False
    for one in piece.page.headings:
        fitting = min(one.level, level + 1) if level else one.level
        fitting = 2 if fitting == 1 and titled else fitting
        titled, level = titled or fitting == 1, fitting
        lines[one.line - 1] = _LEVEL.sub(lambda found, n=fitting: found.group(1) + "#" * n, lines[one.line - 1])  # type: ignore[misc]
    yield Mended("\n".join(lines), "Headings step down one level at a time.")
