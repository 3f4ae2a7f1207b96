"""Who may do what to claims and drafts (SP-7, SP-17), and what an accepted output does to the registry.

The checks here stand between an agent's output and the state: an output with a finding fails the turn, and nothing of
it is applied. A status of `verified` is never taken from an agent: it is computed from the evidence check, the
editor's verdict and the digests of the sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from signoff import DocumentError, Finding, Look, Now, State, Write, replace
from signoff.artifacts.text_decoding import decode
from signoff.evidence.sources import located_claims as agreement
from signoff.evidence.sources import locators
from signoff.evidence.sources.locators import Locator, Url
from signoff.workflows.kit import fixes
from signoff.workflows.solution_page import risk
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.gates import parse_text
from signoff.workflows.solution_page.outputs import ClaimIn, CopywriterOutput, EditorOutput, StrategistOutput, Verdict
from signoff.workflows.solution_page.state import PLANNING, PageState, draft

WEB = "0-sources/web/"
NO_CLAIMS = Registry()


def registry_of(state: State, look: Look) -> Registry:
    """The registry as it is now; a project that has none yet has no claims."""
    ref = state.ref(reg.PATH)
    return look(ref, reg.parse_doc) if ref else Registry()


# --- what fails a turn ------------------------------------------------------------------------------------------------


def check_strategist(now: Now[PageState], output: StrategistOutput) -> Sequence[Finding]:
    """Authority of the strategist: planning documents, claims of this project's code, a pool of exactly ten."""
    if output.status != "complete":
        return _needs_blockers(output.blockers)
    return (*_wanting(output.documents, PLANNING), *_strategist_claims(output.claims, now.own.code))


def _strategist_claims(claims: Sequence[ClaimIn], code: str) -> Iterator[Finding]:
    yield from _duplicates(claims)
    for claim in claims:
        if not claim.id.startswith(f"C-{code}-"):
            yield _wrong(
                "claims.code", claim.id, f"{claim.id} does not carry this project's code", f"number it C-{code}-NNN"
            )
        if claim.status == "proposed":
            yield _wrong(
                "claims.status", claim.id, f"{claim.id} is proposed", "a strategist's claim is unverified or reserved"
            )
        if claim.status != "reserved" and not claim.text:
            yield _wrong("claims.text", claim.id, f"{claim.id} has no text", "write what it claims, or reserve the id")
        yield from _lowered(claim)
        yield from _unreadable(claim)
    pool = sum(claim.status == "reserved" for claim in claims)
    if pool != reg.POOL:
        yield _wrong("claims.pool", "", f"{pool} ids are reserved", f"reserve exactly {reg.POOL} for the copywriter")
    if pool == len(claims):
        yield _wrong("claims.none", "", "there is no claim", "build claims from the sources, or be blocked and say why")


def check_copywriter(now: Now[PageState], output: CopywriterOutput) -> Sequence[Finding]:
    """Authority of the copywriter: one draft, and reserved ids turned into proposed claims."""
    if output.status != "complete":
        return _needs_blockers(output.blockers)
    own, known = now.own, registry_of(now.state, now.look)
    path = draft(own.slug, own.lang)
    found = list(_wanting(output.documents, (path,)))
    if output.language != own.lang or output.file != path:
        given = f"language {output.language}, file {output.file}"
        found.append(
            _wrong("draft.file", "", f"this turn is for {path}, the output says {given}", f"name {own.lang} and {path}")
        )
    return (*found, *_duplicates(output.claims), *(f for claim in output.claims for f in _proposal(claim, known)))


def _proposal(claim: ClaimIn, known: Registry) -> Iterator[Finding]:
    old = known.claims.get(claim.id)
    if old is None or not (old.status == "reserved" or _same_proposal(old, claim)):
        found = "unknown" if old is None else old.status
        pool = ", ".join(one.id for one in known.claims.values() if one.status == "reserved") or "none left"
        yield _wrong("claims.pool", claim.id, f"{claim.id} is {found}, not reserved", f"use a reserved id: {pool}")
    if claim.status != "proposed":
        yield _wrong("claims.status", claim.id, f"{claim.id} is {claim.status}", "a copywriter's claim is proposed")
    if claim.added_by != "copywriter":
        yield _wrong(
            "claims.added-by", claim.id, f"{claim.id}: added_by is {claim.added_by!r}", "write added_by: copywriter"
        )
    if not claim.text:
        yield _wrong("claims.text", claim.id, f"{claim.id} has no text", "write what it claims")
    yield from _lowered(claim)
    yield from _unreadable(claim)


