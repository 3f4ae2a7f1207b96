"""`risk/report.md`: every risk and its treatment, the PoCs, the practices and their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from signoff.artifacts.escape import literal
from signoff.artifacts.markdown_blocks import table
from signoff.artifacts.markdown_parsing import squeeze
from signoff.workflows.orchestration.documents.risks import (
    Consultation,
    Findings,
    Poc,
    PocSpecs,
    Risk,
    is_grave,
    named,
    poc_for,
)

_RANK: Final = {"high": 0, "medium": 1, "low": 2}
_COLUMNS: Final = ("Risk", "Agent", "Category", "Likelihood", "Impact", "What may happen", "What is done")


def report(
    consultations: Sequence[Consultation],
    specs: PocSpecs,
    research: Sequence[Findings],
    practices: Mapping[str, Sequence[str]],
) -> str:
    """The whole report; the words of agents are escaped."""
    lines = [
        "# Risk report",
        *("", "## Risks", "", *_risks(named(consultations), specs)),
        *("", "## Proofs of concept", "", *_pocs(specs.pocs)),
        *("", "## Practices by agent", "", *_practices(practices, research)),
        *("", "## Sources", "", *_sources(research)),
    ]
    return "\n".join(lines) + "\n"


def _risks(risks: Mapping[str, tuple[str, Risk]], specs: PocSpecs) -> Iterator[str]:
    if not risks:
        yield "No doer sees a risk in its task."
        return
    grave = [name for name, (_, risk) in risks.items() if is_grave(risk)]
    yield f"{len(risks)} in all, {len(grave)} of them with a high impact and at least a medium likelihood."
    ranked = [(_RANK[risk.impact], _RANK[risk.likelihood], agent, name) for name, (agent, risk) in risks.items()]
    rows = []
    for *_, agent, name in sorted(ranked):
        risk = risks[name][1]
        facts = (name, agent, risk.category.replace("_", " "), risk.likelihood, risk.impact, risk.description)
        rows.append([literal(text) for text in (*facts, _answer(name, risk, specs))])
    yield from ("", table(_COLUMNS, rows))


def _answer(name: str, risk: Risk, specs: PocSpecs) -> str:
    if poc := poc_for(risk, specs.pocs):
        return f"tried by {poc.poc_id}"
    if name in specs.borne:
        return f"borne: {specs.borne[name]}"
    return "nothing yet" if is_grave(risk) else "known to its agent"


def _pocs(pocs: Sequence[Poc]) -> Iterator[str]:
    if not pocs:
        yield "None: nothing has to be tried before the work begins."
    for place, poc in enumerate(pocs):
        yield from ("",) * bool(place)
        yield from (f"### {poc.poc_id}", "", f"Assumption: {literal(poc.assumption)}", "")
        yield f"- Done by: {poc.agent}"
        yield f"- Waiting for it: {', '.join(poc.gates)}"
        for label, texts in (("Passes if", poc.passes), ("Fails if", poc.fails), ("Evidence", poc.evidence)):
            yield from (f"- {label}: {literal(text)}" for text in texts)


def _practices(practices: Mapping[str, Sequence[str]], research: Sequence[Findings]) -> Iterator[str]:
    known = {squeeze(one.practice): (found, one) for found in research for one in found.best_practices}
    given = {agent: texts for agent, texts in sorted(practices.items()) if texts}
    if not given:
        yield "None were given to anybody."
    for place, (agent, texts) in enumerate(given.items()):
        yield from ("",) * bool(place)
        yield from (f"### {literal(agent)}", "")
        for text in texts:
            found = known.get(squeeze(text))
            yield f"- {literal(text)}" + (f" ({_technology(found[0])}: {literal(found[1].why)})" if found else "")


def _sources(research: Sequence[Findings]) -> Iterator[str]:
    if not research:
        yield "None: nothing was researched."
    for one in research:
        cited = [*(each.source for each in one.best_practices), *(each.source for each in one.failure_patterns)]
        yield from (f"- {_technology(one)}: {literal(source)}" for source in dict.fromkeys(cited))


def _technology(one: Findings) -> str:
    return literal(f"{one.technology} {one.version}")
