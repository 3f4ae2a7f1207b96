"""A new project: what is made, what is kept, and that it is of use."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.core.errors import UsageError
from signoff.service.files import new_project
from signoff.workflows.solution_page import config
from signoff.workflows.solution_page.documents import page_template, product_sheet


def test_the_starter_is_a_valid_sheet_that_fits_its_template(tmp_path: Path) -> None:
    made = new_project.start(tmp_path / "Desk Lamp 2")
    assert made.slug == "desk-lamp-2"
    assert set(made.created) == {".gitignore", "0-sources/brief.md", "0-sources/product.yaml", "_workflow/config.yaml"}
    text = (made.root / product_sheet.PRODUCT_PATH).read_text("utf-8")
    sheet = product_sheet.parse(text, product_sheet.PRODUCT_PATH)
    assert product_sheet.misfits(sheet, page_template.load_builtin(sheet.kind), text, product_sheet.PRODUCT_PATH) == ()


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "0-sources").mkdir()
    (tmp_path / "0-sources/brief.md").write_text("mine")
    made = new_project.start(tmp_path)
    assert made.kept == ("0-sources/brief.md",)
    assert (tmp_path / "0-sources/brief.md").read_text() == "mine"
    assert new_project.start(tmp_path).created == ()


@pytest.mark.parametrize("name", ["hardware", "algorithm", "escalating"])
def test_each_example_comes_with_a_config_for_its_kind_of_page(tmp_path: Path, name: str) -> None:
    made = new_project.start(tmp_path, name)
    settings = config.parse_doc((tmp_path / config.PATH).read_bytes(), config.PATH)
    sheet = product_sheet.parse((tmp_path / product_sheet.PRODUCT_PATH).read_text("utf-8"), product_sheet.PRODUCT_PATH)
    assert settings.page_type == sheet.kind
    assert made.workflow == "solution-page"
    assert made.slug in (new_project.example(name) / "README.md").read_text("utf-8")


def test_locks_leases_and_half_written_files_stay_out_of_git(tmp_path: Path) -> None:
    new_project.start(tmp_path)
    assert {".lock", ".*.tmp"} <= set((tmp_path / ".gitignore").read_text().split())


def test_an_unknown_example_or_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="hardware"):
        new_project.start(tmp_path, "nonsense")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        new_project.start(tmp_path / "file")


def test_a_copy_gets_a_fresh_numbered_folder(tmp_path: Path) -> None:
    first = new_project.copy_of("hardware", tmp_path)
    first.mkdir()
    assert new_project.copy_of("hardware", tmp_path).name == f"{first.name}-2"
