"""A product sheet proposed from source facts: their words, their values, their places, and nothing else.

Nothing is translated or invented: a fact stands in the language of its source, the other language is empty, and so are
the texts that only a person can write. An empty text is invalid in a sheet, so no run begins before they are written.
A sheet that is there keeps its bytes; only facts that it does not have yet are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from signoff import DocumentError, Finding
from signoff.artifacts import yamlio
from signoff.evidence.sources.locators import describe, render
from signoff.workflows.solution_page.documents.page_template import PageType, load_builtin
from signoff.workflows.solution_page.documents.source_facts import SourceFact

_LONGEST_ID: Final = 40


@dataclass(frozen=True, slots=True)
class Proposal:
    """A sheet's text, the ids of the facts that are new in it, and what differs between sources."""

    text: str
    added: Mapping[str, SourceFact]
    differing: tuple[str, ...]


def new_sheet(facts: Sequence[SourceFact], kind: PageType) -> Proposal:
    """A whole sheet with these facts; what a person must write is empty, with a comment that says so."""
    named = dict(_named(_unique(facts, ()), ()))
    entries = "".join(_entry(name, fact) for name, fact in named.items())
    listed = f"facts:\n{entries}" if entries else "facts: []                           # no fact was found\n"
    return Proposal(f"{_HEAD.format(kind=kind)}{listed}{_tail(kind)}", named, tuple(_differing(named)))


def with_facts(text: str, file: str, facts: Sequence[SourceFact]) -> Proposal:
    """The sheet with the facts that it does not have yet at the end of its `facts`; the rest keeps its bytes."""
    sheet = yamlio.load_mapping(text, file)
    there = sheet.get("facts") or []
    if not isinstance(there, list) or not all(isinstance(fact, dict) for fact in there):
        problem = f"`facts` is {type(there).__name__}; valid: a list of facts, each with id, text and source"
        raise DocumentError([Finding(rule="product.form", file=file, problem=problem, repair="write it as a list")])
    taken = [str(fact.get("id", "")) for fact in there]
    named = dict(_named(_unique(facts, there), taken))
    if not named:
        return Proposal(text, {}, ())
    if there:
        changes: dict[tuple[str | int, ...], Any] = {
            ("facts", len(there) + place): _as_data(*each) for place, each in enumerate(named.items())
        }
    else:
        changes = {("facts",): [_as_data(*each) for each in named.items()]}
    edited = _with_comments(yamlio.edit(text, changes, file=file), file, len(there), len(named))
    return Proposal(edited, named, tuple(_differing(named)))


def _with_comments(text: str, file: str, first: int, count: int) -> str:
    """The sheet with a comment at every empty text of the facts that were added, if their style has room for one."""
    lines = text.split("\n")
    for index in range(first, first + count):
        for path in (("text",), ("spec", "label"), ("spec", "value")):
            for lang in ("en", "cn"):
                at = yamlio.line_of(text, ("facts", index, *path, lang))
                if at and _EMPTY.fullmatch(lines[at - 1].rstrip("\r")):
                    lines[at - 1] = lines[at - 1].rstrip("\r") + _WANTING
    commented = "\n".join(lines)
    return commented if yamlio.load(commented, file) == yamlio.load(text, file) else text


# --- which facts are new -----------------------------------------------------------------------------------------


def _unique(facts: Sequence[SourceFact], there: Sequence[Mapping[str, Any]]) -> Iterator[SourceFact]:
    """Each fact once, without those that the sheet has: the same words, or another wording for the same place."""
    words = {_folded(said) for fact in there for said in _said(fact)}
    places = {place for fact in there for place in _places(fact)}
    seen: set[str] = set()
    for fact in facts:
        key = _folded(f"{fact.context if fact.label else ''} {fact.text}")
        if key not in seen and _folded(fact.text) not in words and _place(_source(fact), fact.label) not in places:
            seen.add(key)
            yield fact


def _said(fact: Mapping[str, Any]) -> Iterator[str]:
    text = fact.get("text")
    yield from (str(said) for said in text.values() if said) if isinstance(text, dict) else ()


