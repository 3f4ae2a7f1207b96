"""What the parts of a workflow are: what a step sees, agents, contracts, gates, parameters, tools, file commands."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol

from signoff.core.budget import Allowance
from signoff.core.commands import Ask, Check, Command, Gather, Reply, StartTurn
from signoff.core.errors import DefinitionError, DocumentError, UsageError
from signoff.core.events import Answered, Event
from signoff.core.findings import Finding
from signoff.core.refs import Look, Ref
from signoff.core.state import OpenTurn, State
from signoff.core.terms import Term, Terms

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Own = TypeVar("Own", default=Any)  # a bare `Now` is one of any workflow
else:
    from typing import TypeVar

    Own = TypeVar("Own")


@dataclass(frozen=True, kw_only=True)
class Now(Generic[Own]):
    """What a step sees: the state before the event, the event, and what the guard made of it.

    `Own` is the type of the workflow's own state, which `own` gives. `output` is the parsed output of a turn that
    returned; `refused` says why a turn ended without one; `was` has the digests that edited documents had before.
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

    @property
    def own(self) -> Own:
        """The workflow's own state, before the event."""
        own: Own = self.state.own
        return own

    @property
    def run(self) -> str:
        """The name of the run."""
        return str(self.state.params["slug"])

    def begins_at(self, default: str) -> str:
        """Where a person wants a stopped run to begin again; a step that was not offered counts as no answer."""
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
    """What an agent must give back. `parse` raises DocumentError; `check` refuses what is not legal in this state."""

    name: str
    parse: Callable[[bytes, str], Any]
    schema: Callable[[], Mapping[str, Any]]
    documents: Callable[[Any], Mapping[str, str]] = lambda _: {}
    check: Callable[[Now, Any], Sequence[Finding]] = lambda _now, _value: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What the network says of an address: a status and the text that came with it, or why there is none.

    `private` says that the address leads into a private network, and was refused for that.
    """

    url: str
    status: int | None = None
    problem: str = ""
    text: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateInput:
    """The documents by role, the parameters, and what was probed beforehand."""

    of: Mapping[str, Ref]
    params: Mapping[str, Any]
    look: Look
    probes: Mapping[str, Probe] = field(default_factory=dict)

    def ref(self, role: str) -> Ref:
        """The document in this role; asking for one that was not given is a mistake in the workflow."""
        if role not in self.of:
            raise DefinitionError(f"the check has no document {role!r}", valid=", ".join(self.of) or "none")
        return self.of[role]

    def text(self, role: str) -> str:
        """The text of the document in this role."""
        return self.look(self.ref(role), _text)

    def texts(self, folder: str) -> dict[str, str]:
        """The texts of all documents in a role that is a folder, by path; files that are not text are left out."""
        refs = (ref for role, ref in self.of.items() if role.startswith(f"{folder}/"))
        found = {ref.path: self.look(ref, _text_if_any) for ref in refs}
        return {path: text for path, text in found.items() if text is not None}


def _text(data: bytes, path: str) -> str:
    text = _text_if_any(data, path)
    if text is None:
        raise DocumentError(
            [Finding(rule="document.text", problem="the file is not UTF-8 text", repair="save it as UTF-8", file=path)]
        )
    return text


def _text_if_any(data: bytes, _path: str) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def own_document(finding: Finding, of: Mapping[str, Ref], _look: Look) -> Mapping[str, str]:
    """The document in which a finding stands; if it names none, all that the gate read."""
    named = {ref.path: ref.sha256 for ref in of.values() if ref.path == finding.file}
    return named or {ref.path: ref.sha256 for ref in of.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A deterministic check. `urls` names what must be probed first, by the shell, when the check needs the network.

    `reads` are the documents of a run that it looks at, by role, with `{run}` for the run's name. `binds` gives the
    digests, by name, of the texts that a finding is about: if one of them changes, a person's overrule is void.
    """

    name: str
    about: str
    run: Callable[[GateInput], Sequence[Finding]]
    reads: Mapping[str, str] = field(default_factory=dict)
    urls: Callable[[GateInput], Sequence[str]] = lambda _: ()
    binds: Callable[[Finding, Mapping[str, Ref], Look], Mapping[str, str]] = own_document


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A role: what it is told and the contract that it answers under.

    It is told `prompt`, or if that is empty, the file `agents/NAME.md` of the workflow's package; a project's own file
    of that name replaces both. `tools` are those of the workflow that its turns may call.
    """

    name: str
    contract: Contract
    prompt: str = ""
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a run or a file command. `choices` are the valid values, with their names in English and Chinese
    if they have any; `repeat` takes several.

    `later` says how to change it after a run has begun; without it, it is set in the config. `asked` is the question
    for a person who begins a run at a terminal without it; they may leave it open.
    """

    name: str
    about: str
    kind: type = str
    default: Any = None
    flag: bool = False
    choices: tuple[str | Term, ...] = ()
    repeat: bool = False
    later: str = ""
    asked: str = ""

    @property
    def terms(self) -> Terms:
        return Terms(*self.choices)

    def chosen(self, text: str, language: str, called: str = "") -> str:
        """The value that a text names, if there are choices. The error for another text lists them in this language."""
        value = self.terms.value(text) if self.choices else text
        if value is None:
            raise UsageError(f"{called or self.name} is {text!r}", valid=", ".join(self.terms.names(language)))
        return value


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
    """How a command of a turn ended: its exit code, and its output, which may be cut."""

    @property
    def code(self) -> int: ...

    @property
    def output(self) -> str: ...


