"""All checks on an article of 2,300 words that nobody has seen before, and on a Chinese one of as many characters.

The drafts are kept beside this file with their config, outline and sources; their pages are the documents of the
shipped example. Every repetition gives every paragraph another sentence, so that nothing remembered about a text helps;
all else is as it was. The time is that of the processor. The floor is markdown-it alone, which parses the draft and
judges nothing.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from markdown_it import MarkdownIt

from bench.figures import Figure, Part, timed
from signoff.core.findings import failing
from signoff.evidence.sources import fetched_pages
from signoff.workflows.article.checks import CHECKS, run, run_all
from signoff.workflows.article.checks.text import Given
from signoff.workflows.article.documents import audiences, materials
from signoff.workflows.article.documents.config_schema import parse_doc

WARM_UP = 8
OF = "markdown-it alone"
HOME = Path(__file__).parent / "articles"
EXAMPLE = Path(__file__).parents[1] / "examples" / "heat-treatment"
LANGUAGES = ("en", "zh")


def written(language: str) -> Given:
    """What the checks are given of a finished article."""
    home = HOME / language
    config = parse_doc((home / "config.json").read_bytes(), "config.json")
    least, most = audiences.budget(config.articleLength, config.language)
    paths = [path for path in sorted((EXAMPLE / "0-sources" / language).iterdir()) if path.is_file()]
    found = (fetched_pages.read(path.read_bytes(), path.relative_to(EXAMPLE).as_posix()) for path in paths)
    return Given(
        config=config,
        outline=(home / "outline.md").read_text("utf-8"),
        draft=(home / "draft.md").read_text("utf-8"),
        items=materials.parse((home / "sources.md").read_text("utf-8"), "sources.md")[0],
        file="draft.md",
        outline_file="outline.md",
        least=least,
        most=most,
        pages={page.url: page.text for page in found},
    )


def changed(given: Given, number: int) -> Given:
    """Every paragraph with another sentence at its end that says nothing; what is quoted stays."""
    word = "".join(chr(97 + number // 26**place % 26) for place in range(3))
    more = f" 还有{chr(0x5000 + number)}。" if given.config.language == "zh" else f" So it goes, quo{word}."
    return replace(given, draft=re.sub(r"(?m)^(\w.*[.。](?: ?<!--.*-->)?)$", rf"\1{more}", given.draft))


def measure(home: Path, quick: bool) -> Part:  # noqa: ARG001 - no file is written
    figures, sizes = [], {}
    for language in LANGUAGES:
        given = written(language)
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
