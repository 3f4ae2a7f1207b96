"""Docs that execute: what is generated is current, and what the pages tell people to type does what they say."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import finding_rules  # noqa: E402
import generate  # noqa: E402
import step_pictures  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/surfaces"))
import warm  # noqa: E402
from shell_out import CALL  # noqa: E402

WORKFLOWS = ROOT / "src/signoff/workflows"
OUR_OWN = (
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(WORKFLOWS.glob("*/README.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
)
"""The pages that people read about Signoff. Prompts, and the documents of examples, are material of runs."""

GENERATED = ROOT / "docs/reference"


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


# --- what is generated ------------------------------------------------------------------------------------------------


@cache
def generated() -> Mapping[Path, str]:
    return generate.generated()


@pytest.mark.req("LB-7")
@pytest.mark.parametrize("path", sorted(generated()), ids=name_of)
def test_what_is_generated_is_current(path: Path) -> None:
    assert path.read_text("utf-8") == generated()[path], f"run `make docs`: {name_of(path)} is old"


@pytest.mark.req("LB-7")
@pytest.mark.parametrize(("path", "make"), sorted(generate.drawn().items()), ids=lambda one: getattr(one, "name", ""))
def test_what_is_drawn_is_current(path: Path, make: Callable[[], str]) -> None:
    assert path.read_text("utf-8") == make(), f"run `make docs`: {name_of(path)} is old"


# --- findings ---------------------------------------------------------------------------------------------------------


@cache
def listed() -> frozenset[str]:
    page = (GENERATED / "findings.md").read_text("utf-8")
    return frozenset(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))


@pytest.mark.req("LB-7")
def test_every_rule_of_the_source_is_listed_with_cause_and_repair() -> None:
    collected = finding_rules.collect()
    assert collected.unresolved == ()
    assert {one.rule for one in collected.rules} == listed()
    assert [one for one in collected.rules if not (one.problem and one.repair)] == []


@pytest.mark.req("LB-7")
def test_every_rule_that_a_kept_run_or_a_test_knows_is_listed() -> None:
    assert _in_kept_runs() | _in_tests() <= listed()
    assert len(_in_tests()) > 100


def _in_kept_runs() -> set[str]:
    found: set[str] = set()
    for archive in (ROOT / "tests/released").glob("*.tar.xz"):
        with tarfile.open(archive) as packed:
            for member in packed:
                if member.name.endswith("journal.jsonl") and (file := packed.extractfile(member)):
                    found |= set(re.findall(r'"rule":"([^"]+)"', file.read().decode()))
    return found


def _in_tests() -> set[str]:
    """The rules that tests compare a finding's rule with; names of files and of made-up documents are none."""
    rule = re.compile(r"[a-z][a-z_-]*(\.[a-z0-9_-]+)+")
    found = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            parts = list(ast.walk(node)) if isinstance(node, ast.Compare) else []
            if any(isinstance(part, ast.Attribute) and part.attr == "rule" for part in parts):
                texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
                found |= {text for text in texts if rule.fullmatch(text)}
    return {text for text in found if not text.endswith((".md", ".yaml")) and not text.startswith("x.")}


