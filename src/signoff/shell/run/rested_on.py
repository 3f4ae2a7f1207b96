"""What a run rests on, for a look from outside, and what of it was edited while an approval waits."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from signoff.core.commands import Ask
from signoff.core.decide import approved_changes
from signoff.core.events import DocsChanged, Event
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import Workflow
from signoff.shell.run.store import Places, covers

APPROVAL = "approval"


def rests(state: State) -> bool:
    """Whether the run has come to a point where an edit is news: its end, or an approval that waits."""
    return state.stop == "complete" or any(ask.kind == APPROVAL for ask in state.requests.values())


def listed(workflow: Workflow, state: State, look: Look, places: Places) -> dict[str, Any]:
    """The documents that the run rests on, by digest, and the places at which a new file is an edit."""
    wanted = workflow.rests_on(state, look)
    files = {path: sha for path, sha in state.docs.items() if covers(wanted, path) and places.holds(path)}
    watched = (*places.sources, *places.tracked)
    new_at = dict.fromkeys(one for one in wanted if one not in files and covers(watched, one))
    return {"files": files, "places": list(new_at)}


class SinceAsked:
    """What people edited since each approval was asked for, beside the documents that the request is about."""

    def __init__(self) -> None:
        self._before: dict[str, dict[str, str]] = {}

    def follow(self, event: Event, before: State, after: State) -> None:
        """Takes an event in; a request that is settled or withdrawn is forgotten."""
        if isinstance(event, DocsChanged):
            for name, ask in before.requests.items():
                if ask.kind == APPROVAL:
                    known = self._before.setdefault(name, {})
                    for path in event.docs:
                        known.setdefault(path, before.docs.get(path, ""))
        self._before = {name: known for name, known in self._before.items() if name in after.requests}

    def edited(self, ask: Ask, workflow: Workflow, state: State, look: Look) -> dict[str, str]:
        """What the request rests on and was edited, with the digest from before; an edit that was undone is none."""
        known = self._before.get(ask.request, {})
        return {path: known[path] for path in _moved(known, known, ask, workflow, state, look)}

    def changed(self, ask: Ask, workflow: Workflow, state: State, look: Look) -> tuple[str, ...]:
        """All that changed since the request was written: what it is about, and what it rests on."""
        return (*approved_changes(ask, state), *self.edited(ask, workflow, state, look))


def moved(ask: Ask, before: Mapping[str, str], workflow: Workflow, state: State, look: Look) -> tuple[str, ...]:
    """What a request rests on, beside the documents that it is about, and differs from before."""
    return _moved({*before, *state.docs}, before, ask, workflow, state, look) if state.docs is not before else ()


def _moved(
    paths: Collection[str], before: Mapping[str, str], ask: Ask, workflow: Workflow, state: State, look: Look
) -> tuple[str, ...]:
    differing = [path for path in paths if state.docs.get(path, "") != before.get(path, "") and path not in ask.of]
    wanted = workflow.rests_on(state, look) if differing else ()
    return tuple(sorted(path for path in differing if covers(wanted, path)))


def follows(data: bytes | None, text: str | None) -> bool:
    """Whether a file is what the code makes of the state, or what an earlier version made: a status without the list
    of documents and without what changed since a request."""
    should = None if text is None else text.encode()
    if data == should or not data or not should:
        return data == should
    if not (data.startswith(b'{"rev":') and should.startswith(b'{"rev":')):
        return False
    try:
        found = json.loads(data)
    except ValueError:
        return False
    now = json.loads(should)
    now.pop("documents", None)
    for ask in now["requests"]:
        ask.pop("changed", None)
    return bool(found == now)


def with_changes(text: str, changed: Mapping[str, tuple[str, ...]]) -> str:
    """A page about a request, which says what changed since it was written; other pages stay as they are."""
    for request, paths in changed.items():
        if paths and request in text:
            lines = "\n".join(f"- `{path}`" for path in paths)
            text = (
                f"{text.rstrip()}\n\n## Changed since this request was written\n\n{lines}\n\n"
                "Look at the change, then approve with `--accept-changes`, or reject.\n"
            )
    return text
