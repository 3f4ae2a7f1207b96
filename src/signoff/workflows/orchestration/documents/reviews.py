"""`review_sequence.md` and `{domain}_review.md`: the order of the architecture reviews, and each review."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field

from signoff.artifacts import markdown_blocks, markdown_headings
from signoff.artifacts.markdown_blocks import Prose, Reader, Title
from signoff.artifacts.markdown_headings import Section
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places

Domain = Literal["security", "database_storage", "api_dataflow", "frontend"]
PATTERNS: Final[dict[str, tuple[Domain, ...]]] = {
    "A": ("security", "database_storage", "api_dataflow", "frontend"),
    "B": ("security", "api_dataflow", "database_storage", "frontend"),
    "C": ("security", "frontend", "api_dataflow", "database_storage"),
    "D": ("security", "database_storage", "api_dataflow", "frontend"),
}
"""A is data-driven, B API-first, C user-facing, D security-critical. In B the frontend may be left out."""

REVIEWERS: Final[dict[Domain, str]] = {
    "security": "security-reviewer",
    "database_storage": "database-reviewer",
    "api_dataflow": "api-reviewer",
    "frontend": "frontend-reviewer",
}
"""The agent that reviews each domain."""


NAMES: Final[dict[Domain, str]] = {
    "security": "Security",
    "database_storage": "Database/Storage",
    "api_dataflow": "API/Data Flow",
    "frontend": "Frontend",
}
"""The domains as people read them."""


class Order(Form):
    """In which order the architecture is reviewed, and why."""

    project_type: Title
    pattern: Literal["A", "B", "C", "D", "custom"]
    order: tuple[Domain, ...] = Field(min_length=1)
    rationale: Prose
    why: dict[Domain, Prose] = Field(description="for each domain, why it comes where it does")


class Review(Form):
    """A reviewer's opinion of the drafts; it changes nothing."""

    context_awareness: Prose = Field(
        description="what earlier reviews said that matters here; for the first: that it is"
    )
    strengths: tuple[Prose, ...] = ()
    concerns: tuple[Prose, ...] = ()
    recommendations: tuple[Prose, ...] = ()
    questions: tuple[Prose, ...] = Field((), description="what only a person can settle")
    risk_factors: tuple[Prose, ...] = ()


# --- the order --------------------------------------------------------------------------------------------------------

RATIONALE: Final = "Rationale"
SEQUENCE: Final = "Review Sequence"
INSTANCES: Final = "TSA Instance Sequence (Same Order)"
_WHY: Final = "Why this order"
_LABELS: Final = markdown_blocks.label_pattern(("Project Type", "Ordering Pattern", "Created", _WHY))
_ORDINALS: Final = ("first", "second", "third", "fourth")
_NUMBERED: Final = 6
"""The indent of a numbered item's further lines."""


def order_findings(order: Order) -> Iterator[Finding]:
    """What is wrong with an order: it is not that of its pattern, repeats a domain, or lacks a reason."""

    def finding(rule: str, problem: str, repair: str, about: str) -> Finding:
        return Finding(rule=f"order.{rule}", problem=problem, repair=repair, file=places.ORDER, about=about)

    valid = PATTERNS.get(order.pattern, order.order)
    shorter = valid[:-1] if order.pattern == "B" else valid
    if order.order not in (valid, shorter):
        said = ", ".join(valid) + (" (or without the frontend)" if shorter != valid else "")
        problem = f"pattern {order.pattern} has the order {', '.join(order.order)}; valid: {said}"
        repair = f"give the order of pattern {order.pattern}, or name the pattern `custom`"
        yield finding("pattern", problem, repair, order.pattern)
    for domain, times in Counter(order.order).items():
        if times > 1:
            yield finding("twice", f"{domain} is in the order {times} times", "name each domain once", domain)
    for domain in dict.fromkeys(order.order):
        if domain not in order.why:
            problem = f"`why` has nothing for {domain}; valid: {', '.join(dict.fromkeys(order.order))}"
            yield finding("why", problem, "say for each domain of the order why it comes where it does", domain)
    for domain in order.why:
        if domain not in order.order:
            yield finding("why", f"`why` has {domain}, which is not in the order", "leave it out", domain)


def render_order(order: Order, created: int) -> str:
    """`review_sequence.md`."""
    pattern = "Custom" if order.pattern == "custom" else f"Pattern {order.pattern}"
    top = [
        "# Architecture Review Sequence",
        "",
        f"**Project Type**: {order.project_type}",
        f"**Ordering Pattern**: {pattern}",
        f"**Created**: {created}",
    ]
    reasons = [
        markdown_blocks.bullet(f"**{_placed(order, domain)}** - {why}", f"{number}.", _NUMBERED)
        for number, (domain, why) in enumerate(order.why.items(), 1)
    ]
    files = [
        f"{at}. **{NAMES[domain]} Architecture Reviewer** → `{places.review(domain).rpartition('/')[2]}`"
        for at, domain in enumerate(order.order, 1)
    ]
    instances = [
        f"{at}. **TSA Instance #{at}** - Incorporates {NAMES[one]} feedback" for at, one in enumerate(order.order, 1)
    ]
    said = f"{markdown_blocks.escaped(order.rationale, 2, _LABELS)}\n\n**{_WHY}:**\n" + "\n".join(reasons)
    return markdown_blocks.document(
        "\n".join(top),
        [(RATIONALE, said.rstrip()), (SEQUENCE, "\n".join(files)), (INSTANCES, "\n".join(instances))],
    )


