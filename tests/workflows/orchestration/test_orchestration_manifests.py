"""Manifests: which files an agent has written, in which version."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration import manifests
from signoff.workflows.orchestration.manifests import Manifest
from signoff.workflows.orchestration.work import Worker

AT = 1727539800
A, B = "a" * 64, "b" * 64
PATH = "orchestration/agents/api_agent/task_output/manifest.json"
FILE: dict[str, Any] = {"path": "src/api.py", "sha256": A, "version": 2, "written_at": AT}


@pytest.mark.req("OR-29")
def test_the_manifest_has_every_file_with_the_version_it_was_last_changed_in() -> None:
    worker = Worker(
        task_id=f"api_{AT}",
        version=2,
        files={"src/api.py": A, "docs/api.md": B},
        written={"src/api.py": (2, AT + 60), "docs/api.md": (1, AT), "gone.py": (1, AT)},
    )
    made = Manifest.of(worker)
    assert json.loads(manifests.render(made)) == {
        "version": 2,
        "files": [
            {"path": "docs/api.md", "sha256": B, "version": 1, "written_at": AT},
            {"path": "src/api.py", "sha256": A, "version": 2, "written_at": AT + 60},
        ],
    }
    assert manifests.parse(manifests.render(made).encode(), PATH) == made


@pytest.mark.req("OR-29")
@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"version": 0, "files": []}, "`version` is 0; valid: a whole number from 1"),
        (
            {"version": 2, "files": [{**FILE, "sha256": "abc"}]},
            "`files[0].sha256` is 'abc'; valid: 64 hexadecimal digits",
        ),
        ({"version": 1, "files": [FILE]}, "src/api.py: changed in a version after 1, that of the manifest"),
        ({"version": 2, "files": [FILE, FILE]}, "src/api.py: there is more than one entry of this path"),
        ({"version": 2, "files": [{**FILE, "written_at": 1.5}]}, "`files[0].written_at` is 1.5"),
        ({"files": []}, "`version` is missing"),
    ],
)
def test_a_manifest_that_does_not_add_up_is_refused(plain: dict[str, Any], said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        manifests.parse(json.dumps(plain).encode(), PATH)
    assert said in str(caught.value)
