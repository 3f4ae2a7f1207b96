"""Several processes on one run, and people who edit what follows from the journal: state is what the journal says."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from signoff.core.declarations import Assignment, Tools
from signoff.core.errors import CorruptError, LockedError
from signoff.core.workflow import ByCode
from signoff.service import runs, status_overview
from signoff.shell.run.attempts import receipt_usage
from signoff.shell.run.briefs import crew
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Offline
from signoff.workflows.solution_page.assembler import ASSEMBLER
from signoff.workflows.solution_page.workflow import WORKFLOW

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))
from page_project import RONDO, TARN, Case, files, journal, lay_out, on_the_way, opened, put, raws, text

STATE, STATUS, ASKED = "_workflow/state.yaml", "_workflow/status.json", "_workflow/approval-request.md"
BOTH_GATES = "human_gates: {strategy_approval: true, final_approval: true}\n"

HOLD = """
import fcntl, os, sys
folder = os.path.isdir(sys.argv[1])
fd = os.open(sys.argv[1], os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT)
fcntl.flock(fd, fcntl.LOCK_EX)
folder or os.write(fd, f"{os.getpid():<10}\\n".encode())
print("held", flush=True)
sys.stdin.read()
"""

DRIVE = """
import asyncio, sys
from pathlib import Path
from signoff.service import run_control, runs
from signoff.service.project import Project
from signoff.workflows.solution_page.workflow import WORKFLOW

async def main():
    sys.stdin.readline()
    live = await run_control.begin_or_go_on(Project(Path(sys.argv[1])), WORKFLOW, sys.argv[2], {})
    print((await runs.drive(live, run_control.runtime("offline", WORKFLOW))).stop)

