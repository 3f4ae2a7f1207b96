"""Solution page: claims first, then English, then Chinese; nothing is released that the gates have not passed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signoff import (
    Agent,
    ByCode,
    Documents,
    Limits,
    Look,
    Now,
    Parameter,
    Setup,
    Started,
    State,
    Views,
    Workflow,
    contract,
    replace,
)
from signoff.workflows.kit.person_edits import Read, accepts
from signoff.workflows.kit.routes import Way, step, step_table, to_each
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

# --- routing ----------------------------------------------------------------------------------------------------------


def _escalate(reason: str, resume_to: str) -> Callable[[Now[PageState]], PageState]:
    return lambda now: replace(now.own.giving_up(reason), escalation_reason=reason, resume_to=resume_to)


def _revise(outcome: str, lang: str, resume_to: str) -> tuple[Way, Way]:
    """Back to the draft while the limit allows, to a person when it does not."""

    def below_limit(now: Now[PageState]) -> bool:
        return now.own.counts[lang] < config_of(now.state, now.look).iteration_limits.of(lang)

    return (
        Way(f"draft_{lang}", below_limit, lambda now: now.own.counting(lang), f"{outcome}, {lang} below limit"),
        Way("escalated", None, _escalate("iteration_limit", resume_to), f"{outcome}, {lang} at limit"),
    )


BLOCKED = {step: Way("escalated", then=_escalate("unresolvable_blocker", step)) for step in AGAIN[:-1]}


# --- steps ------------------------------------------------------------------------------------------------------------


def _first(now: Now[PageState]) -> PageState:
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    slug = str(now.event.params["slug"])
    known = authority.registry_of(now.state, now.look)
    found = next((match for claim_id in known.claims if (match := reg.CLAIM_ID.fullmatch(claim_id))), None)
    return PageState(step="strategy", slug=slug, code=found.group(1) if found else reg.code_of(slug))


TABLE = step_table(
    step(
        "strategy", enter_strategy, on_strategy,
        done="approve_strategy", blocked=BLOCKED["strategy"], redo="strategy",
    ),
    step(
        "approve_strategy", enter_approval("strategy"), on_approval("strategy"),
        approved="draft_en", rejected="strategy",
    ),
    step(
        "draft_en", enter_draft, on_draft,
        done="review_en", blocked=BLOCKED["draft_en"], redo="draft_en", edited_en="review_en",
    ),
    step(
        "review_en", enter_review, on_review,
        **{"pass": "draft_cn"}, revise=_revise("revise", "en", "review_en"),
        blocked=BLOCKED["review_en"], redo="review_en",
    ),
    step(
        "draft_cn", enter_draft, on_draft,
        done="review_cn", blocked=BLOCKED["draft_cn"], redo="draft_cn", edited_en="review_en", edited_cn="review_cn",
    ),
    step(
        "review_cn", enter_review, on_review,
        **{"pass": "approve_final"}, revise=_revise("revise", "cn", "review_cn"),
        en_broken=_revise("en_broken", "en", "review_en"),
        blocked=BLOCKED["review_cn"], redo="review_cn", edited_en="review_en",
    ),
    step(
        "approve_final", enter_approval("final"), on_approval("final"),
        approved="release", rejected_en=_revise("rejected_en", "en", "review_en"),
        rejected_cn=_revise("rejected_cn", "cn", "review_cn"),
    ),
    step(
        "release", enter_release, on_release,
        released="complete", failed_en=_revise("failed_en", "en", "review_en"),
        failed_cn=_revise("failed_cn", "cn", "review_cn"), redo="release",
    ),
    step("complete", enter_complete, on_complete, **to_each("again", AGAIN)),
    step("escalated", enter_escalated, on_escalated, **to_each("to", AGAIN[:-1])),
    first=_first,
    edited=edited,
)  # fmt: skip


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


def _rests_on(state: State, _look: Look) -> Sequence[str]:
    """The evidence, what is signed off and what is released; the config and the templates say how, and not what."""
    apart = (config.PATH, TEMPLATES)
    return [SOURCES, *(path for path in _tracked(state.params) if path not in apart)]


READERS: Mapping[str, Read | None] = {
    config.PATH: config.parse_doc,
    reg.PATH: reg.parse_doc,
    f"{TEMPLATES}*": parse_template,
    f"{SOURCES}*": None,
    "*.md": parse_text,
}


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
        rests_on=_rests_on,
        accepts=accepts(READERS),
    ),
    limits=Limits(budget=config.budget_of, models=config.models_of),
    setup=Setup(
        scaffold=config.default_for,
        starter={"0-sources/product.yaml": "starter/product.yaml", "0-sources/brief.md": "starter/brief.md"},
        example="signoff run solution-page desk-lamp --source specs/ --require-strategy-approval",
        slash="create-solution-page",
    ),
    views=Views(status=views.status, summary=views.summary, trace=trace),
    by_code=ByCode(faults=faults.FAULTS.planned, players=ASSEMBLER),
)
