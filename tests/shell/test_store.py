"""The folder store keeps every law of the conformance suite, and a store that breaks one is found out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.journal import Commit
from signoff.testing import conformance


@pytest.mark.parametrize("law", conformance.LAWS, ids=lambda law: law.__name__)
def test_the_folder_store_keeps_the_law(law: conformance.Law, tmp_path: Path) -> None:
    asyncio.run(law(lambda: FolderStore(tmp_path)))


class _Trusting(FolderStore):
    """Enters commits whatever they were decided on."""

    async def commit(self, run: str, commit: Commit) -> None:
        head = await self.commits(run, 0)
        await super().commit(run, Commit(base=head[-1].rev if head else 0, events=commit.events))


class _Forgetful(FolderStore):
    """Leases to everybody."""

    def lease(self, run: str, turn: str) -> Any:
        return super().lease(run, f"{turn}-{id(self)}")


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (_Trusting, conformance.a_commit_on_an_old_revision_is_refused),
        (_Forgetful, conformance.a_lease_has_one_holder),
    ],
)
def test_the_suite_finds_a_store_that_breaks_a_law(
    broken: type[FolderStore], law: conformance.Law, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        asyncio.run(law(lambda: broken(tmp_path)))
