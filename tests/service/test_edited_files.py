"""The cheap look at the documents of a run: what it reads, what it does not, and what it makes of odd files."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from signoff.service.edited_files import STAMPS, edited, told

TEXT = b"as it was\n"
SHA = hashlib.sha256(TEXT).hexdigest()


def listed(*paths: str, places: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"files": dict.fromkeys(paths, SHA), "places": list(places)}


def stamped(root: Path, *paths: str, sha: str = SHA) -> None:
    found = {path: (root / path).stat() for path in paths}
    stamps = {path: [sha, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for path, stat in found.items()}
    (root / STAMPS).write_text(json.dumps(stamps))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.md").write_bytes(TEXT)
    return tmp_path


def look(root: Path, documents: object) -> dict[str, str]:
    return edited(str(root), str(root), documents)


def test_a_file_that_was_touched_is_no_edit(root: Path) -> None:
    stamped(root, "in/a.md")
    os.utime(root / "in/a.md")
    assert look(root, listed("in/a.md")) == {}


def test_a_file_whose_size_and_times_are_as_noted_is_not_read(root: Path) -> None:
    (root / "in/a.md").write_bytes(b"other words")
    stamped(root, "in/a.md")
    assert look(root, listed("in/a.md")) == {}
    (root / STAMPS).unlink()
    assert look(root, listed("in/a.md")) == {"in/a.md": "changed"}


def test_a_digest_that_was_noted_of_bytes_which_the_run_does_not_know_is_an_edit(root: Path) -> None:
    stamped(root, "in/a.md", sha="0" * 64)
    assert look(root, listed("in/a.md")) == {"in/a.md": "changed"}


@pytest.mark.parametrize("noted", ["", "[]", "{", '{"in/a.md": 3}', '{"in/a.md": [1, 2, 3, 4]}', "[" * 100_000])
def test_notes_that_were_cut_off_or_make_no_sense_only_cost_reading(root: Path, noted: str) -> None:
    (root / STAMPS).write_text(noted)
    assert look(root, listed("in/a.md")) == {}
    (root / "in/a.md").write_bytes(b"edited")
    assert look(root, listed("in/a.md")) == {"in/a.md": "changed"}


def test_files_that_vanish_alone_or_with_their_folder_are_gone(root: Path) -> None:
    (root / "in/a.md").unlink()
    assert look(root, listed("in/a.md", places=("in/",))) == {"in/a.md": "gone"}
    shutil.rmtree(root / "in")
    assert look(root, listed("in/a.md", places=("in/",))) == {"in/a.md": "gone"}
    (root / "in").write_text("a file now")
    assert look(root, listed("in/a.md", places=("in/",))) == {"in/a.md": "gone"}


def test_new_files_are_found_where_sources_are_and_hidden_ones_are_not_looked_at(root: Path) -> None:
    (root / "in/deep").mkdir()
    for name in ("b.md", "deep/c.md", ".hidden", "~x"):
        (root / "in" / name).write_text("new")
    (root / "out.md").write_text("new")
    found = look(root, listed("in/a.md", places=("in/", "out.md", "none.md")))
    assert found == dict.fromkeys(("in/b.md", "in/deep/c.md", "in/~x", "out.md"), "new")


def test_a_link_counts_by_what_it_leads_to_and_one_that_leads_out_is_an_edit(root: Path) -> None:
    project = root / "project"
    project.mkdir()
    (project / "real.md").write_bytes(TEXT)
    (project / "link.md").symlink_to("real.md")
    (root / "away.md").write_bytes(TEXT)
    (project / "out.md").symlink_to(root / "away.md")
    (project / "loop.md").symlink_to("loop.md")
    (project / "none.md").symlink_to("nothing")
    documents = listed("link.md", "out.md", "loop.md", "none.md")
    expected = {"out.md": "changed", "loop.md": "changed", "none.md": "gone"}
    assert edited(str(project), str(project), documents) == expected
    (project / "real.md").write_bytes(b"edited")
    assert edited(str(project), str(project), documents) == {"link.md": "changed", **expected}


def test_a_pipe_or_a_folder_in_the_place_of_a_file_is_an_edit_and_is_not_waited_for(root: Path) -> None:
    (root / "in/a.md").unlink()
    os.mkfifo(root / "in/a.md")
    (root / "in/b.md").mkdir()
    assert look(root, listed("in/a.md", "in/b.md")) == {"in/a.md": "changed", "in/b.md": "changed"}


@pytest.mark.parametrize(
    "documents",
    [
        None,
        [],
        {},
        {"files": {}},
        {"files": [], "places": []},
        {"files": {"../in/a.md": SHA}, "places": []},
        {"files": {"/etc/passwd": SHA}, "places": []},
        {"files": {"in/a.md": "0"}, "places": ["../"]},
        {"files": {"in/a.md": "0"}, "places": [3]},
        {"files": {"in/\0": "0"}, "places": []},
    ],
)
def test_a_list_that_the_code_did_not_write_is_left_alone(root: Path, documents: Mapping[str, Any] | None) -> None:
    assert look(root, documents) == {}


def test_a_name_that_no_file_can_have_is_an_edit(root: Path) -> None:
    assert look(root, {"files": {"in/\ud800": "0"}, "places": []}) == {"in/\ud800": "changed"}


def test_what_was_edited_is_told_in_few_words() -> None:
    found = {f"{name}.md": "changed" for name in "abcd"} | {"0.md": "gone", "1.md": "new"}
    assert told(found) == "0.md is gone, 1.md is new, a.md changed, and 3 more"
