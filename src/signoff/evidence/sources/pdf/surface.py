"""What is painted on a page and where, so that a text can be compared with what lies under and over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from signoff.evidence.sources.pdf.state import WHITE, Box, Colour, Point, alike, around, inside, overlap
from signoff.evidence.sources.pdf.work import Work

_ROWS: Final = 100
_MOST_CORNERS: Final = 64
_THIN: Final = 2.0
"""An area that is thinner than this, in points, is a line, and covers no text."""


@dataclass(frozen=True, slots=True)
class Area:
    """A painted area. `order` counts what is drawn; an area that lets something through covers nothing."""

    order: int
    box: Box
    corners: tuple[Point, ...]
    colour: Colour | None
    opaque: bool
    struck: bool = False

    def holds(self, point: Point) -> bool:
        return inside(point, self.box) and (not self.corners or _in_polygon(point, self.corners))


@dataclass
class Surface:
    """The areas of a page, in rows from bottom to top."""

    page: Box
    work: Work
    rows: dict[int, list[Area]] = field(default_factory=dict)

    @property
    def _height(self) -> float:
        return max(1.0, (self.page[3] - self.page[1]) / _ROWS)

    def _row(self, y: float) -> int:
        return int((min(max(y, self.page[1]), self.page[3]) - self.page[1]) // self._height)

    def paint(
        self,
        order: int,
        points: Sequence[Point],
        clip: Box,
        colour: Colour | None,
        *,
        opaque: bool,
        struck: bool = False,
    ) -> None:
        """Adds an area with these corners; of a shape with many corners its box is taken, which covers nothing."""
        if len(points) < 2:
            return
        box = overlap(around(points), clip)
        if box[2] - box[0] < _THIN or box[3] - box[1] < _THIN:
            return
        upright = len(points) <= 5 and len({x for x, _ in points}) == 2 and len({y for _, y in points}) == 2
        many = len(points) > _MOST_CORNERS
        area = Area(order, box, () if upright or many else tuple(points), colour, opaque and not many, struck)
        first, last = self._row(box[1]), self._row(box[3])
        self.work.charge(last - first + 1, "painted areas")
        for row in range(first, last + 1):
            self.rows.setdefault(row, []).append(area)

    def unseen(self, order: int, points: Sequence[Point], colours: Sequence[Colour | None]) -> str:
        """Why a text that was drawn at these points in these colours is not seen, or nothing."""
        same = 0
        for point in points:
            under: Colour | None = WHITE
            areas = self.rows.get(self._row(point[1]), ())
            for looked, area in enumerate(reversed(areas)):
                if area.holds(point):
                    if area.order < order:
                        under = area.colour
                        self.work.charge(looked * len(area.corners or (1,)), "painted areas")
                        break
                    if area.opaque:
                        return "struck out" if area.struck else "covered by what is drawn over it"
            else:
                self.work.charge(len(areas), "painted areas")
            same += all(alike(colour, under) for colour in colours)
        return "of the colour of its background" if same * 2 > len(points) else ""


def _in_polygon(point: Point, corners: Sequence[Point]) -> bool:
    x, y = point
    within = False
    x1, y1 = corners[-1]
    for x2, y2 in corners:
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            within = not within
        x1, y1 = x2, y2
    return within
