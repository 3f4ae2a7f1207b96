"""All six gates on a page of 1,500 words that nobody has seen before, in English and in Chinese.

The page is the shipped hardware example, put together by the assembler and made longer. Every repetition changes every
sentence, so that nothing remembered about a sentence helps; registry, sources and the page in the other language are as
they were. The time is that of the processor. The floor is markdown-it alone, which parses the page and judges nothing.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from markdown_it import MarkdownIt

from bench.figures import Figure, Part, timed
from signoff.artifacts.words import count_cn, count_en
from signoff.core.declarations import GateInput
from signoff.core.findings import Finding
from signoff.core.refs import Parse, Ref, digest
from signoff.service import catalog, run_control, runs
from signoff.service.files import new_project
from signoff.service.project import Project
from signoff.workflows.solution_page.documents.claims_registry import PATH as REGISTRY
from signoff.workflows.solution_page.gates import GATES, parse_page
from signoff.workflows.solution_page.state import SOURCES, draft

T = TypeVar("T")

NAMES = ("structure", "word-count", "links", "markers", "claims", "parity")
LANGS = ("en", "cn")
WARM_UP = 16
MORE = {
    "en": (
        "In Daily Use",
        (
            "In an office, people have little time to spare, and notes that arrive late are read by nobody. What "
            "helps is a device that stays out of the way and asks for no further step. Setting it up takes a "
            "table, a cable and a quiet moment before the meeting begins. When something goes wrong, a plain "
            "message tells what happened and what to do about it. Training is short, because people already know "
            "the words that appear on the screen. Our visits to customers taught us that searching for old "
            "adapters costs a lot of patience. Teams that move between rooms find the same settings in the same "
            "order, wherever they sit down next. Nobody has to read a manual."
        ),
    ),
    "cn": (
        "日常使用",
        (
            "在办公室里，大家的时间总是很紧，迟到的纪要往往没有人会去看，也没有人会去问。真正有用的，是不打扰"
            "人的设备，它不会要求大家再多做任何步骤。出了问题，屏幕上会用平实的话告诉大家发生了什么、该怎么处"
            "理，而不是显示难懂的代码。培训用不了多久，因为屏幕上出现的都是大家早已熟悉的词，看到就知道是什么"
            "意思。经常往返于不同房间的团队，在各处看到的设置相同，排列的顺序也相同。"
        ),
    ),
}


class Desk:
    """A project's documents in memory, parsed once each, as a run sees them."""

    def __init__(self, root: Path, slug: str) -> None:
        self.drafts = {lang: draft(slug, lang) for lang in LANGS}
        self._data: dict[Ref, bytes] = {}
        self._parsed: dict[Any, Any] = {}
        found = sorted(path for path in (root / SOURCES).rglob("*") if path.is_file())
        self.sources = {path: self._read(root, path) for path in (f.relative_to(root).as_posix() for f in found)}
        self.registry = self._read(root, REGISTRY)
        self.texts = {lang: longer((root / path).read_text("utf-8"), lang) for lang, path in self.drafts.items()}
        self.pages = {lang: self.put(self.drafts[lang], text) for lang, text in self.texts.items()}

    def _read(self, root: Path, path: str) -> Ref:
        return self.put(path, (root / path).read_bytes())

    def put(self, path: str, data: str | bytes) -> Ref:
        raw = data.encode() if isinstance(data, str) else data
        ref = Ref(path, digest(raw))
        self._data[ref] = raw
        return ref

    def __call__(self, ref: Ref, parse: Parse[T], /) -> T:
        if (ref, parse) not in self._parsed:
            self._parsed[ref, parse] = parse(self._data[ref], ref.path)
        value: T = self._parsed[ref, parse]
        return value

    def given(self, gate: str, lang: str, page: Ref) -> GateInput:
        of: Mapping[str, Ref] = {"draft": page}
        if gate == "parity":
            of = {**self.pages, lang: page}
        if gate == "claims":
            of = {"draft": page, "registry": self.registry, **self.sources}
        files = [*self.sources, *self.drafts.values()]
        params = {"lang": lang, "template": "hardware", "strip": True, "link_mode": "format", "files": files}
        return GateInput(of=of, params=params, look=self)

    def check(self, lang: str, page: Ref, gates: Sequence[str] = NAMES) -> list[Finding]:
        return [finding for gate in gates for finding in GATES[gate].run(self.given(gate, lang, page))]

    def fresh(self, lang: str, number: int) -> Ref:
        return self.put(self.drafts[lang], changed(self.texts[lang], lang, number))


