"""Commands on plain files that a workflow declares: options, findings, writes, and what is refused."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from shell_out import TOYS, toy

from signoff.core.declarations import FileCall, FileCommand, FileOutcome, Parameter
from signoff.core.errors import DefinitionError, DocumentError, RefusedError, UsageError
from signoff.core.findings import Finding
from signoff.service.files import file_commands
from signoff.surfaces.cli import workflow_options

sys.path.insert(0, str(TOYS))
from quiz.workflow import COMMANDS

LINT, COUNT, STRAY, DRAW = COMMANDS
MILD = Finding(rule="r", problem="p", repair="q", severity="warning")


def _command(run: Callable[[FileCall], FileOutcome], *, writes: bool = True, most: int | None = 1) -> FileCommand:
    return FileCommand(name="try", about="Try", run=run, example="signoff quiz try x", writes=writes, most=most)


def _file(folder: Path, text: str = "one\ttwo\n", name: str = "x.txt") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


# --- as a person calls them -------------------------------------------------------------------------------------------


def test_findings_are_shown_and_fail_the_command(tmp_path: Path) -> None:
    _file(tmp_path)
    ended = toy("quiz", "lint", "x.txt", cwd=tmp_path)
    assert ended.code == 1
    assert ended.out.splitlines() == ["x.txt: quiz.tab: a tab. Repair: use spaces", "lint: FAIL, 1 finding in 1 file"]


def test_what_was_repaired_is_said_written_and_no_longer_a_failure(tmp_path: Path) -> None:
    file, clean = _file(tmp_path), _file(tmp_path, "none\n", "y.txt")
    ended = toy("quiz", "lint", "x.txt", "y.txt", "--fix", cwd=tmp_path)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "repaired: x.txt: quiz.tab: a tab. Repair: use spaces",
        "wrote x.txt",
        "lint: pass, 0 findings in 2 files",
    ]
    assert (file.read_text(), clean.read_text()) == ("one two\n", "none\n")


def test_a_dry_run_shows_the_diff_and_writes_nothing(tmp_path: Path) -> None:
    file = _file(tmp_path)
    ended = toy("quiz", "lint", "x.txt", "--fix", "--dry-run", cwd=tmp_path)
    assert ended.code == 0
    for said in ("--- x.txt (now)", "+++ x.txt (then)", "+one two", "nothing was written (--dry-run)"):
        assert said in ended.out.splitlines()
    assert file.read_text() == "one\ttwo\n"
    told = toy("quiz", "lint", "x.txt", "--fix", "--dry-run", "--json", cwd=tmp_path).json
    assert told["written"] == []
    assert "+one two" in told["changes"]
    assert "would change" in toy("quiz", "lint", _file(tmp_path, "", "y"), "--dry-run", cwd=tmp_path).out


def test_the_json_of_a_command_holds_findings_data_and_what_was_written(tmp_path: Path) -> None:
    _file(tmp_path)
    told = toy("quiz", "lint", "x.txt", "--json", cwd=tmp_path).json
    assert (told["command"], told["pass"], told["files"], told["data"]) == ("lint", False, ["x.txt"], {"tabs": 1})
    assert [finding["rule"] for finding in told["findings"]] == ["quiz.tab"]
    assert toy("quiz", "lint", "x.txt", "--fix", "--json", cwd=tmp_path).json["written"] == ["x.txt"]


def test_options_come_from_the_parameters_and_files_count_from_the_project(tmp_path: Path) -> None:
    _file(tmp_path, "a bb a\n", "lamp/deep/x.txt")
    _file(tmp_path, "strict", "lamp/_workflow/quiz.yaml")
    given = ("--project", "lamp", "--of", "letters", "--without", "a", "--without", "c")
    ended = toy("quiz", "count", "deep/x.txt", *given, cwd=tmp_path)
    assert ended.out.splitlines()[:3] == ["2 letters", "config: strict", "wrote lamp/deep/count.txt"]
    assert (tmp_path / "lamp/deep/count.txt").read_text() == "2\n"
    assert toy("quiz", "count", "lamp/deep/x.txt", cwd=tmp_path).out.splitlines()[0] == "3 words"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("count", "x.txt", "--of", "lines"), "--of is 'lines'. Valid: words, letters."),
        (("count", "missing.txt"), "there is no file 'missing.txt'"),
        (("count", "."), "'.' is a folder"),
        (("count", "x.txt", "y.txt"), "y.txt"),
        (("lint", "x.txt", "./other/../x.txt"), "are one file"),
        (("stray", "x.txt", "y.txt", "z.txt"), "takes at most 2 files, 3 given"),
        (("nonsense", "x.txt"), "nonsense"),
        (("stray", "x.txt", "--dry-run"), "--dry-run"),
    ],
)
def test_a_wrong_call_says_what_was_given(tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    _file(tmp_path)
    (tmp_path / "other").mkdir()
    ended = toy("quiz", *args, cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "count.txt").exists()


def test_the_commands_of_a_workflow_come_last_in_help_and_teach(tmp_path: Path) -> None:
    shown = toy("--help", cwd=tmp_path).out.splitlines()
    assert shown[-1].split()[0] == "quiz"
    group = toy("quiz", "--help", cwd=tmp_path).out
    for said in ("A quiz in one document.", "    signoff quiz lint lamp/quiz.txt", "Find tabs."):
        assert said in group
    one = toy("quiz", "count", "--help", cwd=tmp_path).out
    for said in ("--of words|letters", "--without", "--dry-run", "--json", "    signoff quiz count lamp/quiz.txt"):
        assert said in one
    assert "--dry-run" not in toy("quiz", "stray", "--help", cwd=tmp_path).out


def test_a_command_of_two_words_stands_in_a_group_of_its_own(tmp_path: Path) -> None:
    _file(tmp_path)
    ended = toy("quiz", "sheet", "draw", "x.txt", cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "x.txt:\n  |� 8\n"), "as it stands, but for what moves the cursor"
    assert toy("quiz", "sheet", "draw", "x.txt", "--json", cwd=tmp_path).json["command"] == "sheet draw"
    assert "sheet" in [line.split()[0] for line in toy("quiz", "--help", cwd=tmp_path).out.splitlines() if line.strip()]
    group = toy("quiz", "sheet", "--help", cwd=tmp_path).out
    for said in ("the sheet of quiz", "    signoff quiz sheet draw lamp/quiz.txt", "Draw a sheet and what lies beside"):
        assert said in group
    wrong = toy("quiz", "draw", "x.txt", cwd=tmp_path)
    assert (wrong.code, "draw" in wrong.err) == (2, True)


def test_a_single_file_brings_along_what_lies_beside_it_and_several_bring_nothing(tmp_path: Path) -> None:
    one, two, three = _file(tmp_path), _file(tmp_path, "", "y.txt"), _file(tmp_path, "", "more/z.txt")
    (tmp_path / "more/folder.txt").mkdir()
    assert file_commands.call(DRAW, [one], {}).files == (str(one), str(three), str(two))
    assert file_commands.call(DRAW, [two], {}).files == (str(two), str(three)), "itself it does not bring along"
    assert file_commands.call(DRAW, [one, three], {}).files == (str(one), str(three))
    assert file_commands.call(DRAW, [_file(tmp_path, "", "elsewhere/x.txt")], {}).data == {"files": 1}


def test_a_run_refuses_a_value_that_is_no_choice(tmp_path: Path) -> None:
    ended = toy("run", "quiz", "lamp", "--level", "odd", cwd=tmp_path)
    assert ended.code == 2
    assert "--level is 'odd'. Valid: easy, hard." in ended.err
    assert list(tmp_path.iterdir()) == []


# --- what is written --------------------------------------------------------------------------------------------------


def test_a_file_that_changed_meanwhile_is_not_overwritten_and_neither_are_the_others(tmp_path: Path) -> None:
    one, two = _file(tmp_path), _file(tmp_path, name="y.txt")

    def run(call: FileCall) -> FileOutcome:
        two.write_text("mine")
        return FileOutcome(writes=dict.fromkeys(call.files, "new"))

    with pytest.raises(RefusedError, match=r"y\.txt changed while the command was at work, so nothing was written"):
        file_commands.call(_command(run, most=None), [one, two], {})
    assert (one.read_text(), two.read_text()) == ("one\ttwo\n", "mine")


def test_a_file_beside_that_the_command_has_read_is_not_overwritten_when_it_changed(tmp_path: Path) -> None:
    file, beside = _file(tmp_path), _file(tmp_path, "old", "beside.txt")
    (tmp_path / "0-sources").mkdir()

    def run(call: FileCall) -> FileOutcome:
        assert call.read("beside.txt") == b"old"
        beside.write_text("mine")
        return FileOutcome(writes={str(beside): "new"})

    with pytest.raises(RefusedError, match="beside"):
        file_commands.call(_command(run), [file], {})
    assert beside.read_text() == "mine"


def test_what_is_like_that_already_is_not_written(tmp_path: Path) -> None:
    file = _file(tmp_path)
    done = file_commands.call(_command(lambda _: FileOutcome(writes={str(file): "one\ttwo\n"})), [file], {})
    assert (done.written, done.changes) == ((), "")


def test_a_link_stays_a_link_and_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    file = _file(tmp_path, name="real/x.txt")
    file.chmod(0o600)
    link = tmp_path / "link.txt"
    link.symlink_to(file)
    file_commands.call(LINT, [link], {"fix": True})
    assert link.is_symlink()
    assert file.read_text() == "one two\n"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_diff_shows_line_ends_that_nobody_would_see(tmp_path: Path) -> None:
    file = _file(tmp_path, "a\r\nb")
    done = file_commands.call(_command(lambda _: FileOutcome(writes={str(file): "a\nb\n"})), [file], {}, dry=True)
    for said in ("-a\\r\n", "+a\n", "\\ No newline at end of file\n"):
        assert said in done.changes
    assert file.read_bytes() == b"a\r\nb"


@pytest.mark.parametrize(
    ("command", "name"), [(STRAY, "/elsewhere.txt"), (_command(lambda _: FileOutcome(writes={"../up": "x"})), "../up")]
)
def test_a_command_that_writes_without_saying_so_or_elsewhere_is_a_mistake_in_the_workflow(
    tmp_path: Path, command: FileCommand, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DefinitionError, match=f"wants to write '{name}'"):
        file_commands.call(command, [_file(tmp_path)], {})


def test_a_file_that_cannot_be_read_as_what_it_should_be_is_a_finding(tmp_path: Path) -> None:
    bad = Finding(rule="text.encoding", problem="p", repair="q")

    def run(_call: FileCall) -> FileOutcome:
        raise DocumentError([bad])

    done = file_commands.call(_command(run), [_file(tmp_path)], {})
    assert (done.findings, done.passed) == ((bad,), False)


def test_a_warning_fails_nothing(tmp_path: Path) -> None:
    assert file_commands.call(_command(lambda _: FileOutcome(findings=(MILD,))), [_file(tmp_path)], {}).passed


def test_a_command_reads_nothing_outside_the_project(tmp_path: Path) -> None:
    def run(call: FileCall) -> FileOutcome:
        call.read("../secret.txt")
        return FileOutcome()

    (tmp_path / "lamp/0-sources").mkdir(parents=True)
    with pytest.raises(UsageError, match="leads out of the project"):
        file_commands.call(_command(run), [_file(tmp_path / "lamp")], {})


def test_a_command_sees_what_a_person_keeps_at_home_and_says_what_is_wrong_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    _file(tmp_path, "kept", "person/.kept/a.txt")
    (tmp_path / "person/.kept/b.txt").mkdir()
    seen = FileCommand(
        name="try",
        about="Try",
        run=lambda call: FileOutcome(data={path: data.decode() for path, data in call.places.items()}),
        example="signoff quiz try x",
        places=("~/.kept/*.txt",),
    )
    done = file_commands.call(seen, [_file(tmp_path)], {})
    assert done.data == {"~/.kept/a.txt": "kept"}
    (said,) = done.said
    assert said.startswith("~/.kept/b.txt is left out: ")
    monkeypatch.delenv("HOME")
    assert file_commands.call(seen, [_file(tmp_path)], {}).data == {}


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="there is no file"):
        file_commands.call(LINT, [tmp_path / "pipe"], {"fix": False})


# --- parameters -------------------------------------------------------------------------------------------------------

FLAG = Parameter(name="fix_it", about="x", flag=True)
VALUE = Parameter(name="of", about="x", choices=("a", "b"))
LIST = Parameter(name="term", about="x", repeat=True, choices=("a", "b"))


@pytest.mark.parametrize(
    ("parameter", "given", "told"),
    [
        (FLAG, False, {"fix_it": False}),
        (FLAG, True, {"fix_it": True}),
        (VALUE, None, {}),
        (VALUE, "a", {"of": "a"}),
        (LIST, [], {"term": ()}),
        (LIST, ["a", "b"], {"term": ("a", "b")}),
    ],
)
def test_flags_and_lists_are_always_told_and_values_when_they_are_there(
    parameter: Parameter, given: object, told: dict[str, object]
) -> None:
    assert workflow_options.checked_values([parameter], {parameter.name: given}) == told


@pytest.mark.parametrize(("parameter", "given"), [(VALUE, "c"), (VALUE, ""), (LIST, ["a", "c"])])
def test_a_value_that_is_no_choice_is_refused_with_the_choices(parameter: Parameter, given: object) -> None:
    with pytest.raises(UsageError, match="Valid: a, b"):
        workflow_options.checked_values([parameter], {parameter.name: given})
