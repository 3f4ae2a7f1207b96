"""The crash harness: kill a command at every call that changes its folder, start it again, compare with a quiet run.

The kill is a real SIGKILL at the system call (`signoff.testing.ptrace`), and the restarts are killed as well.

    report = explore(Subject(prepare=..., argv=..., observe=...), workdir)
    assert not report.failures, report

    python -m signoff.testing.crash_harness my_package.my_module:SUBJECT WORKDIR --points 50 --recovery 2
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import pprint
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from random import Random
from typing import Literal, TypeVar

from signoff.testing import ptrace
from signoff.testing.ptrace import Outcome, Point, Unsupported

Observation = Mapping[str, object]
Amount = int | Literal["all"]
Choose = Callable[[Sequence[Point]], Sequence[Point]]
"""Of every point of an undisturbed run, those to crash at."""
Progress = Callable[[int, int, int], None]
"""Called with first points done, first points chosen, failures so far."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The program to crash. The functions are called from several threads, each on a folder of its own.

    prepare  lays out a fresh project in an empty folder
    argv     the command that runs it in that folder and, given again, resumes it
    observe  what must be the same at the end with and without a crash; nothing in it may name the folder
    check    what must hold between a copy of the folder at the crash and the folder at the end: the broken promises
    root     the part of the folder whose calls count; calls beside it are not crashed
    """

    prepare: Callable[[Path], None]
    argv: Callable[[Path], Sequence[str]]
    observe: Callable[[Path], Observation]
    check: Callable[[Path, Path], Sequence[str]] = lambda _at_crash, _at_end: ()
    root: Callable[[Path], Path] = lambda folder: folder
    env: Mapping[str, str] | None = None
    timeout: float = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A crash that was not survived. `folder` keeps a copy at each crash and the end."""

    kills: tuple[Point, ...]
    problems: tuple[str, ...]
    folder: Path
    reproduce: str

    @property
    def point(self) -> Point:
        return self.kills[0]

    @property
    def second(self) -> Point | None:
        return self.kills[1] if len(self.kills) > 1 else None

    def __str__(self) -> str:
        where = ", then ".join(str(kill) for kill in self.kills)
        return "\n".join([f"killed {where}:", *self.problems, f"kept in {self.folder}", f"reproduce: {self.reproduce}"])


@dataclass(slots=True)
class Report:
    """What was tried.

    points    every point of the undisturbed run
    tried     the kills of each trial: one, or two in a row
    strayed   kills that met another call than the survey had in that place (threads)
    missed    points that the run ended before
    """

    points: tuple[Point, ...] = ()
    tried: list[tuple[Point, ...]] = field(default_factory=list)
    strayed: list[Point] = field(default_factory=list)
    missed: list[Point] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.tried += other.tried
        self.strayed += other.strayed
        self.missed += other.missed
        self.failures += other.failures

    def __str__(self) -> str:
        twice = sum(len(kills) > 1 for kills in self.tried)
        head = (
            f"{len(self.points)} points, {len(self.tried)} crashes tried ({twice} of them twice in a row), "
            f"{len(self.strayed)} at another call than surveyed, {len(self.missed)} never reached, "
            f"{len(self.failures)} failures"
        )
        return "\n\n".join([head, *(str(failure) for failure in self.failures)])


class UnstableError(Exception):
    """Two undisturbed runs do not end alike: nothing to compare a crash with. The subject's author must act."""

    def __init__(self, difference: str) -> None:
        super().__init__(f"two undisturbed runs differ; repair: leave out of observe() what may differ\n{difference}")


def explore(
    subject: Subject,
    workdir: Path,
    *,
    points: Amount | Choose | Sequence[Point] = "all",
    recovery: Amount = 2,
    restarts: int = 3,
    jobs: int = 2,
    seed: int = 0,
    undisturbed: int = 2,
    progress: Progress | None = None,
) -> Report:
    """Crash at the chosen points and, for each, at the chosen points of the restart after it.

    A number is a sample of so many: first one of every kind of call, then spread evenly. A restart that another signal
    ends is started again, `restarts` times in all. Before that, `undisturbed` runs are compared with each other; with
    only one, a subject that never ends the same way twice shows as crashes that were not survived. Raises
    `Unsupported` if processes cannot be traced.
    """
    workdir = Path(os.path.realpath(workdir))
    explorer = _Explorer(subject, workdir, recovery, restarts, seed)
    survey = explorer.learn(undisturbed)
    chosen = _chosen(survey, points, seed)
    report = Report(survey)
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(explorer.crash, point) for point in chosen]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                report.add(future.result())
                if progress:
                    progress(done, len(chosen), len(report.failures))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    report.failures.sort(key=lambda failure: [(kill.index, kill.when) for kill in failure.kills])
    return report


