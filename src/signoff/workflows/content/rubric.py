"""The mechanical editor: a rubric that no agent can override. Its rules are tried in order; the first one decides.

1. No critiques at all: approve. (A round of a run always has some; the rule is for the function.)
2. An open high issue: revise.
3. Every assigned critic gave a score afresh in this round and in the one before, and they score lower on average than
   before: approve. Further revisions make it worse, not better.
4. The average of the newest critiques reaches the minimum: approve.
5. Otherwise: revise.

A critic that could not say anything counts with what it said last, or not at all. A re-run of some critics, or a round
in which one failed, is never compared with a round of all of them: neither can bring an approval about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signoff.workflows.content.state import Critique, Decision, Issue

NO_CRITIQUES = "no critiques"
HIGH = "an open high issue"
OSCILLATION = "the same critics score lower than in the round before"
REACHED = "the average reaches the minimum"
BELOW = "the average is below the minimum"


def decide(
    counted: Sequence[Critique],
    issues: Sequence[Issue],
    now: Mapping[str, Critique],
    before: Mapping[str, Critique],
    critics: Sequence[str],
    minimum: float,
) -> Decision:
    """What becomes of a draft. `counted` are the newest critiques of all critics, `issues` what is open with them.

    `now` and `before` are those that were run afresh in this round and in the one before.
    """
    average = mean(counted)
    if not counted and not issues:
        return Decision(verdict="approve", reason=NO_CRITIQUES, average=None)
    if any(issue.severity == "high" for issue in issues):
        return Decision(verdict="revise", reason=HIGH, average=average, brief=brief(issues))
    if _lower(now, before, critics):
        return Decision(verdict="approve", reason=OSCILLATION, average=average)
    if average is not None and average >= minimum:
        return Decision(verdict="approve", reason=REACHED, average=average)
    return Decision(verdict="revise", reason=BELOW, average=average, brief=brief(issues))


def mean(critiques: Sequence[Critique]) -> float | None:
    """The average score of those who gave one."""
    scores = [one.score for one in critiques if one.score is not None]
    return sum(scores) / len(scores) if scores else None


def _lower(now: Mapping[str, Critique], before: Mapping[str, Critique], critics: Sequence[str]) -> bool:
    both = [one for one in critics if _scored(now.get(one)) and _scored(before.get(one))]
    current, earlier = mean([now[one] for one in both]), mean([before[one] for one in both])
    return len(both) == len(critics) and current is not None and earlier is not None and current < earlier


def _scored(critique: Critique | None) -> bool:
    return critique is not None and critique.score is not None


def brief(issues: Sequence[Issue]) -> str:
    """What the author is told: the high issues, then the medium ones, each with the name of its critic."""
    wanted = [issue for severity in ("high", "medium") for issue in issues if issue.severity == severity]
    said = [(one, " ".join(f"{one.description} {one.suggestion}".split())) for one in wanted]
    return "\n".join(f"- {one.id} [{one.severity}] {one.name}: {words}" for one, words in said)
