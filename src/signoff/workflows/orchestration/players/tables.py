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
_OVER: Final = re.compile(
    r"\bunique\b[^.;]*?\b(?:over|on|for each) (?P<columns>[\w ,-]+?)(?= keeps?\b|[.;]|$)", re.IGNORECASE
)
_STATUS: Final = re.compile(r"\bstatus(?: is set)? (?:to|becomes|is) (?:`|“)?(?P<name>[a-z][a-z_]*)", re.IGNORECASE)
_FIRST: Final = re.compile(
    r"\b(?:new|created)\b[^.;]*\bstatus (?:is |of )?(?:`|“)?(?P<name>[a-z][a-z_]*)", re.IGNORECASE
)
_ARTICLE: Final = re.compile(r"^(?:an?|the|its|their)\s+", re.IGNORECASE)
_MAIL: Final = re.compile(r"\be-?mail(?: addresse?s?)?\b", re.IGNORECASE)
_CREATE: Final = re.compile(r'CREATE TABLE "?(?P<name>\w+)"? \((?P<columns>.+?)\n\)', re.IGNORECASE | re.DOTALL)
_UNIQUE: Final = re.compile(
    r'CREATE UNIQUE INDEX (?:IF NOT EXISTS )?\S+\s+ON "?(?P<table>\w+)"? ?\((?P<columns>[^)]+)\)', re.IGNORECASE
)
_DEFAULT: Final = re.compile(r"\bDEFAULT '(?P<name>\w+)'", re.IGNORECASE)
_COUNTED: Final = re.compile(r"(?:^|_)(?:quantity|count|capacity|seats|stock|age|year|pages|copies)$|^number_of_")
"""Columns that hold whole numbers, by what they are called."""
_INDEX: Final = re.compile(
    r'CREATE (?P<unique>UNIQUE )?INDEX (?:IF NOT EXISTS )?"?(?P<name>\w+)"?'
    r'\s+ON "?(?P<table>\w+)"? ?(?P<rest>\([^;]+);',
    re.IGNORECASE,
)
_CLAUSES: Final = ("PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT")
MOST_WORDS: Final = 4
KEY: Final = "id"
TIMES: Final = ("created_at", "changed_at")
STATUS: Final = "status"
ACTIVE: Final = "active"
"""The status of a new row, where nobody names another."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table and its columns; no two rows have the same in all of `unique`, `folded` whatever its case.

    `whole` are the columns that hold whole numbers, `first` is the status that a new row has.
    """

    name: str
    columns: tuple[str, ...]
    unique: tuple[str, ...] = ()
    folded: bool = False
    whole: tuple[str, ...] = ()
    first: str = ""

    @property
    def filled(self) -> tuple[str, ...]:
        """The columns that somebody has to give: neither the number nor the times nor the status come from outside."""
        return tuple(name for name in self.columns if name not in (KEY, *TIMES, STATUS))

    @property
    def singular(self) -> str:
        return self.name.removesuffix("s") or self.name

    @property
    def index(self) -> str:
        """What its unique index is called."""
        return "_".join((self.name, *self.unique))

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


def unread(text: str) -> list[str]:
    """What a statement says that a table holds and that is no name of a column."""
    parts = (part for hit in _SAID.finditer(text) for part in _AND.split(_TIMES.sub("", hit["columns"])))
    return [part for part in map(squeeze, parts) if part and not column(part)]


def _table(name: str, columns: tuple[str, ...], texts: Sequence[str]) -> Table:
    unique, text = next(filter(None, (_kept(name, columns, text) for text in texts)), ((), ""))
    folded = re.search(r"\bcase\b", text, re.IGNORECASE) is not None
    first = (statuses(texts)[:1] or ("",))[0] if STATUS in columns else ""
    return Table(name, tuple(dict.fromkeys((KEY, *columns))), unique, folded, counted(columns), first)


def _kept(name: str, columns: tuple[str, ...], text: str) -> tuple[tuple[str, ...], str] | None:
    """The columns that a statement keeps unique together; None where it does not say plainly which they are."""
    said = _MAIL.sub("email", text).casefold()
    if not _ONLY.search(said) or name not in said:
        return None
    over = _OVER.search(said)
    if over:
        listed = tuple(column(part) for part in _AND.split(over["columns"]))
        return (listed, text) if listed and all(one in columns for one in listed) else None
    named = tuple(one for one in columns if one != KEY and re.search(rf"\b{one.replace('_', ' ')}s?\b", said))
    return (named, text) if len(named) == 1 else None


def counted(columns: Iterable[str]) -> tuple[str, ...]:
    """Those of the columns that hold whole numbers."""
    return tuple(name for name in columns if _COUNTED.search(name))


def statuses(texts: Iterable[str]) -> tuple[str, ...]:
    """The statuses that statements name, the one of a new row first; none where they name none."""
    said = list(texts)
    first = next((hit["name"].casefold() for text in said if (hit := _FIRST.search(text))), ACTIVE)
    later = [hit["name"].casefold() for text in said for hit in _STATUS.finditer(text)]
    if not later and any(re.search(r"\binactive\b", text, re.IGNORECASE) for text in said):
        later = ["inactive"]
    return tuple(dict.fromkeys((first, *later))) if later else ()


def written(sql: Iterable[str]) -> tuple[Table, ...]:
    """The tables that scripts create, with the index that keeps columns unique."""
    whole = "\n".join(sql)
    unique = {hit["table"]: _indexed(hit["columns"]) for hit in _UNIQUE.finditer(whole)}
    return tuple(_as_written(hit, unique.get(hit["name"], ((), False))) for hit in _CREATE.finditer(whole))


def _as_written(hit: re.Match[str], unique: tuple[tuple[str, ...], bool]) -> Table:
    kinds = dict(kept_as(hit["columns"]))
    whole = tuple(name for name, kind in kinds.items() if name != KEY and kind.upper().startswith("INT"))
    default = _DEFAULT.search(kinds.get(STATUS, ""))
    return Table(hit["name"], tuple(kinds), *unique, whole, default["name"] if default else "")


def _indexed(columns: str) -> tuple[tuple[str, ...], bool]:
    names = re.findall(r'"?(\w+)"?(?:\s+COLLATE\s+\w+)?\s*(?:,|$)', columns, re.IGNORECASE)
    return tuple(names), "NOCASE" in columns.upper()


def kept_as(block: str) -> list[tuple[str, str]]:
    """The columns of a table, each with what the script says of it, in its order."""
    lines = (re.match(r'\s*"?(\w+)"?\s+(\w.*?),?\s*$', line) for line in block.splitlines())
    return [(hit[1], squeeze(hit[2])) for hit in lines if hit and hit[1].upper() not in _CLAUSES]


def facts(sql: Iterable[str]) -> list[str]:
    """What scripts make, a line for each column and each index, as a handover has it."""
    whole, found = "\n".join(sql), list[str]()
    for hit in _CREATE.finditer(whole):
        found += ["", f"## {hit['name']}", "", "| column | kept as |", "|---|---|"]
        found += [f"| `{name}` | {kind.replace('|', chr(92) + '|')} |" for name, kind in kept_as(hit["columns"])]
        for index in _INDEX.finditer(whole):
            if index["table"] == hit["name"]:
                kind = "unique index" if index["unique"] else "index"
                found += ["", f"The {kind} `{index['name']}` is over {squeeze(index['rest'].replace(chr(34), ''))}."]
    return found
