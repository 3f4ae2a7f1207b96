"""One turn's own folder: what may be written and run there, and what counts of it."""

from __future__ import annotations

import errno
import json
import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.core.commands import StartTurn, TurnLimits
from signoff.core.errors import StoreError, UsageError
from signoff.core.events import Ran
from signoff.core.refs import Ref, digest
from signoff.shell.run import processes, workspace
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.workspace import CallLog, Workspace

INPUTS = {"spec.md": b"what is wanted\n", "src/tool.py": b"print('old')\n"}
LOG = "turns/calls-1.jsonl"
PYTHON = sys.executable


def turn(**changes: object) -> StartTurn:
    pinned = tuple(Ref(path, digest(data)) for path, data in INPUTS.items())
    base = {"writes": ("out/*", "src/*"), "runs": (f"{PYTHON} *", "no-such-program *"), "pinned": pinned}
    return StartTurn(key="x", agent="doer", contract="doer", task="", turn="0001-doer", **{**base, **changes})  # type: ignore[arg-type]


def opened(root: Path, **changes: object) -> Workspace:
    return Workspace(turn(**changes), INPUTS.__getitem__, CallLog(FolderStore(root), LOG))


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path) as found:
        yield found


def noted(root: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (root / LOG).read_text().splitlines()]


def script(space: Workspace, text: str) -> str:
    """A command that does this."""
    space.write("out/script.py", text.encode())
    return f"{PYTHON} out/script.py"


# --- the folder -------------------------------------------------------------------------------------------------------


def test_the_folder_holds_copies_of_exactly_the_inputs_and_is_removed_at_the_end(tmp_path: Path) -> None:
    with opened(tmp_path) as space:
        folder = space.folder
        assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == INPUTS.keys()
        assert (folder / "spec.md").read_bytes() == INPUTS["spec.md"]
        assert not folder.is_relative_to(tmp_path)
        assert folder.parent.stat().st_mode & 0o077 == 0
    assert not folder.parent.exists()


def test_a_turn_that_needs_no_folder_gets_none(space: Workspace) -> None:
    assert (space.own("out/a.txt"), space.changes(), space.strays()) == (None, {}, ())
    assert space._base is None


def test_what_differs_under_the_contract_is_what_counts(space: Workspace) -> None:
    space.write("out/deep/a.txt", b"made")
    space.write("src/tool.py", b"print('new')\n")
    assert space.changes() == {"out/deep/a.txt": b"made", "src/tool.py": b"print('new')\n"}
    space.write("src/tool.py", INPUTS["src/tool.py"])
    assert space.changes() == {"out/deep/a.txt": b"made"}
    assert (space.own("out/deep/a.txt"), space.own("spec.md"), space.strays()) == (b"made", None, ())


@pytest.mark.parametrize(
    "path", ["spec.md", "elsewhere.txt", "../out/a.txt", "out/../spec.md", "/tmp/a", "out//a", "out/a\n", "out/\ud800"]
)
def test_every_other_path_is_refused_and_nothing_is_written(space: Workspace, path: str) -> None:
    with pytest.raises(UsageError, match=r"is not for this turn to write. Valid: out/\*, src/\*"):
        space.write(path, b"x")
    assert (space.changes(), space.strays()) == ({}, ())


def test_a_link_that_leads_out_is_not_written_through(space: Workspace, tmp_path: Path) -> None:
    (space.folder / "out").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="leads out"):
        space.write("out/a.txt", b"x")
    assert list(tmp_path.iterdir()) == []
    assert space.strays() == ("out",)


