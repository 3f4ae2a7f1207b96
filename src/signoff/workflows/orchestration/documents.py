"""Which document is read as what: for a person's edits, which are judged before they are taken in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from signoff.workflows.orchestration import (
    checkpoints,
    config,
    decisions,
    file_contracts,
    instructions,
    places,
    plan,
    questions,
    registry,
    reviews,
    risks,
    roster,
    stack,
)

BY_CODE: Final = (
    places.SEQUENCE, places.COORDINATION, places.STATUS, places.VERIFICATION, places.RISK_REPORT, places.CHANGELOG,
)  # fmt: skip
"""What follows from other documents: an edit of it is put back."""

_WORKED: Final = re.compile(
    rf"{places.AGENTS}[^/]+/(completion_drive/session_[^/]+\.json|verification_results\.json|task_output/manifest\.json"
    rf"|cleanup_log[^/]*\.json|archive_index[^/]*\.json)|{places.RISK}/poc_reviews/[^/]+\.json|{re.escape(places.REPORT)}"
)

Parse = Callable[[bytes, str], Any]
Matches = Callable[[str], bool]


def _is(*paths: str) -> Matches:
    return lambda path: path in paths


def _like(pattern: str) -> Matches:
    return lambda path: re.fullmatch(pattern, path) is not None


PARSERS: Final[tuple[tuple[Matches, Parse], ...]] = (
    (_is(config.PATH), config.parse_doc),
    (_like(rf"{places.HOME}/conversation_summary_[a-z0-9_]+\.md"), plan.parse),
    (_is(places.STACK), stack.parse),
    (_is(places.DECISIONS), decisions.parse),
    (_is(places.ORDER), reviews.parse_order),
    (_is(places.QUESTIONS), lambda data, path: questions.read(data, path, None)),
    (_like(rf"{places.FEEDBACK}/[a-z_]+_review\.md"), reviews.parse_review),
    (_is(places.REGISTRY), registry.parse),
    (_like(re.escape(places.copy_of("*", places.USER_REGISTRY)).replace(r"\*", "[^/]+")), registry.parse),
    (_is(places.ROSTER), roster.parse),
    (_is(places.CONTRACTS), file_contracts.parse),
    (_is(places.CHECKPOINTS), checkpoints.parse),
    (_is(places.POC_SPECS), risks.parse_specs),
    (_like(rf"{places.RESEARCH}[^/]+\.json"), risks.parse_research),
    (_like(rf"{places.RISK}/checklists/[^/]+\.json"), risks.parse_checklist),
    (_like(rf"{places.RISK}/consultations/[^/]+\.json"), risks.parse_consultation),
    (_like(rf"{places.AGENTS}[^/]+/agent_instructions\.md"), instructions.parse),
)


def parser(path: str) -> Parse | None:
    """How a document is read; None for a file that means nothing here."""
    return next((parse for matches, parse in PARSERS if matches(path)), None)


def is_of_work(path: str) -> bool:
    """Whether code writes it while the work is done: notes, manifests, verdicts, the archive and the report."""
    return _WORKED.fullmatch(path) is not None


def is_one(path: str) -> bool:
    """Whether a file is a document of a task. Others may lie beside them: they are the person's, and left alone."""
    return path in BY_CODE or parser(path) is not None
