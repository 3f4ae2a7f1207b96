"""The tools of the server, each a few lines over the service. Their words are what a model reads: short and exact."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from signoff import DefinitionError
from signoff import Tool as Declared
from signoff.service import catalog, conversations, run_control
from signoff.service.hosts import host_calls, host_files, host_reads, host_turns, turn_leases
from signoff.service.project import Project

Run = Annotated[str, Field(description="name of a run")]
Plain = dict[str, Any]
Tool = Callable[..., Awaitable[Plain]]
OURS: Mapping[str, Mapping[str, Any]] = {
    "run": {"type": "string"},
    "turn": {"type": "string", "description": "the calling turn, if several are open"},
    "call_id": {"type": "string", "description": "an earlier call whose result is wanted"},
}
"""What every tool of a workflow takes besides its own arguments."""


class Desk:
    """What a host finds: one project, opened again for every call, so that no call relies on an earlier one."""

    def __init__(self, root: Path, taker: turn_leases.Taker | None = None) -> None:
        self.root, self.taker = root, taker
        self._told: list[str] = []

    def tools(self) -> list[Tool]:
        """All tools, in the order in which a host needs them."""
        return [
            self.list_runs, self.start_run, self.next_turn, self.write_file, self.run_command, self.submit_turn,
            self.get_status, self.read_document, self.run_gate, self.trace_id, self.answer_question,
            self.choose_option, self.submit_artifact,
        ]  # fmt: skip

    def project(self) -> Project:
        """The project as it is now."""
        project = Project(self.root)
        project.watcher.notice = self._told.append
        return project

    def notices(self) -> list[str]:
        """What people should know of the calls so far, each told once."""
        told, self._told = self._told, []
        return told

    async def list_runs(self) -> Plain:
        """List the runs of the project: where each stands, its open turns, what waits for a person."""
        return {"runs": host_turns.listed(self.project())}

    async def start_run(self, workflow: str, name: str, params: Plain | None = None) -> Plain:
        """Begin a run of a workflow, or go on with it. Then call next_turn."""
        return await host_turns.start(self.project(), workflow, name, params or {})

    async def next_turn(
        self, run: Run, turn: Annotated[str | None, Field(description="only this open turn")] = None
    ) -> Plain:
        """Get the open turns with their briefs, or what waits for a person. Asking changes nothing."""
        return await host_turns.upcoming(self.project(), run, turn, self.taker)

    async def write_file(
        self,
        run: Run,
        turn: str,
        attempt: int,
        path: Annotated[str, Field(description="one that the brief says may be written")],
        text: str,
    ) -> Plain:
        """Give a whole file for an open turn whose brief says so. It counts when the turn's output is accepted."""
        return await host_files.write(self.project(), run, turn, attempt, path, text)

    async def run_command(
        self,
        run: Run,
        turn: str,
        attempt: int,
        command: Annotated[str, Field(description="one that the brief says may be run")],
    ) -> Plain:
        """Run a command for an open turn, in a folder of its inputs and the files given so far. There is no shell."""
        return await host_files.command(self.project(), run, turn, attempt, command)

    async def submit_turn(
        self,
        run: Run,
        turn: str,
        attempt: int,
        output: Annotated[str, Field(description="the whole output as text, as the brief's contract says")],
    ) -> Plain:
        """Give back the output of an open turn. Findings say what to fix; the same output twice changes nothing."""
        return await host_turns.submit(self.project(), run, turn, attempt, output)

    async def get_status(self, run: Run) -> Plain:
        """Show where a run stands: phase, open turns, requests, spend."""
        return await host_turns.status(self.project(), run)

    async def read_document(self, run: Run, path: str, offset: int = 0) -> Plain:
        """Read a document of the run or an input of an open turn, a piece at a time from offset."""
        return await host_reads.document(self.project(), run, path, offset)

    async def run_gate(
        self,
        gate: str,
        files: Annotated[list[str], Field(description="paths in the project; parity takes EN, CN")],
        lang: str | None = None,
    ) -> Plain:
        """Run a deterministic gate on files of the project: one of a page (structure, claims …) or of any workflow."""
        return await host_reads.gate(self.project(), gate, files, lang)

    async def trace_id(self, id: str, run: str | None = None) -> Plain:  # noqa: A002 - the name that a host reads
        """Show where an id (claim, question, decision) came from and what depends on it."""
        name, found = await run_control.traced(self.project(), id, run)
        return host_reads.json_data({"run": name, **found})

    async def answer_question(self, run: Run, key: str, text: str) -> Plain:
        """Write a person's answer to a question into the run's document. Ask the person; do not answer for them."""
        return await host_turns.answer(self.project(), run, key, text)

    async def choose_option(
        self, run: Run, option: str, note: str = "", request: str | None = None, payload: Plain | None = None
    ) -> Plain:
        """Pass on which option of a choice the person took. Approving, rejecting and resuming are not choices."""
        return await host_turns.choose(self.project(), run, option, note, request, payload)

    async def submit_artifact(
        self,
        persona: str,
        task: str,
        output: Annotated[str, Field(description="the whole output as text, as the contract says")],
        replace: Annotated[bool, Field(description="the person wants the old file replaced")] = False,
    ) -> Plain:
        """Hand in what a persona made with the person before a run. Show them the draft first."""
        return await conversations.hand_in(self.project(), persona, task, output, replace=replace)

    # --- the tools of workflows ---

    def declared(self) -> list[tuple[Tool, Declared]]:
        """What agents of all workflows may call within their turns, each as a function with the arguments it takes."""
        return [(self._named(tool), tool) for tool in catalog.tools().values()]

    def _named(self, tool: Declared) -> Tool:
        async def ask(run: str, turn: str | None = None, call_id: str | None = None, **given: Any) -> Plain:
            args = {name: value for name, value in given.items() if value is not None}
            return await host_calls.call(self.project(), run, tool.name, args, turn, call_id)

        own = tool.takes["properties"]
        if clash := [name for name in own if name in OURS]:
            raise DefinitionError(f"{tool.name} takes {', '.join(clash)}, which a host gives", repair="rename it")
        told = [_parameter(name, str if kind["type"] == "string" else Any) for name, kind in own.items()]
        run, *others = (_parameter(name, str | None) for name in OURS)
        wanted = Signature([run.replace(default=Parameter.empty), *told, *others], return_annotation=Plain)
        ask.__signature__ = wanted  # type: ignore[attr-defined] # what the SDK reads a function's arguments from
        return ask


def _parameter(name: str, kind: Any) -> Parameter:
    """One argument. Only text must be text here, so that it is not taken for JSON; the kernel judges the rest."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def takes(tool: Declared) -> dict[str, Any]:
    """The schema that a host reads: what the tool takes, and which run and turn it is for."""
    return {**tool.takes, "properties": {**OURS, **tool.takes["properties"]}, "required": ["run"]}
