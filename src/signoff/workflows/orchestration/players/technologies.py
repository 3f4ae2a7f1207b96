"""The technologies that the offline architect knows by name, by the layer they belong to, and which one is taken.

What somebody said decides: an answer first, then a person who sent the drafts back, then the summary, then a house note
on it. The first of each layer is taken where nobody says anything, because it needs the least.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from signoff.artifacts.markdown_spans import squeeze


@dataclass(frozen=True, slots=True)
class Tech:
    """A technology: its layer and the key it stands under there, a version for want of a better, what speaks for it."""

    name: str
    layer: str
    key: str
    version: str
    because: str

    @property
    def said(self) -> str:
        return f"{self.name} {self.version}".strip()


KNOWN: Final = (
    Tech("SQLite", "database", "primary", "3", "One file, no server, and transactions"),
    Tech("PostgreSQL", "database", "primary", "16", "Many writers at once, and constraints that hold"),
    Tech("MySQL", "database", "primary", "8", "It is wide-spread and well understood"),
    Tech("MongoDB", "database", "primary", "7", "Documents without a fixed form"),
    Tech("Python", "backend", "language", "3.11", "It is readable, and its standard library goes far"),
    Tech("TypeScript", "backend", "language", "5", "Types on both sides of an interface"),
    Tech("Java", "backend", "language", "21", "It is wide-spread and well understood"),
    Tech("Go", "backend", "language", "1.22", "One file to put into service"),
    Tech("WSGI", "backend", "framework", "1.0", "It is in the standard library and every gateway speaks it"),
    Tech("FastAPI", "backend", "framework", "0.110", "It describes its endpoints by itself"),
    Tech("Flask", "backend", "framework", "3", "It is small and well known"),
    Tech("Django", "backend", "framework", "5", "It brings forms, accounts and pages along"),
    Tech("HTML", "frontend", "framework", "5", "Pages that the server makes need no program in the browser"),
    Tech("React", "frontend", "framework", "18", "Pages that change while somebody looks at them"),
    Tech("Vue", "frontend", "framework", "3", "Pages that change while somebody looks at them"),
    Tech("systemd", "infrastructure", "deployment", "", "It is on the server already"),
    Tech("Docker", "infrastructure", "deployment", "", "The same environment everywhere"),
    Tech("Kubernetes", "infrastructure", "orchestration", "", "Many containers on many machines"),
    Tech("pytest", "testing", "framework", "8", "Plain functions, and a folder of its own for each test"),
    Tech("unittest", "testing", "framework", "", "It is in the standard library"),
    Tech("Playwright", "testing", "browser", "", "It drives a real browser"),
)
LAYERS: Final = tuple(dict.fromkeys(tech.layer for tech in KNOWN))
_NUMBER: Final = r"\d[\d.]*\d|\d"
_IN_PLACE: Final = re.compile(
    rf"\b(?:use|take|with|choose|prefer)\s+(?P<new>[A-Za-z][\w.+#-]*)(?:\s+(?P<version>{_NUMBER}))?"
    r"\s+(?:instead of|rather than|in place of)\s+(?P<old>[\w.+#-]+)",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(
    r"\b(?:instead of|rather than|not|no|without|drop|remove|never|replace|in place of)\s+(?:\w+\s+)?\Z", re.IGNORECASE
)


def named(text: str) -> list[Tech]:
    """The technologies that a text is for, in its order, each with the version that it gives."""
    return [tech for tech, wanted in _mentions(text) if wanted]


def against(text: str) -> frozenset[str]:
    """The names of technologies that a text is against."""
    return frozenset(tech.name for tech, wanted in _mentions(text) if not wanted)


def first(wanted: Sequence[str], layer: str, key: str) -> tuple[Tech, str] | None:
    """The first technology for a place in the stack, with the text that names it."""
    for text in wanted:
        for tech in named(text):
            if (tech.layer, tech.key) == (layer, key):
                return tech, text
    return None


def default(layer: str, key: str, but: Iterable[str]) -> Tech | None:
    """What is taken where nobody says anything."""
    return next((tech for tech in KNOWN if (tech.layer, tech.key) == (layer, key) and tech.name not in but), None)


def version_in(text: str, name: str) -> str:
    """The version that a text gives a technology; "" where it gives none."""
    found = re.search(rf"(?<![\w-]){re.escape(name)}\s+({_NUMBER})(?![\w-])", squeeze(text), re.IGNORECASE)
    return found[1] if found else ""


def _strangers(line: str) -> Iterator[tuple[int, Tech, bool]]:
    """What somebody wants in the place of a technology that is known: it is taken by its name, and nothing is known of
    it besides."""
    for hit in _IN_PLACE.finditer(line):
        old = next((tech for tech in KNOWN if tech.name.casefold() == hit["old"].casefold()), None)
        if old and all(tech.name.casefold() != hit["new"].casefold() for tech in KNOWN):
            yield hit.start("new"), Tech(hit["new"], old.layer, old.key, hit["version"] or "", "It was asked for"), True


def _mentions(text: str) -> list[tuple[Tech, bool]]:
    line = squeeze(text)
    found = [*_strangers(line)]
    for tech in KNOWN:
        flags = 0 if tech.name in ("Go", "Vue", "React") else re.IGNORECASE  # also words, unless they are capital
        for hit in re.finditer(rf"(?<![\w-]){re.escape(tech.name)}(?:\s+({_NUMBER}))?(?![\w-])", line, flags):
            version = hit[1] or tech.version
            one = Tech(tech.name, tech.layer, tech.key, version, tech.because)
            found.append((hit.start(), one, _AGAINST.search(line[: hit.start()]) is None))
    return [(tech, wanted) for _, tech, wanted in sorted(found, key=lambda one: one[0])]
