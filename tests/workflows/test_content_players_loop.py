"""Whole loops of the offline players: drafts have real faults, revisions mend them, and scores move for that reason."""

from __future__ import annotations

from itertools import pairwise

import pytest
from content_docs import CRITICS, DOCS, IDEAS, Table, average, brief_of

from signoff.workflows.content.rules import RULES
from signoff.workflows.content.rules.piece import Piece

KINDS = list(CRITICS)
REVISIONS = 3


def rounds(kind: str, **more: object) -> list[tuple[str, float, list[dict[str, str]]]]:
    """The draft, the average and the brief of each round."""
    table = Table(kind)
    table.write()
    made = []
    for _ in range(REVISIONS + 1):
        critiques = table.critiques(**more)
        brief = brief_of(critiques)
        made.append((table.draft, average(critiques), brief))
        if not brief:
            break
        table.revise(brief)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_draft_has_a_high_issue_and_the_loop_ends_without_one(kind: str) -> None:
    made = rounds(kind)
    assert any(item["severity"] == "high" for item in made[0][2])
    assert not any(item["severity"] == "high" for item in made[-1][2])


@pytest.mark.parametrize("kind", KINDS)
def test_open_issues_shrink_and_the_average_rises_from_round_to_round(kind: str) -> None:
    made = rounds(kind)
    assert 2 <= len(made) <= REVISIONS + 1
    for (_, before, brief), (_, after, next_brief) in pairwise(made):
        assert len(next_brief) < len(brief)
        assert after > before
    assert made[-1][1] >= 8


@pytest.mark.parametrize("kind", KINDS)
def test_a_critic_that_knows_the_idea_finds_no_figure_from_nowhere(kind: str) -> None:
    for draft, _, brief in rounds(kind, idea=IDEAS[kind]):
        assert draft.strip()
        assert not [item for item in brief if item["description"].startswith("Figures from nowhere")]


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_issue_was_about_is_gone_when_the_author_says_so(kind: str) -> None:
    table = Table(kind)
    table.write()
    critiques = table.critiques()
    brief = brief_of(critiques)
    done = {item["issue"] for item in table.revise(brief)["addressed"]}
    still = {(item["advisor"], item["description"]) for item in brief_of(table.critiques())}
    assert len(done) >= len(brief) / 2
    assert not [item for item in brief if item["id"] in done and (item["advisor"], item["description"]) in still]


@pytest.mark.parametrize("kind", KINDS)
def test_rules_that_were_clean_before_a_revision_are_clean_after_it(kind: str) -> None:
    made = rounds(kind)
    for (before, _, _), (after, _, _) in pairwise(made):
        old, new = Piece(before, kind, DOCS), Piece(after, kind, DOCS)
        assert not [name for name, rule in RULES.items() if not rule(old) and rule(new)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_revision_without_a_brief_changes_nothing(kind: str) -> None:
    table = Table(kind)
    table.write()
    before = table.draft
    assert table.revise([]) == {"content": before, "addressed": []}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_turns_give_the_same_bytes(kind: str) -> None:
    assert rounds(kind) == rounds(kind)


def test_two_issues_of_one_critic_do_not_read_alike() -> None:
    """The workflow follows an issue by its text: templates without their quotations differ from rule to rule."""
    table = Table("website")
    table.write()
    for critique in table.critiques().values():
        said = [issue["description"] for issue in critique["issues"]]
        assert len(set(said)) == len(said)
        for number, one in enumerate(said):
            for other in said[number + 1 :]:
                assert alike(one, other) < 0.6, (one, other)


def alike(one: str, other: str) -> float:
    left, right = set(one.lower().split()), set(other.lower().split())
    return len(left & right) / len(left | right)


def test_an_unresolved_issue_reads_the_same_in_the_next_round() -> None:
    table = Table("website", draft="# Kilns\n\n![](kiln.png)\n\nMembers book a shelf.\n")
    first = table.critique("accessibility-reviewer", [])
    table.draft += "\nThey pay by shelf.\n"
    assert table.critique("accessibility-reviewer", [])["issues"] == first["issues"] != []
