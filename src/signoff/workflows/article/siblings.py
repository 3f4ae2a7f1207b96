"""The other articles of a project: what they are about, what they have used up, and where links could go (AR-13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from signoff.artifacts.textio import decode
from signoff.core.errors import DocumentError
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import Now
from signoff.workflows.article import places
from signoff.workflows.article.article import own_of
from signoff.workflows.article.checks import text
from signoff.workflows.article.schema import ArticleConfig, parse_doc


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another article: its config, and its text where it is finished."""

    path: str
    config: ArticleConfig
    output: str

    @property
    def title(self) -> str:
        return text.read(self.output).title if self.output else ""

    @property
    def hook(self) -> str | None:
        made = self.config.writing.decisions
        return made.hookUsed.type if made and made.hookUsed else None

    @property
    def conclusion(self) -> str | None:
        planned = self.config.writing.outline
        return planned.conclusionType if planned else None

    def plain(self) -> dict[str, Any]:
        """As a brief has it; `url` is where a link to it leads."""
        return {
            "topic": self.config.topic,
            "title": self.title,
            "url": places.output(self.config.topic),
            "thesis": self.config.writingAngle.thesis,
            "hook": self.hook,
            "conclusion": self.conclusion,
        }


def others(state: State, look: Look, topic: str) -> Iterator[Sibling]:
    """The other articles, those that were finished first come first; a config that nobody can read is none."""
    found = []
    for path in sorted(state.docs):
        if not path.startswith(places.CONFIGS) or path == places.config(topic):
            continue
        try:
            config = look(_ref(state, path), parse_doc)
        except DocumentError:
            continue
        ref = state.ref(places.output(config.topic))
        found.append(Sibling(path, config, look(ref, decode) if ref else ""))
    yield from sorted(found, key=lambda one: (one.config.writing.completedAt or "~", one.path))


def _ref(state: State, path: str) -> Any:
    return state.ref(path)


def plain(now: Now) -> list[dict[str, Any]]:
    """The other articles as a brief has them."""
    return [one.plain() for one in others(now.state, now.look, own_of(now.state).topic)]


def same_topic(now: Now, config: ArticleConfig) -> str | None:
    """The article that is about exactly this already."""
    topic = own_of(now.state).topic
    said = {config.topic, _kebab(str(now.state.params.get("about") or ""))}
    return next((one.path for one in others(now.state, now.look, topic) if one.config.topic in said), None)


def _kebab(words: str) -> str:
    """A topic in words as it would be named."""
    return "-".join(re.findall(r"[a-z0-9]+", words.lower()))


def avoid(now: Now, most: int) -> dict[str, list[str]]:
    """The hooks and conclusions of the articles that were written last: they are not used again."""
    written = [one for one in others(now.state, now.look, own_of(now.state).topic) if one.config.writing.completedAt]
    last = written[-most:] if most else []
    return {
        "hooks": [one.hook for one in last if one.hook],
        "conclusions": [one.conclusion for one in last if one.conclusion],
    }


def backlinks(state: State, look: Look, topic: str) -> list[tuple[str, str]]:
    """Finished articles that speak of this one's topic and do not link to it: where, and in which section."""
    words = str(state.params.get("about") or topic.replace("-", " "))
    found = []
    for one in others(state, look, topic):
        if not one.output or places.output(topic) in one.output:
            continue
        parts = [part for part in text.read(one.output).parts if text.share(words, part.text) >= 0.6]
        if parts:
            found.append((places.output(one.config.topic), parts[0].title or parts[0].place))
    return found
