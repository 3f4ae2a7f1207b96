"""Links to files and headings, and the ids that site tools make."""

from __future__ import annotations

import pytest

from signoff.evidence.check.anchors import heading_ids
from signoff.evidence.check.link_rules import Files, link_violations, local_links
from signoff.evidence.check.page_text import PageText

IDS = {"docs/b.md": frozenset({"here"}), "docs/c/README.md": frozenset({"top-of-c"}), "site/x.md": frozenset({"x"})}
THERE = frozenset((*IDS, "docs/img.png", "docs/c", "docs/page/pic.png", "docs/a b.md"))


def found(text: str, *, site_root: str | None = None, routes: bool = False, site: str = "github") -> list[str]:
    page = PageText(text)
    ids = heading_ids([title for title, _ in page.headings], site) | page.ids
    files = Files(THERE.__contains__, IDS.get, site_root, routes)
    return [each.code for each in link_violations("docs/page.md", list(local_links(page)), ids, files)]


@pytest.mark.req("EV-14")
@pytest.mark.parametrize(
    ("link", "codes"),
    [
        ("b.md", []),
        ("./b.md#here", []),
        ("b.md#there", ["SC203"]),
        ("c/", []),
        ("c", []),
        ("b", []),
        ("b.html", []),
        ("../docs/b.md", []),
        ("img.png?raw=true", []),
        ("a%20b.md", []),
        ("gone.md", ["SC202"]),
        ("gone.png", ["SC202"]),
        ("/x", []),
        ("#title", []),
        ("#Title", []),
        ("#by-hand", []),
        ("#in-html", []),
        ("#nowhere", ["SC203"]),
        ("#top", []),
        ("https://host.org/gone.md", []),
        ("mailto:a@b.org", []),
        ("{{ url }}", []),
    ],
)
def test_a_link_leads_to_a_file_and_a_heading(link: str, codes: list[str]) -> None:
    assert found(f"# Title\n\n## Other {{#by-hand}}\n\n<a id='in-html'></a>\n\n[text]({link})\n") == codes


def test_links_from_the_root_of_the_site_count_from_it_if_it_is_named() -> None:
    assert found("[a](/x#x) [b](/gone)\n[c](/x#y)\n", site_root="site") == ["SC202", "SC203"]


def test_a_site_with_routes_counts_from_the_folder_of_the_page() -> None:
    assert found("![a](pic.png)") == ["SC202"]
    assert found("![a](pic.png)", routes=True) == []


@pytest.mark.parametrize(
    ("site", "heading", "anchor"),
    [
        ("github", "Set `tidb_x` from v6.5.0: what's new?", "set-tidb_x-from-v650-whats-new"),
        ("github", "CPU—frequency scaling", "cpufrequency-scaling"),
        ("github", "`config [show | set <option> <value>]`", "config-show--set-option-value"),
        ("github", "tikv 配置项 `x`", "tikv-配置项-x"),
        ("gitlab", "A - B", "a-b"),
        ("vuepress", "1.0 Changes & fixes", "_1-0-changes-fixes"),
        ("mkdocs", "Café & Tea", "cafe-tea"),
        ("any", "1.0 Changes & fixes", "_1-0-changes-fixes"),
        ("any", "1.0 Changes & fixes", "10-changes--fixes"),
    ],
)
def test_each_site_tool_makes_its_own_ids(site: str, heading: str, anchor: str) -> None:
    assert found(f"## {heading}\n\n[text](#{anchor})\n", site=site) == []


def test_a_second_heading_of_a_name_has_a_number() -> None:
    assert found("## A\n\n## A\n\n[x](#a-1) [y](#a-2)\n") == []
    assert found("## A\n\n## A\n\n[x](#a-7)\n") == ["SC203"]


def test_a_heading_that_a_template_makes_is_known_by_its_name() -> None:
    assert found('## {{% heading "whatsnext" %}}\n\n[x](#what-s-next) [y](#whatever)\n') == ["SC203"]


def test_code_and_comments_have_no_links() -> None:
    assert found("`[a](gone.md)`\n\n<!-- [a](gone.md) -->\n\n```\n[a](gone.md)\n```\n") == []
