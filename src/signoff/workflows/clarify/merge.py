"""What code computes and checks around decisions (CL-7, CL-9, CL-10, CL-13); the parts are in modules of their own.

`drafting` makes the drafts, `expectation` says what the final file must hold, `settle` checks what an agent makes of
it, and `staleness` tells what a changed answer undoes.
"""

from __future__ import annotations

from signoff.workflows.clarify.answers import NOT_ANSWERED
from signoff.workflows.clarify.drafting import Conflict, drafted, entries_for, missing_entries
from signoff.workflows.clarify.expectation import Expected, expected
from signoff.workflows.clarify.settle import check_final, final, front_findings, reviewing, settled
from signoff.workflows.clarify.staleness import Stale, open_entries, stale, unsettled

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
