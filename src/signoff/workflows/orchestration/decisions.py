"""`architecture_decisions.md`: what was decided and why, and a last section that grows while the work is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from signoff.artifacts import lines
from signoff.artifacts.forms import Form
from signoff.artifacts.textio import decode
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places, prose, sections
from signoff.workflows.orchestration.ids import TaskId
from signoff.workflows.orchestration.prose import Prose, Reader, Remark, Title
from signoff.workflows.orchestration.sections import Section

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
ARCHITECT: Final = "solution-architect"
STATUS: Final = "Initial Design"


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
    """What an architect gives: every section of the document but document control and evolution notes."""

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


def _said(notes: str) -> str:
    return "" if notes == prose.NONE else notes


class Decided(Architecture):
    """The document as a file has it."""

    task_id: TaskId
    created: Annotated[
        str,
        Field(pattern=r"^\d{4}-\d{2}-\d{2}$", description="an ISO date, as in 2026-11-03"),
        AfterValidator(_date),
    ]
    architect: Title
    status: Title
    evolution: Annotated[Remark, AfterValidator(_said)] = Field(
        "", description="what was decided while the work was done"
    )


# --- writing ----------------------------------------------------------------------------------------------------------

_LISTS: Final = {
    "rationale": "Rationale",
    "alternatives": "Alternatives Considered",
    "constraints": "Constraints",
    "implications": "Implications",
    "risks": "Risks",
}
"""The labels of a decision that lists stand under."""
_LABELS: Final = prose.label_pattern(("Context", "Decision", "Alternatives", *_LISTS.values()))
_NUMBERED: Final = 6
"""How far the further lines of a principle are indented, whatever its number."""


def render(given: Architecture, *, task_id: str, created: int) -> str:
    """The document as it begins: written by an architect, not evolved yet."""
    day = datetime.fromtimestamp(created, UTC).date().isoformat()
    own = given.model_dump(include=set(Architecture.model_fields))
    return rendered(Decided(**own, task_id=task_id, created=day, architect=ARCHITECT, status=STATUS))


def rendered(decided: Decided) -> str:
    """The whole document."""
    control = {
        "Created": decided.created,
        "Task ID": decided.task_id,
        "Architect": decided.architect,
        "Status": decided.status,
    }
    principles = (
        prose.bullet(f"{prose.bold(one.name)}: {one.text}", f"{number}.", _NUMBERED)
        for number, one in enumerate(decided.principles, 1)
    )
    return prose.document(
        sections.heading(1, f"{TITLE}: {decided.task_id.rpartition('_')[0]}"),
        [
            (CONTROL, "\n".join(f"- **{name}:** {value}" for name, value in control.items())),
            (SUMMARY, prose.escaped(decided.executive_summary, 2)),
            (OVERVIEW, prose.escaped(decided.overview, 2)),
            (DECISIONS, "\n\n".join(_decision(at, one) for at, one in enumerate(decided.decisions, 1))),
            (PRINCIPLES, "\n".join(principles) or prose.NONE),
            (INTEGRATION, prose.escaped(decided.integration, 2)),
            (SECURITY, prose.escaped(decided.security, 2)),
            (DEPLOYMENT, prose.escaped(decided.deployment, 2)),
            (QUESTIONS, prose.bullets(decided.open_questions)),
            (EVOLUTION, prose.escaped(decided.evolution, 2) or prose.NONE),
        ],
    )


def _decision(number: int, given: Decision) -> str:
    parts = [
        sections.heading(3, f"Decision {number}: {given.title}"),
        f"**Context:**{_text(given.context)}",
        f"**Decision:**{_text(given.decision)}",
    ]
    for name, label in _LISTS.items():
        if texts := getattr(given, name):
            parts.append(f"**{label}:**\n{prose.bullets(texts)}")
    return "\n\n".join(parts)


def _text(text: str) -> str:
    """What stands behind a label: in its line, or below it where there is more than one."""
    return f"\n\n{prose.escaped(text, 3, _LABELS)}" if "\n" in text else f" {text}"


# --- the section that grows -------------------------------------------------------------------------------------------


def without_evolution(text: str) -> str:
    """The document without its evolution notes: what was approved, however much was decided since."""
    found = _evolution(text)
    return text[: found.start] + text[found.end :]


def evolved(text: str, note: str) -> str:
    """The document with one more note at the end of its evolution notes; every other byte stays."""
    found, newline = _evolution(text), lines.newline(text)
    if not note.strip():
        return text
    section = text[found.start : found.end]
    kept = section.rstrip()
    after = section[len(kept) :] or newline
    if found.whole.strip() == prose.NONE:
        kept = kept.removesuffix(prose.NONE).rstrip()
    said = prose.escaped(prose.tidy(note), 2).replace("\n", newline)
    made = f"{text[: found.start]}{kept}{newline * 2}{said}{after}{text[found.end :]}"
    if without_evolution(made) != without_evolution(text):  # the note's own fences pair with one that never ends
        raise DocumentError([_unended()])
    return made


def _evolution(text: str) -> Section:
    found = sections.named(sections.split(text), EVOLUTION)
    if found is None:
        problem, repair = f"the section “{EVOLUTION}” is missing", f"add a line `## {EVOLUTION}` at the end"
        raise DocumentError([_cannot_grow("section", problem, repair)])
    return found


def _unended() -> Finding:
    problem = f"a code fence opens above the end of “{EVOLUTION}” and never ends"
    return _cannot_grow("fence", problem, "close it with a line of the same marks")


def _cannot_grow(rule: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"decisions.{rule}", problem=problem, repair=repair, file=places.DECISIONS, about=EVOLUTION)


# --- reading ----------------------------------------------------------------------------------------------------------

_CONTROL: Final = prose.item_label(("Created", "Task ID", "Architect", "Status"))
_NUMBER: Final = re.compile(r"Decision[ \t]+[0-9]+[ \t]*[:：.–—-][ \t]*", re.IGNORECASE)
_TEXTS: Final = {"executive_summary": SUMMARY, "overview": OVERVIEW, "integration": INTEGRATION,
                 "security": SECURITY, "deployment": DEPLOYMENT}  # fmt: skip
Lines = dict[tuple[str | int, ...], int]


def parse(data: bytes, path: str) -> Decided:
    """The document as a value; DocumentError names every section that is missing and every part without words."""
    found = sections.split(decode(data, path))
    by_title = sections.required(found, SECTIONS, path, rule="decisions")
    reader = Reader(path, "decisions")
    values: dict[str, Any] = {name: prose.unescaped(by_title[title].whole, 2) for name, title in _TEXTS.items()}
    places_of: Lines = {(name,): by_title[title].line for name, title in _TEXTS.items()}
    places_of |= {(name,): by_title[CONTROL].line for name in ("created", "task_id", "architect", "status")}
    places_of[("decisions",)] = by_title[DECISIONS].line
    values["evolution"] = prose.unescaped(by_title[EVOLUTION].whole, 2)
    values |= _control(by_title[CONTROL], reader)
    for name, pairs in (
        ("decisions", _decisions([*sections.under(found, by_title[DECISIONS])], reader)),
        ("principles", _principles(by_title[PRINCIPLES], reader)),
        ("open_questions", _questions(by_title[QUESTIONS], reader)),
    ):
        read = list(pairs)
        values[name] = [value for _, value in read]
        places_of |= {(name, at): line for at, (line, _) in enumerate(read)}
    return reader.built(Decided, values, places_of)


def _control(section: Section, reader: Reader) -> dict[str, str]:
    found = {}
    for item in reader.items(section.whole, section.line + 1):
        if label := _CONTROL.match(item.first):
            found[label["name"].casefold().replace(" ", "_")] = item.text[label.end() :]
    return found


def _decisions(below: Sequence[Section], reader: Reader) -> Iterator[tuple[int, dict[str, Any]]]:
    for one in below:
        if one.level == 3:
            number = _NUMBER.match(one.title)
            title = one.title[number.end() :] if number else one.title
            yield one.line, {"title": title, **_labelled(one, reader)}


def _labelled(section: Section, reader: Reader) -> dict[str, Any]:
    found = prose.labelled(section.whole, section.line + 1, _LABELS)
    before = found.pop("")
    stray = [number for number, line in enumerate(before.rest, before.line) if line.strip()]
    if stray:
        reader.wrong(
            "decision",
            stray[0],
            "this line of the decision stands before its first label",
            f"put it under one of **Context:**, **Decision:**, {', '.join(f'**{name}:**' for name in _LISTS.values())}",
        )
    values: dict[str, Any] = {}
    for name in ("context", "decision"):
        if said := found.get(name):
            below = prose.unescaped("\n".join(said.rest), 3, _LABELS)
            values[name] = f"{said.first}\n{below}"
    for name, label in _LISTS.items():
        said = found.get(label.casefold()) or (found.get("alternatives") if name == "alternatives" else None)
        if said:
            values[name] = _listed(said, reader)
    return values


def _listed(said: prose.Labelled, reader: Reader) -> list[str]:
    """The list below a label; what somebody wrote behind the label is an item, too."""
    first, plain = prose.items(said.first, said.line)
    below = reader.items("\n".join(said.rest), said.line + 1)
    return [*([said.first] if plain else []), *(item.text for item in (*first, *below))]


def _principles(section: Section, reader: Reader) -> Iterator[tuple[int, dict[str, str]]]:
    for item in reader.items(section.whole, section.line + 1):
        head = prose.headed(prose.hung(item.first, item.rest, _NUMBERED))
        if head is None:
            reader.wrong(
                "principle",
                item.line,
                f"the principle {item.first[:60]!r} has no name",
                "write it as `1. **Name**: what it means`",
            )
        else:
            yield item.line, {"name": head[0], "text": head[1]}


def _questions(section: Section, reader: Reader) -> Iterator[tuple[int, str]]:
    return ((item.line, item.text) for item in reader.items(section.whole, section.line + 1))
