"""The command that is killed: begin the keepsake or go on with it.

python run_it.py PROJECT RUN
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import signoff.workflows
from signoff.service import catalog, run_control, runs
from signoff.service.project import Project

signoff.workflows.__path__.append(str(Path(__file__).parent))


async def main(root: Path, run: str) -> int:
    workflow = catalog.workflow("keepsake")
    live = await run_control.begin_or_go_on(Project(root), workflow, run, {})
    return runs.exit_code(await runs.drive(live, run_control.runtime("offline", workflow)))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2])))
