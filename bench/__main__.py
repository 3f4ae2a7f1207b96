"""`python -m bench [PART …] [--quick] [--misses] [--json]`: all is written to one folder, which is removed."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from bench.figures import Part, file_system, table

PARTS = (
    "article", "clarify", "content", "corpus", "durable", "gates", "sequencing", "start", "status", "truth", "wide",
    "work",
)  # fmt: skip


def measure(name: str, home: Path, quick: bool) -> Part:
    """Imports only the part that is asked for: some start whole workflows, others need none."""
    part: Part = importlib.import_module(f"bench.{name}").measure(home, quick)
    return part


def main() -> int:
    asked = _asked()
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        where = file_system(Path(folder))
        told: dict[str, Any] = {"file_system": where, "python": sys.version.split()[0], "parts": {}}
        if not asked.json:
            print(f"Python {told['python']}; files on {where}, in a folder here that is removed afterwards.")
        for name in asked.parts or PARTS:
            home = Path(folder) / name
            home.mkdir()
            part = measure(name, home, asked.quick)
            told["parts"][name] = part.plain()
            if not asked.json:
                _print(name, part, asked.misses)
    if asked.json:
        print(json.dumps(told, ensure_ascii=False, indent=1))
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all when none is named")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, within ten seconds")
    parser.add_argument("--misses", action="store_true", help="truth: also each case that was judged wrongly")
    parser.add_argument("--json", action="store_true", help="one JSON document and nothing else")
    asked = parser.parse_args()
    unknown = [part for part in asked.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    return asked


def _print(name: str, part: Part, misses: bool) -> None:
    print(f"\n{name}")
    if part.lines:
        print("\n".join(f"  {line}".rstrip() for line in [*part.lines, *(part.misses if misses else ())]))
        return
    print("\n".join(f"  {line}" for line in table(part.figures)))
    for title, note in part.notes.items():
        listed = ", ".join(f"{key} {value}" for key, value in note.items()) if isinstance(note, dict) else note
        print(f"  {title}: {listed}")


if __name__ == "__main__":
    sys.exit(main())