def _placed(order: Order, domain: Domain) -> str:
    """A domain with its ordinal in the order; the last is called `last`."""
    if domain not in order.order:
        return NAMES[domain]
    at = order.order.index(domain)
    last = at == len(order.order) - 1 and at > 0
    return f"{NAMES[domain]} {'last' if last or at >= len(_ORDINALS) else _ORDINALS[at]}"


_PATTERN: Final = re.compile(r"(?:pattern\s+)?([abcd]|custom)\b.*", re.IGNORECASE)
_REASON: Final = re.compile(r"\*\*(?P<name>[^*]+)\*\*\s*[-–—:：]\s*")
_PLACE: Final = re.compile(rf"\s+(?:{'|'.join(_ORDINALS)}|last)\s*$", re.IGNORECASE)
_FILES: Final = re.compile(rf"\b({'|'.join(NAMES)})_review\.md\b")
_BY_NAME: Final[dict[str, Domain]] = {
    **{name.casefold(): domain for domain, name in NAMES.items()},
    **{domain: domain for domain in NAMES},
    "database": "database_storage",
    "api": "api_dataflow",
}
"""The domains by the names that people use."""


def parse_order(data: bytes, path: str) -> Order:
    """The order as a value; `order_findings` checks whether it is that of its pattern."""
    found = markdown_headings.split(decode(data, path))
    by_title = markdown_headings.required(found, (RATIONALE, SEQUENCE, INSTANCES), path, rule="order")
    reader = Reader(path, "order")
    head = next((one for one in found if one.level == 1), found[0])
    top = markdown_blocks.labelled(head.body, head.line + 1, _LABELS)
    rationale = by_title[RATIONALE]
    parts = markdown_blocks.labelled(rationale.whole, rationale.line + 1, _LABELS)
    reasons = parts.get(_WHY.casefold())
    order = _sequence(by_title[SEQUENCE], reader)
    instances = by_title[INSTANCES]
    words = "|".join(re.escape(name) for name in sorted(_BY_NAME, key=len, reverse=True))
    named_there = re.findall(rf"Incorporates\s+({words})\b", instances.whole, re.IGNORECASE)
    if (same := [_BY_NAME[name.casefold()] for name in named_there]) != order:
        problem = f"the tactical architect takes {', '.join(same) or 'nothing'}, the reviews are {', '.join(order)}"
        reader.wrong("instances", instances.line, problem, f"give both lists the order of “{SEQUENCE}”")
    values: dict[str, Any] = {
        "order": order,
        "rationale": markdown_blocks.unescaped("\n".join(parts[""].rest), 2, _LABELS),
        "why": _reasons(reasons, reader) if reasons else {},
    }
    if kind := top.get("project type"):
        values["project_type"] = kind.first
    if pattern := top.get("ordering pattern"):
        named = _PATTERN.fullmatch(pattern.first.strip())
        word = named[1] if named else ""
        values["pattern"] = (word.upper() if len(word) == 1 else word.lower()) or pattern.first
    lines: dict[tuple[str | int, ...], int] = {(): head.line, ("order",): by_title[SEQUENCE].line}
    lines |= {("rationale",): rationale.line, ("why",): reasons.line if reasons else rationale.line}
    return reader.built(Order, values, lines)


def _sequence(section: Section, reader: Reader) -> list[str]:
    """The domains, by the names of the review files."""
    found = []
    for item in reader.section(section):
        if name := _FILES.search(item.text):
            found.append(name[1])
        else:
            files = ", ".join(places.review(domain).rpartition("/")[2] for domain in NAMES)
            reader.wrong("review", item.line, f"this names no review; valid: {files}", "name the file of the review")
    return found


def _reasons(reasons: markdown_blocks.Labelled, reader: Reader) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in reader.items("\n".join(reasons.rest), reasons.line + 1):
        text = markdown_blocks.hung(item.first, item.rest, _NUMBERED)
        head = _REASON.match(text)
        domain = _BY_NAME.get(_PLACE.sub("", head["name"]).strip().casefold()) if head else None
        if head is None or domain is None:
            problem = f"this reason names no domain; valid: {', '.join(NAMES.values())}"
            reader.wrong("why", item.line, problem, f"write it as `1. **{NAMES['security']} first** - why`")
        elif domain in found:
            reader.wrong("why", item.line, f"{domain} has a reason already", "put both into one")
        else:
            found[domain] = text[head.end() :]
    return found


# --- a review ---------------------------------------------------------------------------------------------------------

_SECTIONS: Final = {
    "context_awareness": "Context Awareness",
    "strengths": "Strengths",
    "concerns": "Concerns",
    "recommendations": "Recommendations",
    "questions": "Questions for User/Architect",
    "risk_factors": "Risk Factors",
}


def render_review(domain: Domain, review: Review) -> str:
    """`{domain}_review.md`."""
    first, *lists = _SECTIONS.items()
    return markdown_blocks.document(
        f"# {NAMES[domain]} Architecture Review",
        [
            (first[1], markdown_blocks.escaped(review.context_awareness, 2)),
            *((title, markdown_blocks.bullets(getattr(review, name))) for name, title in lists),
        ],
    )


def parse_review(data: bytes, path: str) -> Review:
    """A review as a value; DocumentError names every missing section."""
    found = markdown_headings.required(
        markdown_headings.split(decode(data, path)), tuple(_SECTIONS.values()), path, rule="review"
    )
    reader = Reader(path, "review")
    first, *lists = _SECTIONS.items()
    lines: dict[tuple[str | int, ...], int] = {(name,): found[title].line for name, title in _SECTIONS.items()}
    values: dict[str, Any] = {first[0]: markdown_blocks.unescaped(found[first[1]].whole, 2)}
    values |= reader.lists(lines, **{name: reader.texts(found[title]) for name, title in lists})
    return reader.built(Review, values, lines)
