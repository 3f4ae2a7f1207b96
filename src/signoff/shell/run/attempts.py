"""What one attempt of a turn leaves on the disk, and the event that follows from it.

The runner and the service that takes in submitted outputs keep the same files in the same order, so after a kill at any
moment both make the same event from what is there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from signoff.core.commands import StartTurn
from signoff.core.events import Called, TurnReturned, Usage
from signoff.core.refs import Ref, digest
from signoff.shell.run.journal import sayable
from signoff.shell.run.live_run import LiveRun, MakeEvent
from signoff.shell.run.store import Store
from signoff.shell.run.workspace import CallLog, Workspace

STRAYS = 20


def raw_place(folder: str, turn: str, attempt: int) -> str:
    """Where the raw output of an attempt is, in the folder of its run."""
    return f"{folder}/turns/{turn}/raw-{attempt}.txt"


class Attempt:
    """One attempt of an open turn: its output, receipt, commands and files, beside each other."""

    def __init__(self, live: LiveRun, start: StartTurn) -> None:
        self.live, self.start = live, start
        self.folder = f"{live.folder}/turns/{start.turn}"
        self.path = raw_place(live.folder, start.turn, start.attempt)
        self.log = CallLog(live.store, f"{self.folder}/calls-{start.attempt}.jsonl")
        self._list = f"{self.folder}/files-{start.attempt}.json"

    def output(self) -> bytes | None:
        """The output, once it has reached the disk."""
        return self.live.store.read(self.path)

    def space(self) -> Workspace:
        """A folder of its own with copies of the inputs, at the digests that they were pinned to."""
        pinned = {ref.path: ref for ref in self.start.pinned}
        return Workspace(
            self.start, lambda path: self.live.library.data(pinned[path]), self.log, self.live.store.barred
        )

    # --- keeping ---

    def receipt(self, worker: str, usage: Usage, model: str = "") -> None:
        """Notes who worked on it and what that cost. A lost receipt is an unknown price."""
        by = {"runtime": worker, **({"model": model} if model else {})}
        data = (json.dumps({**by, **asdict(usage)}, default=str) + "\n").encode()
        self.live.store.jot(_receipt_place(self.live.folder, self.start.turn, self.start.attempt), data)

    def keep_files(self, wrote: Mapping[str, bytes]) -> dict[str, str]:
        """Keeps files as objects of the library, and gives their digests; none is in its place by that."""
        refs = [Ref(name, digest(data)) for name, data in sorted(wrote.items())]
        for ref in refs:
            self.live.library.keep(ref, wrote[ref.path])
        return {ref.path: ref.sha256 for ref in refs}

    def keep(self, data: bytes, files: Mapping[str, str]) -> None:
        """Commands and files first, then the output, durably: an output on disk always has them beside it."""
        self.log.gave(digest(data))
        if files or self.live.store.read(self._list) is not None:
            listed = json.dumps({"output": digest(data), "files": dict(files)}, ensure_ascii=False)
            self.live.store.write(self._list, f"{listed}\n".encode(), durable=True)
        self.live.store.write(self.path, data, durable=True)

    def settle(self) -> None:
        """Writes what is there once more, for an attempt that has ended.

        This also uses up the temporary file that a kill in the middle of a write left: no later write would.
        """
        for path in (self.log.path, self._list, self.path):
            self.live.store.write(path, self.live.store.read(path), durable=False)

    # --- events ---

    def returned(self, data: bytes) -> MakeEvent:
        """That the turn gave this output, with what lies beside it."""
        start, store = self.start, self.live.store
        output = Ref(self.path, self.live.library.received(data))
        usage = receipt_usage(store.read(_receipt_place(self.live.folder, start.turn, start.attempt)))
        files = _listed(store.read(self._list), output.sha256)
        ran = self.log.ran(output.sha256)
        return lambda _state, at: TurnReturned(
            id=f"{start.turn}.{start.attempt}",
            at=at,
            by=f"agent:{start.agent}",
            turn=start.turn,
            attempt=start.attempt,
            output=output,
            files=files,
            usage=usage,
            ran=ran,
        )


# --- receipts ---------------------------------------------------------------------------------------------------------


def _receipt_place(folder: str, turn: str, attempt: int) -> str:
    return f"{folder}/turns/{turn}/usage-{attempt}.json"


def receipt_usage(data: bytes | None) -> Usage:
    """What an attempt cost, as its receipt says."""
    try:
        return Usage.reported(dict(json.loads(data or b"")))
    except (ValueError, TypeError, RecursionError):
        return Usage(cost=None)


def worker_of(store: Store, folder: str, turn: str, attempt: int) -> tuple[str, str]:
    """The runtime and the model that worked on an attempt; empty if the receipt does not say it."""
    try:
        plain = json.loads(store.read(_receipt_place(folder, turn, attempt)) or b"")
        return str(plain["runtime"]), str(plain.get("model", ""))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "", ""


# --- calls ------------------------------------------------------------------------------------------------------------


def called(start: StartTurn, tool: str, args: Mapping[str, object], call_id: str, at: str) -> Called:
    """That the agent of a turn asks for a tool."""
    return Called(
        id=f"{start.turn}.{start.attempt}.{call_id}",
        at=at,
        by=f"agent:{start.agent}",
        turn=start.turn,
        call_id=call_id,
        tool=tool,
        args=sayable(dict(args)),
    )


def strayed(start: StartTurn, strays: Sequence[str]) -> tuple[dict[str, object], str]:
    """The arguments and the id of the call that tells the kernel of files changed outside of the contract."""
    return {"paths": list(strays[:STRAYS]), "in all": len(strays)}, f"strays-{start.attempt}"


def _listed(data: bytes | None, output: str) -> dict[str, str]:
    """The files that came with this output; a list that a stopped attempt left is not taken for it."""
    plain = json.loads(data) if data else {}
    return dict(plain["files"]) if plain.get("output") == output else {}
