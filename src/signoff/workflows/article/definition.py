"""Article: what is already written, a thesis that a person chooses, materials with quotes, a draft that is measured.

Nothing is released that its checks have not passed, and no number stands in it that leads to no quote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, get_args

from signoff.core.errors import DocumentError
from signoff.core.events import Started
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.table import Edge, Move, Stage, mermaid, table
from signoff.core.workflow import Agent, Contract, Now, Parameter, Reader, Workflow
from signoff.workflows.article import audiences, authority, config, document, materials, outputs, places, views
from signoff.workflows.article.article import ArticleState, own_of
from signoff.workflows.article.audiences import AUDIENCES
from signoff.workflows.article.checks import GATES, parse_text, text
from signoff.workflows.article.choosing import (
    enter_adjustment,
    enter_depth,
    enter_thesis,
    on_adjustment,
    on_depth,
    on_thesis,
)
from signoff.workflows.article.commands import COMMANDS
from signoff.workflows.article.config import config_of
from signoff.workflows.article.edits import edited
from signoff.workflows.article.faults import FAULTS
from signoff.workflows.article.owners import Owner, part
from signoff.workflows.article.proofing import enter_proofread, on_proofread
from signoff.workflows.article.researching import (
    enter_gather,
    enter_plan,
    enter_research,
    enter_rounds,
    enter_synthesis,
    looks_outside,
    on_gather,
    on_plan,
    on_research,
    on_rounds,
    on_synthesis,
)
from signoff.workflows.article.schema import parse_doc
from signoff.workflows.article.settling import (
    AGAIN,
    enter_complete,
    enter_escalated,
    enter_release,
    on_complete,
    on_escalated,
)
from signoff.workflows.article.terms import ArticleLength, ArticleType, Depth, Framework, Language
from signoff.workflows.article.trace import trace
from signoff.workflows.article.writing import (
    enter_config,
    enter_draft,
    enter_outline,
    on_config,
    on_draft,
    on_outline,
)

# --- stages -----------------------------------------------------------------------------------------------------------


def _stage(name: str, enter: Callable[[Now], Move], on: Callable[[Now], Move], *outcomes: str) -> Stage:
    return Stage(name=name, outcomes=outcomes, enter=enter, on=on)


WORK = ("done", "blocked", "redo")
"""How a step ends that an agent works in: every one of them can be interrupted by an edit."""

STAGES = (
    _stage("config", enter_config, on_config, *WORK),
    _stage("plan_1", enter_plan(1), on_plan, *WORK),
    _stage("gather_1", enter_gather, on_gather, *WORK),
    _stage("research_1", enter_research, on_research, *WORK),
    _stage("thesis", enter_thesis, on_thesis, "settled", "mismatch", "redo"),
    _stage("depth", enter_depth, on_depth, "settled", "back", "redo"),
    _stage("plan_2", enter_plan(2), on_plan, *WORK),
    _stage("gather_2", enter_gather, on_gather, *WORK),
    _stage("rounds", enter_rounds, on_rounds, *WORK),
    _stage("synthesis", enter_synthesis, on_synthesis, *WORK),
    _stage("adjustment", enter_adjustment, on_adjustment, "settled", "redo"),
    _stage("outline", enter_outline, on_outline, *WORK),
    _stage("draft", enter_draft, on_draft, *WORK, "revise", "edited", "replanned"),
    _stage("proofread", enter_proofread, on_proofread, *WORK, "revise", "edited", "replanned"),
    _stage("release", enter_release, lambda now: Move(own_of(now.state)), "released"),
    _stage("complete", enter_complete, on_complete, *(f"again_{step}" for step in AGAIN)),
    _stage("escalated", enter_escalated, on_escalated, *(f"to_{step}" for step in AGAIN)),
)


# --- routing ----------------------------------------------------------------------------------------------------------


def _go(source: str, outcome: str, target: str) -> Edge:
    return Edge(source=source, outcome=outcome, target=target)


def _escalate(reason: str, resume_to: str) -> Callable[[Now], ArticleState]:
    return lambda now: replace(own_of(now.state), escalation_reason=reason, resume_to=resume_to)


RESUMES = {"gather_1": "plan_1", "research_1": "plan_1", "gather_2": "plan_2", "rounds": "plan_2"}
"""Where a person goes on whose article stopped in a step that is no place to begin again."""


def _to_person(source: str) -> Edge:
    then = _escalate("unresolvable_blocker", RESUMES.get(source, source))
    return Edge(source=source, outcome="blocked", target="escalated", then=then)


def _below_limit(now: Now) -> bool:
    return own_of(now.state).revisions < config_of(now.state, now.look).revisions


def _revise(source: str) -> tuple[Edge, Edge]:
    """Back to the draft while the limit allows, to a person when it does not."""
    return (
        Edge(
            source=source, outcome="revise", target="draft", when=_below_limit,
            then=lambda now: replace(own_of(now.state), revisions=own_of(now.state).revisions + 1),
            label="revise, below limit",
        ),
        Edge(
            source=source, outcome="revise", target="escalated", then=_escalate("iteration_limit", "draft"),
            label="revise, at limit",
        ),
    )  # fmt: skip


def _afresh(source: str) -> tuple[Edge, Edge]:
    """A draft that a person wrote is checked; an outline that they wrote is written by."""
    return _go(source, "edited", "draft"), _go(source, "replanned", "draft")


WORKING = (
    "config", "plan_1", "gather_1", "research_1", "plan_2", "gather_2", "rounds", "synthesis", "outline", "draft",
    "proofread",
)  # fmt: skip
ASKING = ("thesis", "depth", "adjustment")
ORDER = ("config", "plan_1", "gather_1", "research_1", "thesis")

EDGES = (
    *(_go(source, "done", target) for source, target in pairwise(ORDER)),
    *(_go(step, "redo", step) for step in (*WORKING, *ASKING)),
    *map(_to_person, WORKING),
    _go("thesis", "settled", "plan_2"),
    _go("thesis", "mismatch", "depth"),
    _go("depth", "settled", "plan_2"),
    _go("depth", "back", "thesis"),
    _go("plan_2", "done", "gather_2"),
    _go("gather_2", "done", "rounds"),
    _go("rounds", "done", "synthesis"),
    _go("synthesis", "done", "adjustment"),
    _go("adjustment", "settled", "outline"),
    _go("outline", "done", "draft"),
    _go("draft", "done", "proofread"),
    _go("proofread", "done", "release"),
    _go("release", "released", "complete"),
    *(edge for source in ("draft", "proofread") for edge in (*_revise(source), *_afresh(source))),
    *(_go("complete", f"again_{step}", step) for step in AGAIN),
    *(_go("escalated", f"to_{step}", step) for step in AGAIN),
)


def _first(now: Now) -> ArticleState:
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    return ArticleState(step="config", topic=str(now.event.params["slug"]))


TABLE = table(STAGES, EDGES, first=_first, edited=edited)


# --- declaration ------------------------------------------------------------------------------------------------------


def _with_part(form: Any, owner: Owner, contract: str) -> Callable[[], Mapping[str, Any]]:
    """The schema of an output whose `config` holds what one owner may give, and nothing else."""

    @cache
    def schema() -> Mapping[str, Any]:
        whole, mine = form.model_json_schema(), part(owner, contract)
        defs = {**whole.get("$defs", {}), **mine.pop("$defs", {})}
        properties = {**whole["properties"], "config": mine}
        return {**whole, "properties": properties, "required": [*whole["required"], "config"], "$defs": defs}

    return schema


def _documents(output: Any) -> Mapping[str, str]:
    return getattr(output, "documents", {})


CONTRACTS = {
    "config": Contract(
        name="config", parse=outputs.parse_config, check=authority.check_config,
        schema=_with_part(outputs.ConfigOutput, "config-creator", "config"),
    ),
    "queries": Contract(
        name="queries", parse=outputs.parse_queries, check=authority.check_queries,
        schema=cache(outputs.QueriesOutput.model_json_schema),
    ),
    "phase-1": Contract(
        name="phase-1", parse=outputs.parse_research, check=authority.check_phase_1,
        schema=_with_part(outputs.ResearchOutput, "web-researcher 1", "phase-1"),
    ),
    "materials": Contract(
        name="materials", parse=outputs.parse_materials, check=authority.check_materials,
        schema=cache(outputs.MaterialsOutput.model_json_schema),
    ),
    "phase-2": Contract(
        name="phase-2", parse=outputs.parse_research, check=authority.check_phase_2,
        schema=_with_part(outputs.ResearchOutput, "web-researcher 2", "phase-2"),
    ),
    "outline": Contract(
        name="outline", parse=outputs.parse_writer, documents=_documents, check=authority.check_outline,
        schema=_with_part(outputs.WriterOutput, "outline-writer", "outline"),
    ),
    "draft": Contract(
        name="draft", parse=outputs.parse_writer, documents=_documents, check=authority.check_draft,
        schema=_with_part(outputs.WriterOutput, "outline-writer", "draft"),
    ),
    "proof": Contract(
        name="proof", parse=outputs.parse_proof, check=authority.check_proof,
        schema=cache(outputs.ProofOutput.model_json_schema),
    ),
}  # fmt: skip

AGENTS = {
    "config-creator": "config",
    "web-researcher": "materials",
    "outline-writer": "draft",
    "proofreader": "proof",
}
"""The agents, and the contract that each answers under most; a turn names its own."""


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    """What people edit, other articles, and the corpus: its bytes are kept, so that a replay finds the same again."""
    topic = str(params["slug"])
    own = (places.sources(topic), places.pages(topic), places.outline(topic), places.draft(topic))
    return [config.PATH, places.CONFIGS, *own, places.OUTPUTS]


def _accepts(path: str, data: bytes) -> Sequence[Finding]:
    """What is wrong with a document that a person wrote: it is said before anything is taken in."""
    try:
        if path == config.PATH:
            config.parse_doc(data, path)
        elif path.startswith("knowledge/") and path.endswith("-sources.md"):
            return materials.parse(parse_text(data, path), path)[1]
        elif path.endswith(".md") and path.startswith(places.READ):
            text.read(parse_text(data, path))
        elif path.endswith(".md") and not path.startswith(places.SOURCES):
            parse_text(data, path)
    except DocumentError as error:
        return error.findings
    return ()


def _ready(params: Mapping[str, Any], read: Reader) -> Sequence[Finding]:
    """A name that a topic can have; and a config that a person wrote beforehand is one, and about this topic."""
    topic = str(params["slug"])
    if "_" in topic:
        problem = f"{topic!r} is no topic; valid: small letters and digits, joined by single hyphens"
        return [Finding(rule="config.topic", problem=problem, repair=f"name the run {topic.replace('_', '-')}")]
    if found := audiences.conflicts(params):
        return found
    data = read(places.config(topic))
    try:
        if data is not None:
            document.refuse_other_topic(parse_doc(data, places.config(topic)), topic)
    except DocumentError as error:
        return error.findings
    return ()


_LATER = "edit the config of the article (config/TOPIC.json), then go on with `signoff resume`"

PARAMETERS = (
    Parameter(
        name="type", about="what kind of article it is", choices=get_args(ArticleType), later=_LATER,
        asked="What kind of article?",
    ),
    Parameter(
        name="length", about="900–1100, 1200–1500 or 1800–2300 words", choices=get_args(ArticleLength),
        later=_LATER, asked="How long?",
    ),
    Parameter(
        name="audience", about="whom it is for", choices=get_args(Framework), later=_LATER,
        asked="For businesses or for consumers?",
    ),
    Parameter(
        name="language", about="the language it is written in", choices=get_args(Language), later=_LATER,
        asked="In which language?",
    ),
    Parameter(
        name="user", about="the type of reader; depth and kind of author follow from it",
        choices=tuple(one.user_type for one in AUDIENCES), later=_LATER,
    ),
    Parameter(name="depth", about="how deep it goes", choices=get_args(Depth), later=_LATER),
    Parameter(name="about", about="the topic in your own words", later=_LATER, asked="What is it about?"),
    Parameter(name="role", about="who writes it, as in 'shop foreman'", later=_LATER, asked="Who writes it?"),
    Parameter(
        name="bias", about="what the author insists on", later=_LATER, asked="What does the author insist on?",
    ),
)  # fmt: skip


WORKFLOW = Workflow(
    name="article",
    version=1,
    about="An article that proves one claim from materials with quotes, in English or Chinese.",
    package="signoff.workflows.article",
    folder=lambda run: f"_workflow/article/{run}",
    step=TABLE.step,
    agents={name: Agent(name=name, contract=contract) for name, contract in AGENTS.items()},
    contracts=CONTRACTS,
    gates=GATES,
    tracked=_tracked,
    sources=lambda _params: [places.SOURCES],
    budget=config.budget_of,
    models=config.models_of,
    looks_outside=looks_outside,
    status=views.status,
    accepts=_accepts,
    ready=_ready,
    scaffold=config.scaffold,
    starter={"0-sources/brief.md": "starter/brief.md"},
    summary=views.summary,
    parameters=PARAMETERS,
    faults=FAULTS.planned,
    trace=trace,
    commands=COMMANDS,
    example="signoff run article quench-oil --type opinion --audience b2b --length standard --source documents/",
    slash="write-article",
    picture=lambda: mermaid(TABLE),
)
