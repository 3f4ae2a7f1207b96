"""The pages of a PDF file: their text, why there is none, and findings about files that cannot be read."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.evidence.sources.pdf.fonts import PdfFont, pdf_font
from signoff.evidence.sources.pdf.layers import Layers
from signoff.evidence.sources.pdf.painter import FalseFontError, Operation, Painter
from signoff.evidence.sources.pdf.state import Box, overlap
from signoff.evidence.sources.pdf.surface import Surface
from signoff.evidence.sources.pdf.work import OPERATOR, TooMuchWorkError, Work

MAX_BYTES: Final = 64_000_000
_MOST_PACKED: Final = 2_000_000
"""Bytes of a content stream in a packing that pypdf undoes slowly: LZW, hexadecimal, base 85, run lengths."""
_SLOW: Final = ("/LZWDecode", "/LZW", "/ASCIIHexDecode", "/AHx", "/ASCII85Decode", "/A85", "/RunLengthDecode", "/RL")
_READ: Final = ("/FlateDecode", "/Fl", "/Crypt", *_SLOW)
_COVERING: Final = {"/Square": "/IC", "/Circle": "/IC", "/Polygon": "/IC", "/FreeText": "/C"}
"""Annotations that hide what is under them, if they have this colour."""
_UNVIEWED: Final = 2 | 32
_BIG: Final = 1e6


class PdfPages:
    """The pages of a PDF, counted from 1; each is read when it is asked for, once."""

    def __init__(self, data: bytes, path: str) -> None:
        if len(data) > MAX_BYTES:
            problem = f"{len(data)} bytes, more than the {MAX_BYTES} allowed"
            raise error(path, "size", problem, "cut the PDF down to the pages that matter")
        self._path = path
        self._work = Work.for_file(len(data))
        self._reader = _open(data, path)
        self._texts: dict[int, str | DocumentError] = {}
        self._unseen: dict[int, tuple[str, ...]] = {}
        self._fonts: dict[Any, PdfFont] = {}
        with quiet():
            try:
                self.count = len(self._reader.pages)
                self._layers = Layers(self._reader.trailer["/Root"].get_object())
            except Exception as why:
                raise broken(path, why) from None
        if not self.count:
            raise error(path, "pdf", "a PDF without pages", "save the PDF again from its program")

    def text(self, number: int) -> str:
        """What a reader sees of a page; a DocumentError says why it cannot be told."""
        if number not in self._texts:
            with quiet():
                self._texts[number] = self._read(number)
        read = self._texts[number]
        if isinstance(read, DocumentError):
            raise read
        return read

    def unseen(self, number: int) -> Sequence[str]:
        """Why a reader does not see some text of a page, one reason each, the most frequent first."""
        self.text(number)
        return self._unseen.get(number, ())

    def _read(self, number: int) -> str | DocumentError:
        try:
            page = self._reader.pages[number - 1]
            painter = self._painter(page)
            painter.page(page.get("/Contents"), page.get("/Resources"), painter.surface.page)
            _annotations(page, painter)
            seen = painter.finish()
            self._unseen[number] = tuple(why for why, _ in painter.unseen.most_common())
            return _lines(self._reader, seen, painter.fonts)
        except TooMuchWorkError as why:
            problem = f"page {number} takes too long to read: {why}"
            return error(self._path, "work", problem, "save the PDF again from its program, or export the page as text")
        except FalseFontError as why:
            problem = f"the text of page {number} is not what the page shows: {why}"
            return error(self._path, "false-text", problem, "quote another source, or run text recognition on the page")
        except Exception as why:  # pypdf lets KeyError, RecursionError and more through on broken files
            return broken(self._path, why)

    def _painter(self, page: Any) -> Painter:
        unit = page.get("/UserUnit", 1)
        surface = Surface(_box(page), self._work)
        return Painter(
            surface, self._layers, self._work, self._operations, self._font,
            float(unit) if isinstance(unit, int | float) and unit > 0 else 1.0,
        )  # fmt: skip

    def _font(self, resource: Any) -> PdfFont:
        key = getattr(resource, "idnum", None) or -id(resource)
        if key not in self._fonts:
            self._fonts[key] = pdf_font(resource.get_object(), f"/S{len(self._fonts)}", self._work)
        return self._fonts[key]

    def _operations(self, content: Any) -> Sequence[tuple[Any, bytes]]:
        """The operators of a content stream, or of several in a row."""
        from pypdf.generic import ContentStream, DecodedStreamObject

        resolved = content.get_object() if content is not None else None
        parts = resolved if isinstance(resolved, list) else [resolved]
        streams = [part.get_object() for part in parts if part is not None]
        data = b"\n".join(self._data(stream) for stream in streams if hasattr(stream, "get_data"))
        whole = DecodedStreamObject()
        whole.set_data(data)
        parsed = ContentStream(whole, self._reader, "bytes").operations
        self._work.charge(OPERATOR * len(parsed), "operators")
        return parsed

    def _data(self, stream: Any) -> bytes:
        filters = stream.get("/Filter", ())
        filters = filters.get_object() if hasattr(filters, "get_object") else filters
        named = [str(each) for each in (filters if isinstance(filters, list) else (filters,) if filters else ())]
        packed = len(getattr(stream, "_data", b""))
        if any(name not in _READ for name in named) or (packed > _MOST_PACKED and any(name in _SLOW for name in named)):
            raise TooMuchWorkError(f"a content stream of {packed:,} bytes, packed as {', '.join(named)}")
        data = stream.get_data()
        self._work.charge(len(data), "content streams")
        return bytes(data)


def _lines(reader: Any, operations: list[Operation], fonts: dict[str, Any]) -> str:
    """The text of these operators, in lines, as pypdf sets them out."""
    from pypdf import PageObject
    from pypdf.generic import ContentStream, DictionaryObject, NameObject

    content = ContentStream(None, reader, "bytes")
    content.operations = operations
    page = PageObject(reader)
    listed = DictionaryObject({NameObject(name): resource for name, resource in fonts.items()})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): listed})
    page[NameObject("/Contents")] = content
    return str(page.extract_text(visitor_text=lambda *_: None))


def _box(page: Any) -> Box:
    whole: Box = (-_BIG, -_BIG, _BIG, _BIG)
    for box in (page.mediabox, page.cropbox):
        left, bottom, right, top = (float(each) for each in box)
        whole = overlap(whole, (min(left, right), min(bottom, top), max(left, right), max(bottom, top)))
    return whole


def _annotations(page: Any, painter: Painter) -> None:
    """Paints the annotations that hide the text under them, and the lines that strike it out."""
    listed = page.get("/Annots")
    listed = listed.get_object() if listed is not None else ()
    for each in listed if isinstance(listed, list) else ():
        note = each.get_object()
        painter.work.charge(OPERATOR, "annotations")
        if not hasattr(note, "raw_get") or not isinstance(note.get("/F", 0), int) or note.get("/F", 0) & _UNVIEWED:
            continue
        if "/OC" in note and painter.layers.hides(note.raw_get("/OC")):
            continue
        kind = str(note.get("/Subtype"))
        struck = kind == "/StrikeOut"
        if not struck and not _covers(note, kind):
            continue
        for box in _boxes(note, struck=struck):
            left, bottom, right, top = box
            corners = ((left, bottom), (right, bottom), (right, top), (left, top))
            painter.surface.paint(painter.next(), corners, painter.surface.page, None, opaque=True, struck=struck)


def _covers(note: Any, kind: str) -> bool:
    if float(note.get("/CA", 1)) < 0.9:
        return False
    if kind in ("/Stamp", "/Redact"):
        return "/AP" in note
    if kind == "/Widget":
        look = note.get("/MK")
        return bool(look is not None and look.get_object().get("/BG"))
    return bool(note.get(_COVERING.get(kind, ""), ()))


def _boxes(note: Any, *, struck: bool) -> Iterator[Box]:
    quads = note.get("/QuadPoints") if struck else None
    quads = quads.get_object() if quads is not None else ()
    numbers = [float(each) for each in (quads or note["/Rect"].get_object())]
    size = 8 if quads else 4
    for at in range(0, len(numbers) - size + 1, size):
        xs, ys = numbers[at : at + size : 2], numbers[at + 1 : at + size : 2]
        yield min(xs), min(ys), max(xs), max(ys)


def _open(data: bytes, path: str) -> Any:
    import pypdf

    with quiet():
        try:
            reader = pypdf.PdfReader(io.BytesIO(data))
            locked = reader.is_encrypted and not reader.decrypt("")
        except pypdf.errors.DependencyError:
            locked = True
        except Exception as why:
            raise broken(path, why) from None
    if locked:
        raise error(path, "encrypted", "the PDF is encrypted and cannot be read", "save a copy without a password")
    return reader


@contextmanager
def quiet() -> Iterator[None]:
    """pypdf tells its log about every oddity of a file; a finding says it once."""
    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def broken(path: str, why: Exception) -> DocumentError:
    problem = f"not a readable PDF: {type(why).__name__}: {str(why)[:120] or 'no details'}"
    return error(path, "pdf", problem, "save the PDF again from its program, or export the page as text")


def error(path: str, rule: str, problem: str, repair: str) -> DocumentError:
    return DocumentError([Finding(file=path, rule=f"source.{rule}", problem=problem, repair=repair)])
