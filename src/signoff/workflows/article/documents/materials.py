"""Materials: what the rounds of research found, each with an id and with a quote from a fetched page.

`knowledge/{topic}-sources.md` has one part for each:

    ### D001

    - value: 23%
    - claim: Cracks traced to a clogged filter
    - quote: 23% of the cracked parts were traced to a clogged filter.
    - url: 0-sources/en/quench.md

A value that begins with a quotation mark or does not fit on a line is written as a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from signoff.artifacts import lines
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, Text, said
from signoff.core.findings import Finding
from signoff.core.terms import written_in
from signoff.workflows.article.documents import terms
from signoff.workflows.article.documents.terms import ID

# --- the five kinds of material: as a round gives them, and as the config has them ------------------------------------


class Material(Form):
    """What every material has: what it does for the thesis, and where it fits."""

    thesisSupport: terms.ThesisSupport
    suggestedPlacement: terms.Place


class Found(Material):
    """A material as a round gives it: the words, and the page that they stand in."""

    quote: Text
    url: Text


class _Case(Material):
    title: Text
    summary: Text
    suggestedUse: Text
    persuasionType: Text
    competitorHas: terms.YesNo


class CaseFound(_Case, Found):
    """Something that happened."""


class Case(_Case):
    """A case in the config."""

    id: terms.CaseId


class DatumFound(Found):
    """A figure, as it stands in the quote, and what it says."""

    value: Text
    claim: Text


class _Expert(Material):
    concept: Text
    expert: Text
    analogyAvailable: terms.YesNo
    canBorrow: terms.Texts = ()


class ExpertFound(_Expert, Found):
    """How somebody who knows explains it."""


class ExpertExplanation(_Expert):
    """An expert explanation in the config."""

    id: terms.ExpertId


class VoiceFound(Found):
    """What somebody who lives with it said."""

    sourceType: terms.Speaker
    suggestedUse: terms.VoiceUse


class _Debate(Material):
    topic: Text
    positions: terms.Count
    ourPosition: Text


class DebateFound(_Debate, Found):
    """A question on which those who know differ."""


class Debate(_Debate):
    """A debate in the config."""

    id: terms.DebateId


Round: TypeAlias = Literal["cases", "data", "expert", "userVoice", "debates"]
RULE: Final = "materials"
FORMS: Final[Mapping[Round, type[Found]]] = {
    "cases": CaseFound,
    "data": DatumFound,
    "expert": ExpertFound,
    "userVoice": VoiceFound,
    "debates": DebateFound,
}
ROUNDS: Final = tuple(FORMS)
PREFIXES: Final[Mapping[Round, str]] = dict(zip(ROUNDS, ("CASE-", "D", "EXP-", "VOICE-", "DEB-"), strict=True))
TITLES: Final[Mapping[Round, str]] = dict(
    zip(ROUNDS, ("Cases", "Data", "Expert explanations", "User voices", "Debates"), strict=True)
)
LISTED: Final[Mapping[Round, str]] = {"cases": "cases", "expert": "expertExplanations", "debates": "debates"}
"""The rounds whose materials are also in the config, and the name of their list there."""
_ID: Final = re.compile(ID)
_HEADING: Final = re.compile(r"### +(\S.*?) *")
_FIELD: Final = re.compile(r"- ([A-Za-z]+): ?(.*)")


@dataclass(frozen=True, slots=True)
class Item:
    """A material with its id."""

    id: str
    round: Round
    found: Found

    @property
    def quote(self) -> str:
        return self.found.quote

    @property
    def url(self) -> str:
        return self.found.url


def round_of(material: str) -> Round | None:
    """The round of an id; None if the text is not an id."""
    if not _ID.fullmatch(material):
        return None
    head = material.rstrip("0123456789")
    return next(name for name, prefix in PREFIXES.items() if prefix == head)


def numbered(found: Mapping[Round, Sequence[Found]]) -> tuple[Item, ...]:
    """What the rounds found, with ids in its order."""
    return tuple(
        Item(f"{PREFIXES[name]}{number:03d}", name, one)
        for name in ROUNDS
        for number, one in enumerate(found.get(name, ()), 1)
    )


def listed(items: Iterable[Item]) -> dict[str, list[dict[str, Any]]]:
    """The lists of `workflowState.research.materials`: cases, expert explanations and debates, without their quotes."""
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in LISTED.values()}
    for item in items:
        if item.round in LISTED:
            plain = item.found.model_dump(mode="json", exclude={"quote", "url"})
            order = [name for name in FORMS[item.round].model_fields if name not in Found.model_fields]
            fields = [*order, "thesisSupport", "suggestedPlacement"]
            lists[LISTED[item.round]].append({"id": item.id} | {name: plain[name] for name in fields})
    return lists


# --- the file of sources ----------------------------------------------------------------------------------------------


def render(topic: str, items: Sequence[Item]) -> str:
    """The file of sources, with a part for each round that found something."""
    parts = [f"# Sources: {topic}\n"]
    for name in ROUNDS:
        of_round = [item for item in items if item.round == name]
        if of_round:
            parts += [f"## {TITLES[name]}\n", *map(_block, of_round)]
    return "\n".join(parts)


def _block(item: Item) -> str:
    own = [name for name in type(item.found).model_fields if name not in Found.model_fields]
    plain = item.found.model_dump(mode="json")
    fields = "".join(f"- {name}: {_written(plain[name])}\n" for name in (*own, *Found.model_fields))
    return f"### {item.id}\n\n{fields}"


def _written(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    plain = value and value == value.strip() and not value.startswith('"') and not re.search(r"[\r\n]", value)
    return value if plain else json.dumps(value, ensure_ascii=False)


def parse(text: str, file: str) -> tuple[tuple[Item, ...], list[Finding]]:
    """The materials of the file, and findings for those that cannot be read. Other text is ignored."""
    items: dict[str, Item] = {}
    problems: list[Finding] = []

    def wrong(problem: str, repair: str, line: int) -> None:
        problems.append(Finding(rule=f"{RULE}.id", problem=problem, repair=repair, file=file, line=line))

    for name, line, fields, at in _parts(text):
        of = round_of(name)
        if of is None:
            valid = ", ".join(f"{prefix}001" for prefix in PREFIXES.values())
            repair = "give it an id of its kind, or a heading of another level"
            wrong(f"{name!r} is not an id of a material; valid: {valid}", repair, line)
            continue
        found = _found(FORMS[of], fields, at, line, file)
        if isinstance(found, list):
            problems += found
        elif name in items:
            wrong(f"{name} is there twice; valid: each id once", "give one of them another id", line)
        else:
            items[name] = Item(name, of, found)
    return tuple(items.values()), problems


def parse_items(data: bytes, path: str) -> tuple[Item, ...]:
    """The materials of the file; what cannot be read is left out."""
    return parse(decode(data, path), path)[0]


def _found(
    form: type[Found], fields: Mapping[str, str], at: Mapping[str, int], line: int, file: str
) -> Found | list[Finding]:
    plain = {key: _read(key, value) for key, value in fields.items()}
    try:
        return form.model_validate(plain, context={"language": written_in(" ".join(fields.values()))})
    except ValidationError as error:
        return said(form, error, file, rule=RULE, line_of=lambda path: at.get(str(path[0]), line))


def _parts(text: str) -> Iterator[tuple[str, int, dict[str, str], dict[str, int]]]:
    """Each `###` with its line, its fields as they are written, and their lines."""
    name, line, fields, at = "", 0, dict[str, str](), dict[str, int]()
    for row in lines.split(text):
        heading = row.text.startswith("#") and (_HEADING.fullmatch(row.text) or row.text.startswith(("# ", "## ")))
        if heading:
            if name:
                yield name, line, fields, at
            name, line, fields, at = "" if heading is True else heading[1], row.number, {}, {}
        elif name and (field := _FIELD.fullmatch(row.text)):
            fields[field[1]], at[field[1]] = field[2], row.number
    if name:
        yield name, line, fields, at


def _read(name: str, value: str) -> Any:
    """The value of a field: counts, booleans and lists are JSON, and so is text that begins with a quotation mark."""
    typed = name in ("competitorHas", "analogyAvailable", "positions", "canBorrow")
    if not typed and not value.startswith('"'):
        return value
    try:
        plain = json.loads(value)
    except ValueError:
        return value
    return plain if typed or isinstance(plain, str) else value
