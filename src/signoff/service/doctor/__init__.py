"""Is everything in place? What can be tried is really tried, and the journals of the project are really added up."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from signoff.service.doctor import machine, runtimes
from signoff.service.doctor.results import Result, failed
from signoff.service.doctor.runtimes import Wanted
from signoff.service.project import Project

__all__ = ["Result", "Wanted", "examine", "failed"]


async def examine(root: Path, wanted: Wanted | None = None) -> list[Result]:
    """Everything, in order: the machine, the project, and every runtime in a line, or one of them thoroughly."""
    project = Project(root)
    found = [machine.python(sys.version_info[:3]), machine.writable(project.root)]
    found += [await machine.journal(project, folder) for folder in project.store.runs()]
    if wanted:
        return found + await runtimes.examined(wanted, project)
    return [*found, *machine.looking(os.environ), *await runtimes.verdicts(project)]
