"""A journal that was cut, changed, emptied or taken away is noticed, named, and never written over."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from signoff.core.errors import CorruptError, RefusedError, SignoffError, UsageError
from signoff.core.events import DocsChanged
from signoff.shell.run.journal import Commit, Tail, decode, encode

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))
from page_project import RONDO, Case, files, journal, lay_out, raws

JOURNAL = "_workflow/journal.jsonl"


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay_out(tmp_path_factory.mktemp("complete") / "page")
    assert Case(root).run().stop == "complete"
    return root


PRICED = ("_workflow/turns/", "_workflow/journal.jsonl", "_workflow/status.json")
"""Where a turn by hand differs from one of a runtime: nobody knows what it cost."""


@pytest.fixture
def case(complete: Path, tmp_path: Path) -> Case:
    """A copy of a complete run, to be damaged."""
    shutil.copytree(complete, tmp_path / "page")
    return Case(tmp_path / "page")


def refused(case: Case, *, after: dict[str, str]) -> str:
    """What every way into the run says; nothing is written by any of them."""
    said = []
    for act in (case.refresh, case.begin):
        with pytest.raises(SignoffError) as caught:
            act()
        said.append(str(caught.value))
        assert files(case.root) == after
    assert isinstance(caught.value, CorruptError), caught.value
    assert "journal" in said[-1]
    assert "Repair: " in said[-1]
    return said[-1]


@pytest.mark.req("SP-20")
@pytest.mark.parametrize("kept", [1, 100, -1])
def test_a_line_cut_in_the_middle_was_never_committed_and_the_run_goes_on(
    complete: Path, tmp_path: Path, kept: int
) -> None:
    """The state of the disk when power went while the third turn was being committed."""
    ahead, case = Case(_at(tmp_path / "ahead", 3)), Case(_at(tmp_path / "page", 2))
    whole = journal(case.root)
    (case.root / JOURNAL).write_bytes(whole + journal(ahead.root)[len(whole) :][:kept])
    assert case.refresh().rev == len(_events(whole))
    assert case.drive().stop == "complete"
    assert files(case.root, *PRICED) == files(complete, *PRICED)
    assert raws(case.root) == raws(complete)


def _at(root: Path, turns: int) -> Path:
    case = Case(lay_out(root))
    case.begin()
    case.play(turns)
    return root


def _events(data: bytes) -> list[object]:
    return [event for line in data.splitlines() for event in json.loads(line)["events"]]


def _without_last(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:-1])


def _without_middle(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:2], *lines[3:]])


def _swapped(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([lines[0], lines[2], lines[1], *lines[3:]])


def _byte_changed(data: bytes) -> bytes:
    return data.replace(b"agent:copywriter", b"agent:copywriteR", 1)


def _invalid_byte(data: bytes) -> bytes:
    return data[: len(data) // 2] + b"\xff" + data[len(data) // 2 + 1 :]


def _garbage(data: bytes) -> bytes:
    return data + b"not a line of mine\n"


def _carriage_returns(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _twice(data: bytes) -> bytes:
    return data + data.splitlines(keepends=True)[-1]


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (_without_middle, 3),
        (_swapped, 2),
        (_byte_changed, 3),
        (_invalid_byte, None),
        (_garbage, 7),
        (_carriage_returns, 1),
        (_twice, 7),
        (lambda data: b"\n" + data, 1),
        (lambda data: b"\0" * 4096 + b"\n" + data, 1),
        (lambda data: b"\xef\xbb\xbf" + data, 1),
    ],
)  # fmt: skip
def test_a_journal_that_does_not_add_up_is_named_with_its_line(
    case: Case, damage: Callable[[bytes], bytes], line: int | None
) -> None:
    (case.root / JOURNAL).write_bytes(damage(journal(case.root)))
    said = refused(case, after=files(case.root))
    assert "does not add up" in said
    assert f"{JOURNAL}:{line}:" in said if line else f"{JOURNAL}:" in said


@pytest.mark.parametrize("damage", [_without_last, lambda _: b""])
def test_missing_lines_at_the_end_are_noticed_because_the_status_is_ahead(
    case: Case, damage: Callable[[bytes], bytes]
) -> None:
    (case.root / JOURNAL).write_bytes(damage(journal(case.root)))
    with pytest.raises(CorruptError, match=r"lines are missing at the journal's end.*Repair: restore journal.jsonl"):
        case.begin() if not journal(case.root) else case.refresh()


@pytest.mark.parametrize("also", [(), ("status.json",), ("status.json", "state.yaml")])
def test_a_deleted_journal_is_never_begun_again_over_what_is_left(case: Case, also: tuple[str, ...]) -> None:
    (case.root / JOURNAL).unlink()
    for name in also:
        (case.root / "_workflow" / name).unlink()
    before = files(case.root, "_workflow/objects/")
    with pytest.raises(CorruptError, match=r"Repair: restore journal.jsonl"):
        case.begin()
    assert files(case.root, "_workflow/objects/") == before
    with pytest.raises(UsageError, match="there is no run"):
        case.refresh()


def test_a_restored_journal_is_all_that_is_needed(complete: Path, tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")
    (root / "_workflow").mkdir()
    shutil.copy(complete / JOURNAL, root / "_workflow")
    shutil.copy(complete / "_workflow/config.yaml", root / "_workflow")
    shutil.copytree(complete / "_workflow/turns", root / "_workflow/turns")
    shutil.copytree(complete / "_workflow/objects", root / "_workflow/objects")
    assert Case(root).refresh().stop == "complete"
    assert files(root) == files(complete)


def _resealed(data: bytes, change: Callable[[dict[str, object]], object]) -> bytes:
    """A journal that somebody rewrote with its checksums."""
    from signoff.shell.run.journal import FIRST, _seal

    seal, lines = FIRST, []
    for line in data.splitlines():
        entry = json.loads(line)
        del entry["seal"]
        change(entry)
        body = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        seal = _seal(seal, body.encode())
        lines.append(f'{{"seal":"{seal}",{body[1:]}\n'.encode())
    return b"".join(lines)


def test_a_journal_of_another_workflow_version_is_refused_with_both_versions(case: Case) -> None:
    def older(entry: dict[str, object]) -> None:
        for event in entry["events"]:  # type: ignore[attr-defined]
            if event["type"] == "started":
                event["version"] = 0

    (case.root / JOURNAL).write_bytes(_resealed(journal(case.root), older))
    before = files(case.root)
    with pytest.raises(RefusedError, match=r"version 0 of solution-page, this is version 1.*Repair: finish it with"):
        case.refresh()
    assert files(case.root) == before


def test_an_event_of_a_newer_signoff_is_refused_without_a_guess(case: Case) -> None:
    def newer(entry: dict[str, object]) -> None:
        entry["events"][-1]["type"] = "dreamt"  # type: ignore[index]

    (case.root / JOURNAL).write_bytes(_resealed(journal(case.root), newer))
    assert "what this version of Signoff does not know" in refused(case, after=files(case.root))


def test_a_forged_approval_with_good_checksums_is_not_legal(case: Case) -> None:
    """Whoever can write the journal can write anything; but what the rules do not allow, no journal can say."""

    def forged(entry: dict[str, object]) -> None:
        events: list[dict[str, object]] = entry["events"]  # type: ignore[assignment]
        events[:] = [
            {"type": "answered", "id": "x", "at": "", "by": "person:eve", "request": "final-1", "act": "approve"}
            if event["type"] == "turn_returned"
            else event
            for event in events
        ]

    (case.root / JOURNAL).write_bytes(_resealed(journal(case.root), forged))
    assert "is not legal: request 'final-1' is not open" in refused(case, after=files(case.root))


def test_a_character_that_stands_for_a_broken_byte_does_not_hide_one() -> None:
    commit = Commit(base=0, events=(DocsChanged(id="a\ufffdb", at="", by="person", docs={}),))
    line = encode(commit, Tail())
    assert list(decode(line, Tail(), "j")[0]) == [commit]
    with pytest.raises(CorruptError):
        decode(line.replace("\ufffd".encode(), b"\xff"), Tail(), "j")


def test_the_run_of_another_page_is_not_begun_in_the_same_project(case: Case) -> None:
    before = files(case.root)
    with pytest.raises(RefusedError, match=f"already holds the solution-page run '{RONDO}'.*Repair: go on with"):
        Case(case.root, "other-page").begin()
    assert files(case.root) == before
