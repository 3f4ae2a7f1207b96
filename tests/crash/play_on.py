"""The recorded run that is killed: whoever calls this again goes on from wherever the run and its files are.

A person is part of it: they do what the recorded person did, answers in documents included.

python play_on.py PROJECT RUN ASKED WORKFLOW [STEP]    to where this step begins, or to the end
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from go_on import note

from signoff.core.declarations import Assignment
from signoff.service import catalog, run_control, runs
from signoff.service.project import Project
from signoff.service.recordings import recorder
from signoff.shell.run import recordings
from signoff.shell.runtimes.recorded import Recorded
from signoff.shell.runtimes.runtime import Returned, ToolPort


class Noting(Recorded):
    """Plays the recording; each turn it is asked for becomes a line beside the project."""

    asked: Path

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        note(self.asked, assignment)
        return await super().perform(assignment, tools)


async def main(root: Path, run: str, asked: Path, name: str, until: str = "") -> int:
    workflow = catalog.workflow(name)
    recording = recordings.read(root / recordings.place(run), workflow, run)
    worker = Noting(recording)
    worker.asked = asked
    params = {key: value for key, value in recording.params.items() if key != "slug"}
    live = await run_control.begin_or_go_on(Project(root), workflow, run, params, worker)
    there = bool(until) and live.state.own.step == until  # a kill at the very end left nothing but files to write
    state = live.state if there else await runs.drive(live, worker)
    while (sitting := recorder.upcoming(recording, live)) is not None:
        if until and live.state.own.step == until:
            break
        if await recorder.sit(live, sitting) is None:
            raise SystemExit(f"{run} does not ask {sitting.request!r}, and waits for {list(live.state.requests)}")
        if until and live.state.own.step == until:
            break
        state = await runs.drive(live, worker)
    await live.refresh()  # a kill after the last yes left files that were still to be written
    return runs.DONE if until else runs.exit_code(state)


if __name__ == "__main__":
    project, name, log, *rest = sys.argv[1:]
    sys.exit(asyncio.run(main(Path(project), name, Path(log), *rest)))
