"""Turns and checks of an article: how they are issued, and how their results are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signoff.core.commands import Check, StartTurn
from signoff.core.declarations import Now
from signoff.core.events import Checked
from signoff.core.findings import failing
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.article import places
from signoff.workflows.article.checks import CHECKS, PAGE
from signoff.workflows.article.config import config_of
from signoff.workflows.article.documents import sibling_articles
from signoff.workflows.article.state import ArticleState, own_of
from signoff.workflows.kit.table_steps import is_end_of_turn, noted


def turn(
    now: Now,
    agent: str,
    contract: str,
    task: str,
    notes: Mapping[str, Any],
    reads: Sequence[str] = (),
    writes: tuple[str, ...] = (),
    key: str = "",
) -> StartTurn:
    """A turn that reads the config and, of the other documents, those that exist."""
    own = own_of(now.state)
    named = dict.fromkeys((places.config(own.topic), *reads))
    there = tuple(path for path in named if path in now.state.docs)
    return StartTurn(
        key=key or own.step, agent=agent, contract=contract, task=task, reads=there, writes=writes, notes=notes
    )


def on_end(work: Callable[[Now, ArticleState], Move]) -> Callable[[Now], Move]:
    """Takes the end of a turn. The person is asked if the output was refused or says that the agent is blocked."""

    def on(now: Now) -> Move:
        own = own_of(now.state)
        if not is_end_of_turn(now):
            return Move(own)
        agent = now.turn.start.agent if now.turn else "an agent"
        if now.refused or now.output.status == "blocked":
            why = now.refused or now.output.blockers
            return own.blocked(*(f"{agent}: {one}" for one in why))
        notes = (noted("agent.note", f"{agent} notes: {note}", "nothing to do") for note in now.output.notes)
        return work(now, own.warned(*notes))

    return on


def checks(now: Now) -> tuple[Check, ...]:
    """Every check, on the documents as they are now."""
    topic, settings = own_of(now.state).topic, config_of(now.state, now.look)
    reads = {
        "config": places.config(topic),
        "outline": places.outline(topic),
        "draft": places.draft(topic),
        "sources": places.sources(topic),
        **{f"{PAGE}{url}": page.path for url, page in own_of(now.state).pages.items()},
    }
    params = {"characters": settings.characters, "avoid": sibling_articles.avoid(now, settings.blocked)}
    return tuple(Check(key=name, gate=name, reads=reads, params=params) for name in CHECKS)


def on_checked(now: Now) -> Move:
    """Takes the findings of one check; after the last one the draft is sent back or passes."""
    assert isinstance(now.event, Checked) and now.check is not None  # noqa: PT018 - narrows: only a check has findings
    own = own_of(now.state)
    own = replace(own, results={**own.results, now.check.key: now.event.findings})
    if now.state.checks:
        return Move(own)
    found = failing(tuple(finding for name in CHECKS for finding in own.results.get(name, ())))
    required = (*own.required, *found)
    return Move(replace(own, required=required), (), "revise" if required else "done")
