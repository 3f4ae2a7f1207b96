"""The inquiry that is killed: whoever calls this again goes on from wherever the run and its files are.

A person is part of it: they write answers into the file as an editor does, choose, and change their mind in the end.

python inquire.py PROJECT NAME ASKED
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from go_on import Noting

from signoff.service import catalog, driving, runs
from signoff.service.project import Project
from signoff.shell.live import LiveRun
from signoff.workflows.clarify import clarifications as cl
from signoff.workflows.clarify.clarifications import Clarifications

PERSON = "person:ada"
NOT_THERE_YET = ("Win rate",)
"""What the person has no answer to before it is put to them as a gap."""
OWN_WORDS = {
    "Coverage": "Pipeline that closes in the quarter. A deal enters the pipeline at Proposal Sent, with a price.",
    "Pipeline entry": "B",
    "Foreign currency": "TBD",
    "Stalled deals": "90 days, mostly",
}
Answers = Mapping[str, str]


def at_first(doc: Clarifications) -> Answers:
    asked = [item for item in doc.questions if item.title not in NOT_THERE_YET]
    return {item.key: OWN_WORDS.get(item.title, "A") for item in asked}


def when_refined(doc: Clarifications) -> Answers:
    gaps = [item.key for item in doc.questions if item.title in NOT_THERE_YET]
    refined = [item.key for item in doc.refinements if f"Q{item.key[1:].split('.')[0]}" not in gaps]
    return {**dict.fromkeys(refined, "A"), **{item.key: "B" for item in doc.entries if item.kind == "contradiction"}}


def about_the_gap(doc: Clarifications) -> Answers:
    return {item.key: "B" for item in doc.entries if item.kind == "gap"}


def on_second_thoughts(doc: Clarifications) -> Answers:
    return {item.key: "B" for item in doc.questions if item.title == "Discount approval"}


SITTINGS: Mapping[str, tuple[Callable[[Clarifications], Answers], str]] = {
    "answers": (at_first, "research"),
    "refinements": (when_refined, "decide"),
    "open": (about_the_gap, "decide"),
}
"""By what waits for the person: what they write into the file, and what they choose once it is there."""


def edited(file: Path, wanted: Callable[[Clarifications], Answers]) -> bool:
    """Whether the file had to be changed: it is then replaced as a whole, and no half of it is ever seen."""
    before = file.read_bytes()
    doc = cl.parse_doc(before, file.name)
    after = cl.with_answers(doc, wanted(doc)).encode()
    if after == before:
        return False
    beside = file.with_name(".clarifications.md.swp")
    beside.write_bytes(after)
    beside.replace(file)
    return True


async def sit(live: LiveRun, file: Path) -> bool:
    """What the person does where the run stands now; False when there is nothing left to do."""
    waiting = {ask.key: ask for ask in live.state.requests.values()}
    if "stale" in waiting:
        await runs.answer(live, "stale", "resume", PERSON, {})
        return True
    for key, (wanted, act) in SITTINGS.items():
        if key in waiting:
            if not edited(file, wanted):
                await runs.answer(live, key, act, PERSON, {})
            return True
    return live.state.stop == "complete" and edited(file, on_second_thoughts)


async def main(root: Path, name: str, asked: Path) -> int:
    workflow = catalog.workflow("clarify")
    live = await driving.begin_or_go_on(Project(root), workflow, name, {})
    while True:
        state = await runs.drive(live, Noting(workflow, asked=asked))
        if not await sit(live, root / name / "context" / "clarifications.md"):
            return runs.exit_code(state)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
