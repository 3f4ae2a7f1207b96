"""How the command line is called: help, completion, errors, exit codes, and what is imported for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from shell_out import environment, signoff
from typer.main import get_command

from signoff.core.errors import CorruptError, DefinitionError, DocumentError, RefusedError, UsageError
from signoff.core.findings import Finding
from signoff.service import catalog
from signoff.surfaces.cli import exits, reference
from signoff.surfaces.cli.app import COMMANDS, app

DOCS = Path(__file__).parents[2] / "docs/reference/commands.md"
HEAVY = ("pydantic", "yaml", "markdown_it", "asyncio", "rich", "typer", "click", "dataclasses")
WATCHED = """
import sys
from signoff.surfaces.cli import execute
code = execute(sys.argv[1:])
print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
sys.exit(code)
"""


def _finding() -> Finding:
    return Finding(rule="product.form", problem="`name` is missing", repair="add `name`", file="product.yaml", line=3)


# --- help and documentation -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("title", "text"), list(reference.entries()), ids=lambda value: value[:24].replace("\n", " "))
def test_every_help_text_teaches_with_an_example(title: str, text: str) -> None:
    if title != "solution-page":
        assert "Example:" in text
        assert f"    {title}" in text


def test_the_documentation_of_the_command_line_is_current_and_complete() -> None:
    page = DOCS.read_text("utf-8")
    assert page == reference.render()
    of_files = [f"{name} {one.name}" for name in catalog.names() for one in catalog.workflow(name).people.commands]
    for name in (*COMMANDS, *(f"run {workflow}" for workflow in catalog.names()), *of_files):
        assert f"## `signoff {name}`" in page


def test_every_command_takes_json_and_project() -> None:
    for title, text in reference.entries():
        if title.startswith("signoff ") and "COMMAND [ARGS]" not in text:
            assert "--json" in text, title
            assert "--project" in text, title


def test_the_commands_are_those_of_the_design() -> None:
    group = get_command(app)
    with group.make_context("signoff", [], resilient_parsing=True) as context:
        listed = tuple(group.list_commands(context))  # type: ignore[attr-defined]
    assert listed == (*COMMANDS, *(name for name in catalog.names() if catalog.workflow(name).people.commands))


def test_the_list_of_commands_says_what_the_help_of_each_begins_with() -> None:
    for title, text in reference.entries():
        name = title.removeprefix("signoff ")
        if title.startswith("signoff ") and " " not in name:
            about = COMMANDS[name][1] if name in COMMANDS else f"Files of {name}: what can be done without a run."
            [_usage, first, *_] = text.split("\n\n")
            assert " ".join(first.split()) == about


def test_the_list_of_all_commands_imports_no_workflow(tmp_path: Path) -> None:
    code = """
import sys
from signoff.surfaces.cli import main
try:
    main()
finally:
    print([name for name in sys.modules if name.endswith(".workflow") and "workflows" in name], file=sys.stderr)