class Tools(Protocol):
    """What a role player can do in the world: only what its turn names.

    Anything else raises UsageError and is recorded. Files that are written count when the output does.
    """

    def read(self, path: str) -> bytes: ...

    def write(self, path: str, text: str) -> None: ...

    def run(self, command: str) -> Ended: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A turn as a runtime gets it: the brief for a reader, and the pinned command for code.

    `standing` is the beginning of the brief, the same bytes for every turn of the role. `model` is the model that the
    project or the agent file names; `left` is what the run may still use. `called` counts the tool calls that this
    attempt made before its conversation was broken off.
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
"""A planned fault of an attempt: what spoils its raw output, or None. A planned crash is raised."""


Reader = Callable[[str], bytes | None]
"""Gives what a project has at a path, before a run begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCall:
    """The call of a file command: the files that the person named, the parameters, and a reader of other files.

    `params` has every flag and every list, and other parameters if they were given or have a default. `read` takes a
    path relative to the project of the first file; `places` are the files of the project that the command wants to see.
    """

    files: Mapping[str, bytes]
    params: Mapping[str, Any]
    read: Reader
    places: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """What a file command found and made. `writes` are new texts for files, by the names in the call or beside them.

    `said` are lines of prose; `shown` is printed as it is, such as a drawing.
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
    it takes, None for any number, 0 for a command about the project itself; `places` are folders of the project whose
    files it also gets, and patterns of files in the person's home (`~/…`); `beside` are names, or patterns of names, of
    files that it gets from the folder of a single file. Only a command that `writes` may write; it can then be tried
    with `--dry-run`. One that `checks` ends with a verdict: pass, or what must be fixed.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question as a person sees it. `key` names it when an answer is written; `verdict` judges the answer."""

    key: str
    title: str
    text: str
    section: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    recommendation: str = ""
    answer: str = ""
    verdict: str = ""
    must: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """Where a run keeps its questions, how they are read from the document, and how answers are written into it.

    `write` gives the document with these answers and changes nothing else; `settings` is the document by which answers
    are judged, if there is one.
    """

    path: Callable[[State], str | None]
    read: Callable[[bytes, str, bytes | None], Sequence[Question]]
    write: Callable[[bytes, str, Mapping[str, str]], str]
    settings: str | None = None


Trace = Callable[[str, State, Sequence[Event], Look], Mapping[str, Any] | None]
"""Says where an id came from and what it led to, from the state and the events of a run."""
