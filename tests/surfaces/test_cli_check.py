"""`signoff check` as a person calls it: exit codes, formats, explanations, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell_out import signoff

from signoff.evidence.check.rules import rules


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "good.md").write_text("# Fine\n\nNothing to say.\n")
    (tmp_path / "bad.md").write_text("# Bad\n\nTBD\n")
    return tmp_path


@pytest.mark.req("EV-14")
def test_without_findings_it_is_silent_and_ends_with_0(pages: Path) -> None:
    ended = signoff("check", "good.md", cwd=pages)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert (pages / ".signoff_cache" / ".gitignore").read_text() == "*\n"


@pytest.mark.req("EV-14")
def test_findings_end_with_1(pages: Path) -> None:
    ended = signoff("check", ".", "--no-cache", cwd=pages)
    assert ended.code == 1
    assert ended.out.startswith("bad.md:3: SC101 unfinished-marker: 'TBD' is left in the text.")
    assert not (pages / ".signoff_cache").exists()


@pytest.mark.req("EV-14")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.md"], "gone.md"),
        ([], "name files"),
        (["bad.md", "--format", "xml"], "sarif"),
        (["bad.md", "--ignore", "SC9"], "not the code of a rule"),
        (["bad.md", "--site", "wiki"], "vuepress"),
        (["bad.md", "--sources", "nowhere"], "nowhere"),
        (["bad.md", "--registry", "nowhere.yaml"], "nowhere.yaml"),
        (["--explain", "SC1000"], "SC101"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_is_valid(arguments: list[str], said: str, pages: Path) -> None:
    ended = signoff("check", *arguments, cwd=pages)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.req("EV-14")
@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("text", "bad.md:3:"),
        ("json", "{"),
        ("sarif", "{"),
        ("junit", "<?xml"),
        ("github", "::error file=bad.md,line=3,"),
    ],
)
def test_each_format_is_written_to_the_terminal_or_a_file(form: str, begins: str, pages: Path) -> None:
    ended = signoff("check", "bad.md", "--format", form, cwd=pages)
    assert (ended.code, ended.out[: len(begins)]) == (1, begins)
    other = signoff("check", "bad.md", "--format", form, "--output", "report", cwd=pages)
    assert (other.code, other.out) == (1, "")
    assert (pages / "report").read_text() == ended.out


@pytest.mark.req("EV-14")
def test_sources_pairs_and_claims_by_options(pages: Path) -> None:
    (pages / "spec.md").write_text("The Rondo speaker runs for 12 hours on a charge.\n")
    (pages / "en.md").write_text("The Rondo speaker runs for 14 hours on a charge.\n")
    (pages / "zh.md").write_text("Rondo 音箱一次充电可运行 15 小时。\n")
    options = ["--sources", "spec.md", "--pair", "en=en.md", "cn=zh.md", "--require-claims", "--format", "json"]
    ended = signoff("check", "en.md", "zh.md", *options, cwd=pages)
    codes = {each["code"] for each in json.loads(ended.out)["findings"]}
    assert {"SC601", "SC401", "SC701"} <= codes


@pytest.mark.req("EV-14")
def test_every_rule_is_explained(pages: Path) -> None:
    listed = signoff("check", "--explain", "all", cwd=pages).out
    for code, rule in rules().items():
        assert code in listed
        assert all((rule.summary, rule.why, rule.repair))
    one = signoff("check", "--explain", "SC601", cwd=pages)
    assert one.code == 0
    assert "### SC601 contradicted-number" in one.out
