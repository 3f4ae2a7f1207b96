"""The small design at the real command line: scripted agents take the turns, and a person types commands."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "orchestration"))
import design_project
from design_project import Case
from shell_out import Ended, signoff

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.workflow import WORKFLOW

RUN = TASK = design_project.RUN
MISSING, TRIAL = design_project.MISSING, design_project.POC
FOLDER = WORKFLOW.folder(RUN)
REQUEST = f"{FOLDER}/approval-request.md"
DOERS = ("api_agent", MISSING, "database_agent")
AGENTS = (*DOERS, "api_verifier", "cache_verifier", "database_verifier", TRIAL)
TECHNOLOGIES = ("postgresql-15",)


class Desk(Case):
    """A project and the home of whoever works in it."""

    def call(self, *args: object, person: str | None = None) -> Ended:
        return signoff(*args, cwd=self.root, person=person, HOME=str(self.folder / "home"))

    def type(self, *args: object, code: int, person: str | None = None) -> str:
        """A command that ends like this; gives what it said."""
        ended = self.call(*args, person=person)
        assert ended.code == code, ended.out + ended.err
        return ended.out + ended.err

    def copied(self, to: Path) -> Desk:
        return desk(super().copied(to))

    def files(self, below: str = places.HOME) -> dict[str, bytes]:
        """What a person finds there; folders are kept in git by files without anything in them."""
        found = (file for file in sorted((self.root / below).rglob("*")) if file.is_file() and file.name != ".gitkeep")
        made = {file.relative_to(self.root).as_posix(): file.read_bytes() for file in found}
        return {path: data for path, data in made.items() if "/__pycache__/" not in path}


def desk(case: Case) -> Desk:
    return Desk(case.folder, case.run, state=case.state)


def walk(home: Path) -> dict[str, Desk]:
    """The small design at each of its stops."""
    return {name: desk(case) for name, case in design_project.walk(home).items()}
