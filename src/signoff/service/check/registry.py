"""Claim markers against a registry: every claim is there and may be used, and its evidence holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from signoff.evidence.check.rules import Violation
from signoff.service.files.gate_commands import registry_evidence


def registry_violations(
    registry: Path, used: Mapping[str, Sequence[tuple[str, int]]]
) -> Iterator[tuple[str, Violation]]:
    """What is wrong with the claims that pages use, each with the page; `used` has claims and lines by page."""
    claims, findings = registry_evidence(registry)
    for page, listed in used.items():
        for claim_id, line in listed:
            claim = claims.get(claim_id)
            if claim is None:
                yield (
                    page,
                    Violation(code="SC703", line=line, problem=f"{claim_id} is not in the registry", about=claim_id),
                )
            elif not claim.usable:
                problem = f"{claim_id} is {claim.status} in the registry and may not be used"
                yield page, Violation(code="SC703", line=line, problem=problem, about=claim_id)
            else:
                for finding in findings.get(claim_id, ()):
                    near = f"{finding.file}:{finding.line or 1}"
                    yield (
                        page,
                        Violation(
                            code="SC704",
                            line=line,
                            problem=f"{claim_id}: {finding.problem}",
                            repair=finding.repair,
                            about=claim_id,
                            near=near,
                        ),
                    )
