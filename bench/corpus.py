"""A folder of documents, half of them English and half Chinese, as research looks in it: taken in, searched, looked at.

The floor is FTS5 alone, in memory: texts that are ready for it go into a table, and the same expression is searched
for. What is above it are the files themselves (found, read, digested, parsed), the characters that are set apart so
that Chinese words are found, titles, and snippets. The time is that of the processor.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from bench.figures import Figure, Part, timed
from signoff.shell.outside.folder_search import FolderCorpus, matching, spaced
from signoff.shell.run.folder_store import FolderStore

COUNT, QUICK = 10_000, 300
WORDS = [
    "quench",
    "oil",
    "bath",
    "steel",
    "carbon",
    "furnace",
    "temper",
    "hardness",
    "distortion",
    "cooling",
    "rate",
    "crack",
    "salt",
    "vacuum",
    "gas",
    "alloy",
    "grain",
    "surface",
    "core",
    "depth",
    "fixture",
    "batch",
    "probe",
    "chart",
    "sample",
    "shift",
    "operator",
    "customer",
    "order",
    "price",
    "energy",
]
CHARACTERS = "淬火油温度钢碳炉回硬变形冷却速裂盐真空气体合金晶粒表面芯深夹具批探头图样班操作客户订单价格能源"
QUERIES = {"en": "quench oil distortion", "zh": "淬火变形"}


def measure(folder: Path, quick: bool) -> Part:
    count = QUICK if quick else COUNT
    texts = _texts(count)
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    raw, ready = _Raw(), {name: spaced(text) for name, text in texts.items()}
    floor = _seconds(lambda: raw.put(ready), 1)
    corpus = FolderCorpus(FolderStore(folder), "0-sources/")
    taken = _seconds(lambda: _search(corpus, "nothing"), 1)
    again = _seconds(lambda: _search(corpus, "nothing"), 5)
    figures = [
        Figure("corpus", f"{count:,} files taken in", taken, "s", taken / floor, "FTS5 alone, texts in memory"),
        Figure("corpus", "looked at again, nothing new", again, "s", again / taken, "taking them in"),
    ]
    for language, query in QUERIES.items():
        ours = _seconds(partial(corpus.find, query, 10), 9)
        theirs = _seconds(partial(raw.search, matching(query)), 9)
        name = f"search, {language}, ten best"
        figures.append(Figure("corpus", name, ours * 1000, "ms", ours / theirs, "FTS5 alone, same query"))
    return Part(figures, {"hits": {language: len(corpus.find(query, 10)) for language, query in QUERIES.items()}})


def _seconds(call: Callable[[], object], times: int) -> float:
    return median(timed(call, times, time.process_time))


def _search(corpus: FolderCorpus, query: str) -> object:
    return asyncio.run(corpus.search(query, 10))


class _Raw:
    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE documents USING fts5(url UNINDEXED, body, tokenize = 'porter unicode61')")

    def put(self, texts: dict[str, str]) -> None:
        self.db.executemany("INSERT INTO documents VALUES (?, ?)", texts.items())

    def search(self, expression: str) -> object:
        asked = "SELECT url FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT 10"
        return self.db.execute(asked, (expression,)).fetchall()


def _texts(count: int) -> dict[str, str]:
    chance = Random(7)
    return {
        f"0-sources/{'zh' if number % 2 else 'en'}/{number:05}.md": _text(chance, chinese=bool(number % 2))
        for number in range(count)
    }


def _text(chance: Random, *, chinese: bool) -> str:
    if chinese:
        lines = ["".join(chance.choices(CHARACTERS, k=40)) + "。" for _ in range(10)]
        return f"# {lines[0][:8]}\n\n" + "\n".join(lines)
    lines = [" ".join(chance.choices(WORDS, k=20)) + "." for _ in range(10)]
    return f"# {lines[0][:30]}\n\n" + "\n".join(lines)
