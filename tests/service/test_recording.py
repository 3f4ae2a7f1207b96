"""Replay: from sources, raw outputs and journal alone, every file of a run is made again, byte for byte."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from recorded_runs import EXAMPLES, RONDO, Case, files, hardware, lockers, opened
from shell_out import environment, signoff

from signoff.core.errors import CorruptError, LockedError, RefusedError, UsageError
from signoff.core.refs import digest
from signoff.service.recordings import replays
from signoff.service.recordings.replays import Replayed
from signoff.shell.files import new_folder

EN = f"3-drafts/{RONDO}/content-en.md"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hardware(tmp_path_factory.mktemp("page") / "project")[0]


@pytest.fixture
def copy(page: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(page, tmp_path / "copy"))


def replayed(root: Path, run: str = RONDO, into: Path | None = None) -> Replayed:
    async def doing() -> Replayed:
        recorded = await replays.load(opened(root), run)
        if into is not None:
            await replays.into(recorded, into)
        return replays.replay(recorded)

    return asyncio.run(doing())


# --- the same files again ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_replay_into_a_folder_gives_the_same_tree(example: str, tmp_path: Path) -> None:
    root, run = EXAMPLES[example](tmp_path / "project")
    found = replayed(root, run, into=tmp_path / "again")
    assert (dict(found.differences), dict(found.edited)) == ({}, {})
    assert files(tmp_path / "again") == files(root)
    assert replayed(tmp_path / "again", run, into=tmp_path / "twice").differences == {}
    assert files(tmp_path / "twice") == files(root)


def test_documents_are_made_and_not_read(copy: Path) -> None:
    """All that the run wrote is taken away: what is made again is what had been there."""
    before = files(copy)
    wrote = [path for path in before if not path.startswith(("0-sources/", "_workflow/"))]
    for path in [*wrote, "_workflow/state.yaml", "_workflow/config.yaml"]:
        (copy / path).unlink()
    found = replayed(copy)
    assert found.made.items() <= before.items()
    assert {*wrote, "_workflow/state.yaml", "_workflow/config.yaml"} <= found.made.keys()
    assert found.differences == {"_workflow/state.yaml": "is missing"}
    assert set(found.edited.values()) == {"is gone"}


def test_the_folder_of_a_replay_is_a_project_that_all_commands_work_on(copy: Path, tmp_path: Path) -> None:
    said = signoff("replay", RONDO, "--into", tmp_path / "again", cwd=copy)
    assert said.code == 0, said
    assert "made again from sources, turns and journal alone" in said.out
    again = tmp_path / "again"
    assert signoff("status", "--json", cwd=again).json["runs"][0]["stop"] == "complete"
    assert signoff("trace", "C-RS-001", "--json", cwd=again).json["status"] == "verified"
    assert signoff("replay", RONDO, "--json", cwd=again).json["equal"] is True
    assert signoff("resume", RONDO, cwd=again).code == 0
    assert files(again) == files(copy)


def test_neither_model_nor_network_is_touched(copy: Path) -> None:
    code = """
import socket, sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pydantic_ai", "anthropic", "openai", "mcp", "httpx", "httpx2"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
def no(*args): raise AssertionError("the network was asked for")
socket.socket.connect = socket.getaddrinfo = no
from signoff.surfaces.cli import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "replay", RONDO], cwd=copy, env=environment(), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "equal, byte for byte" in done.stdout


def test_a_document_that_a_person_edited_since_is_named_as_such(copy: Path, tmp_path: Path) -> None:
    before = digest((copy / EN).read_bytes())
    (copy / EN).write_text("# Mine\n")
    found = replayed(copy, into=tmp_path / "again")
    assert (dict(found.differences), dict(found.edited)) == ({}, {EN: "was edited"})
    assert files(tmp_path / "again")[EN] == before


def test_an_edit_that_the_run_took_in_is_in_the_recording(tmp_path: Path) -> None:
    root = hardware(tmp_path / "project")[0]
    (root / EN).write_text((root / EN).read_text("utf-8") + "\nOne more line.\n", "utf-8")
    Case(root).refresh()
    assert replayed(root, into=tmp_path / "again").differences == {}
    assert files(tmp_path / "again") == files(root)


