"""The evidence behind claims (SP-9), for the claims gate and, over the whole registry, as a check of its own.

Web pages are read from their dated snapshots. In http mode a URL without a snapshot is read from what the shell was
answered with, as if it were the snapshot of the day that the locator names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from signoff import Finding, Probe, replace
from signoff.evidence.sources.files import Kind, Source
from signoff.evidence.sources.located_claims import Open, check, snapshot_for
from signoff.evidence.sources.locators import Url
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry

_HTML = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml|!--)|</(?:p|div|body|span|h[1-6])\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where evidence is found: project files by path, saved web pages by path, answers of the network by address."""

    open_: Open
    snapshots: Mapping[str, Source] = field(default_factory=dict)
    probes: Mapping[str, Probe] = field(default_factory=dict)

    def source(self, path: str) -> Source | None:
        return self.open_(posixpath.normpath(path))


def evidence(
    registry: Registry, shelf: Shelf, registry_file: str, *, only: Collection[str] | None = None
) -> list[Finding]:
    """What does not hold, for every claim that may be used, or `only` for these; `about` is the claim."""
    wanted = [claim for claim in registry.claims.values() if claim.usable and (only is None or claim.id in only)]
    pages = {**shelf.snapshots, **_answers(wanted, shelf)}
    return [finding for claim in wanted for finding in _checked(claim, registry, shelf, pages, registry_file)]


def evidence_addresses(
    registry: Registry, snapshots: Mapping[str, Source], only: Collection[str] | None = None
) -> list[str]:
    """The web addresses that evidence rests on and no snapshot has."""
    wanted = [claim for claim in registry.claims.values() if claim.usable and (only is None or claim.id in only)]
    return list(dict.fromkeys(locator.url for locator in _unsaved(wanted, snapshots)))


def _unsaved(claims: Collection[Claim], snapshots: Mapping[str, Source]) -> Iterator[Url]:
    for locator in (locator for claim in claims for locator in claim.evidence if isinstance(locator, Url)):
        if snapshot_for(locator.url, locator.accessed_date, snapshots) is None:
            yield locator


def _answers(claims: Collection[Claim], shelf: Shelf) -> dict[str, Source]:
    """What was fetched, in the form of snapshots."""
    found: dict[str, Source] = {}
    for locator in _unsaved(claims, shelf.snapshots) if shelf.probes else ():
        probe = shelf.probes.get(locator.url)
        if probe and probe.status == 200:
            meta = {"url": locator.url, "accessed_date": locator.accessed_date}
            kind: Kind = "html" if _HTML.search(probe.text) else "text"
            found[f"{locator.url} {locator.accessed_date}"] = Source(locator.url, kind, probe.text, meta)
    return found


def _checked(
    claim: Claim, registry: Registry, shelf: Shelf, pages: Mapping[str, Source], registry_file: str
) -> Iterator[Finding]:
    line = registry.lines.get(claim.id)
    result = check(claim.id, claim.texts, claim.evidence, shelf.source, registry_file, line, snapshots=pages)
    for finding in result.findings:
        answered = _answered(claim, shelf) if finding.rule == "evidence.snapshot" else ""
        yield replace(finding, problem=finding.problem + answered) if answered else finding


def _answered(claim: Claim, shelf: Shelf) -> str:
    """What the network said instead of 200, for a page that could not be had."""
    probes = (shelf.probes.get(locator.url) for locator in claim.evidence if isinstance(locator, Url))
    told = [
        f"{probe.url}: {probe.problem or f'the server answers {probe.status}'}"
        for probe in probes
        if probe and probe.status != 200
    ]
    return f"; {'; '.join(told)}" if told else ""
