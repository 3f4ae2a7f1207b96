"""Agents that misbehave on the way: what is refused, what a check sends back, what is left out and told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from article_project import ArticleProject, own

from signoff.workflows.article.faults import KINDS
from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA

REFUSED = {
    "config-creator:foreign-field@1": "writingAngle.thesis",
    "config-creator:unknown-field@1": "shoeSize",
    "config-creator:wrong-depth@1": "极简",
    "config-creator:other-type@1": "the person said 'opinion'",
    "config-creator:silent@1": "blockers",
    "web-researcher:strange-round@1": "nobody asked for the round",
    "web-researcher:strange-address@1": "https://never-named.example/page",
    "web-researcher:unread-competitor@2": "https://never-read.example/",
    "web-researcher:few-theses@2": "recommended theses",
    "web-researcher:skips-thesis@2": "skipThesis",
    "web-researcher:foreign-field@2": "writingAngle.thesis",
    "web-researcher:computed-field@2": "workflowState.research.summary",
    "web-researcher:all-invented@4": "does not stand in",
    "web-researcher:invented-page@4": "never-written.md",
    "web-researcher:invented-id@9": "CASE-997",
    "web-researcher:other-thesis@9": "originalThesis",
    "web-researcher:false-witness@9": "nobody ever said this anywhere",
    "web-researcher:silent@1": "blockers",
    "outline-writer:too-few-sections@1": "sections",
    "outline-writer:no-own-section@1": "sections of its own",
    "outline-writer:strange-material@1": "CASE-997",
    "outline-writer:foreign-field@1": "writingAngle.thesis",
    "outline-writer:silent@1": "blockers",
    "outline-writer:elsewhere@2": "output/published.md",
    "outline-writer:miscounted@2": "workflowState.writing.execution",
    "proofreader:other-lens@1": "this is the lens",
    "proofreader:named-twice@1": "SEEDED-1",
    "proofreader:nowhere@1": "H2-99",
    "proofreader:silent@1": "blockers",
}
"""What is refused at once, and a word of the brief that asks for it again."""
REVISED = {
    "outline-writer:too-long@2": "article.length",
    "outline-writer:too-short@2": "article.length",
    "outline-writer:lost-section@2": "article.structure",
    "outline-writer:silent-thesis@2": "article.thesis",
    "outline-writer:bare-number@2": "article.statistics",
    "outline-writer:link-at-the-end@2": "article.links.conclusion",
    "outline-writer:strange-marker@2": "article.material",
    "outline-writer:used-nowhere@2": "article.usage",
    "outline-writer:false-bias@2": "article.bias",
    "outline-writer:no-phrases@2": "article.phrases",
    "outline-writer:left-over@2": "article.pattern.leftover",
}
"""What a check finds, by its rule, and the writer mends."""
TOLD = {
    "web-researcher:invented-quote@4": "materials.quote",
    "web-researcher:other-value@5": "materials.value",
    "proofreader:fix-of-nothing@1": "fix.before",
    "proofreader:harmful-fix@1": "fix.breaks",
}
"""What is left out, and a person is told by which rule."""
QUIET = {"outline-writer:wordy@2": "filler", "proofreader:left-p0@1": "sent back", "web-researcher:softened@9": "asked"}
"""What has a test of its own."""


def together(*tables: Sequence[str]) -> list[str]:
    """Plans that try several faults in one run: at most one of each agent, for each is an attempt of its own."""
    plans: list[list[str]] = []
    for fault in (fault for table in tables for fault in table):
        free = [plan for plan in plans if all(fault.split(":")[0] != other.split(":")[0] for other in plan)]
        free[0].append(fault) if free else plans.append([fault])
    return [", ".join(plan) for plan in plans]


def finished(folder: Path, plan: str) -> ArticleProject:
    """From the beginning to the end, with the first thesis and these faults."""
    project = ArticleProject.laid_out(folder)
    project.begin()
    project.to_the_end(plan)
    return project


@pytest.mark.parametrize("plan", together(list(REFUSED), list(REVISED), list(TOLD)))
def test_an_agent_that_misbehaves_is_refused_mended_or_told_of_and_the_article_is_finished(
    tmp_path: Path, plan: str
) -> None:
    project = finished(tmp_path, plan)
    assert own(project.state).step == "complete"
    warned = {one.rule for one in own(project.state).warnings}
    for fault in plan.split(", "):
        agent = fault.split(":")[0]
        assert fault not in REFUSED or any(REFUSED[fault] in brief for brief in project.asked_again(agent))
        assert fault not in REVISED or f'"{REVISED[fault]}"' in project.journal
        assert fault not in TOLD or TOLD[fault] in warned


def test_a_phrase_that_only_wastes_time_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    project = finished(tmp_path, "outline-writer:wordy@2, proofreader:left-p0@1")
    assert own(project.state).step == "complete"
    assert "article.pattern.filler" in project.journal


def test_evidence_that_does_not_carry_the_thesis_is_put_to_the_person(tmp_path: Path) -> None:
    project = finished(tmp_path, "web-researcher:softened@9")
    assert own(project.state).step == "adjustment"


def test_every_fault_is_accounted_for() -> None:
    tried = {tuple(fault.split("@")[0].split(":")) for table in (REFUSED, REVISED, TOLD, QUIET) for fault in table}
    usual = {(agent, kind) for agent in KINDS for kind in (CRASH, MALFORMED, OFF_SCHEMA)}
    assert tried | usual == {(agent, kind) for agent, kinds in KINDS.items() for kind in kinds}


@pytest.mark.parametrize("kind", [CRASH, MALFORMED, OFF_SCHEMA])
def test_an_agent_that_stumbles_once_is_asked_again(tmp_path: Path, kind: str) -> None:
    plan = ", ".join(f"{agent}:{kind}@{turn}" for agent, turn in zip(KINDS, (1, 2, 2, 3), strict=True))
    assert own(finished(tmp_path, plan).state).step == "complete"
