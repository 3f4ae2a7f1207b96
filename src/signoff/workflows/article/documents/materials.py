"""Materials: what the rounds of research found, each with an id and with words of a page that was fetched.

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
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from signoff.artifacts import lines
from signoff.artifacts.yaml_forms import said
from signoff.core.findings import Finding
from signoff.core.terms import written_in
from signoff.workflows.article.documents.config_schema import ArticleConfig
from signoff.workflows.article.documents.material_schema import (
    CaseFound,
    DatumFound,
    DebateFound,
    ExpertFound,
    Found,
    VoiceFound,
)
from signoff.workflows.article.documents.terms import ID

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
_LISTED: Final[Mapping[Round, str]] = {"cases": "cases", "expert": "expertExplanations", "debates": "debates"}
"""The rounds whose materials stand in the config too, and the list that they stand in."""
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
    """The round of an id; None if the text is no id."""
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
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in _LISTED.values()}
    for item in items:
        if item.round in _LISTED:
            plain = item.found.model_dump(mode="json", exclude={"quote", "url"})
            order = [name for name in FORMS[item.round].model_fields if name not in Found.model_fields]
            fields = [*order, "thesisSupport", "suggestedPlacement"]
            lists[_LISTED[item.round]].append({"id": item.id} | {name: plain[name] for name in fields})
    return lists


# --- references to materials ------------------------------------------------------------------------------------------


def dangling(config: ArticleConfig, items: Iterable[Item], file: str = "") -> list[Finding]:
    """References to materials that are not recorded, and ids that stand twice in the config."""

    def finding(problem: str, repair: str, about: str) -> Finding:
        return Finding(rule=f"{RULE}.id", problem=problem, repair=repair, file=file, about=about)

    known, found = sorted({item.id for item in items}), []
    for path, material in _references(config):
        if material not in known:
            alike = [one for one in known if round_of(one) == round_of(material)] or known
            more = f" and {len(alike) - 12} more" if len(alike) > 12 else ""
            valid = ", ".join(alike[:12]) + more or "none, for nothing is recorded"
            problem = f"`{path}` names {material}, which is no material; valid: {valid}"
            found.append(finding(problem, "name one of them, or take it out", material))
    materials = config.research.materials
    for name in _LISTED.values() if materials else ():
        times = Counter(one.id for one in getattr(materials, name))
        for material in sorted(one for one, count in times.items() if count > 1):
            problem = f"`workflowState.research.materials.{name}` has {material} twice; valid: each id once"
            found.append(finding(problem, "take one of the two out", material))
    return found


def _references(config: ArticleConfig) -> Iterator[tuple[str, str]]:
    if materials := config.research.materials:
        head = "workflowState.research.materials"
        for name in _LISTED.values():
            yield from ((f"{head}.{name}", one.id) for one in getattr(materials, name))
        if relevance := materials.byThesisRelevance:
            for name in type(relevance).model_fields:
                yield from ((f"{head}.byThesisRelevance.{name}", one) for one in getattr(relevance, name))
        for slot, ids in materials.byPlacement.items():
            yield from ((f"{head}.byPlacement.{slot}", one) for one in ids)
        yield from ((f"{head}.differentiators", one) for one in materials.differentiators)
    if usage := config.writing.materialUsage:
        for name in ("used", "skipped", "borrowed"):
            yield from ((f"workflowState.writing.materialUsage.{name}", one.id) for one in getattr(usage, name))


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
    """The materials of the file, and what is wrong with the others, by line. Other text in it is ignored."""
    items: dict[str, Item] = {}
    problems: list[Finding] = []

    def wrong(problem: str, repair: str, line: int) -> None:
        problems.append(Finding(rule=f"{RULE}.id", problem=problem, repair=repair, file=file, line=line))

    for name, line, fields, at in _parts(text):
        of = round_of(name)
        if of is None:
            valid = ", ".join(f"{prefix}001" for prefix in PREFIXES.values())
            repair = "give it an id of its kind, or a heading of another level"
            wrong(f"{name!r} is no id of a material; valid: {valid}", repair, line)
            continue
        found = _found(FORMS[of], fields, at, line, file)
        if isinstance(found, list):
            problems += found
        elif name in items:
            wrong(f"{name} is there twice; valid: each id once", "give one of them another id", line)
        else:
            items[name] = Item(name, of, found)
    return tuple(items.values()), problems


def _found(
    form: type[Found], fields: Mapping[str, str], at: Mapping[str, int], line: int, file: str
) -> Found | list[Finding]:
    plain = {key: _read(key, value) for key, value in fields.items()}
    try:
        return form.model_validate(plain, context={"language": written_in(" ".join(fields.values()))})
    except ValidationError as error:
        return said(form, error, file, rule=RULE, line_of=lambda path: at.get(str(path[0]), line))


def _parts(text: str) -> Iterator[tuple[str, int, dict[str, str], dict[str, int]]]:
    """Each `###` with its line, its fields as they are written, and the lines of these."""
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
    """A value as it was written: counts, truths and lists are JSON; so is text that begins with a quotation mark."""
    typed = name in ("competitorHas", "analogyAvailable", "positions", "canBorrow")
    if not typed and not value.startswith('"'):
        return value
    try:
        plain = json.loads(value)
    except ValueError:
        return value
    return plain if typed or isinstance(plain, str) else value
