"""Recipes, advisors, frameworks and foundation documents: what ships, and what a project adds or puts in its place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from signoff.artifacts.frontmatter import split
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, KebabId, Text, read_as
from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding
from signoff.core.refs import Look
from signoff.core.state import State

RECIPES, ADVISORS, FRAMEWORKS, FOUNDATION, IDEAS = "recipes/", "advisors/", "frameworks/", "foundation/", "ideas/"
PLACES = (RECIPES, ADVISORS, FRAMEWORKS, FOUNDATION, IDEAS)
UNFILLED = "<!-- fill in -->"
"""What a template says of itself until a person has filled it in."""

DocType = Literal[
    "strategy", "positioning", "brand-voice", "design-principles", "seo-strategy", "social-media-strategy",
    "visual-identity",
]  # fmt: skip
DOC_TYPES: tuple[DocType, ...] = get_args(DocType)
PARTS = ("prompt.md", "examples.md", "anti-examples.md")
"""The files of a framework that is a folder; the first must be there."""

T = TypeVar("T")


class _Camel(Form):
    model_config = ConfigDict(alias_generator=to_camel)


class Recipe(_Camel):
    """How one type of content is made: who writes, who judges, and when it is good."""

    content_type: KebabId
    author_advisor: KebabId
    author_framework: KebabId | None = None
    author_context_docs: tuple[DocType, ...] = Field(description=f"a list of {', '.join(DOC_TYPES)}")
    named_critics: tuple[KebabId, ...] = ()
    evaluation_needs: Text
    evaluation_emphasis: str | None = None
    min_aggregate_score: Annotated[float, Field(ge=1, le=10, description="a number from 1 to 10")]
    max_revision_rounds: Annotated[int, Field(ge=0, le=20, description="a whole number from 0 to 20")]


def limits(recipe: Recipe, before: int = 0) -> dict[str, Any]:
    """What a recipe says of a piece that has had so many rounds in earlier goes."""
    return {"minimum": recipe.min_aggregate_score, "most_rounds": before + recipe.max_revision_rounds + 1}


class Head(_Camel):
    """The fields of an advisor's file."""

    id: KebabId
    name: Text
    role: Literal["author", "critic", "both"]
    evaluation_expertise: str | None = None
    does_not_evaluate: str | None = None
    context_docs: tuple[DocType, ...] = Field(default=(), description=f"a list of {', '.join(DOC_TYPES)}")


@dataclass(frozen=True, slots=True)
class Advisor:
    """A school of method, as an author or a critic applies it. The prompt itself goes into briefs by its path."""

    id: str
    name: str
    role: str
    expertise: str
    blind_to: str
    docs: tuple[str, ...]
    path: str

    @property
    def judges(self) -> bool:
        return bool(self.expertise.strip())


class Idea(Form):
    """What is to be written about; facts are what the author may rely on."""

    id: KebabId
    title: Text
    audience: str = ""
    type: str = ""
    facts: tuple[Text, ...] = ()
    body: str = ""


# --- files as values --------------------------------------------------------------------------------------------------


def parse_recipe(data: bytes, path: str) -> Recipe:
    """A recipe, or DocumentError; its file is named like its type, so that it is found by it."""
    recipe = read_as(Recipe, decode(data, path), path, rule="recipe")
    if recipe.content_type != stem(path):
        raise _misnamed("recipe", path, "contentType", recipe.content_type)
    return recipe


def parse_advisor(data: bytes, path: str) -> Advisor:
    """An advisor, or DocumentError."""
    head, body = split(decode(data, path), path, "advisor.frontmatter")
    found = read_as(Head, head, path, rule="advisor")
    if found.id != stem(path):
        raise _misnamed("advisor", path, "id", found.id)
    if not body.strip():
        raise _wrong("advisor.empty", path, "there is no prompt below the frontmatter", "say how this advisor works")
    return Advisor(
        id=found.id,
        name=found.name,
        role=found.role,
        expertise=found.evaluation_expertise or "",
        blind_to=found.does_not_evaluate or "",
        docs=found.context_docs,
        path=path,
    )


def parse_idea(data: bytes, path: str) -> Idea:
    """An idea, or DocumentError."""
    head, body = split(decode(data, path), path, "idea.frontmatter")
    found = read_as(Idea, head, path, rule="idea")
    if found.id != stem(path):
        raise _misnamed("idea", path, "id", found.id)
    return found.model_copy(update={"body": body.strip()})


def stem(path: str) -> str:
    """The name of a file without its folder and ending."""
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


def _misnamed(what: str, path: str, field: str, found: str) -> DocumentError:
    problem = f"`{field}` is {found!r}, and the file is named {stem(path)!r}"
    return _wrong(f"{what}.name", path, problem, "name the file like it, or change the field")


def _wrong(rule: str, path: str, problem: str, repair: str) -> DocumentError:
    return DocumentError([Finding(rule=rule, problem=problem, repair=repair, file=path, line=1)])


