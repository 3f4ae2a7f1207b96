"""The command that is killed: begin the page or go on with it, and note every turn that is asked for.

python go_on.py PROJECT SLUG ASKED
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from signoff.core.declarations import Assignment
from signoff.service import catalog, run_control, runs
from signoff.service.project import Project
from signoff.shell.runtimes.runtime import Offline, Returned, ToolPort


@dataclass(frozen=True, kw_only=True)
class Noting(Offline):
    """The offline runtime; each turn it is asked for becomes a line beside the project."""

    asked: Path

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        note(self.asked, assignment)
        return await super().perform(assignment, tools)


def note(asked: Path, assignment: Assignment) -> None:
    """Adds a line with one write, which a kill cannot cut."""
    line = f"{assignment.start.turn}.{assignment.start.attempt} {assignment.start.key}\n"
    fd = os.open(asked, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(fd, line.encode())
    os.close(fd)


async def main(root: Path, slug: str, asked: Path) -> int:
    workflow = catalog.workflow("solution-page")
    live = await run_control.begin_or_go_on(Project(root), workflow, slug, {})
    return runs.exit_code(await runs.drive(live, Noting(workflow.by_code.players, asked=asked)))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
