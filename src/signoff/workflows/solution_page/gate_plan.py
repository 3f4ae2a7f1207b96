"""Which gates run on which documents, and what their findings mean for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff import Check, Finding, Now, failing
from signoff.workflows.solution_page.config import Config, config_of
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents import page_template as templates
from signoff.workflows.solution_page.documents.page_template import Template
from signoff.workflows.solution_page.gates import parse_template
from signoff.workflows.solution_page.state import SOURCES, TEMPLATES, PageState, draft

SINGLE = ("structure", "word-count", "links", "markers", "claims")
REPORTED = {
    "structure": "structure",
    "word-count": "word_count",
    "links": "links",
    "markers": "release_markers",
    "claims": "claims",
    "parity": "bilingual_parity",
}


def template_of(now: Now[PageState]) -> Template:
    """The template of this page: the project's own under that name, or the shipped one."""
    name = config_of(now.state, now.look).template_name
    own = now.state.ref(f"{TEMPLATES}{name}.yaml")
    return now.look(own, parse_template) if own else templates.load_builtin(name)


def checks_for(now: Now[PageState], *langs: str) -> tuple[Check, ...]:
    """All gates for these languages; parity when both are there; and the evidence behind every claim."""
    own, config = now.own, config_of(now.state, now.look)
    singles = tuple(_single(now, gate, lang, own, config) for lang in langs for gate in SINGLE)
    parity = (_parity(now, own, config),) if set(langs) == {"en", "cn"} else ()
    return (*singles, *parity, _evidence(now, own, config))


def _single(now: Now[PageState], gate: str, lang: str, own: PageState, config: Config) -> Check:
    reads = {"draft": draft(own.slug, lang), **_template(now, config)}
    if gate == "claims":
        reads |= {"registry": reg.PATH, **_sources(now)}
    return Check(key=f"{gate}-{lang}", gate=gate, reads=reads, params=_params(now, own, config, lang))


def _parity(now: Now[PageState], own: PageState, config: Config) -> Check:
    reads = {"en": draft(own.slug, "en"), "cn": draft(own.slug, "cn"), **_template(now, config)}
    return Check(key="parity", gate="parity", reads=reads, params=_params(now, own, config, "cn"))


def _evidence(now: Now[PageState], own: PageState, config: Config) -> Check:
    reads = {"registry": reg.PATH, **_sources(now)}
    return Check(key="evidence", gate="evidence", reads=reads, params=_params(now, own, config, "en"))


def _params(now: Now[PageState], own: PageState, config: Config, lang: str) -> Mapping[str, Any]:
    return {
        "lang": lang,
        "template": config.template_name,
        "strip": True,
        "link_mode": config.link_check_mode,
        "allow_private": config.allow_private_links,
        "files": sorted({*now.state.docs, draft(own.slug, "en"), draft(own.slug, "cn")}),
    }


def _template(now: Now[PageState], config: Config) -> dict[str, str]:
    own = f"{TEMPLATES}{config.template_name}.yaml"
    return {"template": own} if own in now.state.docs else {}


def _sources(now: Now[PageState]) -> dict[str, str]:
    return {path: path for path in sorted(now.state.docs) if path.startswith(SOURCES)}


# --- what came back ---------------------------------------------------------------------------------------------------


def gate_findings(own: PageState, lang: str) -> tuple[Finding, ...]:
    """What fails for a language. Parity counts for Chinese, which is written from the English."""
    keys = [f"{gate}-{lang}" for gate in SINGLE] + (["parity"] if lang == "cn" else [])
    return tuple(finding for key in keys for finding in failing(own.results.get(key, ())))


def sound_claims(own: PageState, ids: Mapping[str, object]) -> dict[str, bool]:
    """Which claims the evidence check has nothing against. A person's overrule is no evidence: it verifies nothing."""
    against = {finding.about for finding in own.results.get("evidence", ()) if finding.severity != "warning"}
    return {claim_id: claim_id not in against for claim_id in ids}


def reports(own: PageState, lang: str) -> dict[str, Any]:
    """The gates' results as editor-qa is given them."""
    given: dict[str, Any] = {}
    for gate, name in REPORTED.items():
        key = "parity" if gate == "parity" else f"{gate}-{lang}"
        if key not in own.results:
            given[name] = {"status": "n/a", "findings": []}
            continue
        found = own.results[key]
        given[name] = {"status": "fail" if failing(found) else "pass", "findings": [plain(one) for one in found]}
    return given


def evidence_report(own: PageState, ids: Mapping[str, object]) -> dict[str, list[dict[str, Any]]]:
    """What the evidence check says of each claim; nothing means that it is sound."""
    found = own.results.get("evidence", ())
    return {claim_id: [plain(one) for one in found if one.about == claim_id] for claim_id in ids}


def plain(finding: Finding) -> dict[str, Any]:
    """A finding as JSON data."""
    return {
        "rule": finding.rule,
        "problem": finding.problem,
        "repair": finding.repair,
        "file": finding.file,
        "line": finding.line,
        "about": finding.about,
        "severity": finding.severity,
    }
