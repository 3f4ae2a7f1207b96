"""The gates on plain files: `signoff gate`, `solution-page validate` and `qa-gate`."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from signoff.core.errors import UsageError
from signoff.service.files import gate_commands

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import Ended, signoff

RONDO = "rondo-speakerphone"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    assert signoff("demo", "solution-page", folder / "page", cwd=folder).code == 0
    return folder / "page"


def _drafts(project: Path) -> tuple[Path, Path]:
    home = project / "3-drafts" / RONDO
    return home / "content-en.md", home / "content-cn.md"


def _check(gate: str, *files: Path, **more: object) -> gate_commands.Result:
    return asyncio.run(gate_commands.check(gate_commands.Asked(gate=gate, files=files, **more)))  # type: ignore[arg-type]


@pytest.mark.req("SP-10", "SP-18")
@pytest.mark.parametrize("gate", ["structure", "word-count", "links", "claims"])
def test_a_released_draft_passes_each_gate_as_a_plain_file(released: Path, gate: str) -> None:
    assert _check(gate, *_drafts(released)).findings == ()


@pytest.mark.req("SP-10")
def test_parity_takes_two_files_and_names_what_is_missing_where(released: Path, tmp_path: Path) -> None:
    en, cn = (Path(shutil.copy(file, tmp_path)) for file in _drafts(released))
    assert _check("parity", en, cn).passed
    cn.write_text(cn.read_text().replace("<!-- claim_id: C-RS-001 -->", ""))
    found = _check("parity", en, cn)
    assert [finding.about for finding in found.findings] == ["C-RS-001"]
    assert found.findings[0].file == str(cn)
    with pytest.raises(UsageError, match="two files"):
        _check("parity", en)


@pytest.mark.req("SP-18")
def test_markers_reads_the_file_as_it_is_unless_claims_are_stripped(released: Path) -> None:
    en, _ = _drafts(released)
    assert not _check("markers", en).passed
    assert _check("markers", en, strip=True).passed
    assert _check("markers", released / f"4-release/{RONDO}/content-en.md").passed


@pytest.mark.req("SP-10")
def test_claims_opens_the_evidence_of_the_registrys_project(released: Path, tmp_path: Path) -> None:
    project = shutil.copytree(released, tmp_path / "project")
    en, _ = _drafts(project)
    sheet = project / "0-sources/specs/rondo.yaml"
    sheet.write_text(sheet.read_text().replace("460", "470"))
    found = _check("claims", en).findings
    assert {finding.rule for finding in found} == {"claims.evidence"}
    assert any("460" in finding.problem for finding in found)
    lonely = Path(shutil.copy(en, tmp_path / "page-en.md"))
    with pytest.raises(UsageError, match="--registry"):
        _check("claims", lonely)
    named = _check("claims", lonely, registry=released / "_shared/claims-registry.yaml")
    assert named.passed


@pytest.mark.parametrize(
    ("name", "text", "lang"),
    [
        ("content-cn.md", "English", "cn"),
        ("page.zh.md", "English", "cn"),
        ("page-en.md", "全是中文", "en"),
        ("page.md", "这一页是中文写的", "cn"),
        ("page.md", "This page is English, with 中文 in it.", "en"),
        ("dozen.md", "zhcn is no language mark here", "en"),
        ("empty.md", "", "en"),
    ],
)
def test_the_language_comes_from_the_name_else_from_the_text(name: str, text: str, lang: str) -> None:
    assert gate_commands._language(Path(name), text.encode()) == lang


def test_a_link_to_a_file_is_looked_for_from_the_folder_of_the_page(tmp_path: Path) -> None:
    page = tmp_path / "docs/page-en.md"
    page.parent.mkdir()
    (tmp_path / "notes (old).md").write_text("x")
    (page.parent / "other.md").write_text("x")
    page.write_text("[a](other.md) [b](../notes%20%28old%29.md) [c](gone.md) <a href='other.md#x'>d</a>\n")
    found = _check("links", page).findings
    assert ["gone.md" in finding.problem for finding in found] == [True]


def test_http_mode_probes_and_refuses_private_addresses(tmp_path: Path) -> None:
    page = tmp_path / "page-en.md"
    page.write_text("[inside](http://127.0.0.1:9/)\n")
    assert _check("links", page).passed
    assert [finding.rule for finding in _check("links", page, mode="http").findings] == ["links.private"]


def test_a_template_can_be_a_file_a_shipped_one_or_the_page_types(released: Path, tmp_path: Path) -> None:
    en, _ = _drafts(released)
    lonely = Path(shutil.copy(en, tmp_path / "page-en.md"))
    assert _check("structure", lonely).passed
    assert not _check("structure", lonely, page_type="algorithm").passed
    assert not _check("structure", lonely, template="algorithm").passed
    with pytest.raises(UsageError, match="no template"):
        _check("structure", lonely, template="nonsense")


# --- the three names --------------------------------------------------------------------------------------------------


def _called(name: str, cwd: Path, *args: object) -> Ended:
    return signoff(*args, cwd=cwd, name=name)


@pytest.mark.req("SP-18")
@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("solution-page", ("validate", "--type", "structure", "good-en.md"), 0),
        ("solution-page", ("validate", "--type", "structure", "bad-en.md"), 1),
        ("solution-page", ("validate", "--type", "word-count", "good-en.md", "bad-en.md"), 1),
        ("solution-page", ("validate", "--type", "parity", "good-en.md", "good-cn.md"), 0),
        ("solution-page", ("validate", "--type", "parity", "good-en.md"), 2),
        ("solution-page", ("validate", "--type", "links", "good-en.md"), 2),
        ("solution-page", ("validate", "--type", "structure", "gone.md"), 2),
        ("qa-gate", ("--check", "links", "--mode", "format", "good-en.md"), 0),
        ("qa-gate", ("--check", "markers", "good-en.md"), 1),
        ("qa-gate", ("--check", "claims", "good-en.md"), 2),
        ("qa-gate", ("--check", "links", "--mode", "smtp", "good-en.md"), 2),
        ("qa-gate", ("--check", "structure", "good-en.md"), 2),
        ("signoff", ("gate", "structure", "bad-en.md"), 1),
    ],
)
def test_the_standalone_names_run_the_same_gates_with_the_same_exit_codes(
    released: Path, tmp_path: Path, name: str, args: tuple[str, ...], code: int
) -> None:
    for lang, file in zip(("en", "cn"), _drafts(released), strict=True):
        shutil.copy(file, tmp_path / f"good-{lang}.md")
    (tmp_path / "bad-en.md").write_text("# One\n\n# Two\n")
    ended = _called(name, tmp_path, *args)
    assert ended.code == code, ended


@pytest.mark.req("SP-10")
def test_findings_carry_file_line_rule_and_repair_in_text_and_json(tmp_path: Path) -> None:
    (tmp_path / "bad-en.md").write_text("# One\n\n# Two\n")
    text = _called("solution-page", tmp_path, "validate", "--type", "structure", "bad-en.md").out
    assert "bad-en.md:3: structure.h1: " in text
    assert "Repair: " in text
    assert text.splitlines()[-1].startswith("structure: FAIL, ")
    found = signoff("gate", "structure", "bad-en.md", "--json", cwd=tmp_path).json
    assert (found["gate"], found["pass"]) == ("structure", False)
    assert {"file", "line", "rule", "problem", "repair"} <= set(found["findings"][0])
