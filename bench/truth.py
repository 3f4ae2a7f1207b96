"""Sentences with planted faults: how many faults the evidence check notices, and how many true claims it doubts.

The cases are in `bench/truth/`, whose README says what they are. Nothing but `signoff.evidence` is asked:
`unsupported(claim, source)` about a claim and the text it rests on, `drift(a, b)` about two versions of a passage.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.figures import Figure, Part

CASES = Path(__file__).parent / "truth"
SETS = ("sections", "sentences", "battery", "pairs")

Case = dict[str, str]
Check = Callable[[str, str], Sequence[Any]]


@dataclass(slots=True)
class Tally:
    """The cases of one kind in one language; `true_claims` is 0 if the set has faults alone."""

    count: int = 0
    noticed: int = 0
    true_claims: int = 0
    doubted: int = 0

    def plain(self) -> dict[str, int]:
        return {
            "count": self.count,
            "noticed": self.noticed,
            "true_claims": self.true_claims,
            "doubted": self.doubted,
        }


@dataclass(slots=True)
class Result:
    """One set after its cases have been checked; `misses` are the cases that were judged wrongly."""

    name: str
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def total(self) -> Tally:
        sums = Tally()
        for tally in self.tallies.values():
            sums.count += tally.count
            sums.noticed += tally.noticed
            sums.true_claims += tally.true_claims
            sums.doubted += tally.doubted
        return sums

    def plain(self) -> dict[str, dict[str, int]]:
        return {f"{kind} {lang}": tally.plain() for (kind, lang), tally in sorted(self.tallies.items())}


def cases(name: str) -> Iterator[Case]:
    with (CASES / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def check(name: str) -> Result:
    """Checks every case of one set."""
    from signoff.evidence import drift, unsupported  # here, so that the cases can be read without it

    result = Result(name)
    findings: Check
    for case in cases(name):
        if name == "pairs":
            findings, given, good, bad = _second(drift), case["a"], case.get("b_good"), case["b_bad"]
        else:
            findings, given, good, bad = unsupported, case["source"], case.get("good"), case["bad"]
        _judge(result, case, findings, given, good, bad)
    return result


def _second(drift: Check) -> Check:
    """`drift` takes the original first, `unsupported` the claim."""
    return lambda changed, original: drift(original, changed)


def _judge(result: Result, case: Case, findings: Check, given: str, good: str | None, bad: str) -> None:
    tally = result.tallies.setdefault((case["kind"], case["lang"]), Tally())
    begun = time.perf_counter()
    found = findings(bad, given)
    doubts = findings(good, given) if good is not None else []
    result.seconds += time.perf_counter() - begun
    tally.count += 1
    tally.noticed += bool(found)
    tally.true_claims += good is not None
    tally.doubted += bool(doubts)
    if not found:
        result.misses.append(f"{case['id']}: fault not noticed: {bad!r}")
    if doubts:
        listed = "; ".join(str(finding) for finding in doubts)
        result.misses.append(f"{case['id']}: true claim doubted: {good!r}: {listed}")


def figures_by_group() -> dict[str, dict[str, int]]:
    """Counts of noticed faults and doubted claims for each set and kind, in one language and across two."""
    groups: dict[str, Tally] = {}
    for name in SETS:
        for (kind, lang), tally in check(name).tallies.items():
            group = groups.setdefault(f"{name} {kind} {_languages(lang)}", Tally())
            group.count += tally.count
            group.noticed += tally.noticed
            group.true_claims += tally.true_claims
            group.doubted += tally.doubted
    return {name: groups[name].plain() for name in sorted(groups)}


LANGUAGES = ("English", "Chinese", "across")


def table(figures: dict[str, dict[str, int]]) -> str:
    """The figures as Markdown: a row for each kind of fault, noticed and doubted for each group of languages."""
    sums: dict[str, dict[str, Tally]] = {}
    for name, each in figures.items():
        _, kind, languages = name.split(" ")
        for row in (kind, "all"):
            tally = sums.setdefault(row, {}).setdefault(languages, Tally())
            tally.count += each["count"]
            tally.noticed += each["noticed"]
            tally.true_claims += each["true_claims"]
            tally.doubted += each["doubted"]
    header = ["fault", *(f"{part}, {languages}" for languages in LANGUAGES for part in ("noticed", "doubted"))]
    lines = [header, ["---"] * len(header)]
    for kind in (*sorted(sums.keys() - {"all"}), "all"):
        cells = [sums[kind].get(languages, Tally()) for languages in LANGUAGES]
        lines.append([kind, *(cell for tally in cells for cell in _cells(tally))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(tally: Tally) -> tuple[str, str]:
    return (
        f"{tally.noticed} of {tally.count}" if tally.count else "–",
        f"{tally.doubted} of {tally.true_claims}" if tally.true_claims else "–",
    )


def _languages(lang: str) -> str:
    """English, Chinese, or across the two."""
    first, _, second = lang.partition("-")
    return "across" if second not in ("", first) else {"en": "English", "zh": "Chinese"}[first]


def write_baseline() -> None:
    """Makes the figures of today those that no change may fall behind."""
    text = json.dumps(figures_by_group(), ensure_ascii=False, indent=1)
    (CASES / "baseline.json").write_text(text + "\n", encoding="utf-8")


def measure(home: Path, quick: bool) -> Part:  # noqa: ARG001  every part is called in the same way
    results = [check(name) for name in SETS]
    return Part(
        [figure for result in results for figure in _figures(result)],
        {result.name: result.plain() for result in results},
        lines=[line for result in results for line in _lines(result)],
        misses=[miss for result in results for miss in result.misses],
    )


def _figures(result: Result) -> list[Figure]:
    total = result.total()
    per_case = result.seconds / max(1, total.count + total.true_claims)
    figures = [
        Figure("truth", f"{result.name}: faults noticed", total.noticed, "", total.noticed / total.count, "all faults"),
        Figure("truth", f"{result.name}: time per claim", per_case * 1e3, "ms", per_case / 3e-4, "0.3 ms"),
    ]
    if total.true_claims:
        accepted = total.true_claims - total.doubted
        of = "all true claims"
        figures.append(
            Figure("truth", f"{result.name}: true claims accepted", accepted, "", accepted / total.true_claims, of)
        )
    return figures


def _lines(result: Result) -> list[str]:
    total = result.total()
    rows = [*sorted(result.tallies.items()), (("all", ""), total)]
    per_case = result.seconds / max(1, total.count + total.true_claims)
    heading = f"{result.name}: {total.count} cases, {per_case * 1e3:.2f} ms a claim"
    return [heading, *(_line(kind, lang, tally) for (kind, lang), tally in rows), ""]


def _line(kind: str, lang: str, tally: Tally) -> str:
    noticed = f"faults noticed {tally.noticed:4d}/{tally.count:<4d} {_share(tally.noticed, tally.count)}"
    if not tally.true_claims:
        return f"  {kind:10s} {lang:5s}  {noticed}"
    doubted = (
        f"true claims doubted {tally.doubted:3d}/{tally.true_claims:<4d} {_share(tally.doubted, tally.true_claims)}"
    )
    return f"  {kind:10s} {lang:5s}  {noticed}   {doubted}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f} %"


if __name__ == "__main__":
    write_baseline()
