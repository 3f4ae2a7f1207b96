"""The other articles of a project: their topics, their hooks and conclusions, and links between articles (AR-13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.refs import Look, Ref
from signoff.core.state import State
from signoff.workflows.article import places
from signoff.workflows.article.checks import text
from signoff.workflows.article.documents.config_schema import ArticleConfig, parse_doc
from signoff.workflows.article.state import own_of


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another article: its config, and its text if it is finished."""

    path: str
    config: ArticleConfig
    output: str

    @property
    def hook(self) -> str | None:
        made = self.config.writing.decisions
        return made.hookUsed.type if made and made.hookUsed else None

    @property
    def conclusion(self) -> str | None:
        planned = self.config.writing.outline
        return planned.conclusionType if planned else None


def others(state: State, look: Look, topic: str) -> Iterator[Sibling]:
    """The other articles, in the order in which they were finished. An unreadable config is left out."""
    found = []
    for path, sha in sorted(state.docs.items()):
        if not path.startswith(places.CONFIGS) or path == places.config(topic):
            continue
        try:
            config = look(Ref(path, sha), parse_doc)
        except DocumentError:
            continue
        ref = state.ref(places.output(config.topic))
        found.append(Sibling(path, config, look(ref, decode) if ref else ""))
    yield from sorted(found, key=lambda one: (one.config.writing.completedAt or "~", one.path))


def plain(now: Now) -> list[dict[str, Any]]:
    """The other articles as plain data for a brief; a link to an article leads to its `url`."""
    return [
        {
            "topic": one.config.topic,
            "title": text.read(one.output).title if one.output else "",
            "url": places.output(one.config.topic),
            "thesis": one.config.writingAngle.thesis,
            "hook": one.hook,
            "conclusion": one.conclusion,
        }
        for one in others(now.state, now.look, own_of(now.state).topic)
    ]


def same_topic(now: Now, config: ArticleConfig) -> str | None:
    """The config of an article that is about the same topic."""
    topic, about = own_of(now.state).topic, str(now.state.params.get("about") or "")
    said = {config.topic, "-".join(re.findall(r"[a-z0-9]+", about.lower()))}
    return next((one.path for one in others(now.state, now.look, topic) if one.config.topic in said), None)


def avoid(now: Now, most: int) -> dict[str, list[str]]:
    """The hooks and conclusions of the latest articles, which are not used again."""
    written = [one for one in others(now.state, now.look, own_of(now.state).topic) if one.config.writing.completedAt]
    last = written[-most:] if most else []
    return {
        "hooks": [one.hook for one in last if one.hook],
        "conclusions": [one.conclusion for one in last if one.conclusion],
    }


def backlinks(state: State, look: Look, topic: str) -> list[tuple[str, str]]:
    """Finished articles that mention this topic without a link to it, each with the section for a link."""
    words = str(state.params.get("about") or topic.replace("-", " "))
    found = []
    for one in others(state, look, topic):
        if not one.output or places.output(topic) in one.output:
            continue
        parts = [part for part in text.read(one.output).parts if text.share(words, part.text) >= 0.6]
        if parts:
            found.append((places.output(one.config.topic), parts[0].title or parts[0].place))
    return found
