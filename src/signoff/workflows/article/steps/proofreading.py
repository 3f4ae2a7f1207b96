"""Proofreading: three lenses in parallel, then their fixes one by one, each only if it breaks no check."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.core.commands import StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.events import Checked, TurnReturned
from signoff.core.findings import Finding, failing
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.article import places
from signoff.workflows.article.checks import run, run_all
from signoff.workflows.article.documents import values
from signoff.workflows.article.outputs import LENSES, LEVELS, Issue, parse_proof
from signoff.workflows.article.state import ArticleState, own_of
from signoff.workflows.article.steps.turns import checks, on_checked, on_end, turn
from signoff.workflows.kit import fixes
from signoff.workflows.kit.table_steps import noted

_TASKS = {
    "facts": "Look for what the article says and its materials do not: numbers, names, causes.",
    "language": "Look for what nobody of this trade would write: filler, announcements, machine phrasing.",
    "structure": "Look for what a reader stumbles over: an argument that jumps, a section that does not do its part.",
}


def enter_proofread(now: Now) -> Move:
    own = own_of(now.state)
    wanted = [lens for lens in LENSES if lens not in own.returned]
    if not wanted:
        return _with_fixes(now, own)
    return Move(replace(own, results={}), tuple(_lens(now, own, lens) for lens in wanted))


def _lens(now: Now, own: ArticleState, lens: str) -> StartTurn:
    phrases = run("patterns", values.given(now))
    notes = {
        **values.notes(now),
        **values.thesis_notes(now),
        "lens": lens,
        "levels": list(LEVELS),
        "findings": [
            {"rule": one.rule, "problem": one.problem, "line": one.line, "section": one.about} for one in phrases
        ],
    }
    quoted = values.page_paths(own) if lens == "facts" else ()
    reads = (places.draft(own.topic), places.outline(own.topic), places.sources(own.topic), *quoted)
    return turn(now, "proofreader", "proof", _TASKS[lens], notes, reads, key=lens)


def on_proofread(now: Now) -> Move:
    return on_checked(now) if isinstance(now.event, Checked) else _read(now)


@on_end
def _read(now: Now, own: ArticleState) -> Move:
    assert now.turn is not None and isinstance(now.event, TurnReturned)  # noqa: PT018 - narrows: it has an output
    own = replace(own, returned={**own.returned, now.turn.start.key: now.event.output})
    return Move(own) if any(lens not in own.returned for lens in LENSES) else _with_fixes(now, own)


def _with_fixes(now: Now, own: ArticleState) -> Move:
    """Applies the fixes, the most serious first. Issues of level P0 that are left send the draft back."""
    issues = [issue for lens in LENSES for issue in now.look(own.returned[lens], parse_proof).issues]
    issues.sort(key=lambda issue: LEVELS.index(issue.level))
    text, done, missed = _applied(now, issues)
    left = [issue for number, issue in enumerate(issues) if number not in done]
    blocking = tuple(
        Finding(
            rule="proof.p0",
            problem=f"{issue.id} ({issue.section}): {issue.problem}",
            repair=f"fix it: {issue.reason}",
            about=issue.section,
        )
        for issue in left
        if issue.level == "P0"
    )
    own = replace(
        own.warned(*missed),
        returned={},
        fixed=own.fixed + len(done),
        left=tuple(issue.model_dump(exclude_defaults=True) for issue in left),
        required=blocking,
    )
    if not done:
        return Move(own, checks(now))
    config = values.with_patches(now, {}, values.measured(now, text))
    return Move(own, (Write(path=places.draft(own.topic), text=text), config, *checks(now)))


def _applied(now: Now, issues: Sequence[Issue]) -> tuple[str, set[int], list[Finding]]:
    """The text with the fixes, the numbers of the fixed issues, and why other fixes were left out."""
    path = places.draft(own_of(now.state).topic)
    text, done, missed = values.draft_of(now), set[int](), list[Finding]()
    known = run_all(values.given(now, text)) if any(issue.is_fix for issue in issues) else []
    for number, issue in enumerate(issues):
        if not issue.is_fix:
            continue
        after, misses = fixes.apply(text, [issue], path)
        if not misses and text.split() == after.split():
            problem = f"fix {issue.id} changes no word"
            misses = (noted("fix.same", problem, "name the words to write instead", issue.id),)
        found = [] if misses else run_all(values.given(now, after))
        red = {(one.rule, one.problem) for one in known}
        broken = [one for one in failing(found) if (one.rule, one.problem) not in red]
        if broken:
            problem = f"fix {issue.id} was left out, because then: {broken[0].problem}"
            misses = (noted("fix.breaks", problem, "fix it in another way", issue.id),)
        if misses:
            missed += [replace(one, severity="warning") for one in misses]
        else:
            text, known = after, found
            done.add(number)
    return text, done, missed
