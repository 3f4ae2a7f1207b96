"""Tables as the offline doers know them: read from what a plan says, written as SQL, and read from SQL again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from signoff.artifacts.markdown_spans import squeeze

_SAID: Final = re.compile(
    r"(?<!\bof )\bthe (?P<name>[a-z]\w*) table (?:holds|has|keeps|contains|has the columns) (?P<columns>[^.;:]+)",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(r"(?:the )?times? of (?:its )?creation and (?:of )?(?:the |its )?last change", re.IGNORECASE)
_AND: Final = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_ONLY: Final = re.compile(r"\bunique\b|\bbelongs to one\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(?:an?|the|its|their)\s+", re.IGNORECASE)
_MAIL: Final = re.compile(r"\be-?mail(?: addresse?s?)?\b", re.IGNORECASE)
_CREATE: Final = re.compile(r'CREATE TABLE "?(?P<name>\w+)"? \((?P<columns>.+?)\n\)', re.IGNORECASE | re.DOTALL)
_UNIQUE: Final = re.compile(
    r'CREATE UNIQUE INDEX \S+\s+ON "?(?P<table>\w+)"? \("?(?P<column>\w+)"?(?P<folded> COLLATE NOCASE)?', re.IGNORECASE
)
MOST_WORDS: Final = 4
KEY: Final = "id"
TIMES: Final = ("created_at", "changed_at")


@dataclass(frozen=True, slots=True)
class Table:
    """A table and its columns; `unique` is the one of which no two rows have the same, `folded` whatever its case."""

    name: str
    columns: tuple[str, ...]
    unique: str = ""
    folded: bool = False

    @property
    def filled(self) -> tuple[str, ...]:
        """The columns that somebody has to give: neither the number nor the times nor the status come from outside."""
        return tuple(name for name in self.columns if name not in (KEY, *TIMES, "status"))

    @property
    def singular(self) -> str:
        return self.name.removesuffix("s") or self.name

    def has(self, *names: str) -> bool:
        return all(name in self.columns for name in names)


def column(phrase: str) -> str:
    """The name of a column from what people call it; "" for what is no name."""
    plain = _MAIL.sub("email", _ARTICLE.sub("", squeeze(phrase).strip(" ,")))
    words = re.findall(r"[a-z0-9]+", plain.casefold())
    return "_".join(words) if words and len(words) <= MOST_WORDS and not words[0][0].isdigit() else ""


def told(statements: Iterable[str]) -> tuple[Table, ...]:
    """The tables that statements speak of, each with an id; what is said of one in several places is put together."""
    texts = list(statements)
    found = dict[str, list[str]]()
    for text in texts:
        for hit in _SAID.finditer(text):
            listed = _TIMES.sub(", ".join(TIMES), hit["columns"])
            names = [column(part) for part in _AND.split(listed)]
            found.setdefault(hit["name"].casefold(), []).extend(filter(None, names))
    return tuple(_table(name, tuple(dict.fromkeys(columns)), texts) for name, columns in found.items() if columns)


def _table(name: str, columns: tuple[str, ...], texts: Sequence[str]) -> Table:
    said = [_MAIL.sub("email", text).casefold() for text in texts if _ONLY.search(text)]
    about = [(one, text) for text in said if name in text for one in columns if one.replace("_", " ") in text]
    unique, text = about[0] if about else ("", "")
    return Table(name, tuple(dict.fromkeys((KEY, *columns))), unique, re.search(r"\bcase\b", text) is not None)


def written(sql: Iterable[str]) -> tuple[Table, ...]:
    """The tables that scripts create, with the index that keeps a column unique."""
    whole = "\n".join(sql)
    unique = {hit["table"]: (hit["column"], bool(hit["folded"])) for hit in _UNIQUE.finditer(whole)}
    return tuple(
        Table(hit["name"], _columns(hit["columns"]), *unique.get(hit["name"], ("", False)))
        for hit in _CREATE.finditer(whole)
    )


def _columns(block: str) -> tuple[str, ...]:
    names = (re.match(r'\s*"?(\w+)"?\s+\w', line) for line in block.splitlines())
    return tuple(found[1] for found in names if found and found[1].upper() not in ("PRIMARY", "UNIQUE", "CHECK"))
