"""All checks on an article of 2,300 words that nobody has seen before, and on a Chinese one of as many characters.

The drafts are those of the shipped example, written by the role players, in English in the deepest length. Every
repetition gives every paragraph another sentence, so that nothing remembered about a text helps; config, outline,
sources and pages are as they were. The time is that of the processor. The floor is markdown-it alone, which parses the
draft and judges nothing.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from markdown_it import MarkdownIt

from bench.figures import Figure, Part, timed
from signoff.artifacts.pages import parse_page
from signoff.core.findings import failing
from signoff.service import catalog, driving, runs, scaffold
from signoff.service.project import Project
from signoff.workflows.article import audiences, materials, places
from signoff.workflows.article.checks import CHECKS, run, run_all
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.schema import parse_doc

WARM_UP = 8
OF = "markdown-it alone"
LANGUAGES = {
    "en": ("quench-oil-maintenance", "deep", "quench oil maintenance"),
    "zh": ("cuihuoyou-weihu", "standard", "淬火油维护"),
}
"""Of each the topic, the length, and the topic in words."""


async def _write(root: Path, language: str) -> None:
    workflow, (topic, length, about) = catalog.workflow("article"), LANGUAGES[language]
    params = {"type": "opinion", "length": length, "language": language, "about": about}
    live = await driving.begin_or_go_on(Project(root), workflow, topic, params)
    offline = driving.runtime("offline", workflow)
    await runs.drive(live, offline)
    await runs.answer(live, "thesis", "thesis-1", "person:bench", {})
    await runs.drive(live, offline)


def written(home: Path, language: str) -> Given:
    """What the checks are given of a finished article."""
    root, topic = home / language, LANGUAGES[language][0]
    scaffold.start(root, "heat-treatment")
    asyncio.run(_write(root, language))

    def text(path: str) -> str:
        return (root / path).read_text("utf-8")

    config = parse_doc(text(places.config(topic)).encode(), places.config(topic))
    least, most = audiences.budget(config.articleLength, config.language, 1.6)
    found = (parse_page(path.read_bytes(), path.name) for path in (root / places.pages(topic)).iterdir())
    return Given(
        config=config,
        outline=text(places.outline(topic)),
        draft=text(places.draft(topic)),
        items=materials.parse(text(places.sources(topic)), places.sources(topic))[0],
        file=places.draft(topic),
        outline_file=places.outline(topic),
        least=least,
        most=most,
        pages={page.url: page.text for page in found},
    )


def changed(given: Given, number: int) -> Given:
    """Every paragraph with another sentence at its end that says nothing; what is quoted stays."""
    word = "".join(chr(97 + number // 26**place % 26) for place in range(3))
    more = f" 还有{chr(0x5000 + number)}。" if given.config.language == "zh" else f" So it goes, quo{word}."
    return replace(given, draft=re.sub(r"(?m)^(\w.*[.。](?: ?<!--.*-->)?)$", rf"\1{more}", given.draft))


def measure(home: Path, quick: bool) -> Part:
    figures, sizes = [], {}
    for language in LANGUAGES:
        given = written(home, language)
        if wrong := failing(run_all(given)):
            raise RuntimeError(f"the article to measure is not a good one: {wrong[0]}")
        figures += _measured(given, language, 6 if quick else 40)
        sizes[f"{given.unit}, {language}"] = changed(given, 0).article.length(language)
    return Part(figures, {"size": sizes, "warm-up": f"{WARM_UP} other drafts"})


def _measured(given: Given, language: str, times: int) -> list[Figure]:
    bare = MarkdownIt("commonmark").enable("table")
    floor = median(timed(lambda: bare.parse(given.draft), times, time.process_time))
    drafts = [changed(given, number) for number in range(WARM_UP + times)]
    for draft in drafts[:WARM_UP]:
        run_all(draft)
    new = [timed(lambda: run_all(draft), 1, time.process_time)[0] for draft in drafts[WARM_UP:]]  # noqa: B023
    last = drafts[-1]
    each = {name: median(timed(lambda: run(name, last), times, time.process_time)) for name in CHECKS}  # noqa: B023

    def figure(name: str, taken: float, aim: str = "") -> Figure:
        return Figure("article", f"{language}: {name}", taken * 1e3, "ms", taken / floor, OF, aim)

    return [
        figure(OF, floor),
        figure(f"{len(CHECKS)} checks, a new draft", median(new), "under 50 ms, parsing included"),
        *(figure(f"{name}, seen before", taken) for name, taken in each.items()),
    ]