def test_a_second_name_of_a_file_outside_is_neither_taken_nor_written_through(space: Workspace, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("S")
    space.write("out/a.md", b"mine")
    (space.folder / "out/b.md").hardlink_to(secret)
    assert (space.changes(), space.strays(), space.own("out/b.md")) == ({"out/a.md": b"mine"}, ("out/b.md",), None)
    space.write("out/b.md", b"mine too")
    assert (secret.read_text(), space.changes()["out/b.md"]) == ("S", b"mine too")


def test_a_file_that_is_too_large_is_neither_taken_nor_written(space: Workspace) -> None:
    space.write("out/a.md", b"mine")
    with (space.folder / "out/big").open("wb") as file:
        file.truncate(workspace.MOST + 1)
    assert (space.changes(), space.strays()) == ({"out/a.md": b"mine"}, ("out/big",))
    with pytest.raises(UsageError, match="at most"):
        space.write("out/c.md", bytes(workspace.MOST + 1))


def test_a_link_in_the_place_of_a_file_is_not_written_through(space: Workspace) -> None:
    (space.folder / "out").mkdir()
    (space.folder / "out/a.txt").symlink_to(space.folder / "spec.md")
    with pytest.raises(UsageError, match="cannot be written"):
        space.write("out/a.txt", b"x")
    assert (space.changes(), space.strays()) == ({}, ("out/a.txt",))


@pytest.mark.parametrize("path", ["src", "out/" + "x" * 300, "src/tool.py/below"])
def test_a_name_that_cannot_be_is_the_agents_to_mend(space: Workspace, path: str) -> None:
    space.start = turn(writes=("*",))
    with pytest.raises(UsageError):
        space.write(path, b"x")


def test_a_disk_that_is_full_is_not(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int, _data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert space.folder
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="free some space"):
        space.write("out/a.txt", b"x")


# --- commands ---------------------------------------------------------------------------------------------------------


def test_a_command_runs_in_the_folder_with_inputs_and_files_and_its_end_is_noted(
    space: Workspace, tmp_path: Path
) -> None:
    space.write("out/a.txt", b"made")
    ran = space.run(script(space, "print(open('spec.md').read() + open('out/a.txt').read()); raise SystemExit(3)"))
    assert (ran.code, ran.output, ran.told()) == (3, "what is wanted\nmade\n", "exit code 3\nwhat is wanted\nmade\n")
    began, ended = noted(tmp_path)
    assert began == {"call": 1, "began": f"{PYTHON} out/script.py"}
    assert ended == {"call": 1, "ended": 3, "output": "what is wanted\nmade\n"}
    assert space.log.uncertain() == ()


def test_what_ran_is_told_of_the_output_that_came_of_it_and_of_no_other(space: Workspace) -> None:
    command = script(space, "print('done')")
    space.run(command)
    with pytest.raises(UsageError):
        space.run("no-such-program x")
    space.log.gave("ours")
    first, second = space.log.ran("ours")
    assert first == Ran(command, 0, "done\n")
    assert (second.command, second.code) == ("no-such-program x", None)
    assert "No such file or directory" in second.output
    assert space.log.ran("of somebody else") == ()


def test_a_command_whose_end_is_not_known_when_the_output_comes_stays_so(space: Workspace) -> None:
    number = space.log.began("slow")
    space.log.gave("ours")
    space.log.ended(number, processes.Ran("slow", 0, "too late"))
    assert space.log.ran("ours") == (Ran("slow", None, ""),)


def test_what_ran_before_the_attempt_was_begun_anew_is_not_told(space: Workspace) -> None:
    command = script(space, "print('before')")
    space.run(command)
    space.log.gave("the same words")
    space.log.begun_anew()
    assert space.log.uncertain() == ()
    script(space, "print('after')")
    space.run(command)
    space.log.gave("the same words")
    assert space.log.ran("the same words") == (Ran(command, 0, "after\n"),)


def test_of_a_long_output_the_end_is_noted_and_how_much_is_missing(space: Workspace) -> None:
    space.run(script(space, "print('x' * 5_000); print('end')"))
    space.log.gave("ours")
    (ran,) = space.log.ran("ours")
    head, end = ran.output.split("\n", 1)
    assert (head, len(end), end[-6:]) == (f"[{5_001 + 4 - workspace.NOTED} characters left out]", 4_000, "x\nend\n")


def test_a_command_that_was_stopped_is_noted_as_stopped(tmp_path: Path) -> None:
    with opened(tmp_path, limits=TurnLimits(command=0.5)) as space:
        space.run(script(space, "import signal; print('waits', flush=True); signal.pause()"))
        space.log.gave("ours")
        (ran,) = space.log.ran("ours")
    assert (ran.code, ran.output) == (-9, "waits\n\n[stopped after 0.5 s]")


def test_a_command_that_is_no_unicode_is_refused_and_noted_all_the_same(space: Workspace) -> None:
    with pytest.raises(UsageError, match="cannot be run"):
        space.run(f"{PYTHON} \ud800")
    assert space.log.uncertain() == ()
    space.log.gave("ours")
    assert [ran.command for ran in space.log.ran("ours")] == [f"{PYTHON} ?"]


def test_a_command_sees_no_keys_and_has_a_home_of_its_own(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    ran = space.run(script(space, "import os, json; print(json.dumps(dict(os.environ)))"))
    seen = json.loads(ran.output)
    assert set(seen) <= {"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE"}
    assert Path(seen["HOME"]).parent == space.folder.parent
    assert Path(seen["HOME"]) not in (space.folder, space.beside)


def test_python_is_found_where_the_system_has_none_and_after_its_own_where_it_has(tmp_path: Path) -> None:
    ours = str(Path(sys.executable).parent)
    assert processes.environment({"PATH": "/nowhere"}, tmp_path)["PATH"].split(os.pathsep) == ["/nowhere", ours]
    assert processes.environment({}, tmp_path)["PATH"] == f"{os.defpath}{os.pathsep}{ours}"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rm -rf /", "is not for this turn to run"),
        (f"sh -c '{PYTHON} x'", "is not for this turn to run"),
        (f"PATH=/tmp {PYTHON} x", "is not for this turn to run"),
        ("", "is not for this turn to run"),
        (f"{PYTHON} 'open", "is not a valid command: No closing quotation"),
        ("no-such-program x", "'no-such-program' cannot be run: No such file or directory"),
        (f"{PYTHON} a\0b", "cannot be run: embedded null byte"),
    ],
)
def test_every_other_command_is_refused_and_leaves_nothing_uncertain(space: Workspace, command: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        space.run(command)
    assert space.log.uncertain() == ()


def test_there_is_no_shell(space: Workspace) -> None:
    ran = space.run(f"{script(space, 'import sys; print(sys.argv[1:])')} '*' $HOME '|' cat ';' rm '>' out/b.txt")
    assert ran.output == "['*', '$HOME', '|', 'cat', ';', 'rm', '>', 'out/b.txt']\n"
    assert space.changes().keys() == {"out/script.py"}


FORKS = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
lives = os.open(sys.argv[1], os.O_WRONLY)
os.write(lives, b"x")
if os.fork() == 0 or sys.argv[2] == "hang":
    signal.pause()
"""


def hears_the_end(pipe: int) -> bool:
    """Whether everybody who could write to the pipe is dead; it waits for the system to see to that."""
    while select.select([pipe], [], [], 60)[0]:
        if not os.read(pipe, 100):
            return True
    return False


@pytest.mark.parametrize(("how", "code", "timed_out"), [("hang", -9, 2.0), ("leave", 0, None)])
def test_whether_a_command_hangs_or_leaves_a_child_behind_all_that_it_started_ends(
    how: str, code: int, timed_out: float | None, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "lives")
    pipe = os.open(tmp_path / "lives", os.O_RDONLY | os.O_NONBLOCK)
    with opened(tmp_path, limits=TurnLimits(command=2.0 if timed_out else 60.0)) as space:
        ran = space.run(f"{script(space, FORKS)} {tmp_path / 'lives'} {how}")
        assert (ran.code, ran.timed_out) == (code, timed_out)
        assert os.read(pipe, 1) == b"x"
        assert hears_the_end(pipe)
    os.close(pipe)
    assert ran.told() == (f"exit code {code}, stopped after 2 s\n" if timed_out else "exit code 0\n")


def test_of_a_long_output_the_beginning_and_the_end_are_kept(space: Workspace) -> None:
    ran = space.run(script(space, "print('begin'); print('x' * 1_000_000); print('end')"))
    assert ran.cut == len("begin\n") + 1_000_001 + len("end\n") - 2 * processes.KEPT
    assert f"[{ran.cut} bytes left out]" in ran.output
    assert (ran.output[:6], ran.output[-5:]) == ("begin\n", "\nend\n")
    assert len(ran.output) < 2 * processes.KEPT + 40


def test_a_command_that_prints_for_ever_is_stopped(tmp_path: Path) -> None:
    with opened(tmp_path, limits=TurnLimits(command=0.5)) as space:
        ran = space.run(script(space, "while True: print('y' * 1000)"))
    assert (ran.code, ran.timed_out) == (-9, 0.5)
    assert len(ran.output) < 2 * processes.KEPT + 60


def test_what_a_command_changes_elsewhere_is_told_and_not_taken(space: Workspace) -> None:
    changes = """
import os, pathlib
pathlib.Path('spec.md').write_text('forged')
pathlib.Path('cache').mkdir(); pathlib.Path('cache/x').write_text('x')
pathlib.Path('out/link').symlink_to('/etc/passwd')
os.mkfifo('out/pipe')
open(b'out/\\xff', 'w').close()
os.remove('src/tool.py')
pathlib.Path('out/made.txt').write_text('made')
"""
    assert space.run(script(space, changes)).code == 0
    assert space.changes().keys() == {"out/script.py", "out/made.txt"}
    assert space.strays() == ("cache/x", "out/link", "out/pipe", "out/\udcff", "spec.md", "src/tool.py")


LEAVES = ("*__pycache__/*", "*.pytest_cache/*", "*.md", "*.py")


def test_what_commands_leave_behind_is_neither_taken_nor_told(tmp_path: Path) -> None:
    with opened(tmp_path, leaves=LEAVES[:2]) as space:
        for path in ("out/__pycache__/a.pyc", ".pytest_cache/v/x", "out/deep/.pytest_cache/x", "__pycache__/b.pyc"):
            (space.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (space.folder / path).write_bytes(b"x")
        (space.folder / "cache").write_bytes(b"x")
        space.write("out/a.txt", b"made")
        assert (space.changes(), space.strays()) == ({"out/a.txt": b"made"}, ("cache",))


def test_a_by_product_that_the_contract_names_is_taken_and_another_may_not_be_written(tmp_path: Path) -> None:
    with opened(tmp_path, leaves=LEAVES[:1], writes=("out/*", "out/__pycache__/a.pyc")) as space:
        space.write("out/__pycache__/a.pyc", b"meant")
        with pytest.raises(UsageError, match="is not for this turn to write"):
            space.write("out/__pycache__/b.pyc", b"lost")
        assert (space.changes(), space.own("out/__pycache__/a.pyc")) == ({"out/__pycache__/a.pyc": b"meant"}, b"meant")


def test_no_input_can_be_hidden_as_a_by_product(tmp_path: Path) -> None:
    with opened(tmp_path, leaves=LEAVES) as space:
        (space.folder / "spec.md").write_text("forged")
        space.write("src/tool.py", b"print('new')\n")
        assert (space.changes(), space.strays()) == ({"src/tool.py": b"print('new')\n"}, ("spec.md",))
        (space.folder / "spec.md").unlink()
        (space.folder / "src/tool.py").unlink()
        assert (space.changes(), space.strays()) == ({}, ("spec.md", "src/tool.py"))


def test_when_the_turn_ends_its_commands_end_and_no_further_one_begins(tmp_path: Path) -> None:
    space = opened(tmp_path)
    space.run(script(space, "pass"))
    command = f"{PYTHON} out/script.py"
    with space:
        pass
    with pytest.raises(UsageError, match="the turn has ended"):
        space.run(command)
    assert space.log.uncertain() == ()


def test_what_comes_of_a_command_is_kept_before_it_is_noted_as_ended(space: Workspace, tmp_path: Path) -> None:
    command = script(space, "open('out/made', 'w').write('x')")
    seen: list[tuple[tuple[str, ...], bytes]] = []
    space.run(command, lambda: seen.append((space.log.uncertain(), space.changes()["out/made"])))
    assert seen == [((command,), b"x")]
    assert space.log.uncertain() == ()

    def cut_off() -> None:
        raise StoreError("the disk is full")

    with pytest.raises(StoreError):
        space.run(command, cut_off)
    assert space.log.uncertain() == (command,)
    assert "ended" not in noted(tmp_path)[-1]


def test_a_name_that_no_disk_can_have_is_refused(space: Workspace) -> None:
    with pytest.raises(UsageError, match="cannot be written: File name too long"):
        space.write(f"out/{'x' * 300}", b"")


# --- what the project cannot take -------------------------------------------------------------------------------------


def _laid(root: Path) -> None:
    """A project with something else in the places of files."""
    (root / "out/folder").mkdir(parents=True)
    (root / "out/file").write_text("x")
    (root / "hooks").mkdir()
    (root / "out/link").symlink_to("../hooks")
    (root / "out/name").symlink_to("../hooks/pre-commit")
    os.mkfifo(root / "out/pipe")


BARRED = {
    "out/folder": "a folder is there",
    "out/pipe": "a pipe or a device is there",
    "out/name": "a link, which nothing is put through, is there",
    "out/file/below": "out/file is a file and no folder",
    "out/link/pre-commit": "out/link is a link, which nothing is put through, and no folder",
    f"out/{'n' * 252}": "File name too long",
    f"out/{'d/' * 70}deep": "it lies in 71 folders, and 64 are the most",
}


@pytest.mark.parametrize("path", BARRED, ids=lambda path: path[:20])
def test_what_the_project_cannot_take_is_refused_while_the_turn_goes_on(tmp_path: Path, path: str) -> None:
    """When it is accepted it is too late: the journal has it, and nobody can put it in its place."""
    _laid(tmp_path)
    with Workspace(
        turn(), INPUTS.__getitem__, CallLog(FolderStore(tmp_path), LOG), FolderStore(tmp_path).barred
    ) as space:
        with pytest.raises(UsageError, match=BARRED[path]):
            space.write(path, b"evil")
        space.write("out/new/fine.txt", b"made")
        target = space.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"evil")
        assert (space.changes(), space.strays()) == ({"out/new/fine.txt": b"made"}, (path,))


def test_folders_that_a_command_made_deeper_than_calls_can_be_are_told_and_removed(space: Workspace) -> None:
    deep = "import os\nfor _ in range(1200):\n    os.mkdir('d')\n    os.chdir('d')\nopen('f', 'w').close()\n"
    assert space.run(script(space, deep)).code == 0
    assert space.strays() == ("d/" * 1200 + "f",)
    base = space.folder.parent
    space.__exit__(None, None, None)
    assert not base.exists()
