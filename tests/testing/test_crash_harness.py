"""The crash harness on small real processes: real system calls, real SIGKILL."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest

from signoff.testing import crash_harness, ptrace
from signoff.testing.crash_harness import Subject, UnstableError, explore, sample
from signoff.testing.ptrace import Outcome, Point, Unsupported, run_until, survey

PYTHON = (sys.executable, "-I", "-S", "-c")

SURVIVES = """
import os, zlib

def sync(path, text):
    with open(path + ".tmp", "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + ".tmp", path)

def entry(text):
    return f"{zlib.crc32(text.encode()):08x} {text}\\n"

def journal():
    with open("journal", "a+") as file:
        file.seek(0)
        lines, good = file.read().splitlines(keepends=True), []
        for line in lines:
            if line != entry(line[9:-1]):
                break
            good.append(line)
        if good != lines:
            file.truncate(len("".join(good)))
    return [line[9:-1] for line in good]

def output(step):
    if not os.path.exists(step):
        with open("../asked", "a") as file:
            file.write(step + "\\n")
        sync(step, step * 10)

for step in STEPS:
    done = journal()
    output(step)
    if step not in done:
        with open("journal", "a") as file:
            file.write(entry(step))
            file.flush()
            os.fsync(file.fileno())
    sync("state", repr(journal()))
"""

OVERWRITES = """
import os
state = eval(open("state").read()) if os.path.exists("state") else []
for step in STEPS:
    if step not in state:
        state.append(step)
        open("state", "w").write(repr(state))
"""

APPENDS = """
import os
done = open("journal").read().split() if os.path.exists("journal") else []
for step in STEPS:
    if step not in done:
        open("journal", "a").write(step + " ")
"""

ASKS_AGAIN = """
import os
if not os.path.exists("state"):
    open("../asked", "a").write("first\\n")
    open("first.tmp", "w").write("answer")
    os.rename("first.tmp", "first")
    open("state.tmp", "w").write("done")
    os.rename("state.tmp", "state")
"""

REPAIRS_IN_THE_WRONG_ORDER = """
import os
def fill():
    with open("data", "wb", buffering=0) as file:
        file.write(b"one ")
        file.write(b"two ")
if os.path.exists("dirty"):
    os.unlink("dirty")
    fill()
elif not os.path.exists("data"):
    open("dirty", "w").close()
    fill()
    os.unlink("dirty")
"""


@pytest.fixture(scope="module")
def tracing(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("probe")
    try:
        survey([*PYTHON, "pass"], cwd=folder, root=folder)
    except Unsupported as error:
        pytest.skip(f"no crash can be tried here: {error}")


@pytest.fixture
def watch(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Outcome]:
    request.getfixturevalue("tracing")

    def watch(script: str, at: Point | tuple[int, ptrace.When] | None = None, **options: float) -> Outcome:
        argv = [*PYTHON, dedent(script)]
        if at is None:
            return survey(argv, cwd=tmp_path, root=tmp_path, **options)
        return run_until(argv, at, cwd=tmp_path, root=tmp_path, **options)

    return watch


def subject(script: str, *, steps: tuple[str, ...] = ("first", "second")) -> Subject:
    return Subject(
        prepare=lambda folder: (folder / "project").mkdir(),
        argv=lambda _folder: [*PYTHON, f"import os; os.chdir('project'); STEPS = {steps!r}\n{script}"],
        observe=lambda folder: {
            path.name: path.read_text() for path in (folder / "project").iterdir() if path.suffix != ".tmp"
        },
        check=asked_again,
        root=lambda folder: folder / "project",
    )


def asked_again(at_crash: Path, at_end: Path) -> list[str]:
    def asked(folder: Path) -> list[str]:
        log = folder / "asked"
        return log.read_text().split() if log.exists() else []

    on_disk = [name for name in set(asked(at_crash)) if (at_crash / "project" / name).exists()]
    return [f"{name} was on disk and was asked for again" for name in on_disk if asked(at_end).count(name) > 1]


def kinds(outcome: Outcome) -> list[tuple[str, str]]:
    return [(point.call, point.path) for point in outcome.points if point.when == "before"]


@pytest.mark.usefixtures("tracing")
def test_a_checksummed_journal_with_atomic_files_survives_every_point(tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []

    report = explore(subject(SURVIVES), tmp_path, recovery=0, progress=lambda *numbers: seen.append(numbers))

    assert not report.failures, report
    assert not report.missed
    assert [kills[0] for kills in sorted(report.tried, key=lambda kills: report.points.index(kills[0]))] == [
        *report.points
    ]
    assert {point.call for point in report.points} == {"openat", "write", "fsync", "rename"}
    assert seen[-1] == (len(report.points), len(report.points), 0)


@pytest.mark.usefixtures("tracing")
def test_a_second_crash_in_the_recovery_is_tried_and_survived(tmp_path: Path) -> None:
    report = explore(subject(SURVIVES), tmp_path, points=6, recovery=1)

    assert not report.failures, report
    assert sum(len(kills) == 2 for kills in report.tried) == 6
    assert not list((tmp_path).glob("0*")), "folders of crashes that were survived are cleared away"


@pytest.mark.usefixtures("tracing")
def test_overwriting_a_file_in_place_is_caught_with_the_point_named(tmp_path: Path) -> None:
    report = explore(subject(OVERWRITES, steps=("first",)), tmp_path, recovery=0)

    assert [failure.point for failure in report.failures] == [
        Point(0, "openat", "state", "after"),
        Point(1, "write", "state", "before"),
        Point(1, "write", "state", "torn"),
    ]
    assert "killed after call 0 (openat state):" in str(report)
    assert "-{'exit code': 0" in str(report)
    assert "SyntaxError" in str(report)


@pytest.mark.usefixtures("tracing")
def test_appending_without_a_checksum_is_caught_at_the_torn_write(tmp_path: Path) -> None:
    report = explore(subject(APPENDS), tmp_path, recovery=0)

    assert {(failure.point.call, failure.point.path, failure.point.when) for failure in report.failures} == {
        ("write", "journal", "torn")
    }
    assert len(report.failures) == 2


@pytest.mark.usefixtures("tracing")
def test_a_failure_is_kept_on_disk_and_its_command_reproduces_it(tmp_path: Path) -> None:
    appends = subject(APPENDS)
    failure = explore(appends, tmp_path, points=[Point(1, "write", "journal", "torn")]).failures[0]
    assert appends.observe(failure.folder / "crash1") == {"journal": "fir"}

    subprocess.run(failure.reproduce, shell=True, check=True)

    folder = Path(shlex.split(failure.reproduce)[2])
    assert appends.observe(folder) == appends.observe(failure.folder / "end") == {"journal": "firfirst second "}


@pytest.mark.usefixtures("tracing")
def test_a_broken_promise_is_a_failure_though_the_files_are_equal(tmp_path: Path) -> None:
    report = explore(subject(ASKS_AGAIN), tmp_path, recovery=0)

    assert {failure.problems for failure in report.failures} == {("first was on disk and was asked for again",)}
    assert report.failures[0].point == Point(2, "rename", "first", "after")


@pytest.mark.usefixtures("tracing")
def test_a_recovery_that_survives_one_crash_and_not_two_is_caught(tmp_path: Path) -> None:
    report = explore(
        subject(REPAIRS_IN_THE_WRONG_ORDER), tmp_path, recovery="all", points=[Point(2, "write", "data", "after")]
    )

    assert (Point(2, "write", "data", "after"),) in report.tried
    assert {failure.second for failure in report.failures} >= {
        Point(0, "unlink", "dirty", "after"),
        Point(1, "openat", "data", "before"),
        Point(2, "write", "data", "torn"),
    }
    assert all(failure.second for failure in report.failures)


@pytest.mark.usefixtures("tracing")
def test_a_subject_that_ends_differently_each_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnstableError, match="leave out of observe"):
        explore(subject("open('x', 'w').write(os.urandom(8).hex())"), tmp_path)


@pytest.mark.usefixtures("tracing")
def test_where_one_undisturbed_run_has_to_do_such_a_subject_shows_as_crashes_not_survived(tmp_path: Path) -> None:
    changing = subject("open('x', 'w').write(os.urandom(8).hex())")

    assert explore(changing, tmp_path, points=1, undisturbed=1).failures


@pytest.mark.usefixtures("tracing")
def test_points_can_be_chosen_by_what_the_undisturbed_run_has(tmp_path: Path) -> None:
    report = explore(
        subject(SURVIVES), tmp_path, recovery=0, points=lambda survey: [one for one in survey if one.call == "rename"]
    )

    assert {kill.call for kills in report.tried for kill in kills} == {"rename"}


@pytest.mark.usefixtures("tracing")
def test_another_call_than_surveyed_is_killed_all_the_same_and_recorded(tmp_path: Path) -> None:
    report = explore(
        subject(APPENDS),
        tmp_path,
        recovery=0,
        points=[Point(1, "fsync", "elsewhere", "before"), Point(99, "write", "x", "after")],
    )

    assert report.strayed == [Point(1, "write", "journal", "before")]
    assert report.missed == [Point(99, "write", "x", "after")]


CHANGES = """
    import os
    os.mkdir("folder")
    file = os.open("file", os.O_CREAT | os.O_RDWR)
    os.write(file, b"0123456789")
    os.fsync(file)
    os.rename("file", "moved")
    os.link("moved", "folder/link")
    os.unlink("moved")
    os.ftruncate(file, 4)
"""


@pytest.mark.parametrize(
    ("index", "call", "happened"),
    [
        (0, "mkdir", lambda folder: (folder / "folder").exists()),
        (1, "openat", lambda folder: (folder / "file").exists()),
        (2, "write", lambda folder: (folder / "file").read_bytes() == b"0123456789"),
        (4, "rename", lambda folder: (folder / "moved").exists() and not (folder / "file").exists()),
        (5, "link", lambda folder: (folder / "folder/link").exists()),
        (6, "unlink", lambda folder: not (folder / "moved").exists()),
        (7, "ftruncate", lambda folder: (folder / "folder/link").read_bytes() == b"0123"),
    ],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_before_means_the_call_did_not_happen_and_after_that_it_did(
    watch: Callable[..., Outcome],
    tmp_path: Path,
    index: int,
    call: str,
    happened: Callable[[Path], bool],
    when: ptrace.When,
) -> None:
    outcome = watch(CHANGES, (index, when))

    assert outcome.killed is not None
    assert outcome.killed.call.removesuffix("at") == call.removesuffix("at")
    assert outcome.code == -9
    assert happened(tmp_path) == (when == "after")


def test_torn_means_that_half_of_the_bytes_arrived(watch: Callable[..., Outcome], tmp_path: Path) -> None:
    assert watch(CHANGES, (2, "torn")).killed == Point(2, "write", "file", "torn")
    assert (tmp_path / "file").read_bytes() == b"01234"


def test_a_point_that_the_run_does_not_reach_leaves_it_undisturbed(watch: Callable[..., Outcome]) -> None:
    outcome = watch(CHANGES, (99, "before"))

    assert (outcome.killed, outcome.code) == (None, 0)


def test_only_calls_that_change_the_folder_count(watch: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(tmp_path)
    outcome = watch(
        """
        import os, sys, tempfile
        print("to stdout")
        print("to stderr", file=sys.stderr)
        with tempfile.TemporaryDirectory() as other:
            open(other + "/file", "w").write("x")
            os.rename(other + "/file", other + "/moved")
        reader, writer = os.pipe()
        os.write(writer, b"x")
        open("alias/inside", "w").close()
        open("inside").read()
        here = os.open(".", os.O_RDONLY)
        os.fsync(here)
        os.unlink("inside", dir_fd=here)
        sys.exit(3)
        """
    )

    assert kinds(outcome) == [("openat", "inside"), ("fsync", "."), ("unlinkat", "inside")]
    assert (outcome.stdout, outcome.stderr, outcome.code) == ("to stdout\n", "to stderr\n", 3)


def test_threads_and_child_processes_are_followed_and_die_together(
    watch: Callable[..., Outcome], tmp_path: Path
) -> None:
    script = """
        import subprocess, sys, threading
        def work():
            open("thread", "w").write("x")
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        subprocess.run([sys.executable, "-I", "-S", "-c", "open('child', 'w').write('xx')"])
        open("parent", "w").close()
        """
    names = [("openat", "thread"), ("write", "thread"), ("openat", "child"), ("write", "child"), ("openat", "parent")]
    assert kinds(watch(script)) == names

    for index in (1, 3):
        for path in tmp_path.iterdir():
            path.unlink()
        outcome = watch(script, (index, "after"))
        assert (outcome.killed, outcome.code) == (Point(index, *names[index], "after"), -9)
        assert not (tmp_path / "parent").exists()


def test_signals_of_the_command_itself_still_reach_it(watch: Callable[..., Outcome]) -> None:
    outcome = watch(
        """
        import os, signal
        signal.signal(signal.SIGUSR1, lambda *_: print("heard"))
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGTERM)
        """
    )

    assert outcome.code == -15


def test_a_command_that_hangs_is_ended_with_all_it_started(watch: Callable[..., Outcome]) -> None:
    assert watch("import os, signal; os.fork(); signal.pause()", timeout=0.5).timed_out


@pytest.mark.usefixtures("tracing")
def test_a_command_that_does_not_exist_says_so(tmp_path: Path) -> None:
    outcome = survey(["no-such-command"], cwd=tmp_path, root=tmp_path)

    assert outcome.code == 127
    assert "no-such-command" in outcome.stderr


def test_a_machine_we_do_not_know_is_unsupported_and_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ptrace.platform, "machine", lambda: "riscv64")

    with pytest.raises(Unsupported, match=r"x86_64, aarch64, not for .* on riscv64"):
        survey([*PYTHON, "pass"], cwd=tmp_path, root=tmp_path)


@pytest.mark.usefixtures("tracing")
def test_refused_tracing_is_unsupported_with_the_reason(tmp_path: Path) -> None:
    command = [sys.executable, str(ptrace.__file__), "--root", str(tmp_path), "--", *PYTHON, "pass"]

    outcome = survey(command, cwd=tmp_path, root=tmp_path)  # who is traced already cannot be traced by another

    assert outcome.code == 2
    assert "ptrace is refused here" in json.loads(outcome.stderr)["unsupported"]


@pytest.mark.usefixtures("tracing")
def test_the_command_line_reports_and_fails_on_a_crash_that_is_not_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(crash_harness, "BAD", subject(APPENDS, steps=("first",)), raising=False)

    assert (
        crash_harness.main(["signoff.testing.crash_harness:BAD", str(tmp_path), "--points", "5", "--recovery", "0"])
        == 1
    )
    assert "1 failures" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("all", 40), (100, 40), (4, 4), (2, 2), (10, 10), (0, 0)],
)
def test_a_sample_has_the_asked_size_and_keeps_the_order(amount: crash_harness.Amount, expected: int) -> None:
    points = [Point(index, "write", f"{index}.txt", "before") for index in range(40)]
    chosen = sample(points, amount, Random(1))

    assert len(chosen) == len(set(chosen)) == expected
    assert sorted(chosen, key=lambda point: point.index) == list(chosen)


def test_a_sample_takes_every_kind_first_and_then_spreads_evenly() -> None:
    points = [Point(index, "rename" if index == 7 else "write", f"{index}.txt", "before") for index in range(40)]
    chosen = sample(points, 10, Random(1))

    assert points[7] in chosen
    assert all(any(start <= point.index < start + 10 for point in chosen) for start in range(0, 40, 10))
    assert chosen == sample(points, 10, Random(1))
