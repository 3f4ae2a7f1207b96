"""Which parser reads which file: a person's edit must be readable before it is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from signoff.workflows.orchestration import config, places
from signoff.workflows.orchestration.documents import (
    agent_instructions,
    agent_registry,
    agent_roster,
    architecture_decisions,
    contracts,
    plan_summary,
    review_questions,
    reviews,
    risks,
    technology_stack,
)

BY_CODE: Final = (
    places.SEQUENCE, places.COORDINATION, places.STATUS, places.VERIFICATION, places.RISK_REPORT, places.CHANGELOG,
)  # fmt: skip
"""Files that code computes from other documents: an edit of one is undone."""

_OF_WORK: Final = re.compile(
    rf"{places.AGENTS}[^/]+/(completion_drive/session_[^/]+\.json|verification_results\.json|task_output/manifest\.json"
    rf"|cleanup_log[^/]*\.json|archive_index[^/]*\.json)|{places.RISK}/poc_reviews/[^/]+\.json|{re.escape(places.REPORT)}"
)

Parse = Callable[[bytes, str], Any]
BY_PATH: Final[dict[str, Parse]] = {
    config.PATH: config.parse_doc,
    places.STACK: technology_stack.parse,
    places.DECISIONS: architecture_decisions.parse,
    places.ORDER: reviews.parse_order,
    places.QUESTIONS: lambda data, path: review_questions.read(data, path, None),
    places.REGISTRY: agent_registry.parse,
    places.ROSTER: agent_roster.parse,
    places.CONTRACTS: contracts.parse_contracts,
    places.CHECKPOINTS: contracts.parse_checkpoints,
    places.POC_SPECS: risks.parse_specs,
}
BY_PATTERN: Final[dict[str, Parse]] = {
    rf"{places.HOME}/conversation_summary_[a-z0-9_]+\.md": plan_summary.parse,
    rf"{places.FEEDBACK}/[a-z_]+_review\.md": reviews.parse_review,
    re.escape(places.copy_of("*", places.USER_REGISTRY)).replace(r"\*", "[^/]+"): agent_registry.parse,
    rf"{places.RESEARCH}[^/]+\.json": risks.parse_research,
    rf"{places.RISK}/checklists/[^/]+\.json": risks.parse_checklist,
    rf"{places.RISK}/consultations/[^/]+\.json": risks.parse_consultation,
    rf"{places.AGENTS}[^/]+/agent_instructions\.md": agent_instructions.parse,
}


def parser(path: str) -> Parse | None:
    """The parser of a document; None for other files."""
    of_kind = (parse for pattern, parse in BY_PATTERN.items() if re.fullmatch(pattern, path))
    return BY_PATH.get(path) or next(of_kind, None)


def is_of_work(path: str) -> bool:
    """Whether code writes this file during the work: notes, manifests, verdicts, the archive and the report."""
    return _OF_WORK.fullmatch(path) is not None


def is_document(path: str) -> bool:
    """Whether a file is a document of a task; other files belong to the person and are left alone."""
    return path in BY_CODE or parser(path) is not None
