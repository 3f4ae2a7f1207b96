"""Proofreading: three lenses side by side, then their fixes one after the other, each only if it breaks nothing."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.artifacts import fixes
from signoff.core.commands import StartTurn, Write
from signoff.core.events import Checked, TurnReturned
from signoff.core.findings import Finding, failing
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import document, places
from signoff.workflows.article.article import ArticleState, noted, own_of
from signoff.workflows.article.checking import broken_by, checks, found_in, gate_findings, noted_findings, patterns
from signoff.workflows.article.outputs import LENSES, Issue, parse_proof
from signoff.workflows.article.turns import blocked, is_end_of_turn, said, turn

LEVELS = ("P0", "P0.5", "P1", "P1.5", "P2", "P3")
_TASKS = {
    "facts": "Look for what the article says and its materials do not: numbers, names, causes.",
    "language": "Look for what nobody of this trade would write: filler, announcements, machine phrasing.",
    "structure": "Look for what a reader stumbles over: an argument that jumps, a section that does not do its part.",
}


def enter_proofread(now: Now) -> Move:
    own = own_of(now.state)
    wanted = [lens for lens in LENSES if lens not in own.returned]
    if not wanted:
        return _mended(now, own)
    return Move(replace(own, results={}), tuple(_lens(now, own, lens) for lens in wanted))


def _lens(now: Now, own: ArticleState, lens: str) -> StartTurn:
    notes = {
        **document.notes(now),
        **document.thesis_notes(now),
        "lens": lens,
        "levels": list(LEVELS),
        "findings": [
            {"rule": one.rule, "problem": one.problem, "line": one.line, "section": one.about} for one in patterns(now)
        ],
    }
    quoted = document.page_paths(own) if lens == "facts" else ()
    reads = (places.draft(own.topic), places.outline(own.topic), places.sources(own.topic), *quoted)
    return turn(now, "proofreader", "proof", _TASKS[lens], notes, reads, key=lens)


def on_proofread(now: Now) -> Move:
    own = own_of(now.state)
    if isinstance(now.event, Checked):
        return _judged(now, noted_findings(now, own))
    if not is_end_of_turn(now) or now.turn is None:
        return Move(own)
    if stop := blocked(now):
        return stop
    assert isinstance(now.event, TurnReturned)  # narrows the type: a turn without refusal has an output
    own = replace(said(now, own), returned={**own.returned, now.turn.start.key: now.event.output})
    if any(lens not in own.returned for lens in LENSES):
        return Move(own)
    return _mended(now, own)


def _mended(now: Now, own: ArticleState) -> Move:
    """Fixes in the order of their weight; one that does not apply, or that a check turns red for, is left out."""
    issues = [issue for lens in LENSES for issue in now.look(own.returned[lens], parse_proof).issues]
    issues.sort(key=lambda issue: LEVELS.index(issue.level))
    text, done, missed = _applied(now, issues)
    left = [issue for number, issue in enumerate(issues) if number not in done]
    own = own.warned(*missed)
    own = replace(
        own,
        returned={},
        fixed=own.fixed + len(done),
        left=tuple(issue.model_dump(exclude_defaults=True) for issue in left),
        required=tuple(_blocking(issue) for issue in left if issue.level == "P0"),
    )
    if not done:
        return Move(own, checks(now))
    config = document.with_patches(now, {}, document.measured(now, text))
    return Move(own, (Write(path=places.draft(own.topic), text=text), config, *checks(now)))


def _applied(now: Now, issues: Sequence[Issue]) -> tuple[str, set[int], list[Finding]]:
    """The text with the fixes, and which issues they mended, by number: two lenses may use one name."""
    path = places.draft(own_of(now.state).topic)
    text, done, missed = document.draft_of(now), set[int](), list[Finding]()
    known = found_in(now, text) if any(issue.is_fix for issue in issues) else []
    for number, issue in enumerate(issues):
        if not issue.is_fix:
            continue
        after, misses = fixes.apply(text, [issue], path)
        misses = misses or _same(issue, text, after)
        found = [] if misses else found_in(now, after)
        broken = broken_by(known, found)
        if misses or broken:
            missed += [replace(one, severity="warning") for one in (misses or _breaks(issue, broken))]
        else:
            text, known = after, found
            done.add(number)
    return text, done, missed


def _same(issue: Issue, before: str, after: str) -> tuple[Finding, ...]:
    """Who changes nothing has mended nothing."""
    if before.split() != after.split():
        return ()
    return (noted("fix.same", f"fix {issue.id} changes no word", "say what has to be written instead", issue.id),)


def _breaks(issue: Issue, broken: Sequence[Finding]) -> tuple[Finding, ...]:
    problem = f"fix {issue.id} was left out, because then: {broken[0].problem}"
    return (noted("fix.breaks", problem, "mend it in another way", issue.id),)


def _blocking(issue: Issue) -> Finding:
    return Finding(
        rule="proof.p0",
        problem=f"{issue.id} ({issue.section}): {issue.problem}",
        repair=f"mend it: {issue.reason}",
        about=issue.section,
    )


def _judged(now: Now, own: ArticleState) -> Move:
    if now.state.checks:
        return Move(own)
    required = (*own.required, *failing(gate_findings(own)))
    return Move(replace(own, required=required), (), "revise" if required else "done")