"""
    call = [sys.executable, "-c", code, "--help"]
    done = subprocess.run(call, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert "Files of clarify: what can be done without a run." in done.stdout
    assert done.stderr.strip() == "[]"


def test_the_version_is_printed(tmp_path: Path) -> None:
    assert signoff("--version", cwd=tmp_path).out.startswith("signoff 0.")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("signoff run ", "solution-page"), ("signoff gate wor", "word-count"), ("signoff resume la", "lamp")],
)
def test_the_shell_completes_workflows_gates_and_runs(tmp_path: Path, typed: str, offered: str) -> None:
    (tmp_path / "_workflow").mkdir()
    (tmp_path / "_workflow/status.json").write_text('{"run": "lamp", "workflow": "solution-page", "requests": []}')
    more = {"_SIGNOFF_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": typed}
    assert offered in signoff(cwd=tmp_path, **more).out


# --- fast -------------------------------------------------------------------------------------------------------------


@pytest.mark.req("LB-9")
@pytest.mark.parametrize("command", [("status", "."), ("inbox", "."), ()], ids=["status", "inbox", "alone"])
def test_signoff_alone_status_and_inbox_import_nothing_heavy(tmp_path: Path, command: tuple[str, ...]) -> None:
    for number in range(3):
        home = tmp_path / f"p{number}/_workflow"
        home.mkdir(parents=True)
        (home / "status.json").write_text(json.dumps({"run": f"r{number}", "workflow": "w", "requests": []}))
    code = WATCHED.format(heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr.strip() == "[]"
    assert "r2" in done.stdout or command[:1] == ("inbox",)


def test_an_unreadable_status_file_is_shown_beside_the_others(tmp_path: Path) -> None:
    for name, text in (("good", '{"run": "r", "workflow": "w", "stop": "complete"}'), ("torn", '{"run": ')):
        (tmp_path / name / "_workflow").mkdir(parents=True)
        (tmp_path / name / "_workflow/status.json").write_text(text)
    ended = signoff("status", cwd=tmp_path)
    assert ended.code == 0
    assert "complete" in ended.out
    assert "unreadable" in ended.out


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (UsageError("x", valid="y", repair="z"), 2, "UsageError"),
        (RefusedError("x"), 2, "RefusedError"),
        (DocumentError([_finding()]), 2, "DocumentError"),
        (CorruptError("x"), 74, "CorruptError"),
        (DefinitionError("x"), 70, "DefinitionError"),
        (ZeroDivisionError("x"), 70, "ZeroDivisionError"),
    ],
)
def test_every_error_has_its_exit_code_and_its_json(
    error: Exception, code: int, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_argv: object) -> int:
        raise error

    assert exits.guarded(fails, ["x"]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    assert exits.guarded(fails, ["x", "--json"]) == code
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["kind"] == kind
    assert isinstance(told["findings"], list)


def test_the_json_of_an_error_holds_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(_argv: object) -> int:
        raise DocumentError([_finding()])

    exits.guarded(fails, ["--json"])
    found = json.loads(capsys.readouterr().out)["error"]["findings"][0]
    assert (found["file"], found["line"], found["rule"]) == ("product.yaml", 3, "product.form")


def test_our_own_mistake_is_called_that_and_the_traceback_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(_argv: object) -> int:
        raise KeyError("gone")

    assert exits.guarded(fails, []) == 70
    said = capsys.readouterr().err
    assert "a mistake in signoff, not yours" in said
    kept = Path(said.split()[-1])
    assert "KeyError: 'gone'" in kept.read_text()
    kept.unlink()


@pytest.mark.parametrize(
    "argv",
    [
        ["nonsense"],
        ["run", "nonsense", "x"],
        ["run", "solution-page", "Not A Slug"],
        ["run", "solution-page", "x", "--runtime", "nonsense"],
        ["resume", "nobody"],
        ["status", "nowhere/at/all"],
        ["gate", "nonsense", "x.md"],
        ["gate", "structure", "missing.md"],
        ["trace", "C-X-001"],
        ["replay", "nobody"],
        ["doctor", "--runtime", "nonsense"],
        ["init", "--example", "nonsense"],
        ["demo", "solution-page", "--example", "nonsense"],
        ["reject", "x", "--gate", "final"],
        ["choose", "nobody", "more"],
        ["choose", "nobody"],
        ["answer", "nobody", "Q1=A"],
        ["answer", "nobody", "--list"],
        ["init", "--workflow", "nonsense"],
        ["init", "--example", "hardware", "--workflow", "nonsense"],
    ],
)
def test_a_wrong_call_exits_with_2_says_so_and_leaves_nothing_behind(tmp_path: Path, argv: list[str]) -> None:
    ended = signoff(*argv, cwd=tmp_path, person="Ada")
    assert ended.code == 2, ended
    assert ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []
    assert set(signoff(*argv, "--json", cwd=tmp_path, person="Ada").json) == {"error"}


def test_a_byte_of_another_encoding_is_a_wrong_call(tmp_path: Path) -> None:
    ended = signoff("run", "content", "x", "--type", "small", "--title", "caf\udce9", cwd=tmp_path)
    assert (ended.code, r"--title is 'caf\udce9', which is not UTF-8" in ended.err) == (2, True)
    assert list(tmp_path.iterdir()) == []
