"""What a finished article leaves in `output/`: the text without markers, its sources, its pictures, and a report.

The report measures: the budget, the mix of materials that was aimed at and the one that was found, what became of the
differentiators, and the quote behind every statistic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from signoff.artifacts import numbers
from signoff.core.findings import Finding
from signoff.workflows.article import places
from signoff.workflows.article.checks import text
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.materials import Item

KINDS: Final = {
    "cases": "cases",
    "data": "data",
    "expert": "expert explanations",
    "userVoice": "user voices",
    "debates": "debates",
}
WIDE: Final = 20
"""How many blocks a bar of 100 % has."""


@dataclass(frozen=True)
class Release:
    """A draft that passed, with what there is to tell about it."""

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
        """The materials that the text rests on, in the order in which it uses them."""
        return [self.given.by_id[one] for one in dict.fromkeys(self.given.article.ids) if one in self.given.by_id]


def rendered(release: Release) -> dict[str, str]:
    """Every file of `output/`."""
    return {
        places.output(release.topic): text.stripped(release.given.draft),
        places.output_sources(release.topic): _sources(release),
        places.output_images(release.topic): _images(release),
        places.report(release.topic): "\n".join(report(release)) + "\n",
    }


def _sources(release: Release) -> str:
    lines = [f"# Sources of {release.given.article.title}", ""]
    for item in release.used:
        where = ", ".join(part.place for part in release.given.article.parts if item.id in part.ids)
        lines += [f"## {item.id}", "", f"- where: {where}", f"- from: {item.url}", "", *_quoted(item.quote), ""]
    return "\n".join(lines).rstrip() + "\n"


def _quoted(quote: str) -> list[str]:
    return [f"> {line}".rstrip() for line in quote.splitlines()]


def _images(release: Release) -> str:
    wanted = list(text.images(release.given.draft))
    rows = [f"{number}. {one.place}: {one.shows}" for number, one in enumerate(wanted, 1)]
    return "\n".join([f"# Pictures for {release.given.article.title}", "", *(rows or ["None was asked for."])]) + "\n"


# --- the report -------------------------------------------------------------------------------------------------------


def report(release: Release) -> Iterator[str]:
    """What the checks measured, for people."""
    given = release.given
    found = given.article.length(given.config.language)
    yield from (f"# Report on {given.article.title}", "")
    yield f"- length: {found} {given.unit} (budget {given.least} to {given.most})"
    yield f"- materials: {len(release.used)} of {len(given.items)} used, from {release.pages} pages"
    yield f"- revisions: {release.revisions}; fixes of proofreaders: {release.fixed}"
    yield from ("", "## Mix of materials", "", "```text", *mix_lines(given), "```", "")
    yield from ("## Differentiators", "", *coverage_lines(given), "")
    yield from ("## Statistics", "", *_statistics(given), "")
    yield from ("## Left to you", "", *_left(release))


def mix_lines(given: Given) -> list[str]:
    """The mix that was aimed at and the one that was found, as bars."""
    mix = given.config.research.materialMix
    if mix is None:
        return ["no mix was measured"]
    target, actual = mix.targetMix.model_dump(), mix.actualMix.model_dump() if mix.actualMix else {}
    wide = max(map(len, KINDS.values()))
    lines = []
    for kind, name in KINDS.items():
        wanted, found = str(target.get(kind, "0%")), str(actual.get(kind, "0%"))
        lines.append(f"{name:<{wide}}  target {wanted:>4}  {_bar(wanted)}")
        lines.append(f"{'':<{wide}}  actual {found:>4}  {_bar(found)}")
    return lines


def _bar(share: str) -> str:
    full = round(int(share.rstrip("%")) * WIDE / 100)
    return "█" * full + "·" * (WIDE - full)


def coverage_lines(given: Given) -> list[str]:
    """What became of what nobody else has."""
    found, usage = given.config.research.materials, given.config.writing.materialUsage
    names = list(found.differentiators) if found else []
    if not names:
        return ["None was named."]
    why = {one.id: one.reason for one in usage.skipped} if usage else {}
    used = [name for name in names if name in given.article.ids]
    rows = [f"- {name}: " + ("used" if name in used else f"skipped ({why.get(name, 'no reason')})") for name in names]
    return [f"{len(used)} of {len(names)} used.", "", *rows]


def _statistics(given: Given) -> list[str]:
    rows = []
    for part in given.article.parts:
        for sentence in part.sentences:
            data = [given.by_id[one] for one in sentence.markers if one in given.by_id]
            for found in numbers.with_units(sentence.text):
                item = next((one for one in data if not numbers.missing(found.text, one.quote)), None)
                behind = f"{item.id}, {item.url}: “{item.quote}”" if item else "the author's own"
                rows.append(f"- {part.place}: {found.text} — {behind}")
    return rows or ["There are none."]


def _left(release: Release) -> list[str]:
    issues = [f"- {one.get('level')} in {one.get('section')}: {one.get('problem')}" for one in release.issues]
    warned = [f"- {one.problem}" for one in release.warnings]
    links = [f"- {path} could link to this article, in {where!r}" for path, where in release.backlinks]
    return [*issues, *warned, *links] or ["Nothing."]