BRANCHES = """
def f(x):
    if x:
        problem, repair = "one", "fix one"
    else:
        problem, repair = "two", "fix two"
    return Finding(rule="a.b", problem=problem, repair=repair)
"""
HELPER = """
def wrong(rule, problem, repair="r"):
    return Finding(rule=f"a.{rule}", problem=problem, repair=repair)
def f(name):
    yield wrong("b", f"no {name}")
    yield wrong("c", "p", "s")
"""
TABLE = """
TEXTS = {"b": ("p", "r"), "c": ("q", "s")}
def f():
    for rule, (problem, repair) in TEXTS.items():
        yield Finding(rule=f"a.{rule}", problem=problem, repair=repair)
"""
HANDED_ON = """
def g(make, rule):
    return make(rule, "p")
def f():
    def make(rule, problem):
        return Finding(rule=rule, problem=problem, repair="r")
    return [g(make, "a.b"), g(make, "a.c")]
"""


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ('Finding(rule="a.b", problem="p", repair="r")', {("a.b", "p", "r")}),
        (BRANCHES, {("a.b", "one", "fix one"), ("a.b", "two", "fix two")}),
        (HELPER, {("a.b", "no ‹name›", "r"), ("a.c", "p", "s")}),
        (TABLE, {("a.b", "p", "r"), ("a.c", "q", "s")}),
        (HANDED_ON, {("a.b", "p", "r"), ("a.c", "p", "r")}),
    ],
    ids=["literal", "branches", "helper", "table", "handed on"],
)
def test_rules_are_found_through_the_source(source: str, rules: set[tuple[str, str, str]], tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(source, "utf-8")
    collected = finding_rules.collect(tmp_path)
    assert ({(one.rule, one.problem, one.repair) for one in collected.rules}, collected.unresolved) == (rules, ())


@pytest.mark.parametrize(
    "source",
    [
        'def f(rule):\n    return Finding(rule=f"a.{rule}", problem="p", repair="r")',
        'def f(rule):\n    return Finding(rule=rule, problem="p", repair="r")\nf("a.b")\nmap(f, rules())',
        "def f(one):\n    return Finding(**one)",
    ],
    ids=["nobody calls it", "handed to map", "spread"],
)
def test_a_rule_that_cannot_be_listed_is_told(source: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(source, "utf-8")
    assert finding_rules.collect(tmp_path).unresolved != ()


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_steps_are_drawn_in_the_order_of_the_way_forward() -> None:
    ways = [("a", "b"), ("b", "d"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "complete")]
    order = step_pictures.ordered([step_pictures.Way(source, target, "") for source, target in ways])
    assert order == ["a", "b", "c", "d", "complete"]


# --- fences -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fence:
    """A block of code, with the comment right above it, and whether it stands right below what is typed."""

    language: str
    text: str
    note: str
    line: int
    shows_output: bool

    @property
    def runs(self) -> bool:
        return self.language in ("sh", "python") and not self.note


COMMENT = re.compile(r"<!-- ((?:not run|sample|in|run)\b.*?) -->", re.DOTALL)
LONE = "\x1e"


@cache
def fences(page: Path) -> tuple[Fence, ...]:
    found: list[Fence] = []
    tokens = MarkdownIt().parse(page.read_text("utf-8"))
    for at, token in enumerate(tokens):
        if token.type == "fence":
            before = tokens[at - 1] if at else None
            note = COMMENT.search(before.content) if before and before.type == "html_block" else None
            output = token.info == "text" and before is not None and before.type == "fence" and found[-1].runs
            found.append(Fence(token.info, token.content, note[1] if note else "", (token.map or [0])[0], output))
    return tuple(found)


WRITTEN = [page for page in OUR_OWN if GENERATED not in page.parents]
PYTHON = ROOT / "docs/guides/python.md"
ELSEWHERE = (PYTHON, *ROOT.glob("examples/*/README.md"))
"""Pages that tests of their own run."""
RUN = [page for page in WRITTEN if any(fence.runs for fence in fences(page)) and page not in ELSEWHERE]


def test_there_are_pages_that_run() -> None:
    assert len(RUN) >= 9


@pytest.mark.req("LB-7")
@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_every_fence_runs_or_says_why_not(page: Path) -> None:
    wrong = [f"{name_of(page)}:{fence.line + 1}" for fence in fences(page) if not _is_accounted_for(fence)]
    assert wrong == []


def _is_accounted_for(fence: Fence) -> bool:
    if fence.note.startswith("not run: ") or fence.note.startswith("sample: "):
        return len(fence.note.split()) > 4
    if fence.language == "json":
        json.loads(fence.text)
    elif fence.language == "yaml":
        yaml.safe_load(fence.text)
    elif fence.language == "toml":
        tomllib.loads(fence.text)
    elif not fence.runs and not fence.shows_output:
        return fence.note.startswith("in ")
    return True


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `signoff` that begins with its imports done."""
    folder = tmp_path_factory.mktemp("programs")
    warm.program(folder / "signoff", CALL)
    return folder


INSTALLED = Path(sys.executable).parent


def typed(script: str, folder: Path, *programs: Path) -> subprocess.CompletedProcess[str]:
    """Types the commands into one shell, as a person called Ada; the first folder of programs that has one wins."""
    path = os.pathsep.join([*map(str, programs), str(INSTALLED), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "SIGNOFF_PERSON": "ada", "HOME": str(folder)}
    return subprocess.run(
        ["bash", "-uo", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def played(run: Sequence[Fence], folder: Path, programs: Path, *, until_it_fails: bool = True) -> list[str]:
    """Runs the fences of a page in one shell, and gives what each printed."""
    parts = ["set -e" if until_it_fails else ""]
    for language, several in groupby(run, key=lambda fence: fence.language):
        texts = [fence.text for fence in several]
        if language == "sh":
            parts += [f"printf '{LONE}'\n{text}" for text in texts]
        else:
            parts.append(f"python -c {shlex.quote(CELLS)} {shlex.quote(json.dumps(texts))}")
    done = typed("\n".join(parts), folder, programs)
    assert done.returncode == 0 or not until_it_fails, done.stdout
    return done.stdout.split(LONE)[1:]


CELLS = """
import ast, asyncio, inspect, json, sys

async def play(cells):
    names = {}
    for cell in cells:
        print(chr(30), end="", flush=True)
        made = eval(compile(cell, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.iscoroutine(made):
            await made

asyncio.run(play(json.loads(sys.argv[1])))
"""
"""Runs cells as Jupyter does: one after the other, in a thread whose loop runs, with `await` outside of functions.

A command of the shell between two cells begins another notebook.
"""


def test_python_on_a_page_is_a_notebook(programs: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    cells = ("a = 1", "import asyncio\nawait asyncio.sleep(0)\nprint(a + 1)")
    page.write_text("```sh\necho begun\n```\n" + "".join(f"\n```python\n{cell}\n```\n" for cell in cells), "utf-8")
    assert played(fences(page), tmp_path, programs) == ["begun\n", "", "2\n"]


BEGINS_IN = {"docs/guides/claude-code.md": "hardware"}
"""The example that a page begins in, and leaves as it was; all others begin in an empty folder."""


@pytest.mark.req("SP-18", "LB-7")
@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_a_page_does_what_it_says(page: Path, programs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    if example := BEGINS_IN.get(name_of(page)):
        shutil.copytree(ROOT / "examples" / example, folder)
    else:
        folder.mkdir()
    before = sorted(folder.rglob("*"))
    run = [fence for fence in fences(page) if fence.runs]
    printed = dict(zip(run, played(run, folder, programs), strict=True))
    assert not example or sorted(folder.rglob("*")) == before
    for fence, below in pairwise(fences(page)):
        if below.shows_output:
            assert _missing(below.text, printed[fence]) == [], printed[fence]
    for fence in fences(page):
        if fence.note.startswith("in "):
            found = [path.read_text("utf-8") for path in tmp_path.rglob(fence.note.removeprefix("in "))]
            assert found
            assert _missing(fence.text, "\n".join(found)) == []


@pytest.mark.req("LB-6", "LB-7")
def test_the_page_on_python_does_what_it_says(programs: Path, tmp_path: Path) -> None:
    run = [fence for fence in fences(PYTHON) if fence.runs]
    printed = "".join(played(run, tmp_path, programs))
    first = next(fence for fence in run if fence.language == "python")
    assert len([line for line in first.text.splitlines() if line]) <= 10
    assert "'approve' is a person's act, and no person is named" in printed
    assert "+Written by hand." in printed
    decided = (tmp_path / "pipeline/sales-pipeline/context/decisions.md").read_text("utf-8")
    assert decided.startswith("---\nstatus: complete\n")
    assert '"by":"person:Ada"' in (tmp_path / "page/_workflow/journal.jsonl").read_text("utf-8").replace(" ", "")


def _missing(shown: str, printed: str) -> list[str]:
    """The lines that were not printed; three dots stand for anything."""
    lines = printed.splitlines()
    patterns = {line: re.compile(".*".join(map(re.escape, line.strip().split("…")))) for line in shown.splitlines()}
    return [line for line, pattern in patterns.items() if not any(pattern.search(one) for one in lines)]


def test_the_sentence_that_the_readme_shows_is_on_the_page(programs: Path, tmp_path: Path) -> None:
    [quoted] = re.findall(r"^> (.*)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    done = typed("signoff demo solution-page", tmp_path, programs)
    assert done.returncode == 0, done.stdout
    page = tmp_path / "demo/rondo-speakerphone/4-release/rondo-speakerphone/content-en.md"
    assert quoted in page.read_text("utf-8")


def test_the_demos_that_the_readme_names_are_there(programs: Path, tmp_path: Path) -> None:
    named = set(re.findall(r"`(signoff demo [a-z-]+)`", (ROOT / "README.md").read_text("utf-8")))
    known = typed("signoff demo", tmp_path, programs).stdout
    assert len(named) == 5
    assert [command for command in named if command not in known] == []


def test_the_job_for_github_actions_checks_a_finished_page(programs: Path, tmp_path: Path) -> None:
    [job] = [fence for fence in fences(ROOT / "docs/guides/ci-github-actions.md") if fence.note.startswith("run: ")]
    steps = [step["run"] for step in yaml.safe_load(job.text)["jobs"]["check"]["steps"] if "run" in step]
    assert steps.pop(0) == "pip install signoff"
    shutil.copytree(ROOT / "examples/hardware", tmp_path / "project")
    script = "\n".join(["set -e", "signoff run solution-page rondo-speakerphone", *steps])
    done = typed(script, tmp_path / "project", programs)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("0 findings") == 3


def test_the_installed_programs_answer(tmp_path: Path) -> None:
    done = typed("set -e; signoff --version; solution-page --help; qa-gate --help", tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("signoff 0.")


@pytest.mark.parametrize(
    ("example", "ends"),
    [
        ("hardware", [0]),
        ("algorithm", [0]),
        ("escalating", [4, 0, 4]),  # the decision between the last two is a person's
        pytest.param("sales-pipeline", [0], marks=pytest.mark.slow),  # the guides play these four too
        pytest.param("harbour-tools", [0], marks=pytest.mark.slow),
        pytest.param("heat-treatment", [3, 0], marks=pytest.mark.slow),
        pytest.param("user-management", [0], marks=pytest.mark.slow),
    ],
)
def test_an_example_runs_as_its_readme_says(example: str, ends: list[int], programs: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    run = [fence for fence in fences(ROOT / f"examples/{example}/README.md") if fence.runs]
    each = [Fence("sh", f'{fence.text}echo "ended with $?"', "", 0, False) for fence in run]
    printed = played(each, tmp_path, programs, until_it_fails=False)
    assert [int(text.rpartition("ended with ")[2]) for text in printed] == ends, "".join(printed)


# --- links ------------------------------------------------------------------------------------------------------------


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page: its headings as sites number them."""
    tokens = MarkdownIt().enable("table").parse(page.read_text("utf-8"))
    seen: Counter[str] = Counter()
    found = []
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            slug = _slug(token)
            found.append(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return frozenset(found)


def _slug(heading: Token) -> str:
    text = "".join(one.content for one in heading.children or () if one.type in ("text", "code_inline"))
    return "".join(char for char in text.lower().replace(" ", "-") if char.isalnum() or char in "-_")


def links(page: Path) -> Iterator[str]:
    for token in MarkdownIt().enable("table").parse(page.read_text("utf-8")):
        for one in token.children or ():
            if one.type in ("link_open", "image"):
                yield str(one.attrs["href" if one.type == "link_open" else "src"])


def broken(page: Path, target: str) -> bool:
    if re.match(r"[a-z]+:", target):
        parts = urlsplit(target)
        return parts.scheme != "https" or "." not in parts.netloc
    path, _, anchor = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    return not there.exists() or (bool(anchor) and anchor not in anchors(there))


@pytest.mark.req("LB-7")
def test_links_in_all_markdown_lead_somewhere() -> None:
    made = {".git", ".venv", ".tools", ".cache", "mutants", "demo", "node_modules"}
    pages = [page for page in sorted(ROOT.rglob("*.md")) if not made & set(page.relative_to(ROOT).parts)]
    assert set(OUR_OWN) <= set(pages)
    wrong = [f"{name_of(page)} -> {target}" for page in pages for target in links(page) if broken(page, target)]
    assert wrong == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b`: c\n\n## A `b`: c\n", "utf-8")
    targets = [
        "#a-b-c",
        "#a-b-c-1",
        "#a-b-c-2",
        "gone.md",
        "page.md#a-b-c",
        "page.md#no",
        "https://x",
        "https://x.org/y",
    ]
    assert [target for target in targets if broken(page, target)] == ["#a-b-c-2", "gone.md", "page.md#no", "https://x"]


# --- the shape of the pages -------------------------------------------------------------------------------------------


@pytest.mark.req("LB-7")
def test_the_readme_is_read_in_two_minutes_and_shows_first_what_you_get() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.split()) <= 900
    picture, sample, commands = (text.index(part) for part in ("docs/images/run.svg", "C-RS-003", "make demo"))
    assert picture < sample < commands
    assert len(text[:commands].split()) < 220


@pytest.mark.req("LB-7")
def test_every_page_of_the_docs_is_found_from_the_index() -> None:
    index = ROOT / "docs/README.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in links(index)}
    pages = {page for page in ROOT.glob("docs/**/*.md") if page != index and "requirements" not in page.parts}
    assert pages - linked == set()


def test_every_workflow_has_a_guide_with_its_picture() -> None:
    for readme in WORKFLOWS.glob("*/README.md"):
        name = readme.parent.name.replace("_", "-")
        assert f"../images/{name}.svg" in (ROOT / f"docs/guides/{name}.md").read_text("utf-8")


@pytest.mark.req("LB-7")
def test_the_architecture_is_one_page_and_names_files_that_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = [name for name in re.findall(r"`([\w./-]+)`", text) if name.endswith((".py", "/")) or "/" in name]
    homes = [ROOT, ROOT / "src/signoff", *(path for path in WORKFLOWS.iterdir() if path.is_dir())]
    gone = [name for name in named if not any([*home.glob(name.replace("NAME", "*").rstrip("/"))] for home in homes)]
    assert gone == []
    assert len(named) > 60
    assert len(text.splitlines()) <= 130
