"""The fonts of a PDF: files of this machine, or one that the person names. None is shipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from signoff.core.errors import UsageError
from signoff.service.export.page_text import HAN

HAN_FILES = (
    "NotoSansSC-Regular", "NotoSansCJKsc-Regular", "NotoSansCJK-Regular", "SourceHanSansSC-Regular",
    "SourceHanSans-Regular", "wqy-microhei", "wqy-zenhei", "msyh", "simhei", "PingFang", "STHeiti Light",
    "Hiragino Sans GB", "DroidSansFallbackFull", "Arial Unicode", "uming", "ukai",
)  # fmt: skip
"""Fonts with Chinese characters by file name, the best first."""
LATIN_FILES = (
    "NotoSans-Regular",
    "DejaVuSans",
    "LiberationSans-Regular",
    "Arial",
    "arial",
    "Helvetica",
    "Roboto-Regular",
)


@dataclass(frozen=True, slots=True)
class Font:
    """A font file; `number` is the font's place in a collection."""

    path: Path
    number: int = 0

    @property
    def bold(self) -> Path | None:
        """The bold file beside it."""
        names = (self.path.name.replace("-Regular", "-Bold"), f"{self.path.stem}-Bold{self.path.suffix}")
        found = (self.path.with_name(name) for name in names)
        return next((path for path in found if path != self.path and path.is_file()), None)


def fonts_for(text: str, given: Path | None) -> list[Font]:
    """The fonts that have every character of the text, the main one first; a UsageError names what is missing."""
    wanted = {char for char in text if not char.isspace() and char.isprintable()}
    chosen: list[Font] = []
    for font in _candidates(given):
        has = wanted & _characters(font.path, font.number)
        if has and (not chosen or has - _covered(chosen)):
            chosen.append(font)
        if wanted <= _covered(chosen):
            return chosen
        if given is not None and font.path == given and not has:
            raise UsageError(
                f"--font {given} has no glyph for the page", repair="name a TrueType or OpenType font file"
            )
    lacking = sorted(wanted - _covered(chosen))
    raise _missing(lacking)


def _missing(lacking: list[str]) -> UsageError:
    chinese = [char for char in lacking if HAN.match(char)]
    named = chinese or lacking
    shown = "".join(named[:20]) + ("…" if len(named) > 20 else "")
    if chinese:
        return UsageError(
            f"no font on this machine has the Chinese characters {shown!r}",
            valid=f"a font such as {', '.join(HAN_FILES[:3])} or wqy-microhei",
            repair="install one (Debian, Ubuntu: `apt install fonts-noto-cjk`), or name a file with --font FILE",
        )
    return UsageError(
        f"no font on this machine has {shown!r}",
        valid=f"a font such as {', '.join(LATIN_FILES[:3])}",
        repair="install one, or name a file with --font FILE",
    )


def _covered(fonts: list[Font]) -> set[str]:
    return {char for font in fonts for char in _characters(font.path, font.number)}


def _candidates(given: Path | None) -> Iterator[Font]:
    if given is not None:
        if not given.is_file():
            raise UsageError(f"--font {given} is not there", repair="name a TrueType or OpenType font file")
        yield Font(given)
    for name in (*LATIN_FILES, *HAN_FILES):
        found = _installed().get(name)
        if found is not None and _characters(found, 0):
            yield Font(found)


@cache
def _installed() -> dict[str, Path]:
    """Font files by name without suffix."""
    found: dict[str, Path] = {}
    for folder in _folders():
        for home, _, names in os.walk(folder):
            for name in sorted(names):
                stem, _, suffix = name.rpartition(".")
                if suffix.lower() in ("ttf", "otf", "ttc"):
                    found.setdefault(stem, Path(home) / name)
    return found


def _folders() -> list[Path]:
    given = os.environ.get("SIGNOFF_FONTS")
    if given is not None:
        return [Path(part) for part in given.split(os.pathsep) if part]
    home = Path.home()
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".fonts", home / ".local/share/fonts"]


@cache
def _characters(path: Path, number: int) -> frozenset[str]:
    """The characters that a font has; none for a file that cannot be embedded."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with TTFont(path, fontNumber=number, lazy=True) as font:
            return frozenset(map(chr, font.getBestCmap() or ()))
    except (TTLibError, OSError, ValueError, KeyError):
        return frozenset()
