"""The command line `signoff`.

`status`, `inbox` and `hook` are answered before anything heavy is imported; everything else goes through the typer
application.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """The entry point of `signoff`."""
    sys.exit(run(sys.argv[1:]))


def run(argv: Sequence[str]) -> int:
    """One command line in, its exit code out."""
    from signoff.surfaces.cli.guard import guarded

    return guarded(_dispatch, argv)


def _dispatch(argv: Sequence[str]) -> int:
    if argv[:1] == ["hook"]:
        from signoff.surfaces.cli import hook

        if name := hook.parse(argv):
            return hook.answer(name)
    from signoff.surfaces.cli import quick

    asked = quick.parse(argv)
    if asked is not None:
        return quick.answer(asked)
    from signoff.surfaces.cli.app import invoke

    return invoke(argv)
