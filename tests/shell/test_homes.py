"""What a person keeps at home: runs work on copies of it, lend what they found out, and never write over anything."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import pytest

import signoff.workflows
from signoff.artifacts.text_decoding import MAX_BYTES
from signoff.core.errors import DefinitionError, DocumentError
from signoff.core.refs import digest
from signoff.core.state import State
from signoff.core.workflow import Workflow
from signoff.service import catalog, run_control, runs
from signoff.service.project import Project
from signoff.service.recordings import forks, replays
from signoff.shell.clock import from_revision
from signoff.shell.run.live_run import LiveRun, Watcher

TOYS = Path(__file__).parent / "home_workflows"
RUN = "tea"
COPY = f"_workflow/keepsake/{RUN}/home/"
FOUND = '{"of": "Find out about tea.", "found": "out"}\n'
T = TypeVar("T")


@pytest.fixture(autouse=True)
def _with_the_toy() -> Iterator[None]:
    signoff.workflows.__path__.append(str(TOYS))
    yield
    signoff.workflows.__path__.remove(str(TOYS))


@dataclass
class Desk:
    """A project and a home beside it."""

    root: Path
    home: Path
    told: list[str] = field(default_factory=list)

    @property
    def shelf(self) -> Path:
        return self.home / ".keepsake"

    def keep(self, name: str, text: str) -> Path:
        self.shelf.mkdir(exist_ok=True)
        file = self.shelf / name
        file.write_text(text)
        return file

    def project(self, root: Path | None = None) -> Project:
        found = Project(root or self.root, watcher=Watcher(notice=self.told.append))
        found.clock = from_revision
        return found

    def run(self, workflow: Workflow | None = None, run: str = RUN) -> State:
        """Begins the run, or goes on with it, as far as it goes."""
        chosen = workflow or catalog.workflow("keepsake")

        async def going() -> State:
            live = await run_control.begin_or_go_on(self.project(), chosen, run, {})
            return await runs.drive(live, run_control.runtime("offline", chosen))

        return asyncio.run(going())

    def go(self, doing: Callable[[LiveRun], Coroutine[object, object, T]], root: Path | None = None) -> T:
        async def gone() -> T:
            return await doing(await self.project(root).open(RUN))

        return asyncio.run(gone())

    def refresh(self) -> State:
        async def looking(live: LiveRun) -> State:
            await live.refresh()
            return live.state

        return self.go(looking)

    def copy(self, name: str) -> Path:
        return self.root / COPY / name

    def at_home(self) -> dict[str, str]:
        return tree(self.home)


LOCAL = (".lock", ".stamps.json")  # what belongs to this machine: a lock, and the times of files


def tree(root: Path) -> dict[str, str]:
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): digest(path.read_bytes()) for path in files if path.name not in LOCAL}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    for name in ("home", "project/_workflow"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Desk(tmp_path / "project", tmp_path / "home")


# --- borrowing --------------------------------------------------------------------------------------------------------


def test_a_run_begins_with_copies_of_what_is_at_home(desk: Desk) -> None:
    desk.keep("tea.json", '{"leaf": "green"}')
    desk.keep("notes.txt", "not borrowed")
    desk.keep(".hidden.json", "{}")
    state = desk.run()
    assert state.stop == "known", "what is at home was not found out again"
    assert desk.copy("tea.json").read_text() == '{"leaf": "green"}'
    assert state.docs == {f"{COPY}tea.json": digest('{"leaf": "green"}')}
    assert desk.told == []


def test_a_file_that_has_not_changed_is_not_copied_again(desk: Desk) -> None:
    desk.keep("other.json", "{}")
    state = desk.run()
    before = desk.copy("other.json").stat()
    assert desk.refresh() == state, "nothing happened"
    assert desk.copy("other.json").stat() == before


def test_an_edit_at_home_is_taken_in_like_one_in_the_project(desk: Desk) -> None:
    desk.keep("other.json", "{}")
    assert desk.run().own == 0
    desk.keep("other.json", '{"now": 1}')
    desk.keep("another.json", "[]")
    state = desk.refresh()
    assert state.own == 1
    assert desk.copy("other.json").read_text() == '{"now": 1}'
    assert state.docs[f"{COPY}other.json"] == digest('{"now": 1}')
    assert state.docs[f"{COPY}another.json"] == digest("[]")
    assert desk.told == []


def test_what_is_gone_at_home_keeps_its_copy(desk: Desk) -> None:
    desk.keep("other.json", "{}")
    state = desk.run()
    shutil.rmtree(desk.shelf)
    assert desk.refresh() == state
    assert desk.copy("other.json").read_text() == "{}"


def test_a_copy_that_was_edited_is_put_back_kept_and_told_where_to_edit_it(desk: Desk) -> None:
    desk.keep("other.json", "{}")
    state = desk.run()
    desk.copy("other.json").write_text('{"mine": true}')
    assert desk.refresh() == state
    assert desk.copy("other.json").read_text() == "{}"
    [kept] = (desk.root / f"_workflow/keepsake/{RUN}/edited").iterdir()
    assert kept.read_text() == '{"mine": true}'
    [said] = desk.told
    assert f"{COPY}other.json was edited by hand" in said
    assert "a copy of ~/.keepsake/other.json" in said
    assert kept.name in said


def test_a_copy_that_was_removed_is_made_again(desk: Desk) -> None:
    desk.keep("other.json", "{}")
    state = desk.run()
    desk.copy("other.json").unlink()
    assert desk.refresh() == state
    assert desk.copy("other.json").read_text() == "{}"
    assert desk.told == []


def test_a_copy_without_a_file_at_home_is_the_persons_to_edit(desk: Desk) -> None:
    desk.keep("other.json", "{}")
    desk.run()
    shutil.rmtree(desk.shelf)
    desk.copy("other.json").write_text("[1]")
    assert desk.refresh().docs[f"{COPY}other.json"] == digest("[1]")


def test_a_link_within_the_home_is_followed(desk: Desk) -> None:
    (desk.home / "dotfiles").mkdir()
    (desk.home / "dotfiles/tea.json").write_text("{}")
    desk.shelf.mkdir()
    (desk.shelf / "tea.json").symlink_to(desk.home / "dotfiles/tea.json")
    assert desk.run().stop == "known"
    assert not desk.copy("tea.json").is_symlink()


def test_what_cannot_be_taken_is_told_once_and_stops_nothing(desk: Desk) -> None:
    (desk.root.parent / "outside.json").write_text("{}")
    desk.keep("large.json", " " * (MAX_BYTES + 1))
    desk.keep("odd\nname.json", "{}")
    desk.keep("good.json", "{}")
    (desk.shelf / "link.json").symlink_to(desk.root.parent / "outside.json")
    (desk.shelf / "nowhere.json").symlink_to(desk.home / "nothing")
    (desk.shelf / "folder.json").mkdir()
    os.mkfifo(desk.shelf / "pipe.json")

    async def twice(live: LiveRun) -> State:
        await live.refresh()
        await live.refresh()
        return live.state

    desk.run()
    desk.told.clear()
    state = desk.go(twice)
    assert [path for path in state.docs if path.startswith(COPY)] == [f"{COPY}good.json"]
    left_out = {said.partition(" is left out: ")[0]: said.partition(" is left out: ")[2] for said in desk.told}
    assert len(desk.told) == len(left_out) == 6, "each once"
    assert "leads out of the project" not in "".join(desk.told), "it is the home that is left, and not the project"
    assert "leads out of the home" in left_out["~/.keepsake/link.json"]
    assert f"at most {MAX_BYTES:,}" in left_out["~/.keepsake/large.json"]
    assert "regular file" in left_out["~/.keepsake/folder.json"]
    assert "regular file" in left_out["~/.keepsake/pipe.json"]
    assert "No such file" in left_out["~/.keepsake/nowhere.json"]
    assert any("rename the file" in said for said in left_out.values())
    assert all(said.isprintable() for said in desk.told)


def test_a_folder_that_leads_out_of_the_home_is_told_and_left(desk: Desk) -> None:
    (desk.root.parent / "elsewhere").mkdir()
    desk.shelf.symlink_to(desk.root.parent / "elsewhere")
    assert desk.run().stop == "complete"
    assert [said.partition(" ")[0] for said in desk.told] == ["~/.keepsake", "~/.keepsake/tea.json"]
    assert tree(desk.root.parent / "elsewhere") == {}


@pytest.mark.parametrize("home", ["", "relative/home", "/nowhere/at/all"])
def test_without_a_home_there_is_nothing_to_borrow(desk: Desk, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.keep("tea.json", "{}")
    monkeypatch.setenv("HOME", home) if home != "/nowhere/at/all" else shutil.rmtree(desk.home)
    assert desk.run().stop == "complete"


def test_what_cannot_be_read_is_named_where_it_is_to_be_mended(desk: Desk) -> None:
    desk.keep("other.json", "{")
    with pytest.raises(DocumentError) as caught:
        desk.run()
    assert [finding.file for finding in caught.value.findings] == ["~/.keepsake/other.json"]
    desk.keep("other.json", "{}")
    assert desk.run().stop == "complete"


def test_a_copy_that_nobody_would_follow_is_a_mistake_in_the_workflow(desk: Desk) -> None:
    desk.keep("other.json", "{}")
    keepsake = catalog.workflow("keepsake")
    forgetful = replace(keepsake, documents=replace(keepsake.documents, tracked=lambda _: []))
    with pytest.raises(DefinitionError, match=rf"{COPY}other.json is borrowed and not tracked"):
        desk.run(forgetful)


# --- lending ----------------------------------------------------------------------------------------------------------


def test_what_a_run_found_out_is_at_home_for_the_next_project(desk: Desk, tmp_path: Path) -> None:
    assert desk.run().stop == "complete"
    assert desk.at_home() == {".keepsake/tea.json": digest(FOUND)}
    other = Desk(tmp_path / "next", desk.home)
    other.root.mkdir()
    assert other.run().stop == "known"
    assert desk.told == other.told == []


def test_a_run_does_not_borrow_back_what_it_lent(desk: Desk) -> None:
    state = desk.run()
    assert desk.refresh() == state, "nothing happened"
    assert not desk.copy("tea.json").exists()
    desk.keep("tea.json", '{"better": 1}')
    assert desk.refresh().docs[f"{COPY}tea.json"] == digest('{"better": 1}'), "an edit of it is the person's word"


def test_what_is_at_home_is_never_written_over_and_the_person_told_once(desk: Desk) -> None:
    desk.run()
    desk.keep("tea.json", '{"mine": 1}')
    (desk.root / f"_workflow/keepsake/{RUN}/status.json").unlink()  # everything is rolled forward again
    desk.refresh()
    desk.refresh()
    assert (desk.shelf / "tea.json").read_text() == '{"mine": 1}'
    assert [said for said in desk.told if "yours stays as it is" in said] == desk.told[:1]


def test_an_edit_of_what_was_lent_does_not_reach_the_home(desk: Desk) -> None:
    desk.run()
    (desk.root / "found/tea.json").write_text('{"of": "tea"}\n')
    desk.refresh()
    assert (desk.shelf / "tea.json").read_text() == FOUND
    assert "differs from what this run found out" in desk.told[0]


def test_a_link_that_leads_nowhere_is_somebodys_too(desk: Desk) -> None:
    desk.shelf.mkdir()
    (desk.shelf / "tea.json").symlink_to(desk.home / "not-there-yet")
    assert desk.run().stop == "complete"
    assert (desk.shelf / "tea.json").is_symlink()
    assert not (desk.home / "not-there-yet").exists()


def test_a_home_that_cannot_be_written_is_told_and_the_run_goes_on(desk: Desk) -> None:
    desk.shelf.write_text("a file where the folder should be")
    assert desk.run().stop == "complete"
    [said] = desk.told
    assert said.startswith("~/.keepsake/tea.json was not written: ")
    assert "Repair: a folder belongs there" in said


@pytest.mark.parametrize("path", ["~/tea.json", "~/.keepsake/../tea.json", "~/.keepsake/deeper/tea.json", "/tea.json"])
def test_nothing_is_lent_outside_of_what_is_borrowed(desk: Desk, path: str) -> None:
    keepsake = catalog.workflow("keepsake")
    lends = {path: f"found/{RUN}.json"}
    stray = replace(keepsake, documents=replace(keepsake.documents, lends=lambda _state, _look: lends))
    with pytest.raises(DefinitionError, match=r"in the person's home.*Valid: files in ~/.keepsake"):
        desk.run(stray)
    assert desk.at_home() == {}


def test_what_a_killed_run_left_under_its_first_name_is_no_way_to_the_file_itself(desk: Desk) -> None:
    desk.run()
    mark = digest(f"{desk.root}/_workflow/keepsake/{RUN}")[:12]
    (desk.shelf / f".tea.json.{mark}.tmp").hardlink_to(desk.shelf / "tea.json")
    (desk.shelf / "tea.json").rename(desk.shelf / "kept.json")
    (desk.root / f"_workflow/keepsake/{RUN}/status.json").unlink()
    desk.refresh()
    assert (desk.shelf / "kept.json").read_text() == (desk.shelf / "tea.json").read_text() == FOUND
    assert (desk.shelf / "kept.json").stat().st_nlink == 1
    assert sorted(file.name for file in desk.shelf.iterdir()) == ["kept.json", "tea.json"]


# --- recordings -------------------------------------------------------------------------------------------------------


def _loaded(live_project: Project) -> replays.Recording:
    return asyncio.run(replays.load(live_project, RUN))


def test_a_run_is_replayed_where_that_home_is_not(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.keep("other.json", '{"first": 1}')
    desk.run()
    desk.keep("other.json", '{"second": 2}')
    state = desk.refresh()
    moved = Path(shutil.move(desk.root, tmp_path / "another machine"))
    shutil.rmtree(desk.home)
    monkeypatch.setenv("HOME", str(tmp_path / "another home"))
    replayed = replays.replay(_loaded(desk.project(moved)))
    assert replayed.live.state == state
    assert not replayed.differences
    assert replayed.documents[f"{COPY}other.json"] == b'{"second": 2}'
    asyncio.run(replays.into(_loaded(desk.project(moved)), tmp_path / "again"))
    assert tree(tmp_path / "again") == tree(moved)
    assert not (tmp_path / "another home").exists()


def test_a_replay_reads_nothing_at_home_and_writes_nothing_there(desk: Desk, tmp_path: Path) -> None:
    desk.keep("other.json", "{}")
    state = desk.run()
    shutil.rmtree(desk.shelf)
    desk.keep("other.json", '{"since": 1}')
    before = desk.at_home()
    assert desk.go(runs.replay) == state
    assert replays.replay(_loaded(desk.project())).live.state == state
    asyncio.run(replays.into(_loaded(desk.project()), tmp_path / "again"))
    assert desk.at_home() == before
    assert (tmp_path / "again" / COPY / "other.json").read_text() == "{}"


def test_a_fork_goes_on_with_its_copies_and_leaves_the_home_alone(desk: Desk, tmp_path: Path) -> None:
    desk.keep("other.json", "{}")
    desk.run()
    shutil.rmtree(desk.shelf)
    desk.keep("other.json", '{"since": 1}')
    before = desk.at_home()
    made = asyncio.run(forks.fork(desk.project(), RUN, "1", tmp_path / "fork"))

    async def going(live: LiveRun) -> State:
        return await runs.drive(live, run_control.runtime("offline", live.workflow))

    state = desk.go(going, made.root)
    assert (state.stop, state.own) == ("complete", 0)
    assert (made.root / COPY / "other.json").read_text() == "{}"
    assert desk.at_home() == before
