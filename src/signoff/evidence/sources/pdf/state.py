"""The graphics state of a PDF page, as far as it decides whether a reader sees a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from signoff.evidence.sources.pdf.fonts import PdfFont

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
Point = tuple[float, float]
Colour = tuple[float, float, float]

IDENTITY: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
BLACK: Final[Colour] = (0.0, 0.0, 0.0)
WHITE: Final[Colour] = (1.0, 1.0, 1.0)
_ALIKE: Final = 0.1
"""Two colours that differ less in red, green and blue cannot be told apart on paper."""


@dataclass
class State:
    """What `q` saves and `Q` brings back. A colour of None is not known: a pattern, a spot colour, an indexed one."""

    matrix: Matrix
    clip: Box
    fill: Colour | None = BLACK
    stroke: Colour | None = BLACK
    fill_space: Any = "/DeviceGray"
    stroke_space: Any = "/DeviceGray"
    alpha: float = 1.0
    plain: bool = True
    font: PdfFont | None = None
    size: float = 0.0
    mode: int = 0
    scale: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    character_space: float = 0.0
    word_space: float = 0.0


def times(one: Matrix, other: Matrix) -> Matrix:
    """First one, then the other."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def moved(matrix: Matrix, x: float, y: float) -> Point:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def around(points: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def overlap(one: Box, other: Box) -> Box:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def inside(point: Point, box: Box, slack: float = 0.0) -> bool:
    x, y = point
    return box[0] - slack <= x <= box[2] + slack and box[1] - slack <= y <= box[3] + slack


def alike(one: Colour | None, other: Colour | None) -> bool:
    """Whether a reader cannot tell the two apart; what is not known differs from everything."""
    return one is not None and other is not None and all(abs(a - b) < _ALIKE for a, b in zip(one, other, strict=True))


def colour(space: Any, values: Sequence[Any]) -> Colour | None:
    """The colour of these components, or None if it is not known."""
    numbers = [min(1.0, max(0.0, float(value))) for value in values if isinstance(value, int | float)]
    name, channels = _space(space)
    if name in ("/Separation", "/DeviceN"):
        return WHITE if numbers and max(numbers) <= 0.05 else None
    if name == "/Lab":
        return WHITE if values and isinstance(values[0], int | float) and values[0] >= 95 else None
    if channels != len(numbers):
        return None
    if channels == 1:
        return numbers[0], numbers[0], numbers[0]
    if channels == 3:
        return numbers[0], numbers[1], numbers[2]
    cyan, magenta, yellow, black = numbers
    return (1 - cyan) * (1 - black), (1 - magenta) * (1 - black), (1 - yellow) * (1 - black)


_CHANNELS: Final = {
    "/DeviceGray": 1, "/G": 1, "/CalGray": 1, "/DeviceRGB": 3, "/RGB": 3, "/CalRGB": 3, "/DeviceCMYK": 4, "/CMYK": 4,
}  # fmt: skip


def _space(space: Any) -> tuple[str, int]:
    space = space.get_object() if hasattr(space, "get_object") else space
    if isinstance(space, list) and space:
        name = str(space[0])
        if name == "/ICCBased" and len(space) > 1:
            channels = space[1].get_object().get("/N", 0)
            return name, channels if channels in (1, 3, 4) else 0
        return name, _CHANNELS.get(name, 0)
    return str(space), _CHANNELS.get(str(space), 0)


def first_colour(space: Any) -> Colour | None:
    """The colour that a space begins with."""
    name, channels = _space(space)
    return BLACK if channels or name == "/Lab" else None
