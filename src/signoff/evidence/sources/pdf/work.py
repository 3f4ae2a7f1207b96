"""How much work a PDF may ask for: so much to begin with, and so much for each byte of the file.

Compression turns a small file into a large one, and a page can be drawn many times. Everything that takes time is
charged here, so that the time to read a PDF stays in proportion to its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BASE: Final = 2_000_000
FOR_EACH_BYTE: Final = 20
"""Real pages come to less than ten times the size of their file, fonts and pictures included."""
OPERATOR: Final = 8
"""An operator takes about as long as this many bytes."""

FONT_ENTRY: Final = 4
"""A character of a font's map, or a width; pypdf reads them again for every page."""

MOST_SHOWN: Final = 50_000
MOST_CHARACTERS: Final = 400_000
MOST_FONTS: Final = 300
MOST_FORMS: Final = 2_000
DEEPEST: Final = 20


class TooMuchWorkError(Exception):
    """The page asks for more work than it is allowed; the text says of what."""


@dataclass
class Work:
    """What is left of the work that a document may ask for."""

    left: int

    @classmethod
    def for_file(cls, size: int) -> Work:
        return cls(BASE + FOR_EACH_BYTE * size)

    def charge(self, amount: int, what: str) -> None:
        self.left -= amount
        if self.left < 0:
            raise TooMuchWorkError(f"its {what} take more work than a file of this size may ask for")


def limit(count: int, most: int, what: str) -> None:
    """Raises TooMuchWorkError if a page has more of something than a page that people read has."""
    if count > most:
        raise TooMuchWorkError(f"more than {most:,} {what}")
