"""The fork that is killed: makes it, unless it is there.

python fork_it.py PROJECT SLUG AT TARGET
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from signoff.service.project import Project
from signoff.service.recordings import forks

if __name__ == "__main__":
    root, slug, at, target = sys.argv[1:]
    if not Path(target).exists():
        asyncio.run(forks.fork(Project(Path(root)), slug, at, Path(target)))
