"""Article: an article that proves one thesis, which a person chooses, from materials with quotes.

Code releases a draft only after it has passed its checks; every number in it leads to a quote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Agent, Contract, Now, Parameter, Reader
from signoff.core.errors import DocumentError
from signoff.core.events import Started
from signoff.core.findings import Finding
from signoff.core.refs import Look
from signoff.core.state import State, replace
from signoff.core.table import Edge, Move, stage_table
from signoff.core.terms import Terms
from signoff.core.workflow import ByCode, Documents, Limits, People, Setup, Views, Workflow
from signoff.workflows.article import config, outputs, places, views
from signoff.workflows.article.checks import GATES, authority, text
from signoff.workflows.article.commands import COMMANDS
from signoff.workflows.article.config import config_of
from signoff.workflows.article.documents import audiences, materials, terms, values
from signoff.workflows.article.documents.config_schema import parse_doc
from signoff.workflows.article.documents.field_owners import Owner, part_form
from signoff.workflows.article.faults import FAULTS
from signoff.workflows.article.state import ArticleState, own_of
from signoff.workflows.article.steps import proofreading, release, research, thesis_choice, writing
from signoff.workflows.article.steps.edits import edited
from signoff.workflows.article.steps.release import AGAIN
from signoff.workflows.article.trace import trace
from signoff.workflows.kit.table_steps import edge, stage

# --- stages and edges -------------------------------------------------------------------------------------------------

WORK = ("done", "blocked", "redo")
"""The outcomes of a step in which an agent works; `redo` is for an edit during the step."""
CHECKED = ("revise", "edited", "replanned")

STAGES = (
    stage("config", writing.enter_config, writing.on_config, *WORK),
    stage("plan_1", research.enter_plan(1), research.on_plan, *WORK),
    stage("gather_1", research.enter_gather, research.on_gather, *WORK),
    stage("research_1", research.enter_research, research.on_research, *WORK),
    stage("thesis", thesis_choice.enter_thesis, thesis_choice.on_thesis, "settled", "mismatch", "redo"),
    stage("depth", thesis_choice.enter_depth, thesis_choice.on_depth, "settled", "back", "redo"),
    stage("plan_2", research.enter_plan(2), research.on_plan, *WORK),
    stage("gather_2", research.enter_gather, research.on_gather, *WORK),
    stage("rounds", research.enter_rounds, research.on_rounds, *WORK),
    stage("synthesis", research.enter_synthesis, research.on_synthesis, *WORK),
    stage("adjustment", thesis_choice.enter_adjustment, thesis_choice.on_adjustment, "settled", "redo"),
    stage("outline", writing.enter_outline, writing.on_outline, *WORK),
    stage("draft", writing.enter_draft, writing.on_draft, *WORK, *CHECKED),
    stage("proofread", proofreading.enter_proofread, proofreading.on_proofread, *WORK, *CHECKED),
    stage("release", release.enter_release, lambda now: Move(own_of(now.state)), "released"),
    stage("complete", release.enter_complete, release.on_complete, *(f"again_{step}" for step in AGAIN)),
    stage("escalated", release.enter_escalated, release.on_escalated, *(f"to_{step}" for step in AGAIN)),
)

RESUMES = {"gather_1": "plan_1", "research_1": "plan_1", "gather_2": "plan_2", "rounds": "plan_2"}
"""Where a stopped article is resumed if it cannot begin again in the step where it stopped."""


def _escalate(reason: str, resume_to: str) -> Callable[[Now], ArticleState]:
    return lambda now: replace(own_of(now.state), escalation_reason=reason, resume_to=resume_to)


def _to_person(source: str) -> Edge:
    then = _escalate("unresolvable_blocker", RESUMES.get(source, source))
    return Edge(source=source, outcome="blocked", target="escalated", then=then)


def _to_draft(source: str) -> tuple[Edge, ...]:
    """A draft that fails its checks is written again, up to the limit; a draft that a person edited is checked."""
    return (
        Edge(
            source=source, outcome="revise", target="draft", label="revise, below limit",
            when=lambda now: own_of(now.state).revisions < config_of(now.state, now.look).revisions,
            then=lambda now: replace(own_of(now.state), revisions=own_of(now.state).revisions + 1),
        ),
        Edge(
            source=source, outcome="revise", target="escalated", label="revise, at limit",
            then=_escalate("iteration_limit", "draft"),
        ),
        edge(source, "edited", "draft"),
        edge(source, "replanned", "draft"),
    )  # fmt: skip


WORKING = tuple(one.name for one in STAGES if "blocked" in one.outcomes)
ASKING = ("thesis", "depth", "adjustment")

EDGES = (
    *(edge(source, "done", target) for source, target in pairwise(one.name for one in STAGES[:5])),
    *(edge(step, "redo", step) for step in (*WORKING, *ASKING)),
    *map(_to_person, WORKING),
    edge("thesis", "settled", "plan_2"),
    edge("thesis", "mismatch", "depth"),
    edge("depth", "settled", "plan_2"),
    edge("depth", "back", "thesis"),
    edge("plan_2", "done", "gather_2"),
    edge("gather_2", "done", "rounds"),
    edge("rounds", "done", "synthesis"),
    edge("synthesis", "done", "adjustment"),
    edge("adjustment", "settled", "outline"),
    edge("outline", "done", "draft"),
    edge("draft", "done", "proofread"),
    edge("proofread", "done", "release"),
    edge("release", "released", "complete"),
    *_to_draft("draft"),
    *_to_draft("proofread"),
    *(edge("complete", f"again_{step}", step) for step in AGAIN),
    *(edge("escalated", f"to_{step}", step) for step in AGAIN),
)


def _first(now: Now) -> ArticleState:
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    return ArticleState(step="config", topic=str(now.event.params["slug"]))


TABLE = stage_table(STAGES, EDGES, first=_first, edited=edited)

# --- contracts --------------------------------------------------------------------------------------------------------


def _contract(
    name: str, parse: Any, form: Any, check: Callable[[Now, Any], Any], owner: Owner | None = None
) -> Contract:
    """A contract; with an owner, the `config` of its output may hold the fields of this owner only."""

    @cache
    def schema() -> Mapping[str, Any]:
        whole: Mapping[str, Any] = form.model_json_schema()
        if owner is None:
            return whole
        mine = part_form(owner, name).model_json_schema()
        defs = {**whole.get("$defs", {}), **mine.pop("$defs", {})}
        properties = {**whole["properties"], "config": mine}
        return {**whole, "properties": properties, "required": [*whole["required"], "config"], "$defs": defs}

    return Contract(
        name=name,
        parse=parse,
        schema=schema,
        documents=lambda output: getattr(output, "documents", {}),
        check=authority.unless_blocked(check),
    )


CONTRACTS = {
    one.name: one
    for one in (
        _contract("config", outputs.parse_config, outputs.ConfigOutput, authority.check_config, "config-creator"),
        _contract("queries", outputs.parse_queries, outputs.QueriesOutput, authority.check_queries),
        _contract(
            "phase-1", outputs.parse_research, outputs.ResearchOutput, authority.check_phase_1, "web-researcher 1"
        ),
        _contract("materials", outputs.parse_materials, outputs.MaterialsOutput, authority.check_materials),
        _contract(
            "phase-2", outputs.parse_research, outputs.ResearchOutput, authority.check_phase_2, "web-researcher 2"
        ),
        _contract("outline", outputs.parse_writer, outputs.WriterOutput, authority.check_outline, "outline-writer"),
        _contract("draft", outputs.parse_writer, outputs.WriterOutput, authority.check_draft, "outline-writer"),
        _contract("proof", outputs.parse_proof, outputs.ProofOutput, authority.check_proof),
    )
}
AGENTS = {
    "config-creator": "config",
    "web-researcher": "materials",
    "outline-writer": "draft",
    "proofreader": "proof",
}
"""The agents, each with the contract of most of its turns; each turn names its contract."""

# --- declaration ------------------------------------------------------------------------------------------------------


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    """What people edit, the other articles, and the pages: a replay needs their bytes."""
    topic = str(params["slug"])
    own = (places.sources(topic), places.pages(topic), places.outline(topic), places.draft(topic))
    return [config.PATH, places.CONFIGS, *own, places.OUTPUTS]


def _rests_on(state: State, _look: Look) -> Sequence[str]:
    """The evidence and the article's own files; those of other articles are theirs."""
    topic = str(state.params["slug"])
    own = (places.pages(topic), places.sources(topic), places.outline(topic), places.draft(topic))
    return [places.SOURCES, places.config(topic), *own, *places.released(topic)]


