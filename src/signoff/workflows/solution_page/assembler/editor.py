"""Editor-QA: judges each claim in use by what the evidence check found, mends what code can mend, decides.

- Evidence that holds makes a claim verified; evidence that does not leaves it unverified, with the reason.
- Where the claim has no number and no code that the place could fail to state, half of its words must stand there. Less
  than that is for a person or a model to judge: the claim stays unverified, and a note says so.
- A proposed claim without evidence that holds is removed, and its sentence with it.
- A claim that was downgraded keeps that status unless it is still high-risk and its evidence holds.
- Fixes take out removed claims, put the claim's own text where the numbers differ, mark what one claim states, and
  delete release markers such as [TODO].

The decision is PASS when no fix is needed and nothing is left of the gates' findings but what the verdicts settle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signoff import DocumentError, Finding, replace
from signoff.artifacts import markdown
from signoff.artifacts.markdown_parsing import CLAIM_COMMENT
from signoff.evidence.places import unstated
from signoff.evidence.sources.located_claims import check
from signoff.evidence.sources.locators import Url
from signoff.workflows.kit import fixes as apply_fixes
from signoff.workflows.kit.turn_inputs import Payload
from signoff.workflows.solution_page.assembler.claim_book import reviewers_book
from signoff.workflows.solution_page.assembler.claim_sentences import Edit, edits
from signoff.workflows.solution_page.assembler.inputs import Desk, turns
from signoff.workflows.solution_page.assembler.word_overlap import checkable, share
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.outputs import Fix, GateReports, Verdict

SETTLED = {
    "verified": ("claims.high-risk", "claims.proposed"),
    "removed": ("claims.high-risk", "claims.proposed", "claims.evidence"),
}
REASONS = {
    "removed": "{claims} may not be on the page",
    "restated": "the sentence does not say what {claims} says",
    "marked": "a statement carries the markers of the claims behind it, and no other: {claims}",
}
DOUBT = "the place is there, but only "
ENOUGH = 0.5
GROWTH = 16
_RELEASE_MARKER = re.compile(r" ?[\[【][^\[\]【】\n]{1,40}[\]】](?![(\[:])")


def _work(desk: Desk) -> Payload:
    file = str(desk.notes["file"])
    page = _draft(desk, file)
    verdicts = list(_verdicts(desk, page))
    fixes = list(_fixes(desk, page, file, _after(desk.registry, verdicts)))
    gates = desk.notes.get("gates") or {}
    passed = not fixes and not list(_left(gates, verdicts))
    return {
        "status": "complete" if passed else "needs_revision",
        "files_reviewed": [file],
        "gates": {name: _report(result) for name, result in gates.items() if name in GateReports.model_fields},
        "claims": _counts(desk, verdicts),
        **{f"{level.lower()}_count": sum(fix.severity == level for fix in fixes) for level in ("S0", "S1", "S2")},
        "notes": _notes(verdicts),
        "verdicts": [verdict.model_dump(exclude_defaults=True) for verdict in verdicts],
        "fixes": [fix.model_dump() for fix in fixes],
        "decision": "PASS" if passed else "BLOCKED",
    }


def _draft(desk: Desk, file: str) -> str:
    text = desk.text(file)
    if text is None:
        problem, repair = "the draft under review is not there", "resume at the draft of this language"
        raise DocumentError([Finding(rule="draft.missing", problem=problem, repair=repair, file=file)])
    return text


# --- verdicts ---------------------------------------------------------------------------------------------------------


def _verdicts(desk: Desk, page: str) -> Iterator[Verdict]:
    used = dict.fromkeys(marker.claim_id for marker in markdown.parse(page).markers)
    proposed = (claim.id for claim in desk.registry.claims.values() if claim.status == "proposed")
    for claim_id in dict.fromkeys((*used, *proposed)):
        claim = desk.registry.claims.get(claim_id)
        if claim is not None and claim.usable:
            verdict = _verdict(claim, (desk.notes.get("evidence") or {}).get(claim_id), desk)
            yield from (verdict,) if verdict else ()


def _verdict(claim: Claim, against: Sequence[Mapping[str, Any]] | None, desk: Desk) -> Verdict | None:
    problems = ["the evidence was not checked"] if against is None else _failing(against)
    if claim.status == "downgraded" and (problems or claim.risk_level != "high"):
        return None
    if not problems:
        holds, reason = _judged(claim, desk)
        return Verdict(claim_id=claim.id, verdict="verified" if holds else "unverified", reason=reason)
    if claim.status == "proposed":
        reason = f"proposed without evidence that holds: {'; '.join(problems)}"
        return Verdict(claim_id=claim.id, verdict="removed", reason=reason)
    return Verdict(claim_id=claim.id, verdict="unverified", reason="; ".join(problems))


def _judged(claim: Claim, desk: Desk) -> tuple[bool, str]:
    """Whether the place says the claim, as far as code can tell, and what was looked at."""
    said = _said(claim, desk)
    words = share(claim.texts, said)
    if lost := [number.text for text in claim.texts for number in unstated(text, [said]) if not number.unit]:
        return False, f"the place is there, but the claim says {', '.join(lost)}, and the place does not"
    stated = f"{words} of the claim occur there"
    quoted = any(locator.excerpt for locator in claim.evidence)
    found = "file, place and excerpt found" if quoted else "file and place found"
    if any(map(checkable, claim.texts)):
        return True, f"{found}; every number and code of the claim occurs there; {stated}"
    if words.ratio >= ENOUGH:
        return True, f"{found}; {stated}"
    return False, (f"{DOUBT}{words} of the claim occur in it; a person or a model must judge whether it says this")


def _said(claim: Claim, desk: Desk) -> str:
    """The text of the located places; of a page that only the network has, the quoted words."""
    checked = check(claim.id, claim.texts, claim.evidence, desk.source, "", None, snapshots=desk.snapshots)
    quoted = (locator.excerpt for locator in claim.evidence if isinstance(locator, Url))
    return "\n\n".join((checked.span, *quoted))


def _notes(verdicts: Sequence[Verdict]) -> list[str]:
    return [f"{one.claim_id}: {one.reason}" for one in verdicts if one.reason.startswith(DOUBT)]


def _failing(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(one["problem"]) for one in findings if one.get("severity", "error") == "error"]


def _after(registry: Registry, verdicts: Sequence[Verdict]) -> Registry:
    """The registry as these verdicts leave it, for what concerns the text of the page."""
    removed = [verdict.claim_id for verdict in verdicts if verdict.verdict == "removed"]
    return registry.with_claims(*(replace(registry.claims[one], status="removed") for one in removed))


def _counts(desk: Desk, verdicts: Sequence[Verdict]) -> Payload:
    claims, made = desk.registry.claims, {verdict.claim_id: verdict.verdict for verdict in verdicts}
    high = [one for one in made if claims[one].risk_level == "high"]
    verified = [one for one in made if made[one] == "verified"]
    return {
        "total": len(made),
        "verified": len(verified),
        "proposed_resolved": sum(claims[one].status == "proposed" for one in made),
        "high_risk_verified": f"{len(set(high) & set(verified))}/{len(high)}",
    }


# --- gates ------------------------------------------------------------------------------------------------------------


def _left(gates: Mapping[str, Any], verdicts: Sequence[Verdict]) -> Iterator[Mapping[str, Any]]:
    """The failing findings that the verdicts do not settle."""
    settles = {verdict.claim_id: SETTLED.get(verdict.verdict, ()) for verdict in verdicts}
    for result in gates.values():
        for finding in result.get("findings", ()):
            settled = finding.get("rule") in settles.get(str(finding.get("about")), ())
            if finding.get("severity", "error") == "error" and not settled:
                yield finding


def _report(result: Mapping[str, Any]) -> Payload:
    findings = result.get("findings", ())
    shown = "; ".join(f"{one.get('rule', '')}: {one.get('problem', '')}" for one in findings[:3])
    more = f"; and {len(findings) - 3} more" if len(findings) > 3 else ""
    return {"status": result["status"], "details": shown + more}


# --- fixes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Change:
    start: int
    end: int
    new: str
    severity: str
    type: str
    reason: str


def _fixes(desk: Desk, page: str, file: str, registry: Registry) -> Iterator[Fix]:
    """From the end of the page to its beginning, so that no fix moves the place of another."""
    changes = [*map(_change, _kept(edits(page, desk.language, reviewers_book(registry)))), *_markers(desk, page)]
    text = page
    for number, change in enumerate(sorted(changes, key=lambda one: -one.start), 1):
        before, after = unique(text, change.start, change.end, change.new)
        fix = Fix.model_validate(
            {
                "id": f"F-{number:02}",
                "severity": change.severity,
                "type": change.type,
                "before": before,
                "after": after,
                "reason": change.reason,
            }
        )
        mended, misses = apply_fixes.apply(text, [fix], file)
        if not misses and mended != text:
            text = mended
            yield fix


def _kept(found: Sequence[Edit]) -> Iterator[Edit]:
    return (edit for edit in found if edit.kind != "marked" or edit.claims)


def _change(edit: Edit) -> _Change:
    kind = "accuracy" if edit.kind == "restated" else "claim"
    reason = REASONS[edit.kind].format(claims=", ".join(edit.claims))
    return _Change(edit.start, edit.end, edit.new, "S0", kind, reason)


def _markers(desk: Desk, page: str) -> Iterator[_Change]:
    """What stands in brackets on the lines that the release-marker gate names."""
    result = (desk.notes.get("gates") or {}).get("release_markers") or {}
    named = {finding.get("line") for finding in result.get("findings", ())}
    at = 0
    for number, line in enumerate(page.split("\n"), 1):
        if number in named:
            for found in _RELEASE_MARKER.finditer(CLAIM_COMMENT.sub(lambda m: "x" * len(m.group()), line)):
                yield _Change(
                    at + found.start(), at + found.end(), "", "S1", "style", "a note to the writer is not for readers"
                )
        at += len(line) + 1


def unique(text: str, start: int, end: int, new: str) -> tuple[str, str]:
    """A before-text that occurs exactly once and covers the place, and what it becomes."""
    left, right = start, end
    while not _only(text, left, right) and (left > 0 or right < len(text)):
        left = max(0, left - GROWTH)
        right = max(end, len(text[: right + GROWTH].rstrip("\n")), right + (left == 0 and right < len(text)))
    return text[left:right], text[left:start] + new + text[end:right]


def _only(text: str, left: int, right: int) -> bool:
    """Whether these words stand here and nowhere else, not even overlapping themselves."""
    words = text[left:right].rstrip("\n")
    return bool(words.strip()) and text.find(words) == left and text.find(words, left + 1) < 0


editor = turns("editor-qa", _work)
