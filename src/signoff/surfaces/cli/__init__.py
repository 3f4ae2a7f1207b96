"""The command line `signoff`.

`signoff` alone, `status`, `inbox` and `hook` are answered before anything heavy is imported; everything else goes
through the typer application.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """The entry point of `signoff`."""
    sys.exit(execute(sys.argv[1:]))


def execute(argv: Sequence[str]) -> int:
    """One command line in, its exit code out."""
    from signoff.surfaces.cli.exits import guarded

    return guarded(_dispatch, argv)


def _dispatch(argv: Sequence[str]) -> int:
    if argv[:1] == ["hook"]:
        from signoff.surfaces.claude_code import hook

        if name := hook.parse(argv):
            return hook.answer(name)
    from signoff.surfaces.cli import status_index

    completing = not argv and "_SIGNOFF_COMPLETE" in os.environ  # the shell asks what could be typed next
    asked = None if completing else status_index.parse(argv)
    if asked is not None:
        return status_index.answer(asked)
    from signoff.service import catalog
    from signoff.surfaces.cli.app import invoke

    catalog.use_project_of(argv)
    return invoke(argv)
