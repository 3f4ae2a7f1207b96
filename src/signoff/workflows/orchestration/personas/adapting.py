"""workflow-adaptation: an approved design is changed by named edits, talked over one by one, seen before they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from signoff.artifacts.forms import place
from signoff.core.commands import Ask
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.personas import Given, Need, Persona, Said, Scene, Settling, Way, rounds
from signoff.core.questions import Question
from signoff.workflows.orchestration import adapting, file_contracts, ids, places, registry, risks, roster
from signoff.workflows.orchestration.amending import DROP, GATE
from signoff.workflows.orchestration.escalating import ADAPT
from signoff.workflows.orchestration.file_contracts import FileContracts
from signoff.workflows.orchestration.named_edits import Edit
from signoff.workflows.orchestration.personas.asking import asked, no, one_line, option, task_of, yes
from signoff.workflows.orchestration.personas.resolving import SESSIONS
from signoff.workflows.orchestration.risks import PocSpecs
from signoff.workflows.orchestration.roster import Member, Roster

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
"""What an edit of each kind is made of: what was said of another kind before does not go with it."""
_EDITS: Final = TypeAdapter(tuple[Edit, ...])
_WHY: Final = "Say it: an edit without a reason is a whim, and the person who approves reads it first."


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """Every request that another plan would settle; the approval of that plan; and edits that cannot be made."""
    if ask.key == GATE:
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
    desk = _Desk(scene)
    adapt = Way(
        word=ADAPT,
        about="You see what the edits do to the plan, and approve it or not.",
        act=ADAPT,
        questions=desk.questions,
        payload=desk.payload,
        takes=Given(schema=_schema, check=desk.problems, must=True),
    )
    return Settling(desk.overview(), (adapt,))


def _difference(ask: Ask) -> str:
    """What the edits do, as code found it: agents and contracts, the order, and what is kept."""
    notes = ask.notes
    phases = [f"{number}. {', '.join(map(str, names))}" for number, names in enumerate(notes.get("phases") or (), 1)]
    kept = ", ".join(map(str, notes.get("kept") or ())) or "nothing"
    return "\n".join(
        ["# What changes", "", *map(str, notes.get("difference") or ()), "", "# Phases then", "", *phases, "",
         f"Verified, and kept: {kept}"]
    )  # fmt: skip


class _Desk:
    """A conversation about edits, on the roster, contracts and specs as they are."""

    def __init__(self, scene: Scene) -> None:
        self.roster: Roster | None = _read(scene, places.ROSTER, roster.parse)
        self.contracts: FileContracts | None = _read(scene, places.CONTRACTS, file_contracts.parse)
        self.specs: PocSpecs = _read(scene, places.POC_SPECS, risks.parse_specs) or PocSpecs()

    @property
    def names(self) -> tuple[str, ...]:
        """Whom edits are about: a doer's own verifier comes and goes with it, one that was named by hand does not."""
        if self.roster is None:
            return ()
        own = {ids.default_verifier(name) for name in self.roster.of_kind("doer")}
        return tuple(
            name for name, member in self.roster.agents.items() if member.kind != "verifier" or name not in own
        )

    def overview(self) -> str:
        """Who there is, and who waits for whom: what edits are about."""
        if self.roster is None or self.contracts is None:
            return f"{places.ROSTER} or {places.CONTRACTS} cannot be read; mend it before you change the plan."
        lines = [_line(name, self.roster.agents[name]) for name in self.names]
        return "\n".join(["The plan as it is:", "", *lines])

    # --- what is asked ---

    def questions(self, said: Said) -> Iterator[Question]:
        yield asked(said, "why", "What has shown that the plan is wrong?", must=_WHY)
        kinds = tuple((letter, f"{kind}: {about}") for letter, (kind, about) in KINDS.items())
        for number, key in enumerate(rounds(said, "edit")):
            first = number == 0
            given = said.get(key, "").strip()
            wrong = "" if not given or given in KINDS else f"Take one of {', '.join(KINDS)}."
            title = "What is the smallest change that would do?" if first else "What else has to change with it?"
            text = "" if first else "An empty line: nothing more."
            must = "Take at least one, or leave with /exit." if first else ""
            yield asked(said, key, title, text, section="Edits", choices=kinds, verdict=wrong, must=must)
            if given in KINDS:
                yield from self._fields(said, key, KINDS[given][0])
                yield asked(
                    said,
                    f"{key}.reason",
                    "Why this one?",
                    section="Edits",
                    recommendation=said.get("why", ""),
                    must=_WHY,
                )

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
        given = said.get(key, "").strip()
        wrong = "" if not given or given in self.names else f"There is no {given}; valid: {', '.join(self.names)}."
        return asked(
            said, key, title, f"One of {', '.join(self.names)}.", section="Edits", verdict=wrong, must="Name one."
        )

    def _poc(self, said: Said, key: str) -> Question:
        known = {poc.poc_id: one_line(poc.assumption) for poc in self.specs.pocs}
        given = said.get(key, "").strip()
        wrong = "" if not given or given in known else f"There is no spec {given}; valid: {', '.join(known) or 'none'}."
        text = "; ".join(f"{one}: {assumption}" for one, assumption in known.items()) or "There are no specs."
        return asked(said, key, "Which one?", text, section="Edits", verdict=wrong, must="Name one.")

    def _task(self, said: Said, key: str, agent: str) -> Iterator[Question]:
        """A role, and three to seven actions with the words of the summary they come from."""
        known = self.roster.agents.get(agent) if self.roster else None
        role = one_line(known.role) if known else ""
        yield asked(
            said, f"{key}.role", "What is it for, in a sentence?", section="Edits", recommendation=role, must="Say it."
        )
        actions = known.plan_actions if known else ()
        sources = known.plan_action_sources if known else ()
        for number, action in enumerate(rounds(said, f"{key}.action")):
            before = one_line(actions[number]) if number < len(actions) else ""
            title = "What does it do first?" if number == 0 else "What does it do next?"
            text = "Three to seven in all. An empty line: nothing more."
            yield asked(said, action, title, text, section="Edits", recommendation=before)
            if said.get(action, "").strip():
                words = one_line(sources[number]) if number < len(sources) else ""
                ask = "From which words of the summary does that come?"
                must = "Give them exactly: they are looked up. Without them the plan does not want it."
                yield asked(said, f"{action}.source", ask, section="Edits", recommendation=words, must=must)

    def _newcomer(self, said: Said, key: str, kind: str) -> Iterator[Question]:
        """A doer with its contract and what proves its work; its verifier comes by itself."""
        old = ""
        if kind == "replace_agent":
            yield self._whom(said, f"{key}.name", "Who is replaced?")
            old = said.get(f"{key}.name", "").strip()
        yield _new_name(said, f"{key}.new", "What is the new one called?", "")
        known = self.roster.type_of(old) if self.roster and old in self.names else ""
        types = ", ".join(sorted(registry.BUILT_IN.agent_types))
        text = f"One that the registry knows: {types}, or one of the project's."
        yield asked(
            said, f"{key}.type", "Of which type is it?", text, section="Edits", recommendation=known, must="Name one."
        )
        waits = ", ".join(self.roster.agents[old].dependencies) if self.roster and old in self.names else ""
        yield asked(
            said,
            f"{key}.after",
            "For whom does it wait?",
            "With commas between. An empty line: for nobody.",
            section="Edits",
            recommendation=waits,
        )
        yield from self._task(said, key, old)
        yield from self._files(said, key, old)
        yield from _proof(said, key, must=kind == "add_agent")

    def _files(self, said: Said, key: str, old: str) -> Iterator[Question]:
        known = self.contracts.agents.get(old) if self.contracts else None
        reads = ", ".join(one.path for one in known.reads) if known else ""
        writes = ", ".join(one.path for one in known.writes) if known else ""
        text = "Paths from the project's folder, with commas between. An empty line: none."
        yield asked(said, f"{key}.reads", "What does it read?", text, section="Edits", recommendation=reads)
        yield asked(said, f"{key}.writes", "What does it write?", text, section="Edits", recommendation=writes)

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
        for name in FIELDS[kind]:
            if f"{key}.{name}" in said:
                made[name] = one_line(said[f"{key}.{name}"])
        return made | _actions(said, key) if kind == "rescope" else made

    def _new(self, said: Said, key: str, kind: str) -> dict[str, Any]:
        name = one_line(said.get(f"{key}.new", ""))
        agent = {
            "role": one_line(said.get(f"{key}.role", "")),
            "agent_type": one_line(said.get(f"{key}.type", "")),
            "dependencies": _listed(said.get(f"{key}.after", "")),
            **_actions(said, key),
        }
        made = {"agent": agent, "contract": self._contract(said, key)}
        if criteria := _criteria(said, key, name):
            mode = {"mode": "a criterion is not met", "remediation": "it is mended, and shown again"}
            made["checkpoint"] = {"id": f"cp_{name}", "doer": name, "criteria": criteria, "failure_modes": [mode]}
        if kind == "replace_agent":
            return {"name": one_line(said.get(f"{key}.name", "")), "by": name, **made}
        return {"name": name, **made}

    def _contract(self, said: Said, key: str) -> dict[str, Any]:
        """Who writes what is read is known from the other contracts."""
        writers = {one.path: who for who, each in self._agents().items() for one in each.writes}
        reads = [
            {"path": path, **({"from": writers[path]} if path in writers else {})}
            for path in _listed(said.get(f"{key}.reads", ""))
        ]
        return {"reads": reads, "writes": [{"path": path} for path in _listed(said.get(f"{key}.writes", ""))]}

    def _agents(self) -> Mapping[str, Any]:
        return self.contracts.agents if self.contracts else {}

    # --- what is wrong with it ---

    def problems(self, payload: Mapping[str, Any]) -> Sequence[Finding]:
        """Edits that cannot be read, or cannot be made on the plan as it is."""
        if extra := [key for key in payload if key not in ("edits", "note")]:
            return [_wrong(f"`{extra[0]}` does not go with it", "give edits only")]
        if not isinstance(payload.get("edits"), list) or not payload["edits"]:
            return [_wrong("there are no edits", "give `edits`, a list of named edits")]
        try:
            edits = _EDITS.validate_python(payload["edits"])
        except ValidationError as error:
            found = error.errors(include_url=False)
            return [
                _wrong(f"`{place(('edits', *one['loc']))}`: {one['msg']}", "give what the schema says") for one in found
            ]
        if self.roster is None or self.contracts is None:
            return [_wrong(f"{places.ROSTER} or {places.CONTRACTS} cannot be read", "mend it first")]
        try:
            adapting.apply(self.roster, self.contracts, edits, self.specs, created=self.roster.created)
        except DocumentError as error:
            return error.findings
        return ()


