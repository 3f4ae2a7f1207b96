"""How an article ends: released by code, put to a person, or begun again after an edit.

A release leaves in `output/` the text without markers, its sources, its pictures, and a report with the length, the mix
of materials, what became of the differentiators, and the quote behind every statistic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from signoff.core.commands import Ask, Finish, Write
from signoff.core.decide import RESUME
from signoff.core.declarations import Now
from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.evidence.figures import numbers
from signoff.workflows.article import places
from signoff.workflows.article.checks import text
from signoff.workflows.article.checks.text import Given
from signoff.workflows.article.documents import sibling_articles, values
from signoff.workflows.article.documents.materials import Item
from signoff.workflows.article.state import own_of
from signoff.workflows.kit.table_steps import on_answer

KINDS: Final = {
    "cases": "cases",
    "data": "data",
    "expert": "expert explanations",
    "userVoice": "user voices",
    "debates": "debates",
}
WIDE: Final = 20
"""The width of a bar of 100 %."""


@dataclass(frozen=True)
class Release:
    """A draft that passed its checks, with what the report says about it."""

    topic: str
    given: Given
    warnings: Sequence[Finding] = ()
    issues: Sequence[Mapping[str, object]] = ()
    fixed: int = 0
    revisions: int = 0
    backlinks: Sequence[tuple[str, str]] = ()
    pages: int = 0

    @property
    def used(self) -> list[Item]:
        """The materials that the text uses, in the order of their first use."""
        return [self.given.by_id[one] for one in dict.fromkeys(self.given.article.ids) if one in self.given.by_id]


def rendered(release: Release) -> dict[str, str]:
    """Every file of `output/`."""
    article, sources, images, told = places.released(release.topic)
    return {
        article: text.stripped(release.given.draft),
        sources: _sources(release),
        images: _images(release),
        told: "\n".join(report(release)) + "\n",
    }


def _sources(release: Release) -> str:
    lines = [f"# Sources of {release.given.article.title}", ""]
    for item in release.used:
        where = ", ".join(part.place for part in release.given.article.parts if item.id in part.ids)
        quoted = [f"> {line}".rstrip() for line in item.quote.splitlines()]
        lines += [f"## {item.id}", "", f"- where: {where}", f"- from: {item.url}", "", *quoted, ""]
    return "\n".join(lines).rstrip() + "\n"


def _images(release: Release) -> str:
    wanted = enumerate(text.images(release.given.draft), 1)
    rows = [f"{number}. {one.place}: {one.shows}" for number, one in wanted]
    return "\n".join([f"# Pictures for {release.given.article.title}", "", *(rows or ["None was asked for."])]) + "\n"


def report(release: Release) -> Iterator[str]:
    """The lines of the report."""
    given = release.given
    found = given.article.length(given.config.language)
    yield from (f"# Report on {given.article.title}", "")
    yield f"- length: {found} {given.unit} (budget {given.least} to {given.most})"
    yield f"- materials: {len(release.used)} of {len(given.items)} used, from {release.pages} pages"
    yield f"- revisions: {release.revisions}; fixes of proofreaders: {release.fixed}"
    yield from ("", "## Mix of materials", "", "```text", *mix_lines(given), "```", "")
    yield from ("## Differentiators", "", *coverage_lines(given), "")
    yield from ("## Statistics", "", *(list(_statistics(given)) or ["There are none."]), "")
    yield from ("## Left to you", "", *(list(_left(release)) or ["Nothing."]))


def mix_lines(given: Given) -> list[str]:
    """The target mix of materials and the actual one, as bars."""
    mix = given.config.research.materialMix
    if mix is None:
        return ["no mix was measured"]
    wide, lines = max(map(len, KINDS.values())), []
    for kind, name in KINDS.items():
        for label, share in (("target", getattr(mix.targetMix, kind)), ("actual", getattr(mix.actualMix, kind))):
            full = round(int(share.rstrip("%")) * WIDE / 100)
            lines.append(f"{name:<{wide}}  {label} {share:>4}  {'█' * full + '·' * (WIDE - full)}")
            name = ""  # only the first bar of a kind has its name
    return lines


def coverage_lines(given: Given) -> list[str]:
    """What became of the differentiators."""
    found, usage = given.config.research.materials, given.config.writing.materialUsage
    names = list(found.differentiators) if found else []
    if not names:
        return ["None was named."]
    why = {one.id: one.reason for one in usage.skipped} if usage else {}
    used = [name for name in names if name in given.article.ids]
    rows = [f"- {name}: " + ("used" if name in used else f"skipped ({why.get(name, 'no reason')})") for name in names]
    return [f"{len(used)} of {len(names)} used.", "", *rows]


def _statistics(given: Given) -> Iterator[str]:
    for part in given.article.parts:
        for sentence in part.sentences:
            data = [given.by_id[one] for one in sentence.markers if one in given.by_id]
            for found in numbers.with_units(sentence.text):
                item = next((one for one in data if not numbers.missing(found.text, one.quote)), None)
                behind = f"{item.id}, {item.url}: “{item.quote}”" if item else "the author's own"
                yield f"- {part.place}: {found.text} — {behind}"


def _left(release: Release) -> Iterator[str]:
    yield from (f"- {one.get('level')} in {one.get('section')}: {one.get('problem')}" for one in release.issues)
    yield from (f"- {one.problem}" for one in release.warnings)
    yield from (f"- {path} could link to this article, in {where!r}" for path, where in release.backlinks)


# --- the last steps ---------------------------------------------------------------------------------------------------

_NEEDS: Mapping[str, Callable[[Now], bool]] = {
    "config": lambda _now: True,
    "plan_1": lambda now: _has(now, places.config),
    "thesis": lambda now: _has(now, places.config) and values.config_of(now).research.innovationSpace is not None,
    "plan_2": lambda now: _has(now, places.config) and _settled(now),
    "synthesis": lambda now: _has(now, places.config) and _settled(now) and _has(now, places.sources),
    "outline": lambda now: _has(now, places.config) and not values.not_ready(now),
    "draft": lambda now: _has(now, places.config) and not values.not_ready(now) and _has(now, places.outline),
    "proofread": lambda now: _has(now, places.draft) and _has(now, places.outline),
}
"""The steps where an article can begin again, earliest first, and what each needs."""

AGAIN = tuple(_NEEDS)


def _has(now: Now, place: Callable[[str], str]) -> bool:
    return now.state.ref(place(own_of(now.state).topic)) is not None


def _settled(now: Now) -> bool:
    config = values.config_of(now)
    return config.research.innovationSpace is not None and not config.writingAngle.pending


def begins(now: Now, wanted: str) -> tuple[list[str], str]:
    """The steps where the article can begin again now, and the wanted one or the last before it."""
    offered = [step for step, needs in _NEEDS.items() if needs(now)]
    before = [step for step in offered if AGAIN.index(step) <= AGAIN.index(wanted)]
    return offered, before[-1]


def enter_release(now: Now) -> Move:
    """Writes the outputs in the same commit in which the draft passes its checks."""
    own = own_of(now.state)
    made = Release(
        topic=own.topic,
        given=values.given(now),
        warnings=[finding for found in own.results.values() for finding in found],
        issues=own.left,
        fixed=own.fixed,
        revisions=own.revisions,
        backlinks=sibling_articles.backlinks(now.state, now.look, own.topic),
        pages=len(own.pages),
    )
    writes = tuple(Write(path=path, text=text) for path, text in rendered(made).items())
    return Move(replace(own, blockers=(), required=(), stale="", revisions=0), writes, "released")


def enter_complete(now: Now) -> Move:
    return Move(own_of(now.state), (Finish(reason="complete"),))


def on_complete(now: Now) -> Move:
    """Begins again after an edit, because the person asks for it."""
    own = own_of(now.state)
    step = now.begins_at(begins(now, own.stale or "proofread")[1])
    own = replace(own, stale="", edited_since=(), revisions=0, required=(), warnings=(), returned={})
    return Move(own, (), f"again_{step}")


def enter_escalated(now: Now) -> Move:
    own = own_of(now.state)
    why = "; ".join(own.blockers) or "; ".join(one.problem for one in own.required) or own.escalation_reason
    question = f"{own.topic} needs a decision ({own.escalation_reason}): {why}"
    offered, default = begins(now, own.resume_to)
    notes = {"from": offered, "default": default}
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question, notes=notes)
    return Move(own, (ask, Finish(reason="escalated")))


@on_answer
def on_escalated(now: Now, event: Answered) -> Move:
    """Resumes the run with all of its revisions; new sources are searched first."""
    own = own_of(now.state).choosing(event)
    wanted = own.resume_to
    if any(path.startswith(places.SOURCES) for path in own.edited_since):
        wanted = min(wanted, "plan_2", key=AGAIN.index)
    step = now.begins_at(begins(now, wanted)[1])
    by_hand = places.draft(own.topic) in own.by_hand  # a person's own draft is checked before an agent works on it
    mends = step == "draft" and not by_hand  # an earlier step leads to a new draft, with nothing to fix
    own = replace(own, required=own.required if mends else (), revisions=0, blockers=(), returned={})
    return Move(replace(own, escalation_reason=None, edited_since=()), (), f"to_{step}")
