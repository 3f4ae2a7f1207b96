"""Solution page: claims first, then English, then Chinese; nothing is released that the gates have not passed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signoff import (
    Agent,
    ByCode,
    DocumentError,
    Documents,
    Edge,
    Finding,
    Limits,
    Move,
    Now,
    Parameter,
    Setup,
    Stage,
    Started,
    Views,
    Workflow,
    contract,
    replace,
    stage_table,
)
from signoff.workflows.solution_page import config, faults, outputs, views
from signoff.workflows.solution_page.assembler import ASSEMBLER
from signoff.workflows.solution_page.config import config_of
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.gates import GATES, parse_template, parse_text
from signoff.workflows.solution_page.state import PLANNING, SOURCES, TEMPLATES, PageState, draft, release
from signoff.workflows.solution_page.steps import authority
from signoff.workflows.solution_page.steps.drafting import (
    enter_draft,
    enter_review,
    enter_strategy,
    on_draft,
    on_review,
    on_strategy,
)
from signoff.workflows.solution_page.steps.edits import AGAIN, edited
from signoff.workflows.solution_page.steps.sign_off import (
    enter_approval,
    enter_complete,
    enter_escalated,
    enter_release,
    on_approval,
    on_complete,
    on_escalated,
    on_release,
)
from signoff.workflows.solution_page.trace import trace

# --- stages -----------------------------------------------------------------------------------------------------------


def _stage(
    name: str, enter: Callable[[Now[PageState]], Move], on: Callable[[Now[PageState]], Move], *outcomes: str
) -> Stage:
    """A stage with its outcomes; every stage that works can be interrupted by an edit."""
    return Stage(name=name, outcomes=outcomes, enter=enter, on=on)


STAGES = (
    _stage("strategy", enter_strategy, on_strategy, "done", "blocked", "redo"),
    _stage("approve_strategy", enter_approval("strategy"), on_approval("strategy"), "approved", "rejected"),
    _stage("draft_en", enter_draft, on_draft, "done", "blocked", "redo", "edited_en"),
    _stage("review_en", enter_review, on_review, "pass", "revise", "blocked", "redo"),
    _stage("draft_cn", enter_draft, on_draft, "done", "blocked", "redo", "edited_en", "edited_cn"),
    _stage("review_cn", enter_review, on_review, "pass", "revise", "en_broken", "blocked", "redo", "edited_en"),
    _stage("approve_final", enter_approval("final"), on_approval("final"), "approved", "rejected_en", "rejected_cn"),
    _stage("release", enter_release, on_release, "released", "failed_en", "failed_cn", "redo"),
    _stage("complete", enter_complete, on_complete, *(f"again_{step}" for step in AGAIN)),
    _stage(
        "escalated", enter_escalated, on_escalated,
        "to_strategy", "to_draft_en", "to_review_en", "to_draft_cn", "to_review_cn",
    ),
)  # fmt: skip


# --- routing ----------------------------------------------------------------------------------------------------------


def _below_limit(lang: str) -> Callable[[Now[PageState]], bool]:
    return lambda now: now.own.counts[lang] < config_of(now.state, now.look).iteration_limits.of(lang)


def _count(lang: str) -> Callable[[Now[PageState]], PageState]:
    return lambda now: now.own.counting(lang)


def _escalate(reason: str, resume_to: str) -> Callable[[Now[PageState]], PageState]:
    return lambda now: replace(now.own.giving_up(reason), escalation_reason=reason, resume_to=resume_to)


def _revise(source: str, outcome: str, lang: str, resume_to: str) -> tuple[Edge, Edge]:
    """Back to the draft while the limit allows, to a person when it does not."""
    return (
        Edge(
            source=source, outcome=outcome, target=f"draft_{lang}", when=_below_limit(lang), then=_count(lang),
            label=f"{outcome}, {lang} below limit",
        ),
        Edge(
            source=source, outcome=outcome, target="escalated", then=_escalate("iteration_limit", resume_to),
            label=f"{outcome}, {lang} at limit",
        ),
    )  # fmt: skip


def _to_person(source: str) -> Edge:
    return Edge(source=source, outcome="blocked", target="escalated", then=_escalate("unresolvable_blocker", source))


def _go(source: str, outcome: str, target: str) -> Edge:
    return Edge(source=source, outcome=outcome, target=target)


EDGES = (
    _go("strategy", "done", "approve_strategy"),
    _to_person("strategy"),
    _go("strategy", "redo", "strategy"),
    _go("approve_strategy", "approved", "draft_en"),
    _go("approve_strategy", "rejected", "strategy"),
    _go("draft_en", "done", "review_en"),
    _to_person("draft_en"),
    _go("draft_en", "redo", "draft_en"),
    _go("draft_en", "edited_en", "review_en"),
    _go("review_en", "pass", "draft_cn"),
    *_revise("review_en", "revise", "en", "review_en"),
    _to_person("review_en"),
    _go("review_en", "redo", "review_en"),
    _go("draft_cn", "done", "review_cn"),
    _to_person("draft_cn"),
    _go("draft_cn", "redo", "draft_cn"),
    _go("draft_cn", "edited_en", "review_en"),
    _go("draft_cn", "edited_cn", "review_cn"),
    _go("review_cn", "pass", "approve_final"),
    *_revise("review_cn", "revise", "cn", "review_cn"),
    *_revise("review_cn", "en_broken", "en", "review_en"),
    _to_person("review_cn"),
    _go("review_cn", "redo", "review_cn"),
    _go("review_cn", "edited_en", "review_en"),
    _go("approve_final", "approved", "release"),
    *_revise("approve_final", "rejected_en", "en", "review_en"),
    *_revise("approve_final", "rejected_cn", "cn", "review_cn"),
    _go("release", "released", "complete"),
    *_revise("release", "failed_en", "en", "review_en"),
    *_revise("release", "failed_cn", "cn", "review_cn"),
    _go("release", "redo", "release"),
    *(_go("complete", f"again_{step}", step) for step in AGAIN),
    *(_go("escalated", f"to_{step}", step) for step in AGAIN[:-1]),
)


def _first(now: Now[PageState]) -> PageState:
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    slug = str(now.event.params["slug"])
    known = authority.registry_of(now.state, now.look)
    found = next((match for claim_id in known.claims if (match := reg.CLAIM_ID.fullmatch(claim_id))), None)
    return PageState(step="strategy", slug=slug, code=found.group(1) if found else reg.code_of(slug))


TABLE = stage_table(STAGES, EDGES, first=_first, edited=edited)


# --- declaration ------------------------------------------------------------------------------------------------------


def _documents(output: Any) -> Mapping[str, str]:
    return getattr(output, "documents", {})


AGENTS = tuple(
    Agent(name=name, contract=contract(output, name, documents=_documents, check=check))
    for name, output, check in (
        ("strategist", outputs.StrategistOutput, authority.check_strategist),
        ("copywriter", outputs.CopywriterOutput, authority.check_copywriter),
        ("editor-qa", outputs.EditorOutput, authority.check_editor),
    )
)


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    slug = str(params["slug"])
    drafts = [draft(slug, lang) for lang in ("en", "cn")]
    releases = [release(slug, lang) for lang in ("en", "cn")]
    return [config.PATH, reg.PATH, *PLANNING, *drafts, *releases, TEMPLATES]


def _accepts(path: str, data: bytes) -> Sequence[Finding]:
    """What is wrong with a document that a person wrote: it is said before anything is taken in."""
    parse: Callable[[bytes, str], Any] | None = None
    if path == config.PATH:
        parse = config.parse_doc
    elif path == reg.PATH:
        parse = reg.parse_doc
    elif path.startswith(TEMPLATES):
        parse = parse_template
    elif path.endswith(".md") and not path.startswith(SOURCES):
        parse = parse_text
    try:
        if parse:
            parse(data, path)
    except DocumentError as error:
        return error.findings
    return ()


WORKFLOW = Workflow(
    name="solution-page",
    about="A B2B page in English and Chinese in which every claim leads to its evidence.",
    package="signoff.workflows.solution_page",
    steps=TABLE,
    agents=AGENTS,
    gates=tuple(GATES.values()),
    parameters=(
        Parameter(
            name="require_strategy_approval",
            about="a person approves the strategy before drafting",
            kind=bool,
            flag=True,
        ),
        Parameter(
            name="require_final_approval", about="a person approves both drafts before release", kind=bool, flag=True
        ),
    ),
    documents=Documents(
        folder="_workflow",
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
        scaffold=config.default_for,
        starter={"0-sources/product.yaml": "starter/product.yaml", "0-sources/brief.md": "starter/brief.md"},
        example="signoff run solution-page desk-lamp --source specs/ --require-strategy-approval",
        slash="create-solution-page",
    ),
    views=Views(
        status=views.status,
        summary=views.summary,
        trace=trace,
    ),
    by_code=ByCode(
        faults=faults.FAULTS.planned,
        players=ASSEMBLER,
    ),
)
