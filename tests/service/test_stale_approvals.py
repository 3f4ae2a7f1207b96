"""What a person is told, and refused, if they edit what an approval rests on while it waits."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_project import CN, CONFIG, PERSON, Case, files, journal, lay_out, put, text

from signoff.core.errors import RefusedError
from signoff.core.events import Answered, Event
from signoff.service import runs
from signoff.service.status_overview import statuses
from signoff.shell.run.live_run import LiveRun

FINAL_GATE = "human_gates: {final_approval: true}\n"


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both drafts wait for a person."""
    root = lay_out(tmp_path_factory.mktemp("waiting") / "page", config=FINAL_GATE)
    Case(root).run()
    return root


@pytest.fixture
def asked(waiting: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(waiting, tmp_path / "page")))


async def _events(live: LiveRun) -> list[Event]:
    return list(live.events)


SOURCE, PAGE = "0-sources/brief.md", "_workflow/approval-request.md"


@pytest.mark.req("EV-8")
@pytest.mark.parametrize("path", [SOURCE, "0-sources/added.md", "1-planning/content-brief.md"])
def test_an_approval_that_rests_on_an_edited_file_says_so_and_is_refused_until_the_change_is_accepted(
    asked: Case, path: str
) -> None:
    put(asked.root, path, ((asked.root / path).read_text("utf-8") if (asked.root / path).exists() else "") + "More.\n")
    [seen] = statuses(asked.root, depth=0)
    assert seen["requests"][0]["changed"] == [path], "before any step"
    asked.refresh()
    [seen] = statuses(asked.root, depth=0)
    assert seen["requests"][0]["changed"] == [path], "and after it was taken in"
    assert f"## Changed since this request was written\n\n- `{path}`\n" in text(asked.root, PAGE)
    before = journal(asked.root)
    with pytest.raises(RefusedError, match=f"{path} changed after the request was written.*approve with --accept"):
        asked.answer("final", "approve")
    assert journal(asked.root) == before
    assert asked.answer("final", "approve", accept_changes=True).own.final_approved == "true"
    answered = next(event for event in reversed(asked.go(_events)) if isinstance(event, Answered))
    assert answered.seen[path] == files(asked.root)[path], "what the person accepted is on record"


@pytest.mark.req("EV-8")
def test_an_edit_of_a_source_that_was_undone_changes_nothing_about_an_approval(asked: Case) -> None:
    good = text(asked.root, SOURCE)
    put(asked.root, SOURCE, good + "More.\n")
    asked.refresh()
    put(asked.root, SOURCE, good)
    asked.refresh()
    assert "Changed since" not in text(asked.root, PAGE)
    assert asked.answer("final", "approve").own.final_approved == "true"


@pytest.mark.req("EV-8")
def test_a_source_that_is_edited_after_the_person_looked_is_not_accepted_with_what_they_saw(asked: Case) -> None:
    put(asked.root, SOURCE, "One.\n")

    async def approved(live: LiveRun) -> None:
        await live.refresh()
        seen = runs.shown(live, live.state.requests["final-1"])
        assert SOURCE in seen
        put(asked.root, SOURCE, "Two.\n")
        await runs.answer(live, "final", "approve", PERSON, {"accept_changes": True}, seen)

    with pytest.raises(RefusedError, match=f"{SOURCE} changed after the request was written"):
        asked.go(approved)
    assert list(asked.state.requests) == ["final-1"]


class Late(dict[str, bool]):
    """A payload: while it is looked at, somebody saves a file."""

    def __init__(self, save: Callable[[], None]) -> None:
        super().__init__(accept_changes=True)
        self.save = save

    def get(self, *args: Any) -> Any:
        self.save()
        return super().get(*args)


@pytest.mark.req("EV-8")
def test_a_source_that_is_saved_while_an_approval_is_being_recorded_is_noticed(asked: Case) -> None:
    payload = Late(lambda: put(asked.root, SOURCE, "Saved meanwhile.\n"))
    with pytest.raises(RefusedError, match=f"{SOURCE} changed after the request was written"):
        asked.go(lambda live: runs.answer(live, "final", "approve", PERSON, payload))
    assert list(asked.state.requests) == ["final-1"]


def test_what_changed_in_a_source_is_shown_as_far_as_its_bytes_are_kept(asked: Case) -> None:
    before, planning = files(asked.root)[SOURCE], "1-planning/content-brief.md"
    put(asked.root, SOURCE, "Other.\n")
    put(asked.root, planning, text(asked.root, planning) + "\nSold in blue.\n")
    asked.refresh()

    async def shown(live: LiveRun) -> str:
        return runs.changes(live, live.state.requests["final-1"])

    diff = asked.go(shown)
    assert f"--- {SOURCE} (as asked)\n+++ {SOURCE} (now)\n@@ sha256 {before}, now " in diff
    assert "+Sold in blue.\n" in diff


def test_the_config_is_no_evidence_and_may_change_while_an_approval_waits(asked: Case) -> None:
    put(asked.root, CONFIG, FINAL_GATE + "link_check_mode: format\n")
    assert asked.answer("final", "approve").own.final_approved == "true"


@pytest.mark.req("EV-8")
def test_a_rejection_needs_no_yes_to_what_changed_and_the_next_request_begins_afresh(asked: Case) -> None:
    put(asked.root, SOURCE, text(asked.root, SOURCE) + "More.\n")
    (asked.root / CN).unlink()
    asked.answer("final", "reject", lang="cn", reason="where is it?")
    state = asked.drive()
    assert list(state.requests) == ["final-2"]
    [seen] = statuses(asked.root, depth=0)
    assert "changed" not in seen["requests"][0]
    assert asked.answer("final", "approve").own.final_approved == "true"
