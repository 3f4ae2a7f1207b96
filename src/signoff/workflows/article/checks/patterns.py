"""Phrases that no person of the trade would write, found by code in lists that are data (`patterns/*.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import Field, TypeAdapter

from signoff.artifacts import yamlio
from signoff.artifacts.forms import Form, Text
from signoff.core.findings import Finding
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.outputs import Level

GAP = "..."
_GAP = r"(?:[^\s.,;:!?]+\s+){1,3}"


class Pattern(Form):
    """One list: how much its phrases weigh, why they are unwanted, and what they are."""

    level: Level
    why: Text
    phrases: Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase where it stands."""

    name: str
    level: Level
    why: str
    text: str
    sentence: str
    place: str
    line: int


@cache
def lists(language: str) -> Mapping[str, Pattern]:
    """The lists of a language."""
    file = resources.files("signoff.workflows.article") / "patterns" / f"{language}.yaml"
    plain = yamlio.load_mapping(file.read_text("utf-8"), file.name)
    return TypeAdapter(dict[str, Pattern]).validate_python(plain)


@cache
def _compiled(language: str) -> Mapping[str, re.Pattern[str]]:
    """One expression for each list: longer phrases first, so that the whole of one is found."""
    found = {}
    for name, pattern in lists(language).items():
        phrases = sorted(map(_expression, pattern.phrases), key=len, reverse=True)
        found[name] = re.compile("|".join(phrases), re.IGNORECASE)
    return found


def _expression(phrase: str) -> str:
    words = [re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in phrase.split(GAP)]
    body = (r"\s+" + _GAP).join(word.removesuffix(r"\s+").removeprefix(r"\s+") for word in words)
    begins, ends = (r"(?<!\w)" if phrase[0].isascii() else "", r"(?!\w)" if phrase[-1].isascii() else "")
    return f"{begins}{body}{ends}"


def hits(given: Given) -> Iterator[Hit]:
    """Every phrase that is found, where it stands."""
    language = given.config.language
    for part in given.article.parts:
        for sentence in part.sentences:
            for name, expression in _compiled(language).items():
                one = lists(language)[name]
                for found in expression.finditer(sentence.text):
                    yield Hit(name, one.level, one.why, found.group(), sentence.text, part.place, sentence.line)


def patterns(given: Given) -> Iterator[Finding]:
    """All of them are reported; those of level P0 stop the article."""
    for hit in hits(given):
        yield Finding(
            rule=f"article.pattern.{hit.name}",
            problem=f"{hit.level}: {hit.text!r} in {hit.sentence[:80]!r}",
            repair=f"write it without; {hit.why}",
            file=given.file,
            line=hit.line,
            about=hit.place,
            severity="error" if hit.level == "P0" else "warning",
        )
