"""Steps that a workflow is put together from: a turn of an agent with its gates, an approval, and the edges.

`table` makes a workflow's `steps` of them. What it adds by itself: the way from each step to the next, the end, and an
escalation to a person if an agent cannot go on or a limit is reached. A workflow that needs more keeps a state of its
own (a subclass of `Progress`) and writes steps by hand (`step`); both kinds stand in one table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from signoff.core.commands import Ask, CancelTurn, Check, Command, Finish, StartTurn, TurnLimits, Withdraw, Write
from signoff.core.decide import APPROVE, RESUME
from signoff.core.declarations import Agent, Gate, GateInput, Now
from signoff.core.errors import DefinitionError
from signoff.core.events import Answered, Checked, DocsChanged, TurnFailed, TurnReturned
from signoff.core.findings import Finding, failing
from signoff.core.state import State, replace
from signoff.core.table import Edge, Move, Stage, Table, stage_table

DONE, FAILED, BLOCKED, APPROVED, REJECTED, EDITED = "done", "failed", "blocked", "approved", "rejected", "edited"
REJECT: Final = "reject"
COMPLETE, ESCALATED = "complete", "escalated"
Paths = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A person's yes: who, when, and the exact bytes."""

    step: str
    by: str
    at: str
    digests: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a workflow stands that is put together from these steps.

    `outputs` has the last output of each step, `findings` what the next turn has to repair, `results` the findings of
    the gates that ran last, `rounds` how often each limited edge was taken, `by_hand` the steps whose documents are a
    person's own text, `stale` the sources that changed after they were used.
    """

    step: str = ""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    results: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    rounds: Mapping[str, int] = field(default_factory=dict)
    approvals: tuple[Approval, ...] = ()
    by_hand: frozenset[str] = frozenset()
    stale: tuple[str, ...] = ()
    problem: str = ""
    resume_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A step with what the table has to know of it: documents that it reads and writes, its agent and its gates."""

    stage: Stage
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    agent: str = ""
    gates: tuple[str, ...] = ()


def step(name: str, *, enter: Callable[[Now], Move], on: Callable[[Now], Move], outcomes: Sequence[str]) -> Stage:
    """A step by hand: `enter` issues what it needs, `on` takes in what comes back and names the outcome."""
    return Stage(name=name, outcomes=tuple(outcomes), enter=enter, on=on)


# --- turns ------------------------------------------------------------------------------------------------------------


def turn(
    name: str,
    agent: Agent,
    task: str,
    *,
    reads: Paths = (),
    writes: Mapping[str, Callable[[Any], str]] | None = None,
    gates: Sequence[Gate] = (),
    finds: Callable[[Any], Iterable[Finding]] = lambda _output: (),
    tells: Callable[[Now], Mapping[str, Any]] = lambda _now: {},
    limits: TurnLimits | None = None,
) -> Part:
    """One agent does one thing, and the gates check what came of it.

    `reads` are documents; a path that ends in `/` is all documents below it. `writes` says which documents code makes
    of the output: path to a function from the output to the text. In paths and in the task, `{run}` is the run's name.
    `gates` run on the documents once they are written; `finds` gives what the agent itself found, as a reviewer does.
    An error among the findings makes the outcome `failed`, otherwise it is `done`. The next turn is told the findings.
    `tells` adds to what the agent is given.
    """
    made = dict(writes or {})

    def enter(now: Now[Progress]) -> Move:
        own = replace(now.own, results={})
        if name in own.by_hand and all(_path(path, now) in now.state.docs for path in made):
            return _judged(own, name) if not gates else Move(own, _checks(now, gates))
        notes = {"run": now.run, **tells(now)}
        if own.findings:
            notes["required"] = [finding_notes(finding) for finding in own.findings]
        start = StartTurn(
            key=name, agent=agent.name, contract=agent.contract.name, task=task.replace("{run}", now.run),
            reads=_documents(now, reads), notes=notes, limits=limits or TurnLimits(), tools=agent.tools,
        )  # fmt: skip
        return Move(own, (start,))

    def on(now: Now[Progress]) -> Move:
        own = now.own
        if isinstance(now.event, Checked) and now.check is not None:
            own = replace(own, results={**own.results, now.check.gate: now.event.findings})
            return Move(own) if now.state.checks else _judged(own, name)
        if not isinstance(now.event, TurnReturned | TurnFailed):
            return Move(own)
        if now.refused:
            return Move(replace(own, problem=str(now.refused[0]), resume_to=name), (), BLOCKED)
        outputs = {**own.outputs, name: now.output}
        own = replace(own, outputs=outputs, findings=(), by_hand=own.by_hand - {name}, results={})
        if found := tuple(finds(now.output)):
            own = replace(own, results={agent.name: found})
        texts = tuple(Write(path=_path(path, now), text=text(now.output)) for path, text in made.items())
        docs = {*now.state.docs, *(write.path for write in texts)}
        if checks := _checks(now, gates, docs):
            return Move(own, (*texts, *checks))
        return replace(_judged(own, name), commands=texts)

    stage = Stage(name=name, outcomes=(DONE, FAILED, BLOCKED, EDITED), enter=enter, on=on)
    names = tuple(one.name for one in gates)
    return Part(stage=stage, reads=tuple(reads), writes=tuple(made), agent=agent.name, gates=names)


