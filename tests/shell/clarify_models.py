"""The shipped inquiry with its turns on models: the role players sit behind a stub, a person is at the command line."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from model_kit import first, players
from shell_out import Ended, signoff

from signoff.testing.stub import Step, Stub

EXAMPLE = Path(__file__).parents[2] / "examples" / "sales-pipeline"
NAME = "sales-pipeline"
BEGIN = ("run", "clarify", NAME, "--topic", "Sales pipeline")
SITTINGS = (("research", "first"), ("deepen", "refinements"), ("decide", "deeper"))
"""What is chosen after which file of answers, as the example's README has it."""


class Asking:
    """A person at the command line of one project; `stub` is who is asked for them."""

    def __init__(self, root: Path, how: Sequence[str], stub: Stub | None) -> None:
        self.root, self.how, self.stub = root, how, stub
        self.env = stub.environment() if stub else {}

    def __call__(self, act: str, *args: str, **env: str) -> Ended:
        """One command; those that move the run say what works on it."""
        if act == "answer":
            return signoff(act, NAME, *args, cwd=self.root, person="ada")
        call = BEGIN if act == "run" else (act, NAME)
        return signoff(*call, *args, *self.how, "--json", cwd=self.root, person="ada", **{**self.env, **env})

    def through(self) -> list[int]:
        """The whole inquiry, sitting by sitting; gives the exit codes of what moved the run."""
        codes = [self("run").code]
        for choice, sitting in SITTINGS:
            assert self("answer", "--from", f"answers/{sitting}.yaml").code == 0
            codes.append(self("choose", choice).code)
        return codes


@contextmanager
def inquire(root: Path, model: str | None, steps: Sequence[Step] = ()) -> Iterator[Asking]:
    """A fresh project of the example; without a model the role players work without a stub between."""
    shutil.copytree(EXAMPLE, root, dirs_exist_ok=True)
    if model is None:
        yield Asking(root, (), None)
        return
    with Stub(first(steps, players(root, NAME))) as stub:
        yield Asking(root, ("--runtime", "model", "--model", model), stub)
