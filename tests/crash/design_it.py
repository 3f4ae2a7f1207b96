"""The design that is killed: whoever calls this again goes on from wherever the run and its files are.

A person is part of it: they answer the reviewers in the file, send the roster back once, create what is missing, sign.

python design_it.py PROJECT NAME ASKED
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from go_on import Noting

from signoff.core.commands import Ask
from signoff.service import catalog, driving, runs
from signoff.service.project import Project
from signoff.shell.live import LiveRun
from signoff.shell.runtimes import Offline
from signoff.workflows.orchestration import places, questions

PERSON = "person:ada"
ANSWERS = {"Q1": "Thirty days, then it is deleted."}


async def sit(live: LiveRun, root: Path) -> bool:
    """What the person does where the run stands now; False when there is nothing left to do."""
    waiting: list[Ask] = list(live.state.requests.values())
    if not waiting:
        return False
    [ask] = waiting
    if ask.key == "questions" and answered(root / places.QUESTIONS):
        return True
    if ask.key == "roster" and not live.state.own.rejections:
        await runs.answer(live, ask.key, "reject", PERSON, {"reason": "Again"})
        return True
    await runs.answer(live, ask.key, ask.options[0], PERSON, {})
    return True


def answered(file: Path) -> bool:
    """Whether the file had to be changed: it is then replaced as a whole, and no half of it is ever seen."""
    before = file.read_bytes()
    after = questions.write(before, file.name, ANSWERS).encode()
    if after == before:
        return False
    beside = file.with_name(".questions.md.swp")
    beside.write_bytes(after)
    beside.replace(file)
    return True


async def main(root: Path, name: str, asked: Path) -> int:
    workflow = catalog.workflow("orchestration")
    live = await driving.begin_or_go_on(Project(root), workflow, name, {})
    while live.state.own.step != "execute":  # the work is killed elsewhere: what its commands print is never the same
        state = await runs.drive(live, Noting(Offline(workflow), asked))
        if not await sit(live, root):
            return runs.exit_code(state)
    await live.refresh()  # a kill after the last yes left files that were still to be written
    return runs.DONE


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
