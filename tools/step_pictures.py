"""Draws the steps of a workflow as an SVG: from its declared picture, with who works in each step of a recorded run.

Steps stand below each other in the order of the way forward. A way that skips steps runs on the right, a way back on
the left. Ways to a stop (`escalated`) and ways that begin again after the end are dots, because nearly every step has
them; a step that repeats itself is not drawn as a loop.
"""

from __future__ import annotations

import asyncio
import re
import tarfile
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from signoff.core.events import Called
from signoff.service import catalog
from signoff.service.project import Project
from signoff.service.recordings import replays

RELEASED = Path(__file__).parent.parent / "tests/released"
MERMAID = re.compile(r"^\s+(\w+) -->(?:\|(.*?)\|)? (\w+)(?:: (.*))?$", re.MULTILINE)
STOP, ENDS = "escalated", ("complete", "done")
PERSON, INWARD = "you", "in"

BOX, HIGH, GAP, PORT, LANE, EDGE, TEXT = 224, 40, 26, 17, 16, 16, 6.1
"""Width and height of a step, the room below it, between ports, between lanes and at the edge; a letter."""


@dataclass(frozen=True)
class Way:
    """From one step to another."""

    source: str
    target: str
    label: str


def picture(name: str) -> str:
    """The SVG of one workflow."""
    workflow = catalog.workflow(name)
    ways = [Way(*_way(found)) for found in MERMAID.finditer(workflow.picture())]
    return _Drawing(name, ways, who_works(name)).svg()


def _way(found: re.Match[str]) -> tuple[str, str, str]:
    return found[1], found[3], found[2] or found[4] or ""


