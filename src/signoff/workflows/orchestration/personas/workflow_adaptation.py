"""workflow-adaptation: changes an approved design by named edits, asked for one by one and shown before they apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.personas import Given, Said, Scene, Settling, Way, rounds
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.design import plan_edits
from signoff.workflows.orchestration.design.named_edits import Edit
from signoff.workflows.orchestration.documents import agent_registry, agent_roster, contracts, risks
from signoff.workflows.orchestration.documents.risks import PocSpecs
from signoff.workflows.orchestration.personas.questions import (
    SESSIONS,
    asked,
    filled,
    listed,
    mistakes,
    needs,
    no,
    one_line,
    option,
    persona,
    schema_of,
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
    "B": ("remove_agent", "one agent less"),
    "C": ("replace_agent", "another agent takes over"),
    "D": ("add_dependency", "one agent waits for another"),
    "E": ("drop_dependency", "one agent no longer waits for another"),
    "F": ("rescope", "an agent gets another task"),
    "G": ("add_poc", "a PoC of the specs is done after all"),
}
"""The named edits, by the letters that people choose."""
_WAITING: Final = (("agent", "Which agent waits?"), ("on", "For which agent?"))
NAMED: Final = {
    "remove_agent": (("name", "Which agent is removed?"),),
    "add_dependency": _WAITING,
    "drop_dependency": _WAITING,
    "rescope": (("agent", "Which agent gets another task?"),),
    "replace_agent": (("name", "Which agent is replaced?"),),
}
"""The fields of each kind of edit that name an agent of the roster, with their questions."""
_EDITS: Final = TypeAdapter(tuple[Edit, ...])
_WHY: Final = "Say it: the person who approves the edit reads its reason first."
_asked: Final = partial(asked, section="Edits")


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """Requests that another plan would settle, the approval of that plan, and edits that cannot be made."""
    if ask.key == ADAPTATION:
        return Settling(
            _difference(ask),
            (
                yes("approve", "The plan is changed like this; verified work that it does not touch stays verified."),
                no("reject", "The plan stays as it was; the agent that asked is told why.", "Why not?"),
            ),
        )
    if ask.key == IMPOSSIBLE and DROP in ask.options:
        return Settling("", (option(DROP, "The plan stays as it was. You can give other edits then."),))
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
    """The effects of the edits: changed agents and contracts, the new order, and the work that is kept."""
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
        """The agents that edits can name. A doer's own verifier is not among them: it comes and goes with its doer."""

    def overview(self) -> str:
        """The agents and their dependencies."""
        if self.design is None:
            return f"{places.ROSTER} or {places.CONTRACTS} cannot be read; fix it before you change the plan."
        lines = ["The plan as it is:", ""]
        for name in self.names:
            member = self.agents[name]
            waits = ", ".join(member.dependencies) or "no agent"
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
        for field, title in NAMED.get(kind, ()):
            yield self._whom(said, f"{key}.{field}", title)
        if kind == "add_poc":
            yield self._poc(said, f"{key}.poc_id")
            yield _new_name(said, f"{key}.name", "What is it called?", f"{said.get(f'{key}.poc_id', 'poc')}_agent")
        elif kind == "rescope":
            yield from self._task(said, key, said.get(f"{key}.agent", ""))
        elif kind in ("add_agent", "replace_agent"):
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
        """A role, and three to seven actions with the words of the summary that they come from."""
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
                must = "Copy them exactly: code looks them up in the summary."
                yield _asked(said, f"{action}.source", title, recommendation=words, must=must)

    def _newcomer(self, said: Said, key: str, kind: str) -> Iterator[Question]:
        """A doer with its contract and the proof of its work; its verifier is added by code."""
        old = said.get(f"{key}.name", "").strip() if kind == "replace_agent" else ""
        yield _new_name(said, f"{key}.new", "What is the new one called?", "")
        member = self.agents[old] if old in self.names else None
        of_type = (member.agent_type or old) if member else ""
        types = ", ".join(sorted(agent_registry.BUILT_IN.agent_types))
        text = f"One that the registry knows: {types}, or one of the project's."
        yield _asked(said, f"{key}.type", "Of which type is it?", text, recommendation=of_type, must="Name one.")
        waits = ", ".join(member.dependencies) if member else ""
        text = "With commas between. An empty line: for none."
        yield _asked(said, f"{key}.after", "For which agents does it wait?", text, recommendation=waits)
        yield from self._task(said, key, old)
        known = self.contracts.get(old)
        text = "Paths from the project's folder, with commas between. An empty line: none."
        for verb, files in (("read", known.reads if known else ()), ("write", known.writes if known else ())):
            paths = ", ".join(one.path for one in files)
            yield _asked(said, f"{key}.{verb}s", f"What does it {verb}?", text, recommendation=paths)
        yield from _proof(said, key, must=kind == "add_agent")

    # --- what is made of it ---

    def payload(self, said: Said) -> dict[str, Any]:
        """The edits under their schema, and the reason."""
        keys = [key for key in rounds(said, "edit") if said.get(key, "").strip() in KINDS]
        return {"edits": [self._edit(said, key) for key in keys], "note": one_line(said.get("why", ""))}

    def _edit(self, said: Said, key: str) -> dict[str, Any]:
        kind = KINDS[said[key].strip()][0]
        made: dict[str, Any] = {"edit": kind, "reason": one_line(said.get(f"{key}.reason", ""))}
        if kind in ("add_agent", "replace_agent"):
            return made | self._new(said, key, kind)
        fields = ("poc_id", "name") if kind == "add_poc" else tuple(field for field, _ in NAMED[kind])
        fields += ("role",) if kind == "rescope" else ()
        made |= {name: one_line(said[f"{key}.{name}"]) for name in fields if f"{key}.{name}" in said}
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
            mode = {"mode": "a criterion is not met", "remediation": "fix it, and show it again"}
            made["checkpoint"] = {"id": f"cp_{name}", "doer": name, "criteria": criteria, "failure_modes": [mode]}
        if kind == "replace_agent":
            return {"name": one_line(said.get(f"{key}.name", "")), "by": name, **made}
        return {"name": name, **made}

    def problems(self, payload: Mapping[str, Any]) -> Sequence[Finding]:
        """Why edits cannot be read, or cannot be applied to the plan."""
        if extra := surplus(payload, "edits", "note"):
            return [_wrong(extra, "give edits only")]
        if not isinstance(payload.get("edits"), list) or not payload["edits"]:
            return [_wrong("there are no edits", "give `edits`, a list of named edits")]
        try:
            edits = _EDITS.validate_python(payload["edits"])
        except ValidationError as error:
            return mistakes("adaptation.edits", "edits", error)
        if self.design is None:
            return [_wrong(f"{places.ROSTER} or {places.CONTRACTS} cannot be read", "fix it first")]
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
    """The proof of a new doer's work; for a replacement, only if the proof changes."""
    for criterion in rounds(said, f"{key}.criterion"):
        first = criterion.endswith("-1")
        title = "What has to be true when it is done?" if first else "What else has to be true?"
        text = "An empty line: nothing more." if must else "An empty line: the criteria of the old agent."
        wanted = (
            "Say one thing that can be seen: a doer without a criterion cannot be verified." if must and first else ""
        )
        yield _asked(said, criterion, title, text, must=wanted)
        if said.get(criterion, "").strip():
            yield _asked(said, f"{criterion}.evidence", "What shows it?", must="Say what shows it.")
            yield _asked(said, f"{criterion}.command", "Which command shows it?", "An empty line: none.")


