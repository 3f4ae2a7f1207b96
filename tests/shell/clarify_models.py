"""A small inquiry with its turns on models: scripted agents sit behind a stub, a person is at the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "clarify"))
from clarify_project import AGENTS, MIXED, Case, lay_out
from model_kit import first, players
from shell_out import Ended, signoff

from signoff.testing.stub import Step, Stub

NAME = Case.name
SITTINGS = ((MIXED, "research"), ({"R2.1": "A", "R7.1": "B"}, "decide"))
"""What is answered, and what is chosen then."""


class Asking:
    """A person at the command line of one project; `stub` is who is asked for them."""

    def __init__(self, root: Path, how: Sequence[str], stub: Stub) -> None:
        self.root, self.how, self.stub = root, how, stub

    def __call__(self, act: str, *args: str, **env: str) -> Ended:
        """One command; those that move the run say what works on it."""
        if act == "answer":
            return signoff(act, NAME, *args, cwd=self.root, person="ada")
        call = ("run", "clarify", NAME) if act == "run" else (act, NAME)
        return signoff(*call, *args, *self.how, "--json", cwd=self.root, person="ada", **self.stub.environment(), **env)

    def through(self) -> list[int]:
        """The whole inquiry, sitting by sitting; gives the exit codes of what moved the run."""
        codes = [self("run").code]
        for answers, choice in SITTINGS:
            assert self("answer", *(f"{key}={said}" for key, said in answers.items())).code == 0
            codes.append(self("choose", choice).code)
        return codes


@contextmanager
def inquire(root: Path, model: str, steps: Sequence[Step] = ()) -> Iterator[Asking]:
    """A fresh project of the small inquiry, at a provider that gives the steps first and then what the agents say."""
    with Stub(first(steps, players(lay_out(root), NAME, AGENTS))) as stub:
        yield Asking(root, ("--runtime", "model", "--model", model), stub)


def without_models(root: Path) -> Case:
    """The same inquiry with the agents in process."""
    case = Case(lay_out(root))
    case.run()
    for answers, choice in SITTINGS:
        case.answer(answers)
        case.choose(choice)
    return case
