"""How risky a statement is, judged by its words alone (SP-8). The words and the decisions behind them are in risk.yaml.

`assess` rates a claim's text; the claims gate asks for sentences that carry no marker whether they are `high_risk`,
which is the same judgement: a text does not become less risky by not being registered.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal, TypeAlias, get_args

from signoff import DefinitionError
from signoff.artifacts import yamlio

Level: TypeAlias = Literal["low", "medium", "high"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the lowest to the highest."""

Words: TypeAlias = Mapping[str, Sequence[str]]

_GAP = r"[\s\-\u2010\u2011]+"
_GAP_OR_NONE = r"[\s\-\u2010\u2011]*"
# One guard for all patterns of a language: most places of a text are passed over without trying any of them.
_EDGES = {
    "any": ("", ""),
    "en": (r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"),
    "cn": (r"(?=[^\x00-\x7f]|\d)", ""),
}


@dataclass(frozen=True, slots=True)
class Risk:
    """The default risk of a text and the words that gave it; `matched` is empty where nothing matched."""

    level: Level
    category: str
    matched: str


@dataclass(frozen=True, slots=True)
class Category:
    """One row of the table. In `pattern` only the group `hit` counts; the rest are phrases to pass over."""

    id: str
    level: Level
    pattern: re.Pattern[str]

    def find(self, text: str) -> str | None:
        return next((match["hit"].strip() for match in self.pattern.finditer(text) if match["hit"]), None)


@dataclass(frozen=True)
class RiskTable:
    """The categories, the riskiest first, and what a text is that matches none of them."""

    categories: tuple[Category, ...]
    default: Risk

    def assess(self, text: str) -> Risk:
        return _first(self.categories, _plain(text)) or self.default

    def high(self, text: str) -> Risk | None:
        """As `assess`, where that is high."""
        return _first(self._high, _plain(text))

    @functools.cached_property
    def _high(self) -> Sequence[Category]:
        return [category for category in self.categories if category.level == "high"]


def _first(categories: Iterable[Category], plain: str) -> Risk | None:
    for category in categories:
        if (matched := category.find(plain)) is not None:
            return Risk(category.level, category.id, matched)
    return None


def _plain(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).replace("\u2018", "'").replace("\u2019", "'")


def rank(level: Level) -> int:
    """The place of a level: `rank("high") > rank("medium") > rank("low")`."""
    return LEVELS.index(level)


@functools.lru_cache(maxsize=4096)
def assess(text: str) -> Risk:
    """The default risk of a claim's text, English or Chinese: the highest of the categories it matches."""
    return builtin().assess(text)


def sentence_risk(text: str) -> Risk:
    """The same judgement for a sentence of the page that carries no marker."""
    return assess(text)


@functools.lru_cache(maxsize=4096)
def high_risk(text: str) -> Risk | None:
    """What makes a sentence high risk; nothing where `sentence_risk` rates it lower. Pages are judged many times."""
    return builtin().high(text)


@functools.cache
def builtin() -> RiskTable:
    """The table that ships with the package, compiled once, when first needed."""
    text = resources.files(__package__ or "").joinpath("risk.yaml").read_text(encoding="utf-8")
    return parse(text, "risk.yaml")


def parse(text: str, file: str) -> RiskTable:
    """A table from its text. A table that contradicts itself is a developer's error: it ships with the package."""
    data = yamlio.load_mapping(text, file)
    try:
        default = data["default"]
        rows = [_category(row, data) for row in data["categories"]]
        fallback = Risk(_level(default["level"]), default["category"], "")
    except (KeyError, TypeError, re.error) as error:
        raise DefinitionError(f"{file} is no risk table: {error!r}", repair="follow the form of risk.yaml") from error
    return RiskTable(tuple(sorted(rows, key=lambda row: -rank(row.level))), fallback)


def _category(row: Mapping[str, Any], table: Mapping[str, Any]) -> Category:
    define = table.get("define", {})
    passed_over = [*_either(table.get("not", {}), define), *_either(row.get("not", {}), define)]
    hits = list(_either(row, define))
    pattern = re.compile("|".join([*passed_over, f"(?P<hit>{'|'.join(hits)})"]), re.IGNORECASE)
    return Category(row["id"], _level(row["level"]), pattern)


def _either(words: Words, define: Mapping[str, str]) -> Iterator[str]:
    for kind, (before, after) in _EDGES.items():
        if patterns := words.get(kind, ()):
            spaced = _spaced(patterns) if kind == "en" else patterns
            yield f"{before}(?:{_expand('|'.join(spaced), define)}){after}"


def _spaced(patterns: Sequence[str]) -> Sequence[str]:
    return [pattern.replace(" ?", _GAP_OR_NONE).replace(" ", _GAP) for pattern in patterns]


def _expand(pattern: str, define: Mapping[str, str]) -> str:
    for name, meaning in define.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{meaning})")
    return pattern


def _level(word: str) -> Level:
    for level in LEVELS:
        if word == level:
            return level
    raise DefinitionError(f"'{word}' is no risk level", valid=", ".join(LEVELS), repair="use one of them in risk.yaml")
