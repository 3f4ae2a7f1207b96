"""Path patterns: two overlap exactly if some path is meant by both, told from every short path there is."""

from __future__ import annotations

import itertools
import re
from fnmatch import fnmatchcase
from functools import cache

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from signoff.core.permissions import may_write
from signoff.workflows.orchestration.sequence.path_patterns import LONGEST, Index, beginning, overlap, problem

pytestmark = pytest.mark.req("OR-13")

SAME = [
    ("src/a.py", "src/a.py"),
    ("src/", "src/a.py"),
    ("src/", "src/deep/a.py"),
    ("src/**", "src/deep/a.py"),
    ("src/*", "src/deep/a.py"),  # as writes are confined: a star crosses slashes
    ("src/", "src/deep/"),
    ("src/*.py", "src/test_*"),
    ("src/**/*.py", "src/a.py"),
    ("src/**/*.py", "src/x/y/a.py"),
    ("**/README.md", "README.md"),
    ("*.md", "docs/*"),
    ("src/[ab].py", "src/[bc].py"),
    ("src/[!a].py", "src/?.py"),
    ("src/a?c.py", "src/ab*.py"),
    ("*", "anything/at/all"),
    ("a[", "a["),
    ("a[b", "a?b"),
    ("docs/[]x].md", "docs/].md"),
    ("docs/用户*.md", "docs/*手册.md"),
]
OTHER = [
    ("src/a.py", "src/b.py"),
    ("src/", "src"),  # a file and a folder of one name cannot both be
    ("src/", "src2/a.py"),
    ("src/*.py", "src/*.md"),
    ("src/*.py", "lib/*.py"),
    ("src/**/*.py", "src/a.md"),
    ("src/[ab].py", "src/[cd].py"),
    ("src/[!a].py", "src/a.py"),
    ("src/?.py", "src/ab.py"),
    ("src/a*b", "src/a*c"),
    ("docs/x/", "docs/y/"),
    ("Src/", "src/a.py"),
    ("src/..?", "src/..a/b"),
]


@pytest.mark.parametrize(
    ("one", "other", "shared"), [(*pair, True) for pair in SAME] + [(*pair, False) for pair in OTHER]
)
def test_two_patterns_overlap_or_they_do_not_whichever_comes_first(one: str, other: str, shared: bool) -> None:
    assert overlap(one, other) == overlap(other, one) == shared


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "~/x",
        "C:/x",
        "../x",
        "a/../b",
        "./a",
        "a//b",
        "a/.",
        "//",
        "a\\b",
        "a\nb",
        "x" * (LONGEST + 1),
    ],
)
def test_a_path_that_leads_nowhere_good_has_a_problem_and_could_be_any(path: str) -> None:
    assert problem(path)
    assert overlap(path, "src/a.py")
    assert overlap("lib/", path)
    assert beginning(path) == ""


@pytest.mark.parametrize("path", ["a", "a/b.py", "a/", "a/**", "*", ".env", "...", "a..b", "a b/c", "文件.md", "[x]"])
def test_a_path_inside_of_the_project_has_none(path: str) -> None:
    assert problem(path) == ""


# --- against every short path -----------------------------------------------------------------------------------------

LETTERS = "ab./"
MOST = 7
PATHS = [
    path
    for length in range(1, MOST + 1)
    for letters in itertools.product(LETTERS, repeat=length)
    if not {"", ".", ".."} & {*(path := "".join(letters)).split("/")}
]
PIECES = ["a", "b", "/", ".", "*", "**", "?", "**/", "[ab]", "[!a]", "[!/]", "[a-c]"]
SHORT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join)
"""Short enough that two of them which share a path share one of the paths above."""

PATTERNS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)


def spelled_out(pattern: str) -> list[str]:
    """The same in the words of fnmatch: what is below a folder, and folders that are there or not."""
    whole = f"{pattern}*" if pattern.endswith("/") else pattern
    head = re.search(r"(?:^|(?<=/))\*\*/", whole)
    if head is None:
        return [whole]
    return [
        start + rest
        for rest in spelled_out(whole[head.end() :])
        for start in (whole[: head.end()], whole[: head.start()])
    ]


@cache
def meant(pattern: str) -> frozenset[str]:
    ways = spelled_out(pattern)
    return frozenset(path for path in PATHS if any(fnmatchcase(path, way) for way in ways))


@settings(max_examples=400)
@given(SHORT, SHORT)
@example("a/**/b", "a/b")
@example("**/**/a", "a")
@example("[!/]", "?")
@example(".?", ".*")
def test_patterns_overlap_exactly_if_a_path_is_meant_by_both(one: str, other: str) -> None:
    assume(not problem(one) and not problem(other))
    assert overlap(one, other) == (one == other or bool(meant(one) & meant(other)))


@given(PATTERNS, PATTERNS)
def test_patterns_with_a_path_in_common_always_overlap(one: str, other: str) -> None:
    assert overlap(one, other) or not meant(one) & meant(other)


@given(PATTERNS, st.sampled_from(PATHS))
def test_whatever_may_be_written_under_a_pattern_overlaps_with_it(pattern: str, path: str) -> None:
    if may_write(path, [pattern]):
        assert overlap(pattern, path)


@given(st.lists(PATTERNS, max_size=8), PATTERNS)
@example(["../x", "a"], "b")
@example(["a/b"], "../x")
def test_an_index_finds_what_a_look_at_each_finds(patterns: list[str], pattern: str) -> None:
    assert Index.of(patterns).overlapping(pattern) == sorted(one for one in set(patterns) if overlap(one, pattern))


@pytest.mark.parametrize("stars", [12, LONGEST // 4 - 1])
def test_hostile_patterns_are_compared_in_a_blink(stars: int) -> None:
    """Where a walk would try every way, this test would not end."""
    assert not overlap("a*b?" * stars + "x", "a?*b" * stars + "y")
    assert not overlap("a*" * stars + "x", "a" * (LONGEST - 1) + "y")


@pytest.mark.parametrize("stars", [2, 12, 70])
def test_patterns_that_are_too_tangled_to_tell_are_taken_for_one_path(stars: int) -> None:
    """Two such pairs took seconds each, and a hundred of them a run for good."""
    middle = ("*" + "?" * (280 // stars - 1)) * stars
    assert overlap(f"src/{middle}b?z", f"src/{middle}c?z")
