"""The commands of the program: each part registers its own here."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {
    "serve": ("app.api:main", "serves the REST API: serve DATABASE PORT"),
}
"""A command's name: the function behind it, and what it does."""


def main(argv: list[str] | None = None) -> int:
    """Runs the command that is named; without one, lists what there is."""
    name, *rest = (sys.argv[1:] if argv is None else argv) or ["help"]
    if name not in COMMANDS:
        if name != "help":
            print(f"there is no command {name!r}; these are there:", file=sys.stderr)
        print("\n".join(f"{name}: {about}" for name, (_, about) in COMMANDS.items()))
        return 0 if name == "help" else 2
    module, _, function = COMMANDS[name][0].partition(":")
    return int(getattr(import_module(module), function)(rest) or 0)


if __name__ == "__main__":
    sys.exit(main())
