"""A small stage for the role players of orchestration.

`Sitting` does between the turns what the workflow does, in its order, with the real forms and the real checks, and
nothing more: a player that gives something that code refuses fails the test at once. A turn sees what it is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.core.findings import Finding, failing
from signoff.core.refs import Ref, digest
from signoff.core.workflow import Assignment, Ended, RolePlayer
from signoff.workflows.desk import SOURCES
from signoff.workflows.orchestration import (
    adapting,
    changelog,
    checkpoint_checks,
    contract_checks,
    coordination,
    decisions,
    design_files,
    ids,
    instructions,
    places,
    questions,
    registry,
    reporting,
    reviews,
    risk_checks,
    risks,
    roster_checks,
    sequencing,
    status,
    verification,
)
from signoff.workflows.orchestration import checkpoints as points
from signoff.workflows.orchestration import file_contracts as contracts
from signoff.workflows.orchestration import plan as plans
from signoff.workflows.orchestration import roster as rosters
from signoff.workflows.orchestration import sequence as sequences
from signoff.workflows.orchestration import stack as stacks
from signoff.workflows.orchestration.changelog import Drafts
from signoff.workflows.orchestration.file_contracts import FileContract
from signoff.workflows.orchestration.outputs import FORMS, reader
from signoff.workflows.orchestration.players import PLAYERS
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.stack import Stack

CREATED = 1_795_000_000
CONTRACTS = {
    "solution-architect": "architecture",
    **dict.fromkeys(reviews.REVIEWERS.values(), "review"),
    "tactical-solution-architect": "tsa",
    "roster-designer": "roster",
    "file-structure-designer": "file-contracts",
    "checkpoint-designer": "checkpoints",
    "instruction-writer": "instructions",
    "best-practices-researcher": "research",
    "risk-checklist": "checklist",
    "doer-consultation": "consultation",
    "poc-recommendation": "pocs",
    "poc-integration": "poc-integration",
    "best-practices-integration": "practices",
    "design-verifier": "design-reading",
}


@dataclass
class Sitting:
    """A project in memory, and its design made turn by turn."""

    files: dict[str, bytes]
    task: str
    players: Mapping[str, RolePlayer] = field(default_factory=lambda: PLAYERS)
    known: registry.Registry = registry.BUILT_IN
    practices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    turns: int = 0

    # --- what the players see ---

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise UsageError(f"{path!r} is no input of this turn")
        return self.files[path]

    def write(self, path: str, text: str) -> None:
        raise UsageError(f"a turn of a design writes no files: {path}, {len(text)} characters")

    def run(self, command: str) -> Ended:
        raise UsageError(f"a turn of a design runs no commands: {command}")

    def raw(self, role: str, reads: Iterable[str], attempt: int = 1, /, **notes: Any) -> str:
        """One turn: only what it reads is there, and the notes are plain JSON."""
        self.turns += attempt == 1
        there = [path for path in dict.fromkeys(reads) if path in self.files]
        start = StartTurn(
            key=role,
            agent=role,
            contract=CONTRACTS[role],
            task="",
            turn=f"{self.turns:04}",
            attempt=attempt,
            reads=tuple(there),
            pinned=tuple(Ref(path, digest(self.files[path])) for path in there),
            notes=json.loads(json.dumps({"task": self.task, **notes})),
        )
        said = self.players[role](Assignment(start=start, brief="", params={}, at=""), self)
        assert isinstance(said, str)
        return said

    def play(self, role: str, reads: Iterable[str], attempt: int = 1, /, **notes: Any) -> Any:
        """One turn, read under its contract."""
        form = FORMS[CONTRACTS[role]]
        return reader(form)(self.raw(role, reads, attempt, **notes).encode(), "output.yaml")

    # --- the documents ---

    @property
    def task_id(self) -> str:
        return ids.task_id(self.task, CREATED)

    @property
    def summary(self) -> str:
        return places.summary(self.task)

    @property
    def sources(self) -> list[str]:
        return [path for path in self.files if path.startswith(SOURCES)]

    @property
    def drafts(self) -> tuple[str, str, str]:
        return self.summary, places.STACK, places.DECISIONS

    @property
    def stack(self) -> Stack:
        return stacks.parse(self.files[places.STACK], places.STACK)

    @property
    def roster(self) -> Roster:
        return rosters.parse(self.files[places.ROSTER], places.ROSTER)

    @property
    def contracts(self) -> contracts.FileContracts:
        return contracts.parse(self.files[places.CONTRACTS], places.CONTRACTS)

    @property
    def checkpoints(self) -> points.Checkpoints:
        return points.parse(self.files[places.CHECKPOINTS], places.CHECKPOINTS)

    @property
    def sequence(self) -> sequences.Sequence:
        return sequences.parse(self.files[places.SEQUENCE], places.SEQUENCE)

    @property
    def specs(self) -> risks.PocSpecs:
        return risks.parse_specs(self.files[places.POC_SPECS], places.POC_SPECS)

    @property
    def order(self) -> reviews.Order:
        return reviews.parse_order(self.files[places.ORDER], places.ORDER)

    @property
    def research_files(self) -> list[str]:
        return sorted(path for path in self.files if path.startswith(places.RESEARCH))

    @property
    def found_out(self) -> list[risks.Research]:
        return [risks.parse_research(self.files[path], path) for path in self.research_files]

    @property
    def consulted(self) -> list[risks.Consultation]:
        paths = (places.consultation(name) for name in self.roster.of_kind("doer"))
        return [risks.parse_consultation(self.files[path], path) for path in paths]

    def put(self, path: str, text: str) -> None:
        self.files[path] = text.encode()

    # --- the architecture ---

    def architecture(self, **notes: Any) -> Any:
        made = self.play("solution-architect", [self.summary, *self.sources], **notes)
        holds(reviews.order_findings(made.review))
        stack = Stack.model_validate({**plain(made.stack), "task_id": self.task_id, "created": CREATED})
        self.put(places.STACK, stacks.render(stack))
        self.put(places.DECISIONS, decisions.render(made.architecture, task_id=self.task_id, created=CREATED))
        self.put(places.ORDER, reviews.render_order(made.review, CREATED))
        return made

    def review(self) -> dict[str, reviews.Review]:
        found = dict[str, reviews.Review]()
        for position, domain in enumerate(self.order.order, 1):
            earlier = [places.review(one) for one in found]
            notes = {"domain": domain, "position": position, "earlier": earlier}
            found[domain] = self.play(reviews.REVIEWERS[domain], [*self.drafts, *earlier], **notes)
            self.put(places.review(domain), reviews.render_review(domain, found[domain]))
        asked = [(domain, text) for domain, one in found.items() for text in one.questions]
        if asked:
            self.put(places.QUESTIONS, questions.render(asked))
        return found

    def answer(self, *answers: str) -> None:
        """A person's answers, in the order of the questions."""
        given = {f"Q{number}": text for number, text in enumerate(answers, 1)}
        self.put(places.QUESTIONS, questions.write(self.files[places.QUESTIONS], places.QUESTIONS, given))

    def tactical(self) -> list[Any]:
        return [self.tactical_one(number, domain) for number, domain in enumerate(self.order.order, 1)]

    def tactical_one(self, number: int, domain: str, attempt: int = 1) -> Any:
        path = places.review(domain)
        reads = [*self.drafts, path, places.QUESTIONS, places.CHANGELOG]
        made = self.play(
            "tactical-solution-architect", reads, attempt, domain=domain, number=number, review=path
        )  # fmt: skip
        before, after = self.texts(), self.texts(made)
        holds(changelog.findings(before, after, made.changes))
        decisions.parse(after.decisions.encode(), places.DECISIONS)
        self.put(places.STACK, after.stack)
        self.put(places.DECISIONS, after.decisions)
        log = self.files[places.CHANGELOG].decode() if places.CHANGELOG in self.files else None
        changes, not_taken = made.changes, made.not_taken
        text = changelog.appended(log, number=number, domain=domain, at=CREATED, changes=changes, not_taken=not_taken)
        self.put(places.CHANGELOG, text)
        return made

    def texts(self, made: Any = None) -> Drafts:
        """The drafts as they are, or as they are after a turn of the tactical architect."""
        stack, text = self.files[places.STACK].decode(), self.files[places.DECISIONS].decode()
        if made is not None and made.technology_stack is not None:
            own = {"task_id": self.task_id, "created": CREATED}
            stack = stacks.render(Stack.model_validate({**plain(made.technology_stack), **own}))
        if made is not None and made.architecture_decisions is not None:
            text = made.architecture_decisions
        return Drafts(stack, text)

    # --- the roster ---

    def design_roster(self, **notes: Any) -> Any:
        known = {name: plain(one) for name, one in self.known.agent_types.items()}
        made = self.play("roster-designer", [*self.drafts, places.ROSTER], registry=known, **notes)
        summary = self.files[self.summary].decode()
        holds(roster_checks.findings(made.agents, summary, self.summary))
        whole = registry.completed(made.agents, self.known, has_nothing, task_id=self.task_id, created=CREATED)
        holds(roster_checks.guidance_findings(whole))
        self.put(places.ROSTER, rosters.render(whole))
        return made

    def create_missing(self) -> None:
        """Every missing agent is created, as the guidance has it, and the roster completed again."""
        roster = self.roster
        for name in roster.missing_agents:
            guidance = roster.agents[name].creation_guidance
            assert guidance is not None
            self.known = registry.merged(self.known, registry.with_entry(None, guidance.registry_entry, CREATED))
        whole = registry.completed(roster.agents, self.known, has_nothing, task_id=self.task_id, created=CREATED)
        assert whole.missing_agents == ()
        self.put(places.ROSTER, rosters.render(whole))

    # --- contracts, checkpoints, order ---

    def design_contracts(self) -> None:
        reads = [self.summary, places.STACK, places.DECISIONS, places.ROSTER]
        given = self.play("file-structure-designer", reads)
        own = {"task_id": self.task_id, "created": CREATED}
        made = contracts.FileContracts.model_validate({**plain(given), **own})
        holds(contract_checks.contract_findings(made, self.roster))
        self.put(places.CONTRACTS, contracts.render(made))
        shown = self.play("checkpoint-designer", reads)
        proofs = points.Checkpoints.model_validate({**plain(shown), **own})
        holds(checkpoint_checks.findings(proofs, self.roster))
        self.put(places.CHECKPOINTS, points.render(proofs))

    def order_work(self) -> None:
        made = sequencing.sequence(self.roster, self.contracts, self.checkpoints)
        self.put(places.SEQUENCE, sequences.render(made))

    def write_instructions(self) -> None:
        doers = {one.verified_by: one.doer for one in self.checkpoints.checkpoints}
        for name, member in self.roster.agents.items():
            self.instruct(name, member.kind, [doers[name]] if member.kind == "verifier" else [])

    def instruct(self, name: str, kind: str, doers: Sequence[str], attempt: int = 1) -> Any:
        contract = self.contracts.agents.get(name, FileContract())
        shown = [one for one in self.checkpoints.checkpoints if name in (one.doer, one.verified_by)]
        poc_id = self.roster.agents[name].poc_id
        poc = self.specs.of(poc_id) if poc_id else None
        reads = [*self.drafts, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS]
        made = self.play(
            "instruction-writer",
            reads,
            attempt,
            agent=name,
            kind=kind,
            doers=list(doers),
            contract=plain(contract),
            checkpoint=[plain(one) for one in shown],
            poc=plain(poc) if poc else None,
        )
        holds(instructions.output_findings(made, name, contract))
        proof = instructions.trial(poc) if poc else shown
        place = registry.template_place(self.roster.agents[name].template, has_nothing)
        template = instructions.TEMPLATES[place or ""]
        text = instructions.render(name, made, template, contract, proof, self.practices.get(name, ()))
        holds(instructions.findings(text, places.instructions(name), name, contract, proof))
        self.put(places.instructions(name), text)
        return made

    def coordinate(self) -> None:
        specs = self.specs if places.POC_SPECS in self.files else risks.PocSpecs()
        plan = plans.parse(self.files[self.summary], self.summary)
        self.put(places.STATUS, status.render(status.initial(self.roster, self.sequence, CREATED)))
        text = coordination.render(plan, self.roster, self.sequence, self.checkpoints, specs)
        holds(coordination.findings(text, places.COORDINATION))
        self.put(places.COORDINATION, text)

    # --- risks ---

    def research(self) -> None:
        for one in risks.technologies(self.stack):
            notes = {"technology": one.name, "version": one.version, "layer": one.layer}
            made = self.play("best-practices-researcher", self.sources, **notes)
            holds(risk_checks.research_findings(made, one.name, one.version))
            whole = risks.Research.model_validate({**plain(made), "researched": CREATED})
            self.put(places.research(one.slug), risks.render(whole))

    def checklists(self) -> None:
        roster = self.roster
        types = dict.fromkeys(roster.type_of(name) for name in roster.of_kind("doer"))
        reads = [self.summary, places.STACK, places.ROSTER, *self.research_files]
        for one in types:
            agents = [name for name in roster.of_kind("doer") if roster.type_of(name) == one]
            made = self.play("risk-checklist", reads, agent_type=one, agents=agents)
            holds(risk_checks.checklist_findings(made, one))
            self.put(places.checklist(one), risks.render(made))

    def consult(self) -> None:
        roster = self.roster
        for name in roster.of_kind("doer"):
            path = places.checklist(roster.type_of(name))
            reads = [*self.drafts, places.instructions(name), path, places.CONTRACTS]
            made = self.play("doer-consultation", reads, agent=name)
            holds(risk_checks.consultation_findings(made, name, risks.parse_checklist(self.files[path], path)))
            self.put(places.consultation(name), risks.render(made))

    def specify_pocs(self) -> Any:
        doers = self.roster.of_kind("doer")
        consulted = [places.consultation(name) for name in doers]
        reads = [self.summary, places.STACK, places.ROSTER, *consulted, *self.research_files]
        made = self.play("poc-recommendation", reads, doers=list(doers))
        holds(risk_checks.pocs_findings(made, self.consulted, self.roster))
        self.put(places.POC_SPECS, risks.render(risks.PocSpecs(pocs=made.pocs, borne=made.borne)))
        return made

    def integrate(self) -> Any:
        roster = self.roster
        edits = self.play("poc-integration", [places.ROSTER, places.SEQUENCE, places.POC_SPECS])
        holds(risk_checks.integration_findings(edits, self.specs, roster))
        agents = {name: roster.agents[name].role for name in roster.agents}
        chosen = self.play("best-practices-integration", [places.ROSTER, *self.research_files], agents=agents)
        holds(risk_checks.practices_findings(chosen, roster, self.found_out))
        self.practices = chosen.practices
        whole, made = adapting.apply(roster, self.contracts, edits.edits, self.specs, created=CREATED)
        self.put(places.ROSTER, rosters.render(whole))
        self.put(places.CONTRACTS, contracts.render(made))
        self.put(places.RISK_REPORT, reporting.report(self.consulted, self.specs, self.found_out, self.practices))
        return edits

    # --- the reading ---

    def verify(self) -> verification.Verification:
        texts = {path: data.decode("utf-8", "replace") for path, data in self.files.items()}
        found = design_files.read(texts, self.task, before=list(self.files))
        checked = verification.verified(found, None, CREATED)
        reads = [
            self.summary,
            *(places.COORDINATION, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE),
            *(places.STATUS, places.POC_SPECS, places.RISK_REPORT),
            *sorted(path for path in self.files if path.startswith(places.AGENTS)),
        ]
        results = {one.check: one.result for one in checked.checks}
        reading = self.play("design-verifier", reads, checks=results)
        return verification.verified(found, reading, CREATED)

    # --- all of it ---

    def whole(self) -> Sitting:
        """The design from the plan to where it can be verified; nobody answers the reviewers."""
        self.architecture()
        self.review()
        self.tactical()
        return self.rest()

    def rest(self, **notes: Any) -> Sitting:
        """The design from the roster on, with its risks."""
        self.design_roster(**notes)
        self.create_missing()
        self.design_contracts()
        self.order_work()
        self.write_instructions()
        self.coordinate()
        self.research()
        self.checklists()
        self.consult()
        self.specify_pocs()
        self.integrate()
        self.order_work()
        self.write_instructions()
        self.coordinate()
        return self


def plain(value: Any) -> dict[str, Any]:
    """A value as plain data."""
    made: dict[str, Any] = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return made


class RefusedError(AssertionError):
    """Code refuses what a player gave: a test that did not expect it fails, in code's own words."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.rules = {finding.rule for finding in findings}


def holds(findings: Iterable[Finding]) -> None:
    """Nothing is refused."""
    if found := failing(findings):
        raise RefusedError(found)


def has_nothing(_path: str) -> bool:
    """A home and a project without templates of their own."""
    return False
