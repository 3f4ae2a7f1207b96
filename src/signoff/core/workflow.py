"""What a workflow declares: surfaces, briefs and explorers are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from signoff.core.budget import Budget, said
from signoff.core.commands import StartTurn
from signoff.core.declarations import (
    Agent,
    Contract,
    FileCommand,
    Gate,
    Misbehaviour,
    Parameter,
    Questionnaire,
    Reader,
    RolePlayer,
    Step,
    Tool,
    Trace,
)
from signoff.core.errors import DefinitionError
from signoff.core.findings import Finding
from signoff.core.permissions import CONFINED
from signoff.core.personas import Persona
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The documents of a run: which ones it follows, what people may do to them, what code makes of the state.

    `folder` is where the run keeps its journal and turns; `{workflow}` and `{run}` stand for the names. `sources` are
    the places that people put material in. `tracked` names the documents that every run follows, and `follows` those
    that it follows as it stands now: patterns (`core/permissions.py`), whose files stay known when they are no longer
    followed. `accepts` says what is wrong with a person's edit; `made` gives the files that follow from the state.

    `rests_on` names the documents and folders whose edit makes an approval that waits, or a finished run, stale;
    without it, they are all that the run tracks and all its sources, but not the config.

    `borrows` names files that a person keeps in their home for all projects: for a run's name, patterns such as
    `~/.claude/protocols/*.json`, each with the folder of the project that copies go to; `tracked` must cover those
    folders, so that copies are documents like any other. `lends` names what is put into the home for other projects
    (path in the home: path in the project), if nothing is there yet, in folders that `borrows` names.
    """

    folder: str = "_workflow/{workflow}/{run}"
    sources: tuple[str, ...] = ()
    tracked: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _params: ()
    follows: Callable[[State, Look], Sequence[str]] = lambda _state, _look: ()
    accepts: Callable[[str, bytes], Sequence[Finding]] = lambda _path, _data: ()
    made: Callable[[State], Mapping[str, str | None]] = lambda _state: {}
    rests_on: Callable[[State, Look], Sequence[str]] | None = None
    borrows: Callable[[str], Mapping[str, str]] = lambda _run: {}
    lends: Callable[[State, Look], Mapping[str, str]] = lambda _state, _look: {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may use. `models` is what the project's config names for agents.

    `looks_outside` gives the params of the searches to come, None if there are none: what they lack (a key) is reported
    before the first turn is paid for.
    """

    budget: Callable[[State, Look], Budget] = lambda _state, _look: Budget()
    models: Callable[[State, Look], Mapping[str, str]] = lambda _state, _look: {}
    looks_outside: Callable[[State, Look], Mapping[str, Any] | None] = lambda _state, _look: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a project and a run begin.

    `starter` are the files of a new project (path, and the file in the package); `scaffold` gives the files that a run
    needs and a project may not have yet; `ready` says what a project lacks before a run can begin. `called` makes the
    name of a run from its parameters if the person gives none; `first_run` names the first run of a new project, which
    is otherwise named after the project. `opening` is the command that a new project begins with, if that is not a run.
    `example` is a typical call; `slash` names the slash command that begins a run, otherwise `run-NAME`.
    """

    starter: Mapping[str, str] = field(default_factory=dict)
    scaffold: Callable[[Reader], Mapping[str, str]] = lambda _read: {}
    ready: Callable[[Mapping[str, Any], Reader], Sequence[Finding]] = lambda _params, _read: ()
    called: Callable[[Mapping[str, Any]], str] | None = None
    first_run: str = ""
    opening: str = ""
    example: str = ""
    slash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """What people read about a run, as plain data.

    `summary` says what came of it: `lines` are shown (`{project}` stands for the project's folder), `next` are commands
    to try. `trace` says where an id came from; `picture` draws the steps as Mermaid. `terms` are the names, in both
    languages, of the options of its requests and of the values in their texts.
    """

    status: Callable[[State], Mapping[str, Any]] = lambda _state: {}
    summary: Callable[[State, Look], Mapping[str, Any]] = lambda _state, _look: {}
    trace: Trace | None = None
    picture: Callable[[], str] | None = None
    terms: Terms = field(default_factory=Terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What people do beside a run: `commands` on plain files, questions they answer in a document, conversations."""

    commands: tuple[FileCommand, ...] = ()
    questionnaire: Questionnaire | None = None
    personas: Mapping[str, Persona] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByCode:
    """Turns that code takes, and outputs that it spoils.

    `players` carry out turns without a model (`--runtime offline`), for a workflow whose work code can really do;
    `always` gives the agents whose turns code takes in every runtime, by the parameters of the run. `faults` reads a
    fault plan, which spoils the outputs of any runtime, so that every refusal can be tested.
    """

    players: Mapping[str, RolePlayer] = field(default_factory=dict)
    always: Callable[[Mapping[str, Any]], Mapping[str, RolePlayer]] = lambda _params: {}
    faults: Callable[[str], Misbehaviour] | None = None


N = TypeVar("N", Agent, Contract, Gate, Tool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A kind of process, whole: what it does is `steps`, everything else is declaration.

    `steps` takes what a step sees and gives the new own state and commands; `table` makes one from steps and edges.
    `contracts` are those of turns beside the contracts of the agents. `package` is the Python package that has the
    texts (agents/, skills/); a workflow whose agents have prompts of their own needs none. `distribution` is the
    installed package that offers the workflow; the catalog sets it. The groups are optional. A change of behaviour
    raises `version`.
    """

    name: str
    about: str
    steps: Step
    agents: tuple[Agent, ...] = ()
    gates: tuple[Gate, ...] = ()
    tools: tuple[Tool, ...] = ()
    contracts: tuple[Contract, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    version: int = 1
    package: str = ""
    distribution: str = ""
    documents: Documents = Documents()
    limits: Limits = Limits()
    setup: Setup = Setup()
    views: Views = Views()
    people: People = People()
    by_code: ByCode = ByCode()

    def agent(self, name: str) -> Agent:
        """The agent of this name."""
        return self._named("agent", name, self.agents)

    def contract(self, name: str) -> Contract:
        """The contract of this name."""
        return self._named("contract", name, (*self.contracts, *(agent.contract for agent in self.agents)))

    def gate(self, name: str) -> Gate:
        """The gate of this name."""
        return self._named("gate", name, self.gates)

    def _named(self, what: str, name: str, things: Sequence[N]) -> N:
        found = next((thing for thing in things if thing.name == name), None)
        if found is None:
            valid = ", ".join(dict.fromkeys(thing.name for thing in things)) or "none"
            raise DefinitionError(f"{self.name!r} has no {what} {name!r}", valid=valid, repair="declare it")
        return found

    @property
    def agent_names(self) -> tuple[str, ...]:
        """The names of the agents, in the order of the declaration."""
        return tuple(agent.name for agent in self.agents)

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the workflow's own tools."""
        return tuple(tool.name for tool in self.tools)

    def folder(self, run: str) -> str:
        """Where a run keeps its journal and turns."""
        return self.documents.folder.replace("{workflow}", self.name).replace("{run}", run)

    def tracked(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """The documents that a run follows: those that are declared, and those that its steps write."""
        written = (path.replace("{run}", str(params["slug"])) for path in getattr(self.steps, "writes", ()))
        return (*self.documents.tracked(params), *written)

    def rests_on(self, state: State, look: Look) -> tuple[str, ...]:
        """The documents and folders whose edit makes an approval that waits, or a finished run, stale."""
        if self.documents.rests_on is not None:
            return tuple(self.documents.rests_on(state, look))
        config = self.setup.scaffold(lambda _path: None)
        return tuple(path for path in (*self.tracked(state.params), *self.documents.sources) if path not in config)

    @property
    def example(self) -> str:
        """A call that begins a run."""
        return self.setup.example or f"signoff run {self.name} my-run"

    def status(self, state: State) -> Mapping[str, Any]:
        """The workflow's own part of `status.json`: what its table of steps says, and what `Views.status` adds."""
        of_steps: Callable[[State], Mapping[str, Any]] | None = getattr(self.steps, "status", None)
        return {**(of_steps(state) if of_steps else {}), **self.views.status(state)}

    def picture(self) -> str:
        """The steps as Mermaid; a workflow that is no table and draws nothing has no picture."""
        draw = self.views.picture or getattr(self.steps, "picture", None)
        return draw() if draw else ""

    def declared(self, start: StartTurn) -> list[Tool]:
        """The workflow's own tools of a turn, as they are offered to an agent."""
        named = [name for name in start.tools if name not in CONFINED]
        return [self._named("tool", name, self.tools) for name in named]

    def __post_init__(self) -> None:
        for name in getattr(self.steps, "agents", ()):  # what the steps use must be declared
            self.agent(name)
        for name in getattr(self.steps, "gates", ()):
            self.gate(name)
        for name, persona in self.people.personas.items():
            if problem := self._contradiction(name, persona):
                raise DefinitionError(f"persona {name!r} of {self.name!r} {problem}", repair="correct its declaration")

    def _contradiction(self, name: str, persona: Persona) -> str:
        """How a persona contradicts itself or the workflow."""
        contract = persona.artifact.contract if persona.artifact else None
        contracts = {one.name for one in (*self.contracts, *(agent.contract for agent in self.agents))}
        wrong = {
            f"calls itself {persona.name!r}": persona.name != name,
            f"makes something under an unknown contract {contract!r}": contract is not None
            and contract not in contracts,
            f"takes the turns of an unknown agent {persona.agent!r}": persona.agent not in ("", *self.agent_names),
            f"is followed by an unknown persona {persona.next!r}": persona.next not in ("", *self.people.personas),
            "makes a file and has a part in a run": bool(persona.artifact) and bool(persona.agent or persona.begins),
            "makes something without asking": bool(persona.artifact or persona.agent) and not persona.interview,
            "makes a file and does not say of what": bool(
                persona.artifact and persona.interview and not persona.interview.output
            ),
        }
        return next((problem for problem, holds in wrong.items() if holds), "")

    def budgets(self, state: State, look: Look) -> tuple[Budget, Budget]:
        """What the run may use: by its config, and by the limits of the command line."""
        config = self.limits.budget(state, look)
        return config, said(state.ceiling, config.turns)
