"""A page small enough to enumerate: a tiny template, a one-line source, and every document an adversary may write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signoff.core.commands import Ask, StartTurn
from signoff.core.declarations import Probe
from signoff.core.state import State
from signoff.testing.explorer import AT
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.state import CONTENT_BRIEF, MESSAGE_HOUSE, draft

SLUG = "acme-box"
EN, CN = draft(SLUG, "en"), draft(SLUG, "cn")
SPEC = "0-sources/spec.md"

TEMPLATE = """\
schema: signoff/page-template@1
name: tiny
page_type: hardware
value_proposition: value
features: {section: features, level: 4, min: 1, max: 1}
limits:
  value_proposition: {en: [3, 12], cn: [4, 20]}
  page: {en: [5, 40], cn: [8, 60]}
sections:
  - {id: value, level: 2, mandatory: true, kind: value, en: Value, cn: 价值}
  - {id: features, level: 2, mandatory: true, kind: features, en: Technical Features, cn: 技术特性}
"""


def config(
    *,
    strategy: bool = False,
    final: bool = False,
    en: int = 1,
    cn: int = 1,
    turns: int = 100_000,
    links: str = "format",
) -> str:
    gates = {"strategy_approval": strategy, "final_approval": final}
    limits = {"en": en, "cn": cn}
    rest = {"template": "tiny", "budget": {"turns": turns}, "link_check_mode": links}
    return json.dumps({"human_gates": gates, "iteration_limits": limits, **rest})


def documents(config_text: str) -> dict[str, str]:
    return {
        "_workflow/config.yaml": config_text,
        ".promptpack/templates/tiny.yaml": TEMPLATE,
        SPEC: "# Spec\n\nBattery life: 6 hours.\n",
    }


def mark(claim: str) -> str:
    return f"<!-- claim_id: {claim} -->"


C1, C2, RESERVED = "C-AB-001", "C-AB-002", "C-AB-010"
HOURS = {"en": "It runs 6 hours.", "cn": "续航6小时。"}
BEST = {"en": "It is the best box.", "cn": "它是最佳的盒子。"}
EASY = {"en": "It is easy to use.", "cn": "它易于使用。"}
HEAD = {"en": ("Acme Box", "Value", "A box for your quiet desk.", "Technical Features", "Power"),
        "cn": ("盒子", "价值", "为安静的办公桌准备。", "技术特性", "供电")}  # fmt: skip


def page(lang: str, *extra: str, hours: str | None = None) -> str:
    title, value, text, features, feature = HEAD[lang]
    body = " ".join((f"{hours or HOURS[lang]} {mark(C1)}", *extra))
    return f"# {title}\n\n## {value}\n\n{text}\n\n## {features}\n\n#### {feature}\n\n{body}\n"


def pages(lang: str) -> dict[str, str]:
    """The drafts that exist in this small world."""
    return {
        "good": page(lang),
        "superlative": page(lang, f"{BEST[lang]} {mark(C2)}"),
        "proposal": page(lang, f"{EASY[lang]} {mark(RESERVED)}"),
        "two titles": page(lang) + "\n# Again\n",
        "other number": page(lang, hours={"en": "It runs 9 hours.", "cn": "续航9小时。"}[lang]),
        "marker": page(lang, "[TODO]"),
    }


def linked(lang: str) -> str:
    """A draft whose link has to be asked for."""
    return page(lang, "[x](https://example.org/x)")


# --- what agents may say ----------------------------------------------------------------------------------------------


def strategist(**changes: Any) -> str:
    claims: list[dict[str, Any]] = [
        {"id": C1, "text": "6-hour battery life", "text_cn": "续航6小时", "evidence": [f"{SPEC}#L3"]},
        {"id": C2, "text": "the best box", "text_cn": "最佳的盒子"},
        *({"id": f"C-AB-{n:03d}", "status": "reserved"} for n in range(10, 20)),
    ]
    base = {
        "agent": "strategist",
        "timestamp": AT,
        "status": "complete",
        "documents": {MESSAGE_HOUSE: "# House\n", CONTENT_BRIEF: "# Brief\n"},
        "claims": claims,
    }
    return json.dumps({**base, **changes})


def strategist_outputs() -> Iterable[tuple[str, str]]:
    good = json.loads(strategist())
    claims = good["claims"]
    yield "good", strategist()
    yield "forged verified", strategist(claims=[{**claims[0], "status": "verified"}, *claims[1:]])
    yield "lowered risk", strategist(claims=[{**claims[0], "risk_level": "low"}, *claims[1:]])
    yield "pool of nine", strategist(claims=claims[:-1])
    yield "no claims", strategist(claims=claims[2:])
    yield "claim twice", strategist(claims=[*claims, claims[0]])
    yield "foreign code", strategist(claims=[{**claims[0], "id": "C-ZZ-001"}, *claims[1:]])
    yield "proposed", strategist(claims=[{**claims[0], "status": "proposed"}, *claims[1:]])
    yield "no text", strategist(claims=[{**claims[0], "text": ""}, *claims[1:]])
    yield "bad evidence", strategist(claims=[{**claims[0], "evidence": "marketing says so"}, *claims[1:]])
    yield "missing document", strategist(documents={MESSAGE_HOUSE: "# House\n"})
    yield "state written", strategist(documents={**good["documents"], "_workflow/state.yaml": "phase: complete\n"})
    yield "malformed", "status: [complete"
    yield "blocked", strategist(status="blocked", blockers=["no sources"])
    yield "escalate", strategist(status="escalate", blockers=["a legal question"])
    yield "blocked silently", strategist(status="blocked")


def copywriter(lang: str, text: str, **changes: Any) -> str:
    path = draft(SLUG, lang)
    base = {
        "agent": "copywriter",
        "timestamp": AT,
        "status": "complete",
        "language": lang,
        "file": path,
        "documents": {path: text},
    }
    return json.dumps({**base, **changes})


def proposal(**changes: Any) -> dict[str, Any]:
    return {
        "id": RESERVED,
        "status": "proposed",
        "text": "easy to use",
        "text_cn": "易于使用",
        "added_by": "copywriter",
    } | changes


def copywriter_outputs(lang: str) -> Iterable[tuple[str, str]]:
    drafts = pages(lang)
    for name in ("good", "superlative", "two titles", "other number", "marker"):
        yield name, copywriter(lang, drafts[name])
    yield "proposal", copywriter(lang, drafts["proposal"], claims=[proposal()])
    yield from copywriter_refused(lang)


def copywriter_refused(lang: str) -> Iterable[tuple[str, str]]:
    good = pages(lang)["good"]
    other = "cn" if lang == "en" else "en"
    yield "verified by itself", copywriter(lang, good, claims=[proposal(status="verified")])
    yield "unreserved id", copywriter(lang, good, claims=[proposal(id=C1)])
    yield "anonymous", copywriter(lang, good, claims=[proposal(added_by="me")])
    yield "risky as low", copywriter(lang, good, claims=[proposal(text="the best", risk_level="low")])
    yield "other language", copywriter(lang, good, language=other)
    yield "no draft", copywriter(lang, good, documents={})
    yield "registry written", copywriter(lang, good, documents={draft(SLUG, lang): good, reg.PATH: "claims: {}\n"})
    yield "needs_revision", copywriter(lang, good, status="needs_revision")
    yield "malformed", "- not\n- a mapping\n"
    yield "blocked", copywriter(lang, good, status="blocked", blockers=["the brief contradicts itself"])


def editor(status: str, **changes: Any) -> str:
    decision = {"complete": "PASS", "needs_revision": "BLOCKED"}.get(status)
    base = {"agent": "editor-qa", "timestamp": AT, "status": status, "decision": decision, "verdicts": []}
    return json.dumps({**base, **changes})


def verdict(claim: str, what: str, **changes: Any) -> dict[str, Any]:
    return {"claim_id": claim, "verdict": what, "reason": "judged"} | changes


def fix(before: str, after: str, severity: str = "S1", **changes: Any) -> dict[str, Any]:
    return {
        "id": "F-1",
        "severity": severity,
        "type": "style",
        "before": before,
        "after": after,
        "reason": "better",
    } | changes


ALL_GREEN = {name: {"status": "pass"} for name in ("structure", "word_count", "links", "release_markers", "claims")}


def editor_outputs(lang: str) -> Iterable[tuple[str, str]]:
    yes = [verdict(C1, "verified")]
    text = HOURS[lang]
    yield "pass, verified", editor("complete", verdicts=yes)
    yield "pass, nothing judged, all gates said green", editor("complete", gates=ALL_GREEN)
    yield "pass, superlative called verified", editor("complete", verdicts=[*yes, verdict(C2, "verified")])
    yield "pass with S0 open", editor("complete", verdicts=yes, fixes=[fix(text, text + text, "S0")])
    yield "pass with S2 open", editor("complete", verdicts=yes, fixes=[fix(text, text + text, "S2")])
    yield "pass, superlative removed", editor("complete", verdicts=[*yes, verdict(C2, "removed")])
    weaker = verdict(C2, "downgraded", text="designed for desks", text_cn="专为办公桌设计")
    yield "revise, superlative downgraded", editor("needs_revision", verdicts=[*yes, weaker])
    yield "revise, nothing said", editor("needs_revision")
    yield "revise, fix", editor("needs_revision", verdicts=yes, fixes=[fix(text, f"{text}{text}")])
    yield (
        "revise, blocker",
        editor("needs_revision", verdicts=yes, blockers=["rewrite"], fixes=[fix(text, f"{text}{text}")]),
    )
    yield "revise, proposal resolved", editor("needs_revision", verdicts=[*yes, verdict(RESERVED, "removed")])
    yield "unverified again", editor("needs_revision", verdicts=[verdict(C1, "unverified")])
    yield from editor_refused()


def editor_refused() -> Iterable[tuple[str, str]]:
    yield "fix that misses", editor("needs_revision", fixes=[fix("nowhere", "x")])
    yield "fix that repeats", editor("needs_revision", fixes=[fix("#", "x")])
    yield "fixes of one name", editor("needs_revision", fixes=[fix("#### ", "#### x"), fix("#### x", "#### ")])
    yield "two verdicts", editor("complete", verdicts=[verdict(C1, "verified"), verdict(C1, "removed")])
    yield "unknown claim", editor("complete", verdicts=[verdict("C-AB-999", "verified")])
    yield "reserved claim", editor("complete", verdicts=[verdict("C-AB-019", "verified")])
    yield "downgrade in one language", editor("complete", verdicts=[verdict(C1, "downgraded", text="long battery")])
    yield "PASS and needs_revision", editor("needs_revision", decision="PASS")
    yield "malformed", "{"
    yield "blocked", editor("blocked", blockers=["no evidence to be had"])


def outputs(_state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
    lang = "cn" if start.key.endswith("_cn") else "en"
    match start.agent:
        case "strategist":
            return strategist_outputs()
        case "copywriter":
            return copywriter_outputs(lang)
        case _:
            return editor_outputs(lang)


def linked_outputs(_state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
    """One honest output for each turn, with a link in every draft."""
    lang = "cn" if start.key.endswith("_cn") else "en"
    match start.agent:
        case "strategist":
            yield "good", strategist()
        case "copywriter":
            yield "with a link", copywriter(lang, linked(lang))
        case _:
            yield "pass, verified", editor("complete", verdicts=[verdict(C1, "verified")])


def network(urls: Sequence[str]) -> Iterable[tuple[str, Mapping[str, Probe]]]:
    """The network answers, or it does not."""
    yield "all there", {url: Probe(url=url, status=200) for url in urls}
    yield "gone", {url: Probe(url=url, status=404) for url in urls}


def answers(_state: State, ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    yield "something else", "launch", {}
    if "approve" in ask.options:
        yield "approve", "approve", {}
        yield "approve, changes accepted", "approve", {"accept_changes": True}
        yield "reject", "reject", {"reason": "not yet"}
        if ask.key == "final":
            yield "reject cn", "reject", {"reason": "not yet", "lang": "cn"}
    else:
        yield "resume", "resume", {}


def choosing(state: State, ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    """A person who says where to begin again, offered or not."""
    yield from answers(state, ask)
    steps = ask.notes.get("from", ())
    yield from ((f"resume from {step}", "resume", {"from": step}) for step in (*steps, "nowhere"))


def more_money(state: State) -> Iterable[tuple[str, Mapping[str, str | None]]]:
    """A person raises the budget once it has stopped the run."""
    if state.stop == "budget":
        yield "budget raised", {"_workflow/config.yaml": config()}


def one_edit(state: State) -> Iterable[tuple[str, Mapping[str, str | None]]]:
    """A falsified release and a mended draft, after the end."""
    if state.stop == "complete":
        yield "release falsified", {"4-release/acme-box/content-en.md": "# Acme Box\n\nIt runs 9 hours.\n"}
        yield "English in other words", {EN: pages("en")["good"].replace("quiet", "tidy")}


def draft_edits(state: State) -> Iterable[tuple[str, Mapping[str, str | None]]]:
    """Edits of drafts alone."""
    return [(label, edit) for label, edit in edits(state) if SPEC not in edit]


def nobody(_state: State, _ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    """Nobody answers: what agents can do alone."""
    return ()


def edits(state: State) -> Iterable[tuple[str, Mapping[str, str | None]]]:
    """What a person may do to files at any time."""
    if EN in state.docs:
        yield "English made bad", {EN: pages("en")["two titles"]}
        yield "English mended", {EN: pages("en")["good"]}
    if CN in state.docs:
        yield "Chinese made bad", {CN: pages("cn")["other number"]}
        yield "Chinese mended", {CN: pages("cn")["good"]}
    yield "source without the number", {SPEC: "# Spec\n\nBattery life: see below.\n"}
    yield "source as it was", {SPEC: "# Spec\n\nBattery life: 6 hours.\n"}
