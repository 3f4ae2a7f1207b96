"""Recordings: kept, read back, played through the real kernel, and stopped where a run leaves them."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import at_terminal, signoff

from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import Answered
from signoff.service import catalog, run_control, runs
from signoff.service.files import new_project
from signoff.service.project import Project
from signoff.service.recordings import recorder
from signoff.shell.run import recordings
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.recordings import Recording, Sitting, Take
from signoff.shell.runtimes.recorded import LeftRecordingError, Recorded

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOWN = {
    "clarify": ("sales-pipeline", "sales-pipeline"),
    "content": ("harbour-tools", "autumn-launch"),
    "article": ("heat-treatment", "quench-oil-maintenance"),
    "orchestration": ("user-management", "user-management"),
}
PIPELINE = EXAMPLES / "sales-pipeline"


def laid_out(root: Path, example: str) -> Path:
    shutil.copytree(EXAMPLES / example, root)
    return root


async def _play(root: Path, workflow: str, run: str, sit: Callable[[LiveRun, Sitting], Any] | None) -> LiveRun:
    recording = recordings.read(root / recordings.place(run), catalog.workflow(workflow), run)
    params = {name: value for name, value in recording.params.items() if name != "slug"}
    worker = Recorded(recording)
    live = await run_control.begin_or_go_on(Project(root), catalog.workflow(workflow), run, params, worker)
    await runs.drive(live, worker)
    while (sitting := recorder.upcoming(recording, live)) is not None:
        await (sit or recorder.sit)(live, sitting)
        await runs.drive(live, worker)
    return live


def play(root: Path, workflow: str, run: str, sit: Callable[[LiveRun, Sitting], Any] | None = None) -> LiveRun:
    """The recording of a project, played to its end or to where it is left."""
    return asyncio.run(_play(root, workflow, run, sit))


# --- the shipped ones -------------------------------------------------------------------------------------------------


LONG = [pytest.param(name, marks=[pytest.mark.slow] if name == "orchestration" else []) for name in SHOWN]
"""The work of orchestration is played by the tests of the command line as well."""


@pytest.mark.parametrize("workflow", LONG)
def test_each_workflow_plays_the_recorded_run_of_its_example_to_the_end(workflow: str, tmp_path: Path) -> None:
    told = signoff("demo", workflow, "--yes", "--json", cwd=tmp_path, HOME=str(tmp_path / "home"))
    assert told.code == 0, told.err
    example, run = SHOWN[workflow]
    project = tmp_path / "demo" / run
    assert all((project / path).is_file() for path in _last(told.out)["outputs"])
    assert _last(told.out)["runtime"].startswith("a recording of ")
    live = asyncio.run(Project(project).open(run))
    acts = [event for event in live.events if isinstance(event, Answered)]
    assert [event.by for event in acts] == ["recorded:ada"] * len(acts)
    assert not (tmp_path / "home").exists(), "a demo borrows nothing from a person's home and puts nothing there"
    assert signoff("replay", run, cwd=project).code == 0
    assert example == new_project.demo(workflow).example


def test_status_says_that_a_run_is_recorded_by_whom_and_when(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "project", "heat-treatment")
    run = SHOWN["article"][1]
    asyncio.run(_play(root, "article", run, None))
    label = recordings.read(root / recordings.place(run)).label
    assert signoff("status", "--json", cwd=root).json["runs"][0]["recorded"] == label
    told = signoff("status", run, cwd=root).out
    assert "complete (recorded)" in told
    assert f"It was begun from {label}." in told


@pytest.mark.parametrize("workflow", SHOWN)
def test_a_copied_example_names_the_command_that_plays_its_recording(workflow: str, tmp_path: Path) -> None:
    example, run = SHOWN[workflow]
    made = signoff("init", "mine", "--example", example, "--json", cwd=tmp_path).json
    [_, go] = made["next"]
    params = recordings.read(tmp_path / "mine" / recordings.place(run)).params
    said = shlex.split(go)
    assert said[:4] == ["signoff", "run", workflow, run]
    assert said[-2:] == ["--runtime", "recorded"]
    assert {name: said[said.index(f"--{name}") + 1] for name in params if name != "slug"} == {
        name: value for name, value in params.items() if name != "slug"
    }


def test_no_file_of_a_recording_can_be_taken_for_a_part_of_the_project() -> None:
    files = [file for file in EXAMPLES.glob("*/recordings/**/*") if file.is_file()]
    assert {file.name if file.name == recordings.INDEX else file.suffix for file in files} == {
        recordings.INDEX,
        ".txt",
        recordings.SUFFIX,
    }


def _last(out: str) -> Any:
    """The last JSON document of several."""
    return yaml.safe_load(out[out.rindex("\n{\n") if "\n{\n" in out else 0 :])


@pytest.mark.parametrize("workflow", ["clarify", "content", "article"])
def test_a_played_run_that_is_recorded_again_gives_the_same_recording(workflow: str, tmp_path: Path) -> None:
    example, run = SHOWN[workflow]
    root = laid_out(tmp_path / "project", example)
    play(root, workflow, run)
    shipped = recordings.read(root / recordings.place(run))
    again = asyncio.run(recorder.record(Project(root), run, shipped.turns_by))
    assert (again.takes, again.docs, again.params) == (shipped.takes, shipped.docs, shipped.params)
    assert [one.did for one in again.sittings] == [one.did for one in shipped.sittings]


def test_demo_lists_what_can_be_shown_and_whose_turns_are_played(tmp_path: Path) -> None:
    told = signoff("demo", cwd=tmp_path)
    assert told.code == 0
    assert list(tmp_path.iterdir()) == []
    for workflow in ("solution-page", *SHOWN):
        assert f"signoff demo {workflow} " in told.out
    assert "turns by" in told.out


def test_a_demo_folder_that_exists_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.md").write_text("mine\n")
    told = signoff("demo", "clarify", "mine", "--yes", cwd=tmp_path)
    assert (told.code, [path.name for path in (tmp_path / "mine").iterdir()]) == (2, ["notes.md"])
    assert "is there already" in told.err


def test_without_yes_and_without_a_terminal_a_demo_waits_at_the_first_question(tmp_path: Path) -> None:
    told = signoff("demo", "clarify", cwd=tmp_path)
    assert told.code == 3
    assert "--yes takes the recorded answers" in told.err


def test_at_a_terminal_enter_takes_the_recorded_answer_and_another_choice_leaves_the_recording(tmp_path: Path) -> None:
    told = at_terminal(["demo", "article"], tmp_path, "\n")
    assert (told.code, "recorded answer of ada: thesis-1 at thesis" in told.out) == (0, True), told.out
    other = at_terminal(["demo", "article"], tmp_path, "thesis-2\n\n")
    assert (other.code, "leaves its recording" in other.out) == (2, True), other.out
    assert "--runtime model" in other.out


# --- leaving the path -------------------------------------------------------------------------------------------------


def test_an_edited_source_is_named_before_anything_is_played(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "project", "sales-pipeline")
    (root / "0-sources/brief.md").write_text("# Something else\n")
    with pytest.raises(LeftRecordingError, match=r"0-sources/brief\.md differs"):
        play(root, "clarify", "sales-pipeline")


def test_another_answer_stops_the_run_with_its_turn_open(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "project", "sales-pipeline")

    async def other(live: LiveRun, sitting: Sitting) -> None:
        answers = {**sitting.answers, "Q1": "Something that nobody recorded, in so many words."}
        await recorder.sit(live, Sitting(**{**_fields(sitting), "answers": answers}))

    with pytest.raises(LeftRecordingError, match="Q1 answered with"):
        play(root, "clarify", "sales-pipeline", other)
    live = asyncio.run(Project(root).open("sales-pipeline"))
    assert live.state.turns, "a model or a host can go on with what is open"
    assert not any(turn.crashed or turn.invalid for turn in live.state.turns.values())


def _fields(sitting: Sitting) -> dict[str, Any]:
    return {name: getattr(sitting, name) for name in Sitting.__dataclass_fields__}


def test_a_run_that_was_played_goes_on_as_it_was_begun_from_the_command_line(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "project", "heat-treatment")
    begun = signoff(
        "run", "article", "quench-oil-maintenance", "--type", "opinion", "--language", "en", "--runtime", "recorded",
        cwd=root, person="ada",
    )  # fmt: skip
    assert begun.code == 3, begun.err
    ended = signoff("choose", "quench-oil-maintenance", "thesis-1", cwd=root, person="ada")
    assert (ended.code, "a recording of" in ended.out) == (0, True), ended.err


def test_a_fault_in_a_played_output_is_refused_and_the_recorded_output_is_given_again(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "project", "sales-pipeline")
    told = signoff(
        "run", "clarify", "sales-pipeline", "--topic", "Sales pipeline", "--runtime", "recorded",
        "--faults", "consolidate-research:malformed@1", cwd=root,
    )  # fmt: skip
    assert told.code == 3, told.err
    live = asyncio.run(Project(root).open("sales-pipeline"))
    assert any(event.id.endswith("consolidate-research.2") for event in live.events)


def test_a_run_that_has_not_ended_is_not_recorded(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "project", "heat-treatment")
    signoff("run", "article", "quench-oil-maintenance", "--type", "opinion", "--language", "en", "--runtime",
            "recorded", cwd=root)  # fmt: skip
    with pytest.raises(RefusedError, match="is not finished"):
        asyncio.run(recorder.record(Project(root), "quench-oil-maintenance"))


# --- the folder -------------------------------------------------------------------------------------------------------

SMALL = Recording(
    workflow="clarify",
    version=1,
    run="small",
    params={"slug": "small", "topic": "Beans"},
    docs={"0-sources/brief.md": "ab" * 32},
    turns_by="a model: “名”",
    began="2026-11-18T09:00:00+00:00",
    takes={
        ("0001-doer", 1): Take(key="do", failed=("timeout", "no output within 3 s")),
        ("0001-doer", 2): Take(
            key="do",
            raw="status: ok\r\n# half a character: \ud800",
            files={"app/a.py": b"x = 1\n", "data/b.bin": bytes(range(256))},
            commands=("python -m pytest -q",),
            calls=(("draft", {"text": "words", "n": 2}),),
        ),
    },
    sittings=(
        Sitting(answers={"Q1": "yes: no\n- maybe"}, request="answers", act="research", by="person:ada"),
        Sitting(
            edits={"out/a.md": "ä\n".encode(), "out/b.md": None}, request="stale", act="resume", payload={"from": "x"}
        ),
    ),
)


def test_a_recording_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    recorder.write(SMALL, tmp_path / "small")
    assert recordings.read(tmp_path / "small") == SMALL


def damaged(root: Path, change: Callable[[Path], object]) -> str:
    """What is said of the shipped recording of clarify after a change to its folder."""
    shutil.copytree(PIPELINE / "recordings/sales-pipeline", root)
    change(root)
    with pytest.raises(UsageError) as refused:
        recordings.read(root, catalog.workflow("clarify"), "sales-pipeline")
    return str(refused.value)


def _index(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def edit(root: Path) -> None:
        index = yaml.safe_load((root / "recording.yaml").read_text("utf-8"))
        change(index)
        (root / "recording.yaml").write_text(yaml.safe_dump(index, allow_unicode=True), "utf-8")

    return edit


RAW = "turns/0001-dimension-researcher/raw-1.txt"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda root: (root / RAW).unlink(), f"{RAW} is missing. Repair: restore the folder"),
        (lambda root: (root / RAW).write_text("x"), f"{RAW} was changed"),
        (lambda root: (root / "recording.yaml").write_text("a: [b"), "recording.yaml is not readable"),
        (lambda root: (root / "recording.yaml").unlink(), "there is no recording in"),
        (_index(lambda index: index.update(recording=0)), "is a recording of format 0. Valid: format 1"),
        (_index(lambda index: index.update(version=0)), "was recorded with version 0 of clarify, this is version"),
        (_index(lambda index: index.update(workflow="content")), "is a recording of the content run"),
        (_index(lambda index: index.update(run="other")), "not of the clarify run 'sales-pipeline'"),
        (_index(lambda index: index.pop("turns")), "recording.yaml lacks what it should have"),
        (_index(lambda index: index.pop("files")), "recording.yaml lists no files"),
        (_index(lambda index: index["files"].update({"../../etc/passwd": "0"})), "etc/passwd"),
    ],
)
def test_a_damaged_foreign_or_older_recording_is_refused_by_name(
    change: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    assert said in damaged(tmp_path / "sales-pipeline", change)


# --- without a model --------------------------------------------------------------------------------------------------


def test_a_workflow_without_code_of_its_own_says_what_it_needs_and_what_works_without(tmp_path: Path) -> None:
    needy = [name for name in catalog.names() if not catalog.workflow(name).by_code.players]
    for name in needy:
        with pytest.raises(UsageError, match=f"the agents of {name} are language models") as refused:
            run_control.runtime(None, catalog.workflow(name), played=tmp_path)
        assert f"`signoff demo {name}` plays a recorded run" in str(refused.value)
    assert run_control.runtime(None, catalog.workflow("solution-page")).name == "offline"
