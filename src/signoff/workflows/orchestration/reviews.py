"""The two-stage review: who looks at the architecture in which order, and what each reviewer says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field

from signoff.artifacts.forms import Form
from signoff.artifacts.textio import decode
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places, prose, sections
from signoff.workflows.orchestration.prose import Prose, Reader, Title
from signoff.workflows.orchestration.sections import Section

Domain = Literal["security", "database_storage", "api_dataflow", "frontend"]
PATTERNS: Final[dict[str, tuple[Domain, ...]]] = {
    "A": ("security", "database_storage", "api_dataflow", "frontend"),
    "B": ("security", "api_dataflow", "database_storage", "frontend"),
    "C": ("security", "frontend", "api_dataflow", "database_storage"),
    "D": ("security", "database_storage", "api_dataflow", "frontend"),
}
"""Data-driven, API-first, user-facing, security-critical. In B the frontend may be left out, where there is none."""

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
    """What a reviewer says of the drafts; it changes nothing."""

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
_LABELS: Final = prose.label_pattern(("Project Type", "Ordering Pattern", "Created", _WHY))
_ORDINALS: Final = ("first", "second", "third", "fourth")
_NUMBERED: Final = 6
"""How far the further lines of a numbered item are indented."""


def order_findings(order: Order) -> tuple[Finding, ...]:
    """What is wrong with an order: not that of its pattern, a domain twice, or a place without its own reason."""
    return (*_disordered(order), *_repeated(order), *_unreasoned(order))


def _disordered(order: Order) -> Iterator[Finding]:
    if order.pattern == "custom":
        return
    valid = PATTERNS[order.pattern]
    shorter = valid[:-1] if order.pattern == "B" else valid
    if order.order not in (valid, shorter):
        said = ", ".join(valid) + (" (or without the frontend)" if shorter != valid else "")
        yield _ill(
            "order.pattern",
            f"pattern {order.pattern} has the order {', '.join(order.order)}; valid: {said}",
            f"give the order of pattern {order.pattern}, or name the pattern `custom`",
            order.pattern,
        )


def _repeated(order: Order) -> Iterator[Finding]:
    for domain, times in Counter(order.order).items():
        if times > 1:
            yield _ill("order.twice", f"{domain} is in the order {times} times", "name each domain once", domain)


def _unreasoned(order: Order) -> Iterator[Finding]:
    for domain in dict.fromkeys(order.order):
        if domain not in order.why:
            yield _ill(
                "order.why",
                f"`why` has nothing for {domain}; valid: {', '.join(dict.fromkeys(order.order))}",
                "say for each domain of the order why it comes where it does",
                domain,
            )
    for domain in order.why:
        if domain not in order.order:
            yield _ill("order.why", f"`why` has {domain}, which is not in the order", "leave it out", domain)


def _ill(rule: str, problem: str, repair: str, about: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair=repair, file=places.ORDER, about=about)


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
        prose.bullet(f"**{_placed(order, domain)}** - {why}", f"{number}.", _NUMBERED)
        for number, (domain, why) in enumerate(order.why.items(), 1)
    ]
    files = [
        f"{at}. **{NAMES[domain]} Architecture Reviewer** → `{places.review(domain).rpartition('/')[2]}`"
        for at, domain in enumerate(order.order, 1)
    ]
    instances = [
        f"{at}. **TSA Instance #{at}** - Incorporates {NAMES[one]} feedback" for at, one in enumerate(order.order, 1)
    ]
    said = f"{prose.escaped(order.rationale, 2, _LABELS)}\n\n**{_WHY}:**\n" + "\n".join(reasons)
    return prose.document(
        "\n".join(top),
        [(RATIONALE, said.rstrip()), (SEQUENCE, "\n".join(files)), (INSTANCES, "\n".join(instances))],
    )


def _placed(order: Order, domain: Domain) -> str:
    """A domain and which it is in the order; the last one is called so."""
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
"""The domains by what people call them."""
_KNOWN: Final = ", ".join(NAMES.values())


def parse_order(data: bytes, path: str) -> Order:
    """The order as a value; whether it is that of its pattern is for `order_findings` to say."""
    found = sections.split(decode(data, path))
    by_title = sections.required(found, (RATIONALE, SEQUENCE, INSTANCES), path, rule="order")
    reader = Reader(path, "order")
    head = next((one for one in found if one.level == 1), found[0])
    top = prose.labelled(head.body, head.line + 1, _LABELS)
    rationale = by_title[RATIONALE]
    parts = prose.labelled(rationale.whole, rationale.line + 1, _LABELS)
    reasons = parts.get(_WHY.casefold())
    order = _sequence(by_title[SEQUENCE], reader)
    if (same := _instances(by_title[INSTANCES])) != order:
        reader.wrong(
            "instances",
            by_title[INSTANCES].line,
            f"the tactical architect takes {', '.join(same) or 'nothing'}, the reviews are {', '.join(order)}",
            f"give both lists the order of “{SEQUENCE}”",
        )
    values: dict[str, Any] = {
        "order": order,
        "rationale": prose.unescaped("\n".join(parts[""].rest), 2, _LABELS),
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
    """The domains by the names of the files that the reviews go to."""
    found = []
    for item in reader.items(section.whole, section.line + 1):
        if name := _FILES.search(item.text):
            found.append(name[1])
        else:
            files = ", ".join(places.review(domain).rpartition("/")[2] for domain in NAMES)
            reader.wrong("review", item.line, f"no review is named here; valid: {files}", "name the file of the review")
    return found


def _instances(section: Section) -> list[str]:
    words = "|".join(re.escape(name) for name in sorted(_BY_NAME, key=len, reverse=True))
    found = re.findall(rf"Incorporates\s+({words})\b", section.whole, re.IGNORECASE)
    return [_BY_NAME[name.casefold()] for name in found]


def _reasons(reasons: prose.Labelled, reader: Reader) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in reader.items("\n".join(reasons.rest), reasons.line + 1):
        text = prose.hung(item.first, item.rest, _NUMBERED)
        head = _REASON.match(text)
        domain = _BY_NAME.get(_PLACE.sub("", head["name"]).strip().casefold()) if head else None
        if head is None or domain is None:
            reader.wrong(
                "why",
                item.line,
                f"this reason names no domain; valid: {_KNOWN}",
                f"write it as `1. **{NAMES['security']} first** - why`",
            )
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
    return prose.document(
        f"# {NAMES[domain]} Architecture Review",
        [
            (first[1], prose.escaped(review.context_awareness, 2)),
            *((title, prose.bullets(getattr(review, name))) for name, title in lists),
        ],
    )


def parse_review(data: bytes, path: str) -> Review:
    """A review as a value; DocumentError names every section that is missing."""
    found = sections.required(sections.split(decode(data, path)), tuple(_SECTIONS.values()), path, rule="review")
    reader = Reader(path, "review")
    values: dict[str, Any] = {}
    lines: dict[tuple[str | int, ...], int] = {}
    for name, title in _SECTIONS.items():
        section = found[title]
        lines[(name,)] = section.line
        if name == "context_awareness":
            values[name] = prose.unescaped(section.whole, 2)
        else:
            read = reader.items(section.whole, section.line + 1)
            values[name] = [item.text for item in read]
            lines |= {(name, at): item.line for at, item in enumerate(read)}
    return reader.built(Review, values, lines)
