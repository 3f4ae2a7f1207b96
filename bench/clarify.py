"""A clarifications file of many questions: read, judged, filled from its recommendations, answered throughout, written.

Every file is a new one, so that nothing remembered about an answer helps. The time is that of the processor. The floor
is to find all lines of the same text, which is the least that any reader of it does. What is done to one question
should cost the same however many there are: the last lines show it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from bench.figures import Figure, Part, timed
from signoff.workflows.clarify.autofill import autofill
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.documents.clarifications import Clarifications, parse, with_answers

SIZES = (1_250, 2_500, 5_000, 10_000)
SIZE = 5_000
OF = "finding all lines"
ANSWERS = (
    "A",
    "B (from the second year on)",
    "",
    "The fee of contract {n} is spread over its months.",
    "合同{n}的费用按月分摊到整个服务期。",
    "not sure yet, TBD",
    "First line of {n}.\n\n- one point\n- another point\n\n```sql\nselect fee from deals where id = {n}\n```",
    "",
)
QUESTION = """\
### Q{n}: Fee of contract type {n}{must}
How is the fee of contract type {n} counted in round {number}, and from which day on?

A. The monthly fee, from the day of signature
B. The total of contract {n}, spread over its months
C. Other (please specify)

_Consolidated from: Metrics Q{n}, Segmentation Q{n}_

**Recommendation:** B — Contract {n} runs for several years.

**Answer:** {answer}

"""
REFINEMENT = """\
#### Refinements

##### R{n}.1: First month of contract type {n}
A month that has begun may count in full or in part.

A. In full
B. In part
C. Other (please specify)

**Recommendation:** A — This is how invoices are written.

**Answer:**

"""


def a_file(size: int, number: int) -> str:
    """Questions in sections of fifty, one in five of them refined; `number` makes the file another one."""
    parts = [f"---\nquestion_count: {size}\nrefinement_count: {size // 5}\n---\n# Research Clarifications\n\n"]
    for n in range(1, size + 1):
        if n % 50 == 1:
            parts.append(f"## Section {n // 50 + 1}\n\n")
        answer = ANSWERS[n % len(ANSWERS)].format(n=n * 1_000 + number)
        must = " [MUST ANSWER]" if n % 7 == 0 else ""
        parts.append(QUESTION.format(n=n, must=must, number=number, answer=answer))
        if n % 5 == 0:
            parts.append(REFINEMENT.format(n=n))
    return "".join(parts)


def all_of_it(text: str) -> str:
    """Read, judged, and written anew with every open answer filled from its recommendation."""
    doc = parse(text)
    evaluate(doc)
    return autofill(doc).text


def all_answered(doc: Clarifications) -> str:
    return with_answers(doc, {item.key: f"B — {item.title}" for item in doc.items})


STEPS: dict[str, Callable[[Clarifications], object]] = {
    "evaluated": evaluate,
    "filled from recommendations, written": autofill,
    "all answered in one go, written": all_answered,
}


def measure(home: Path, quick: bool) -> Part:  # noqa: ARG001 - no file is written
    times = 1 if quick else 5
    text = a_file(SIZE, 0)
    _must_be_good(text)
    floor = _floor(text)
    figures = [Figure("clarify", f"{OF}, {SIZE:,} questions", floor * 1e3, "ms", 1.0, "the same")]
    figures += _steps(times, floor)
    figures += _growth(SIZES[:2] if quick else SIZES, times)
    return Part(figures, {"size": f"{len(text) / 1e6:.1f} million characters, {text.count(chr(10)):,} lines"})


def _must_be_good(text: str) -> None:
    doc = parse(text)
    if doc.problems or len(doc.questions) != SIZE or len(doc.refinements) != SIZE // 5:
        raise RuntimeError(f"the file to measure is not a good one: {[*doc.problems, len(doc.items)][0]}")


def _floor(text: str) -> float:
    return median(timed(lambda: re.findall(r"[^\n]*\n", text), 9, time.process_time))


def _steps(times: int, floor: float) -> list[Figure]:
    texts = [a_file(SIZE, 1 + number) for number in range(times)]
    docs = [parse(text) for text in texts]
    taken = {"read": _median(parse, texts), **{name: _median(step, docs) for name, step in STEPS.items()}}
    whole = _median(all_of_it, [a_file(SIZE, 100 + number) for number in range(times)])
    figures = [_figure(f"{SIZE:,} questions {name}", value, floor) for name, value in taken.items()]
    return [*figures, _figure(f"{SIZE:,} questions read, evaluated, filled and written", whole, floor, "under 1 s")]


def _median(step: Callable[..., object], given: list[str] | list[Clarifications]) -> float:
    return median(timed(lambda: step(one), 1, time.process_time)[0] for one in given)  # noqa: B023


def _figure(name: str, value: float, floor: float, aim: str = "") -> Figure:
    return Figure("clarify", name, value * 1e3, "ms", value / floor, OF, aim)


def _growth(sizes: Sequence[int], times: int) -> list[Figure]:
    shares = {size: _median(all_of_it, [a_file(size, 200 + n) for n in range(times)]) / size for size in sizes}
    least = shares[sizes[0]]
    return [
        Figure(
            "clarify",
            f"the same, per question of {size:,}",
            share * 1e6,
            "µs",
            share / least,
            f"of {sizes[0]:,}",
            "flat",
        )
        for size, share in shares.items()
    ]
