"""The port through which a run looks outside, the params of a gather, and the receipts of what came.

A place to look has a `search` that gives hits and a `fetch` that gives a page. If one of them fails, it raises a
`NothingError` with the problem, which ends neither the gather nor the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from signoff.core.errors import DefinitionError
from signoff.core.events import Hit
from signoff.core.refs import digest
from signoff.evidence.sources.fetched_pages import PageText
from signoff.shell.run.store import Store

FOLDER, WEB = "folder", "web"

Plain = dict[str, Any]
"""JSON data."""


class NothingError(Exception):
    """Why a search or a fetch gave nothing."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Outside(Protocol):
    """A place to look for documents. Where it is `local`, looking again costs nothing and shows what changed."""

    @property
    def local(self) -> bool: ...

    async def search(self, query: str, limit: int) -> Sequence[Hit]:
        """What is found for a query, best first, at most so many. Raises NothingError."""

    async def fetch(self, url: str) -> PageText:
        """The page at a url. Raises NothingError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The params of a gather. `bytes` is for one page, `pages` and `seconds` are for the whole gather."""

    source: str = FOLDER
    folder: str = "0-sources/"
    limit: int = 5
    language: str = "en"
    allow_private: bool = False
    bytes: int = 2_000_000
    pages: int = 40
    seconds: float = 600.0


def wanted(params: Mapping[str, Any]) -> Wanted:
    """The params as a workflow gave them; an unknown one is a mistake of the workflow."""
    named = {"source" if name == "from" else name: value for name, value in params.items()}
    known = [field.name for field in fields(Wanted)]
    if unknown := [name for name in params if name == "source" or (name != "from" and name not in known)]:
        valid = ", ".join("from" if name == "source" else name for name in known)
        raise DefinitionError(f"a gather has the param {unknown[0]!r}", valid=valid)
    made = Wanted(**named)
    if made.source not in (FOLDER, WEB):
        raise DefinitionError(f"a gather looks for documents in {made.source!r}", valid=f"{FOLDER}, {WEB}")
    return made


class Receipts:
    """What a run received from outside, by what was asked for. A receipt that cannot be read does not count."""

    def __init__(self, store: Store, run: str, gather: str) -> None:
        self.store, self.run, self.gather = store, run, gather

    def place(self, what: str) -> str:
        """The path of the receipt for a request."""
        return f"{self.run}/gathered/{digest(what)[:32]}.json"

    def known(self, what: str) -> Plain | None:
        """What was received, if this gather may rely on it."""
        try:
            found = json.loads(self.store.read(self.place(what)) or b"null")
        except ValueError:
            return None
        if not isinstance(found, dict) or found.get("what") != what:
            return None
        return found if found.get("gather", self.gather) == self.gather else None

    def keep(self, what: str, *, passing: bool = False, **received: Any) -> Plain:
        """Keeps what was received, durably; if it is `passing`, it holds for this gather alone."""
        found = {"what": what, **({"gather": self.gather} if passing else {}), **received}
        data = f"{json.dumps(found, ensure_ascii=False)}\n".encode("utf-8", "replace")
        self.store.write(self.place(what), data, durable=True)
        return found
