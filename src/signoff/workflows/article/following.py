"""What follows for the config from what a step brought: patches by code, for `document.with_patches`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signoff.workflows.article import computed, materials
from signoff.workflows.article.materials import Item
from signoff.workflows.article.schema import ArticleConfig

Patch = dict[str, Any]


def joined(*patches: Patch) -> Patch:
    """Several patches as one; they name different fields."""
    whole: Patch = {}
    for patch in patches:
        for name, value in patch.items():
            both = isinstance(value, dict) and isinstance(whole.get(name), dict)
            whole[name] = joined(whole[name], value) if both else value
    return whole


def after_config(config: ArticleConfig) -> Patch:
    """Whether a thesis is still to be chosen: a person may have written one into the config themselves."""
    if config.writingAngle.thesis and config.writingAngle.stance and config.articleType != "informational":
        return {"writingAngle": {"pending": False}}
    return computed.angle_patch(config.articleType) if config.writingAngle.pending is None else {}


def after_phase_1(config: ArticleConfig, urls: Sequence[str]) -> Patch:
    """What follows from the level, and what was read."""
    space = config.research.innovationSpace
    level = computed.level_patch(config.articleType, space.level) if space and space.level else {}
    return joined(level, _read(urls), {"workflowState": {"research": {"status": "in-progress"}}})


def after_rounds(config: ArticleConfig, items: Sequence[Item], urls: Sequence[str]) -> Patch:
    """The materials that were recorded, their counts and their mix."""
    recorded = {"workflowState": {"research": {"materials": materials.listed(items)}}}
    return joined(computed.research_patch(config, items), recorded, _read(urls))


def after_outline(config: ArticleConfig, outline: str) -> Patch:
    return computed.outline_patch(config, outline)


def after_draft(config: ArticleConfig, draft: str) -> Patch:
    return computed.draft_patch(config, draft)


def again(config: ArticleConfig, urls: Sequence[str], items: Sequence[Item], outline: str, draft: str) -> Patch:
    """All that is computed of a config that a person edited, as far as its step has come."""
    research, writing = config.workflowState.research, config.workflowState.writing
    return joined(
        after_config(config),
        after_phase_1(config, urls) if research and not items else {},
        after_rounds(config, items, urls) if items else {},
        _level(config) if items else {},
        after_outline(config, outline) if writing and outline else {},
        after_draft(config, draft) if writing and draft else {},
    )


def _level(config: ArticleConfig) -> Patch:
    space = config.research.innovationSpace
    return computed.level_patch(config.articleType, space.level) if space and space.level else {}


def _read(urls: Sequence[str]) -> Patch:
    return {"workflowState": {"research": {"urlCache": list(urls)}}}
