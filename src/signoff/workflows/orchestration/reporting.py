"""`risk/report.md`: every risk and what is done about it, the PoCs, the practices and where they are from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration.risks import Consultation, Findings, Poc, PocSpecs, Risk, is_grave, named, poc_for

_RANK: Final = {"high": 0, "medium": 1, "low": 2}
_COLUMNS: Final = ("Risk", "Agent", "Category", "Likelihood", "Impact", "What may happen", "What is done")
_SPECIAL: Final = re.compile(r"[\\`*\[\]<>&|~]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK: Final = re.compile(r"(?=[#=+-])|[0-9]{1,9}(?=[.)])")
_TURNS: Final = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # what shows text in another order


def report(
    consultations: Sequence[Consultation],
    specs: PocSpecs,
    research: Sequence[Findings],
    practices: Mapping[str, Sequence[str]],
) -> str:
    """The report whole; what agents said in it is text and never markup."""
    lines = [
        "# Risk report",
        *("", "## Risks", "", *_risks(named(consultations), specs)),
        *("", "## Proofs of concept", "", *_pocs(specs.pocs)),
        *("", "## Practices by agent", "", *_practices(practices, research)),
        *("", "## Sources", "", *_sources(research)),
    ]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Somebody's words as one line of Markdown that shows exactly them, in a cell as in an item."""
    flat = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text.translate(_TURNS))
    marked = _SPECIAL.sub(lambda found: f"\\{found[0]}", squeeze(flat))
    return _BLOCK.sub(lambda found: f"{found[0]}\\", marked, count=1) if _BLOCK.match(marked) else marked or "–"


# --- risks ------------------------------------------------------------------------------------------------------------


def _risks(risks: Mapping[str, tuple[str, Risk]], specs: PocSpecs) -> Iterator[str]:
    if not risks:
        yield "No doer sees a risk in its task."
        return
    grave = [name for name, (_, risk) in risks.items() if is_grave(risk)]
    yield f"{len(risks)} in all, {len(grave)} of them with a high impact and at least a medium likelihood."
    yield from ("", _row(_COLUMNS), _row(["---"] * len(_COLUMNS)))
    for name, (agent, risk) in sorted(risks.items(), key=_gravest):
        facts = (name, agent, risk.category.replace("_", " "), risk.likelihood, risk.impact, risk.description)
        yield _row([plain(text) for text in (*facts, _answer(name, risk, specs))])


def _gravest(one: tuple[str, tuple[str, Risk]]) -> tuple[int, int, str, str]:
    name, (agent, risk) = one
    return _RANK[risk.impact], _RANK[risk.likelihood], agent, name


def _answer(name: str, risk: Risk, specs: PocSpecs) -> str:
    poc = poc_for(risk, specs.pocs)
    if poc:
        return f"tried by {poc.poc_id}"
    if name in specs.borne:
        return f"borne: {specs.borne[name]}"
    return "nothing yet" if is_grave(risk) else "known to its agent"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


# --- PoCs, practices, sources -----------------------------------------------------------------------------------------


def _pocs(pocs: Sequence[Poc]) -> Iterator[str]:
    if not pocs:
        yield "None: nothing has to be tried before the work begins."
    for place, poc in enumerate(pocs):
        yield from ("",) * bool(place)
        yield from (f"### {poc.poc_id}", "", f"Assumption: {plain(poc.assumption)}", "")
        yield f"- Done by: {poc.agent}"
        yield f"- Waiting for it: {', '.join(poc.gates)}"
        for label, texts in (("Passes if", poc.passes), ("Fails if", poc.fails), ("Evidence", poc.evidence)):
            yield from (f"- {label}: {plain(text)}" for text in texts)


def _practices(practices: Mapping[str, Sequence[str]], research: Sequence[Findings]) -> Iterator[str]:
    known = {squeeze(one.practice): (found, one) for found in research for one in found.best_practices}
    given = {agent: texts for agent, texts in sorted(practices.items()) if texts}
    if not given:
        yield "None were given to anybody."
    for place, (agent, texts) in enumerate(given.items()):
        yield from ("",) * bool(place)
        yield from (f"### {plain(agent)}", "")
        for text in texts:
            found = known.get(squeeze(text))
            yield f"- {plain(text)}" + (f" ({_technology(found[0])}: {plain(found[1].why)})" if found else "")


def _sources(research: Sequence[Findings]) -> Iterator[str]:
    if not research:
        yield "None: nothing was researched."
    for one in research:
        named_there = [
            *(point.source for point in one.best_practices),
            *(point.source for point in one.failure_patterns),
        ]
        yield from (f"- {_technology(one)}: {plain(source)}" for source in dict.fromkeys(named_there))


def _technology(one: Findings) -> str:
    return plain(f"{one.technology} {one.version}")