def _accepts(path: str, data: bytes) -> Sequence[Finding]:
    """What is wrong with a document that a person edited."""
    try:
        if path == config.PATH:
            config.parse_doc(data, path)
        elif path.startswith("knowledge/") and path.endswith("-sources.md"):
            return materials.parse(decode(data, path), path)[1]
        elif path.endswith(".md") and path.startswith(places.READ):
            text.read(decode(data, path))
        elif path.endswith(".md") and not path.startswith(places.SOURCES):
            decode(data, path)
    except DocumentError as error:
        return error.findings
    return ()


def _ready(params: Mapping[str, Any], read: Reader) -> Sequence[Finding]:
    """Why an article cannot begin: its name, its parameters, or a config that a person has written."""
    topic = str(params["slug"])
    if "_" in topic:
        problem = f"{topic!r} is not a valid topic; valid: small letters and digits, joined by single hyphens"
        return [Finding(rule="config.topic", problem=problem, repair=f"name the run {topic.replace('_', '-')}")]
    if found := audiences.conflicts(params):
        return found
    data = read(places.config(topic))
    try:
        if data is not None:
            values.refuse_other_topic(parse_doc(data, places.config(topic)), topic)
    except DocumentError as error:
        return error.findings
    return ()


def _parameter(name: str, about: str, choices: Terms | None = None, asked: str = "") -> Parameter:
    later = "edit the config of the article (config/TOPIC.json), then go on with `signoff resume`"
    return Parameter(name=name, about=about, choices=choices.terms if choices else (), later=later, asked=asked)