# --- what is not whole ------------------------------------------------------------------------------------------------

RAW = "_workflow/turns/0002-copywriter/raw-1.txt"


def _cut(root: Path) -> None:
    (root / RAW).unlink()


def _change(root: Path) -> None:
    (root / RAW).write_text("changed")


def _lose_object(root: Path) -> None:
    for file in (root / "_workflow/objects").iterdir():
        file.unlink()


def _edit_journal(root: Path) -> None:
    journal = root / "_workflow/journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"0003-editor-qa.1", b"0003-editor-qa.2", 1))


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (_cut, f"{RAW} is missing (the output of 0002-copywriter, attempt 1)"),
        (_change, f"{RAW} was changed (the output of 0002-copywriter, attempt 1): sha256 "),
        (_lose_object, "_workflow/config.yaml as it was given"),
        (_edit_journal, "journal.jsonl:4: the line after revision 9"),
    ],
)
def test_what_is_missing_or_changed_is_said(copy: Path, tamper: Callable[[Path], None], said: str) -> None:
    tamper(copy)
    with pytest.raises(CorruptError) as error:
        replayed(copy)
    assert said in str(error.value)
    ended = signoff("replay", RONDO, cwd=copy)
    assert (ended.code, "Traceback" in ended.err) == (74, False)
    assert said in ended.err


def test_all_that_is_damaged_is_said_at_once(copy: Path) -> None:
    for turn in ("0002-copywriter", "0004-copywriter"):
        (copy / f"_workflow/turns/{turn}/raw-1.txt").unlink()
    with pytest.raises(CorruptError, match=r"0002-copywriter/raw-1.txt is missing .*; .*0004-copywriter/raw-1.txt"):
        replayed(copy)


def test_a_source_that_is_gone_is_named_where_it_is_needed(copy: Path, tmp_path: Path) -> None:
    (copy / "0-sources/brief.md").write_text("another brief\n")
    assert replayed(copy).edited == {"0-sources/brief.md": "was edited"}
    with pytest.raises(RefusedError, match=r"whose bytes are gone: 0-sources/brief.md \(sha256 "):
        replayed(copy, into=tmp_path / "again")
    assert not list(tmp_path.glob("*again*"))


def test_a_workflow_that_keeps_its_sources_does_without_the_files(tmp_path: Path) -> None:
    root, run = lockers(tmp_path / "project")
    before = files(root)
    shutil.rmtree(root / "0-sources")
    replayed(root, run, into=tmp_path / "again")
    assert files(tmp_path / "again") == before


# --- a new folder, or none --------------------------------------------------------------------------------------------


def test_a_folder_that_is_taken_is_not_written_to(copy: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    replayed(copy, into=taken)
    before = files(taken)
    (taken / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        replayed(copy, into=taken)
    assert {**before, "mine.txt": digest("mine")} == files(taken)


def test_a_folder_inside_the_project_is_refused(copy: Path) -> None:
    with pytest.raises(UsageError, match="inside the project"):
        replayed(copy, into=copy / "0-sources/again")


def test_what_fails_halfway_leaves_nothing(tmp_path: Path) -> None:
    def fails() -> None:
        with new_folder(tmp_path / "new") as part:
            (part / "a").write_text("a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_used_up(tmp_path: Path) -> None:
    left = tmp_path / ".new.part"
    (left / "deep").mkdir(parents=True)
    (left / "deep/old").write_text("old")
    with new_folder(tmp_path / "new") as part:
        (part / "a").write_text("a")
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == ["new", "new/a"]


def test_two_processes_do_not_make_the_same_folder(tmp_path: Path) -> None:
    with new_folder(tmp_path / "new") as part:
        with pytest.raises(LockedError, match="another process"), new_folder(tmp_path / "new"):
            raise AssertionError("both were let in")
        (part / "a").write_text("a")
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["a"]
