"""The budget of a project: what all its runs have used together, against what the project may use.

The sum is taken from the journals, because projections may be old. What a turn costs is known when it reports: the sum
does not count turns that other processes have in flight, so a project can be overspent by those, and by nothing else.
"""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from functools import reduce
from typing import Annotated

from pydantic import Field

from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form, Text, read_as
from signoff.core.budget import Allowance, Budget
from signoff.core.errors import DocumentError
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.state import Spend
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.store import Store

PROJECT = "_workflow/budget.yaml"
AT_ONCE = 8
"""So many turns of one provider are out at once where nobody says otherwise."""


class ProviderForm(Form):
    """What the turns of a project may ask of one provider of models."""

    at_once: Annotated[int, Field(ge=1, strict=True)] = Field(AT_ONCE, description="a whole number from 1")


class ProjectForm(Form):
    """`_workflow/budget.yaml`: a person's file; agents never write it.

    A provider has the name that stands before the colon in the names of its models.
    """

    tokens: Annotated[int, Field(ge=1, strict=True)] | None = Field(None, description="a whole number from 1")
    cost: Annotated[Decimal, Field(ge=0)] | None = Field(None, description="USD, a number from 0")
    providers: dict[Text, ProviderForm] = Field({}, description="as in {anthropic: {at_once: 4}}")


def _read(data: bytes, path: str) -> ProjectForm:
    text = decode(data, path)
    return read_as(ProjectForm, text, path, rule="budget") if text.strip() else ProjectForm()


def at_once(data: bytes, path: str = PROJECT) -> dict[str, int]:
    """How many turns of each provider may be out at once, for those that are named."""
    return {name: provider.at_once for name, provider in _read(data, path).providers.items()}


def project_budget(data: bytes, path: str = PROJECT) -> Budget:
    """What all runs of a project may use together, or DocumentError with file, line and repair."""
    form = _read(data, path)
    return Budget(
        tokens=form.tokens,
        cost=form.cost,
        larger=f"raise `{{what}}` in {path}, then resume",
        without=f"limit tokens in its place in {path}, then resume",
    )


def allowed(store: Store) -> Budget | None:
    """What the project may use, if its config limits it."""
    data = store.read(PROJECT)
    return None if data is None else project_budget(data)


class Purse:
    """The budget of the project, for one run. It reads on in the journals of other runs where it left off."""

    def __init__(self, live: LiveRun) -> None:
        self.live = live
        self._known: dict[str, tuple[int, Spend]] = {}
        self._read: bytes | None = None
        self._at_once: dict[str, int] = {}

    def at_once(self, provider: str) -> int:
        """How many turns of a provider may be out at once; while the file cannot be read, the last known number."""
        data = self.live.store.read(PROJECT)
        if data != self._read:
            self._read = data
            with suppress(DocumentError):  # the next turn that begins says what is wrong with it
                self._at_once = at_once(data or b"")
        return self._at_once.get(provider, AT_ONCE)

    async def refuses(self, *, paid: bool) -> str | None:
        """Why no turn of the project may begin now and how to go on, or None."""
        budget = allowed(self.live.store)
        why = budget.refuses(await self.spend(), paid=paid) if budget else None
        return f"in this project {why}" if why else None

    async def left(self) -> Allowance:
        """What is left for the runs of the project."""
        budget = allowed(self.live.store)
        return budget.left(await self.spend()) if budget else Allowance()

    async def spend(self) -> Spend:
        """Tokens and money of all runs; turns are counted by each run for itself."""
        total = Spend().together(self.live.state.spend)
        for folder in self.live.store.runs():
            if folder != self.live.folder:
                total = total.together(await self._of(folder))
        return total

    async def _of(self, folder: str) -> Spend:
        rev, spend = self._known.get(folder, (0, Spend()))
        for commit in await self.live.store.commits(folder, rev):
            used = [event.usage for event in commit.events if isinstance(event, (TurnReturned, TurnFailed))]
            rev, spend = commit.rev, reduce(Spend.plus, used, spend)
        self._known[folder] = (rev, spend)
        return spend
