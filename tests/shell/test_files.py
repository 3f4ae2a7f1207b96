"""What the disk and hostile names can do: a full disk at any call loses nothing, and no path or link leads out."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from signoff.core.errors import OperatorError, SignoffError, StoreError, UsageError
from signoff.shell.files import inside, write_whole
from signoff.shell.run.folder_store import FolderStore

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))
from page_project import CONFIG, EN, REGISTRY, Case, files, journal, lay_out, put, raws, text

CALLS = ("write", "pwrite", "fsync", "replace", "mkdir", "open")
ONE_TURN = "budget: {turns: 1}\n"


class Disk:
    """Fails one of the calls that change files, counted from 1; 0 only counts. A failed write may have begun."""

    def __init__(self, root: Path, number: int = 0) -> None:
        self.root, self.failing, self.count, self.code, self.failed = root, 0, 0, number, ""

    @contextmanager
    def full_at(self, call: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.failing, self.count = call, 0
        with monkeypatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, self._wrap(getattr(os, name), name))
            yield

    def _wrap(self, real: Callable[..., Any], name: str) -> Callable[..., Any]:
        def called(first: Any, *args: Any, **more: Any) -> Any:
            if name == "open" and not (args and args[0] & os.O_CREAT):
                return real(first, *args, **more)
            self.count += 1
            if self.count != self.failing:
                return real(first, *args, **more)
            self.failed = name
            if name == "write":
                real(first, bytes(args[0])[: len(args[0]) // 2])
            raise OSError(self.code, os.strerror(self.code))

        return called


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay_out(tmp_path_factory.mktemp("begun") / "page", config=ONE_TURN)
    Case(root).begin()
    return root


def _said(case: Case) -> str | None:
    try:
        case.drive()
    except StoreError as error:
        return str(error)
    return None


@pytest.mark.req("SP-20")
@pytest.mark.parametrize(("code", "repair"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "make the file system")])
def test_a_disk_that_fails_at_any_call_of_a_turn_loses_and_repeats_nothing(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, repair: str
) -> None:
    def copied(name: str) -> Case:
        return Case(Path(shutil.copytree(begun, tmp_path / name)))

    quiet, disk = copied("quiet"), Disk(begun, code)
    with disk.full_at(0, monkeypatch):
        assert quiet.drive().stop == "budget"
    calls, wanted, asked = disk.count, files(quiet.root), raws(quiet.root)
    assert calls > 20
    unsaid = set()
    for call in range(1, calls + 1, 1 if code == errno.ENOSPC else 9):
        case = copied(f"{code}-{call}")
        with disk.full_at(call, monkeypatch):
            said = _said(case)
        if said is None:
            unsaid.add(disk.failed)
        else:
            assert repair in said
            assert str(case.root) in said
        received = raws(case.root)
        assert case.drive().stop == "budget"
        assert files(case.root) == wanted, f"call {call}"
        assert raws(case.root) == asked, f"call {call}: {received}"
        shutil.rmtree(case.root)
    assert unsaid <= {"pwrite", "mkdir"}, "the note in a lock file, and making a folder that is there, may fail unsaid"


def test_a_disk_that_is_full_from_the_start_says_so_and_begins_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(lay_out(tmp_path / "page"))

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(StoreError, match=r"No space left on device\. Repair: free some"):
            case.begin()
    assert not journal(case.root)
    assert case.run().stop == "complete"


def test_who_may_read_a_file_does_not_change_with_what_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "answers.md"
    write_whole(file, b"one", durable=True)
    file.chmod(0o600)
    write_whole(file, b"two", durable=True)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"two", 0o600)


def test_a_write_that_fails_leaves_the_old_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "page.md"
    write_whole(file, b"old", durable=True)
    with Disk(tmp_path, errno.ENOSPC).full_at(2, monkeypatch), pytest.raises(StoreError):
        write_whole(file, b"new and longer", durable=True)
    assert file.read_bytes() == b"old"
    write_whole(file, b"new", durable=True)
    assert [one.name for one in tmp_path.iterdir()] == ["page.md"]


# --- names and links --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "a/\0b", "a/\ud800b", "link/x", "out.md"])
def test_a_path_that_leaves_the_project_or_is_none_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "page"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    (root / "out.md").symlink_to(tmp_path / "out.md")
    for act in (lambda: inside(root, path), lambda: FolderStore(root).write(path, b"x", durable=False)):
        with pytest.raises(UsageError, match="Repair: "):
            act()
    assert [one.name for one in tmp_path.iterdir()] == ["page"]


def test_a_planted_link_under_a_temporary_name_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("theirs")
    root = tmp_path / "page"
    root.mkdir()
    (root / ".draft.md.tmp").symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError, match=r"draft.md.*Repair: remove the link"):
        FolderStore(root).write("draft.md", b"mine", durable=True)
    assert (tmp_path / "secret").read_text() == "theirs"


def _link(place: str, target: str) -> Callable[[Path], None]:
    def plant(root: Path) -> None:
        (root.parent / "outside").mkdir(exist_ok=True)
        (root.parent / "outside/secret.md").write_text("a secret\n")
        link = root / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)

    return plant


def _name(raw: bytes) -> Callable[[Path], None]:
    def plant(root: Path) -> None:
        Path(os.fsdecode(os.fsencode(root / "0-sources") + b"/" + raw)).write_text("x\n")

    return plant


def _folder_at(place: str) -> Callable[[Path], None]:
    return lambda root: (root / place).mkdir(parents=True)


def _sources_are_a_file(root: Path) -> None:
    shutil.rmtree(root / "0-sources")
    put(root, "0-sources", "not a folder\n")


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        (_link("0-sources/notes.md", "../../outside/secret.md"), "0-sources/notes.md"),
        (_link("0-sources/all", "../../outside"), "0-sources/all"),
        (_link("0-sources/round", "round"), "0-sources/round"),
        (_link("0-sources/again", "specs"), "0-sources/again"),
        (_link(EN, "../../../outside/secret.md"), EN),
        (_link("3-drafts", "../outside"), "3-drafts"),
        (_link("_shared", "../outside"), "_shared"),
        (_link("_workflow", "../outside"), "_workflow"),
        (_link(".promptpack/agents/strategist.md", "../../../outside/secret.md"), ".promptpack/agents/strategist.md"),
        (_folder_at(CONFIG), CONFIG),
        (_folder_at(REGISTRY), REGISTRY),
        (_folder_at(EN), EN),
        (_folder_at("_workflow/journal.jsonl"), "_workflow/journal.jsonl"),
        (_folder_at("_workflow/.lock"), "_workflow/.lock"),
        (_folder_at(".promptpack/agents/strategist.md"), ".promptpack/agents/strategist.md"),
        (_sources_are_a_file, "0-sources"),
        (_name(b"line\nbreak.md"), r"line\nbreak.md"),
        (_name(b"caf\xe9.md"), r"caf\udce9.md"),
        (_name(b"bell\x07.md"), r"bell\x07.md"),
    ],
)  # fmt: skip
def test_a_hostile_name_link_or_folder_is_refused_by_name_before_anything_begins(
    tmp_path: Path, plant: Callable[[Path], None], said: str
) -> None:
    root = lay_out(tmp_path / "page")
    plant(root)
    with pytest.raises(SignoffError) as caught:
        Case(root).run()
    assert said in str(caught.value)
    assert "Repair: " in str(caught.value)
    assert isinstance(caught.value, UsageError | OperatorError)
    assert (root / "_workflow/journal.jsonl").is_dir() or not journal(root)
    if (tmp_path / "outside").exists():
        assert [one.name for one in (tmp_path / "outside").iterdir()] == ["secret.md"]


@pytest.mark.parametrize("name", ["全角　空格.md", "it's a naïve – name.md", "emoji 👩‍🔬.md", "nbsp\u00a0.md"])
def test_a_name_that_people_use_is_fine(tmp_path: Path, name: str) -> None:
    root = lay_out(tmp_path / "page")
    put(root, f"0-sources/{name}", "Nothing of note.\n")
    assert Case(root).begin().docs[f"0-sources/{name}"]


def test_hidden_files_and_folders_are_no_sources(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")
    put(root, "0-sources/.git/config", "[core]\n")
    put(root, "0-sources/.DS_Store", b"\0\1")
    assert not [path for path in Case(root).begin().docs if "/." in path and path.startswith("0-sources")]


def test_a_folder_in_the_way_of_a_draft_stops_the_run_and_moving_it_goes_on(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()
    put(case.root, "3-drafts", "a file where the drafts go\n")
    with pytest.raises(OperatorError, match=r"3-drafts.*Repair: a folder belongs there"):
        case.drive()
    (case.root / "3-drafts").unlink()
    assert case.drive().stop == "complete"
    assert len(raws(case.root)) == 5
    assert text(case.root, EN).startswith("#")


def test_nobody_waits_at_a_pipe_in_the_place_of_a_file(tmp_path: Path) -> None:
    path = "a.md"
    os.mkfifo(tmp_path / path)
    store = FolderStore(tmp_path)
    with pytest.raises(StoreError, match="it is not a regular file"):
        store.read(path)
    with pytest.raises(StoreError, match="it is not a regular file"):
        store.digests([path])


def test_nobody_waits_at_a_pipe_in_the_place_of_a_journal(tmp_path: Path) -> None:
    (tmp_path / "_workflow/x/y").mkdir(parents=True)
    os.mkfifo(tmp_path / "_workflow/x/y/journal.jsonl")
    with pytest.raises(StoreError, match="it is not a regular file"):
        asyncio.run(FolderStore(tmp_path).commits("_workflow/x/y", 0))


def test_nothing_is_written_into_a_pipe_that_bears_the_temporary_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".a.md.tmp")
    with pytest.raises(StoreError, match="cannot write"):
        FolderStore(tmp_path).write("a.md", b"x", durable=False)