# --- what ships -------------------------------------------------------------------------------------------------------


@functools.cache
def shipped(place: str) -> Mapping[str, bytes]:
    """The package's own files of a place, by path."""
    found: dict[str, bytes] = {}
    for file in (resources.files(__package__ or "") / place.rstrip("/")).iterdir():
        if file.is_file():
            found[f"{place}{file.name}"] = file.read_bytes()
        else:
            found |= {f"{place}{file.name}/{part.name}": part.read_bytes() for part in file.iterdir()}
    return dict(sorted(found.items()))


# --- the shelf --------------------------------------------------------------------------------------------------------

Get = Callable[[str], bytes | None]
"""Gives what the project has at a path."""


@dataclass(frozen=True)
class Shelf:
    """What can be taken down: the project's own files first, then those that ship. `paths` are the project's."""

    paths: tuple[str, ...]
    parsed: Callable[[str, Callable[[bytes, str], T]], T]

    def advisors(self) -> dict[str, Advisor]:
        """Every advisor by id, in a stable order."""
        return {stem(path): self.parsed(path, parse_advisor) for path in self.names(ADVISORS, ".md")}

    def advisor(self, name: str) -> Advisor | None:
        """One advisor, read only when there is one."""
        path = f"{ADVISORS}{name}.md"
        return self.parsed(path, parse_advisor) if path in self.names(ADVISORS, ".md") else None

    def recipes(self) -> dict[str, Recipe]:
        """Every recipe by content type."""
        return {stem(path): self.parsed(path, parse_recipe) for path in self.names(RECIPES, ".yaml")}

    def recipe(self, kind: str) -> Recipe:
        """The recipe of a type of content; an unknown type names those there are."""
        path = f"{RECIPES}{kind}.yaml"
        if path not in (known := self.names(RECIPES, ".yaml")):
            repair = f"name one of them, or write {path}"
            raise UsageError(f"there is no recipe for {kind!r}", valid=", ".join(map(stem, known)), repair=repair)
        return self.parsed(path, parse_recipe)

    def frameworks(self) -> dict[str, tuple[str, ...]]:
        """The files of every framework by id: one file, or a folder with a prompt."""
        names = self.names(FRAMEWORKS, ".md")
        ids = dict.fromkeys(path.removeprefix(FRAMEWORKS).split("/")[0].removesuffix(".md") for path in names)
        return {one: files for one in ids if (files := self.framework(one))}

    def framework(self, name: str) -> tuple[str, ...]:
        """The files of one framework, none if it is missing; a project's own replaces a shipped one whole."""
        for known in (self.paths, tuple(shipped(FRAMEWORKS))):
            folder = [f"{FRAMEWORKS}{name}/{part}" for part in PARTS]
            if folder[0] in known:
                return tuple(path for path in folder if path in known)
            if f"{FRAMEWORKS}{name}.md" in known:
                return (f"{FRAMEWORKS}{name}.md",)
        return ()

    def names(self, place: str, ending: str) -> tuple[str, ...]:
        """The paths below a place, the project's and the shipped ones, each once."""
        found = {path for path in (*shipped(place), *self.paths) if path.startswith(place) and path.endswith(ending)}
        return tuple(sorted(found))


def of_run(state: State, look: Look) -> Shelf:
    """The shelf as a run sees it."""

    def parsed(path: str, parse: Callable[[bytes, str], T]) -> T:
        ref = state.ref(path)
        return look(ref, parse) if ref else _parsed(path, parse)

    return Shelf(tuple(path for path in state.docs if path.startswith(PLACES)), parsed)


def of_files(files: Mapping[str, bytes]) -> Shelf:
    """The shelf of a project that is read without a run."""

    def parsed(path: str, parse: Callable[[bytes, str], T]) -> T:
        return parse(files[path], path) if path in files else _parsed(path, parse)

    return Shelf(tuple(files), parsed)


@functools.cache
def _parsed(path: str, parse: Callable[[bytes, str], T]) -> T:
    place = f"{path.split('/')[0]}/"
    return parse(shipped(place)[path], path)


# --- foundation documents ---------------------------------------------------------------------------------------------


def document(kind: str) -> str:
    """Where a foundation document is."""
    return f"{FOUNDATION}{kind}.md"


def lacking(kinds: Iterable[str], get: Get) -> list[Finding]:
    """The foundation documents that are not there, or still the template they were."""
    found = []
    for path in map(document, kinds):
        data = get(path)
        if data is None:
            problem, repair = "the foundation document is missing", f"write {path}; `signoff init` gives a template"
        elif UNFILLED.encode() in data:
            problem, repair = "the foundation document is still a template", f"fill it in, then remove {UNFILLED}"
        else:
            continue
        found.append(Finding(rule="foundation.missing", problem=problem, repair=repair, file=path))
    return found


def there(kinds: Iterable[str], state: State) -> tuple[str, ...]:
    """The paths of those foundation documents that the project has."""
    return tuple(document(kind) for kind in kinds if state.ref(document(kind)))
