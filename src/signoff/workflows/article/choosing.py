"""What a person settles on the way: the thesis, its depth, and what the evidence made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from signoff.core.commands import Ask
from signoff.core.errors import UsageError
from signoff.core.events import Answered
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import document
from signoff.workflows.article.article import ArticleState, own_of
from signoff.workflows.article.schema import ArticleConfig

STANCES = ("challenge", "confirm", "nuance")
NONE = "none"
ANY_DEPTH = "all"
OPTIONAL = ("tutorial", "comparison")
"""Articles that can do without a thesis."""


# --- the thesis (AR-4) ------------------------------------------------------------------------------------------------


def enter_thesis(now: Now) -> Move:
    own, config = own_of(now.state), document.config_of(now)
    if not config.writingAngle.pending:
        return Move(own, (), "settled")
    about = {**dict(_recommended(config)), **_own_words(), **_without(config)}
    question = (
        f"Which ONE claim shall {own.topic} prove? Take one of the {len(_theses(config))} that research recommends, "
        "or say it in your own words."
    )
    notes = {"theses": [one.model_dump() for one in _theses(config)], "depth": config.depth}
    return Move(own, (_choice("thesis", question, about, **notes),))


def _choice(key: str, question: str, about: Mapping[str, str], **notes: Any) -> Ask:
    """A request with its options, each with what it does."""
    return Ask(key=key, kind="choice", options=tuple(about), question=question, notes={"about": about, **notes})


def _theses(config: ArticleConfig) -> list[Any]:
    research = config.workflowState.research if config.workflowState else None
    return list(research.recommendedTheses or ()) if research else []


def _recommended(config: ArticleConfig) -> Iterator[tuple[str, str]]:
    for number, one in enumerate(_theses(config), 1):
        depth = "any depth" if one.recommendedDepth == ANY_DEPTH else f"depth {one.recommendedDepth}"
        said = f"{one.thesis} ({one.stance}, {depth}, {one.differentiationScore}; {one.evidenceSummary})"
        yield f"thesis-{number}", said


def _own_words() -> dict[str, str]:
    return {f"own-{stance}": f"your own words, to {stance} what is commonly said (--note)" for stance in STANCES}


def _without(config: ArticleConfig) -> dict[str, str]:
    return {NONE: f"a {config.articleType} without a thesis"} if config.articleType in OPTIONAL else {}


def on_thesis(now: Now) -> Move:
    own, event = own_of(now.state), now.event
    if not isinstance(event, Answered):
        return Move(own)
    config = document.config_of(now)
    own = replace(own.choosing(event), chosen=_chosen(event, config))
    if _suits(own, config):
        return _settled(now, own, acknowledged=False)
    return Move(own, (), "mismatch")


def _suits(own: ArticleState, config: ArticleConfig) -> bool:
    """Whether the thesis that was chosen is of the article's depth."""
    return own.chosen.get("depth") in (None, ANY_DEPTH, config.depth)


def _chosen(event: Answered, config: ArticleConfig) -> Mapping[str, Any]:
    if event.act == NONE:
        return {"thesis": None, "stance": None, "depth": None}
    kind, _, which = event.act.partition("-")
    if kind == "thesis":
        one = _theses(config)[int(which) - 1]
        return {"thesis": one.thesis, "stance": one.stance, "depth": one.recommendedDepth}
    words = str(event.payload.get("note") or "").strip()
    if not words:
        raise UsageError("your own thesis has no words", repair=f'choose {event.act} with --note "The one claim"')
    return {"thesis": words, "stance": which, "depth": ANY_DEPTH}


def _settled(now: Now, own: ArticleState, *, acknowledged: bool) -> Move:
    chosen = own.chosen
    angle = {
        "thesis": chosen["thesis"],
        "stance": chosen["stance"],
        "recommendedDepth": chosen["depth"],
        "depthMismatchAcknowledged": acknowledged,
        "pending": False,
    }
    return Move(replace(own, chosen={}), (document.with_patches(now, {"writingAngle": angle}),), "settled")


# --- a thesis of another depth ----------------------------------------------------------------------------------------


def enter_depth(now: Now) -> Move:
    """Asked while it holds: an edit of the config may have settled it, or have left the article without a thesis."""
    own, config = own_of(now.state), document.config_of(now)
    if not config.writingAngle.pending:
        return Move(replace(own, chosen={}), (), "back")
    if _suits(own, config):
        return _settled(now, own, acknowledged=False)
    about = {
        "acknowledge": f"write it at {config.depth} all the same; the argument is adapted",
        "back": "choose another thesis",
    }
    question = f"The thesis suits {own.chosen['depth']}, and this article is written at {config.depth}."
    return Move(own, (_choice("depth", question, about),))


def on_depth(now: Now) -> Move:
    own, event = own_of(now.state), now.event
    if not isinstance(event, Answered):
        return Move(own)
    own = own.choosing(event)
    if event.act == "back":
        return Move(replace(own, chosen={}), (), "back")
    return _settled(now, own, acknowledged=True)


# --- what the evidence made of it (AR-14) -----------------------------------------------------------------------------


def enter_adjustment(now: Now) -> Move:
    own, found = own_of(now.state), document.validation_of(now)
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


def on_adjustment(now: Now) -> Move:
    own, event = own_of(now.state), now.event
    if not isinstance(event, Answered):
        return Move(own)
    found = document.validation_of(now)
    assert found is not None  # narrows the type: it is what the person was asked about
    words = {"adopt": found.validatedThesis, "keep": found.originalThesis}
    thesis = words.get(event.act) or str(event.payload.get("note") or "").strip()
    if not thesis:
        raise UsageError("your own thesis has no words", repair='choose own with --note "The one claim"')
    patch = {"workflowState": {"research": {"thesisValidation": {"validatedThesis": thesis}}}}
    return Move(own.choosing(event), (document.with_patches(now, patch),), "settled")