def _places(fact: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    source, spec = fact.get("source"), fact.get("spec")
    if isinstance(source, dict):
        label = spec.get("label") if isinstance(spec, dict) else ""
        labels = label.values() if isinstance(label, dict) else [label]
        yield from (_place(source, str(said or "")) for said in labels)


def _place(source: Mapping[str, Any], label: str) -> tuple[str, str]:
    """What makes two facts one: the words or the row that they are taken from."""
    located = "\n".join(f"{name}: {source[name]}" for name in sorted(source) if name != "kind")
    return located, _folded(label)


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def _named(facts: Iterator[SourceFact], taken: Sequence[str]) -> Iterator[tuple[str, SourceFact]]:
    """Each fact with an id of its own, made of its Latin words."""
    used = set(taken)
    for fact in facts:
        base = _kebab(fact.label or fact.text) or "fact"
        number = next(n for n in range(1, len(used) + 3) if (base if n == 1 else f"{base}-{n}") not in used)
        name = base if number == 1 else f"{base}-{number}"
        used.add(name)
        yield name, fact


def _kebab(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.casefold())
    kept: list[str] = []
    for word in words[:6]:
        if len("-".join([*kept, word])) <= _LONGEST_ID:
            kept.append(word)
    return "-".join(kept)


def _differing(named: Mapping[str, SourceFact]) -> Iterator[str]:
    """Facts of one label with another value in another source: a person decides which one holds."""
    first: dict[str, tuple[str, SourceFact]] = {}
    for name, fact in named.items():
        known, other = first.setdefault(_folded(fact.label), (name, fact))
        apart = _source(fact).get("path") != _source(other).get("path")
        if fact.label and apart and _folded(other.value) != _folded(fact.value):
            yield (
                f"{known} is {other.value!r} in {describe(other.locator)} and "
                f"{name} is {fact.value!r} in {describe(fact.locator)}"
            )


# --- how they are written ----------------------------------------------------------------------------------------


def _as_data(name: str, fact: SourceFact) -> dict[str, Any]:
    data: dict[str, Any] = {"id": name, "text": _both(fact, fact.text), "source": _source(fact)}
    if fact.label:
        data["spec"] = {"label": _both(fact, fact.label), "value": _both(fact, fact.value)}
    return data


def _both(fact: SourceFact, text: str) -> dict[str, str]:
    return {"en": text, "cn": ""} if fact.lang == "en" else {"en": "", "cn": text}


def _source(fact: SourceFact) -> dict[str, Any]:
    return {name: value for name, value in render(fact.locator).items() if name != "kind"}


_EMPTY: Final = re.compile(r"\s+(?:en|cn): (?:''|\"\")")
_WANTING: Final = "   # not translated: write it"


def _entry(name: str, fact: SourceFact) -> str:
    """One fact as YAML, with what it stands under as a comment."""
    place = describe(fact.locator)
    above = f", under: {_comment(fact.context)}" if fact.context else ""
    numbers = ", ".join(f"{one.text}" for one in fact.quantities)
    lines = [f"  # {place}{above}", *([f"  # numbers: {_comment(numbers)}"] if numbers else [])]
    dumped = yamlio.dump([_as_data(name, fact)]).rstrip("\n").split("\n")
    lines += [f"  {line}{_WANTING if _EMPTY.fullmatch(line) else ''}" for line in dumped]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return " ".join(text.split())[:160]


_HEAD: Final = """\
# A product sheet proposed by `signoff facts`: the facts are words of your sources, each with its place.
# Check them, remove what the page should not say, and write the empty texts; no run begins before that.
# `signoff init` makes a sheet that explains every field; the form is published as schemas/product.schema.json.
schema: signoff/product@1
kind: {kind}                      # `page_type` in _workflow/config.yaml must be the same
name: {{en: "", cn: ""}}
value_proposition: {{en: "", cn: ""}}   # one paragraph: 20-40 English words, 40-60 Chinese characters
audience:                           # at least one reader
  - who: {{en: "", cn: ""}}
    need: {{en: "", cn: ""}}

# `source` is where the words stand. The language that a source is not in is empty: nothing is translated.
"""


def _tail(kind: PageType) -> str:
    """The texts that the template of this kind needs, all of them empty."""
    template = load_builtin(kind)
    prose = [section.id for section in template.mandatory if section.kind == "prose"]
    return _TAIL.format(
        sections="\n".join(f'  {name}: {{en: "", cn: ""}}' for name in prose),
        least=template.features.min,
        most=template.features.max,
    )


_TAIL: Final = """
# Markdown for the template's prose sections. End a sentence that states a fact with its tag, as in {{weight}}.
sections:
{sections}

features:                           # {least} to {most}
  - title: {{en: "", cn: ""}}
    text: {{en: "", cn: ""}}

cta:                                # what the reader should do next
  text: {{en: "", cn: ""}}
  label: {{en: "", cn: ""}}
  url: ""
"""
