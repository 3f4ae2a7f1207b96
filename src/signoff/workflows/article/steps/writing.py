"""The steps that make the config of an article, its outline and its draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.commands import Write
from signoff.core.declarations import Now
from signoff.core.events import Checked
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.article import places
from signoff.workflows.article.config import config_of
from signoff.workflows.article.documents import computed_fields, sibling_articles, values
from signoff.workflows.article.state import ArticleState, own_of
from signoff.workflows.article.steps.turns import checks, on_checked, on_end, turn
from signoff.workflows.kit.table_steps import noted

DEFAULTS = {"type": "informational", "length": "standard", "language": "en", "audience": "b2b"}
"""The parameters of an article that the person does not give."""


def enter_config(now: Now) -> Move:
    """Takes a config that a person wrote, or asks an agent for a config."""
    own = own_of(now.state)
    if now.state.ref(places.config(own.topic)):
        return _made(now, own, {})
    given = {name: value for name, value in now.state.params.items() if name != "slug"}
    notes = {"topic": own.topic, **DEFAULTS, **given, "articles": sibling_articles.plain(now)}
    task = "Say who writes this article for whom, in which voice and with which bias, of what the person told."
    return Move(own, (turn(now, "config-creator", "config", task, notes, reads=(places.BRIEF,)),))


@on_end
def on_config(now: Now, own: ArticleState) -> Move:
    return _made(now, own, now.output.config)


def _made(now: Now, own: ArticleState, patch: Mapping[str, Any]) -> Move:
    if "type" not in now.state.params and patch:
        problem = f"no type was given: the article becomes {DEFAULTS['type']}, and has no thesis to choose"
        own = own.warned(noted("article.type", problem, "begin the article with --type to get another"))
    write = values.with_patches(now, patch, computed_fields.after_config)
    made, path = values.parsed(write), places.config(own.topic)
    if twin := sibling_articles.same_topic(now, made):
        return own.blocked(f"{twin} is about {made.topic!r} already: give this one another topic, or remove the other")
    if own.topic.endswith(places.BESIDE):
        valid = "a name that ends in none of " + ", ".join(places.BESIDE)
        return own.blocked(f"output/{own.topic}.md would be a file of another article: begin it again under {valid}")
    if made.topic != own.topic:
        return own.blocked(f"{path} says that its topic is {made.topic!r}: write {own.topic!r}, then resume")
    return Move(own, (write,), "done")


def enter_outline(now: Now) -> Move:
    own = own_of(now.state)
    if missing := values.not_ready(now):
        return own.blocked(*map(str, missing))
    path = places.outline(own.topic)
    if path in own.by_hand:
        return Move(own, (), "done")  # an outline that a person wrote is used as it is
    task = "Plan the article: its sections, what each is for, and which material goes where."
    reads = (places.sources(own.topic), path, *values.page_paths(own))
    return Move(own, (turn(now, "outline-writer", "outline", task, _notes(now), reads, (path,)),))


@on_end
def on_outline(now: Now, own: ArticleState) -> Move:
    path, output = places.outline(own.topic), now.output
    text = output.documents[path]
    write = values.with_patches(now, output.config, lambda config: computed_fields.outline_patch(config, text))
    return Move(own, (Write(path=path, text=text), write), "done")


def enter_draft(now: Now) -> Move:
    """Checks a draft that a person wrote, or asks an agent for a draft or for fixes in it."""
    own = own_of(now.state)
    if missing := values.not_ready(now):
        return own.blocked(*map(str, missing))
    own, path = replace(own, results={}), places.draft(own.topic)
    if path in own.by_hand and not own.required:
        return Move(own, (values.with_patches(now, {}, values.measured(now)), *checks(now)))
    findings = [
        {"rule": one.rule, "problem": one.problem, "repair": one.repair, "section": one.about} for one in own.required
    ]
    notes = {**_notes(now), "findings": findings, "revision": own.revisions}
    reads = (places.outline(own.topic), places.sources(own.topic), path, *values.page_paths(own))
    task = "Mend exactly what is named." if own.required else "Write the article by its outline, from its materials."
    return Move(own, (turn(now, "outline-writer", "draft", task, notes, reads, (path,)),))


def on_draft(now: Now) -> Move:
    return on_checked(now) if isinstance(now.event, Checked) else _drafted(now)


@on_end
def _drafted(now: Now, own: ArticleState) -> Move:
    output, path = now.output, places.draft(own.topic)
    own = replace(own, required=(), results={}, by_hand=own.by_hand - {path})
    text = output.documents[path]
    done = {"workflowState": {"writing": {"status": "completed", "completedAt": now.event.at}}}
    write = values.with_patches(now, output.config, values.measured(now, text), done)
    return Move(own, (Write(path=path, text=text), write, *checks(now)))


def _notes(now: Now) -> dict[str, Any]:
    """What a writer is told in addition to the documents."""
    own, settings = own_of(now.state), config_of(now.state, now.look)
    return {
        **values.notes(now),
        **values.thesis_notes(now),
        "ids": values.plain(values.items_of(now)),
        "budget": values.budget(now),
        "avoid": sibling_articles.avoid(now, settings.blocked),
        "articles": sibling_articles.plain(now),
        "path": {"outline": places.outline(own.topic), "draft": places.draft(own.topic)},
    }