def _judged(own: Progress, name: str) -> Move:
    """The end of a step: what was found decides, not what an agent says of itself."""
    results = (finding for findings in own.results.values() for finding in findings)
    found = tuple(finding for finding in results if finding.severity != "overruled")
    if failed := failing(found):
        return Move(replace(own, findings=found, problem=str(failed[0]), resume_to=name), (), FAILED)
    return Move(replace(own, findings=(), problem=""), (), DONE)


def finding_notes(finding: Finding) -> dict[str, Any]:
    """A finding as an agent is told it."""
    told = {"rule": finding.rule, "problem": finding.problem, "repair": finding.repair, "file": finding.file}
    return {**told, "line": finding.line, "about": finding.about}


# --- gates ------------------------------------------------------------------------------------------------------------


def gate(about: str, *, reads: Mapping[str, str], name: str = "") -> Callable[[Callable[[GateInput], Any]], Gate]:
    """Makes a gate of a function from its input to findings: the decorator of a pure check.

    `reads` names the documents by role, with `{run}` for the run's name; a role whose path ends in `/` stands for all
    documents below it (`given.texts(role)`). The gate is called after the function, unless you give a name.
    """

    def made(check: Callable[[GateInput], Iterable[Finding]]) -> Gate:
        called = name or getattr(check, "__name__", "gate").replace("_", "-")
        return Gate(name=called, about=about, run=lambda given: tuple(check(given)), reads=dict(reads))

    return made


def _checks(now: Now, gates: Sequence[Gate], docs: Iterable[str] | None = None) -> tuple[Check, ...]:
    there = sorted(now.state.docs if docs is None else docs)
    return tuple(Check(key=one.name, gate=one.name, reads=_roles(one, now, there)) for one in gates)


