"""`architecture_decisions.md`: what was decided and why, with "Evolution Notes" that grow during the work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from signoff.artifacts import lines, markdown_blocks, markdown_headings
from signoff.artifacts.markdown_blocks import Prose, Reader, Remark, Title
from signoff.artifacts.markdown_headings import Section
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.ids import TaskId

CONTROL: Final = "Document Control"
SUMMARY: Final = "Executive Summary"
OVERVIEW: Final = "Technology Stack Overview"
DECISIONS: Final = "Architecture Decisions"
PRINCIPLES: Final = "Architecture Principles"
INTEGRATION: Final = "Integration Architecture"
SECURITY: Final = "Security Architecture"
DEPLOYMENT: Final = "Deployment Architecture"
QUESTIONS: Final = "Open Questions"
EVOLUTION: Final = "Evolution Notes"
SECTIONS: Final = (
    CONTROL, SUMMARY, OVERVIEW, DECISIONS, PRINCIPLES, INTEGRATION, SECURITY, DEPLOYMENT, QUESTIONS, EVOLUTION,
)  # fmt: skip
TITLE: Final = "Architecture Decisions"


class Decision(Form):
    """One decision of the architecture."""

    title: Title
    context: Prose
    decision: Prose
    rationale: tuple[Prose, ...] = Field(min_length=1)
    alternatives: tuple[Prose, ...] = ()
    constraints: tuple[Prose, ...] = ()
    implications: tuple[Prose, ...] = ()
    risks: tuple[Prose, ...] = ()


class Principle(Form):
    """A rule that the design keeps."""

    name: Title
    text: Prose


class Architecture(Form):
    """What an architect gives: every section except document control and evolution notes."""

    executive_summary: Prose
    overview: Prose
    decisions: tuple[Decision, ...] = Field(min_length=1)
    principles: tuple[Principle, ...] = ()
    integration: Prose
    security: Prose
    deployment: Prose
    open_questions: tuple[Prose, ...] = ()


def _date(text: str) -> str:
    date.fromisoformat(text)
    return text


class Decided(Architecture):
    """The whole document."""

    task_id: TaskId
    created: Annotated[
        str,
        Field(pattern=r"^\d{4}-\d{2}-\d{2}$", description="an ISO date, as in 2026-11-03"),
        AfterValidator(_date),
    ]
    architect: Title
    status: Title
    evolution: Annotated[Remark, AfterValidator(lambda notes: "" if notes == markdown_blocks.NONE else notes)] = Field(
        "", description="what was decided during the work"
    )


# --- writing ----------------------------------------------------------------------------------------------------------

_LISTS: Final = {
    "rationale": "Rationale",
    "alternatives": "Alternatives Considered",
    "constraints": "Constraints",
    "implications": "Implications",
    "risks": "Risks",
}
"""The labels of a decision with lists below them."""
_TEXTS: Final = {"executive_summary": SUMMARY, "overview": OVERVIEW, "integration": INTEGRATION,
                 "security": SECURITY, "deployment": DEPLOYMENT}  # fmt: skip
_LABELS: Final = markdown_blocks.label_pattern(("Context", "Decision", "Alternatives", *_LISTS.values()))
_NUMBERED: Final = 6
"""The indent of a principle's further lines, however long its number is."""


def render(given: Architecture, *, task_id: str, created: int) -> str:
    """The first version of the document: as the architect gives it, without evolution notes."""
    day = datetime.fromtimestamp(created, UTC).date().isoformat()
    own = given.model_dump(include=set(Architecture.model_fields))
    decided = Decided(**own, task_id=task_id, created=day, architect="solution-architect", status="Initial Design")
    return rendered(decided)


def rendered(decided: Decided) -> str:
    """The document as Markdown."""
    control = {
        "Created": decided.created,
        "Task ID": decided.task_id,
        "Architect": decided.architect,
        "Status": decided.status,
    }
    principles = (
        markdown_blocks.bullet(f"{markdown_blocks.bold(one.name)}: {one.text}", f"{number}.", _NUMBERED)
        for number, one in enumerate(decided.principles, 1)
    )
    bodies = {
        CONTROL: "\n".join(f"- **{name}:** {value}" for name, value in control.items()),
        **{title: markdown_blocks.escaped(getattr(decided, name), 2) for name, title in _TEXTS.items()},
        DECISIONS: "\n\n".join(_decision(at, one) for at, one in enumerate(decided.decisions, 1)),
        PRINCIPLES: "\n".join(principles) or markdown_blocks.NONE,
        QUESTIONS: markdown_blocks.bullets(decided.open_questions),
        EVOLUTION: markdown_blocks.escaped(decided.evolution, 2) or markdown_blocks.NONE,
    }
    top = markdown_headings.heading(1, f"{TITLE}: {decided.task_id.rpartition('_')[0]}")
    return markdown_blocks.document(top, [(title, bodies[title]) for title in SECTIONS])


def _decision(number: int, given: Decision) -> str:
    parts = [markdown_headings.heading(3, f"Decision {number}: {given.title}")]
    for label, text in (("Context", given.context), ("Decision", given.decision)):
        below = f"\n\n{markdown_blocks.escaped(text, 3, _LABELS)}" if "\n" in text else f" {text}"
        parts.append(f"**{label}:**{below}")
    for name, label in _LISTS.items():
        if texts := getattr(given, name):
            parts.append(f"**{label}:**\n{markdown_blocks.bullets(texts)}")
    return "\n\n".join(parts)


