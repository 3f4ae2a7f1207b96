"""What a person decides during an article: the thesis, its depth, and its wording after the research."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from signoff.core.commands import Ask
from signoff.core.declarations import Now
from signoff.core.errors import UsageError
from signoff.core.events import Answered
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.core.terms import Term, Terms
from signoff.workflows.article.documents import values
from signoff.workflows.article.documents.computed_fields import THESES
from signoff.workflows.article.documents.config_schema import ArticleConfig
from signoff.workflows.article.documents.terms import ANY_DEPTH, STANCES
from signoff.workflows.article.state import ArticleState, own_of
from signoff.workflows.kit.table_steps import on_answer

NONE = "none"
OPTIONS: Final = Terms(
    *(Term(f"thesis-{number}", zh=f"论点-{number}") for number in range(1, THESES + 1)),
    *(Term(f"own-{one.value}", zh=f"自拟-{one.zh}") for one in STANCES.terms),
    Term(NONE, zh="无论点"),
    Term("acknowledge", zh="照写"),
    Term("back", zh="重选"),
    Term("adopt", zh="采用"),
    Term("keep", zh="保留"),
    Term("own", zh="自拟"),
)
"""What a person can choose in an article."""


def _choice(key: str, question: str, about: Mapping[str, str], **notes: Any) -> Ask:
    return Ask(key=key, kind="choice", options=tuple(about), question=question, notes={"about": about, **notes})


# --- the thesis (AR-4) ------------------------------------------------------------------------------------------------


def enter_thesis(now: Now) -> Move:
    own, config = own_of(now.state), values.config_of(now)
    if not config.writingAngle.pending:
        return Move(own, (), "settled")
    theses, about = config.research.recommendedTheses, {}
    for number, one in enumerate(theses, 1):
        depth = "any depth" if one.recommendedDepth == ANY_DEPTH else f"depth {one.recommendedDepth}"
        said = f"{one.thesis} ({one.stance}, {depth}, {one.differentiationScore}; {one.evidenceSummary})"
        about[f"thesis-{number}"] = said
    for stance in STANCES.values:
        about[f"own-{stance}"] = f"your own words, to {stance} what is commonly said (--note)"
    if config.articleType in ("tutorial", "comparison"):
        about[NONE] = f"a {config.articleType} without a thesis"
    question = (
        f"Which ONE claim shall {own.topic} prove? Take one of the {len(theses)} that research recommends, "
        "or say it in your own words."
    )
    notes = {"theses": [one.model_dump() for one in theses], "depth": config.depth}
    return Move(own, (_choice("thesis", question, about, **notes),))


@on_answer
def on_thesis(now: Now, event: Answered) -> Move:
    config = values.config_of(now)
    own = replace(own_of(now.state).choosing(event), chosen=_chosen(event, config))
    return _settled(now, own) if _suits(own, config) else Move(own, (), "mismatch")


def _chosen(event: Answered, config: ArticleConfig) -> Mapping[str, Any]:
    kind, _, which = event.act.partition("-")
    if event.act == NONE:
        return {"thesis": None, "stance": None, "depth": None}
    if kind == "thesis":
        one = config.research.recommendedTheses[int(which) - 1]
        return {"thesis": one.thesis, "stance": one.stance, "depth": one.recommendedDepth}
    return {"thesis": _words(event), "stance": which, "depth": ANY_DEPTH}


def _words(event: Answered) -> str:
    """The thesis in the person's own words."""
    words = str(event.payload.get("note") or "").strip()
    if not words:
        repair = f'choose {event.act} with --note "The one claim"'
        raise UsageError(f"{event.act} needs the words of your thesis", repair=repair)
    return words


def _suits(own: ArticleState, config: ArticleConfig) -> bool:
    return own.chosen.get("depth") in (None, ANY_DEPTH, config.depth)


def _settled(now: Now, own: ArticleState, *, acknowledged: bool = False) -> Move:
    angle = {
        "thesis": own.chosen["thesis"],
        "stance": own.chosen["stance"],
        "recommendedDepth": own.chosen["depth"],
        "depthMismatchAcknowledged": acknowledged,
        "pending": False,
    }
    return Move(replace(own, chosen={}), (values.with_patches(now, {"writingAngle": angle}),), "settled")


# --- a thesis of another depth ----------------------------------------------------------------------------------------


def enter_depth(now: Now) -> Move:
    """Asks whether to write a thesis of another depth, unless an edit of the config has settled it."""
    own, config = own_of(now.state), values.config_of(now)
    if not config.writingAngle.pending:
        return Move(replace(own, chosen={}), (), "back")
    if _suits(own, config):
        return _settled(now, own)
    about = {
        "acknowledge": f"write it at {config.depth} all the same; the argument is adapted",
        "back": "choose another thesis",
    }
    question = f"The thesis suits {own.chosen['depth']}, and this article is written at {config.depth}."
    return Move(own, (_choice("depth", question, about),))


@on_answer
def on_depth(now: Now, event: Answered) -> Move:
    own = own_of(now.state).choosing(event)
    if event.act == "back":
        return Move(replace(own, chosen={}), (), "back")
    return _settled(now, own, acknowledged=True)


# --- what the evidence made of it (AR-14) -----------------------------------------------------------------------------


def enter_adjustment(now: Now) -> Move:
    own, found = own_of(now.state), values.config_of(now).research.thesisValidation
    if found is None or found.adjustment in (None, "keep"):
        return Move(own, (), "settled")
    about = {
        "adopt": f"write it as: {found.validatedThesis}",
        "keep": f"write it as you chose it: {found.originalThesis}",
        "own": "your own words (--note)",
    }
    against = "; ".join(found.evidenceAgainst or ()) or "nothing was found against it"
    question = f"The evidence would {found.adjustment} the thesis of {own.topic}. Against it: {against}"
    return Move(own, (_choice("adjustment", question, about),))


@on_answer
def on_adjustment(now: Now, event: Answered) -> Move:
    found = values.config_of(now).research.thesisValidation
    assert found is not None  # narrows the type: it is what the person was asked about
    thesis = {"adopt": found.validatedThesis, "keep": found.originalThesis}.get(event.act) or _words(event)
    patch = {"workflowState": {"research": {"thesisValidation": {"validatedThesis": thesis}}}}
    return Move(own_of(now.state).choosing(event), (values.with_patches(now, patch),), "settled")
