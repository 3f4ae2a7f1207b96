"""A check over files: config, pairs, sources, registry, exemptions, cache, several processes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from signoff.core.errors import UsageError
from signoff.service.check import checker, config
from signoff.service.check.report import Report

REGISTRY = """\
claims:
  C-RS-001:
    text: Rondo runs for 14 hours.
    status: unverified
    risk_level: medium
    category: feature
    evidence:
      - path: spec.md
        line: 3
    added_by: strategist
  C-RS-002:
    status: reserved
"""


def written(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())


def report(folder: Path, *files: str, cache: Path | None = None, jobs: int = 1, **settings: object) -> Report:
    found = config.find(folder)
    changed = config.replace(found, **settings)  # type: ignore[arg-type]
    return checker.check(checker.Request(files=files, config=changed, base=folder, cache=cache, jobs=jobs))


def told(found: Report) -> list[tuple[str, int, str]]:
    return [(each.file, each.line, each.rule.code) for each in found.findings]


# --- which files ------------------------------------------------------------------------------------------------------


@pytest.mark.req("EV-14")
def test_files_folders_and_patterns_name_pages(tmp_path: Path) -> None:
    written(
        tmp_path, {"a.md": "TBD\n", "b/c.md": "TBD\n", "b/d.mdx": "TBD\n", "b/e.txt": "TBD\n", "b/.git/f.md": "TBD\n"}
    )
    assert {file for file, _, _ in told(report(tmp_path, "."))} == {"a.md", "b/c.md", "b/d.mdx"}
    assert {file for file, _, _ in told(report(tmp_path, "**/*.md"))} == {"a.md", "b/c.md"}
    assert {file for file, _, _ in told(report(tmp_path, "b/e.txt", "b"))} == {"b/c.md", "b/d.mdx", "b/e.txt"}
    assert report(tmp_path, "b", exclude=("b/c.md",)).files == ["b/d.mdx"]


@pytest.mark.parametrize("name", ["gone.md", "*.nothing", ""])
def test_a_file_that_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        report(tmp_path, *([name] if name else []))


def test_a_page_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"# a\n\xff\xfe\x00")
    (tmp_path / "b.md").write_bytes("# ü".encode("utf-16"))
    assert {code for _, _, code in told(report(tmp_path, "."))} == {"SC001"}


# --- links across pages -----------------------------------------------------------------------------------------------


@pytest.mark.req("EV-14")
def test_links_between_pages_are_joined(tmp_path: Path) -> None:
    written(tmp_path, {"a.md": "[b](b/c.md#here) [c](b/c.md#gone) [d](d.md)\n[e](/b/c)\n", "b/c.md": "# Here\n"})
    assert told(report(tmp_path, "a.md")) == [("a.md", 1, "SC202"), ("a.md", 1, "SC203")]
    assert told(report(tmp_path, "a.md", site_root=str(tmp_path / "b"))) == [
        ("a.md", 1, "SC202"), ("a.md", 1, "SC203"), ("a.md", 2, "SC202"),
    ]  # fmt: skip
    assert len(told(report(tmp_path, "a.md", site_root=str(tmp_path)))) == 2


# --- exemptions -------------------------------------------------------------------------------------------------------


@pytest.mark.req("EV-14")
@pytest.mark.parametrize(
    "text",
    [
        "TBD <!-- signoff-ignore SC101: quoted -->\n",
        "<!-- signoff-ignore SC101: quoted -->\nTBD\n",
        "<!-- signoff-ignore SC101, SC104: both -->\n\nTBD and [a](#)\nand TBD\n",
        "TBD\n\n<!-- signoff-ignore-file SC101: a page on markers -->\n",
    ],
)
def test_a_comment_turns_a_rule_off_for_its_lines_or_its_file(text: str, tmp_path: Path) -> None:
    written(tmp_path, {"a.md": text})
    found = report(tmp_path, "a.md")
    assert told(found) == []
    assert found.ignored >= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TBD <!-- signoff-ignore SC102: wrong rule -->\n", [("a.md", 1, "SC003"), ("a.md", 1, "SC101")]),
        ("TBD <!-- signoff-ignore SC101 -->\n", [("a.md", 1, "SC002"), ("a.md", 1, "SC101")]),
        ("TBD <!-- signoff-ignore TODO: x -->\n", [("a.md", 1, "SC002"), ("a.md", 1, "SC101")]),
        ("ok <!-- signoff-ignore SC101: nothing -->\n", [("a.md", 1, "SC003")]),
        ("ok <!-- signoff-ignore SC601: needs sources -->\n", []),
        ("<!-- signoff-ignore SC101: first -->\nTBD\n\nTBD\n", [("a.md", 4, "SC101")]),
        ("`<!-- signoff-ignore SC101: code -->` TBD\n", [("a.md", 1, "SC101")]),
        ("ok <!-- no-claim -->\n", [("a.md", 1, "SC002")]),
    ],
)
def test_a_comment_that_exempts_nothing_or_badly_is_told(
    text: str, expected: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    written(tmp_path, {"a.md": text})
    assert told(report(tmp_path, "a.md")) == expected


@pytest.mark.req("EV-3")
def test_an_entry_of_the_list_that_exempts_nothing_is_told(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "signoff.toml": '[check]\nrequire-claims = true\nno-claims = ["300 g", "never said"]\n',
            "a.md": "It has 300 g.\n",
        },
    )
    found = report(tmp_path, "a.md")
    assert [code for _, _, code in told(found)] == ["SC003"]
    assert found.exempted["list: 300 g"] == 1


# --- config -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("EV-14")
@pytest.mark.parametrize(("name", "table"), [("signoff.toml", "check"), ("pyproject.toml", "tool.signoff.check")])
def test_a_config_turns_rules_on_and_off(name: str, table: str, tmp_path: Path) -> None:
    text = f'[{table}]\nignore = ["SC1"]\nselect = ["SC501"]\nseverity = {{SC501 = "error"}}\n'
    text += f'[{table}.per-file-ignores]\n"old/*" = ["SC5"]\n'
    written(tmp_path, {name: text, "a.md": "TBD. It never fails.\n", "old/b.md": "It never fails.\n"})
    found = report(tmp_path, ".")
    assert told(found) == [("a.md", 1, "SC501")]
    assert found.findings[0].severity == "error"


def test_the_nearest_config_with_a_table_counts_and_its_paths_count_from_it(tmp_path: Path) -> None:
    written(tmp_path, {
        "signoff.toml": '[check]\nsources = ["specs"]\n', "docs/pyproject.toml": "[project]\nname = 'x'\n",
        "specs/a.md": "Rondo runs for 12 hours on a charge.\n", "docs/a.md": "Rondo runs for 14 hours on a charge.\n",
    })  # fmt: skip
    assert config.find(tmp_path / "docs").file == str(tmp_path.resolve() / "signoff.toml")
    assert [code for _, _, code in told(report(tmp_path / "docs", "a.md"))] == ["SC601"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[check]\nignor = []\n", "write 'ignore'"),
        ("[check]\nignore = 'SC1'\n", "a list of texts"),
        ("[check]\nignore = ['SC999']\n", "not the code of a rule"),
        ("[check]\nseverity = {SC101 = 'bad'}\n", "error or warning"),
        ("[check]\nsite = 'wiki'\n", "github"),
        ("check = 3\n", "a table"),
        ("[check\n", "TOML"),
    ],
)
def test_a_config_that_is_wrong_is_refused_with_the_repair(text: str, said: str, tmp_path: Path) -> None:
    written(tmp_path, {"signoff.toml": text})
    with pytest.raises(UsageError, match=re.escape(said)):
        config.find(tmp_path)


# --- sources, pairs, registry -----------------------------------------------------------------------------------------


@pytest.mark.req("EV-14")
def test_sources_of_several_kinds_are_read(tmp_path: Path) -> None:
    written(tmp_path, {
        "s/a.csv": "model,weight\nRondo Mini,180 g\nRondo Max,950 g\n",
        "s/b.html": "<p>The Rondo Max was made in 2019.</p>",
        "s/c.yaml": "battery: The Rondo battery holds 5200 mAh.\n", "s/d.bin": "x", "s/e.pdf": "no pdf",
        "a.md": "Rondo Max weighs 950 g.\n\nThe Rondo Max was made in 2018.\n\nThe Rondo battery holds 5200 mAh.\n",
    })  # fmt: skip
    found = report(tmp_path, "a.md", sources=("s",))
    assert [(line, code) for _, line, code in told(found)] == [(3, "SC601")]
    assert found.findings[0].near == "s/b.html:1"
    assert found.sources == 4


@pytest.mark.req("EV-14")
def test_pairs_are_compared_by_path(tmp_path: Path) -> None:
    written(tmp_path, {
        "en/a.md": "# A\n\nIt runs 14 hours.\n", "zh/a.md": "# 甲\n\n它运行15小时。\n",
        "en/b.md": "# B\n\nIt weighs 300 g.\n", "zh/b.md": "# 乙\n\n重量300克。\n", "en/lone.md": "# C\n",
    })  # fmt: skip
    pairs = (("en=en", "cn=zh"),)
    assert {file for file, _, code in told(report(tmp_path, pairs=pairs)) if code == "SC401"} <= {"en/a.md", "zh/a.md"}
    assert "SC401" in {code for _, _, code in told(report(tmp_path, "zh", pairs=pairs))}
    assert told(report(tmp_path, "zh/b.md", pairs=pairs)) == []
    assert told(report(tmp_path, "en/lone.md", pairs=pairs, select=("SC405",))) == [("en/lone.md", 1, "SC405")]
    with pytest.raises(UsageError):
        report(tmp_path, pairs=(("en", "gone"),))


@pytest.mark.req("EV-14")
def test_markers_are_checked_against_a_registry(tmp_path: Path) -> None:
    mark = "<!-- claim_id: C-RS-00{} -->"
    lines = [f"It runs for 14 hours. {mark.format(1)}", f"It is blue. {mark.format(2)}", f"It is red. {mark.format(3)}"]
    written(
        tmp_path,
        {"claims.yaml": REGISTRY, "spec.md": "# Rondo\n\nRondo runs for 12 hours.\n", "a.md": "\n".join(lines)},
    )
    found = report(tmp_path, "a.md", registry="claims.yaml")
    assert told(found) == [("a.md", 1, "SC704"), ("a.md", 2, "SC703"), ("a.md", 3, "SC703")]


# --- cache, processes -------------------------------------------------------------------------------------------------


@pytest.mark.req("EV-14")
def test_a_second_check_takes_results_from_the_cache(tmp_path: Path) -> None:
    written(tmp_path, {f"{number}.md": f"TBD {number}\n" for number in range(30)})
    first = report(tmp_path, ".", cache=Path("c"))
    second = report(tmp_path, ".", cache=Path("c"))
    assert (first.cached, second.cached) == (0, 30)
    assert told(first) == told(second)
    written(tmp_path, {"3.md": "fine\n"})
    third = report(tmp_path, ".", cache=Path("c"))
    assert third.cached == 29
    assert len(third.findings) == 29


def test_other_settings_and_other_sources_are_other_results(tmp_path: Path) -> None:
    written(
        tmp_path, {"a.md": "Rondo runs for 14 hours on a charge.\n", "s/a.md": "Rondo runs for 14 hours on a charge.\n"}
    )
    assert told(report(tmp_path, "a.md", cache=Path("c"))) == []
    assert len(told(report(tmp_path, "a.md", cache=Path("c"), require_claims=True))) == 1
    assert told(report(tmp_path, "a.md", cache=Path("c"), sources=("s",))) == []
    written(tmp_path, {"s/a.md": "Rondo runs for 12 hours on a charge.\n"})
    assert len(told(report(tmp_path, "a.md", cache=Path("c"), sources=("s",)))) == 1


def test_a_damaged_cache_is_made_again(tmp_path: Path) -> None:
    written(
        tmp_path, {"a.md": "TBD\n", "c/check.sqlite3": "this is no database at all, but longer than its header needs"}
    )
    assert len(report(tmp_path, "a.md", cache=Path("c")).findings) == 1
    assert report(tmp_path, "a.md", cache=Path("c")).cached == 1


def test_a_cache_that_cannot_be_made_is_none(tmp_path: Path) -> None:
    written(tmp_path, {"a.md": "TBD\n", "c": "a file is in the way"})
    assert len(report(tmp_path, "a.md", cache=Path("c")).findings) == 1
    assert report(tmp_path, "a.md", cache=Path("c")).cached == 0


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    pages = {f"d/{number}.md": f"Rondo runs for {number} hours on a charge. TBD\n" for number in range(10, 60)}
    written(tmp_path, {**pages, "s/a.md": "Rondo runs for 12 hours on a charge.\n"})
    one, two = (report(tmp_path, "d", sources=("s",), jobs=jobs) for jobs in (1, 2))
    assert told(one) == told(two)
    assert len(one.findings) == 50 + 49
