"""Looking outside: a gather is numbered, open until what it asked for comes, and its pages are documents then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from kernel_kit import LATER, PAGE, SPEC, Kit, refusal, sha, writer

from signoff.core.commands import Ask, Finish, Gather, Place, Write
from signoff.core.errors import DefinitionError
from signoff.core.events import Gathered, Hit, Page
from signoff.core.state import State, outstanding

URL, OTHER = "https://a.example/x", "0-sources/en/quench.md"
INTO = "knowledge/steel-pages/"
PATH = f"{INTO}x.md"
SEARCH = Gather(key="search", queries=("quench oil", "淬火"), params={"from": "folder"})
FETCH = Gather(key="fetch", urls=(URL,), into=INTO)
HIT = Hit(url=OTHER, title="Quench", snippet="…oil…")
FOUND = {"quench oil": (HIT,), "淬火": ()}


def gathered(gather: str, **found: Any) -> Gathered:
    return Gathered(id="e", at=LATER, by="code", gather=gather, **found)


def page(text: str = "text", path: str = PATH) -> Page:
    return Page(path=path, sha256=sha(text), title="X")


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.begin(SEARCH, FETCH)
    return kit


# --- going out --------------------------------------------------------------------------------------------------------


def test_gathers_are_numbered_over_the_whole_run_and_stay_open(kit: Kit) -> None:
    search, fetch = replace(SEARCH, gather="search-1"), replace(FETCH, gather="fetch-2")
    assert kit.state.gathers == {"search-1": search, "fetch-2": fetch}
    assert kit.state.gathered == 2
    assert outstanding(kit.state) == (search, fetch)


def test_a_gather_takes_the_place_of_an_open_one_under_the_same_key(kit: Kit) -> None:
    kit.play(kit.edited(page="x"), replace(SEARCH, queries=("oil",)))
    assert list(kit.state.gathers) == ["fetch-2", "search-3"]
    assert refusal(kit.play(gathered("search-1", hits=FOUND))) == (
        "gather.closed", "gather search-1 is not open", "nothing to do",
    )  # fmt: skip


def test_the_end_of_a_run_clears_its_gathers_and_a_pause_for_money_keeps_them(kit: Kit) -> None:
    before = kit.state
    kit.play(kit.edited(page="x"), Finish(reason="budget"))
    assert kit.state.gathers == before.gathers
    kit.play(kit.edited(page="y"), Finish(reason="complete"))
    assert (kit.state.gathers, kit.state.gathered) == ({}, 2)


@pytest.mark.parametrize("into", ["", "knowledge", "/etc/", "../up/", "a//b/", "a/[x]/", "a\\b/"])
def test_pages_need_a_folder_of_the_project(into: str) -> None:
    with pytest.raises(DefinitionError, match="puts pages into"):
        Kit().begin(replace(FETCH, into=into))


def test_what_is_wanted_is_wanted_once_and_as_a_journal_can_carry_it() -> None:
    kit = Kit()
    kit.begin(replace(SEARCH, queries=("oil", "a\ud800b", "oil")), replace(FETCH, urls=(URL, f"{URL}\udfff", URL)))
    search, fetch = kit.state.gathers.values()
    assert (search.queries, fetch.urls) == (("oil", "a?b"), (URL, f"{URL}?"))


def test_a_search_alone_needs_no_folder() -> None:
    assert Kit().begin(SEARCH).applied


# --- coming back ------------------------------------------------------------------------------------------------------


def test_hits_and_problems_reach_the_step_with_their_gather(kit: Kit) -> None:
    gather = kit.state.gathers["search-1"]
    event = gathered("search-1", hits={"quench oil": (HIT,)}, problems={"淬火": "the provider is busy"})
    assert kit.play(event, own="found").applied
    assert (kit.step.gather, kit.step.event) == (gather, event)
    assert list(kit.state.gathers) == ["fetch-2"]
    assert (kit.state.rev, kit.state.at, kit.state.own) == (2, LATER, "found")


def test_a_page_is_a_document_for_the_step_and_is_put_in_its_place_first(kit: Kit) -> None:
    write = Write(path="notes.md", text="n")
    decision = kit.play(gathered("fetch-2", pages={URL: page()}), write, writer(reads=(PATH,)))
    assert kit.step.state.docs == {SPEC: sha("spec"), PATH: sha("text")}
    place, written, start = decision.commands
    assert (place, written) == (Place(path=PATH, sha256=sha("text")), write)
    assert [(ref.path, ref.sha256) for ref in start.pinned] == [(PATH, sha("text"))]  # type: ignore[union-attr]
    assert kit.state.docs[PATH] == sha("text")


def test_a_page_that_is_there_already_is_not_placed_again_and_another_is_expected_over_it(kit: Kit) -> None:
    kit.play(gathered("fetch-2", pages={URL: page("old")}), FETCH)
    again = kit.play(gathered("fetch-3", pages={URL: page("old")}), FETCH)
    assert [command for command in again.commands if isinstance(command, Place)] == []
    new = kit.play(gathered("fetch-4", pages={URL: page("new")}))
    assert new.commands == (Place(path=PATH, sha256=sha("new"), expect=sha("old")),)


def test_a_url_that_gave_nothing_is_told_and_no_document(kit: Kit) -> None:
    decision = kit.play(gathered("fetch-2", pages={URL: Page(problem="404")}))
    assert decision.applied
    assert (decision.commands, kit.state.docs) == ((), {SPEC: sha("spec")})


def test_a_gather_is_not_stale_when_a_document_changes(kit: Kit) -> None:
    kit.play(kit.edited(page="edited"))
    assert kit.play(gathered("fetch-2", pages={URL: page()})).applied
    assert kit.state.docs == {SPEC: sha("spec"), PAGE: sha("edited"), PATH: sha("text")}


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        (gathered("search-9", hits=FOUND), "gather.closed"),
        (gathered("search-1"), "gather.other"),
        (gathered("search-1", hits={"quench oil": ()}), "gather.other"),
        (gathered("search-1", hits={**FOUND, "more": ()}), "gather.other"),
        (gathered("search-1", hits=FOUND, problems={"淬火": "both"}), "gather.other"),
        (gathered("search-1", hits=FOUND, pages={URL: page()}), "gather.other"),
        (gathered("fetch-2"), "gather.other"),
        (gathered("fetch-2", pages={"https://b.example": page()}), "gather.other"),
        (gathered("fetch-2", pages={URL: page(path="knowledge/other.md")}), "gather.outside"),
        (gathered("fetch-2", pages={URL: page(path=f"{INTO}../config.md")}), "gather.outside"),
        (gathered("fetch-2", pages={URL: page(path=INTO)}), "gather.outside"),
        (gathered("fetch-2", pages={URL: page(path="")}), "gather.outside"),
    ],
)
def test_what_was_not_asked_for_is_refused_and_changes_nothing(kit: Kit, event: Gathered, rule: str) -> None:
    before = kit.state
    decision = kit.play(event)
    assert refusal(decision)[0] == rule
    assert decision.state is before
    assert not kit.seen


def test_a_gather_of_a_stopped_run_is_refused(kit: Kit) -> None:
    kit.play(kit.edited(page="x"), Finish(reason="complete"))
    assert refusal(kit.play(gathered("search-1", hits=FOUND)))[0] == "gather.closed"


def test_requests_and_gathers_are_outstanding_together() -> None:
    ask = Ask(key="k", kind="k", options=(), question="", request="k-1")
    gather = replace(SEARCH, gather="search-1")
    assert outstanding(State(gathers={"search-1": gather}, requests={"k-1": ask})) == (gather, ask)