PARAMETERS = (
    _parameter("language", "the language it is written in", terms.LANGUAGES, "In which language?"),
    _parameter("type", "what kind of article it is", terms.ARTICLE_TYPES, "What kind of article?"),
    _parameter("length", "900–1100, 1200–1500 or 1800–2300 words", terms.ARTICLE_LENGTHS, "How long?"),
    _parameter("audience", "whom it is for", terms.FRAMEWORKS, "For businesses or for consumers?"),
    _parameter("user", "the type of reader, which settles the depth and the kind of author", terms.USER_TYPES),
    _parameter("depth", "how deep it goes", terms.DEPTHS),
    _parameter("about", "the topic in your own words", asked="What is it about?"),
    _parameter("role", "who writes it, as in 'shop foreman'", asked="Who writes it?"),
    _parameter("bias", "what the author insists on", asked="What does the author insist on?"),
)

WORKFLOW = Workflow(
    name="article",
    about="An article that proves one claim from materials with quotes, in English or Chinese.",
    package="signoff.workflows.article",
    steps=TABLE,
    agents=tuple(Agent(name=name, contract=CONTRACTS[contract]) for name, contract in AGENTS.items()),
    contracts=tuple(CONTRACTS.values()),
    gates=tuple(GATES.values()),
    parameters=PARAMETERS,
    documents=Documents(
        tracked=_tracked,
        sources=(places.SOURCES,),
        accepts=_accepts,
        rests_on=_rests_on,
    ),
    limits=Limits(
        budget=config.budget_of,
        models=config.models_of,
        looks_outside=research.looks_outside,
    ),
    setup=Setup(
        ready=_ready,
        scaffold=config.scaffold,
        starter={"0-sources/brief.md": "starter/brief.md"},
        example="signoff run article quench-oil --type opinion --audience b2b --length standard --source documents/",
        slash="write-article",
    ),
    views=Views(
        status=views.status,
        summary=views.summary,
        trace=trace,
        terms=Terms(*terms.DEPTHS.terms, *terms.STANCES.terms, *terms.SCORES.terms, *thesis_choice.OPTIONS.terms),
    ),
    people=People(
        commands=COMMANDS,
    ),
    by_code=ByCode(
        faults=FAULTS.planned,
    ),
)
