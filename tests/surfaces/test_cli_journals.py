"""How often a command opens journals: its own run's once, no other run's.

What waits is shown in the language of each run, which is in the first line of its journal.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from shell_out import NAMES, environment, toy

COUNTED = """
import json, os, sys
opened = []
def note(event, args):
    if event == "open" and str(args[0]).endswith("journal.jsonl") and not args[2] & (os.O_WRONLY | os.O_RDWR):
        opened.append(os.path.relpath(args[0]))
sys.addaudithook(note)
try:
    exec({code!r})
finally:
    print(json.dumps(opened), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page and two quizzes in one project."""
    folder = tmp_path_factory.mktemp("project")
    assert toy("init", "--example", "hardware", cwd=folder).code == 0
    assert toy("run", "solution-page", "rondo-speakerphone", "--require-final-approval", cwd=folder).code == 3
    for run in ("lamp", "vase"):
        assert toy("run", "quiz", run, cwd=folder).code == 3
    return folder


def opened(folder: Path, *args: str, name: str = NAMES["toy"]) -> list[str]:
    code = COUNTED.format(code=name)
    done = subprocess.run(
        [sys.executable, "-c", code, *args], cwd=folder, env=environment({"SIGNOFF_PERSON": "Ada"}),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    found: list[str] = json.loads(done.stderr.splitlines()[-1])
    return found


QUIZ, PAGE = "_workflow/quiz/vase/journal.jsonl", "_workflow/journal.jsonl"
LAMP = "_workflow/quiz/lamp/journal.jsonl"
EVERY = [PAGE, LAMP, QUIZ]


@pytest.mark.parametrize(
    ("args", "journals"),
    [
        (("resume", "vase"), [QUIZ]),
        (("run", "quiz", "vase"), [QUIZ]),
        (("choose", "vase"), [QUIZ]),
        (("answer", "vase", "--list"), [QUIZ]),
        (("replay", "vase"), [QUIZ]),
        (("resume", "rondo-speakerphone"), [PAGE]),
        (("trace", "C-RS-001", "--run", "rondo-speakerphone"), [PAGE]),
        (("status",), []),
        (("inbox", "vase"), [QUIZ]),
        (("diff", "vase", "lamp"), [QUIZ, LAMP]),
        ((), EVERY),
    ],
    ids=" ".join,
)
def test_a_command_reads_the_journal_of_its_run_once_and_no_other(
    project: Path, args: tuple[str, ...], journals: list[str]
) -> None:
    assert opened(project, *args) == journals


@pytest.mark.parametrize(
    "args", [("trace", "C-RS-001"), ("cost",), ("cost", "vase"), ("doctor",), ("chat",)], ids=" ".join
)
def test_a_command_about_all_runs_reads_each_journal_once(project: Path, args: tuple[str, ...]) -> None:
    assert sorted(opened(project, *args)) == EVERY


API = "import asyncio; from signoff import open_project; from pathlib import Path; asyncio.run({call})"
MCP = f"{NAMES['toy'].partition('from')[0]}{API}".replace(
    "from signoff import open_project", "from signoff.surfaces.mcp.tools import Desk"
)
TOY_API = f"{NAMES['toy'].partition('from')[0]}{API}"


@pytest.mark.parametrize(
    ("code", "journals"),
    [
        (TOY_API.format(call="open_project('.').run('vase')"), [QUIZ]),
        (TOY_API.format(call="open_project('.').start('quiz', 'vase')"), [QUIZ]),
        (TOY_API.format(call="open_project('.').runs()"), EVERY),
        (MCP.format(call="Desk(Path('.')).next_turn('vase')"), [QUIZ]),
        (MCP.format(call="Desk(Path('.')).get_status('vase')"), [QUIZ]),
        (MCP.format(call="Desk(Path('.')).start_run('quiz', 'vase')"), [QUIZ]),
        (MCP.format(call="Desk(Path('.')).list_runs()"), []),
        (MCP.format(call="Desk(Path('.')).trace_id('C-RS-001')"), EVERY),
    ],
    ids=["run", "start", "runs", "next_turn", "get_status", "start_run", "list_runs", "trace_id"],
)
def test_a_call_of_the_api_or_of_a_host_reads_each_journal_once(project: Path, code: str, journals: list[str]) -> None:
    assert sorted(opened(project, name=code)) == journals


def test_a_new_run_reads_no_journal_but_the_one_that_lies_in_the_home_of_all(project: Path) -> None:
    assert opened(project, "run", "quiz", "bowl") == [PAGE]
