"""Documents that a run follows by patterns, as it stands: edits are noticed, bytes kept, nothing else is read."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from maker import FOLDER, TEAM, TOOL, begin, maker, no_probes, of

from signoff.core.commands import StartTurn
from signoff.core.declarations import Assignment, Effects, Now, Tools
from signoff.core.errors import UsageError
from signoff.core.events import DocsChanged
from signoff.core.refs import Look, Ref, digest
from signoff.core.state import State
from signoff.core.workflow import Documents, Workflow
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Offline

CHOSEN = "chosen.txt"


def _chosen(data: bytes, _path: str) -> tuple[str, ...]:
    return tuple(data.decode().split())


def _follows(state: State, look: Look) -> Sequence[str]:
    """The patterns that stand in a document of the run."""
    ref = state.ref(CHOSEN)
    return look(ref, _chosen) if ref else ()


def _step(now: Now) -> Effects:
    known = "src/a.py" in now.state.docs or not _follows(now.state, now.look)
    if known and not now.state.issued:
        turn = StartTurn(key="make", agent="doer", contract="doer", task="", reads=("src/a.py",), writes=("src/**",))
        return Effects(None, (turn,))
    return Effects(None)


def following(player: Any = None) -> Workflow:
    return replace(maker(player), steps=_step, documents=Documents(tracked=lambda _: [TOOL, CHOSEN], follows=_follows))


def put(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def begun(root: Path, chosen: str, player: Any = None) -> LiveRun:
    (root / CHOSEN).write_text(chosen)
    return asyncio.run(begin(following(player), root, "try"))


def choose(live: LiveRun, chosen: str) -> None:
    """Other patterns, known to the run and in force."""
    Path(live.store.name, CHOSEN).write_text(chosen)
    asyncio.run(live.refresh())
    asyncio.run(live.refresh())


def seen(live: LiveRun) -> list[dict[str, str | None]]:
    """What each look at the project brought."""
    return [dict(event.docs) for event in live.events if isinstance(event, DocsChanged)]


def test_a_file_that_was_there_before_becomes_known_at_the_next_look_and_is_kept(tmp_path: Path) -> None:
    put(tmp_path, src__a_py="old", src__deep__b_py="b", data__c_py="c")
    live = begun(tmp_path, "src/**/*.py")
    asyncio.run(live.refresh())
    assert seen(live) == [{"src/a.py": digest("old"), "src/deep/b.py": digest("b")}]
    assert live.events[-1].by == "code", "nobody edited it"
    put(tmp_path, src__a_py="new")
    (tmp_path / "src/deep/b.py").unlink()
    asyncio.run(live.refresh())
    assert seen(live)[1:] == [{"src/a.py": digest("new"), "src/deep/b.py": None}]
    assert live.library.data(Ref("src/a.py", digest("old"))) == b"old"
    asyncio.run(live.refresh())
    assert len(seen(live)) == 2


def test_a_document_that_is_followed_no_more_stays_known_and_is_not_looked_for(tmp_path: Path) -> None:
    put(tmp_path, src__a_py="a", src__b_py="b")
    live = begun(tmp_path, "src/*")
    asyncio.run(live.refresh())
    choose(live, "src/b.py")
    (tmp_path / "src/a.py").unlink()
    put(tmp_path, src__b_py="B")
    asyncio.run(live.refresh())
    assert live.state.docs["src/a.py"] == digest("a")
    assert seen(live)[-1] == {"src/b.py": digest("B")}
    choose(live, "src/*")
    assert seen(live)[-1] == {"src/a.py": None}


def test_an_edit_of_what_a_turn_reads_makes_its_output_stale(tmp_path: Path) -> None:
    put(tmp_path, src__a_py="a")
    read: list[str] = []

    def edits(_assignment: Assignment, tools: Tools) -> str:
        read.append(tools.read("src/a.py").decode())
        put(tmp_path, src__a_py="edited")
        return "{}"

    live = begun(tmp_path, "src/*", edits)
    asyncio.run(Runner(live, Offline(live.workflow.by_code.players), TEAM, no_probes).drive())
    assert read == ["a", "edited"]
    assert [event["attempt"] for event in of(live, "turn_returned")] == [1, 2]


def test_a_person_who_edited_what_a_turn_wrote_keeps_their_bytes(tmp_path: Path) -> None:
    put(tmp_path, src__new_py="theirs")

    def writes(_assignment: Assignment, tools: Tools) -> str:
        tools.write("src/new.py", "ours")
        tools.write("src/other.py", "ours")
        return "{}"

    live = begun(tmp_path, "", writes)
    asyncio.run(Runner(live, Offline(live.workflow.by_code.players), TEAM, no_probes).drive())
    assert ((tmp_path / "src/new.py").read_text(), (tmp_path / "src/other.py").read_text()) == ("theirs", "ours")
    assert live.state.docs["src/new.py"] == digest("ours"), "nobody looks there yet"
    choose(live, "src/**")
    assert seen(live)[-1] == {"src/new.py": digest("theirs")}


def test_the_folder_of_the_run_is_never_an_edit_of_a_person(tmp_path: Path) -> None:
    live = begun(tmp_path, f"{FOLDER}/status.json ** _workflow/**")
    asyncio.run(live.refresh())
    asyncio.run(live.refresh())
    assert seen(live) == []


def test_a_run_opened_again_has_the_same_documents(tmp_path: Path) -> None:
    put(tmp_path, src__a_py="a")
    live = begun(tmp_path, "src/*")
    asyncio.run(live.refresh())
    put(tmp_path, src__a_py="A")
    again = LiveRun(live.workflow, FolderStore(tmp_path), "try", live.clock)
    asyncio.run(again.sync())
    assert again.state == live.state
    asyncio.run(again.refresh())
    assert of(again, "docs_changed")[-1]["docs"] == {"src/a.py": digest("A")}


# --- the walk ---------------------------------------------------------------------------------------------------------


def test_nothing_is_read_where_nothing_can_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, src__users__a_py="a", src__other__b_py="b", data__c_py="c")
    for folder in (".git", "node_modules", "src/users/__pycache__", "_workflow/x/y"):
        (tmp_path / folder).mkdir(parents=True)
    looked: list[str] = []
    scandir = os.scandir

    def noting(folder: Any) -> Any:
        looked.append(Path(folder).relative_to(tmp_path).as_posix())
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", noting)
    assert FolderStore(tmp_path).matching(["src/users/**", "data/c.py"]) == ["data/c.py", "src/users/a.py"]
    assert looked == [".", "src", "src/users"]


def test_links_and_pipes_are_not_followed_by_a_wildcard(tmp_path: Path) -> None:
    put(tmp_path, src__a_py="a", outside__b_py="b")
    (tmp_path / "src/link.py").symlink_to("/etc/hostname")
    (tmp_path / "src/folder").symlink_to(tmp_path / "outside")
    os.mkfifo(tmp_path / "src/pipe.py")
    store = FolderStore(tmp_path)
    assert store.matching(["src/**"]) == ["src/a.py"]
    with pytest.raises(UsageError, match="leads out"):
        store.digests(store.matching(["src/link.py"]))


def test_a_name_that_cannot_be_shown_is_said(tmp_path: Path) -> None:
    put(tmp_path, src__a_py="a")
    (tmp_path / "src/b\n.py").write_text("b")
    assert FolderStore(tmp_path).matching(["src/a*"]) == ["src/a.py"]
    with pytest.raises(UsageError, match="rename the file"):
        FolderStore(tmp_path).matching(["src/*"])
