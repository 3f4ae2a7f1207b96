"""The config of an article, its outline and its draft: what the agents are asked for and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.commands import Command, Write
from signoff.core.events import Checked
from signoff.core.findings import Finding, failing
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import document, following, places, siblings
from signoff.workflows.article.article import ArticleState, noted, own_of
from signoff.workflows.article.checking import checks, gate_findings, noted_findings
from signoff.workflows.article.config import config_of
from signoff.workflows.article.outputs import WriterOutput
from signoff.workflows.article.schema import ArticleConfig
from signoff.workflows.article.turns import blocked, is_end_of_turn, said, turn

DEFAULTS = {"type": "informational", "length": "standard", "language": "en", "audience": "b2b"}
"""What an article is of which the person said nothing else."""

# --- the config -------------------------------------------------------------------------------------------------------


def enter_config(now: Now) -> Move:
    """A config that a person wrote is taken as it is; else an agent makes one of what the person said."""
    own = own_of(now.state)
    if now.state.ref(places.config(own.topic)):
        return _made(now, own, {})
    given = {name: value for name, value in now.state.params.items() if name != "slug"}
    notes = {"topic": own.topic, **DEFAULTS, **given, "articles": siblings.plain(now)}
    task = "Say who writes this article for whom, in which voice and with which bias, of what the person told."
    return Move(own, (turn(now, "config-creator", "config", task, notes, reads=(places.BRIEF,)),))


def on_config(now: Now) -> Move:
    if not is_end_of_turn(now):
        return Move(own_of(now.state))
    return blocked(now) or _made(now, said(now, own_of(now.state)), now.output.config)


def _made(now: Now, own: ArticleState, patch: Mapping[str, Any]) -> Move:
    if "type" not in now.state.params and patch:
        problem = f"nobody said of what type it is: it becomes {DEFAULTS['type']}, and has no thesis to choose"
        own = own.warned(noted("article.type", problem, "begin with --type for another"))
    write = document.with_patches(now, patch, following.after_config)
    made = document.parsed(write)
    if twin := siblings.same_topic(now, made):
        problem = f"{twin} is about {made.topic!r} already: give this one another topic, or remove the other"
        return Move(replace(own, blockers=(problem,)), (), "blocked")
    if problem := _misnamed(own, made):
        return Move(replace(own, blockers=(problem,)), (), "blocked")
    return Move(own, (write,), "done")


def _misnamed(own: ArticleState, made: ArticleConfig) -> str:
    """Why an article may not have this name: its files would be taken for those of another one."""
    if own.topic.endswith(places.BESIDE):
        valid = "a name that ends in none of " + ", ".join(places.BESIDE)
        return f"output/{own.topic}.md would be a file of another article: begin it anew under {valid}"
    path = places.config(own.topic)
    twin = made.topic != own.topic and f"{path} says that its topic is {made.topic!r}: write {own.topic!r}, then resume"
    return twin or ""


# --- the outline ------------------------------------------------------------------------------------------------------


def enter_outline(now: Now) -> Move:
    own = own_of(now.state)
    if missing := document.not_ready(now):
        return Move(replace(own, blockers=tuple(map(str, missing))), (), "blocked")
    if places.outline(own.topic) in own.by_hand:
        return Move(own, (), "done")  # a person's own outline is followed, not written over
    task = "Plan the article: its sections, what each is for, and which material goes where."
    path = places.outline(own.topic)
    reads = (places.sources(own.topic), path, *document.page_paths(own))
    return Move(own, (turn(now, "outline-writer", "outline", task, _notes(now), reads, (path,)),))


def on_outline(now: Now) -> Move:
    if not is_end_of_turn(now):
        return Move(own_of(now.state))
    if stop := blocked(now):
        return stop
    own, output = said(now, own_of(now.state)), now.output
    assert isinstance(output, WriterOutput)  # narrows the type: the contract read it
    text = output.documents[places.outline(own.topic)]
    write = document.with_patches(now, output.config, lambda config: following.after_outline(config, text))
    return Move(own, (Write(path=places.outline(own.topic), text=text), write), "done")


# --- the draft --------------------------------------------------------------------------------------------------------


def enter_draft(now: Now) -> Move:
    """A draft that a person wrote is checked and proofread, not written over, until something has to be mended."""
    own = own_of(now.state)
    if missing := document.not_ready(now):
        return Move(replace(own, blockers=tuple(map(str, missing))), (), "blocked")
    own = replace(own, results={})
    if places.draft(own.topic) in own.by_hand and not own.required:
        return Move(own, (document.with_patches(now, {}, document.measured(now)), *checks(now)))
    path = places.draft(own.topic)
    notes = {**_notes(now), "findings": [_plain(one) for one in own.required], "revision": own.revisions}
    reads = (places.outline(own.topic), places.sources(own.topic), path, *document.page_paths(own))
    task = "Mend exactly what is named." if own.required else "Write the article by its outline, from its materials."
    return Move(own, (turn(now, "outline-writer", "draft", task, notes, reads, (path,)),))


def on_draft(now: Now) -> Move:
    own = own_of(now.state)
    if isinstance(now.event, Checked):
        return _judged(now, noted_findings(now, own))
    if not is_end_of_turn(now):
        return Move(own)
    if stop := blocked(now):
        return stop
    output, path = now.output, places.draft(own.topic)
    assert isinstance(output, WriterOutput)  # narrows the type: the contract read it
    own = replace(said(now, own), required=(), results={}, by_hand=own.by_hand - {path})
    text = output.documents[path]
    done = {"workflowState": {"writing": {"status": "completed", "completedAt": now.event.at}}}
    write = document.with_patches(now, output.config, document.measured(now, text), done)
    commands: tuple[Command, ...] = (Write(path=path, text=text), write)
    return Move(own, (*commands, *checks(now)))


def _judged(now: Now, own: ArticleState) -> Move:
    if now.state.checks:
        return Move(own)
    found = failing(gate_findings(own))
    return Move(replace(own, required=found), (), "revise" if found else "done")


def _notes(now: Now) -> dict[str, Any]:
    """What a writer is told beside the documents."""
    own, settings = own_of(now.state), config_of(now.state, now.look)
    return {
        **document.notes(now),
        **document.thesis_notes(now),
        "ids": document.plain(document.items_of(now)),
        "budget": document.budget(now),
        "avoid": siblings.avoid(now, settings.blocked),
        "articles": siblings.plain(now),
        "path": {"outline": places.outline(own.topic), "draft": places.draft(own.topic)},
    }


def _plain(finding: Finding) -> dict[str, Any]:
    return {"rule": finding.rule, "problem": finding.problem, "repair": finding.repair, "section": finding.about}
