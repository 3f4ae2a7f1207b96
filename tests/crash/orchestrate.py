"""The task that is killed, its design and its work: whoever calls this again goes on from wherever it is.

A person is part of it: they answer the reviewers in the file, send the roster back once, create what is missing, sign,
answer an agent that needs to know something, and have work tried again that was cut off.

python orchestrate.py PROJECT NAME ASKED [STEP]    to where this step begins, or to the end
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from go_on import Noting

from signoff.core.commands import Ask
from signoff.service import catalog, driving, runs
from signoff.service.project import Project
from signoff.shell.live import LiveRun
from signoff.workflows.orchestration import places, questions

PERSON = "person:ada"
ANSWERS = {"Q1": "Thirty days, then it is deleted.", "Q2": "No, an address stays with its user."}
NOTE = "A measurement on the machine of the tests will do."


async def sit(live: LiveRun, root: Path) -> bool:
    """What the person does where the run stands now; False when there is nothing left to do."""
    waiting: list[Ask] = list(live.state.requests.values())
    if not waiting:
        return False
    ask = waiting[0]
    if ask.key != "questions" or not answered(root / places.QUESTIONS):
        act, payload = word(ask, sent_back=bool(live.state.own.rejections))
        await runs.answer(live, ask.request, act, PERSON, payload)
    return True


def word(ask: Ask, *, sent_back: bool) -> tuple[str, Mapping[str, str]]:
    """What the person says: the first of what can be said, but that they send the roster back once."""
    if ask.key == "roster" and not sent_back:
        return "reject", {"reason": "Again"}
    return ask.options[0], {"note": NOTE} if ask.key.startswith("escalation-") else {}


def answered(file: Path) -> bool:
    """Whether the file had to be changed: it is then replaced as a whole, and no half of it is ever seen."""
    before = file.read_bytes()
    asked = {one.key for one in questions.answers(before.decode())}
    after = questions.write(before, file.name, {key: text for key, text in ANSWERS.items() if key in asked}).encode()
    if after == before:
        return False
    beside = file.with_name(".questions.md.swp")
    beside.write_bytes(after)
    beside.replace(file)
    return True


async def main(root: Path, name: str, asked: Path, until: str) -> int:
    workflow = catalog.workflow("orchestration")
    live = await driving.begin_or_go_on(Project(root), workflow, name, {})
    while live.state.own.step != until:
        state = await runs.drive(live, Noting(workflow, asked=asked))
        if not await sit(live, root):
            return runs.exit_code(state)
    await live.refresh()  # a kill after the last yes left files that were still to be written
    return runs.DONE


if __name__ == "__main__":
    root, name, asked, *step = sys.argv[1:]
    sys.exit(asyncio.run(main(Path(root), name, Path(asked), "".join(step))))
