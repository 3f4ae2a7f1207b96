"""The documents of an article as values, the config after each step, and the notes for agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.commands import Write
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.evidence.sources import fetched_pages
from signoff.workflows.article import places
from signoff.workflows.article.checks.text import Given
from signoff.workflows.article.config import config_of as settings_of
from signoff.workflows.article.documents import audiences, computed_fields, config_schema, materials, sibling_articles
from signoff.workflows.article.documents.config_schema import ArticleConfig, parse_doc
from signoff.workflows.article.documents.materials import Item
from signoff.workflows.article.state import ArticleState, own_of

Patch = Mapping[str, Any]
Follows = Callable[[ArticleConfig], Patch]
"""What code computes from a config."""


# --- the config -------------------------------------------------------------------------------------------------------


def config_of(now: Now) -> ArticleConfig:
    ref = now.state.ref(places.config(own_of(now.state).topic))
    assert ref is not None  # narrows the type: no step but the first comes before it
    return now.look(ref, parse_doc)


def with_patches(now: Now, patch: Patch, follows: Follows = lambda _: {}, last: Patch | None = None) -> Write:
    """Writes the config with a patch and with what follows from it; every other byte stays."""
    path = places.config(own_of(now.state).topic)
    ref = now.state.ref(path)
    text = config_schema.put(now.look(ref, decode), patch, path) if ref else config_schema.laid_out(patch)
    text = config_schema.put(text, follows(parse_doc(text.encode(), path)), path)
    return Write(path=path, text=config_schema.put(text, last, path) if last else text)


def parsed(write: Write) -> ArticleConfig:
    """The config that is about to be written."""
    return parse_doc((write.text or "").encode(), write.path)


def refuse_other_topic(config: ArticleConfig, topic: str) -> None:
    """Refuses a config of another topic: the run, its files and its outputs are named by the topic."""
    if config.topic != topic:
        problem = f"`topic` is {config.topic!r}, and this is the article {topic!r}; valid: {topic!r}"
        repair = f"write {topic!r}, or begin an article of the other name"
        file = places.config(topic)
        raise DocumentError([Finding(rule="config.topic", problem=problem, repair=repair, file=file, about="topic")])


def not_ready(now: Now) -> list[Finding]:
    """What has to be settled before an agent can write (AR-8)."""
    config = config_of(now)
    research, angle = config.research, config.writingAngle
    space = research.innovationSpace
    unsettled = angle.thesis is None or angle.stance is None
    opinion = config.articleType == "opinion" and not (space and space.skipThesis)
    missing = {
        "articleType": config.articleType is None,
        "authorPersona.role": config.authorPersona.role is None,
        "authorPersona.bias": config.authorPersona.bias is None,
        "workflowState.research.innovationSpace.level": space is None or space.level is None,
        "workflowState.research.status": research.status != "completed",
        "writingAngle.thesis and writingAngle.stance": unsettled and (bool(angle.pending) or opinion),
    }
    path = places.config(config.topic)
    repair = f"settle it, or write it into {path}; then resume"
    return [
        Finding(
            rule="article.not-ready",
            problem=f"{field} is not settled, and the article cannot be written without it",
            repair=repair,
            file=path,
            about=field,
        )
        for field, is_missing in missing.items()
        if is_missing
    ]


# --- the other documents ----------------------------------------------------------------------------------------------


def items_of(now: Now) -> Sequence[Item]:
    ref = now.state.ref(places.sources(own_of(now.state).topic))
    return now.look(ref, materials.parse_items) if ref else ()


def plain(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Materials as plain data for a brief."""
    return [{"id": item.id, "kind": item.round, **item.found.model_dump(mode="json")} for item in items]


def page_texts(now: Now, own: ArticleState) -> dict[str, str]:
    """The pages that were read, by address."""
    refs = {url: now.state.ref(page.path) for url, page in own.pages.items()}
    return {url: now.look(ref, fetched_pages.parse_page).text for url, ref in refs.items() if ref}


def page_paths(own: ArticleState) -> tuple[str, ...]:
    return tuple(page.path for page in own.pages.values())


def draft_of(now: Now) -> str:
    ref = now.state.ref(places.draft(own_of(now.state).topic))
    return now.look(ref, decode) if ref else ""


def outline_of(now: Now) -> str:
    ref = now.state.ref(places.outline(own_of(now.state).topic))
    return now.look(ref, decode) if ref else ""


def budget(now: Now) -> dict[str, Any]:
    """The length that the article may have."""
    config = config_of(now)
    least, most = audiences.budget(config.articleLength, config.language, settings_of(now.state, now.look).characters)
    return {"least": least, "most": most, "unit": "characters" if config.language == "zh" else "words"}


def given(now: Now, draft: str | None = None) -> Given:
    """The input of the checks, for the draft or for another text of it."""
    own, size = own_of(now.state), budget(now)
    return Given(
        config=config_of(now),
        outline=outline_of(now),
        draft=draft_of(now) if draft is None else draft,
        items=items_of(now),
        file=places.draft(own.topic),
        outline_file=places.outline(own.topic),
        least=size["least"],
        most=size["most"],
        pages=page_texts(now, own),
        avoid=sibling_articles.avoid(now, settings_of(now.state, now.look).blocked),
    )


def measured(now: Now, draft: str | None = None) -> Follows:
    """The counts of a draft, as they go into the config."""
    text = draft_of(now) if draft is None else draft
    return lambda config: computed_fields.draft_patch(config, text)


# --- what agents are told ---------------------------------------------------------------------------------------------


def notes(now: Now) -> dict[str, Any]:
    """The notes for every agent after the first step."""
    config = config_of(now)
    return {
        "topic": config.topic,
        "about": now.state.params.get("about") or config.topic.replace("-", " "),
        "language": config.language,
        "type": config.articleType,
        "length": config.articleLength,
        "framework": config.audienceFramework,
        "depth": config.depth,
    }


def thesis_notes(now: Now, *, validated: bool = True) -> dict[str, Any]:
    """The thesis and the strategy. Writers get the thesis as research validated it, researchers as it was chosen."""
    config, space = config_of(now), config_of(now).research.innovationSpace
    found = config.research.thesisValidation if validated else None
    return {
        "thesis": (found.validatedThesis if found else None) or config.writingAngle.thesis,
        "stance": config.writingAngle.stance,
        "strategy": space.strategy if space else None,
        "skip_thesis": bool(space and space.skipThesis),
    }
