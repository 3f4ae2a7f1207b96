"""The gates of the solution page (SP-10): each a pure function on values, and here bound to documents by role.

Roles: `draft` for a single page; `en` and `cn` for parity; `registry`; `template` where the project has its own. For
claims and evidence every other role is a source file, under its path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from signoff import DocumentError, Finding, Gate, GateInput
from signoff.artifacts import markdown
from signoff.artifacts.markdown import Page
from signoff.artifacts.text_decoding import decode
from signoff.evidence.sources.files import Source, parse_source
from signoff.evidence.sources.located_claims import WEB
from signoff.evidence.sources.locators import Url
from signoff.workflows.solution_page.documents import page_template as templates
from signoff.workflows.solution_page.documents.claims_registry import Registry, parse_doc
from signoff.workflows.solution_page.documents.page_template import Lang, Template
from signoff.workflows.solution_page.gates.bindings import both_drafts, claim_texts
from signoff.workflows.solution_page.gates.claims import claims, in_use
from signoff.workflows.solution_page.gates.evidence import Shelf, evidence, evidence_addresses
from signoff.workflows.solution_page.gates.links import link_addresses, links
from signoff.workflows.solution_page.gates.markers import markers
from signoff.workflows.solution_page.gates.parity import parity
from signoff.workflows.solution_page.gates.structure import structure
from signoff.workflows.solution_page.gates.word_count import word_count

__all__ = [
    "GATES",
    "Shelf",
    "claims",
    "evidence",
    "links",
    "markers",
    "parity",
    "parse_page",
    "parse_stripped",
    "parse_template",
    "parse_text",
    "structure",
    "word_count",
]

ROLES = frozenset({"draft", "en", "cn", "registry", "template"})


# --- documents as values -----------------------------------------------------------------------------------------


def parse_page(data: bytes, path: str) -> Page:
    """A draft, parsed once for all gates."""
    return markdown.parse(decode(data, path))


def parse_text(data: bytes, path: str) -> str:
    """A draft as it is."""
    return decode(data, path)


def parse_stripped(data: bytes, path: str) -> str:
    """A draft as it will be released."""
    return markdown.strip_claims(decode(data, path))


def parse_template(data: bytes, path: str) -> Template:
    """A project's own template."""
    return templates.parse(decode(data, path), path)


def _page(given: GateInput, role: str = "draft") -> Page:
    return given.look(given.ref(role), parse_page)


def _template(given: GateInput) -> Template:
    if "template" in given.of:
        return given.look(given.ref("template"), parse_template)
    return templates.load_builtin(given.params["template"])


def _lang(given: GateInput) -> Lang:
    return "cn" if given.params["lang"] == "cn" else "en"


def _registry(given: GateInput) -> Registry:
    return given.look(given.ref("registry"), parse_doc)


def _is_http(given: GateInput) -> bool:
    return given.params.get("link_mode") == "http"


def _exists(given: GateInput) -> Callable[[str], bool]:
    """Whether a project path is a known file, or a folder of one."""
    files = frozenset(given.params.get("files", ()))
    return lambda path: path in files or any(file.startswith(f"{path}/") for file in files)


def _shelf(given: GateInput) -> Shelf:
    def open_(path: str) -> Source | None:
        ref = None if path in ROLES else given.of.get(path)
        return given.look(ref, parse_source) if ref else None

    probes = given.probes if _is_http(given) else {}
    return Shelf(open_, _snapshots(given, open_), probes)


def _snapshots(given: GateInput, open_: Callable[[str], Source | None]) -> dict[str, Source]:
    """The saved web pages, where any claim quotes one; one that cannot be read is none."""
    quoted = any(isinstance(locator, Url) for claim in _registry(given).claims.values() for locator in claim.evidence)
    found: dict[str, Source] = {}
    for path in [path for path in given.of if quoted and path.startswith(f"{WEB}/")]:
        try:
            source = open_(path)
        except DocumentError:
            continue
        if source:
            found[path] = source
    return found


# --- the gates ---------------------------------------------------------------------------------------------------


def _run_structure(given: GateInput) -> Sequence[Finding]:
    return structure(_page(given), _template(given), _lang(given), given.ref("draft").path)


def _run_word_count(given: GateInput) -> Sequence[Finding]:
    return word_count(_page(given), _template(given), _lang(given), given.ref("draft").path)


def _run_links(given: GateInput) -> Sequence[Finding]:
    probes = given.probes if _is_http(given) else None
    return links(_page(given), given.ref("draft").path, _exists(given), probes)


def _run_markers(given: GateInput) -> Sequence[Finding]:
    draft = given.ref("draft")
    return markers(given.look(draft, parse_stripped if given.params.get("strip") else parse_text), draft.path)


def _run_parity(given: GateInput) -> Sequence[Finding]:
    en, cn = given.ref("en"), given.ref("cn")
    return parity(_page(given, "en"), _page(given, "cn"), en.path, cn.path, _template(given))


def _run_claims(given: GateInput) -> Sequence[Finding]:
    return claims(
        _page(given),
        _registry(given),
        _shelf(given),
        _template(given),
        lang=_lang(given),
        file=given.ref("draft").path,
        registry_file=given.ref("registry").path,
    )


def _run_evidence(given: GateInput) -> Sequence[Finding]:
    return evidence(_registry(given), _shelf(given), given.ref("registry").path)


# --- what must be probed first -----------------------------------------------------------------------------------

Urls = Callable[[GateInput], Sequence[str]]


def _in_http_mode(urls: Urls) -> Urls:
    """Nothing in format mode. A document that cannot be read names no address: running the gate says why."""

    def asked(given: GateInput) -> Sequence[str]:
        try:
            return urls(given) if _is_http(given) else ()
        except DocumentError:
            return ()

    return asked


def _link_urls(given: GateInput) -> Sequence[str]:
    return link_addresses(_page(given))


def _claim_urls(given: GateInput) -> Sequence[str]:
    registry = _registry(given)
    return evidence_addresses(registry, _shelf(given).snapshots, in_use(_page(given), registry))


def _evidence_urls(given: GateInput) -> Sequence[str]:
    return evidence_addresses(_registry(given), _shelf(given).snapshots)


def _by_name(*gates: Gate) -> Mapping[str, Gate]:
    return {gate.name: gate for gate in gates}


GATES: dict[str, Gate] = dict(
    _by_name(
        Gate(
            name="structure",
            about="one H1, the template's sections in order, the number of features",
            run=_run_structure,
        ),
        Gate(name="word-count", about="the length of the value proposition and of the page", run=_run_word_count),
        Gate(
            name="links",
            about="addresses, anchors and files; in http mode also what the servers answer",
            run=_run_links,
            urls=_in_http_mode(_link_urls),
        ),
        Gate(name="markers", about="nothing unfinished and no claim comment in what is released", run=_run_markers),
        Gate(
            name="parity",
            about="the same sections, features, claims and numbers in both languages",
            run=_run_parity,
            binds=both_drafts,
        ),
        Gate(
            name="claims",
            about="every claim registered, settled and proved; nothing else promised",
            run=_run_claims,
            urls=_in_http_mode(_claim_urls),
            binds=claim_texts,
        ),
        Gate(
            name="evidence",
            about="the evidence behind every claim of the registry",
            run=_run_evidence,
            urls=_in_http_mode(_evidence_urls),
            binds=claim_texts,
        ),
    )
)
