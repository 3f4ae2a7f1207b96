"""What the kernel wants done. Ids are derived from state, so issuing a command again is harmless."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signoff.core.findings import Finding
from signoff.core.refs import Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """How often one turn may be tried: after an invalid output, and in all after crashes.

    `seconds` is for the whole turn, `command` for one command that it runs. `requests` is how often a model may be
    asked within one attempt: once for each call of a tool, and for the output.
    """

    invalid: int = 2
    crashed: int = 3
    seconds: float | None = None
    command: float = 120.0
    requests: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTurn:
    """Give one agent one piece of work. A workflow names the `key`; the kernel gives `turn` and `attempt`.

    `reads` are paths when a workflow asks; the kernel pins them to digests in `pinned`. `guides` are files that say how
    the work is done, and not what it is about: the project's, pinned like inputs, or else the workflow's own. `writes`
    and `runs` are patterns of paths and of commands (`core/permissions.py`); `leaves` are patterns of by-products of
    the commands, which are thrown away. `tools` are the workflow's own, and `write_file` for a turn that gives files
    beside its output.
    """

    key: str
    agent: str
    contract: str
    task: str
    reads: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
    limits: TurnLimits = TurnLimits()
    turn: str = ""
    attempt: int = 1
    pinned: tuple[Ref, ...] = ()
    told: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTurn:
    """End a turn that is out or parked; an output that still arrives is not applied."""

    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Answer a tool call: with a result, or with why the call is not legal now and what is."""

    turn: str
    call_id: str
    result: Any = None
    illegal: str = ""
    legal: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Run a gate on these documents: a workflow names paths by role, the kernel pins them to digests in `of`.

    A check replaces an open one of the same key.
    """

    key: str
    gate: str
    reads: Mapping[str, str]
    params: Mapping[str, Any] = field(default_factory=dict)
    of: Mapping[str, Ref] = field(default_factory=dict)
    check: str = ""


PERSONS, WORDS = "persons", "words"
"""Notes of a request: `persons` if only a person may settle it, `words` lists the options that need a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gather:
    """Look for documents: `queries` are searched for, `urls` are fetched into the folder `into`.

    `params` say where and how much: `from` is `folder` (the documents below `folder`) or `web`, `limit` is how many
    hits a query may have (`shell/outside/params.py` has them all). A gather replaces an open one of the same key.
    """

    key: str
    queries: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    into: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    gather: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Ask a person. `of` are the digests of what they are asked about, `notes` what they should know."""

    key: str
    kind: str
    options: tuple[str, ...]
    question: str
    of: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Take a request back."""

    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Write a document, or remove it (text None), if its place still has what was expected."""

    path: str
    text: str | None
    expect: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Put a file from outside in its place, if the place still has what was expected.

    An agent wrote the file, or it was fetched; the store keeps its bytes as an object.
    """

    path: str
    sha256: str
    expect: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """Tick this timer at that time."""

    timer: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The run stops here, for this reason."""

    reason: str


Command = StartTurn | CancelTurn | Reply | Check | Gather | Ask | Withdraw | Write | Place | Wake | Finish
