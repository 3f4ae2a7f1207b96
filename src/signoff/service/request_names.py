"""Requests as people read them: options and values under their names in the language of the run.

A status holds the values, because it follows from the journal. Only the standard library is imported until a run needs
names, so that an inbox stays fast.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signoff.core.terms import Terms

HOME, JOURNAL = "_workflow", "journal.jsonl"


def named(status: Mapping[str, Any], language: str | None = None) -> list[dict[str, Any]]:
    """The requests of a status with the names of their options and values.

    Without the language of the run, it is read from the first line of its journal.
    """
    requests = [dict(request) for request in status.get("requests", ())]
    if not requests:
        return []
    language = language or _language(status)
    if language == "en" and json.dumps(requests, ensure_ascii=False).isascii():
        return requests  # an English value is its own English name
    from signoff.service import catalog

    if status["workflow"] not in catalog.names():
        return requests
    terms = catalog.workflow(str(status["workflow"])).views.terms
    return [{**request, **texts(request, terms, language)} for request in requests]


def texts(request: Mapping[str, Any], terms: Terms, language: str) -> dict[str, Any]:
    """What a person reads of a request."""
    about = dict(request.get("about") or {})
    return {
        "question": terms.shown(str(request["question"]), language),
        "options": [terms.name(option, language) for option in request["options"]],
        "about": {terms.name(option, language): terms.shown(text, language) for option, text in about.items()},
    }


def _language(status: Mapping[str, Any]) -> str:
    """The language of a run, from the event that began it."""
    from signoff.core.terms import language_of

    home = Path(str(status["project"]), HOME)
    own = home / str(status["workflow"]) / str(status["run"]) / JOURNAL
    journal = own if own.exists() else home / JOURNAL
    try:
        with journal.open("rb") as lines:
            return language_of(json.loads(lines.readline())["events"][0]["params"])
    except (OSError, ValueError, LookupError, TypeError):
        return "en"
