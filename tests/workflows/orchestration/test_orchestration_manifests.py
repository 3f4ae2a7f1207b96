"""Manifests: which files an agent has written, in which version."""

from __future__ import annotations

import json

import pytest

from signoff.artifacts import jsonio
from signoff.workflows.orchestration.work.progress import Worker
from signoff.workflows.orchestration.work.work_files import Manifest

AT = 1727539800
A, B = "a" * 64, "b" * 64


@pytest.mark.req("OR-29")
def test_the_manifest_has_every_file_with_the_version_it_was_last_changed_in() -> None:
    worker = Worker(
        task_id=f"api_{AT}",
        version=2,
        files={"src/api.py": A, "docs/api.md": B},
        written={"src/api.py": (2, AT + 60), "docs/api.md": (1, AT), "gone.py": (1, AT)},
    )
    assert json.loads(jsonio.render(Manifest.of(worker))) == {
        "version": 2,
        "files": [
            {"path": "docs/api.md", "sha256": B, "version": 1, "written_at": AT},
            {"path": "src/api.py", "sha256": A, "version": 2, "written_at": AT + 60},
        ],
    }
