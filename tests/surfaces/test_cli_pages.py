"""`signoff facts` and `signoff export`, as a person calls them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from shell_out import signoff

from signoff.artifacts import yamlio

pytestmark = pytest.mark.req("EV-15")

SHEET = "# Tarn\n\n| Item | Value |\n|---|---|\n| Weight | 460 g |\n| Battery | 6 h |\n"
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "0-sources").mkdir()
    (tmp_path / "0-sources" / "tarn.md").write_text(SHEET, encoding="utf-8")
    return tmp_path


def test_a_sheet_is_proposed_then_only_added_to(project: Path) -> None:
    ended = signoff("facts", "0-sources", cwd=project)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "weight: Weight: 460 g  (0-sources/tarn.md#L5)",
        "battery: Battery: 6 h  (0-sources/tarn.md#L6)",
        "wrote 0-sources/product.yaml: 2 facts from 1 document",
        "Check each fact against its place, remove what the page should not say, and write the empty texts.",
    ]
    sheet = project / "0-sources" / "product.yaml"
    mine = sheet.read_text(encoding="utf-8").replace("en: Weight\n", "en: Mass\n")
    sheet.write_text(mine, encoding="utf-8")
    (project / "0-sources" / "new.md").write_text("# New\n\nThe lamp takes 12 W at full power.\n", encoding="utf-8")
    ended = signoff("facts", "0-sources", "--dry-run", cwd=project)
    assert ended.out.splitlines()[-2] == "1 new fact in 2 documents; nothing was written (--dry-run)"
    assert sheet.read_text(encoding="utf-8") == mine
    told = signoff("facts", "0-sources", "--json", cwd=project).json
    assert [fact["text"] for fact in told["facts"]] == ["The lamp takes 12 W at full power."]
    assert told["facts"][0]["quantities"] == [{"value": "12", "unit": "W", "text": "12 W"}]
    grown = yamlio.load_mapping(sheet.read_text(encoding="utf-8"), "product.yaml")
    assert [fact["id"] for fact in grown["facts"]] == ["weight", "battery", "the-lamp-takes-12-w-at"]
    assert "en: Mass\n" in sheet.read_text(encoding="utf-8")
    assert "added 0 new facts" in signoff("facts", "0-sources", cwd=project).out
    signoff("facts", "0-sources/new.md", "--force", cwd=project)
    assert "Weight" not in sheet.read_text(encoding="utf-8")


def test_the_facts_of_an_example_hold_for_its_own_run(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "hardware", tmp_path / "p")
    before = (tmp_path / "p" / "0-sources" / "product.yaml").read_bytes()
    ended = signoff("facts", "0-sources/specs", cwd=tmp_path / "p")
    assert ended.code == 0
    after = (tmp_path / "p" / "0-sources" / "product.yaml").read_bytes()
    start, end = before[: before.index(b"\nsections:")], before[before.index(b"\nsections:") :]
    assert after.startswith(start.rstrip())
    assert after.endswith(end)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("no.md",), "no.md is not there"),
        (("..",), "is outside the project"),
        (("0-sources", "--into", "sheet.txt"), "--into is sheet.txt"),
        (("0-sources", "--into", "../x.yaml"), "--into is ../x.yaml"),
        (("0-sources", "--page-type", "boat"), "--page-type is 'boat'"),
    ],
)
def test_what_cannot_be_proposed_is_refused(project: Path, args: tuple[str, ...], said: str) -> None:
    (project.parent / "note.md").write_text(SHEET, encoding="utf-8")
    ended = signoff("facts", *args, "--project", project, cwd=project)
    assert ended.code == 2
    assert said in ended.err


def test_a_document_that_cannot_be_read_is_told_and_the_others_are_read(project: Path) -> None:
    (project / "0-sources" / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    ended = signoff("facts", "0-sources", cwd=project)
    assert ended.code == 1
    assert "not read: 0-sources/bad.pdf: not a readable PDF" in ended.out
    assert "2 facts from 2 documents" in ended.out


def test_a_run_is_exported_by_its_name(project: Path) -> None:
    released = project / "4-release" / "lamp"
    released.mkdir(parents=True)
    (project / "_workflow").mkdir()
    for lang, text in (("en", "# Lamp\n"), ("cn", "# 台灯\n")):
        (released / f"content-{lang}.md").write_text(text, encoding="utf-8")
    ended = signoff("export", "lamp", "--out", "site", cwd=project)
    assert ended.code == 0
    assert ended.out.splitlines() == ["wrote site/content-cn.html", "wrote site/content-en.html"]
    assert '<html lang="zh-CN">' in (project / "site" / "content-cn.html").read_text(encoding="utf-8")
    again = signoff("export", "lamp", "--out", "site", cwd=project)
    assert again.code == 2
    assert "site/content-cn.html exists" in again.err
    assert (
        signoff("export", "lamp", "--out", "site", "--force", "--json", cwd=project)
        .json["files"][0]["to"]
        .endswith("content-cn.html")
    )
    assert "neither a file nor a run" in signoff("export", "desk", cwd=project).err
