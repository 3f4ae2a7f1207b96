"""What several modules here begin with, made once."""

from __future__ import annotations

import design_desk
import pytest


@pytest.fixture(scope="session")
def stops(tmp_path_factory: pytest.TempPathFactory) -> dict[str, design_desk.Desk]:
    """The small design at each of its stops until it is approved."""
    return design_desk.walk(tmp_path_factory.mktemp("walk"))
