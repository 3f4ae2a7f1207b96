"""Who acts on a run, from where, and which acts need a person.

A surface says who acts by building an `Actor`. The service checks it against the table `MAY` wherever a request is
settled or an answer is changed, so a surface cannot leave the check out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

from signoff.core.commands import PERSONS, Ask
from signoff.core.decide import APPROVE, RESUME
from signoff.core.errors import RefusedError, UsageError
from signoff.shell.run import recordings

REJECT: Final = "reject"
PERSONAL: Final = (APPROVE, REJECT, RESUME)
"""The options with which a person signs off; each has a command of its own."""

OPEN_KINDS: Final = ("choice", "answers")
"""The kinds of requests that are settled by a choice; every other kind is signed off."""

PERSON: Final = "SIGNOFF_PERSON"
"""The variable in which a script names the person for whom it acts."""

AGENTS: Final = ("CLAUDECODE", "AI_AGENT")
"""The variables that agents set in the shells that they open."""


class Via(StrEnum):
    """Where an act comes from."""

    TERMINAL = auto()
    """A person at a terminal."""
    NAMED = auto()
    """A person whom a script or a Python program names."""
    RECORDING = auto()
    """A recording of what a person did."""
    HOST = auto()
    """An MCP host, which passes on what a person said."""
    AGENT = auto()
    """A process in a shell that an agent opened."""
    SCRIPT = auto()
    """A process without a terminal that names no person."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and from where.

    `name` is the person's. Of an agent's shell it is the variable that gives the shell away.
    """

    via: Via
    name: str = ""

    def __post_init__(self) -> None:
        if self.via in (Via.TERMINAL, Via.NAMED) and not (self.name.strip() and self.name.isprintable()):
            raise UsageError(
                f"{self.name!r} is not the name of a person",
                valid="text on one line, as in Ada Lovelace",
                repair="give the name of the person who acts",
            )

    @property
    def by(self) -> str:
        """The actor as the journal holds it."""
        match self.via:
            case Via.TERMINAL | Via.NAMED:
                return f"person:{self.name}"
            case Via.RECORDING:
                return f"{recordings.MARK}{self.name}"
            case Via.HOST:
                return "host"
            case Via.AGENT | Via.SCRIPT:
                return "script"


HOST: Final = Actor(Via.HOST)


def of_process(environment: Mapping[str, str], *, named: str = "", user: str = "") -> Actor:
    """Who acts in this process: the person who is `named`, else the `user` at its terminal.

    In a shell that an agent opened no name counts.
    """
    if agent := next((name for name in AGENTS if environment.get(name)), None):
        return Actor(Via.AGENT, agent)
    if named:
        return Actor(Via.NAMED, named)
    return Actor(Via.TERMINAL, user) if user else Actor(Via.SCRIPT)


# --- what they may do -------------------------------------------------------------------------------------------------


class Act(StrEnum):
    """The kinds of acts."""

    SIGN_OFF = auto()
    """Approve, reject, resume, and settle any request that is not a choice."""
    OVERRULE = auto()
    """Overrule a finding of a gate, and take that back."""
    DECIDE = auto()
    """Choose in a request that the workflow leaves to people."""
    CHANGE_ANSWER = auto()
    """Change an answer that is clear."""
    REPLACE_FILE = auto()
    """Replace a file that a persona made before a run."""
    CHOOSE = auto()
    """Choose in any other request."""
    ANSWER = auto()
    """Answer a question that has no clear answer yet."""


PEOPLE: Final = frozenset({Via.TERMINAL, Via.NAMED, Via.RECORDING})

MAY: Final[Mapping[Act, frozenset[Via]]] = {
    Act.SIGN_OFF: PEOPLE,
    Act.OVERRULE: PEOPLE,
    Act.DECIDE: PEOPLE | {Via.HOST},
    Act.CHANGE_ANSWER: PEOPLE | {Via.SCRIPT},
    Act.REPLACE_FILE: PEOPLE | {Via.HOST},
    Act.CHOOSE: frozenset(Via),
    Act.ANSWER: frozenset(Via),
}
"""Who may do what."""


def act_of(ask: Ask, option: str) -> Act:
    """The kind of act that settles a request with this option."""
    if option in PERSONAL or ask.kind not in OPEN_KINDS:
        return Act.SIGN_OFF
    return Act.DECIDE if ask.notes.get(PERSONS) else Act.CHOOSE


def check_settling(actor: Actor, run: str, ask: Ask, option: str) -> None:
    """Refuses an actor who may not settle this request with this option."""
    check(actor, act_of(ask, option), repr(option), command(actor, run, ask.key, option))


def check(actor: Actor, act: Act, what: str, command: str) -> None:
    """Refuses an actor who may not do this kind of act; `command` is what a person types to do it."""
    if actor.via in MAY[act]:
        return
    found, repair = _refusal(actor, command)
    raise RefusedError(
        f"{what} is a person's act, and {found}",
        valid="a person at a terminal, or a person whom a script or a Python program names",
        repair=f"{repair}; nothing was changed",
    )


def _refusal(actor: Actor, command: str) -> tuple[str, str]:
    """What is wrong with the actor, and what to do instead."""
    match actor.via:
        case Via.HOST:
            return (
                "an MCP host only passes on answers and choices",
                f"tell the person to run `{command}` in a terminal of their own",
            )
        case Via.AGENT:
            return (
                f"this shell was opened by an agent ({actor.name} is set)",
                f"run `{command}` in a terminal of your own",
            )
        case _:
            naming = f"with {PERSON} in a script, with person=… in Python"
            return "no person is named", f"run `{command}` in a terminal, or name the person: {naming}"


def command(actor: Actor, run: str, key: str, option: str) -> str:
    """What a person types to settle a request with this option; to a host it leaves the turns that follow."""
    commands = {
        APPROVE: f"signoff approve {run} --gate {key}",
        REJECT: f'signoff reject {run} --gate {key} --reason "…"',
        RESUME: f"signoff resume {run}",
    }
    typed = commands.get(option, f"signoff choose {run} {option} --request {key}")
    return f"{typed} --runtime host" if actor.via is Via.HOST else typed
