"""The four reviewers: the rules of a domain held against plan and drafts, and what is open there put as questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.core.workflow import RolePlayer
from signoff.workflows.orchestration import places, reviews
from signoff.workflows.orchestration.players import domains, technologies
from signoff.workflows.orchestration.players.advice import RULES, Rule
from signoff.workflows.orchestration.players.architect import SECURITY
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.statements import Statement
from signoff.workflows.orchestration.reviews import Domain, Review
from signoff.workflows.wording import clipped

_QUESTION: Final = re.compile(r"Please settle: (\S.*)\. What holds\?", re.DOTALL)
_FIRST: Final = "This is the first review; there are no earlier ones to take up."


@dataclass(frozen=True)
class Look:
    """What one reviewer sees."""

    domain: Domain
    desk: Desk

    @cached_property
    def drafts(self) -> str:
        return f"{self.desk.text(places.STACK)}\n{self.desk.text(places.DECISIONS)}"

    @cached_property
    def earlier(self) -> dict[Domain, Review]:
        """The reviews before this one, by their domain."""
        paths = [str(path) for path in self.desk.notes.get("earlier") or ()]
        found = {path: data for path in paths if (data := self.desk.data(path)) is not None}
        return {_domain_of(path): reviews.parse_review(data, path) for path, data in found.items()}

    @cached_property
    def raised(self) -> tuple[Rule, ...]:
        """The rules that apply and that neither the drafts nor an earlier review meet."""
        said = "\n".join((self.drafts, *(text for one in self.earlier.values() for text in one.recommendations)))
        return tuple(one for one in RULES[self.domain] if self._applies(one) and not one.unless.search(said))

    def _applies(self, rule: Rule) -> bool:
        layers = self.desk.stack.technology_stack.values()
        chosen = {tech.name for layer in layers for text in layer.chosen.values() for tech in technologies.named(text)}
        return rule.when.search(self.said) is not None and (not rule.technology or rule.technology in chosen)

    @cached_property
    def said(self) -> str:
        """What the plan says, without its headings: “Key Decisions” speaks of no key."""
        return "\n".join(one.whole for one in self.desk.reading.statements)

    def concerns(self, statement: Statement) -> bool:
        """Whether a statement belongs to this domain: security takes what speaks of it and what is nobody's."""
        if SECURITY.search(statement.text):
            return self.domain == "security"
        owners = self.desk.reading.owners(statement)
        about = {domains.BY_AGENT[agent].review for agent in owners} or {"security"}
        return self.domain in about


def _domain_of(path: str) -> Domain:
    return next(domain for domain in reviews.REVIEWERS if path == places.review(domain))


def _work(desk: Desk, domain: Domain) -> Payload:
    look = Look(domain, desk)
    return {
        "context_awareness": _context(look),
        "strengths": list(_strengths(look)),
        "concerns": [rule.concern for rule in look.raised],
        "recommendations": [rule.recommendation for rule in look.raised],
        "questions": list(_questions(look)),
        "risk_factors": list(_risks(look)),
    }


def _context(look: Look) -> str:
    if not look.earlier:
        return _FIRST
    return " ".join(f"{reviews.NAMES[domain]}: {_taken_up(one)}." for domain, one in look.earlier.items())


def _taken_up(review: Review) -> str:
    """What an earlier review means for this one."""
    first = clipped(review.recommendations[0], 160).rstrip(".") if review.recommendations else ""
    if not review.concerns and not first:
        return "no concerns"
    said = f"{len(review.concerns)} concerns; what it asks for is taken as given"
    return f"{said}, first of all: {first}" if first else said


def _strengths(look: Look) -> Iterator[str]:
    for made in look.desk.reading.plan.decisions:
        one = Statement(squeeze(made.decision), "decision")
        if look.concerns(one) and made.alternatives.strip():
            yield f"“{clipped(one.text, 120)}” has its reason, and what was not chosen is said with it."


def _questions(look: Look) -> Iterator[str]:
    """What the summary leaves open in this domain, if nobody has asked it yet."""
    asked = {text for one in look.earlier.values() for text in one.questions}
    for one in look.desk.reading.of_kind("open"):
        text = question(one.text)
        if look.concerns(one) and text not in asked:
            yield text


def question(item: str) -> str:
    """An open item as something to be settled."""
    return f"Please settle: {item[0].lower()}{item[1:].rstrip(' .?')}. What holds?"


def item_of(asked: str) -> str:
    """The open item that was asked about; the question itself where it was put in other words."""
    found = _QUESTION.fullmatch(asked)
    return f"{found[1][0].upper()}{found[1][1:]}" if found else asked


def _risks(look: Look) -> Iterator[str]:
    yield from (one.text for one in look.desk.reading.of_kind("assumption") if look.concerns(one))
    yield from (rule.risk for rule in look.raised if rule.risk)


def _reviewer(domain: Domain) -> RolePlayer:
    return player(lambda desk: _work(desk, domain))


security_reviewer = _reviewer("security")
database_reviewer = _reviewer("database_storage")
api_reviewer = _reviewer("api_dataflow")
frontend_reviewer = _reviewer("frontend")
