"""The piece that is killed: a conversation of tool calls in which an author and critics work side by side.

python write.py PROJECT NAME ASKED
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from go_on import Noting

from signoff.service import catalog, driving, runs
from signoff.service.project import Project


async def main(root: Path, name: str, asked: Path) -> int:
    workflow = catalog.workflow("content")
    live = await driving.begin_or_go_on(Project(root), workflow, name, {"type": "website"})
    return runs.exit_code(await runs.drive(live, Noting(workflow, asked=asked)))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
