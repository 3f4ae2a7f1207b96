"""How the files of a run differ from what its journal says."""

from __future__ import annotations

from signoff.shell.run import rested_on
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.store import Store


def differences(live: LiveRun, store: Store | None = None) -> dict[str, str]:
    """The files that should follow from the journal byte for byte and do not, each with what is wrong."""
    found, home = {}, store or live.store
    for path, text in live.projections().items():
        data, should = home.read(path), None if text is None else text.encode()
        if rested_on.follows(data, text):
            continue
        if data is None:
            found[path] = "is missing"
        elif should is None:
            found[path] = "should not be there"
        else:
            pairs = zip([*data.splitlines(), b""], [*should.splitlines(), b""], strict=False)
            line = next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 1)
            found[path] = f"differs from line {line}"
    return found


def edited(live: LiveRun) -> dict[str, str]:
    """The documents that a person changed since the journal's last word; the next step of the run takes them in."""
    places = live.places()
    known = {path: sha for path, sha in live.state.docs.items() if places.holds(path)}
    found = live.store.digests(sorted(known))
    return {
        path: "is gone" if path not in found else "was edited" for path, sha in known.items() if found.get(path) != sha
    }