def _criteria(said: Said, key: str, name: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"cp_{name}.{number}",
            "text": one_line(said[one]),
            "evidence": one_line(said.get(f"{one}.evidence", "")),
            **({"command": command} if (command := one_line(said.get(f"{one}.command", ""))) else {}),
        }
        for number, one in enumerate(filled(said, f"{key}.criterion"), 1)
    ]


def _actions(said: Said, key: str) -> dict[str, list[str]]:
    given = filled(said, f"{key}.action")
    return {
        "plan_actions": [one_line(said[one]) for one in given],
        "plan_action_sources": [one_line(said.get(f"{one}.source", "")) for one in given],
    }


def _schema() -> Mapping[str, Any]:
    edits = _EDITS.json_schema(by_alias=True)
    forms = edits.pop("$defs", {})
    return {**schema_of("edits", edits={**edits, "minItems": 1}), "$defs": forms}


def _wrong(problem: str, repair: str) -> Finding:
    return Finding(rule="adaptation.edits", problem=problem, repair=repair)


WORKFLOW_ADAPTATION: Final = persona(
    name="workflow-adaptation",
    about="Changes a design during the work, by named edits that you see first.",
    needs=needs(places.SEQUENCE, places.VERIFICATION, SESSIONS),
    settle=settle,
    next="workflow-executor",
)
