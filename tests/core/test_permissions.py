"""What a turn may write and run, by the patterns of its contract."""

from __future__ import annotations

import shlex

import pytest

from signoff.core.permissions import by_product, may_run, may_write


@pytest.mark.parametrize(
    ("path", "patterns"),
    [
        ("page.md", ["page.md"]),
        ("out/a.txt", ["out/*"]),
        ("out/deep/a.txt", ["out/*"]),
        ("3-drafts/页面.md", ["3-drafts/*.md"]),
        ("two words.md", ["*.md"]),
        (".github/workflows/ci.yml", [".github/*"]),
        ("src/app/.env", ["src/*/.env"]),
        ("_workflow/notes.md", ["_workflow/notes.md"]),
    ],
)
def test_a_path_that_a_pattern_covers_may_be_written(path: str, patterns: list[str]) -> None:
    assert may_write(path, patterns)


@pytest.mark.parametrize(
    ("path", "patterns"),
    [
        ("page.md", []),
        ("other.md", ["page.md"]),
        ("PAGE.md", ["page.md"]),
        ("page.md\n", ["page.md", "*"]),
        ("out/../page.md", ["out/*"]),
        ("../page.md", ["*"]),
        ("/etc/passwd", ["*", "/etc/*"]),
        ("./page.md", ["*"]),
        ("out//a.txt", ["out/*"]),
        ("out/", ["out/*"]),
        ("", ["*"]),
        ("out\\..\\a.txt", ["out*"]),
        ("out/\u202etxt.a", ["out/*"]),
        ("out/a\x00.txt", ["out/*"]),
        ("out/\ud800", ["out/*"]),
        ("ｏut/a.txt", ["out/*"]),
        (".git/hooks/pre-commit", ["*"]),
        (".git/config", ["*/config"]),
        ("src/.git/config", ["*", "src/*", "src/*/config"]),
        ("src/app/.claude/settings.json", ["src/*", "src/app/*.json"]),
        ("src/.env", ["src/*", "src/.e*"]),
        ("_workflow/journal.jsonl", ["*", "*.jsonl"]),
    ],
)
def test_every_other_path_may_not(path: str, patterns: list[str]) -> None:
    assert not may_write(path, patterns)


@pytest.mark.parametrize(
    ("command", "patterns"),
    [
        ("make test", ["make test"]),
        ("python -m pytest", ["python -m pytest *"]),
        ("python -m pytest -q 'tests/a b.py'", ["python -m pytest *"]),
        ("ruff check src/a.py", ["ruff check src/*.py"]),
        ("npm run lint", ["make *", "npm run *"]),
        ("cat docs/a..b/c", ["cat docs/*"]),
        ("cat ../docs/a", ["cat ../docs/*"]),
        ("cat ../x", ["cat *"]),
    ],
)
def test_a_command_that_a_pattern_covers_may_be_run(command: str, patterns: list[str]) -> None:
    assert may_run(shlex.split(command), patterns)


@pytest.mark.parametrize(
    ("command", "patterns"),
    [
        ("make test", []),
        ("", ["make *"]),
        ("make", ["make test"]),
        ("make test --always", ["make test"]),
        ("make tests", ["make test"]),
        ("/tmp/make test", ["make test"]),
        ("PATH=/tmp make test", ["make test"]),
        ("make test; rm x", ["make test"]),
        ("make test && rm x", ["make test"]),
        ("rm -rf /", ["*"]),
        ("python -c 'import os'", ["python -m pytest *"]),
        ("ruff check src/a.py other.py", ["ruff check src/*.py"]),
        ("cat docs/../../.ssh/id_rsa", ["cat docs/*"]),
        ("tool --log=logs/../../x", ["tool --log=logs/*"]),
        ("tool --log=..", ["tool --log=*"]),
    ],
)
def test_every_other_command_may_not(command: str, patterns: list[str]) -> None:
    assert not may_run(shlex.split(command), patterns)


@pytest.mark.parametrize(
    ("path", "leaves", "writes", "left"),
    [
        ("src/__pycache__/a.pyc", ["*__pycache__/*"], ["src/*"], True),
        ("__pycache__/a.pyc", ["*__pycache__/*"], [], True),
        (".pytest_cache/v/x", ["*.pytest_cache/*"], ["*"], True),
        ("src/__pycache__/a.pyc", ["*__pycache__/*"], ["src/__pycache__/a.pyc"], False),
        ("src/a.py", ["*__pycache__/*"], [], False),
        ("src/a.py", [], ["src/*"], False),
    ],
)
def test_a_by_product_is_what_a_pattern_says_and_no_contract_names(
    path: str, leaves: list[str], writes: list[str], left: bool
) -> None:
    assert by_product(path, leaves, writes) is left
