"""Which texts a finding is about: if one of them changes, a person's overrule of the finding is void.

A finding about a claim is bound to what the registry says of that claim and to the files of its evidence, and not to
the whole registry: code writes into it after every review. One in a draft is bound to the draft, one of parity to both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from signoff import DocumentError, Finding, Look, Ref, digest
from signoff.evidence.sources import locators
from signoff.workflows.solution_page.documents.claims_registry import Claim, parse_doc


def claim_texts(finding: Finding, of: Mapping[str, Ref], look: Look) -> Mapping[str, str]:
    """The draft in which a finding stands, the claim that it is about, and the files that the claim rests on."""
    registry = of.get("registry")
    claim = _claim(finding.about, registry, look) if registry and finding.about else None
    if registry is None or claim is None:
        return _own_document(finding, of)
    rests_on = {getattr(locator, "path", "") for locator in claim.evidence}
    files = {ref.path: ref.sha256 for ref in of.values() if ref.path in rests_on}
    draft = of.get("draft")
    own = {draft.path: draft.sha256} if draft and draft.path == finding.file else {}
    return {**own, f"{registry.path} {claim.id}": _claim_digest(claim), **files}


def both_drafts(_finding: Finding, of: Mapping[str, Ref], _look: Look) -> Mapping[str, str]:
    """The page in both languages."""
    return {of[lang].path: of[lang].sha256 for lang in ("en", "cn") if lang in of}


def _own_document(finding: Finding, of: Mapping[str, Ref]) -> dict[str, str]:
    files = {ref.path: ref.sha256 for ref in of.values()}
    return {finding.file: files[finding.file]} if finding.file in files else files


def _claim(claim_id: str, registry: Ref, look: Look) -> Claim | None:
    try:
        return look(registry, parse_doc).claims.get(claim_id)
    except DocumentError:
        return None


def _claim_digest(claim: Claim) -> str:
    """The digest of what a claim says and what it rests on, whatever its status is."""
    said = [claim.text, claim.text_cn, *(locators.render(one) for one in claim.evidence)]
    return digest(json.dumps(said, ensure_ascii=True, sort_keys=True))
