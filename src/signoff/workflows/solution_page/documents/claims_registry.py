"""The claims registry: what the page may say, how risky it is, and what stands behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from signoff import DocumentError, Finding, replace
from signoff.artifacts import yamlio
from signoff.artifacts.text_decoding import decode
from signoff.evidence.sources import locators
from signoff.evidence.sources.locators import Locator

PATH = "_shared/claims-registry.yaml"
POOL = 10

ClaimStatus = Literal["verified", "unverified", "reserved", "proposed", "downgraded", "removed"]
RiskLevel = Literal["high", "medium", "low"]
STATUSES: tuple[str, ...] = get_args(ClaimStatus)
LEVELS: tuple[str, ...] = get_args(RiskLevel)
FIELDS = ("text", "text_cn", "status", "risk_level", "category", "evidence", "evidence_suggested", "added_by")
CLAIM_ID = re.compile(r"C-([A-Z]{2,4})-(\d{3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing the page may say. A reserved claim is an id that waits for its text."""

    id: str
    status: ClaimStatus
    text: str = ""
    text_cn: str = ""
    risk_level: RiskLevel | None = None
    category: str = ""
    evidence: tuple[Locator, ...] = ()
    evidence_suggested: str = ""
    added_by: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The claim in each language it has."""
        return tuple(text for text in (self.text, self.text_cn) if text)

    @property
    def usable(self) -> bool:
        """Whether a draft may carry this claim at all."""
        return self.status not in ("reserved", "removed")


@dataclass(frozen=True, slots=True)
class Registry:
    """The claims by id, in the order of the file, with the lines they stand on."""

    claims: Mapping[str, Claim] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)

    def with_claims(self, *claims: Claim) -> Registry:
        """The registry with these claims put in place of theirs, or added at the end."""
        return replace(self, claims={**self.claims, **{claim.id: claim for claim in claims}})


def code_of(slug: str) -> str:
    """The letters of a project's claim ids: the initials of the slug, two to four of them."""
    words = [word for word in re.split(r"[^A-Za-z]+", slug) if word]
    initials = "".join(word[0] for word in words)
    if len(initials) < 2:
        initials = ("".join(words) + "XX")[:3]
    return initials[:4].upper()


def parse_doc(data: bytes, path: str) -> Registry:
    """The registry file as a value."""
    return parse(decode(data, path), path)


def parse(text: str, file: str) -> Registry:
    """Reads a registry; every problem is found at once, each with its line."""
    root = yamlio.load_mapping(text, file)
    entries = root.get("claims")
    if not isinstance(entries, dict):
        problem = f"`claims` is {type(entries).__name__}, not a mapping of claim ids"
        raise DocumentError(
            [
                Finding(
                    rule="registry.claims",
                    problem=problem,
                    repair="write `claims:` with one entry per id",
                    file=file,
                    line=1,
                )
            ]
        )
    reader = _Reader(text, file)
    claims = {claim_id: reader.claim(str(claim_id), entry) for claim_id, entry in entries.items()}
    if reader.problems:
        raise DocumentError(reader.problems)
    lines = {claim_id: yamlio.line_of(text, ["claims", claim_id]) or 1 for claim_id in claims}
    return Registry(claims, lines)


class _Reader:
    """Collects what is wrong while it reads entry after entry."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.problems: list[Finding] = []

    def wrong(self, rule: str, claim_id: str, problem: str, repair: str, *path: str) -> None:
        line = yamlio.line_of(self.text, ["claims", claim_id, *path])
        self.problems.append(
            Finding(
                rule=f"registry.{rule}",
                problem=f"{claim_id}: {problem}",
                repair=repair,
                file=self.file,
                line=line,
                about=claim_id,
            )
        )

    def claim(self, claim_id: str, entry: Any) -> Claim:
        if not CLAIM_ID.fullmatch(claim_id):
            self.wrong(
                "id", claim_id, "this is no claim id", "write C-, two to four capitals, -, three digits: C-WSP-001"
            )
        if not isinstance(entry, dict):
            self.wrong("entry", claim_id, f"the entry is {entry!r}, not a mapping", "give it at least a status")
            return Claim(id=claim_id, status="reserved")
        for name in entry:
            if name not in FIELDS:
                self.wrong("field", claim_id, f"unknown field {name!r}", f"use {', '.join(FIELDS)}", str(name))
        status = self.one_of(claim_id, entry, "status", STATUSES) or "unverified"
        if status != "reserved" and not str(entry.get("text") or "").strip():
            self.wrong("text", claim_id, "the claim has no text", "write what it claims, or set `status: reserved`")
        return Claim(
            id=claim_id,
            status=status,  # type: ignore[arg-type]
            risk_level=self.one_of(claim_id, entry, "risk_level", LEVELS, required=False),  # type: ignore[arg-type]
            evidence=self.evidence(claim_id, entry.get("evidence")),
            **{
                name: str(entry.get(name) or "")
                for name in ("text", "text_cn", "category", "evidence_suggested", "added_by")
            },
        )

    def one_of(
        self, claim_id: str, entry: Mapping[str, Any], name: str, valid: tuple[str, ...], *, required: bool = True
    ) -> str | None:
        value = entry.get(name)
        if value in valid or (value is None and not required):
            return value
        self.wrong(name, claim_id, f"{name} is {value!r}", f"use one of {', '.join(valid)}", name)
        return None

    def evidence(self, claim_id: str, value: Any) -> tuple[Locator, ...]:
        items = [] if value in (None, "") else value if isinstance(value, list) else [value]
        found = []
        for item in items:
            try:
                found.append(locators.parse(item))
            except DocumentError as error:
                for finding in error.findings:
                    self.wrong("evidence", claim_id, finding.problem, finding.repair, "evidence")
        return tuple(found)


def render_claim(claim: Claim) -> dict[str, Any]:
    """The claim as it is written: structured, without empty fields, in a fixed order."""
    values: dict[str, Any] = {
        "text": claim.text,
        "text_cn": claim.text_cn,
        "status": claim.status,
        "risk_level": claim.risk_level,
        "category": claim.category,
        "evidence": [locators.render(locator) for locator in claim.evidence],
        "evidence_suggested": claim.evidence_suggested,
        "added_by": claim.added_by,
    }
    return {name: value for name, value in values.items() if value}


def render(registry: Registry) -> str:
    """A registry file made anew."""
    return yamlio.dump({"claims": {claim.id: render_claim(claim) for claim in registry.claims.values()}})


def update(text: str, before: Registry, after: Registry) -> str:
    """The file with only the changed claims written: a person's comments, order and spacing stay."""
    changes: dict[tuple[str | int, ...], Any] = {}
    for claim_id, claim in after.claims.items():
        old = before.claims.get(claim_id)
        if old is None:
            changes["claims", claim_id] = render_claim(claim)
        elif old != claim:
            changes |= _changed_fields(render_claim(old), render_claim(claim), claim_id)
    for claim_id in before.claims:
        if claim_id not in after.claims:
            changes["claims", claim_id] = yamlio.DELETE
    return yamlio.edit(text, changes)


def _changed_fields(old: Mapping[str, Any], new: Mapping[str, Any], claim_id: str) -> dict[tuple[str | int, ...], Any]:
    return {
        ("claims", claim_id, name): new.get(name, yamlio.DELETE) for name in FIELDS if old.get(name) != new.get(name)
    }