def _chosen(survey: Sequence[Point], points: Amount | Choose | Sequence[Point], seed: int) -> tuple[Point, ...]:
    if callable(points):
        return tuple(points(survey))
    return sample(survey, points, Random(seed)) if isinstance(points, int | str) else tuple(points)


def sample(points: Sequence[Point], amount: Amount, random: Random) -> tuple[Point, ...]:
    """So many of the points, in order: one of every kind (call, suffix, when) first, the rest spread evenly."""
    if amount == "all" or amount >= len(points):
        return tuple(points)
    kinds: dict[tuple[str, str, str], list[Point]] = {}
    for point in points:
        kinds.setdefault((point.call, PurePosixPath(point.path).suffix, point.when), []).append(point)
    first = spread([random.choice(alike) for alike in kinds.values()], amount, random)
    rest = [point for point in points if point not in set(first)]
    chosen = {*first, *spread(rest, amount - len(first), random)}
    return tuple(point for point in points if point in chosen)


def spread(items: Sequence[T], amount: int, random: Random) -> list[T]:
    """At most so many of the items, one at random from each of as many equal parts."""
    if amount >= len(items):
        return list(items)
    return [items[int((place + random.random()) * len(items) / amount)] for place in range(amount)]


class _Explorer:
    def __init__(self, subject: Subject, workdir: Path, recovery: Amount, restarts: int, seed: int) -> None:
        self.subject, self.workdir, self.recovery, self.restarts, self.seed = subject, workdir, recovery, restarts, seed
        self.expected: Observation = {}

    def learn(self, times: int) -> tuple[Point, ...]:
        """Runs undisturbed, so many times, and learns what must come out and where to crash."""
        _remove(self.workdir / "failed")
        first, ended = self._undisturbed("undisturbed")
        for number in range(2, times + 1):
            again, _ = self._undisturbed(f"undisturbed-{number}")
            if difference := _difference(first, again, "first run", "second run"):
                raise UnstableError(difference)
        self.expected = first
        return ended.points

    def crash(self, point: Point) -> Report:
        """Kill there, restart, judge; then the same crash again with the restart killed as well."""
        report = Report()
        folder = self._fresh(f"{point.index:05}-{point.when}")
        once = self._kill(folder, point, report)
        if once is not None:
            crash = _copy(folder, _beside(folder, "crash1"))
            ended = self._restart(folder)
            if self._passes(folder, ended, [(once, crash)], report):
                random = Random(f"{self.seed} {point.index} {point.when}")
                for second in sample(ended.points, self.recovery, random):
                    self._crash_again(folder, (once, crash), second, report)
            _remove(crash)
        _remove(folder)
        return report

    def _crash_again(self, folder: Path, first: tuple[Point, Path], second: Point, report: Report) -> None:
        _copy(first[1], folder)
        twice = self._kill(folder, second, report)
        if twice is None:
            return
        crash = _copy(folder, _beside(folder, "crash2"))
        self._passes(folder, self._restart(folder), [first, (twice, crash)], report)
        _remove(crash)

    def _passes(self, folder: Path, ended: Outcome, crashes: Sequence[tuple[Point, Path]], report: Report) -> bool:
        kills = tuple(kill for kill, _ in crashes)
        copies = [copy for _, copy in crashes]
        report.tried.append(kills)
        problems = self._problems(folder, ended, copies)
        if problems:
            kept = self._keep(folder, kills, copies)
            again = self._reproduction(folder, kept / copies[-1].suffix[1:])
            report.failures.append(Failure(kills=kills, problems=problems, folder=kept, reproduce=again))
        return not problems

    def _problems(self, folder: Path, ended: Outcome, copies: Sequence[Path]) -> tuple[str, ...]:
        said = f"the restart said: {ended.stderr[-2000:].strip() or '(nothing)'}"
        if ended.timed_out:
            return (f"the restart did not end within {self.subject.timeout:g} seconds", said)
        try:
            difference = _difference(self.expected, self._observed(folder, ended), "undisturbed", "after the crash")
            broken = [promise for copy in copies for promise in self.subject.check(copy, folder)]
        except Exception as error:  # a folder that cannot be read is a finding, not an error of the harness
            return (f"the end cannot be observed: {type(error).__name__}: {error}", said)
        return (*([difference, said] if difference else []), *dict.fromkeys(broken))

    def _observed(self, folder: Path, ended: Outcome) -> Observation:
        return {"exit code": ended.code, **self.subject.observe(folder)}

    def _undisturbed(self, name: str) -> tuple[Observation, Outcome]:
        folder = self._fresh(name)
        ended = self._survey(folder)
        if ended.timed_out:
            raise TimeoutError(
                f"an undisturbed run did not end within {self.subject.timeout:g} seconds: {ended.stderr}"
            )
        return self._observed(folder, ended), ended

    def _kill(self, folder: Path, point: Point, report: Report) -> Point | None:
        subject = self.subject
        outcome = ptrace.run_until(
            subject.argv(folder), point, cwd=folder, root=subject.root(folder), env=subject.env, timeout=subject.timeout
        )
        if outcome.killed is None:
            report.missed.append(point)
        elif outcome.killed != point:
            report.strayed.append(outcome.killed)
        return outcome.killed

    def _restart(self, folder: Path) -> Outcome:
        for _ in range(self.restarts):
            ended = self._survey(folder)
            if ended.code >= 0 or ended.timed_out:
                break
        return ended

    def _survey(self, folder: Path) -> Outcome:
        subject = self.subject
        return ptrace.survey(
            subject.argv(folder), cwd=folder, root=subject.root(folder), env=subject.env, timeout=subject.timeout
        )

    def _fresh(self, name: str) -> Path:
        folder = self.workdir / name
        _remove(folder)
        folder.mkdir(parents=True)
        self.subject.prepare(folder)
        return folder

    def _keep(self, folder: Path, kills: Sequence[Point], copies: Sequence[Path]) -> Path:
        kept = self.workdir / "failed" / "+".join(f"{kill.index:05}-{kill.when}" for kill in kills)
        for copy in copies:
            _copy(copy, kept / copy.suffix[1:])
        _copy(folder, kept / "end")
        return kept

    def _reproduction(self, folder: Path, crash: Path) -> str:
        known = os.environ
        env = [f"{key}={value}" for key, value in (self.subject.env or {}).items() if known.get(key) != value]
        place, command = (
            shlex.quote(str(folder)),
            shlex.join([*(["env", *env] if env else []), *self.subject.argv(folder)]),
        )
        return f"rm -rf {place} && cp -a {shlex.quote(str(crash))} {place} && cd {place} && {command}"


