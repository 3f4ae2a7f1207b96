"""workflow-adaptation: changes an approved design by named edits, talked over one by one and shown before they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.personas import Given, Need, Said, Scene, Settling, Way, rounds
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.design import plan_edits
from signoff.workflows.orchestration.design.named_edits import Edit
from signoff.workflows.orchestration.documents import agent_registry, agent_roster, contracts, risks
from signoff.workflows.orchestration.documents.risks import PocSpecs
from signoff.workflows.orchestration.personas.escalation_resolution import SESSIONS
from signoff.workflows.orchestration.personas.questions import (
    asked,
    listed,
    mistakes,
    no,
    one_line,
    option,
    persona,
    surplus,
    value_of,
    yes,
)
from signoff.workflows.orchestration.state import ADAPTATION
from signoff.workflows.orchestration.work.escalations import ADAPT
from signoff.workflows.orchestration.work.replanning import DROP

IMPOSSIBLE: Final = "edits"
KINDS: Final = {
    "A": ("add_agent", "one more agent"),
    "B": ("remove_agent", "an agent less"),
    "C": ("replace_agent", "another agent in the place of one"),
    "D": ("add_dependency", "one agent waits for another"),
    "E": ("drop_dependency", "one agent waits for another no more"),
    "F": ("rescope", "an agent gets another task"),
    "G": ("add_poc", "a PoC of the specs is done after all"),
}
"""The named edits, by the letters that people take."""
FIELDS: Final = {
    "remove_agent": ("name",),
    "add_dependency": ("agent", "on"),
    "drop_dependency": ("agent", "on"),
    "rescope": ("agent", "role"),
    "add_poc": ("poc_id", "name"),
}
"""The fields of an edit of each kind: what was said of another kind before does not go with it."""
_EDITS: Final = TypeAdapter(tuple[Edit, ...])
_WHY: Final = "Say it: an edit without a reason is a whim, and the person who approves reads it first."
_asked: Final = partial(asked, section="Edits")


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """Every request that another plan would settle; the approval of that plan; and edits that cannot be made."""
    if ask.key == ADAPTATION:
        return Settling(
            _difference(ask),
            (
                yes("approve", "The plan is changed like this; what was verified and is not touched stays so."),
                no("reject", "The plan stays as it was; whoever asked is told why.", "Why not?"),
            ),
        )
    if ask.key == IMPOSSIBLE and DROP in ask.options:
        return Settling("", (option(DROP, "The plan stays as it was. New edits can be given then."),))
    if ADAPT not in ask.options:
        return None
    talk = _Talk(scene)
    adapt = Way(
        word=ADAPT,
        about="You see what the edits do to the plan, and approve it or not.",
        act=ADAPT,
        questions=talk.questions,
        payload=talk.payload,
        takes=Given(schema=_schema, check=talk.problems, must=True),
    )
    return Settling(talk.overview(), (adapt,))


def _difference(ask: Ask) -> str:
    """What the edits do: changes of agents and contracts, the new order, and what is kept."""
    notes = ask.notes
    phases = [f"{number}. {', '.join(map(str, names))}" for number, names in enumerate(notes.get("phases") or (), 1)]
    kept = ", ".join(map(str, notes.get("kept") or ())) or "nothing"
    return "\n".join(
        ["# What changes", "", *map(str, notes.get("difference") or ()), "", "# Phases then", "", *phases, "",
         f"Verified, and kept: {kept}"]
    )  # fmt: skip


class _Talk:
    """A conversation about edits, on the roster, contracts and specs as they are."""

    def __init__(self, scene: Scene) -> None:
        roster = value_of(scene, places.ROSTER, agent_roster.parse)
        files = value_of(scene, places.CONTRACTS, contracts.parse_contracts)
        self.design = (roster, files) if roster and files else None
        self.agents = roster.agents if roster else {}
        self.contracts = files.agents if files else {}
        self.specs = value_of(scene, places.POC_SPECS, risks.parse_specs) or PocSpecs()
        own = {ids.default_verifier(name) for name, one in self.agents.items() if one.kind == "doer"}
        self.names = tuple(name for name, one in self.agents.items() if one.kind != "verifier" or name not in own)
        """Whom edits are about: a doer's own verifier comes and goes with it, one that was named by hand does not."""

    def overview(self) -> str:
        """The agents, and who waits for whom."""
        if self.design is None:
            return f"{places.ROSTER} or {places.CONTRACTS} cannot be read; mend it before you change the plan."
        lines = ["The plan as it is:", ""]
        for name in self.names:
            member = self.agents[name]
            waits = ", ".join(member.dependencies) or "nobody"
            lines.append(f"- {name} ({member.kind}): {one_line(member.role)}; waits for {waits}")
        return "\n".join(lines)

    # --- what is asked ---

    def questions(self, said: Said) -> Iterator[Question]:
        yield asked(said, "why", "What has shown that the plan is wrong?", must=_WHY)
        kinds = tuple((letter, f"{kind}: {about}") for letter, (kind, about) in KINDS.items())
        for number, key in enumerate(rounds(said, "edit")):
            given = said.get(key, "").strip()
            wrong = "" if not given or given in KINDS else f"Take one of {', '.join(KINDS)}."
            title, text, must = "What else has to change with it?", "An empty line: nothing more.", ""
            if number == 0:
                title, text = "What is the smallest change that would do?", ""
                must = "Take at least one, or leave with /exit."
            yield _asked(said, key, title, text, choices=kinds, verdict=wrong, must=must)
            if given in KINDS:
                yield from self._fields(said, key, KINDS[given][0])
                why = said.get("why", "")
                yield _asked(said, f"{key}.reason", "Why this one?", recommendation=why, must=_WHY)

    def _fields(self, said: Said, key: str, kind: str) -> Iterator[Question]:
        if kind in ("add_dependency", "drop_dependency"):
            yield self._whom(said, f"{key}.agent", "Who waits?")
            yield self._whom(said, f"{key}.on", "For whom?")
        elif kind == "remove_agent":
            yield self._whom(said, f"{key}.name", "Who goes?")
        elif kind == "add_poc":
            yield self._poc(said, f"{key}.poc_id")
            yield _new_name(said, f"{key}.name", "What is it called?", f"{said.get(f'{key}.poc_id', 'poc')}_agent")
        elif kind == "rescope":
            yield self._whom(said, f"{key}.agent", "Who gets another task?")
            yield from self._task(said, key, said.get(f"{key}.agent", ""))
        else:
            yield from self._newcomer(said, key, kind)

    def _whom(self, said: Said, key: str, title: str) -> Question:
        given, valid = said.get(key, "").strip(), ", ".join(self.names)
        wrong = "" if not given or given in self.names else f"There is no {given}; valid: {valid}."
        return _asked(said, key, title, f"One of {valid}.", verdict=wrong, must="Name one.")

    def _poc(self, said: Said, key: str) -> Question:
        known = {poc.poc_id: one_line(poc.assumption) for poc in self.specs.pocs}
        given = said.get(key, "").strip()
        wrong = "" if not given or given in known else f"There is no spec {given}; valid: {', '.join(known) or 'none'}."
        text = "; ".join(f"{one}: {assumption}" for one, assumption in known.items()) or "There are no specs."
        return _asked(said, key, "Which one?", text, verdict=wrong, must="Name one.")

    def _task(self, said: Said, key: str, agent: str) -> Iterator[Question]:
        """A role, and three to seven actions with the words of the summary they come from."""
        known = self.agents.get(agent)
        role = one_line(known.role) if known else ""
        yield _asked(said, f"{key}.role", "What is it for, in a sentence?", recommendation=role, must="Say it.")
        actions, sources = (known.plan_actions, known.plan_action_sources) if known else ((), ())
        for number, action in enumerate(rounds(said, f"{key}.action")):
            before = one_line(actions[number]) if number < len(actions) else ""
            title = "What does it do first?" if number == 0 else "What does it do next?"
            text = "Three to seven in all. An empty line: nothing more."
            yield _asked(said, action, title, text, recommendation=before)
            if said.get(action, "").strip():
                words = one_line(sources[number]) if number < len(sources) else ""
                title = "From which words of the summary does that come?"
                must = "Give them exactly: they are looked up. Without them the plan does not want it."
                yield _asked(said, f"{action}.source", title, recommendation=words, must=must)

    def _newcomer(self, said: Said, key: str, kind: str) -> Iterator[Question]:
        """A doer with its contract and what proves its work; its verifier comes by itself."""
        old = ""
        if kind == "replace_agent":
            yield self._whom(said, f"{key}.name", "Who is replaced?")
            old = said.get(f"{key}.name", "").strip()
        yield _new_name(said, f"{key}.new", "What is the new one called?", "")
        member = self.agents[old] if old in self.names else None
        of_type = (member.agent_type or old) if member else ""
        types = ", ".join(sorted(agent_registry.BUILT_IN.agent_types))
        text = f"One that the registry knows: {types}, or one of the project's."
        yield _asked(said, f"{key}.type", "Of which type is it?", text, recommendation=of_type, must="Name one.")
        waits = ", ".join(member.dependencies) if member else ""
        text = "With commas between. An empty line: for nobody."
        yield _asked(said, f"{key}.after", "For whom does it wait?", text, recommendation=waits)
        yield from self._task(said, key, old)
        known = self.contracts.get(old)
        text = "Paths from the project's folder, with commas between. An empty line: none."
        for verb, files in (("read", known.reads if known else ()), ("write", known.writes if known else ())):
            paths = ", ".join(one.path for one in files)
            yield _asked(said, f"{key}.{verb}s", f"What does it {verb}?", text, recommendation=paths)
        yield from _proof(said, key, must=kind == "add_agent")

    # --- what is made of it ---

    def payload(self, said: Said) -> dict[str, Any]:
        """The edits as the run takes them, and why."""
        keys = [key for key in rounds(said, "edit") if said.get(key, "").strip() in KINDS]
        return {"edits": [self._edit(said, key) for key in keys], "note": one_line(said.get("why", ""))}

    def _edit(self, said: Said, key: str) -> dict[str, Any]:
        kind = KINDS[said[key].strip()][0]
        made: dict[str, Any] = {"edit": kind, "reason": one_line(said.get(f"{key}.reason", ""))}
        if kind in ("add_agent", "replace_agent"):
            return made | self._new(said, key, kind)
        made |= {name: one_line(said[f"{key}.{name}"]) for name in FIELDS[kind] if f"{key}.{name}" in said}
        return made | _actions(said, key) if kind == "rescope" else made

    def _new(self, said: Said, key: str, kind: str) -> dict[str, Any]:
        name = one_line(said.get(f"{key}.new", ""))
        agent = {
            "role": one_line(said.get(f"{key}.role", "")),
            "agent_type": one_line(said.get(f"{key}.type", "")),
            "dependencies": listed(said.get(f"{key}.after", "")),
            **_actions(said, key),
        }
        writers = {one.path: who for who, each in self.contracts.items() for one in each.writes}
        reads = [
            {"path": path, **({"from": writers[path]} if path in writers else {})}
            for path in listed(said.get(f"{key}.reads", ""))
        ]
        writes = [{"path": path} for path in listed(said.get(f"{key}.writes", ""))]
        made: dict[str, Any] = {"agent": agent, "contract": {"reads": reads, "writes": writes}}
        if criteria := _criteria(said, key, name):
            mode = {"mode": "a criterion is not met", "remediation": "it is mended, and shown again"}
            made["checkpoint"] = {"id": f"cp_{name}", "doer": name, "criteria": criteria, "failure_modes": [mode]}
        if kind == "replace_agent":
            return {"name": one_line(said.get(f"{key}.name", "")), "by": name, **made}
        return {"name": name, **made}

    def problems(self, payload: Mapping[str, Any]) -> Sequence[Finding]:
        """Edits that cannot be read, or cannot be made on the plan as it is."""
        if extra := surplus(payload, "edits", "note"):
            return [_wrong(extra, "give edits only")]
        if not isinstance(payload.get("edits"), list) or not payload["edits"]:
            return [_wrong("there are no edits", "give `edits`, a list of named edits")]
        try:
            edits = _EDITS.validate_python(payload["edits"])
        except ValidationError as error:
            return mistakes("adaptation.edits", "edits", error)
        if self.design is None:
            return [_wrong(f"{places.ROSTER} or {places.CONTRACTS} cannot be read", "mend it first")]
        try:
            plan_edits.apply(*self.design, edits, self.specs, created=self.design[0].created)
        except DocumentError as error:
            return error.findings
        return ()