def who_works(name: str) -> dict[str, tuple[str, ...]]:
    """The agents of each step, and `you` where a person was asked: as a finished run that is kept shows it."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(RELEASED / f"{name}-done.tar.xz") as packed:
            packed.extractall(folder, filter="data")
        [root] = Path(folder).iterdir()
        return asyncio.run(_who(Project(root)))


async def _who(project: Project) -> dict[str, tuple[str, ...]]:
    [run] = await project.known()
    found: dict[str, dict[str, None]] = {}
    tool = ""
    for event, _, state in (await replays.load(project, run)).moments():
        tool = event.tool if isinstance(event, Called) else tool
        step = getattr(state.own, "step", tool)
        agents = [turn.start.agent for turn in state.turns.values() if not turn.start.tools or step != tool]
        asked = [PERSON for _ in state.requests]
        found.setdefault(step, {}).update(dict.fromkeys([*agents, *asked]))
    return {step: tuple(names) for step, names in found.items()}


# --- the order --------------------------------------------------------------------------------------------------------


def ordered(ways: Sequence[Way]) -> list[str]:
    """The steps along the way forward: what leads on to the end comes after what leads back."""
    follows: dict[str, list[str]] = {}
    for way in ways:
        follows.setdefault(way.source, []).append(way.target)
    found: list[str] = []

    def reaches_the_end(step: str, seen: set[str]) -> bool:
        fresh = [one for one in follows.get(step, ()) if one not in seen]
        return step in ENDS or any(reaches_the_end(one, {*seen, step}) for one in fresh)

    def visit(step: str) -> None:
        found.append(step)
        for _ in follows.get(step, ()):
            left = [one for one in follows[step] if one not in found]
            leads = {one: set(follows.get(one, ())) & set(left) for one in left}
            for one in sorted(left, key=lambda one: (reaches_the_end(one, set(found)), not leads[one]))[:1]:
                visit(one)

    visit(ways[0].source)
    return found


def _merged(ways: Iterable[Way]) -> list[Way]:
    """One way for each pair of steps, with all labels."""
    labels: dict[tuple[str, str], dict[str, None]] = {}
    for way in ways:
        labels.setdefault((way.source, way.target), {})[_said(way.label)] = None
    return [Way(*pair, "" if "" in said else " / ".join(said)) for pair, said in labels.items()]


def _said(label: str) -> str:
    """A label as people say it; the ordinary way on needs none."""
    label = re.sub(r",? ?(\w+ )?below limit$", " (limited)", label).replace("_", " ")
    return "" if label == "done" else label


# --- the drawing ------------------------------------------------------------------------------------------------------

STYLE = """\
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: #1f2328 }
.small { font-size: 11px; fill: #59636e }
.panel { fill: #ffffff; stroke: #d1d9e0 }
.agent { fill: #ddf4ff; stroke: #0969da } .you { fill: #fff8c5; stroke: #9a6700 }
.code { fill: #f6f8fa; stroke: #818b98 } .end { fill: #dafbe1; stroke: #1a7f37 }
.unseen { stroke-dasharray: 4 3 }
.way { fill: none; stroke: #59636e; stroke-width: 1 } .tip { fill: #59636e } .stop { fill: #cf222e }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } .panel { fill: #0d1117; stroke: #3d444d }
  .agent { fill: #12263f; stroke: #4493f8 } .you { fill: #2e2610; stroke: #d29922 }
  .code { fill: #151b23; stroke: #656c76 } .end { fill: #12261e; stroke: #3fb950 }
  .way { stroke: #9198a1 } .tip { fill: #9198a1 } .stop { fill: #f85149 }
}"""


class _Drawing:
    """Where everything stands. `here` has the middle of each step."""

    def __init__(self, name: str, ways: Sequence[Way], who: Mapping[str, Sequence[str]]) -> None:
        self.name, self.who = name, who
        self.stops = {way.source for way in ways if way.target == STOP}
        self.again = any(way.source in (*ENDS, STOP) for way in ways)
        drawn = [way for way in ways if way.source not in (*ENDS, STOP) and way.target not in (way.source, STOP)]
        self.ways = _merged(drawn)
        self.steps = ordered(self.ways)
        at = {step: place for place, step in enumerate(self.steps)}
        self.down = [way for way in self.ways if at[way.target] == at[way.source] + 1]
        self.left = self._lanes([way for way in self.ways if at[way.target] < at[way.source]])
        self.right = self._lanes([way for way in self.ways if at[way.target] > at[way.source] + 1])
        self.ports = {side: self._ports(lanes) for side, lanes in (("left", self.left), ("right", self.right))}
        self._place()

    def _lanes(self, ways: Sequence[Way]) -> dict[Way, int]:
        """The lane of each way at the side. Ways to one step share theirs; the shortest lane is next to the steps."""
        at = {step: place for place, step in enumerate(self.steps)}
        spans: dict[str, tuple[int, int]] = {}
        for way in ways:
            low, high = spans.get(way.target, (at[way.target],) * 2)
            spans[way.target] = min(low, at[way.source]), max(high, at[way.source])
        lanes: dict[str, int] = {}
        for target in sorted(spans, key=lambda target: (spans[target][1] - spans[target][0], spans[target])):
            low, high = spans[target]
            taken = {lane for one, lane in lanes.items() if spans[one][0] <= high and low <= spans[one][1]}
            lanes[target] = next(lane for lane in range(len(spans)) if lane not in taken)
        return {way: lanes[way.target] for way in ways}

    def _ports(self, lanes: Mapping[Way, int]) -> dict[str, list[Way | str]]:
        """The ends of ways at each step from above: one for all that come in, and one for each that goes out."""
        at = {step: place for place, step in enumerate(self.steps)}
        found: dict[str, list[Way | str]] = {}
        for step in self.steps:
            out = [way for way in lanes if way.source == step]
            above = sorted((way for way in out if at[way.target] < at[step]), key=lambda way: -lanes[way])
            below = sorted((way for way in out if at[way.target] > at[step]), key=lambda way: lanes[way])
            comes = {way.source for way in lanes if way.target == step}
            inward: list[Way | str] = [INWARD] if comes else []
            from_below = any(at[source] > at[step] for source in comes)
            found[step] = [*above, *inward, *below] if from_below else [*inward, *above, *below]
        return found

    def _place(self) -> None:
        widest = {side: max(lanes.values(), default=-1) + 1 for side, lanes in (("l", self.left), ("r", self.right))}
        labels = max((len(way.label) for way in self.left), default=0) * TEXT + 14
        beside = max((len(way.label) for way in self.right), default=0) * TEXT + 14
        self.x0 = EDGE + widest["l"] * LANE + (max(labels, 40) if self.left else 10)
        self.x1 = self.x0 + BOX
        self.lane_l, self.lane_r = self.x0 - (max(labels, 40) if self.left else 0), self.x1 + max(beside, 24)
        y, self.top, self.high = EDGE + 6.0, dict[str, float](), dict[str, float]()
        for step in self.steps:
            most = max(len(self.ports[side][step]) for side in ("left", "right"))
            self.top[step], self.high[step] = y, max(HIGH, most * PORT + 8)
            y += self.high[step] + GAP
        self.legend = y
        self.width = max(self.lane_r + widest["r"] * LANE + EDGE, 500 if self.stops else 300)

    def _port(self, side: str, step: str, end: Way | str) -> float:
        ends = self.ports[side][step]
        first = self.top[step] + self.high[step] / 2 - (len(ends) - 1) * PORT / 2
        return first + ends.index(end) * PORT

    def svg(self) -> str:
        body = [*self._down(), *self._side("left"), *self._side("right"), *self._boxes()]
        legend, height = self._legend()
        title = f"The steps of {self.name}"
        size = f'viewBox="0 0 {self.width:.0f} {height:.0f}" width="{self.width:.0f}" height="{height:.0f}"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">',
                f"<title>{title}</title>",
                f"<style>\n{STYLE}\n</style>",
                f'<rect class="panel" x="0.5" y="0.5" width="{self.width - 1:.0f}" height="{height - 1:.0f}" rx="8"/>',
                *body,
                *legend,
                "</svg>",
                "",
            ]
        )

    def _boxes(self) -> Iterable[str]:
        for step in self.steps:
            y, high, who = self.top[step], self.high[step], self.who.get(step, ())
            middle, x = y + high / 2, self.x0 + BOX / 2
            said = _names(who)
            unseen = " unseen" if step not in self.who and step not in ENDS and step != "start" else ""
            yield f'<rect class="{_kind(step, who)}{unseen}" x="{self.x0:.0f}" y="{y:.0f}" width="{BOX}" height="{high:.0f}" rx="6"/>'  # noqa: E501
            yield _text(x, middle + (-2 if said else 4.5), step.replace("_", " "), anchor="middle")
            if said:
                yield _text(x, middle + 13, said, anchor="middle", small=True)
            if step in self.stops:
                yield f'<circle class="stop" cx="{self.x1 - 9:.0f}" cy="{y + 9:.0f}" r="3.2"/>'

    def _down(self) -> Iterable[str]:
        for way in self.down:
            x, y0, y1 = self.x0 + BOX / 2, self.top[way.source] + self.high[way.source], self.top[way.target]
            yield f'<path class="way" d="M{_crisp(x)} {y0:.0f}V{y1 - 5:.0f}"/>{_tip(_crisp(x), y1, "down")}'
            if way.label:
                yield _text(x + 8, (y0 + y1) / 2 + 3, way.label, small=True)

    def _side(self, side: str) -> Iterable[str]:
        lanes, edge = (self.left, self.x0) if side == "left" else (self.right, self.x1)
        for way, lane in lanes.items():
            y0, y1 = self._port(side, way.source, way), self._port(side, way.target, INWARD)
            x = self.lane_l - lane * LANE if side == "left" else self.lane_r + lane * LANE
            tip, sign = (-5, -1) if side == "left" else (5, 1)
            line = f"M{edge:.0f} {_crisp(y0)}H{_crisp(x)}V{_crisp(y1)}H{edge + tip:.0f}"
            yield f'<path class="way" d="{line}"/>{_tip(edge, _crisp(y1), side)}'
            if way.label:
                anchor = "end" if side == "left" else "start"
                yield _text(edge + sign * 7, y0 - 3.5, way.label, anchor=anchor, small=True)

    def _legend(self) -> tuple[list[str], float]:
        kinds = {_kind(step, self.who.get(step, ())) for step in self.steps}
        names = {"agent": "agents", "you": "you", "code": "code", "end": "the end"}
        x, y = float(EDGE), self.legend + 4
        found = []
        for kind in (kind for kind in names if kind in kinds):
            found.append(f'<rect class="{kind}" x="{x:.0f}" y="{y - 10:.0f}" width="16" height="12" rx="3"/>')
            found.append(_text(x + 22, y, names[kind], small=True))
            x += 34 + len(names[kind]) * TEXT
        lines = []
        if any(step not in self.who and step not in ENDS and step != "start" for step in self.steps):
            lines.append("Dashed: the recorded run did not need this step, or code passed through it at once.")
        if self.stops:
            y += 18
            found.append(f'<circle class="stop" cx="{EDGE + 5}" cy="{y - 4:.0f}" r="3.2"/>')
            found.append(_text(EDGE + 16, y, "A step that can stop the run and ask you what to do.", small=True))
        if self.again:
            lines.append("An edit, or your answer after a stop, can lead back to an earlier step.")
        for line in lines:
            y += 17
            found.append(_text(EDGE, y, line, small=True))
        return found, y + EDGE


def _kind(step: str, who: Sequence[str]) -> str:
    if step in ENDS:
        return "end"
    if any(name != PERSON for name in who):
        return "agent"
    return "you" if who or step.startswith("approve") else "code"


def _names(who: Sequence[str], most: int = 36) -> str:
    """As many names as there is room for, and how many more."""
    for shown in range(len(who), 0, -1):
        more = f" and {len(who) - shown} more" if shown < len(who) else ""
        text = ", ".join(who[:shown]) + more
        if shown == 1 or len(text) <= most:
            return text
    return ""


def _text(x: float, y: float, text: str, *, anchor: str = "start", small: bool = False) -> str:
    kind = ' class="small"' if small else ""
    return f'<text{kind} x="{x:.0f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _crisp(place: float) -> float:
    """The middle of a pixel, where a line of one pixel is sharp and lies exactly on another."""
    return int(place) + 0.5


def _tip(x: float, y: float, side: str) -> str:
    points = {
        "down": f"{x - 4},{y - 7:.0f} {x + 4},{y - 7:.0f} {x},{y:.0f}",
        "left": f"{x - 7:.0f},{y - 4} {x - 7:.0f},{y + 4} {x:.0f},{y:.1f}",
        "right": f"{x + 7:.0f},{y - 4} {x + 7:.0f},{y + 4} {x:.0f},{y:.1f}",
    }
    return f'<polygon class="tip" points="{points[side]}"/>'