print("ready", flush=True)
asyncio.run(main())
"""


@contextmanager
def another_process(code: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """A process that has said its first word, and is ended in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        env={**os.environ, "SIGNOFF_CLOCK": "revision"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    try:
        process.stdout.readline()
        yield process
    finally:
        process.stdin.close()
        process.stdout.close()
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay_out(tmp_path_factory.mktemp("complete") / "page")
    assert Case(root).run().stop == "complete"
    return root


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that waits for the approval of its strategy."""
    root = lay_out(tmp_path_factory.mktemp("waiting") / "page", config=BOTH_GATES)
    assert list(Case(root).run().requests) == ["strategy-1"]
    return root


@pytest.fixture
def case(waiting: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(waiting, tmp_path / "page")))


# --- several processes ------------------------------------------------------------------------------------------------


def test_a_run_that_another_process_holds_says_who_and_changes_nothing(case: Case) -> None:
    before = files(case.root)

    async def patient() -> None:
        project = opened(case.root)
        project.store.lock_seconds = 0.01
        live = await project.open(RONDO)
        await live.refresh()

    with another_process(HOLD, case.root / "_workflow/.lock") as other:
        with pytest.raises(LockedError, match=rf"_workflow is held by another process \(process {other.pid}\).*Repair"):
            asyncio.run(patient())
        assert files(case.root) == before
    asyncio.run(patient())


@pytest.mark.req("SP-20")
def test_a_turn_that_another_process_works_on_is_left_to_it_until_it_dies(complete: Path, tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()
    asked: list[str] = []

    def noting(assignment: Assignment, tools: Tools) -> str:
        asked.append(assignment.start.turn)
        return ASSEMBLER["strategist"](assignment, tools)

    async def both() -> None:
        live = await opened(case.root).open(RONDO)
        workflow = replace(WORKFLOW, by_code=ByCode(players={**ASSEMBLER, "strategist": noting}))
        runner = Runner(live, Offline(workflow.by_code.players), crew(live.workflow, live.store), _no_probes)
        with another_process(HOLD, lease) as other:
            driving = asyncio.create_task(runner.drive())
            await _looks(live, 3)
            assert not asked
            assert not driving.done()
            other.kill()
            other.wait()
            await driving

    lease = case.root / "_workflow/turns/0001-strategist"
    lease.mkdir(parents=True)
    asyncio.run(both())
    assert asked == ["0001-strategist"]
    assert files(case.root) == files(complete)


async def _no_probes(_urls: list[str], _params: object) -> dict[str, object]:
    return {}


async def _looks(live: LiveRun, times: int) -> None:
    """Until the runner has looked so often whether the run moved."""
    looked, real = 0, live.refresh
    enough = asyncio.Event()

    async def counting() -> None:
        nonlocal looked
        looked += 1
        await real()
        if looked >= times:
            enough.set()

    live.refresh = counting  # type: ignore[method-assign]
    await enough.wait()


@pytest.mark.req("SP-20")
def test_two_processes_on_one_run_ask_for_every_turn_once_and_end_with_the_same_files(
    complete: Path, tmp_path: Path
) -> None:
    root = lay_out(tmp_path / "page")
    with another_process(DRIVE, root, RONDO) as one, another_process(DRIVE, root, RONDO) as other:
        for process in (one, other):
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        said = [process.stdout.read() for process in (one, other) if process.stdout]
    assert said == ["complete\n", "complete\n"]
    assert raws(root) == raws(complete)
    assert journal(root) == journal(complete)
    assert files(root) == files(complete)


def test_an_output_submitted_while_a_runtime_works_on_the_turn_is_not_written_over(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()
    start, raw = case.output()
    case_two = Case(case.root)

    def submitted() -> None:
        import threading

        thread = threading.Thread(target=lambda: case_two.submit(start.turn, 1, raw + "# by hand\n"))
        thread.start()
        thread.join()

    assert case.drive(on_the_way("strategist", submitted)).stop == "complete"
    assert text(case.root, "_workflow/turns/0001-strategist/raw-1.txt").endswith("# by hand\n")
    assert case.state.stop == "complete", "the journal can still be read from the beginning"


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"cost": "much", "runtime": "x"}', b'{"runtime": "x"}', b"null"])
def test_a_lost_or_broken_price_note_is_an_unknown_price(note: bytes) -> None:
    assert receipt_usage(note).cost is None


@pytest.mark.parametrize("said", ['"cost": "-50"', '"cost": "NaN"', '"cost": "1", "seconds": NaN', '"cost": [[]]'])
def test_a_price_note_that_cannot_be_true_is_an_unknown_price_and_the_run_can_still_be_opened(
    said: str, tmp_path: Path
) -> None:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()
    start, raw = case.output()
    folder = case.root / "_workflow/turns" / start.turn
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "usage-1.json").write_text(f'{{"runtime": "model", "input_tokens": 7, {said}}}')
    (folder / "raw-1.txt").write_text(raw)
    assert case.drive().stop == "complete"
    assert (case.state.spend.unpriced, case.state.spend.tokens) == (1, 7)


# --- what follows from the journal ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (STATE, "phase: strategy", "phase: complete"),
        (STATE, "strategy_approved: false", "strategy_approved: true"),
        (STATE, "  en: 0", "  en: -7"),
        (STATE, "approvals: []", "approvals:\n- {gate: final, by: 'person:eve'}"),
        (ASKED, "# Approval request", "# Approved"),
        (STATUS, '"stop": null', '"stop": "complete"'),
        (STATUS, '"strategy-1"', '"final-1"'),
    ],
)
def test_an_edited_projection_is_put_back_its_copy_kept_and_the_person_told(
    case: Case, path: str, before: str, after: str
) -> None:
    known, wanted = case.state, files(case.root)
    forged = text(case.root, path).replace(before, after)
    assert forged != text(case.root, path)
    put(case.root, path, forged)
    assert case.refresh() == known, "nothing is taken from the edit"
    kept = [file for file in (case.root / "_workflow/edited").iterdir() if file.name.startswith(Path(path).name)]
    assert [file.read_text() for file in kept] == [forged]
    assert files(case.root, "_workflow/edited/") == wanted
    assert len(case.told) == 1
    assert path in case.told[0]
    assert kept[0].name in case.told[0]


@pytest.mark.parametrize("path", [STATE, STATUS, ASKED])
def test_a_removed_projection_is_put_back(case: Case, path: str) -> None:
    known, wanted = case.state, files(case.root)
    (case.root / path).unlink()
    assert case.refresh() == known
    assert files(case.root) == wanted
    assert path == STATUS or f"{path} was removed" in case.told[0]


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe", b'{"rev": "many"}', b"[]", b'{"rev": 0}', b""])
def test_a_broken_status_is_written_anew_and_an_edit_beside_it_is_not_lost(case: Case, data: bytes) -> None:
    known, wanted = case.state, files(case.root)
    put(case.root, STATUS, data)
    put(case.root, STATE, "phase: complete\n")
    assert case.refresh() == known
    assert files(case.root, "_workflow/edited/") == wanted
    assert any("state.yaml was edited by hand" in said for said in case.told)
    assert "phase: complete\n" in [file.read_text("latin-1") for file in (case.root / "_workflow/edited").iterdir()]


def test_a_status_that_claims_a_later_revision_says_how_to_tell_which_file_is_right(case: Case) -> None:
    edited = {**json.loads(text(case.root, STATUS)), "rev": 999}
    put(case.root, STATUS, json.dumps(edited))
    with pytest.raises(CorruptError, match=r"status.json is of revision 999.*if only status.json was edited, remove"):
        case.refresh()
    (case.root / STATUS).unlink()
    assert list(case.refresh().requests) == ["strategy-1"]


def test_a_state_file_from_before_the_run_counts_for_nothing(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page"))
    put(case.root, STATE, "phase: complete\nhuman_gates: {final_approved: true}\n")
    state = case.begin()
    assert (state.own.step, state.own.final_approved) == ("strategy", "false")
    assert text(case.root, STATE).startswith(f"slug: {RONDO}\nphase: strategy\n")
    assert any("state.yaml was edited by hand" in said for said in case.told)


@pytest.mark.parametrize(
    "data",
    [b"[]", b'"x"', b"{", b'{"run": 7}', b"{}", b'{"run": "a", "requests": null}', b'{"run": "a", "requests": ["x"]}',
     b"\xff", b"[" * 100_000, b"null"],
)  # fmt: skip
def test_status_and_inbox_read_what_they_can_and_name_the_file_they_cannot(case: Case, data: bytes) -> None:
    put(case.root, STATUS, data)
    (found,) = status_overview.statuses(case.root)
    assert STATUS in found["problem"]
    assert status_overview.inbox(case.root) == []


def test_a_document_saved_while_it_is_taken_in_is_no_corruption(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that writes twice in a row: the second save falls between the look and the reading."""
    path = "1-planning/message-house.md"
    put(case.root, path, "# First save\n")

    async def doing(live: LiveRun) -> None:
        real = live.store.read
        saves = iter(["# Second save\n"])

        def read(asked: str) -> bytes | None:
            for save in saves if asked == path else ():
                put(case.root, path, save)
            return real(asked)

        monkeypatch.setattr(live.store, "read", read)
        await live.refresh()

    case.go(doing)
    assert case.state.docs[path] == files(case.root)[path]
    assert text(case.root, path) == "# Second save\n"


def test_replaying_gives_the_state_that_was_left(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", TARN), TARN)
    left = case.run()
    assert left.stop == "escalated"
    assert case.go(runs.replay) == left
