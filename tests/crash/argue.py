"""The article that is killed: whoever calls this again goes on from wherever the run is.

A person is part of it: they choose the thesis, and edit the draft when the article is finished.

python argue.py PROJECT TOPIC ASKED
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from go_on import Noting

from signoff.service import catalog, driving, runs
from signoff.service.project import Project
from signoff.shell.live import LiveRun
from signoff.workflows.article import places

PERSON = "person:ada"
PARAMS = {"type": "opinion", "language": "en"}
MINE = "\nNobody on our line had looked into that bath for a year.\n"


def edited(file: Path) -> bool:
    """Whether the draft had to be changed: it is then replaced as a whole, and no half of it is ever seen."""
    before = file.read_text("utf-8")
    if MINE in before:
        return False
    beside = file.with_name(".draft.md.swp")
    beside.write_text(before.replace("\n## ", f"{MINE}\n## ", 1), "utf-8")
    beside.replace(file)
    return True


async def sit(live: LiveRun, root: Path) -> bool:
    """What the person does where the run stands now; False when there is nothing left to do."""
    waiting = {ask.key for ask in live.state.requests.values()}
    for key, act in (("thesis", "thesis-1"), ("stale", "resume")):
        if key in waiting:
            await runs.answer(live, key, act, PERSON, {})
            return True
    return live.state.stop == "complete" and edited(root / places.draft(live.run))


async def main(root: Path, topic: str, asked: Path) -> int:
    workflow = catalog.workflow("article")
    live = await driving.begin_or_go_on(Project(root), workflow, topic, PARAMS)
    while True:
        state = await runs.drive(live, Noting(workflow, asked=asked))
        if not await sit(live, root):
            return runs.exit_code(state)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
