"""What several modules here begin with, made once."""

from __future__ import annotations

import pytest
from article_moments import Watched


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """An article from its beginning to its end, copied after every commit."""
    project = Watched.laid_out(tmp_path_factory.mktemp("whole") / "project")
    assert isinstance(project, Watched)
    project.begin()
    assert project.to_the_end().stop == "complete"
    return project
