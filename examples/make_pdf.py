"""Turns plain text into a PDF with a text layer: `python make_pdf.py SOURCE.txt TARGET.pdf`.

Standard library only, and deterministic: the same text gives the same bytes. A line `---` alone begins a new page; a
line that starts with `# ` is set as a heading. Text is ASCII in Helvetica, one line of the source per line of the page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

WIDTH, HEIGHT, MARGIN = 595, 842, 64
BODY, HEADING, LEADING = 10.5, 15, 15.5


def make_pdf(text: str) -> bytes:
    """A PDF of the pages in `text`."""
    pages = text.strip("\n").split("\n---\n")
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for index, page in enumerate(pages):
        objects += [_page(5 + 2 * index), _stream(page)]
    return _file(objects)


def _page(contents: int) -> bytes:
    box = f"/MediaBox [0 0 {WIDTH} {HEIGHT}]"
    fonts = "/Resources << /Font << /F1 3 0 R >> >>"
    return f"<< /Type /Page /Parent 2 0 R {box} {fonts} /Contents {contents} 0 R >>".encode()


def _stream(page: str) -> bytes:
    content = "\n".join(_operators(page)).encode("ascii")
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _operators(page: str) -> Iterator[str]:
    yield f"BT {LEADING} TL {MARGIN} {HEIGHT - MARGIN} Td"
    for line in page.strip("\n").split("\n"):
        size, shown = (HEADING, line[2:]) if line.startswith("# ") else (BODY, line)
        escaped = shown.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        yield f"/F1 {size} Tf ({escaped}) Tj T*"
    yield "ET"


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, xref)
    return bytes(out)


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: make_pdf.py SOURCE.txt TARGET.pdf", file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    target.write_bytes(make_pdf(source.read_text(encoding="ascii")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