def longer(page: str, lang: str) -> str:
    title, text = MORE[lang]
    return f"{page}\n## {title}\n\n{text}\n\n{text}\n"


def changed(page: str, lang: str, number: int) -> str:
    """Every sentence with another word in it that says nothing."""
    if lang == "cn":
        return re.sub("([\u4e00-\u9fff])([。？：])", rf"\1甲{chr(0x5000 + number)}\2", page)
    word = "quo" + "".join(chr(97 + number // 26**place % 26) for place in range(3))
    return re.sub(r"([a-z])([.?])(?=[\s*])", rf"\1 {word}\2", page)


def _written(home: Path) -> Desk:
    made = new_project.start(home / "page", "hardware")
    asyncio.run(_work(made))
    return Desk(made.root, made.slug)


async def _work(made: new_project.Scaffolded) -> None:
    workflow = catalog.workflow(made.workflow)
    live = await run_control.begin_or_go_on(Project(made.root), workflow, made.slug, {})
    await runs.drive(live, run_control.runtime("offline", workflow))


def measure(home: Path, quick: bool) -> Part:
    desk = _written(home)
    figures, words = [], {}
    for lang in LANGS:
        times = 12 if quick else 50
        for number in range(WARM_UP):
            wrong = desk.check(lang, desk.fresh(lang, number))
            if wrong:
                raise RuntimeError(f"the page to measure is not a good one: {wrong[0]}")
        figures += _measured(desk, lang, times)
        visible = desk(desk.fresh(lang, 0), parse_page).visible()
        words[lang] = (count_en if lang == "en" else count_cn)(visible)
    return Part(figures, {"words": words["en"], "characters": words["cn"], "warm-up": f"{WARM_UP} other pages"})


def _measured(desk: Desk, lang: str, times: int) -> list[Figure]:
    bare = MarkdownIt("commonmark").enable("table")
    pages = iter([desk.fresh(lang, WARM_UP + number) for number in range(times)])
    floor = median(timed(lambda: bare.parse(desk.texts[lang]), times, time.process_time))
    parsing, new, known, each = [], [], [], dict[str, list[float]]()
    for page in pages:
        begun = time.process_time()
        desk(page, parse_page)
        parsed = time.process_time()
        desk.check(lang, page)
        done = time.process_time()
        parsing.append(parsed - begun)
        new.append(done - begun)
        known += timed(lambda page=page: desk.check(lang, page), 1, time.process_time)
        for gate in NAMES:
            each.setdefault(gate, []).extend(timed(lambda: desk.check(lang, page, [gate]), 1, time.process_time))  # noqa: B023
    of = "markdown-it alone"

    def figure(name: str, taken: list[float], aim: str = "") -> Figure:
        return Figure("gates", f"{lang}: {name}", median(taken) * 1e3, "ms", median(taken) / floor, of, aim)

    rate = len(NAMES) / median(new)
    return [
        Figure("gates", f"{lang}: markdown-it alone", floor * 1e3, "ms", 1.0, of),
        figure("the page parsed", parsing),
        figure("six gates, a new page", new, "under 10 ms, parsing included"),
        figure("six gates, seen before", known),
        Figure("gates", f"{lang}: gates per second, new pages", rate, "/s", rate * floor, of),
        *(figure(f"{gate}, seen before", each[gate]) for gate in NAMES),
    ]
