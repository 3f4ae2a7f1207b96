"""Which paths a run follows by patterns: never less than a turn may write, nothing hidden that nobody named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.permissions import below, followed, may_write
from signoff.workflows.orchestration.sequence.path_patterns import overlap, problem


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("src/users/model.py", "src/users/**"),
        ("src/users/deep/model.py", "src/users/**"),
        ("src/users/deep/model.py", "src/users/*"),
        ("src/a.py", "src/**/*.py"),
        ("src/deep/er/a.py", "src/**/*.py"),
        ("a.py", "**/*.py"),
        ("tests/test_a.py", "tests/test_*.py"),
        ("docs/a.md", "docs/"),
        ("docs/deep/a.md", "docs/"),
        ("plan.md", "plan.md"),
        ("src/b.py", "src/[a-c].py"),
        ("src/d.py", "src/[!a-c].py"),
        (".github/workflows/ci.yml", ".github/*"),
        (".env", ".env"),
        ("src/.hidden", "src/.hidden"),
        ("web/node_modules/x/a.js", "web/node_modules/x/*.js"),
        ("web/node_modules/a.js", "**/node_modules/*.js"),
        ("_workflow/notes.md", "_workflow/notes.md"),
    ],
)
def test_a_path_that_a_pattern_means_is_followed(path: str, pattern: str) -> None:
    assert followed(path, ["elsewhere.md", pattern])


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("src/other/model.py", "src/users/**"),
        ("src/users", "src/users/**"),
        ("srcs/a.py", "src/**/*.py"),
        ("src/a.pyc", "src/**/*.py"),
        ("tests/deep/test_a.md", "tests/test_*.py"),
        ("docs", "docs/"),
        ("docs.md", "docs/"),
        ("plan.md.bak", "plan.md"),
        ("PLAN.md", "plan.md"),
        ("src/[a].py", "src/[a].py"),
        (".git/config", "**"),
        (".env", "*"),
        ("src/.hidden/a.py", "src/**"),
        ("src/.hidden", "src/"),
        (".venv/lib/a.py", "**/*.py"),
        ("web/node_modules/x/a.js", "web/**"),
        ("src/__pycache__/a.pyc", "src/**"),
        ("_workflow/status.json", "**"),
        ("_workflow/orchestration/run/status.json", "_workflow/**"),
        ("_workflow/notes.md", "_workflow/*.md"),
        (".github/.hidden/ci.yml", ".github/*"),
    ],
)
def test_every_other_path_is_not(path: str, pattern: str) -> None:
    assert not followed(path, [pattern])


NAMES = st.sampled_from(["a", "b.py", "ab", ".h", "_workflow", "node_modules", "[a]"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(["a", "b.py", "*", "**", "*.py", "?b", "[ab]", "a*", ".h", "_workflow", "node_modules"])
PATTERNS = st.builds(
    lambda parts, end: "/".join(parts) + end, st.lists(PIECES, min_size=1, max_size=4), st.sampled_from(["", "/"])
)


@given(PATHS, PATTERNS)
def test_what_is_followed_is_what_may_be_written_as_far_as_a_wildcard_reaches(path: str, pattern: str) -> None:
    reached = not {".h", "_workflow", "node_modules"} & {*path.split("/")}
    if reached and may_write(path, [pattern]):
        assert followed(path, [pattern])
    if followed(path, [pattern]) and not problem(path) and "[" not in path:
        assert overlap(path, pattern), "the contracts of agents mean the same by a pattern"


@given(PATHS, st.lists(PATTERNS, max_size=4))
def test_a_folder_in_which_something_is_followed_is_looked_into(path: str, patterns: list[str]) -> None:
    if not followed(path, [one for one in patterns if one != path]):
        return
    left = tuple(patterns)
    folders = path.split("/")[:-1]
    for depth in range(len(folders)):
        left = below("/".join(folders[: depth + 1]), left)
        assert left


@pytest.mark.parametrize(
    ("folder", "pattern", "looked_into"),
    [
        ("src", "src/users/**", True),
        ("src/users", "src/users/**", True),
        ("src/other", "src/users/**", False),
        ("data", "src/users/**", False),
        ("src/use", "src/use*", True),
        ("src", "src*/a.py", True),
        ("node_modules", "**", False),
        (".git", "**", False),
        ("_workflow", "_workflow/**", False),
    ],
)
def test_a_folder_where_nothing_can_be_meant_is_not_looked_into(folder: str, pattern: str, looked_into: bool) -> None:
    assert bool(below(folder, (pattern,))) is looked_into


def test_a_pattern_that_is_made_to_be_slow_is_not() -> None:
    assert not followed("/".join("a" * 60), ["**/" * 40 + "b"])
    assert not followed("/".join("a" * 60), ["**/a/" * 40 + "b"])
    assert followed("/".join("a" * 60), ["**/a/" * 40 + "**/a"])
    assert not followed("a" * 200, ["*a" * 60 + "b"])