def _roles(one: Gate, now: Now, docs: Sequence[str]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for role, named in one.reads.items():
        path = _path(named, now)
        below = {f"{role}/{doc.removeprefix(path)}": doc for doc in docs if doc.startswith(path)}
        roles |= below if path.endswith("/") else {role: path}
    return roles


# --- people -----------------------------------------------------------------------------------------------------------


def approval(name: str, *, of: Paths, question: str = "") -> Part:
    """A person approves these documents, byte for byte, or rejects them with a reason that the next turn is told."""

    def enter(now: Now[Progress]) -> Move:
        asked = (question or "Approve {run}?").replace("{run}", now.run)
        digests = {path: now.state.docs[path] for path in _documents(now, of) if path in now.state.docs}
        results = (finding for findings in now.own.results.values() for finding in findings)
        warnings = [str(finding) for finding in results if finding.severity != "overruled"]
        overruled = [str(one) for one in now.state.in_force]
        notes = {"warnings": warnings, "overruled": overruled, "changed since used": list(now.own.stale)}
        told = {key: value for key, value in notes.items() if value}
        return Move(
            now.own,
            (Ask(key=name, kind="approval", options=(APPROVE, REJECT), question=asked, of=digests, notes=told),),
        )

    def on(now: Now[Progress]) -> Move:
        own, event = now.own, now.event
        if not isinstance(event, Answered):
            return Move(own)
        if event.act == APPROVE:
            digests = {path: now.state.docs[path] for path in _documents(now, of) if path in now.state.docs}
            yes = Approval(step=name, by=event.by, at=event.at, digests=digests)
            return Move(replace(own, approvals=(*own.approvals, yes)), (), APPROVED)
        reason = str(event.payload.get("reason", ""))
        problem = f"a person rejected this: {reason}"
        found = Finding(rule="person.rejected", problem=problem, repair="do what the reason asks for")
        return Move(replace(own, findings=(found,), problem=problem, by_hand=frozenset()), (), REJECTED)

    return Part(stage=Stage(name=name, outcomes=(APPROVED, REJECTED, EDITED), enter=enter, on=on), reads=tuple(of))


# --- the table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """An edge as its author writes it; `table` makes one or two edges of it."""

    source: str
    target: str
    on: str
    when: Callable[[Now], bool] | None
    at_most: int | None


def edge(
    source: str, target: str, *, on: str = DONE, when: Callable[[Now], bool] | None = None, at_most: int | None = None
) -> Way:
    """The way from a step's outcome to another step, if `when` holds.

    The edges of a step and outcome are tried in order. `at_most` limits how often a run may take it; then a person is
    asked, and their `resume` gives the run a fresh allowance.
    """
    return Way(source=source, target=target, on=on, when=when, at_most=at_most)


def table(*parts: Part | Stage | Way, start: Callable[[Now], Any] | None = None, again: int = 3) -> Table:
    """Steps and edges as a workflow's `steps`: in order, with an end, and with a person if it cannot go on.

    `start` makes the first own state, a `Progress` or a subclass of it. `again` is how often a turn is repeated if its
    own gates fail and no edge says what happens then.
    """
    steps = [part if isinstance(part, Part) else Part(stage=part) for part in parts if not isinstance(part, Way)]
    ways = [part for part in parts if isinstance(part, Way)]
    names = [part.stage.name for part in steps]
    if not steps:
        raise DefinitionError("the table has no step", repair="give it a turn")
    if reserved := next((name for name in names if name in (COMPLETE, ESCALATED)), None):
        raise DefinitionError(f"the table makes the step {reserved!r} itself", repair="give yours another name")
    edges: list[Edge] = []
    for part, following in zip(steps, [*names[1:], COMPLETE], strict=True):
        for outcome in part.stage.outcomes:
            edges += _edges(
                part.stage.name, outcome, [w for w in ways if (w.source, w.on) == (part.stage.name, outcome)]
            )
            if not edges or (edges[-1].source, edges[-1].outcome) != (part.stage.name, outcome) or edges[-1].when:
                edges += _by_default(part.stage.name, outcome, following, again)
    if lost := next((way for way in ways if way.source not in names), None):
        raise DefinitionError(f"an edge leads from {lost.source!r}", valid=", ".join(names), repair="name a step")
    written = {path: part.stage.name for part in steps for path in part.writes}
    edges += [Edge(source=COMPLETE, outcome=f"to_{name}", target=name) for name in names]
    edges += [Edge(source=ESCALATED, outcome=f"to_{name}", target=name) for name in names]
    back = tuple(f"to_{name}" for name in names)
    ends = (
        Stage(name=COMPLETE, outcomes=back, enter=_finish, on=_resumed),
        Stage(name=ESCALATED, outcomes=back, enter=_escalate(names), on=_resumed),
    )
    stages = [*(_edited_to(part.stage, names, edges) for part in steps), *ends]
    built = stage_table(
        stages, edges, first=lambda now: replace(start(now) if start else Progress(), step=names[0]),
        edited=_edited(written, steps),
    )  # fmt: skip
    return replace(
        built,
        writes=tuple(written),
        agents=tuple(part.agent for part in steps if part.agent),
        gates=tuple(name for part in steps for name in part.gates),
        status=_status(tuple(written)),
    )


def _status(written: Sequence[str]) -> Callable[[State], Mapping[str, Any]]:
    """Where the run stands, for people: the step, the limited loops, and at the end the documents."""

    def status(state: State) -> Mapping[str, Any]:
        own: Progress | None = state.own
        if own is None:
            return {}
        paths = [path.replace("{run}", str(state.params["slug"])) for path in written]
        return {
            "phase": own.step,
            "rounds": {key.replace(" to ", "→"): count for key, count in own.rounds.items()},
            "stale": list(own.stale),
            "outputs": [path for path in paths if path in state.docs] if state.stop == COMPLETE else [],
        }

    return status


def _edges(source: str, outcome: str, ways: Sequence[Way]) -> list[Edge]:
    made: list[Edge] = []
    for way in ways:
        if way.at_most is None:
            made.append(Edge(source=source, outcome=outcome, target=way.target, when=way.when))
        else:
            made += _limited(source, outcome, way.target, way.when, way.at_most)
    return made


def _limited(
    source: str, outcome: str, target: str, when: Callable[[Now], bool] | None, at_most: int
) -> tuple[Edge, Edge]:
    """The way on while the limit allows, and to a person when it does not."""
    key = f"{source} to {target}"

    def below(now: Now[Progress]) -> bool:
        return (when is None or when(now)) and now.own.rounds.get(key, 0) < at_most

    def counted(now: Now[Progress]) -> Progress:
        return replace(now.own, rounds={**now.own.rounds, key: now.own.rounds.get(key, 0) + 1})

    def stopped(now: Now[Progress]) -> Progress:
        problem = f"{key}: the limit of {at_most} is reached. {now.own.problem}".strip()
        return replace(now.own, problem=problem, resume_to=target)

    label = f"{outcome}, at most {at_most}"
    onward = Edge(source=source, outcome=outcome, target=target, when=below, then=counted, label=label)
    return onward, Edge(
        source=source, outcome=outcome, target=ESCALATED, when=when, then=stopped, label=f"{outcome}, limit"
    )


def _by_default(source: str, outcome: str, following: str, again: int) -> Sequence[Edge]:
    match outcome:
        case "done" | "approved":
            return (Edge(source=source, outcome=outcome, target=following),)
        case "failed":
            return _limited(source, outcome, source, None, again)
        case "blocked":
            return (Edge(source=source, outcome=outcome, target=ESCALATED),)
        case "edited":
            return ()
        case _:
            raise DefinitionError(
                f"the outcome {outcome!r} of {source!r} leads nowhere",
                repair=f'add edge("{source}", TARGET, on="{outcome}")',
            )


def _edited_to(stage: Stage, names: Sequence[str], edges: list[Edge]) -> Stage:
    """A step that a person's edit can lead away from, to itself or any step before it."""
    if EDITED not in stage.outcomes:
        return stage
    reached = names[: names.index(stage.name) + 1]
    edges += [Edge(source=stage.name, outcome=f"{EDITED}_{name}", target=name) for name in reached]
    others = tuple(outcome for outcome in stage.outcomes if outcome != EDITED)
    return replace(stage, outcomes=(*others, *(f"{EDITED}_{name}" for name in reached)))


# --- ends and edits ---------------------------------------------------------------------------------------------------


def _finish(now: Now[Progress]) -> Move:
    return Move(now.own, (Finish(reason=COMPLETE),))


def _escalate(names: Sequence[str]) -> Callable[[Now], Move]:
    def enter(now: Now[Progress]) -> Move:
        question = f"{now.run} cannot go on: {now.own.problem}"
        notes = {"from": list(names), "default": now.own.resume_to or names[0]}
        ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question, notes=notes)
        return Move(now.own, (ask, Finish(reason=ESCALATED)))

    return enter


