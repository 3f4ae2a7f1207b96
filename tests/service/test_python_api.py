"""The Python API: whole runs through it, who may sign off in it, and its examples."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import shutil
import signal
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from page_project import EXAMPLES, RONDO, TARN, journal, lay_out, put

from signoff.core.errors import RefusedError, UsageError
from signoff.service import python_api
from signoff.service.python_api import Blocking, BlockingProject, Project, Run, open_project
from signoff.shell.runtimes.recorded import LeftRecordingError

NAME = "sales-pipeline"
SITTINGS = (("first", "research"), ("refinements", "deepen"), ("deeper", "decide"))
"""The answers of the example, and what is chosen after each."""

GATE = "human_gates: {strategy_approval: true}\n"


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / NAME, tmp_path / "pipeline"))


def answers(root: Path, sitting: str) -> dict[str, str]:
    found: dict[str, str] = yaml.safe_load((root / f"answers/{sitting}.yaml").read_text("utf-8"))
    return found


def events(root: Path, home: str = f"_workflow/clarify/{NAME}") -> list[dict[str, Any]]:
    lines = (root / home / "journal.jsonl").read_text("utf-8").splitlines()
    return [event for line in lines for event in json.loads(line)["events"]]


def settled(root: Path, home: str = f"_workflow/clarify/{NAME}") -> list[tuple[str, str]]:
    return [(event["act"], event["by"]) for event in events(root, home) if event["type"] == "answered"]


async def begun(project: Project) -> Run:
    return await project.start("clarify", NAME, topic="Sales pipeline", runtime="recorded")


# --- whole runs -------------------------------------------------------------------------------------------------------


@pytest.mark.req("LB-6")
def test_a_recorded_run_is_started_watched_and_answered_to_its_end(pipeline: Path) -> None:
    async def story() -> None:
        async with open_project(pipeline, person="Ada") as project:
            run = await begun(project)
            seen = [(event.type, len(run.requests)) async for event in run]
            assert seen == [("turn_returned", 0)] * 5 + [("turn_returned", 1)], "each is told when it is done"
            [request] = run.requests
            assert (run.name, run.stop, request.key, request.kind) == (NAME, None, "answers", "choice")
            assert {question.answer for question in run.questions} == {""}
            for sitting, option in SITTINGS:
                given = await run.answer(answers(pipeline, sitting))
                assert {question.key for question in given} >= answers(pipeline, sitting).keys()
                await run.choose(option)
                told = [event.type async for event in run]
                assert set(told) == {"turn_returned"}
            assert (run.stop, run.requests, run.status["stop"]) == ("complete", (), "complete")
            assert (await project.runs(), [one["run"] for one in project.status()]) == ([NAME], [NAME])
            cost = await run.cost()
            assert (cost.turns, cost.tokens, cost.unpriced) == (13, 0, 0)

    asyncio.run(story())


@pytest.mark.req("LB-6")
@pytest.mark.parametrize("person", ["Ada", ""])
def test_a_recorded_run_in_either_form_comes_to_the_same_end(pipeline: Path, tmp_path: Path, person: str) -> None:
    other = Path(shutil.copytree(pipeline, tmp_path / "other"))

    async def awaited() -> None:
        async with open_project(pipeline, person=person) as project:
            run = await begun(project)
            told = [event async for event in run]
            for sitting, option in SITTINGS:
                await run.answer(answers(pipeline, sitting))
                await run.choose(option)
                told += [event async for event in run]
            assert (run.stop, len(told)) == ("complete", 13)

    def blocking() -> None:
        with open_project(other, person=person).sync() as project:
            run = project.start("clarify", NAME, topic="Sales pipeline", runtime="recorded")
            told = list(run)
            for sitting, option in SITTINGS:
                run.answer(answers(other, sitting))
                run.choose(option)
                told += run
            assert (run.stop, len(told), run.cost().turns) == ("complete", 13, 13)
            assert project.run(NAME).name == project.runs()[0] == NAME

    async def in_a_loop_as_jupyter_has_it() -> None:
        blocking()

    asyncio.run(awaited())
    asyncio.run(in_a_loop_as_jupyter_has_it())
    actor = "person:Ada" if person else "script"
    assert settled(pipeline) == settled(other) == [(option, actor) for _, option in SITTINGS]
    made = [(root / f"{NAME}/context/decisions.md").read_text("utf-8") for root in (pipeline, other)]
    assert made[0].startswith("---\nstatus: complete\n")
    assert made[0] == made[1]


def test_what_goes_wrong_at_work_is_raised_in_the_loop(pipeline: Path) -> None:
    async def story() -> None:
        async with open_project(pipeline) as project:
            run = await begun(project)
            assert [event.type async for event in run] == ["turn_returned"] * 6
            await run.choose("autofill", note="all of them")
            with pytest.raises(LeftRecordingError, match="leaves its recording"):
                [event async for event in run]

    asyncio.run(story())
    with open_project(pipeline).sync() as project, pytest.raises(LeftRecordingError, match="leaves its recording"):
        list(project.run(NAME))


def test_leaving_the_loop_stops_the_work_and_the_next_loop_goes_on(pipeline: Path) -> None:
    async def story() -> None:
        async with open_project(pipeline) as project:
            run = await begun(project)
            async for _ in run:
                break
            rest = [event.type async for event in run]
            assert (len(rest) < 6, [one.key for one in run.requests]) == (True, ["answers"])

    asyncio.run(story())
    returned = [event for event in events(pipeline) if event["type"] == "turn_returned"]
    assert [event["turn"][:4] for event in returned] == [f"{number:04d}" for number in range(1, 7)]


def test_leaving_the_loop_stops_the_work_without_await_too(pipeline: Path) -> None:
    with open_project(pipeline).sync() as project:
        run = project.start("clarify", NAME, topic="Sales pipeline", runtime="recorded")
        first = next(iter(run))
        rest = list(run)
        assert (first.type, run.requests[0].key) == ("turn_returned", "answers")
        assert len(rest) < 6
    assert sum(event["type"] == "turn_returned" for event in events(pipeline)) == 6


def test_a_loop_ends_when_another_one_takes_over_or_the_project_is_closed(pipeline: Path) -> None:
    async def story() -> list[int]:
        project = open_project(pipeline)
        run = await begun(project)
        first = aiter(run)
        await anext(first)
        second = aiter(run)
        await anext(second)
        left = [len([event async for event in first])]
        await project.close()
        return [*left, len([event async for event in second])]

    over, closed = asyncio.run(story())
    assert over + closed < 4, "what was in the journal is told, and no more work is done"


def test_a_run_without_a_runtime_goes_on_with_the_one_that_it_had(pipeline: Path) -> None:
    with open_project(pipeline).sync() as project:
        list(project.start("clarify", NAME, topic="Sales pipeline", runtime="recorded"))
        run = project.run(NAME)
        run.answer(answers(pipeline, "first"))
        run.choose("research")
        assert len(list(run)) == 5
        again = project.start("clarify", NAME, topic="Sales pipeline")
        assert [one.key for one in again.requests] == [one.key for one in run.requests]


def test_a_run_for_a_host_waits_for_it(pipeline: Path) -> None:
    with open_project(pipeline).sync() as project:
        run = project.start("clarify", NAME, topic="Sales pipeline", runtime="host")
        assert list(run) == []
        assert [turn["agent"] for turn in run.status["turns"]] == ["dimension-researcher"] * 5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "the agents of clarify are language models, and no model is named"),
        ({"runtime": "magic"}, "there is no runtime 'magic'. Valid: offline, recorded, model, claude-code, host"),
        ({"runtime": "host", "subject": "x"}, "clarify has no parameter 'subject'. Valid: topic: "),
    ],
)
def test_what_is_wrong_with_a_start_is_said_before_anything_is_done(
    pipeline: Path, given: dict[str, str], said: str
) -> None:
    with open_project(pipeline).sync() as project, pytest.raises(UsageError) as refused:
        project.start("clarify", NAME, **given)
    assert said in str(refused.value)
    assert not (pipeline / "_workflow").exists()


def test_only_text_is_an_answer(pipeline: Path) -> None:
    with open_project(pipeline).sync() as project:
        run = project.start("clarify", NAME, topic="Sales pipeline", runtime="recorded")
        list(run)
        with pytest.raises(UsageError, match=r"the answer to Q2 is 3. Valid: text. Repair: put it in quotes."):
            run.answer({"Q1": "A", "Q2": 3})
        assert {question.answer for question in run.questions} == {""}


# --- signing off ------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page that waits for the approval of its strategy."""
    root = lay_out(tmp_path / "page", config=GATE)
    with open_project(root).sync() as project:
        run = project.start("solution-page", RONDO)
        list(run)
        assert [one.key for one in run.requests] == ["strategy"]
    return root


