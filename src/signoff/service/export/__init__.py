"""`signoff export`: released pages, or any Markdown file, as HTML, DOCX or PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from signoff.artifacts.text_decoding import decode
from signoff.core.errors import RefusedError, UsageError
from signoff.service.export.page_text import Page
from signoff.shell.files import inside, read_if_there, write_plain

FORMATS = ("html", "docx", "pdf")
MOST_PICTURE_BYTES = 20_000_000
_NEEDS = {"docx": "docx", "pdf": "fpdf"}
_MEDIA = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".svg": "image/svg+xml",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Files to export, into which folder (else beside them), in which format."""

    files: tuple[Path, ...]
    format: str
    into: Path | None = None
    font: Path | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """The files that were made, by the file that they are made from."""

    made: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, Any]:
        return {"files": [{"from": source, "to": target} for source, target in self.made]}


def export(asked: Asked) -> Exported:
    """Makes all files or, if one cannot be made, none."""
    if asked.format not in FORMATS:
        raise UsageError(f"--format is {asked.format!r}", valid=", ".join(FORMATS))
    _refuse_missing(asked.format)
    made: dict[Path, tuple[Path, bytes]] = {}
    for file in asked.files:
        target = (asked.into or file.parent) / f"{file.stem}.{asked.format}"
        if target in made:
            raise UsageError(
                f"{made[target][0]} and {file} would both be {target}", repair="export them into two folders"
            )
        if target.exists() and not asked.force:
            raise UsageError(f"{target} exists", repair="remove it, name another folder with --out, or add --force")
        made[target] = file, _rendered(file, asked)
    for target, (_, data) in made.items():
        write_plain(target, data)
    return Exported(tuple((str(file), str(target)) for target, (file, _) in made.items()))


def released(root: Path, run: str) -> Sequence[Path]:
    """The released pages of a run of this project."""
    folder = inside(root, f"4-release/{run}")
    files = sorted(folder.glob("*.md")) if folder.is_dir() else []
    if not files:
        raise RefusedError(
            f"{run!r} is neither a file nor a run with released pages", repair="name a Markdown file, or finish the run"
        )
    return files


def _refuse_missing(format_: str) -> None:
    package = _NEEDS.get(format_)
    if package and find_spec(package) is None:
        raise UsageError(
            f"--format {format_} needs the extra `export`", repair="install it: pip install 'signoff[export]'"
        )


def _rendered(file: Path, asked: Asked) -> bytes:
    data = read_if_there(file)
    if data is None:
        raise UsageError(f"{file} is not there", repair="name a Markdown file, or a run with released pages")
    page = Page(decode(data, str(file)), file.stem, lambda source: _picture(file.parent, source))
    if asked.format == "html":
        from signoff.service.export.html_page import html

        return html(page)
    if asked.format == "docx":
        from signoff.service.export.word_document import docx

        return docx(page)
    from signoff.service.export.pdf_document import pdf

    return pdf(page, asked.font)


def _picture(folder: Path, source: str) -> tuple[bytes, str] | None:
    """A picture beside the page. What lies elsewhere is neither read nor fetched."""
    kind = _MEDIA.get(Path(source).suffix.lower())
    if kind is None or ":" in source or source.startswith("/"):
        return None
    try:
        data = read_if_there(inside(folder, unquote(source)))
    except UsageError:
        return None
    return (data, kind) if data is not None and len(data) <= MOST_PICTURE_BYTES else None
