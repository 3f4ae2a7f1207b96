"""Errors a person may meet. The class says who must act.

SignoffError
├── UserError            the person at the keyboard: exit 2
│   ├── UsageError           a wrong argument
│   ├── DocumentError        a file that cannot be read as what it should be (carries findings)
│   └── RefusedError         an act that is not legal now
├── OperatorError        the operator of the machine: disk, permissions, locks
│   ├── StoreError           the store cannot be read or written
│   ├── CorruptError         the journal contradicts itself
│   └── LockedError          another process holds the run
├── MovedError           the caller: the run has moved, decide again
└── DefinitionError      a developer: a workflow that contradicts itself
"""

from __future__ import annotations

from collections.abc import Sequence

from signoff.core.findings import Finding


class SignoffError(Exception):
    """Says what was found, what is valid, and how to repair it."""

    def __init__(self, found: str, *, valid: str = "", repair: str = "") -> None:
        self.found, self.valid, self.repair = found, valid, repair
        parts = [found.rstrip(".")]
        if valid:
            parts.append(f"Valid: {valid.rstrip('.')}")
        if repair:
            parts.append(f"Repair: {repair.rstrip('.')}")
        super().__init__(". ".join(parts) + ".")


class UserError(SignoffError):
    """The person who gave the input can fix it."""


class UsageError(UserError):
    """A wrong or missing argument."""


class DocumentError(UserError):
    """A file cannot be read as what it should be."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        if not findings:
            raise DefinitionError("a DocumentError without findings", repair="pass at least one finding")
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in findings))


class RefusedError(UserError):
    """The act is not legal in this state of the run."""


class OperatorError(SignoffError):
    """The operator of the machine can fix it: disk, permissions, processes."""


class StoreError(OperatorError):
    """The store cannot be read or written."""


class CorruptError(OperatorError):
    """The journal contradicts itself; nothing is guessed."""


class LockedError(OperatorError):
    """Another process holds the run and did not let go in time."""


class MovedError(SignoffError):
    """The run has a newer revision than the one a commit was decided on."""

    def __init__(self, expected: int, found: int) -> None:
        self.expected, self.actual = expected, found
        super().__init__(f"the run is at revision {found}, the commit was decided on {expected}")


class DefinitionError(SignoffError):
    """A workflow, gate or contract that contradicts itself; raised when it is built."""