def _same_proposal(old: Claim, claim: ClaimIn) -> bool:
    """A revision may give the proposal of an earlier round again, and add its other language."""
    return old.status == "proposed" and old.text == claim.text


def check_editor(now: Now[PageState], output: EditorOutput) -> Sequence[Finding]:
    """Authority of editor-qa: verdicts on claims that exist, fixes that apply to the file under review."""
    if output.status in ("blocked", "escalate"):
        return _needs_blockers(output.blockers)
    own, known = now.own, registry_of(now.state, now.look)
    path = draft(own.slug, own.lang)
    ref = now.state.ref(path)
    text = now.look(ref, parse_text) if ref else ""
    _, misses = fixes.apply(text, output.fixes, path)
    return (*misses, *_verdicts(output.verdicts, known), *_repeated_fixes(output))


def _verdicts(verdicts: Sequence[Verdict], known: Registry) -> Iterator[Finding]:
    for verdict in verdicts:
        claim = known.claims.get(verdict.claim_id)
        if claim is None:
            repair = "judge claims of the registry"
            yield _wrong("verdict.claim", verdict.claim_id, f"there is no claim {verdict.claim_id}", repair)
        elif not claim.usable:
            problem = f"{verdict.claim_id} is {claim.status}"
            yield _wrong("verdict.claim", verdict.claim_id, problem, "judge claims that a draft may carry")
        elif verdict.verdict == "downgraded" and claim.text_cn and not verdict.text_cn:
            problem = f"{verdict.claim_id} has a Chinese text, its downgrade has none"
            yield _wrong("verdict.text-cn", verdict.claim_id, problem, "give the weaker text in both languages")
    for claim_id in _twice(verdict.claim_id for verdict in verdicts):
        yield _wrong("verdict.twice", claim_id, f"{claim_id} has two verdicts", "give one")


def _repeated_fixes(output: EditorOutput) -> Iterator[Finding]:
    for fix_id in _twice(fix.id for fix in output.fixes):
        yield _wrong("fix.id", fix_id, f"two fixes are called {fix_id}", "give each fix its own id")


def _needs_blockers(blockers: Sequence[str]) -> tuple[Finding, ...]:
    if any(blocker.strip() for blocker in blockers):
        return ()
    return (_wrong("output.blockers", "", "no blocker is named", "say in `blockers` what stands in the way"),)


def _wanting(documents: Mapping[str, str], wanted: Iterable[str]) -> Iterator[Finding]:
    for path in wanted:
        if not documents.get(path, "").strip():
            yield _wrong(
                "output.documents",
                path,
                f"the document {path} is missing or empty",
                "give its whole text in `documents`",
            )
            continue
        try:
            decode(documents[path].encode("utf-8", "surrogatepass"), path)
        except DocumentError as error:
            yield from error.findings


def _duplicates(claims: Sequence[ClaimIn]) -> Iterator[Finding]:
    for claim_id in _twice(claim.id for claim in claims):
        yield _wrong("claims.twice", claim_id, f"{claim_id} is given twice", "give each id once")


