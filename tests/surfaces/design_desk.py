"""The shipped example on the real command line, at each place where it stops for a person until it is approved."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shell_out import Ended, signoff

from signoff.workflows.orchestration import places

RUN, TASK = "user-management", "user_management"
FOLDER = f"_workflow/orchestration/{RUN}"
REQUEST = f"{FOLDER}/approval-request.md"
MISSING, TRIAL = "data_migration_agent", "poc_001_uniqueness_agent"
DOERS = ("api_agent", MISSING, "database_agent", "test_agent")
AGENTS = (*DOERS, "api_verifier", "data_migration_verifier", "database_verifier", "test_verifier", TRIAL)
TECHNOLOGIES = ("pytest-8", "python-3-11", "sqlite-3", "wsgi-1-0")
AT_HOME = ".claude/protocols/orchestration_research"


@dataclass(frozen=True)
class Desk:
    """A project and the home of whoever works in it; `said` is how the call ended that led to where it stands."""

    folder: Path
    said: Ended | None = None

    @property
    def heard(self) -> str:
        assert self.said is not None, "nothing was called here"
        return self.said.out

    @property
    def root(self) -> Path:
        return self.folder / "project"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def call(self, *args: object, person: str | None = None) -> Ended:
        return signoff(*args, cwd=self.root, person=person, HOME=str(self.home))

    def go(self, *args: object, code: int, person: str | None = None) -> str:
        """A call that ends like this; gives what it said."""
        ended = self.call(*args, person=person)
        assert ended.code == code, ended.out + ended.err
        return ended.out + ended.err

    def copied(self, to: Path) -> Desk:
        shutil.copytree(self.folder, to, dirs_exist_ok=True)
        return Desk(to)

    def text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))

    def edit(self, path: str, old: str, new: str) -> None:
        before = self.text(path)
        assert old in before, f"{path} has no {old!r}"
        (self.root / path).write_text(before.replace(old, new), "utf-8")

    def files(self, below: str = places.HOME) -> dict[str, bytes]:
        """What a person finds there; folders are kept in git by files without anything in them."""
        found = (file for file in sorted((self.root / below).rglob("*")) if file.is_file() and file.name != ".gitkeep")
        return {file.relative_to(self.root).as_posix(): file.read_bytes() for file in found}


STOPS: Mapping[str, tuple[object, ...]] = {
    "questions": ("run", "orchestration", RUN),
    "architecture": ("choose", RUN, "continue"),
    "roster": ("approve", RUN, "--gate", "architecture"),
    "agent": ("approve", RUN, "--gate", "roster"),
    "design": ("choose", RUN, "create"),
    "approved": ("approve", RUN, "--gate", "design", "--no-run"),
}
"""Where the example stops for a person, and the command that leads there."""


def walk(home: Path) -> dict[str, Desk]:
    """The example at each of its stops, as Ada walks through it."""
    desk = Desk(home / "start")
    desk.home.mkdir(parents=True)
    begun = signoff("init", "project", "--example", RUN, cwd=desk.folder, HOME=str(desk.home))
    assert f"$ signoff run orchestration {RUN}" in begun.out
    found = {}
    for name, command in STOPS.items():
        desk = desk.copied(home / name)
        if name == "architecture":
            said = desk.go("answer", RUN, "--from", "answers/questions.yaml", code=0)
            assert f"{RUN}: 2 of 2 questions answered" in said
        found[name] = Desk(desk.folder, desk.call(*command, person="Ada"))
        assert found[name].said.code == (0 if name == "approved" else 3), found[name].said
    return found
