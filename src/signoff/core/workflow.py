"""What a workflow declares: every extension point is here, and surfaces, briefs and explorers are made from it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from signoff.core.commands import Ask, Check, Command, Gather, Reply, StartTurn
from signoff.core.errors import DefinitionError
from signoff.core.events import Answered, Event
from signoff.core.findings import Finding
from signoff.core.permissions import CONFINED
from signoff.core.personas import Persona
from signoff.core.policies import Allowance, Budget, said
from signoff.core.questions import Questionnaire
from signoff.core.refs import Look, Ref
from signoff.core.state import OpenTurn, State


@dataclass(frozen=True, kw_only=True)
class Now:
    """What a step sees: the state before the event, the event, and what the guard made of it.

    `output` is the parsed output of a turn that returned; `refused` says why a turn ended without one; `was` has the
    digests that edited documents had before.
    """

    state: State
    event: Event
    look: Look
    turn: OpenTurn | None = None
    check: Check | None = None
    gather: Gather | None = None
    request: Ask | None = None
    output: Any = None
    refused: tuple[Finding, ...] = ()
    was: Mapping[str, str] = field(default_factory=dict)

    def begins_at(self, default: str) -> str:
        """Where a person wants a stopped run to begin again; an offer they were not made counts as none."""
        offered = self.request.notes.get("from", ()) if self.request else ()
        wanted = self.event.payload.get("from") if isinstance(self.event, Answered) else None
        return str(wanted) if wanted in offered else default


@dataclass(frozen=True, slots=True)
class Effects:
    """What a step wants: its new own value and commands."""

    own: Any
    commands: tuple[Command, ...] = ()


Step = Callable[[Now], Effects]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What an agent must give back. `parse` raises DocumentError; `check` adds authority and legality in this state."""

    name: str
    parse: Callable[[bytes, str], Any]
    schema: Callable[[], Mapping[str, Any]]
    documents: Callable[[Any], Mapping[str, str]] = lambda _: {}
    check: Callable[[Now, Any], Sequence[Finding]] = lambda _now, _value: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What the network said of one address: a status and the text that came with it, or why there is none.

    `private` says that the address was refused because it leads into a private network.
    """

    url: str
    status: int | None = None
    problem: str = ""
    text: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateInput:
    """The documents by role, the parameters, and what was found out about the world beforehand."""

    of: Mapping[str, Ref]
    params: Mapping[str, Any]
    look: Look
    probes: Mapping[str, Probe] = field(default_factory=dict)

    def ref(self, role: str) -> Ref:
        """The document in this role; asking for one that was not given is a mistake in the workflow."""
        if role not in self.of:
            raise DefinitionError(f"the check has no document {role!r}", valid=", ".join(self.of) or "none")
        return self.of[role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A deterministic check. `urls` names what must be probed first, by the shell, when the check needs the network."""

    name: str
    about: str
    run: Callable[[GateInput], Sequence[Finding]]
    urls: Callable[[GateInput], Sequence[str]] = lambda _: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A role: the contract it answers under and the file that briefs it (a project's own file wins).

    `tools` are those of the workflow that its turns may have.
    """

    name: str
    contract: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One thing a run or a file command can be told. `choices` are the valid values; `repeat` takes several.

    `later` says how to change it once a run has begun; else it is set in the config. `asked` is the question for it,
    put to a person who begins a run at a terminal without saying it; they may leave it open.
    """

    name: str
    about: str
    kind: type = str
    default: Any = None
    flag: bool = False
    choices: tuple[str, ...] = ()
    repeat: bool = False
    later: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What an agent may call within its turn; the workflow's step answers. `takes` is the JSON Schema of arguments."""

    name: str
    about: str
    takes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A role player asks for a tool of its turn."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


class Ended(Protocol):
    """How a command ended that a turn ran: its exit code, and its output, which may have been cut."""

    @property
    def code(self) -> int: ...

    @property
    def output(self) -> str: ...


class Tools(Protocol):
    """The port through which a role player acts on the world: nothing but what its turn names.

    What the turn may not do raises UsageError and is recorded. Files that are written count when the output does.
    """

    def read(self, path: str) -> bytes: ...

    def write(self, path: str, text: str) -> None: ...

    def run(self, command: str) -> Ended: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A turn as a runtime gets it: the brief for a reader, and the pinned command for code.

    `standing` is the beginning of the brief, the same bytes for every turn of the role. `model` is the one that the
    project or the agent file names; `left` is what the run may still use. `called` counts the tools that were called in
    this attempt before, in a conversation that was broken off.
    """

    start: StartTurn
    brief: str
    params: Mapping[str, Any]
    at: str
    standing: str = ""
    model: str | None = None
    left: Allowance = field(default_factory=Allowance)
    called: int = 0


Conversation = Generator[ToolCall, Reply, str]
"""A role player that calls tools: it yields calls, is sent replies, and returns its raw output."""

RolePlayer = Callable[[Assignment, Tools], str | Conversation]
"""Code that carries out a turn: it gets what an agent gets and gives raw output back."""

Misbehaviour = Callable[[Assignment], Callable[[str, Tools], str] | None]
"""What goes wrong with an attempt by plan: what spoils its raw output, or None. A planned crash is raised."""


Reader = Callable[[str], bytes | None]
"""Gives what a project has at a path, before a run begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCall:
    """A file command as a person called it: the files they named, what they told it, and a reader for what lies beside.

    `params` has every flag and every list, and what else was told or has a default. `read` takes a path relative to the
    project that the first file lies in; `places` are the files of the project that the command wants to see.
    """

    files: Mapping[str, bytes]
    params: Mapping[str, Any]
    read: Reader
    places: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """What a file command found and made. `writes` are new texts for files, by the names in the call or beside them.

    `said` are lines of words; `shown` is a text that is shown as it stands, such as a drawing.
    """

    findings: tuple[Finding, ...] = ()
    said: tuple[str, ...] = ()
    shown: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    writes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCommand:
    """A command on plain files, without a run: `signoff WORKFLOW NAME FILE…`. Its `run` is pure.

    A name of two words makes a group: `roster check` is `signoff WORKFLOW roster check FILE`. `most` is how many files
    it takes, None for any number, 0 for one about the project itself; `places` are folders of the project whose files
    it is given besides, and patterns of files in the person's home (`~/…`); `beside` are names, or patterns of names,
    of files that a single file brings along from its folder. Only a command that says `writes` may write; it can then
    be tried with `--dry-run`. One that `checks` ends with a verdict: pass, or what must be mended.
    """

    name: str
    about: str
    run: Callable[[FileCall], FileOutcome]
    example: str
    files: str = "FILE"
    most: int | None = 1
    places: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    writes: bool = False
    checks: bool = True


class Trace(Protocol):
    """Where an id came from and what it led to."""

    def __call__(self, what: str, state: State, events: Sequence[Event], look: Look) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A kind of process, whole: what it does is `step`, everything else is declaration.

    `tracked` and `sources` name the documents that are followed, and `follows` those that are besides as the run
    stands: patterns (`core/following.py`), whose files stay known when they are followed no more. `project` makes the
    files that follow from the state; `models` is what the config names for agents; `accepts` says what is wrong with a
    person's edit. `scaffold` gives the files that a run needs and a project may not have yet, `starter` the ones of a
    new project (path, and the file in the package). `faults` reads a fault plan, which spoils the outputs of any
    runtime, so that every refusal can be tried. `players` carry out turns without a model (`--runtime offline`), for a
    workflow in which code can honestly do the work; `by_code` names the agents whose turns code takes whatever the
    runtime, as the parameters of the run say. `commands` work on plain files, without a run; `questionnaire` says where
    people answer questions in a document. `summary` says what came of a run as plain data: `lines` are shown
    (`{project}` stands for the project's folder), `next` are commands to try. `example` is a call that teaches;
    `slash` is what the command that begins a run is called in a host that has slash commands, `run-NAME` where
    nothing is said. `tools` are what agents may call within a turn; `ready` says what a project lacks before a run
    can begin; `called` makes the name of a run from its parameters where nobody gives one, and `first_run` is what
    the first one of a new project is called, where it is not the project's name. `personas` are the conversations
    that people have with it; `opening` is the command with which a new project begins, where that is not a run.

    `looks_outside` gives the params of the searches that are to come as the run stands, None where there are none:
    what is lacking for them is said before the first turn is paid for.

    `borrows` names what a person keeps in their home across projects: for a run's name, patterns such as
    `~/.claude/protocols/*.json`, each with the folder of the project that copies go to; `tracked` must cover those
    folders, so that copies are documents like any other. `lends` names what is put there for other projects (path in
    the home: path in the project), where nothing is yet, in folders that `borrows` names.
    """

    name: str
    version: int
    about: str
    package: str
    folder: Callable[[str], str]
    step: Step
    agents: Mapping[str, Agent]
    contracts: Mapping[str, Contract]
    gates: Mapping[str, Gate]
    tracked: Callable[[Mapping[str, Any]], Sequence[str]]
    sources: Callable[[Mapping[str, Any]], Sequence[str]]
    follows: Callable[[State, Look], Sequence[str]] = lambda _state, _look: ()
    budget: Callable[[State, Look], Budget] = lambda _state, _look: Budget()
    models: Callable[[State, Look], Mapping[str, str]] = lambda _state, _look: {}
    looks_outside: Callable[[State, Look], Mapping[str, Any] | None] = lambda _state, _look: None
    project: Callable[[State], Mapping[str, str | None]] = lambda _: {}
    status: Callable[[State], Mapping[str, Any]] = lambda _: {}
    accepts: Callable[[str, bytes], Sequence[Finding]] = lambda _path, _data: ()
    scaffold: Callable[[Reader], Mapping[str, str]] = lambda _read: {}
    starter: Mapping[str, str] = field(default_factory=dict)
    summary: Callable[[State, Look], Mapping[str, Any]] = lambda _state, _look: {}
    parameters: tuple[Parameter, ...] = ()
    players: Mapping[str, RolePlayer] = field(default_factory=dict)
    by_code: Callable[[Mapping[str, Any]], Mapping[str, RolePlayer]] = lambda _params: {}
    faults: Callable[[str], Misbehaviour] | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict)
    ready: Callable[[Mapping[str, Any], Reader], Sequence[Finding]] = lambda _params, _read: ()
    called: Callable[[Mapping[str, Any]], str] | None = None
    first_run: str = ""
    opening: str = ""
    trace: Trace | None = None
    commands: tuple[FileCommand, ...] = ()
    questionnaire: Questionnaire | None = None
    personas: Mapping[str, Persona] = field(default_factory=dict)
    example: str = ""
    slash: str = ""
    picture: Callable[[], str] = lambda: ""
    borrows: Callable[[str], Mapping[str, str]] = lambda _run: {}
    lends: Callable[[State, Look], Mapping[str, str]] = lambda _state, _look: {}

    def declared(self, start: StartTurn) -> list[Tool]:
        """The workflow's own tools of a turn, as they are offered to an agent."""
        named = [name for name in start.tools if name not in CONFINED]
        if unknown := [name for name in named if name not in self.tools]:
            raise DefinitionError(
                f"a turn of {self.name!r} has a tool {unknown[0]!r} that is not declared",
                valid=", ".join(self.tools) or "none is",
                repair="declare it under `tools` of the workflow",
            )
        return [self.tools[name] for name in named]

    def __post_init__(self) -> None:
        for agent in self.agents.values():
            if agent.contract not in self.contracts:
                raise DefinitionError(
                    f"agent {agent.name!r} of {self.name!r} answers under an unknown contract {agent.contract!r}",
                    valid=", ".join(self.contracts),
                )
        for name, persona in self.personas.items():
            if problem := self._contradiction(name, persona):
                raise DefinitionError(f"persona {name!r} of {self.name!r} {problem}", repair="mend its declaration")

    def _contradiction(self, name: str, persona: Persona) -> str:
        """What a persona says of itself that cannot be."""
        contract = persona.artifact.contract if persona.artifact else None
        wrong = {
            f"calls itself {persona.name!r}": persona.name != name,
            f"makes something under an unknown contract {contract!r}": contract not in (None, *self.contracts),
            f"takes the turns of an unknown agent {persona.agent!r}": persona.agent not in ("", *self.agents),
            f"is followed by an unknown persona {persona.next!r}": persona.next not in ("", *self.personas),
            "makes a file and has a part in a run": bool(persona.artifact) and bool(persona.agent or persona.begins),
            "makes something without asking": bool(persona.artifact or persona.agent) and not persona.interview,
            "makes a file and does not say of what": bool(
                persona.artifact and persona.interview and not persona.interview.output
            ),
        }
        return next((problem for problem, holds in wrong.items() if holds), "")

    def budgets(self, state: State, look: Look) -> tuple[Budget, Budget]:
        """What the run may use: as its config says, and as somebody said on the command line."""
        config = self.budget(state, look)
        return config, said(state.ceiling, config.turns)