def _twice(ids: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [one for one in ids if one in seen or seen.add(one)]  # type: ignore[func-returns-value]


def _lowered(claim: ClaimIn) -> Iterator[Finding]:
    lowest = default_risk(claim.text, claim.text_cn)
    if claim.risk_level and claim.text and risk.rank(claim.risk_level) < risk.rank(lowest.level):
        rule = f"{lowest.level} ({lowest.category}: {lowest.matched!r})"
        problem = f"{claim.id}: risk {claim.risk_level} is below the rule's {rule}"
        yield _wrong("claims.risk", claim.id, problem, "only a person lowers a risk; leave it out to get the rule's")


def _unreadable(claim: ClaimIn) -> Iterator[Finding]:
    try:
        _evidence(claim)
    except DocumentError as error:
        yield from error.findings


def _wrong(rule: str, about: str, problem: str, repair: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair=repair, about=about)


# --- what an accepted output does to the registry ---------------------------------------------------------------------


def default_risk(*texts: str) -> risk.Risk:
    """The rule's risk for a claim: the highest over its languages."""
    rated = [risk.assess(text) for text in texts if text]
    return max(rated, key=lambda one: risk.rank(one.level)) if rated else risk.assess("")


def stored(claim: ClaimIn, known: Registry = NO_CLAIMS) -> tuple[Claim, tuple[Finding, ...]]:
    """An agent's claim as it enters the registry; a `verified` nobody earned is unverified, and said.

    A risk that a person lowered stays lowered while the claim says the same.
    """
    status = "unverified" if claim.status == "verified" else claim.status
    rule = default_risk(claim.text, claim.text_cn)
    kept = Claim(
        id=claim.id,
        status=status,
        text=claim.text,
        text_cn=claim.text_cn,
        risk_level=None if status == "reserved" else _lowered_by_hand(claim, known) or claim.risk_level or rule.level,
        category="" if status == "reserved" else claim.category or rule.category,
        evidence=_evidence(claim),
        evidence_suggested=claim.evidence_suggested,
        added_by=claim.added_by,
    )
    return kept, (_unearned(claim.id),) if claim.status == "verified" else ()


def _lowered_by_hand(claim: ClaimIn, known: Registry) -> reg.RiskLevel | None:
    old = known.claims.get(claim.id)
    if old is None or old.risk_level is None or old.text != claim.text:
        return None
    rule = default_risk(claim.text, claim.text_cn)
    return old.risk_level if risk.rank(old.risk_level) < risk.rank(rule.level) else None


def _unearned(claim_id: str) -> Finding:
    return Finding(
        rule="claims.unearned",
        problem=f"{claim_id} was called verified by an agent and is kept as unverified",
        repair="nothing to do: verification checks the evidence and asks editor-qa",
        about=claim_id,
        severity="warning",
    )


def _evidence(claim: ClaimIn) -> tuple[Locator, ...]:
    return locators.parse_all(claim.evidence, about=claim.id)


def judged(known: Registry, verdicts: Sequence[Verdict], sound: Mapping[str, bool]) -> tuple[Registry, frozenset[str]]:
    """The registry after editor-qa's verdicts, and the ids whose `verified` the evidence check bears out."""
    earned = frozenset(v.claim_id for v in verdicts if v.verdict == "verified" and sound.get(v.claim_id, False))
    return known.with_claims(*(_judge(known.claims[v.claim_id], v, v.claim_id in earned) for v in verdicts)), earned


def _judge(claim: Claim, verdict: Verdict, earned: bool) -> Claim:
    match verdict.verdict:
        case "removed":
            return replace(claim, status="removed")
        case "downgraded":
            rule = default_risk(verdict.text, verdict.text_cn)
            level, category = rule.level, rule.category
            return replace(
                claim,
                status="downgraded",
                text=verdict.text,
                text_cn=verdict.text_cn,
                risk_level=level,
                category=category,
            )
        case "verified" if earned:
            return replace(claim, status="verified")
        case "unverified" if claim.status == "verified":
            return replace(claim, status="unverified")
        case _:
            return claim


def binding(claim: Claim, docs: Mapping[str, str]) -> str:
    """What a verification of this claim rests on: its texts, its places, and the digests of the files behind them."""
    return agreement.binding(claim.texts, claim.evidence, {path: docs[path] for path in _behind(claim, docs)})


def _behind(claim: Claim, docs: Mapping[str, str]) -> list[str]:
    named = {locator.path for locator in claim.evidence if not isinstance(locator, Url)}
    saved = any(isinstance(locator, Url) for locator in claim.evidence)
    return sorted(path for path in docs if path in named or (saved and path.startswith(WEB)))


def settled(known: Registry, verified: Mapping[str, str], docs: Mapping[str, str]) -> tuple[Registry, dict[str, str]]:
    """The registry with only earned `verified`, and the bindings that still hold; what changed must be earned again."""
    holding = {
        claim_id: bound
        for claim_id, bound in verified.items()
        if (claim := known.claims.get(claim_id)) and claim.status == "verified" and binding(claim, docs) == bound
    }
    fallen = [c for c in known.claims.values() if c.status == "verified" and c.id not in holding]
    return known.with_claims(*(replace(claim, status="unverified") for claim in fallen)), holding


def registry_write(now: Now[PageState], own: PageState, after: Registry) -> tuple[PageState, tuple[Write, ...]]:
    """The registry file brought to this value, with only earned `verified` in it."""
    after, holding = settled(after, own.verified, now.state.docs)
    own = replace(own, verified=holding)
    ref = now.state.ref(reg.PATH)
    if ref is None:
        return own, (Write(path=reg.PATH, text=reg.render(after)),)
    text = reg.update(now.look(ref, parse_text), now.look(ref, reg.parse_doc), after)
    return own, (Write(path=reg.PATH, text=text),) if text != now.look(ref, parse_text) else ()
