"""What code computes and checks around decisions (CL-7, CL-9, CL-10, CL-13); the parts are in modules of their own.

`drafting` makes the drafts, `expectation` says what the final file must hold, `settle` checks what an agent makes of
it, and `staleness` tells what a changed answer undoes.
"""

from __future__ import annotations

from signoff.workflows.clarify.checks.expected_decisions import Expected, expected
from signoff.workflows.clarify.checks.staleness import Stale, open_entries, stale, unsettled
from signoff.workflows.clarify.documents.answers import NOT_ANSWERED
from signoff.workflows.clarify.steps.draft_decisions import Conflict, drafted, entries_for, missing_entries
from signoff.workflows.clarify.steps.final_decisions import check_final, final, front_findings, reviewing, settled

__all__ = [
    "NOT_ANSWERED",
    "Conflict",
    "Expected",
    "Stale",
    "check_final",
    "drafted",
    "entries_for",
    "expected",
    "final",
    "front_findings",
    "missing_entries",
    "open_entries",
    "reviewing",
    "settled",
    "stale",
    "unsettled",
]