# --- the section that grows -------------------------------------------------------------------------------------------


def without_evolution(text: str) -> str:
    """The document without its evolution notes: the part that an approval covers."""
    found = _evolution(text)
    return text[: found.start] + text[found.end :]


def evolved(text: str, note: str) -> str:
    """The document with one more evolution note at their end; every other byte stays."""
    found, newline = _evolution(text), lines.newline(text)
    section = text[found.start : found.end]
    kept = section.rstrip()
    after = section[len(kept) :] or newline
    if found.whole.strip() == markdown_blocks.NONE:
        kept = kept.removesuffix(markdown_blocks.NONE).rstrip()
    said = markdown_blocks.escaped(markdown_blocks.tidy(note), 2).replace("\n", newline)
    made = f"{text[: found.start]}{kept}{newline * 2}{said}{after}{text[found.end :]}"
    if without_evolution(made) != without_evolution(text):  # a fence of the note closed an open one above
        problem = f"a code fence opens above the end of “{EVOLUTION}” and is never closed"
        raise DocumentError([_cannot_grow("fence", problem, "close it with a line of the same marks")])
    return made


def _evolution(text: str) -> Section:
    found = markdown_headings.named(markdown_headings.split(text), EVOLUTION)
    if found is None:
        problem, repair = f"the section “{EVOLUTION}” is missing", f"add a line `## {EVOLUTION}` at the end"
        raise DocumentError([_cannot_grow("section", problem, repair)])
    return found


def _cannot_grow(rule: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"decisions.{rule}", problem=problem, repair=repair, file=places.DECISIONS, about=EVOLUTION)


# --- reading ----------------------------------------------------------------------------------------------------------

_CONTROL: Final = markdown_blocks.item_label(("Created", "Task ID", "Architect", "Status"))
_NUMBER: Final = re.compile(r"Decision[ \t]+[0-9]+[ \t]*[:：.–—-][ \t]*", re.IGNORECASE)


def parse(data: bytes, path: str) -> Decided:
    """The document as a value; DocumentError names every missing section and every empty part."""
    found = markdown_headings.split(decode(data, path))
    by_title = markdown_headings.required(found, SECTIONS, path, rule="decisions")
    reader = Reader(path, "decisions")
    texts = {**_TEXTS, "evolution": EVOLUTION}
    values: dict[str, Any] = {
        name: markdown_blocks.unescaped(by_title[title].whole, 2) for name, title in texts.items()
    }
    lines_of: dict[tuple[str | int, ...], int] = {(name,): by_title[title].line for name, title in _TEXTS.items()}
    lines_of |= {(name,): by_title[CONTROL].line for name in ("created", "task_id", "architect", "status")}
    lines_of[("decisions",)] = by_title[DECISIONS].line
    for item in reader.section(by_title[CONTROL]):
        if label := _CONTROL.match(item.first):
            values[label["name"].casefold().replace(" ", "_")] = item.text[label.end() :]
    values |= reader.lists(
        lines_of,
        decisions=_decisions([*markdown_headings.under(found, by_title[DECISIONS])], reader),
        principles=_principles(by_title[PRINCIPLES], reader),
        open_questions=reader.texts(by_title[QUESTIONS]),
    )
    return reader.built(Decided, values, lines_of)


def _decisions(below: Sequence[Section], reader: Reader) -> Iterator[tuple[int, dict[str, Any]]]:
    for one in below:
        if one.level == 3:
            number = _NUMBER.match(one.title)
            title = one.title[number.end() :] if number else one.title
            yield one.line, {"title": title, **_labelled(one, reader)}


def _labelled(section: Section, reader: Reader) -> dict[str, Any]:
    found = markdown_blocks.labelled(section.whole, section.line + 1, _LABELS)
    before = found.pop("")
    stray = [number for number, line in enumerate(before.rest, before.line) if line.strip()]
    if stray:
        labels = ", ".join(f"**{name}:**" for name in _LISTS.values())
        problem = "this line of the decision stands before its first label"
        reader.wrong("decision", stray[0], problem, f"put it under one of **Context:**, **Decision:**, {labels}")
    values: dict[str, Any] = {}
    for name in ("context", "decision"):
        if said := found.get(name):
            below = markdown_blocks.unescaped("\n".join(said.rest), 3, _LABELS)
            values[name] = f"{said.first}\n{below}"
    for name, label in _LISTS.items():
        said = found.get(label.casefold()) or (found.get("alternatives") if name == "alternatives" else None)
        if said:  # text behind the label is an item, too
            first, plain = markdown_blocks.items(said.first, said.line)
            rest = reader.items("\n".join(said.rest), said.line + 1)
            values[name] = [*([said.first] if plain else []), *(item.text for item in (*first, *rest))]
    return values


def _principles(section: Section, reader: Reader) -> Iterator[tuple[int, dict[str, str]]]:
    for item in reader.section(section):
        head = markdown_blocks.headed(markdown_blocks.hung(item.first, item.rest, _NUMBERED))
        if head is None:
            problem = f"the principle {item.first[:60]!r} has no name"
            reader.wrong("principle", item.line, problem, "write it as `1. **Name**: what it means`")
        else:
            yield item.line, {"name": head[0], "text": head[1]}
