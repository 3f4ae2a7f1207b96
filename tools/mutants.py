"""Break the code on purpose and see which tests notice: mutmut over what `[tool.mutmut]` in pyproject.toml names.

    python tools/mutants.py                              everything (hours)
    python tools/mutants.py --only core/decide.py        one module, or a folder: --only core
    python tools/mutants.py --sample 100 --seed 7        a sample; the same seed on the same code is the same sample
    python tools/mutants.py --continue                   go on with an interrupted run

It prints, for each module, how many mutants were killed, survived, timed out or met no test, then every survivor with
its place and its diff. It is a report and no gate: the exit code is always 0.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("src/signoff")
PAGE = "workflows/solution_page"
TESTS = {  # a part on its own needs only the tests about it; the first prefix that fits counts
    "core": ("tests/core",),
    "artifacts": ("tests/artifacts",),
    f"{PAGE}/gates": ("tests/workflows/test_gates_*.py",),
    f"{PAGE}/authority": ("tests/workflows/test_authority.py", "tests/workflows/test_stages.py"),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change, and what became of it."""

    name: str
    file: Path
    status: str


def main(argv: Sequence[str] | None = None) -> int:
    options = _options(argv)
    os.chdir(ROOT)
    if not options.go_on:
        shutil.rmtree("mutants", ignore_errors=True)
    _narrow(options.only)
    names = _sample(options.sample, options.seed) if options.sample else []
    print(f"{len(names)} mutants drawn with seed {options.seed}" if names else "all mutants", flush=True)
    _run(names, options.jobs)
    report(_results(names))
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="PATH", help="a module or folder of signoff")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="draw N mutants instead of taking all")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--continue", dest="go_on", action="store_true", help="keep what an earlier run found")
    return parser.parse_args(argv)


# --- mutmut -----------------------------------------------------------------------------------------------------------


def _narrow(only: Sequence[str]) -> None:
    """mutmut's configuration is the project's; here it is cut down to the modules asked for, and to their tests."""
    if not only:
        return
    from mutmut.configuration import config

    config().only_mutate = [pattern for one in only for pattern in _patterns(one)]
    if not list(_files()):
        sys.exit(f"--only {' '.join(only)}: no such module. Repair: name one as core/decide.py, or a folder as core")
    config().pytest_add_cli_args_test_selection = sorted({tests for path in _files() for tests in _tests(path)})


def _patterns(only: str) -> tuple[str, ...]:
    path = PACKAGE / only.removeprefix(f"{PACKAGE}/")
    return (str(path),) if path.suffix else (f"{path}/*",)


def _tests(path: Path) -> list[str]:
    name = str(path.relative_to(PACKAGE))
    patterns = next((tests for prefix, tests in TESTS.items() if name.startswith(prefix)), ("tests/workflows",))
    return [str(found) for pattern in patterns for found in Path().glob(pattern)]


def _files() -> Iterator[Path]:
    from mutmut.utils.file_utils import walk_mutatable_files

    return iter(sorted(walk_mutatable_files()))


def _sample(size: int, seed: int) -> list[str]:
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name

    names = [
        get_mutant_name(path, name)
        for path in _files()
        for name in mutate_file_contents(str(path), path.read_text(encoding="utf-8")).mutant_names
    ]
    return sorted(random.Random(seed).sample(names, min(size, len(names))))


def _run(names: Sequence[str], jobs: int) -> None:
    from mutmut.__main__ import cli

    _reconcile()
    try:
        cli.main(["run", "--max-children", str(jobs), *names], standalone_mode=False)
    except (Exception, SystemExit) as stop:
        why = f"{type(stop).__name__}: {str(stop)[:300]}"
        print(f"\nmutmut stopped early ({why}): the unmutated code must pass the tests first", flush=True)


def _reconcile() -> None:
    """mutmut 3.8 and pytest 9.2 disagree in two places; both are mended here, for this process."""
    import pytest
    from _pytest import python

    if not hasattr(pytest.Item, "_nodeid"):  # the attribute's old name, which mutmut asks for
        pytest.Item._nodeid = property(lambda item: item.nodeid)
    escaped = python._ascii_escaped_by_config  # escapes what an `ids=` function gave once more at every collection

    def once(value: str | bytes, config: pytest.Config | None) -> str:
        plain = isinstance(value, str) and value.isascii() and value.isprintable()
        return str(value) if plain else escaped(value, config)

    python._ascii_escaped_by_config = once


def _results(names: Sequence[str]) -> list[Mutant]:
    from mutmut.mutation.data import SourceFileMutationData
    from mutmut.stats import status_by_exit_code

    wanted, found = set(names), []
    for path in _files():
        data = SourceFileMutationData(path=path)
        data.load()
        found += [
            Mutant(name, path, status_by_exit_code[code])
            for name, code in data.exit_code_by_key.items()
            if code is not None and (not wanted or name in wanted)
        ]
    return found


# --- the report -------------------------------------------------------------------------------------------------------


def report(mutants: Sequence[Mutant]) -> None:
    """The table, then the survivors."""
    counts: dict[Path, Counter[str]] = {}
    for mutant in mutants:
        counts.setdefault(mutant.file, Counter())[mutant.status] += 1
    print(f"\n{'module':<52}{'mutants':>8}{'killed':>8}{'survived':>9}{'timeout':>8}{'no tests':>9}{'other':>6}")
    for file, count in sorted(counts.items()):
        _row(str(file.relative_to(PACKAGE)), count)
    _row("all", sum(counts.values(), Counter()))
    for mutant in sorted(mutants, key=lambda one: (one.file, one.name)):
        if mutant.status not in ("killed", "timeout"):
            _show(mutant)


def _row(name: str, count: Counter[str]) -> None:
    columns = [count[status] for status in ("killed", "survived", "timeout", "no tests")]
    killed, survived, timeout, untested = columns
    other = count.total() - sum(columns)
    print(f"{name:<52}{count.total():>8}{killed:>8}{survived:>9}{timeout:>8}{untested:>9}{other:>6}")


def _show(mutant: Mutant) -> None:
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    diff = get_diff_for_mutant(mutant.name, path=mutant.file).splitlines()[2:]
    line = _line(mutant, diff)
    print(f"\n{mutant.file}:{line}: {mutant.status}: {mutant.name}")
    print("\n".join(f"    {text}" for text in diff if text.startswith(("-", "+"))))


def _line(mutant: Mutant, diff: Sequence[str]) -> int:
    """Where the change is: the line of the function that reads like the one taken away, nearest to where it was."""
    first, last = _span(mutant)
    taken = next(index for index, text in enumerate(diff) if text.startswith("-"))
    offset = int(re.findall(r"\d+", diff[0])[0]) + taken - 2
    source = mutant.file.read_text(encoding="utf-8").splitlines()
    same = [n for n in range(first, last + 1) if source[n - 1].strip() == diff[taken][1:].strip()]
    return min(same, key=lambda n: abs(n - first - offset), default=first)


def _span(mutant: Mutant) -> tuple[int, int]:
    from mutmut.utils.format_utils import orig_function_and_class_names_from_key

    name, owner = orig_function_and_class_names_from_key(mutant.name)
    body: list[ast.stmt] = ast.parse(mutant.file.read_text(encoding="utf-8")).body
    if owner:
        body = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == owner).body
    found = next(
        node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    )
    return found.lineno, found.end_lineno or found.lineno


if __name__ == "__main__":
    sys.exit(main())
