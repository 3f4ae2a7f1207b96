"""Proofs for workflows of your own: explore every state, play a run with fixed replies or a kept one, kill it.

    from signoff.testing import crash, explore, play, recorded

`Stub` is a model provider on loopback for tests of real model clients, scripted with `give`, `say`, `call` and
`refuse`. `Explorer`, `Alphabet` and the crash `Subject` are what the functions are made of, for what they do not cover.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signoff.testing.crash_harness import Report as Report
    from signoff.testing.crash_harness import Subject as Subject
    from signoff.testing.explorer import Alphabet as Alphabet
    from signoff.testing.explorer import Explorer as Explorer
    from signoff.testing.explorer import Graph as Graph
    from signoff.testing.explorer import Shelf as Shelf
    from signoff.testing.proofs import crash as crash
    from signoff.testing.proofs import explore as explore
    from signoff.testing.proofs import play as play
    from signoff.testing.proofs import recorded as recorded
    from signoff.testing.stub import Stub as Stub
    from signoff.testing.stub_play import call as call
    from signoff.testing.stub_play import give as give
    from signoff.testing.stub_play import refuse as refuse
    from signoff.testing.stub_play import say as say

_HOMES = {
    "crash_harness": "Report Subject",
    "explorer": "Alphabet Explorer Graph Shelf",
    "proofs": "crash explore play recorded",
    "stub": "Stub",
    "stub_play": "call give refuse say",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'signoff.testing' has no attribute {name!r}")
    return getattr(import_module(f"signoff.testing.{_HOME[name]}"), name)
