"""Clarify: research to numbered questions, answers to refinements, and decisions that each lead back to a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.declarations import Agent, Now, Parameter, Question, Questionnaire
from signoff.core.errors import DocumentError
from signoff.core.events import Started
from signoff.core.findings import Finding, failing
from signoff.core.state import State, replace
from signoff.core.workflow import ByCode, Documents, People, Setup, Views, Workflow
from signoff.workflows.clarify import config, outputs, views
from signoff.workflows.clarify.checks import authority, staleness
from signoff.workflows.clarify.checks.answer_quality import HAN, WORDS, judge
from signoff.workflows.clarify.commands import COMMANDS
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.faults import FAULTS
from signoff.workflows.clarify.state import SOURCES, Inquiry, clarifications, decisions, own_of, research
from signoff.workflows.clarify.steps import confirmation, person_choices, refinement
from signoff.workflows.clarify.steps import research as research_steps
from signoff.workflows.clarify.steps.edits import edited
from signoff.workflows.clarify.steps.person_choices import AGAIN, OPTIONS
from signoff.workflows.clarify.trace import trace
from signoff.workflows.kit.contracts import contract
from signoff.workflows.kit.person_edits import accepts
from signoff.workflows.kit.routes import step, step_table, to_each, to_person

# --- steps ------------------------------------------------------------------------------------------------------------

RESUMED = ("research", "consolidate", "detail", "confirm")
"""The steps that a person can resume after an agent failed in them for good."""

BLOCKED = {name: to_person("unusable_output", name) for name in RESUMED}


def _first(now: Now) -> Inquiry:
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    name = str(now.event.params["slug"])
    topic = str(now.event.params.get("topic") or name.replace("-", " "))
    fresh = Inquiry(step="research", name=name, topic=topic)
    ref = now.state.ref(clarifications(name))
    if ref is None:
        return fresh
    return replace(fresh, step="scope").showing(now.look(ref, cl.parse_doc))  # the questions are there already


TABLE = step_table(
    step(
        "research", research_steps.enter_research, research_steps.on_research,
        done="consolidate", blocked=BLOCKED["research"], redo="research",
    ),
    step(
        "consolidate", research_steps.enter_consolidate, research_steps.on_consolidate,
        done="scope", blocked=BLOCKED["consolidate"],
    ),
    step(
        "scope", person_choices.enter_scope, person_choices.on_scope,
        clear="answers", narrowed="research", overridden="answers", again="scope",
    ),
    step(
        "answers", person_choices.enter_answers, person_choices.on_answers,
        research="detail", decide="confirm", scope="scope", again="answers",
    ),
    step(
        "detail", refinement.enter_detail, refinement.on_detail,
        done="refine", blocked=BLOCKED["detail"], redo="detail", scope="scope",
    ),
    step("refine", *refinement.refining("question"), done="refinements", redo="refine", scope="scope"),
    step(
        "refinements", person_choices.enter_refinements, person_choices.on_refinements,
        decide="confirm", deepen="deepen", scope="scope", again="refinements",
    ),
    step("deepen", *refinement.refining("refinement"), done="refinements", redo="deepen", scope="scope"),
    step(
        "confirm", confirmation.enter_confirm, confirmation.on_confirm,
        done="complete", open="unsettled", nothing="answers", blocked=BLOCKED["confirm"], redo="confirm", scope="scope",
    ),
    step("unsettled", person_choices.enter_unsettled, person_choices.on_unsettled, decide="confirm", again="unsettled"),
    step("complete", person_choices.enter_complete, person_choices.on_complete, **to_each("again", AGAIN)),
    step("escalated", person_choices.enter_escalated, person_choices.on_escalated, **to_each("to", RESUMED)),
    first=_first,
    edited=edited,
)  # fmt: skip


# --- documents --------------------------------------------------------------------------------------------------------


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    """What people edit, and the sources: quotes are looked up again when a run is replayed, so their bytes are kept."""
    name = str(params["slug"])
    return [config.PATH, clarifications(name), decisions(name), research(name), SOURCES]


def _read_questions(data: bytes, path: str) -> None:
    doc = cl.parse_doc(data, path)
    if not doc.items:
        repair = "undo the edit, or remove the file: then it is put back as the run knew it"
        problem = "there is no question in it"
        raise DocumentError([Finding(rule="clarifications.empty", problem=problem, repair=repair, file=path)])
    _refuse(doc.problems)


def _read_decisions(data: bytes, path: str) -> None:
    _refuse(de.parse_doc(data, path).problems)


def _refuse(problems: Sequence[Finding]) -> None:
    if wrong := failing(problems):
        raise DocumentError(wrong)


_WHY = {
    "short": f"fewer than {WORDS} words ({HAN} Han characters), and neither a choice nor a known term",
    "placeholder": "nothing that could be decided on",
    "other": "say what, beside Other",
}


def _questions(data: bytes, path: str, settings: bytes | None) -> list[Question]:
    known = frozenset(config.parse_doc(settings, config.PATH).known_terms if settings else ())
    doc = cl.parse_doc(data, path)
    waiting = staleness.open_entries(doc, None)
    settled = {key for entry in doc.entries if entry.key not in waiting for key in entry.origins}
    return [_question(item, known, must=item.must and item.key not in settled) for item in doc.items]


def _question(item: cl.Item, known: frozenset[str], *, must: bool) -> Question:
    said = judge(item.answer, item.choices, known)
    return Question(
        key=item.key,
        title=item.title,
        text=item.body,
        section=item.section,
        choices=tuple((choice.letter, choice.text) for choice in item.choices),
        recommendation=item.recommendation,
        answer=item.answer,
        verdict=f"{said.verdict}: {_WHY[said.why]}" if said.why in _WHY else said.verdict,
        must=must,
    )


def _answered(data: bytes, path: str, answers: Mapping[str, str]) -> str:
    return cl.with_answers(cl.parse_doc(data, path), answers)


def _where(state: State) -> str | None:
    path = own_of(state).clarifications
    return path if state.ref(path) else None


AGENTS = tuple(
    Agent(name=name, contract=contract(output, name, check=check))
    for name, output, check in (
        ("dimension-researcher", outputs.ResearcherOutput, authority.check_researcher),
        ("consolidate-research", outputs.ConsolidatorOutput, authority.check_consolidator),
        ("detailed-research", outputs.AnalystOutput, authority.check_analyst),
        ("section-refiner", outputs.RefinerOutput, authority.check_refiner),
        ("confirm-decisions", outputs.ConfirmOutput, confirmation.check_confirm),
    )
)


WORKFLOW = Workflow(
    name="clarify",
    about="Numbered questions to a domain expert, and decisions that each lead back to an answer.",
    package="signoff.workflows.clarify",
    steps=TABLE,
    agents=AGENTS,
    parameters=(
        Parameter(
            name="topic",
            about="what the questions are about; else the name of the run",
            later="leave --topic out to go on, or start a run of another name",
        ),
    ),
    documents=Documents(
        tracked=_tracked,
        sources=(SOURCES,),
        made=views.project,
        accepts=accepts(
            {
                config.PATH: config.parse_doc,
                "*/clarifications.md": _read_questions,
                "*/decisions.md": _read_decisions,
            }
        ),
    ),
    limits=config.SETTINGS.limits,
    setup=Setup(
        scaffold=config.SETTINGS.scaffold,
        starter={"0-sources/brief.md": "starter/brief.md"},
        example='signoff run clarify sales-pipeline --topic "Sales pipeline" --source brief.md',
        slash="clarify",
    ),
    views=Views(status=views.status, summary=views.summary, trace=trace, terms=OPTIONS),
    people=People(
        commands=COMMANDS,
        questionnaire=Questionnaire(path=_where, read=_questions, write=_answered, settings=config.PATH),
    ),
    by_code=ByCode(faults=FAULTS.planned),
)
