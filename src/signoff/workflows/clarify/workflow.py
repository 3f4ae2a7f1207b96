"""Clarify: research to numbered questions, answers to refinements, and decisions that each lead back to a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signoff.core.declarations import Agent, Contract, Now, Parameter, Question, Questionnaire
from signoff.core.errors import DocumentError
from signoff.core.events import Started
from signoff.core.findings import Finding, failing
from signoff.core.state import State, replace
from signoff.core.table import Edge, Stage, stage_table
from signoff.core.workflow import ByCode, Documents, Limits, People, Setup, Views, Workflow
from signoff.workflows.clarify import config, merge, outputs, views
from signoff.workflows.clarify.checks import authority
from signoff.workflows.clarify.checks.answer_quality import HAN, WORDS, judge
from signoff.workflows.clarify.commands import COMMANDS
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.faults import FAULTS
from signoff.workflows.clarify.state import SOURCES, Inquiry, clarifications, decisions, own_of, research
from signoff.workflows.clarify.steps.decision_turns import enter_confirm, on_confirm
from signoff.workflows.clarify.steps.edits import edited
from signoff.workflows.clarify.steps.person_choices import (
    AGAIN,
    OPTIONS,
    enter_answers,
    enter_complete,
    enter_escalated,
    enter_refinements,
    enter_scope,
    enter_unsettled,
    on_answers,
    on_complete,
    on_escalated,
    on_refinements,
    on_scope,
    on_unsettled,
)
from signoff.workflows.clarify.steps.refinement import enter_detail, enter_refining, on_detail, on_refining
from signoff.workflows.clarify.steps.research import enter_consolidate, enter_research, on_consolidate, on_research
from signoff.workflows.clarify.trace import trace

# --- stages -----------------------------------------------------------------------------------------------------------

RESUMED = ("research", "consolidate", "detail", "confirm")
"""The stages that a person can resume after an agent failed in them for good."""


def _stage(name: str, enter: Callable[[Now], Any], on: Callable[[Now], Any], *outcomes: str) -> Stage:
    return Stage(name=name, outcomes=outcomes, enter=enter, on=on)


STAGES = (
    _stage("research", enter_research, on_research, "done", "blocked", "redo"),
    _stage("consolidate", enter_consolidate, on_consolidate, "done", "blocked"),
    _stage("scope", enter_scope, on_scope, "clear", "narrowed", "overridden", "again"),
    _stage("answers", enter_answers, on_answers, "research", "decide", "scope", "again"),
    _stage("detail", enter_detail, on_detail, "done", "blocked", "redo", "scope"),
    _stage("refine", enter_refining("question"), on_refining("question"), "done", "redo", "scope"),
    _stage("refinements", enter_refinements, on_refinements, "decide", "deepen", "scope", "again"),
    _stage("deepen", enter_refining("refinement"), on_refining("refinement"), "done", "redo", "scope"),
    _stage("confirm", enter_confirm, on_confirm, "done", "open", "nothing", "blocked", "redo", "scope"),
    _stage("unsettled", enter_unsettled, on_unsettled, "decide", "again"),
    _stage("complete", enter_complete, on_complete, *(f"again_{step}" for step in AGAIN)),
    _stage("escalated", enter_escalated, on_escalated, *(f"to_{step}" for step in RESUMED)),
)


# --- routing ----------------------------------------------------------------------------------------------------------


def _go(source: str, outcome: str, target: str) -> Edge:
    return Edge(source=source, outcome=outcome, target=target)


def _to_person(source: str) -> Edge:
    def then(now: Now) -> Inquiry:
        return replace(own_of(now.state), escalation_reason="unusable_output", resume_to=source)

    return Edge(source=source, outcome="blocked", target="escalated", then=then)


EDGES = (
    _go("research", "done", "consolidate"),
    _to_person("research"),
    _go("research", "redo", "research"),
    _go("consolidate", "done", "scope"),
    _to_person("consolidate"),
    _go("scope", "clear", "answers"),
    _go("scope", "narrowed", "research"),
    _go("scope", "overridden", "answers"),
    _go("scope", "again", "scope"),
    _go("answers", "research", "detail"),
    _go("answers", "decide", "confirm"),
    _go("answers", "scope", "scope"),
    _go("answers", "again", "answers"),
    _go("detail", "done", "refine"),
    _to_person("detail"),
    _go("detail", "redo", "detail"),
    _go("detail", "scope", "scope"),
    _go("refine", "done", "refinements"),
    _go("refine", "redo", "refine"),
    _go("refine", "scope", "scope"),
    _go("refinements", "decide", "confirm"),
    _go("refinements", "deepen", "deepen"),
    _go("refinements", "scope", "scope"),
    _go("refinements", "again", "refinements"),
    _go("deepen", "done", "refinements"),
    _go("deepen", "redo", "deepen"),
    _go("deepen", "scope", "scope"),
    _go("confirm", "done", "complete"),
    _go("confirm", "open", "unsettled"),
    _go("confirm", "nothing", "answers"),
    _to_person("confirm"),
    _go("confirm", "redo", "confirm"),
    _go("confirm", "scope", "scope"),
    _go("unsettled", "decide", "confirm"),
    _go("unsettled", "again", "unsettled"),
    *(_go("complete", f"again_{step}", step) for step in AGAIN),
    *(_go("escalated", f"to_{step}", step) for step in RESUMED),
)


def _first(now: Now) -> Inquiry:
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    name = str(now.event.params["slug"])
    topic = str(now.event.params.get("topic") or name.replace("-", " "))
    fresh = Inquiry(step="research", name=name, topic=topic)
    ref = now.state.ref(clarifications(name))
    if ref is None:
        return fresh
    return replace(fresh, step="scope").showing(now.look(ref, cl.parse_doc))  # the questions are there already


TABLE = stage_table(STAGES, EDGES, first=_first, edited=edited)


# --- declaration ------------------------------------------------------------------------------------------------------


CONTRACTS = {
    "dimension-researcher": Contract(
        name="dimension-researcher", parse=outputs.parse_researcher,
        schema=outputs.ResearcherOutput.model_json_schema, check=authority.check_researcher,
    ),
    "consolidate-research": Contract(
        name="consolidate-research", parse=outputs.parse_consolidator,
        schema=outputs.ConsolidatorOutput.model_json_schema, check=authority.check_consolidator,
    ),
    "detailed-research": Contract(
        name="detailed-research", parse=outputs.parse_analyst,
        schema=outputs.AnalystOutput.model_json_schema, check=authority.check_analyst,
    ),
    "section-refiner": Contract(
        name="section-refiner", parse=outputs.parse_refiner,
        schema=outputs.RefinerOutput.model_json_schema, check=authority.check_refiner,
    ),
    "confirm-decisions": Contract(
        name="confirm-decisions", parse=outputs.parse_confirm,
        schema=outputs.ConfirmOutput.model_json_schema, check=authority.check_confirm,
    ),
}  # fmt: skip


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    """What people edit, and the sources: quotes are looked up again when a run is replayed, so their bytes are kept."""
    name = str(params["slug"])
    return [config.PATH, clarifications(name), decisions(name), research(name), SOURCES]


def _emptied(path: str) -> Finding:
    repair = "undo the edit, or remove the file: then it is put back as the run knew it"
    return Finding(rule="clarifications.empty", problem="there is no question in it", repair=repair, file=path)


def _accepts(path: str, data: bytes) -> Sequence[Finding]:
    """What is wrong with a document that a person wrote: it is said before anything is taken in."""
    try:
        if path == config.PATH:
            config.parse_doc(data, path)
        elif path.endswith("/clarifications.md"):
            doc = cl.parse_doc(data, path)
            return failing(doc.problems) if doc.items else (_emptied(path),)
        elif path.endswith("/decisions.md"):
            return failing(de.parse_doc(data, path).problems)
    except DocumentError as error:
        return error.findings
    return ()


_WHY = {
    "short": f"fewer than {WORDS} words ({HAN} Han characters), and neither a choice nor a known term",
    "placeholder": "nothing that could be decided on",
    "other": "say what, beside Other",
}


def _questions(data: bytes, path: str, settings: bytes | None) -> list[Question]:
    known = frozenset(config.parse_doc(settings, config.PATH).known_terms if settings else ())
    doc = cl.parse_doc(data, path)
    waiting = merge.open_entries(doc, None)
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
    own = own_of(state)
    return clarifications(own.name) if state.ref(clarifications(own.name)) else None


WORKFLOW = Workflow(
    name="clarify",
    about="Numbered questions to a domain expert, and decisions that each lead back to an answer.",
    package="signoff.workflows.clarify",
    steps=TABLE,
    agents=tuple(Agent(name=name, contract=one) for name, one in CONTRACTS.items()),
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
        accepts=_accepts,
    ),
    limits=Limits(
        budget=config.budget_of,
        models=config.models_of,
    ),
    setup=Setup(
        scaffold=config.scaffold,
        starter={"0-sources/brief.md": "starter/brief.md"},
        example='signoff run clarify sales-pipeline --topic "Sales pipeline" --source brief.md',
        slash="clarify",
    ),
    views=Views(
        status=views.status,
        summary=views.summary,
        trace=trace,
        terms=OPTIONS,
    ),
    people=People(
        commands=COMMANDS,
        questionnaire=Questionnaire(path=_where, read=_questions, write=_answered, settings=config.PATH),
    ),
    by_code=ByCode(
        faults=FAULTS.planned,
    ),
)
