"""The outline writer: plans the article, and writes it from materials, their pages and the author's voice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

from signoff.workflows.article.checks.text import share
from signoff.workflows.article.players import ledger, mending, voice
from signoff.workflows.article.players.composing import Composer, Piece
from signoff.workflows.article.players.desk import Desk, Payload, blocked, player
from signoff.workflows.article.players.fitting import fitted
from signoff.workflows.article.players.judging import figures, shared
from signoff.workflows.article.players.lexicon import ADVICE, DANGLING, NUMBER
from signoff.workflows.article.players.manuscript import (
    CONCLUSION,
    INTRODUCTION,
    Manuscript,
    Part,
    Planned,
    outline_text,
    planned,
)
from signoff.workflows.article.players.stock import Stock
from signoff.workflows.article.players.synthesis import Found, by_placement, group_of, hook_type, kind_of
from signoff.workflows.wording import folded

_FRAMEWORK: Final = {"problem": "PAS", "surprising-stat": "AIDA", "question": "PAS", "direct": "Direct Hook"}
_ENDINGS: Final = {
    "opinion": ("verdict", "synthesis", "prevention", "next-step"),
    "tutorial": ("next-step", "prevention", "synthesis", "verdict"),
    "informational": ("synthesis", "next-step", "prevention", "verdict"),
    "comparison": ("verdict", "next-step", "synthesis", "prevention"),
}
_LONGEST_TITLE: Final = {"en": 12, "zh": 26}


# --- the outline ------------------------------------------------------------------------------------------------------


def outline(desk: Desk) -> Payload:
    found = Found(desk, [dict(item) for item in desk.note("ids", ())])
    placed = dict(desk.research("materials", "byPlacement", default={})) or by_placement(found)
    avoid = desk.note("avoid", {}) or {}
    hook = _hook(found, placed, [str(one) for one in avoid.get("hooks", ())])
    ending = next(
        (one for one in _ENDINGS[desk.type] if one not in avoid.get("conclusions", ())), _ENDINGS[desk.type][0]
    )
    sections = list(_planned(desk, found, placed, hook, ending))
    if sum(section.place.startswith("H2-") for section in sections) < 2:
        return blocked(
            ["the materials fill fewer than two sections: put more documents into 0-sources/ and research again"]
        )
    path = str((desk.note("path", {}) or {}).get("outline") or f"outline/{desk.topic}.md")
    title = str(desk.note("thesis")).rstrip(".。") or voice.TITLES[desk.language]["bare"].format(
        subject=desk.subject, Subject=desk.subject[:1].upper() + desk.subject[1:]
    )
    shape = {"introFramework": _FRAMEWORK[hook_type(hook)], "conclusionType": ending}
    return {
        "documents": {path: outline_text(title, sections)},
        "config": {"workflowState": {"writing": {"outline": shape}}},
    }


def _hook(found: Found, placed: Mapping[str, Sequence[str]], used: Sequence[str]) -> str:
    """The material that opens: the one that research placed there, unless another article opens like that."""
    given = [one for one in placed.get("hook", ()) if hook_type(one) not in used]
    return given[0] if given else found.hook


def _planned(
    desk: Desk, found: Found, placed: Mapping[str, Sequence[str]], hook: str, ending: str
) -> Iterator[Planned]:
    by_id = {str(item["id"]): item for item in found.items}
    thesis = str(desk.note("thesis"))
    yield Planned(INTRODUCTION, "", (hook,) if hook else (), (thesis,) if thesis else (), own=False)
    bodies = _bodies(placed, hook)
    own = _own_sections(bodies, by_id, thesis) if thesis else ()
    titles: list[str] = []
    for number, (place, ids) in enumerate(bodies, 1):
        begun = [hook] if kind_of(hook) == "CASE" and any(kind_of(one) == "CASE" for one in ids) else []
        known = [one for one in ids if one in by_id and one != hook]
        titles.append(_title(desk, by_id, known or begun, titles))
        yield Planned(f"H2-{number}", titles[-1], (*begun, *known), tuple(_points(by_id, known)), own=place in own)
    last = [one for one in placed.get("conclusion", ()) if one in by_id]
    yield Planned(CONCLUSION, voice.TITLES[desk.language][ending], tuple(last), (thesis,) if thesis else (), own=False)


def _bodies(placed: Mapping[str, Sequence[str]], hook: str) -> list[tuple[str, list[str]]]:
    """The sections between, with their materials; what was placed as a hook and is none goes where its kind is."""
    ordered = sorted(placed.items(), key=_by_number)
    bodies = [(place, list(ids)) for place, ids in ordered if place.startswith("H2-") and ids]
    for one in placed.get("hook", ()):
        alike = [ids for _, ids in bodies if any(kind_of(other) == kind_of(one) for other in ids)]
        if one != hook and bodies:
            (alike[0] if alike else bodies[0][1]).insert(0, one)
    return bodies


def _by_number(entry: tuple[str, Sequence[str]]) -> tuple[int, str]:
    found = re.search(r"\d+", entry[0])
    return (int(found.group()) if found and entry[0] != "hook" else 0, entry[0])


def _own_sections(
    bodies: Sequence[tuple[str, Sequence[str]]], by_id: Mapping[str, Any], thesis: str
) -> tuple[str, ...]:
    """The one or two sections that prove the thesis: measurements first, then where its strongest support stands."""
    weight = {
        place: sum({"strong": 2, "moderate": 1}.get(by_id[one]["thesisSupport"], 0) for one in ids if one in by_id)
        + 100 * (group_of(by_id[ids[0]]) == "data" if ids[0] in by_id else False)
        for place, ids in bodies
    }
    said = {
        place: share(thesis, " ".join(str(by_id[one]["quote"]) for one in ids if one in by_id)) for place, ids in bodies
    }
    first, *rest = sorted(weight, key=lambda place: -weight[place])
    return (first, *(place for place in rest[:1] if len(bodies) > 3 and said[place] >= 0.6))


def _title(desk: Desk, by_id: Mapping[str, Any], ids: Sequence[str], taken: Sequence[str]) -> str:
    """What a material calls itself, where that makes a heading; else the usual one for its kind."""
    usual = voice.TITLES[desk.language][group_of(by_id[ids[0]]) if ids and ids[0] in by_id else "practice"]
    cases = [one for one in ids if kind_of(one) == "CASE"]
    named = ids if len(cases) < 2 else ()  # several cases are no single story
    names = [
        str(by_id[one].get("topic") or by_id[one].get("concept") or by_id[one].get("title") or "") for one in named
    ]
    names.sort(key=lambda name: not re.match(r"why\b|the order|.*(?:为什么|先看)", name, re.IGNORECASE))
    for name in (*names, usual, *(f"{usual} ({number})" for number in ("II", "III", "IV", "V"))):
        plain = folded(name).rstrip(".。:：")
        size = len(plain) if desk.language == "zh" else len(plain.split())
        if plain and size <= _LONGEST_TITLE[desk.language] and not NUMBER.search(plain) and plain not in taken:
            return plain
    return usual


def _points(by_id: Mapping[str, Any], ids: Sequence[str]) -> Iterator[str]:
    """What the section says, in the words of its first materials."""
    for one in ids[:2]:
        yield folded(
            str(
                by_id[one].get("claim") or by_id[one].get("summary") or by_id[one].get("concept") or by_id[one]["quote"]
            )
        )


# --- the draft --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draft:
    """One article in the making."""

    desk: Desk
    banned: tuple[str, ...] = ()

    @cached_property
    def stock(self) -> Stock:
        items = {str(item["id"]): dict(item) for item in self.desk.note("ids", ())}
        return Stock(items, {page.url: page for page in self.desk.pages}, self.desk.language, self.banned)

    @cached_property
    def composer(self) -> Composer:
        wanted = frozenset(map(str, self.desk.research("materials", "differentiators", default=())))
        return Composer(self.stock, self.desk.language, self.desk.topic, self.thesis, wanted)

    @cached_property
    def plan(self) -> tuple[str, tuple[Planned, ...]]:
        return planned(self.desk.text(paths(self.desk)["outline"]))

    @property
    def thesis(self) -> str:
        return str(self.desk.note("thesis")).rstrip(".。")

    @property
    def budget(self) -> tuple[int, int]:
        given = self.desk.note("budget", {}) or {}
        return int(given.get("least", 0)), int(given.get("most", 0))

    def written(self) -> Manuscript:
        """The article: what frames it first, then as much in between as there is room for."""
        title, sections = self.plan
        opening, closing, body = sections[0], sections[-1], sections[1:-1]
        advice = self._advice()
        introduction = Part(INTRODUCTION, "", tuple(text for text in self._introduction(opening) if text))
        end = partial(self._conclusion, closing, body, advice, self._last_word(closing))
        around = {section.place: texts for section, texts in zip(body, self._around(body), strict=True)}
        empty = [Part(section.place, section.title, tuple(around[section.place])) for section in body]
        frame = Manuscript(title, (introduction, *empty, end(self._beginning_with())))
        pieces = {section.place: self.composer.pieces(section, opening.materials) for section in body}
        least, most = self.budget
        fixed, language = frame.length(self.desk.language), self.desk.language
        made = frame
        for spare in (0, 20, 40, 80, 160):  # who speaks is known only when it is written out: it may not fit at once
            kept = fitted(pieces, language, fixed, least, most - spare)
            made = self._filled(frame, body, kept, opening.materials, end)
            if made.length(language) <= most:
                return made
        return made

    def _beginning_with(self) -> Composer:
        """The composer as it is when the frame stands: each try to fill it begins with the same."""
        return replace(self.composer, turns=dict(self.composer.turns), heard=set(self.composer.heard))

    def _filled(
        self,
        frame: Manuscript,
        body: Sequence[Planned],
        kept: Mapping[str, Sequence[Piece]],
        begun: Sequence[str],
        end: Callable[[Composer], Part],
    ) -> Manuscript:
        composer = self._beginning_with()
        for section in body:
            texts = composer.written(section, kept[section.place], begun)
            part = frame.part(section.place)
            image = [self._image(section)] if section.own and texts else []
            closing = self._argued(section, texts, list(part.paragraphs if part else ()))
            whole = (*texts[:1], *image, *texts[1:], *closing)
            frame = frame.with_part(Part(section.place, section.title, whole))
        return frame.with_part(end(composer))

    def _argued(self, section: Planned, texts: Sequence[str], closers: list[str]) -> list[str]:
        """A section of the thesis says it, where its materials do not."""
        said = share(self.thesis, " ".join([section.title, *texts])) if section.own and self.thesis else 1.0
        if said >= 0.6:
            return closers
        line = voice.say(self.desk.language, "own", section.title, thesis=self.inline(self.thesis))
        return [*closers[:-1], self.stock.joined([line, *closers[-1:]])]

    # --- introduction and conclusion ---

    def _introduction(self, plan: Planned) -> Iterator[str]:
        yield from (self._opening(one) for one in plan.materials[:1] if one in self.stock.items)
        consensus = [str(one) for one in self.desk.research("competitorAnalysis", "stances", "consensus", default=())]
        plain = [one for one in consensus if not figures(one)]
        usual = sorted(plain, key=lambda said: -shared(said, self.thesis))
        say, role = self.composer.say, self._role()
        if usual and self.thesis:
            yield self.stock.joined(
                [say("usual", said=_stopped(self.inline(usual[0]), self.desk.language)), say("usual_turn")]
            )
        stance = str(self.desk.note("stance") or "challenge")
        claim = (
            say(f"thesis_{stance}", role=role, thesis=self.inline(self.thesis))
            if self.thesis
            else say("no_thesis", role=role)
        )
        yield self.stock.joined([claim, say("signature")])

    def _opening(self, one: str) -> str:
        page = self.stock.page(one)
        if kind_of(one) == "CASE" and page is not None:
            return self.stock.told(page.passages[0], one)
        said = self.stock.quote(str(self.stock.items[one]["quote"]))
        if kind_of(one) in ("CASE", "D") and said:
            return self.stock.marked(said, (*(self.stock.figures(said) or ()), one))
        return self.composer.spoken(one, said) if said else ""

    def _role(self) -> str:
        role = str(self.desk.told("authorPersona", "role"))
        return role if self.desk.language == "zh" else voice.with_article(role)

    def _last_word(self, plan: Planned) -> tuple[str, str]:
        """The material that speaks last, with its words; nobody where there is none."""
        for one in plan.materials:
            if one in self.stock.items and (said := self.stock.quote(str(self.stock.items[one]["quote"]))):
                return one, said
        return "", ""

    def _conclusion(
        self, plan: Planned, body: Sequence[Planned], advice: str, last: tuple[str, str], composer: Composer
    ) -> Part:
        say = composer.say
        ending = str(self.desk.told("workflowState", "writing", "outline", "conclusionType") or "synthesis")
        first = say(ending, thesis=self.inline(self.thesis)) if self.thesis else say(f"{ending}_bare")
        action = str(self.desk.told("buyerJourney", "conversionPath", "primaryCTA", "action"))
        topics = self._listed("nextTopics")
        parting = [
            say("signature"),
            say("next_topics", topics=topics) if topics else "",
            _stopped(action, self.desk.language) if action else "",
        ]
        composer.here = set()
        spoken = composer.spoken(*last, "last_word") if last[0] else ""
        texts = (self.stock.joined([self._recap(body), first]), advice, spoken, self.stock.joined(parting))
        return Part(CONCLUSION, plan.title, tuple(text for text in texts if text))

    def _recap(self, body: Sequence[Planned]) -> str:
        """What the sections have done, in one sentence."""
        words = voice.RECAP[self.desk.language]
        done = [words[name] for name in dict.fromkeys(self._group(section) for section in body) if name in words][:4]
        recap = words["and"].join([words["comma"].join(done[:-1]), done[-1]]) if len(done) > 1 else "".join(done)
        return voice.say(self.desk.language, "recap", self.desk.topic, recap=recap) if recap else ""

    def inline(self, text: str) -> str:
        """A sentence as it goes on behind a colon: its first letter is small where the pages write the word so."""
        word = re.match(r"[A-Z][a-z]*\b", text)
        if word is None or self.desk.language == "zh":
            return text
        small = word.group().lower()
        known = any(re.search(rf"\b{small}\b", page.text) for page in self.stock.pages.values())
        return small + text[word.end() :] if known or small in ("the", "a", "an") else text

    def _listed(self, name: str) -> str:
        topics = [str(one) for one in self.desk.told("buyerJourney", name, default=())]
        return ("、" if self.desk.language == "zh" else ", ").join(topics)

    def _advice(self) -> str:
        """A piece of advice of somebody who is quoted anyway, in words that no other section needs."""
        held = " ".join(str(item["quote"]) for item in self.stock.items.values())
        for one, item in self.stock.items.items():
            page = self.stock.page(one) if kind_of(one) == "EXP" and group_of(item) == "practice" else None
            for _, said in page.sentences if page else ():
                if ADVICE.search(said) and not figures(said) and said not in held and not DANGLING.match(said):
                    self.stock.used.add(said)
                    name = page.name if page and page.name else self._named(page.title) if page else ""
                    return self.stock.marked(self.composer.say("advice", name=name, quote=voice.quoted(said)), [one])
        return ""

    def _named(self, title: str) -> str:
        return f"《{title}》" if self.desk.language == "zh" else f"“{title}”"

    # --- what the author adds to sections ---

    def _around(self, body: Sequence[Planned]) -> Iterator[list[str]]:
        """What stands at the end of each section: declared links and products, and what the author makes of it."""
        lines = [*self._link_lines(), *self._product_lines()]
        biased = self._biased(body)
        bias = str(self.desk.told("authorPersona", "bias")).rstrip(".。")
        for number, section in enumerate(body):
            said = [self.composer.say(f"{self._group(section)}_close")]
            said += [self.composer.say("bias", bias=self.inline(bias))] if bias and section.place in biased else []
            said += [self.composer.say("signature")] if number == len(body) // 2 else []
            declared = lines[number :: len(body)]
            yield [*([self.stock.joined(declared)] if declared else []), self.stock.joined(said)]

    def _biased(self, body: Sequence[Planned]) -> set[str]:
        """The sections in which the bias is said: the last, and another one of the thesis or the first."""
        own = [section.place for section in body if section.own]
        return {body[-1].place, next((place for place in own if place != body[-1].place), body[0].place)}

    def _group(self, section: Planned) -> str:
        known = [one for one in section.materials if one in self.stock.items]
        return group_of(self.stock.items[known[0]]) if known else "practice"

    def _link_lines(self) -> list[str]:
        declared = self.desk.told("internalLinks", default={}) or {}
        links = [*declared.get("required", ()), *declared.get("recommended", ())]
        return [self.composer.say("link", link=f"[{one['anchor']}]({one['url']})") for one in links]

    def _product_lines(self) -> list[str]:
        products = list(self.desk.told("products", default=()) or ())[:2]
        return [self.composer.say("product", mention=str(one["mention"])) for one in products]

    def _image(self, section: Planned) -> str:
        kind = "chart" if self._group(section) == "data" else "diagram"
        return f"<!-- image: {voice.TITLES[self.desk.language][kind].format(title=section.title)} -->"


def _stopped(text: str, language: str) -> str:
    bare = text.rstrip()
    return bare if bare[-1:] in ".!?。！？" else bare + ("。" if language == "zh" else ".")


def paths(desk: Desk) -> dict[str, str]:
    given = desk.note("path", {}) or {}
    own = {"outline": f"outline/{desk.topic}.md", "draft": f"drafts/{desk.topic}.md"}
    return {name: str(given.get(name) or path) for name, path in own.items()}


def draft(desk: Desk) -> Payload:
    path = paths(desk)["draft"]
    findings = [dict(one) for one in desk.note("findings", ())]
    making = Draft(desk)
    if not making.plan[1] or len(making.plan[1]) < 3:
        return blocked([f"{paths(desk)['outline']} has no sections to write: give it a title and sections (## …)"])
    made = mending.mended(desk.text(path), findings, making) if findings and desk.text(path) else making.written()
    least, most = making.budget
    length = made.length(desk.language)
    if length < least:
        problem = f"everything that the pages hold on this outline makes {length}, the article needs {least} to {most}"
        repair = "put more documents into 0-sources/ and research again, or choose a shorter article"
        return blocked([f"{problem}: {repair}"])
    return {"documents": {path: made.text}, "config": {"workflowState": {"writing": ledger.written(desk, made)}}}


outline_writer = player("outline-writer", {"outline": outline, "draft": draft})