def _line(name: str, member: Member) -> str:
    return f"- {name} ({member.kind}): {one_line(member.role)}; waits for {', '.join(member.dependencies) or 'nobody'}"


def _read(scene: Scene, path: str, parse: Callable[[bytes, str], Any]) -> Any:
    data = scene.read(path)
    try:
        return parse(data, path) if data is not None else None
    except DocumentError:
        return None


def _new_name(said: Said, key: str, title: str, proposed: str) -> Question:
    given = said.get(key, "").strip()
    wrong = (
        "" if not given or ids.TASK.fullmatch(given) else "Small letters, digits and single underscores: import_agent."
    )
    return asked(
        said, key, title, section="Edits", recommendation=proposed, verdict=wrong, must="Name it: import_agent."
    )


def _proof(said: Said, key: str, *, must: bool) -> Iterator[Question]:
    """What proves the work of a new doer; of one that takes another's place, only where it is another proof."""
    for criterion in rounds(said, f"{key}.criterion"):
        first = criterion.endswith("-1")
        title = "What has to be true when it is done?" if first else "What else has to be true?"
        text = "An empty line: nothing more." if must else "An empty line: what held for the one before."
        wanted = "Say one thing that can be seen: a doer without it is not verified." if must and first else ""
        yield asked(said, criterion, title, text, section="Edits", must=wanted)
        if said.get(criterion, "").strip():
            yield asked(said, f"{criterion}.evidence", "What shows it?", section="Edits", must="Say what shows it.")
            ask = "Which command shows it?"
            yield asked(said, f"{criterion}.command", ask, "An empty line: none.", section="Edits")


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


def _listed(text: str) -> list[str]:
    return [one_line(one) for one in text.replace("\n", ",").split(",") if one.strip()]


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


WORKFLOW_ADAPTATION: Final = Persona(
    name="workflow-adaptation",
    about="Changes a design that is being carried out, by named edits that you see first.",
    needs=lambda _task: (
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.VERIFICATION, "design-verifier"),
        Need(SESSIONS, "workflow-executor"),
    ),
    settle=settle,
    task=task_of,
    run=ids.run_of,
    next="workflow-executor",
)
