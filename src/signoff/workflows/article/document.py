"""The documents of an article as values, and the config as it is after a step: what was given, then what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signoff.artifacts import pages
from signoff.artifacts.textio import decode
from signoff.core.commands import Write
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.workflow import Now
from signoff.workflows.article import audiences, edit, following, materials, places, siblings
from signoff.workflows.article.article import ArticleState, own_of
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.config import config_of as settings_of
from signoff.workflows.article.materials import Item
from signoff.workflows.article.release import Release
from signoff.workflows.article.research_schema import ThesisValidation
from signoff.workflows.article.schema import ArticleConfig, parse_doc

Patch = Mapping[str, Any]
Follows = Callable[[ArticleConfig], Patch]
"""What code computes of a config."""


def config_of(now: Now) -> ArticleConfig:
    """The config as it is now."""
    ref = now.state.ref(places.config(own_of(now.state).topic))
    assert ref is not None  # narrows the type: no step but the first comes before it
    return now.look(ref, parse_doc)


def with_patches(now: Now, patch: Patch, follows: Follows = lambda _: {}, last: Patch | None = None) -> Write:
    """The config with what was given and what follows from that; every other byte stays as it was."""
    path = places.config(own_of(now.state).topic)
    ref = now.state.ref(path)
    text = edit.put(now.look(ref, decode), patch, path) if ref else edit.laid_out(patch)
    text = edit.put(text, follows(parse_doc(text.encode(), path)), path)
    return Write(path=path, text=edit.put(text, last, path) if last else text)


def refuse_other_topic(config: ArticleConfig, topic: str) -> None:
    """The run, its files and what is released are named by the topic: a config of a run is about no other."""
    if config.topic != topic:
        problem = f"`topic` is {config.topic!r}, and this is the article {topic!r}; valid: {topic!r}"
        repair = f"write {topic!r}, or begin an article of the other name"
        file = places.config(topic)
        raise DocumentError([Finding(rule="config.topic", problem=problem, repair=repair, file=file, about="topic")])


def parsed(write: Write) -> ArticleConfig:
    """The config that is about to be written."""
    return parse_doc((write.text or "").encode(), write.path)


# --- what else there is -----------------------------------------------------------------------------------------------


def items_of(now: Now) -> Sequence[Item]:
    """The materials as they are now."""
    ref = now.state.ref(places.sources(own_of(now.state).topic))
    return now.look(ref, parse_items) if ref else ()


def parse_items(data: bytes, path: str) -> tuple[Item, ...]:
    """The materials of a file of sources; what cannot be read is none."""
    return materials.parse(decode(data, path), path)[0]


def plain(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Materials as a brief has them."""
    return [{"id": item.id, "kind": item.round, **item.found.model_dump(mode="json")} for item in items]


def page_texts(now: Now, own: ArticleState) -> dict[str, str]:
    """What was read, by address."""
    refs = {url: now.state.ref(page.path) for url, page in own.pages.items()}
    return {url: now.look(ref, parse_page) for url, ref in refs.items() if ref}


def page_paths(own: ArticleState) -> tuple[str, ...]:
    """Where the pages are that materials come from: a case is told from its page, a quotation looked up in it."""
    return tuple(page.path for page in own.pages.values())


def parse_page(data: bytes, path: str) -> str:
    """The text of a page that was fetched, without its head."""
    return pages.parse_page(data, path).text


def draft_of(now: Now) -> str:
    ref = now.state.ref(places.draft(own_of(now.state).topic))
    return now.look(ref, decode) if ref else ""


def outline_of(now: Now) -> str:
    ref = now.state.ref(places.outline(own_of(now.state).topic))
    return now.look(ref, decode) if ref else ""


def validation_of(now: Now) -> ThesisValidation | None:
    return config_of(now).research.thesisValidation


def budget(now: Now) -> dict[str, Any]:
    """How long the article may be."""
    config = config_of(now)
    least, most = audiences.budget(config.articleLength, config.language, settings_of(now.state, now.look).characters)
    return {"least": least, "most": most, "unit": "characters" if config.language == "zh" else "words"}


def given(now: Now, draft: str | None = None) -> Given:
    """What the checks are given, of the draft as it is or as it would be."""
    own, size = own_of(now.state), budget(now)
    text = draft_of(now) if draft is None else draft
    return Given(
        config=config_of(now),
        outline=outline_of(now),
        draft=text,
        items=items_of(now),
        file=places.draft(own.topic),
        outline_file=places.outline(own.topic),
        least=size["least"],
        most=size["most"],
        pages=page_texts(now, own),
        avoid=siblings.avoid(now, settings_of(now.state, now.look).blocked),
    )


def measured(now: Now, draft: str | None = None) -> Follows:
    """What is counted in a draft."""
    text = draft_of(now) if draft is None else draft
    return lambda config: following.after_draft(config, text)


def release_input(now: Now) -> Release:
    own = own_of(now.state)
    return Release(
        topic=own.topic,
        given=given(now),
        warnings=[finding for found in own.results.values() for finding in found],
        issues=own.left,
        fixed=own.fixed,
        revisions=own.revisions,
        backlinks=siblings.backlinks(now.state, now.look, own.topic),
        pages=len(own.pages),
    )


# --- what agents are told ---------------------------------------------------------------------------------------------


def notes(now: Now) -> dict[str, Any]:
    """What every agent is told after the first step."""
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
    """The one claim, and what follows from the room that the topic leaves.

    Writers get it as the evidence left it; who weighs the evidence gets it as it was chosen.
    """
    config, space = config_of(now), config_of(now).research.innovationSpace
    found = config.research.thesisValidation if validated else None
    return {
        "thesis": (found.validatedThesis if found else None) or config.writingAngle.thesis,
        "stance": config.writingAngle.stance,
        "strategy": space.strategy if space else None,
        "skip_thesis": bool(space and space.skipThesis),
    }


def not_ready(now: Now) -> list[Finding]:
    """Why nobody can write yet (AR-8)."""
    config = config_of(now)
    research, angle = config.research, config.writingAngle
    space = research.innovationSpace
    skips = bool(space and space.skipThesis)
    unsettled = angle.thesis is None or angle.stance is None
    missing = {
        "articleType": config.articleType is None,
        "authorPersona.role": config.authorPersona.role is None,
        "authorPersona.bias": config.authorPersona.bias is None,
        "workflowState.research.innovationSpace.level": space is None or space.level is None,
        "workflowState.research.status": research.status != "completed",
        "writingAngle.thesis and writingAngle.stance": unsettled
        and (bool(angle.pending) or (config.articleType == "opinion" and not skips)),
    }
    path = places.config(config.topic)
    return [
        Finding(
            rule="article.not-ready",
            problem=f"{field} is not settled, and nobody can write without it",
            repair=f"settle it, or write it into {path}; then resume",
            file=path,
            about=field,
        )
        for field, is_missing in missing.items()
        if is_missing
    ]
