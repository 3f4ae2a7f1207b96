"""Text that no reader of a source sees is never evidence: PDF pages."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pypdf
import pytest
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)

from signoff.core.errors import DocumentError
from signoff.evidence.sources.files import parse_source


def pdf_value(value: Any) -> Any:
    """The PDF object for a plain value: `/Name` for a name, a dict, a list, a number."""
    if isinstance(value, Mapping):
        return DictionaryObject({NameObject(f"/{key}"): pdf_value(each) for key, each in value.items()})
    if isinstance(value, list):
        return ArrayObject(map(pdf_value, value))
    if isinstance(value, str):
        return NameObject(value) if value.startswith("/") else TextStringObject(value)
    return NumberObject(value) if type(value) is int else FloatObject(value) if type(value) is float else value


class Pdf:
    """A PDF of pages with content streams as they are given; Helvetica is `/F1`."""

    def __init__(self) -> None:
        self.writer = pypdf.PdfWriter()
        self.fonts: dict[str, Any] = {}
        self.font("F1")

    def stream(self, data: bytes, **entries: Any) -> Any:
        stream = DecodedStreamObject()
        stream.set_data(data)
        packed: StreamObject = stream.flate_encode()
        packed.update(pdf_value(entries))
        return self.writer._add_object(packed)

    def font(self, name: str, **entries: Any) -> None:
        given = {"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Helvetica", **entries}
        self.fonts[name] = self.writer._add_object(pdf_value(given))

    def layer(self) -> Any:
        return self.writer._add_object(pdf_value({"Type": "/OCG"}))

    def page(self, content: str | bytes, resources: Mapping[str, Any] | None = None, **entries: Any) -> Pdf:
        page = self.writer.add_blank_page(300, 300)
        page[NameObject("/Resources")] = pdf_value({"Font": self.fonts, **(resources or {})})
        data = content if isinstance(content, bytes) else content.encode("latin-1")
        page[NameObject("/Contents")] = self.stream(data)
        page.update(pdf_value(entries))
        return self

    def data(self) -> bytes:
        out = io.BytesIO()
        self.writer.write(out)
        return out.getvalue()


SEEN = "BT /F1 12 Tf 20 280 Td (Measured 6 hours) Tj ET\n"
LIE = "(Runs 14 hours) Tj"


def said(pdf: Pdf) -> str:
    span = parse_source(pdf.data(), "r.pdf").page(1)
    assert span is not None
    return span.text


def is_unseen(pdf: Pdf) -> None:
    text = said(pdf)
    assert "Measured 6 hours" in text
    assert "14" not in text


UNSEEN = {
    "invisible mode": f"BT 3 Tr /F1 12 Tf 20 250 Td {LIE} ET",
    "clipping mode": f"BT 7 Tr /F1 12 Tf 20 250 Td {LIE} ET",
    "mode saved and brought back": f"q BT 3 Tr /F1 12 Tf 20 250 Td q 0 Tr Q {LIE} ET Q",
    "white": f"BT 1 g /F1 12 Tf 20 250 Td {LIE} ET",
    "white in red, green and blue": f"BT 1 1 1 rg /F1 12 Tf 20 250 Td {LIE} ET",
    "white ink": f"BT 0 0 0 0 k /F1 12 Tf 20 250 Td {LIE} ET",
    "nearly white": f"BT .96 .97 .98 rg /F1 12 Tf 20 250 Td {LIE} ET",
    "white by a colour space": f"/DeviceRGB cs 1 1 1 sc BT /F1 12 Tf 20 250 Td {LIE} ET",
    "white outlines": f"1 G BT 1 Tr /F1 12 Tf 20 250 Td {LIE} ET",
    "black on black": f"0 g 0 240 300 30 re f BT /F1 12 Tf 20 250 Td {LIE} ET",
    "white on a white area over a dark one": f".2 g 0 200 300 90 re f 1 g 0 240 300 30 re f BT /F1 12 Tf 20 250 Td "
    f"{LIE} ET 0 g {SEEN}",
    "off the page": f"BT /F1 12 Tf 400 250 Td {LIE} ET",
    "below the page": f"BT /F1 12 Tf 20 -50 Td {LIE} ET",
    "half off the page": f"BT /F1 12 Tf 270 250 Td {LIE} ET",
    "off the page by its matrix": f"q 1 0 0 1 900 0 cm BT /F1 12 Tf 20 250 Td {LIE} ET Q",
    "tiny": f"BT /F1 0.01 Tf 20 250 Td {LIE} ET",
    "tiny by its matrix": f"BT /F1 12 Tf 0.05 0 0 0.05 20 250 Tm {LIE} ET",
    "squeezed to nothing": f"BT /F1 12 Tf 1 Tz 20 250 Td {LIE} 100 Tz ET",
    "clipped away": f"q 0 0 10 10 re W n BT /F1 12 Tf 20 250 Td {LIE} ET Q",
    "clipped to nothing": f"q 5 5 0 0 re W n BT /F1 12 Tf 20 250 Td {LIE} ET Q",
    "covered": f"BT /F1 12 Tf 20 250 Td {LIE} ET 1 g 0 245 200 20 re f",
    "covered in black": f"BT /F1 12 Tf 20 250 Td {LIE} ET 0 g 0 245 200 20 re f",
    "covered in its middle": f"BT /F1 12 Tf 20 250 Td {LIE} ET 1 g 40 245 50 20 re f",
    "covered by a shape": f"BT /F1 12 Tf 20 250 Td {LIE} ET 1 g 0 250 m 100 275 l 200 250 l 100 210 l f",
    "in quotes": "BT 3 Tr /F1 12 Tf 20 250 Td (Runs 14 hours) ' ET",
    "in spaced quotes": '3 Tr BT /F1 12 Tf 20 250 Td 1 1 (Runs 14 hours) " ET',
    "in an array": "BT 3 Tr /F1 12 Tf 20 250 Td [(Runs) -300 (14) -300 (hours)] TJ ET",
    "replaced": "/Span <</ActualText (Runs 14 hours)>> BDC BT /F1 12 Tf 20 250 Td (x) Tj ET EMC",
    "in an unknown font": f"BT /F9 12 Tf 20 250 Td {LIE} ET",
}


@pytest.mark.req("EV-1")
@pytest.mark.parametrize("content", UNSEEN.values(), ids=UNSEEN)
def test_text_that_no_reader_of_a_page_sees_is_no_evidence(content: str) -> None:
    is_unseen(Pdf().page(content if SEEN in content else SEEN + content))


READ = {
    "white on a dark area": f".1 .2 .4 rg 0 240 300 30 re f 1 g BT /F1 12 Tf 20 250 Td {LIE} ET",
    "white on a dark shape": f"0 .3 0 rg 0 240 m 290 240 l 290 255 300 255 280 270 c 0 270 l h f 1 g "
    f"BT /F1 12 Tf 20 250 Td {LIE} ET",
    "grey": f".6 g BT /F1 12 Tf 20 250 Td {LIE} ET",
    "outlined": f"1 g 0 G BT 2 Tr /F1 12 Tf 20 250 Td {LIE} ET",
    "small print": f"BT /F1 5 Tf 20 250 Td {LIE} ET",
    "scaled": f"q 12 0 0 12 20 250 cm BT /F1 1 Tf {LIE} ET Q",
    "turned": f"BT /F1 12 Tf 0 1 -1 0 150 100 Tm {LIE} ET",
    "beside a later area": f"BT /F1 12 Tf 20 250 Td {LIE} ET .9 g 0 100 300 40 re f",
    "underlined": f"BT /F1 12 Tf 20 250 Td {LIE} ET 0 g 20 248 80 0.7 re f",
    "after a mode was brought back": f"q 3 Tr Q BT /F1 12 Tf 20 250 Td {LIE} ET",
    "inside of a clip": f"q 0 200 300 100 re W n BT /F1 12 Tf 20 250 Td {LIE} ET Q",
    "in an array": "BT /F1 12 Tf 20 250 Td [(Runs 1) -20 (4 hours)] TJ ET",
}


@pytest.mark.req("EV-1")
@pytest.mark.parametrize("content", READ.values(), ids=READ)
def test_text_that_a_reader_sees_is_read(content: str) -> None:
    assert "Runs 14 hours" in said(Pdf().page(content))


@pytest.mark.req("EV-1")
def test_a_page_whose_text_is_all_unseen_says_why() -> None:
    data = Pdf().page(UNSEEN["invisible mode"]).page(UNSEEN["off the page"]).data()
    for number, why in ((1, "invisible mode"), (2, "off the page")):
        with pytest.raises(DocumentError) as caught:
            parse_source(data, "r.pdf").page(number)
        finding = caught.value.findings[0]
        assert finding.rule == "source.no-text"
        assert "a reader sees none of it" in finding.problem
        assert why in finding.problem


@pytest.mark.req("EV-1")
def test_text_outside_of_the_crop_box_is_no_evidence() -> None:
    is_unseen(Pdf().page(f"{SEEN} BT /F1 12 Tf 20 50 Td {LIE} ET", CropBox=[0, 100, 300, 300]))


@pytest.mark.req("EV-1")
@pytest.mark.parametrize("way", ["marks", "form", "base", "membership", "usage"])
def test_text_on_a_layer_that_is_off_is_no_evidence(way: str) -> None:
    pdf = Pdf()
    layer = pdf.layer()
    default: dict[str, Any] = {"OFF": [layer]}
    group = layer
    if way == "base":
        default = {"BaseState": "/OFF"}
    elif way == "membership":
        group = pdf.writer._add_object(pdf_value({"Type": "/OCMD", "OCGs": [layer]}))
    elif way == "usage":
        default = {}
        layer.get_object().update(pdf_value({"Usage": {"View": {"ViewState": "/OFF"}}}))
    pdf.writer.root_object[NameObject("/OCProperties")] = pdf_value({"OCGs": [layer], "D": default})
    text = f"BT /F1 12 Tf 20 250 Td {LIE} ET"
    if way == "form":
        form = pdf.stream(text.encode(), Subtype="/Form", BBox=[0, 0, 300, 300], OC=layer)
        pdf.page(f"{SEEN} /X1 Do", {"XObject": {"X1": form}})
    else:
        pdf.page(f"{SEEN} /OC /L1 BDC {text} EMC", {"Properties": {"L1": group}})
    is_unseen(pdf)


@pytest.mark.req("EV-1")
def test_text_on_a_layer_that_is_on_is_read() -> None:
    pdf = Pdf()
    layer = pdf.layer()
    pdf.writer.root_object[NameObject("/OCProperties")] = pdf_value({"OCGs": [layer], "D": {"ON": [layer]}})
    pdf.page(f"/OC /L1 BDC BT /F1 12 Tf 20 250 Td {LIE} ET EMC", {"Properties": {"L1": layer}})
    assert "Runs 14 hours" in said(pdf)


@pytest.mark.req("EV-1")
@pytest.mark.parametrize("before", ["3 Tr", "1 g", "1 0 0 1 500 0 cm", ".01 0 0 .01 0 0 cm"])
def test_a_form_is_drawn_in_the_state_of_its_page(before: str) -> None:
    pdf = Pdf()
    text = f"BT /F1 12 Tf 20 250 Td {LIE} ET".encode()
    form = pdf.stream(text, Subtype="/Form", BBox=[0, 0, 300, 300], Resources={"Font": pdf.fonts})
    seen = Pdf()
    seen.page("/X1 Do", {"XObject": {"X1": seen.stream(text, Subtype="/Form", BBox=[0, 0, 300, 300])}})
    assert "Runs 14 hours" in said(seen)
    is_unseen(pdf.page(f"{SEEN} q {before} /X1 Do Q", {"XObject": {"X1": form}}))


@pytest.mark.req("EV-1")
def test_text_under_a_picture_is_no_evidence() -> None:
    pdf = Pdf()
    picture = pdf.stream(b"\0", Subtype="/Image", Width=1, Height=1, BitsPerComponent=8, ColorSpace="/DeviceGray")
    covered = f"BT /F1 12 Tf 20 250 Td {LIE} ET q 200 0 0 30 0 240 cm /I1 Do Q"
    is_unseen(pdf.page(SEEN + covered, {"XObject": {"I1": picture}}))


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    "note",
    [
        {"Subtype": "/Square", "IC": [1, 1, 1]},
        {"Subtype": "/FreeText", "C": [1, 1, 1]},
        {"Subtype": "/Stamp", "AP": {}},
        {"Subtype": "/Widget", "MK": {"BG": [1, 1, 1]}},
        {"Subtype": "/StrikeOut"},
        {"Subtype": "/StrikeOut", "QuadPoints": [15, 265, 150, 265, 15, 245, 150, 245]},
    ],
)
def test_text_under_an_annotation_or_struck_out_is_no_evidence(note: dict[str, Any]) -> None:
    text = f"{SEEN} BT /F1 12 Tf 20 250 Td {LIE} ET"
    is_unseen(Pdf().page(text, Annots=[{"Type": "/Annot", "Rect": [0, 240, 200, 270], **note}]))


@pytest.mark.req("EV-1")
@pytest.mark.parametrize("kind", ["/Highlight", "/Link", "/Underline"])
def test_text_that_is_highlighted_or_a_link_is_read(kind: str) -> None:
    note = {"Type": "/Annot", "Subtype": kind, "Rect": [0, 240, 200, 270]}
    assert "Runs 14 hours" in said(Pdf().page(f"BT /F1 12 Tf 20 250 Td {LIE} ET", Annots=[note]))


def cmap(pairs: Mapping[int, str], width: int = 2) -> bytes:
    lines = "\n".join(f"<{code:0{width}x}> <{said.encode('utf-16-be').hex()}>" for code, said in pairs.items())
    space = f"1 begincodespacerange <{'0' * width}> <{'f' * width}> endcodespacerange"
    return f"{space}\n{len(pairs)} beginbfchar\n{lines}\nendbfchar\n".encode()


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("font", "pairs"),
    [
        ({}, {ord("6"): "14"}),
        ({"Encoding": "/WinAnsiEncoding"}, {ord("6"): "9"}),
        ({"Encoding": "/WinAnsiEncoding", "Subtype": "/TrueType", "BaseFont": "/ABCDEF+Odd"}, {ord("e"): "a"}),
        ({"Encoding": {"Differences": [54, "/six"]}, "BaseFont": "/ABCDEF+Odd"}, {ord("6"): "9"}),
        ({"Encoding": "/WinAnsiEncoding"}, {ord(" "): "1"}),
    ],
)
def test_a_font_that_says_other_characters_than_it_shows_is_refused(
    font: dict[str, Any], pairs: dict[int, str]
) -> None:
    pdf = Pdf()
    pdf.font("F2", **font, ToUnicode=pdf.stream(cmap(pairs)))
    pdf.page(f"{SEEN} BT /F2 12 Tf 20 250 Td (6 hours) Tj ET")
    with pytest.raises(DocumentError) as caught:
        parse_source(pdf.data(), "r.pdf").page(1)
    finding = caught.value.findings[0]
    assert finding.rule == "source.false-text"
    assert "is not what the page shows" in finding.problem


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("font", "pairs"),
    [
        ({"Encoding": "/WinAnsiEncoding"}, {ord("6"): "6", ord("a"): "a"}),
        ({"Encoding": {"Differences": [54, "/g17"]}, "BaseFont": "/ABCDEF+Odd"}, {ord("6"): "6"}),
        ({"Encoding": {"Differences": [54, "/fi"]}, "BaseFont": "/ABCDEF+Odd"}, {ord("6"): "\ufb01"}),
    ],
)
def test_a_font_that_says_what_it_shows_is_read(font: dict[str, Any], pairs: dict[int, str]) -> None:
    pdf = Pdf()
    pdf.font("F2", **font, ToUnicode=pdf.stream(cmap(pairs)))
    assert said(pdf.page("BT /F2 12 Tf 20 250 Td (6) Tj ET")).strip()


@pytest.mark.req("EV-1")
def test_glyph_numbers_without_characters_are_no_evidence() -> None:
    pdf = Pdf()
    below = {"Type": "/Font", "Subtype": "/CIDFontType2", "BaseFont": "/Odd"}
    pdf.font("F2", Subtype="/Type0", Encoding="/Identity-H", DescendantFonts=[below])
    text = "14 hours".encode("utf-16-be").hex()
    is_unseen(pdf.page(f"{SEEN} BT /F2 12 Tf 20 250 Td <{text}> Tj ET"))


@pytest.mark.req("EV-1")
def test_metadata_and_notes_are_no_evidence() -> None:
    pdf = Pdf()
    pdf.writer.add_metadata({"/Title": "Runs 14 hours"})
    note = {"Type": "/Annot", "Subtype": "/Text", "Rect": [0, 0, 20, 20], "Contents": "Runs 14 hours"}
    is_unseen(pdf.page(SEEN, Annots=[note]))


def forms(pdf: Pdf, bodies: Sequence[bytes]) -> dict[str, Any]:
    listed = [pdf.stream(body, Subtype="/Form", BBox=[0, 0, 300, 300]) for body in bodies]
    resources = {"Font": pdf.fonts, "XObject": {f"X{place}": form for place, form in enumerate(listed)}}
    for form in listed:
        form.get_object().update(pdf_value({"Resources": resources}))
    return {"XObject": resources["XObject"]}


def hostile(kind: str) -> bytes:
    """A file of less than 100 KB that takes pypdf from many seconds to hours."""
    pdf = Pdf()
    text = b"BT /F1 12 Tf 20 250 Td (a) Tj ET "
    if kind == "forms":
        return pdf.page("/X0 Do", forms(pdf, [b"/X%d Do " % (at + 1) * 10 for at in range(8)] + [text])).data()
    if kind == "deep":
        return pdf.page("/X0 Do", forms(pdf, [b"/X%d Do " % (at + 1) for at in range(30)] + [text])).data()
    if kind == "cyclic":
        return pdf.page("/X0 Do", forms(pdf, [b"/X0 Do " + text])).data()
    if kind == "fonts":
        for at in range(400):
            pdf.font(f"F{at + 1}")
        return pdf.page("BT " + "".join(f"/F{at + 1} 9 Tf (a) Tj " for at in range(400)) + "ET").data()
    if kind in ("maps", "maps on many pages"):
        whole = pdf.stream(b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
                           b"1 beginbfrange\n<0000> <FFFF> <0000>\nendbfrange\n")  # fmt: skip
        count = 60 if kind == "maps" else 3
        for at in range(count):
            pdf.font(f"F{at + 1}", ToUnicode=whole, BaseFont="/ABCDEF+Odd")
        for _ in range(1 if kind == "maps" else 60):
            pdf.page("BT " + "".join(f"/F{at + 1} 9 Tf (a) Tj " for at in range(count)) + "ET")
        return pdf.data()
    contents = {
        "text": b"BT /F1 12 Tf 20 250 Td " + b"(a) Tj " * 3_000_000 + b"ET",
        "operators": b"q " * 400_000 + text,
        "areas": b"0 0 3 300 re f " * 15_000 + b"BT /F1 12 Tf 20 250 Td " + b"(a) Tj " * 15_000 + b"ET",
        "bytes": b"a" * 70_000_000,
    }
    return pdf.page(contents[kind]).data()


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    "kind", ["forms", "deep", "cyclic", "fonts", "maps", "maps on many pages", "text", "operators", "areas", "bytes"]
)
@pytest.mark.usefixtures("must_end")
def test_a_small_pdf_that_asks_for_much_work_is_refused(kind: str) -> None:
    data = hostile(kind)
    assert len(data) < 100_000
    with pytest.raises(DocumentError) as caught:
        assert parse_source(data, "r.pdf").pages
    finding = caught.value.findings[0]
    assert finding.rule == "source.work"
    assert "takes too long to read" in finding.problem
    assert finding.repair


@pytest.mark.req("EV-1")
def test_every_page_may_ask_for_the_work_of_a_real_one() -> None:
    pdf = Pdf()
    for _ in range(60):
        pdf.page("BT 14 TL /F1 9 Tf 20 290 Td " + "(Measured 6 hours) ' " * 20 + "ET")
    assert all(page.count("6 hours") == 20 for page in parse_source(pdf.data(), "r.pdf").pages)