def _resumed(now: Now[Progress]) -> Move:
    """A person resumes: the limits begin again, and so does the step that they name."""
    if not isinstance(now.event, Answered):
        return Move(now.own)
    target = now.begins_at(now.own.resume_to)
    return Move(replace(now.own, rounds={}, problem="", stale=()), (), f"to_{target}")


def _edited(written: Mapping[str, str], steps: Sequence[Part]) -> Callable[[Now], Move]:
    """What a person's edit leads to: their text wins, and the gates of the step that wrote it look at it again."""
    order = [part.stage.name for part in steps]
    sources = tuple(path for part in steps for path in part.reads if path not in written)

    def edited(now: Now[Progress]) -> Move:
        assert isinstance(now.event, DocsChanged)  # narrows the type: the table calls this for nothing else
        own, changed = now.own, set(now.event.docs)
        if used := sorted(path for path in changed if _among(path, sources, now)):
            own = replace(own, stale=tuple(sorted({*own.stale, *used})))
        owners = {name for path, name in written.items() if _path(path, now) in changed}
        own = replace(own, by_hand=own.by_hand | owners)
        if not owners or own.step == ESCALATED:
            return Move(own)
        first = min(owners, key=order.index)
        if own.step == COMPLETE:
            return _reopened(now, own, first)
        if order.index(first) > order.index(own.step):
            return Move(own)
        away: list[Command] = [CancelTurn(turn=open_turn) for open_turn in now.state.wanted]
        away += [Withdraw(request=request) for request in now.state.requests]
        return Move(replace(own, findings=(), results={}), tuple(away), f"{EDITED}_{first}")

    return edited


def _reopened(now: Now[Progress], own: Progress, first: str) -> Move:
    """After the end an edit voids what was approved, visibly, and waits for the person to say `resume`."""
    old = now.state.request_of("stale")
    withdraw = (Withdraw(request=old.request),) if old else ()
    question = f"A document changed after {now.run} was complete. Resume to check it again from {first}."
    ask = Ask(
        key="stale", kind="stale", options=(RESUME,), question=question, notes={"from": [first], "default": first}
    )
    return Move(replace(own, approvals=(), resume_to=first), (*withdraw, ask))


# --- paths ------------------------------------------------------------------------------------------------------------


def _path(path: str, now: Now) -> str:
    return path.replace("{run}", now.run)


def _documents(now: Now, paths: Paths) -> tuple[str, ...]:
    """Paths as documents of the run: a folder stands for what is below it."""
    found: dict[str, None] = {}
    for named in paths:
        path = _path(named, now)
        found |= dict.fromkeys(
            sorted(d for d in now.state.docs if d.startswith(path)) if path.endswith("/") else [path]
        )
    return tuple(found)


def _among(path: str, paths: Paths, now: Now) -> bool:
    return any(path == one or (one.endswith("/") and path.startswith(one)) for one in (_path(p, now) for p in paths))
