"""Walks the operators of a page and keeps the text that a reader sees.

The forms of a page are written out in place, so that what comes out is one flat list of text operators, which pypdf
turns into lines. Every text is judged where it stands: mode, size, colour, place, layer, font, and what
is drawn over it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from math import hypot, isfinite
from typing import Any, Final

from signoff.evidence.sources.pdf import work as limits
from signoff.evidence.sources.pdf.fonts import PdfFont
from signoff.evidence.sources.pdf.layers import Layers
from signoff.evidence.sources.pdf.state import (
    IDENTITY,
    Box,
    Colour,
    Matrix,
    Point,
    State,
    around,
    colour,
    first_colour,
    inside,
    moved,
    overlap,
    times,
)  # fmt: skip
from signoff.evidence.sources.pdf.surface import Surface
from signoff.evidence.sources.pdf.work import Work, limit

SMALLEST: Final = 2.0
"""Points. The small print of a data sheet is 5 points high; nobody reads 2."""

Operation = tuple[list[Any], bytes]


class FalseFontError(Exception):
    """A font of the page shows one text and gives another."""


@dataclass(slots=True)
class _Shown:
    """A text that is drawn, until all of the page is known."""

    place: int
    order: int
    points: list[Point]
    colours: tuple[Colour | None, ...]


@dataclass
class Painter:
    """`read` gives the operators of a content stream, `font` a font by its resource; both are charged to the work."""

    surface: Surface
    layers: Layers
    work: Work
    read: Callable[[Any], Sequence[tuple[Any, bytes]]]
    font: Callable[[Any], PdfFont]
    unit: float = 1.0
    operations: list[Operation] = field(default_factory=list)
    fonts: dict[str, Any] = field(default_factory=dict)
    unseen: Counter[str] = field(default_factory=Counter)
    _shown: list[_Shown] = field(default_factory=list)
    _order: int = 0
    _forms: int = 0
    _characters: int = 0

    def page(self, content: Any, resources: Any, box: Box) -> None:
        """Draws a page: afterwards `operations` are those of the text that is seen, in fonts of `fonts`."""
        _Stream(self, resources, State(IDENTITY, box), 0).run(content)

    def finish(self) -> list[Operation]:
        """The operators without the text that something lies over or that has the colour of what is under it."""
        hidden = set()
        for text in self._shown:
            why = self.surface.unseen(text.order, text.points, text.colours)
            if why:
                self.unseen[why] += 1
                hidden.add(text.place)
        return [each for place, each in enumerate(self.operations) if place not in hidden]

    def emit(self, operator: bytes, *operands: Any) -> None:
        self.operations.append((list(operands), operator))

    def next(self) -> int:
        self._order += 1
        return self._order

    def enter_form(self, depth: int) -> None:
        self._forms += 1
        limit(self._forms, limits.MOST_FORMS, "forms are drawn")
        limit(depth, limits.DEEPEST, "forms in each other")

    def show(self, operator: bytes, operand: Any, drawn: _Shown, characters: int) -> None:
        self._characters += characters
        limit(len(self._shown), limits.MOST_SHOWN, "pieces of text")
        limit(self._characters, limits.MOST_CHARACTERS, "characters")
        drawn.place = len(self.operations)
        self.emit(operator, operand)
        self._shown.append(drawn)


class _Stream:
    """One content stream, of a page or a form, with a stack of states of its own."""

    def __init__(self, painter: Painter, resources: Any, state: State, depth: int) -> None:
        self.painter, self.state, self.depth = painter, state, depth
        self.resources = _mapping(resources)
        self.stack: list[State] = []
        self.marks: list[bool] = []
        self.path: list[list[Point]] = []
        self.clipping = False
        self.text: Matrix = IDENTITY
        self.line: Matrix = IDENTITY

    def run(self, content: Any) -> None:
        for operands, operator in self.painter.read(content):
            handler = _HANDLERS.get(operator)
            if handler is None:
                continue
            try:
                handler(self, operands)
            except (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError, OverflowError):
                continue  # a viewer passes over an operator with wrong operands
        for _ in self.stack:
            self.painter.emit(b"Q")

    # graphics state

    def save(self, _: Any) -> None:
        self.stack.append(copy(self.state))
        self.painter.emit(b"q")

    def restore(self, _: Any) -> None:
        if self.stack:
            self.state = self.stack.pop()
            self.painter.emit(b"Q")

    def concat(self, operands: Any) -> None:
        matrix = _six(operands)
        self.state.matrix = times(matrix, self.state.matrix)
        self.painter.emit(b"cm", *matrix)

    def external(self, operands: Any) -> None:
        given = self._resource("/ExtGState", operands[-1])
        if "/ca" in given:
            self.state.alpha = float(_resolved(given["/ca"]))
        blend = _resolved(given.get("/BM", "/Normal" if self.state.plain else None))
        mask = _resolved(given.get("/SMask", "/None" if self.state.plain else None))
        self.state.plain = blend in ("/Normal", "/Compatible") and mask == "/None"
        if isinstance(font := _resolved(given.get("/Font")), list) and len(font) == 2:
            self._use_font(font[0], float(font[1]))

    # colours

    def space(self, operands: Any, *, stroke: bool = False) -> None:
        space = self._colour_space(operands[-1])
        self._set(space, first_colour(space), stroke)

    def components(self, operands: Any, *, stroke: bool = False) -> None:
        space = self.state.stroke_space if stroke else self.state.fill_space
        named = operands and isinstance(operands[-1], str)
        self._set(space, None if named else colour(space, operands), stroke)

    def device(self, operands: Any, space: str, *, stroke: bool = False) -> None:
        count = {"/DeviceGray": 1, "/DeviceRGB": 3, "/DeviceCMYK": 4}[space]
        self._set(space, colour(space, operands[-count:]), stroke)

    def _set(self, space: Any, painted: Colour | None, stroke: bool) -> None:
        if stroke:
            self.state.stroke_space, self.state.stroke = space, painted
        else:
            self.state.fill_space, self.state.fill = space, painted

    def _colour_space(self, name: Any) -> Any:
        return _mapping(self.resources.get("/ColorSpace")).get(name, name)

    # paths

    def move(self, operands: Any) -> None:
        x, y = _numbers(operands, 2)
        self.path.append([moved(self.state.matrix, x, y)])

    def to(self, operands: Any) -> None:
        x, y = _numbers(operands, 2)
        self.path[-1].append(moved(self.state.matrix, x, y))

    def curve(self, operands: Any) -> None:
        """A curve goes through its end and, near enough, through the middle of its control points."""
        numbers = [float(each) for each in operands]
        points = [moved(self.state.matrix, *numbers[at : at + 2]) for at in range(0, len(numbers) - 1, 2)]
        start = self.path[-1][-1]
        pulls = points[:-1]
        x = (start[0] + 3 * sum(each[0] for each in pulls) + points[-1][0]) / (2 + 3 * len(pulls))
        y = (start[1] + 3 * sum(each[1] for each in pulls) + points[-1][1]) / (2 + 3 * len(pulls))
        self.path[-1] += [(x, y), points[-1]]

    def rectangle(self, operands: Any) -> None:
        x, y, width, height = _numbers(operands, 4)
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        self.path.append([moved(self.state.matrix, *corner) for corner in corners])

    def clip(self, _: Any) -> None:
        self.clipping = True

    def end(self, _: Any) -> None:
        if self.clipping:
            points = [point for each in self.path for point in each]
            nowhere = (0.0, 0.0, -1.0, -1.0)
            self.state.clip = overlap(self.state.clip, around(points)) if points else nowhere
        self.path, self.clipping = [], False

    def fill(self, _: Any) -> None:
        if not any(self.marks):
            opaque = self.state.plain and self.state.alpha >= 0.9 and self.state.fill is not None
            under = self.state.fill if opaque else None
            order = self.painter.next()
            for points in self.path:
                self.painter.surface.paint(order, points, self.state.clip, under, opaque=opaque)
        self.end(None)

    def shade(self, _: Any) -> None:
        self._cover(_corners(self.state.clip), opaque=False)

    def inline_image(self, _: Any) -> None:
        self._cover([moved(self.state.matrix, *each) for each in _UNIT], opaque=False)

    def _cover(self, points: Sequence[Point], *, opaque: bool) -> None:
        if not any(self.marks):
            opaque = opaque and self.state.plain and self.state.alpha >= 0.9
            self.painter.surface.paint(self.painter.next(), points, self.state.clip, None, opaque=opaque)

    # forms, pictures and layers

    def draw(self, operands: Any) -> None:
        drawn = self._resource("/XObject", operands[-1])
        if drawn.get("/OC") is not None and self.painter.layers.hides(drawn.raw_get("/OC")):
            return
        if drawn.get("/Subtype") == "/Image":
            through = any(key in drawn for key in ("/SMask", "/Mask")) or bool(drawn.get("/ImageMask"))
            self._cover([moved(self.state.matrix, *each) for each in _UNIT], opaque=not through)
        elif drawn.get("/Subtype") == "/Form":
            self._form(drawn)

    def _form(self, form: Any) -> None:
        painter = self.painter
        painter.enter_form(self.depth + 1)
        matrix = _six(_resolved(form.get("/Matrix")) or IDENTITY)
        state = copy(self.state)
        state.matrix = times(matrix, state.matrix)
        if box := _resolved(form.get("/BBox")):
            x1, y1, x2, y2 = _numbers(box, 4)
            corners = [moved(state.matrix, *each) for each in _corners((x1, y1, x2, y2))]
            state.clip = overlap(state.clip, around(corners))
        painter.emit(b"q")
        painter.emit(b"cm", *matrix)
        inner = _Stream(painter, form.get("/Resources") or self.resources, state, self.depth + 1)
        inner.marks = [any(self.marks)]
        inner.run(form)
        painter.emit(b"Q")

    def mark(self, operands: Any) -> None:
        hidden = False
        try:
            if operands and operands[0] == "/OC":
                groups = _mapping(self.resources.get("/Properties"))
                hidden = self.painter.layers.hides(groups.raw_get(operands[1]))
        finally:
            self.marks.append(hidden)

    def unmark(self, _: Any) -> None:
        if len(self.marks) > (self.depth > 0):
            self.marks.pop()

    def _resource(self, kind: str, name: Any) -> Any:
        return _mapping(_mapping(self.resources.get(kind))[name])

    # text

    def begin(self, _: Any) -> None:
        self.text = self.line = IDENTITY
        self.painter.emit(b"BT")

    def end_text(self, _: Any) -> None:
        self.painter.emit(b"ET")

    def choose_font(self, operands: Any) -> None:
        size = float(operands[-1])
        fonts = _mapping(self.resources.get("/Font"))
        if operands[-2] in fonts:
            self._use_font(fonts.raw_get(operands[-2]), size)
        else:
            self.state.font = None

    def _use_font(self, resource: Any, size: float) -> None:
        self.state.size = size
        font = self.state.font = self.painter.font(resource)
        if font.name not in self.painter.fonts:
            self.painter.fonts[font.name] = resource
            limit(len(self.painter.fonts), limits.MOST_FONTS, "fonts")
            self.painter.work.charge(limits.FONT_ENTRY * font.entries, "fonts")
        self.painter.emit(b"Tf", _name(font.name), size)

    def render(self, operands: Any) -> None:
        if 0 <= int(operands[-1]) <= 7:
            self.state.mode = int(operands[-1])

    def set_number(self, operands: Any, name: str, operator: bytes = b"", per: float = 1.0) -> None:
        value = float(operands[-1])
        setattr(self.state, name, value / per)
        if operator:
            self.painter.emit(operator, value)

    def offset(self, operands: Any) -> None:
        x, y = _numbers(operands, 2)
        self.text = self.line = times((1, 0, 0, 1, x, y), self.line)
        self.painter.emit(b"Td", x, y)

    def offset_leading(self, operands: Any) -> None:
        self.set_number([-_numbers(operands, 2)[1]], "leading", b"TL")
        self.offset(operands)

    def place(self, operands: Any) -> None:
        self.text = self.line = _six(operands)
        self.painter.emit(b"Tm", *self.line)

    def new_line(self, _: Any) -> None:
        self.text = self.line = times((1, 0, 0, 1, 0, -self.state.leading), self.line)
        self.painter.emit(b"T*")

    def show(self, operands: Any) -> None:
        if operands and isinstance(operands[-1], bytes | str):
            self._show(b"Tj", operands[-1], [operands[-1]])

    def show_array(self, operands: Any) -> None:
        if operands and isinstance(operands[-1], list):
            self._show(b"TJ", operands[-1], operands[-1])

    def show_line(self, operands: Any) -> None:
        self.new_line(())
        self.show(operands)

    def show_spaced(self, operands: Any) -> None:
        self.set_number(operands[:-2], "word_space", b"Tw")
        self.set_number(operands[:-1], "character_space")
        self.show_line(operands)

    def _show(self, operator: bytes, operand: Any, parts: Sequence[Any]) -> None:
        state, painter = self.state, self.painter
        points, characters = self._advance(parts)
        if not points:
            return
        why = self._unseen(points)
        if why:
            painter.unseen[why] += 1
            return
        if state.font and state.font.false:
            raise FalseFontError(f"the font {state.font.resource.get('/BaseFont', '')}: {state.font.false}")
        colours = {0: (state.fill,), 1: (state.stroke,)}.get(state.mode % 4, (state.fill, state.stroke))
        painter.show(operator, operand, _Shown(0, painter.next(), points, colours), characters)

    def _unseen(self, points: Sequence[Point]) -> str:
        """Why a text is not seen, as far as this is known when it is drawn."""
        state = self.state
        a, b, c, d, _, _ = times(self.text, state.matrix)
        if any(self.marks):
            return "on a layer that is switched off"
        if state.mode in (3, 7):
            return "drawn in an invisible mode, as text recognition does"
        if state.alpha < 0.1:
            return "transparent"
        height = abs(state.size) * hypot(c, d) * self.painter.unit
        width = abs(state.size * state.scale) * hypot(a, b) * self.painter.unit
        if not isfinite(height + width) or min(height, width * 4) < SMALLEST:
            return f"smaller than {SMALLEST:g} points"
        if any(not inside(point, self.painter.surface.page, 1.0) for point in points):
            return "off the page"
        if any(not inside(point, state.clip, height / 2) for point in points):
            return "outside of the area that is shown"
        if state.font is None or state.font.unread:
            return "in a font that does not say which characters it shows"
        return ""

    def _advance(self, parts: Sequence[Any]) -> tuple[list[Point], int]:
        """Moves on by the width of a text; where its parts begin, their middles and the end, on half the height."""
        state, at, characters = self.state, 0.0, 0
        points: list[Point] = []
        matrix = times(self.text, state.matrix)
        up = state.rise + state.size * 0.3
        for part in parts:
            if isinstance(part, bytes | str):
                shown = part if isinstance(part, bytes) else part.encode("latin-1", "replace")
                width = (state.font.width(shown) if state.font else 0.0) * state.size
                spaces = len(shown) * state.character_space + shown.count(b" ") * state.word_space
                if shown:
                    ends = (0.05, 0.25, 0.5, 0.75, 0.95) if len(parts) == 1 else (0.1, 0.5, 0.9)
                    inked = (width + spaces) * state.scale * len(shown.rstrip(b" ")) / len(shown)
                    points += (moved(matrix, at + inked * share, up) for share in ends)
                at += (width + spaces) * state.scale
                characters += len(shown)
            elif isinstance(part, int | float):
                at -= float(part) / 1000 * state.size * state.scale
        self.text = times((1, 0, 0, 1, at, 0), self.text)
        self.painter.work.charge(4 * len(points), "pieces of text")
        return points, characters


_UNIT: Final[tuple[Point, ...]] = ((0, 0), (1, 0), (1, 1), (0, 1))


def _corners(box: Box) -> list[Point]:
    return [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])]


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _mapping(value: Any) -> Any:
    resolved = _resolved(value)
    return resolved if isinstance(resolved, dict) else {}


def _numbers(operands: Any, count: int) -> list[float]:
    numbers = [float(_resolved(each)) for each in operands[-count:]]
    if len(numbers) != count or not all(map(isfinite, numbers)):
        raise ValueError
    return numbers


def _six(operands: Any) -> Matrix:
    a, b, c, d, e, f = _numbers(operands, 6)
    return a, b, c, d, e, f


def _name(text: str) -> Any:
    from pypdf.generic import NameObject

    return NameObject(text)


_Handler = Callable[[_Stream, Any], None]
_HANDLERS: Final[Mapping[bytes, _Handler]] = {
    b"q": _Stream.save, b"Q": _Stream.restore, b"cm": _Stream.concat, b"gs": _Stream.external,
    b"cs": _Stream.space, b"sc": _Stream.components, b"scn": _Stream.components,
    b"CS": lambda stream, given: stream.space(given, stroke=True),
    b"SC": lambda stream, given: stream.components(given, stroke=True),
    b"SCN": lambda stream, given: stream.components(given, stroke=True),
    b"g": lambda stream, given: stream.device(given, "/DeviceGray"),
    b"rg": lambda stream, given: stream.device(given, "/DeviceRGB"),
    b"k": lambda stream, given: stream.device(given, "/DeviceCMYK"),
    b"G": lambda stream, given: stream.device(given, "/DeviceGray", stroke=True),
    b"RG": lambda stream, given: stream.device(given, "/DeviceRGB", stroke=True),
    b"K": lambda stream, given: stream.device(given, "/DeviceCMYK", stroke=True),
    b"m": _Stream.move, b"l": _Stream.to, b"c": _Stream.curve, b"v": _Stream.curve, b"y": _Stream.curve,
    b"re": _Stream.rectangle, b"W": _Stream.clip, b"W*": _Stream.clip,
    b"n": _Stream.end, b"S": _Stream.end, b"s": _Stream.end,
    **dict.fromkeys((b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"), _Stream.fill),
    b"sh": _Stream.shade, b"INLINE IMAGE": _Stream.inline_image, b"Do": _Stream.draw,
    b"BMC": _Stream.mark, b"BDC": _Stream.mark, b"EMC": _Stream.unmark,
    b"BT": _Stream.begin, b"ET": _Stream.end_text, b"Tf": _Stream.choose_font, b"Tr": _Stream.render,
    b"Ts": lambda stream, given: stream.set_number(given, "rise"),
    b"Tc": lambda stream, given: stream.set_number(given, "character_space"),
    b"Tw": lambda stream, given: stream.set_number(given, "word_space", b"Tw"),
    b"Tz": lambda stream, given: stream.set_number(given, "scale", b"Tz", 100.0),
    b"TL": lambda stream, given: stream.set_number(given, "leading", b"TL"),
    b"Td": _Stream.offset, b"TD": _Stream.offset_leading, b"Tm": _Stream.place, b"T*": _Stream.new_line,
    b"Tj": _Stream.show, b"TJ": _Stream.show_array, b"'": _Stream.show_line, b'"': _Stream.show_spaced,
}  # fmt: skip