@pytest.mark.req("LB-6", "SP-18")
def test_an_approval_without_a_person_is_refused_and_with_one_it_is_theirs(page: Path) -> None:
    before = journal(page)

    async def nobody() -> None:
        async with open_project(page) as project:
            run = await project.run(RONDO)
            with pytest.raises(RefusedError, match=r"'approve' is a person's act, and no person is named.*person=…"):
                await run.approve("strategy")
            with pytest.raises(RefusedError, match="'reject' is a person's act, and no person is named"):
                await run.reject("strategy", "no")
            with pytest.raises(RefusedError, match="'approve' is a person's act, and no person is named"):
                await run.choose("approve")

    async def ada() -> None:
        async with open_project(page, person="Ada") as project:
            run = await project.run(RONDO)
            await run.approve("strategy")
            assert run.requests == ()

    asyncio.run(nobody())
    assert journal(page) == before
    asyncio.run(ada())
    assert settled(page, "_workflow") == [("approve", "person:Ada")]


@pytest.mark.req("LB-6")
@pytest.mark.parametrize("variable", ["CLAUDECODE", "AI_AGENT"])
def test_in_a_shell_that_an_agent_opened_no_name_counts(
    page: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    before = journal(page)
    with open_project(page, person="Ada").sync() as project:
        run = project.run(RONDO)
        with pytest.raises(RefusedError, match=rf"this shell was opened by an agent \({variable} is set\)"):
            run.approve("strategy")
    assert journal(page) == before


def test_a_rejection_needs_a_reason_and_goes_back_with_it(page: Path) -> None:
    with open_project(page, person="Ada").sync() as project:
        run = project.run(RONDO)
        with pytest.raises(UsageError, match="the reason is empty"):
            run.reject("strategy", "  ")
        run.reject("strategy", " Speak to integrators. ")
        list(run)
        assert [one.request for one in run.requests] == ["strategy-2"]
    brief = (page / "_workflow/turns/0002-strategist/brief-1.md").read_text("utf-8")
    assert '"rejected": "Speak to integrators."' in brief


def test_an_approval_is_for_the_bytes_that_the_caller_looked_at(page: Path) -> None:
    with open_project(page, person="Ada").sync() as project:
        run = project.run(RONDO)
        [path, *_] = run.requests[0].of
        original = (page / path).read_text("utf-8")
        put(page, path, original + "\nA line by hand.\n")
        with pytest.raises(RefusedError, match="changed after the request was written"):
            run.approve("strategy")
        assert "+A line by hand." in run.changes("strategy")
        put(page, path, original + "\nAnother line by hand.\n")
        with pytest.raises(RefusedError, match="changed after the request was written"):
            run.approve("strategy", accept_changes=True)
        run.refresh()
        assert "+Another line by hand." in run.changes("strategy")
        run.approve("strategy", accept_changes=True)
        assert run.requests == ()


@pytest.mark.req("LB-6")
def test_a_stopped_run_is_resumed_by_a_person_where_they_want(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page", TARN, "iteration_limits: {en: 0}\n")
    with open_project(root).sync() as project:
        run = project.start("solution-page", TARN)
        run.resume()
        list(run)
        assert run.stop == "escalated"
        with pytest.raises(RefusedError, match="'resume' is a person's act, and no person is named"):
            run.resume()
        with pytest.raises(UsageError, match="cannot begin again at 'nowhere' now"):
            run.resume(step="nowhere")
    with open_project(root, person="Ada").sync() as project:
        run = project.run(TARN)
        run.resume()
        assert run.stop is None
    assert settled(root, "_workflow") == [("resume", "person:Ada")]


# --- the thread -------------------------------------------------------------------------------------------------------


def test_an_interrupt_cancels_what_is_waited_for() -> None:
    loop, ended = python_api._Loop(), asyncio.Event()

    async def endless() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        loop.wait(endless)
    assert loop.wait(ended.wait) is True
    loop.end()


def test_a_closed_project_says_so_and_closing_twice_does_nothing(pipeline: Path) -> None:
    project = open_project(pipeline).sync()
    run = project.start("clarify", NAME, topic="Sales pipeline", runtime="recorded")
    loop = iter(run)
    next(loop)
    project.close()
    project.close()
    for act in (project.runs, run.refresh, lambda: next(loop)):
        with pytest.raises(UsageError, match=r"the project is closed. Repair: open it again with open_project."):
            act()


def test_a_blocking_handle_offers_what_the_handle_offers(pipeline: Path) -> None:
    with open_project(pipeline).sync() as project:
        assert {"close", "root", "run", "runs", "start", "status", "sync"} <= set(dir(project))
        assert project.start.__doc__ == Project.start.__doc__
        assert project.root == pipeline


# --- examples ---------------------------------------------------------------------------------------------------------


def documented() -> Iterator[tuple[str, Any]]:
    """Everything public, with what its docstring is on."""
    yield "open_project", open_project
    for kind in (Project, Run, Blocking, BlockingProject):
        yield kind.__name__, kind
        own = vars(kind).items()
        yield from ((f"{kind.__name__}.{name}", value) for name, value in own if not name.startswith("_"))


PUBLIC = dict(documented())


def example(name: str) -> str:
    doc = inspect.getdoc(PUBLIC[name]) or ""
    return textwrap.dedent(doc.partition("Example:\n")[2])


@pytest.mark.req("LB-6")
@pytest.mark.parametrize("name", PUBLIC)
def test_the_example_of_every_name_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = example(name)
    assert code, f"{name} has no example"
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EXAMPLES / NAME, "pipeline")
    lay_out(tmp_path / "page", config=GATE)

    async def story() -> None:
        async with open_project("pipeline", person="Ada") as project, open_project("page", person="Ada") as other:
            if "strategy" in code:
                run = await other.start("solution-page", RONDO)
            elif not name.startswith("Blocking"):
                run = await begun(project)
            names = {"open_project": open_project, "project": project}
            if name.startswith("Run"):
                assert [event async for event in run]
                if name == "Run.choose":
                    await run.answer(answers(project.root, "first"))
                names["run"] = run
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            made = eval(compile(code, name, "exec", flags=flags), names)
            if made is not None:
                await made

    asyncio.run(story())