def _beside(folder: Path, what: str) -> Path:
    return folder.with_name(f"{folder.name}.{what}")


def _copy(source: Path, to: Path) -> Path:
    _remove(to)
    shutil.copytree(source, to, symlinks=True)
    return to


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def _difference(expected: Observation, found: Observation, name: str, other: str) -> str:
    if expected == found:
        return ""
    left, right = (pprint.pformat(dict(each), width=100).splitlines() for each in (expected, found))
    return "\n".join(difflib.unified_diff(left, right, name, other, n=1, lineterm=""))


def _amount(text: str) -> Amount:
    return "all" if text == "all" else int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Crash a subject; exit 1 if a crash is not survived, 77 if this machine cannot trace."""
    parser = argparse.ArgumentParser(prog="python -m signoff.testing.crash_harness", description=main.__doc__)
    parser.add_argument("subject", metavar="MODULE:NAME")
    parser.add_argument("workdir", type=Path)
    parser.add_argument("--points", type=_amount, default="all", metavar="N", help="how many, or all (default)")
    parser.add_argument("--recovery", type=_amount, default=2, metavar="N", help="second crashes for each, or all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    module, _, name = options.subject.partition(":")
    subject: Subject = getattr(importlib.import_module(module), name)
    how = {key: getattr(options, key) for key in ("points", "recovery", "jobs", "seed")}
    try:
        report = explore(subject, options.workdir, progress=_tell, **how)
    except Unsupported as error:
        print(f"skipped: {error}", file=sys.stderr)
        return 77
    print(report)
    return 1 if report.failures else 0


def _tell(done: int, total: int, failures: int) -> None:
    print(
        f"\r{done}/{total} points, {failures} failures", end="" if done < total else "\n", file=sys.stderr, flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