def _new_name(said: Said, key: str, title: str, proposed: str) -> Question:
    given, must = said.get(key, "").strip(), "Name it: import_agent."
    valid = not given or ids.TASK.fullmatch(given)
    wrong = "" if valid else "Small letters, digits and single underscores: import_agent."
    return _asked(said, key, title, recommendation=proposed, verdict=wrong, must=must)


def _proof(said: Said, key: str, *, must: bool) -> Iterator[Question]:
    """What proves the work of a new doer; for a replacement, only if it is another proof."""
    for criterion in rounds(said, f"{key}.criterion"):
        first = criterion.endswith("-1")
        title = "What has to be true when it is done?" if first else "What else has to be true?"
        text = "An empty line: nothing more." if must else "An empty line: what held for the one before."
        wanted = "Say one thing that can be seen: a doer without it is not verified." if must and first else ""
        yield _asked(said, criterion, title, text, must=wanted)
        if said.get(criterion, "").strip():
            yield _asked(said, f"{criterion}.evidence", "What shows it?", must="Say what shows it.")
            yield _asked(said, f"{criterion}.command", "Which command shows it?", "An empty line: none.")


def _criteria(said: Said, key: str, name: str) -> list[dict[str, Any]]:
    given = [one for one in rounds(said, f"{key}.criterion") if said.get(one, "").strip()]
    return [
        {
            "id": f"cp_{name}.{number}",
            "text": one_line(said[one]),
            "evidence": one_line(said.get(f"{one}.evidence", "")),
            **({"command": command} if (command := one_line(said.get(f"{one}.command", ""))) else {}),
        }
        for number, one in enumerate(given, 1)
    ]


def _actions(said: Said, key: str) -> dict[str, list[str]]:
    given = [one for one in rounds(said, f"{key}.action") if said.get(one, "").strip()]
    return {
        "plan_actions": [one_line(said[one]) for one in given],
        "plan_action_sources": [one_line(said.get(f"{one}.source", "")) for one in given],
    }


def _schema() -> Mapping[str, Any]:
    edits = _EDITS.json_schema(by_alias=True)
    return {
        "type": "object",
        "properties": {"edits": {key: value for key, value in edits.items() if key != "$defs"} | {"minItems": 1}},
        "required": ["edits"],
        "additionalProperties": False,
        "$defs": edits.get("$defs", {}),
    }


def _wrong(problem: str, repair: str) -> Finding:
    return Finding(rule="adaptation.edits", problem=problem, repair=repair)


WORKFLOW_ADAPTATION: Final = persona(
    name="workflow-adaptation",
    about="Changes a design that is being carried out, by named edits that you see first.",
    needs=lambda _task: (
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.VERIFICATION, "design-verifier"),
        Need(SESSIONS, "workflow-executor"),
    ),
    settle=settle,
    next="workflow-executor",
)
