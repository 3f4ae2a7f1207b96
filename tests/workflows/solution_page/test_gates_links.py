"""The links gate (SP-13): syntax, anchors and files in format mode; what servers answered in http mode."""

from __future__ import annotations

import pytest

from signoff.artifacts.markdown import parse
from signoff.core.declarations import Probe
from signoff.core.findings import Finding
from signoff.workflows.solution_page.gates import links
from signoff.workflows.solution_page.gates.links import link_addresses

FILE = "3-drafts/x/content-en.md"
FILES = {FILE, "3-drafts/x/content-cn.md", "3-drafts/x/img/a b.png", "assets/logo.svg", "3-drafts/图.png"}
HEADINGS = "# Battery life\n\n## FAQ\n\n## FAQ\n\n## 技术规格\n\n## What's new?\n\n"


def check(text: str, probes: dict[str, Probe] | None = None) -> list[Finding]:
    return links(parse(text), FILE, FILES.__contains__, probes)


def rules(text: str, probes: dict[str, Probe] | None = None) -> list[tuple[str, int | None]]:
    return [(finding.rule, finding.line) for finding in check(text, probes)]


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "http://example.com:8080/a/b?c=d#e",
        "HTTPS://EXAMPLE.COM/",
        "https://例子.测试/路径",
        "https://[2001:db8::1]/",
        "https://example.com./x",
        "//example.com/x",
        "mailto:sales@example.com",
        "mailto:a.b@mail.example.co.uk?subject=Hi%20there",
        "tel:+49-30-123456",
        "tel:800;ext=1",
        "https://example.com/100%25",
    ],
)
def test_a_valid_address_passes_in_format_mode(url: str) -> None:
    assert rules(f"[text]({url})") == []


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "it is empty"),
        ("< >", "it is empty"),
        ("#", "it names no heading"),
        ("https://", "'' is no host"),
        ("https:///path", "'' is no host"),
        ("https://exa_mple-.com", "is no host"),
        ("https://-example.com", "is no host"),
        ("https://example..com", "is no host"),
        ("https://example.com:99999/", "Port out of range"),
        ("https://example.com:0/", "is no host"),
        ("https://example.com:http/", "Port could not be cast"),
        ("<https://example.com/a b>", "' ' may not stand in it"),
        ("https://example.com/{id}", "'{' may not stand in it"),
        ("https://example.com/%zz", "two hexadecimal digits"),
        ("https://example.com/100%", "two hexadecimal digits"),
        (f"https://{'a' * 64}.com", "is no host"),
        (f"https://{'a.' * 127}com", "is no host"),
        ("https:example.com", "'//' and a host are missing"),
        ("mailto:sales", "no mail address"),
        ("mailto:sales@example", "no mail address"),
        ("tel:call-us", "no number"),
        ("javascript:alert%281%29", "the scheme 'javascript' is not for a page"),
        ("ftp://example.com/", "the scheme 'ftp' is not for a page"),
        ("img\\\\a.png", "a backslash"),
    ],
)
def test_an_invalid_address_fails_and_the_finding_says_why(url: str, says: str) -> None:
    [finding] = check(f"Text.\n\n[text]({url})")
    assert (finding.rule, finding.line, finding.file) == ("links.syntax", 3, FILE)
    assert says in finding.problem
    assert finding.repair


def test_long_labels_and_names_pass_up_to_their_limits() -> None:
    assert rules(f"[a](https://{'a' * 63}.com)") == []
    name = ".".join(["a" * 61] * 4) + ".abcdef"[:6]
    assert len(name) == 253
    assert rules(f"[a](https://{name})") == []
    assert rules(f"[a](https://{name}x)") == [("links.syntax", 1)]


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    "anchor",
    ["#battery-life", "#faq", "#faq-1", "#技术规格", "#%E6%8A%80%E6%9C%AF%E8%A7%84%E6%A0%BC", "#whats-new", "#top"],
)
def test_an_anchor_of_a_heading_passes(anchor: str) -> None:
    assert rules(f"{HEADINGS}[text]({anchor})") == []
    assert rules(f"{HEADINGS}[text](content-en.md{anchor})") == []


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    "anchor", ["#battery", "#faq-2", "#FAQ", "#技术", "#what's-new", "content-en.md#nowhere", "?a=b#nowhere"]
)
def test_an_anchor_of_no_heading_fails(anchor: str) -> None:
    [finding] = check(f"{HEADINGS}[text]({anchor})")
    assert (finding.rule, finding.line) == ("links.anchor", 11)
    assert anchor in finding.problem
    assert "id of a heading" in finding.repair


def test_ids_written_in_html_are_anchors_unless_they_are_code() -> None:
    assert rules('<a id="here"></a>\n\n[text](#here)') == []
    assert rules("Text <a name='here'></a>\n\n[text](#here)") == []
    assert rules('`<a id="here">`\n\n[text](#here)') == [("links.anchor", 3)]
    assert rules('```\n<a id="here">\n```\n\n[text](#here)') == [("links.anchor", 5)]


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    "path",
    [
        "content-cn.md",
        "./content-cn.md",
        "<img/a b.png>",
        "img/a%20b.png",
        "../../assets/logo.svg",
        "/assets/logo.svg",
        "../图.png",
        "content-cn.md#anything",
        "content-cn.md?v=2",
        "?v=2",
    ],
)
def test_a_relative_file_that_is_there_passes(path: str) -> None:
    assert rules(f"[text]({path})") == []


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("content-fr.md", "3-drafts/x/content-fr.md"),
        ("assets/logo.svg", "3-drafts/x/assets/logo.svg"),
        ("/img/a%20b.png", "img/a b.png"),
        ("/", "."),
        ("../../../etc/passwd", "../etc/passwd"),
        ("missing.md#faq", "3-drafts/x/missing.md"),
    ],
)
def test_a_relative_file_that_is_not_there_fails_and_the_finding_says_where_it_was_looked_for(
    path: str, target: str
) -> None:
    [finding] = check(f"![text]({path})")
    assert (finding.rule, finding.line) == ("links.file", 1)
    assert finding.problem == f"'{path}' leads to '{target}', which is not there"


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("![alt](missing.png)", 1),
        ("Text\n\n[text][ref]\n\n[ref]: missing.png", 3),
        ("[ref]\n\n[ref]: missing.png", 1),
        ('One\ntwo <a href="missing.png">x</a>', 2),
        ("<div>\n<img src=missing.png alt=x>\n</div>", 2),
        ("<a href='missing.png'>x</a>", 1),
    ],
)
def test_images_references_and_html_links_count_too(text: str, line: int) -> None:
    assert rules(text) == [("links.file", line)]


@pytest.mark.req("SP-13")
def test_links_in_code_and_comments_do_not_count() -> None:
    assert (
        rules("`[a](missing.md)` and `<a href='missing'>`\n\n```\n[a](missing.md) https://\n```\n\n<!-- [a](b) -->")
        == []
    )


@pytest.mark.req("SP-13")
def test_a_reference_without_a_definition_fails() -> None:
    [finding] = check("Text\n\n[the report][report]")
    assert (finding.rule, finding.line) == ("links.reference", 3)
    assert finding.problem == "'[the report][report]' has no definition and is shown with its brackets"
    assert finding.repair == "define it: [report]: https://…"
    assert rules("[the report][report]\n\n[report]: https://example.com") == []


@pytest.mark.req("SP-13")
@pytest.mark.parametrize("broken", ["[text](https://example.com/a b)", "[text](content-cn.md", "[text](a b.md)"])
def test_a_link_that_is_shown_as_text_fails_at_its_line(broken: str) -> None:
    assert rules(f"One\nand {broken}") == [("links.syntax", 2)]
    assert rules(f"One\nand \\{broken.replace('https://example.com/', '')}") == []


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("[a](https://a.example/x#y) [b](https://a.example/x)", ["https://a.example/x"]),
        ("<https://a.example> ![i](http://b.example/i.png)", ["https://a.example", "http://b.example/i.png"]),
        ("See https://a.example/x?y=1, or (https://b.example).", ["https://a.example/x?y=1", "https://b.example"]),
        ("访问https://a.example/x。然后", ["https://a.example/x"]),
        ("[a](//a.example/x)", ["https://a.example/x"]),
        ('<a href="https://a.example/?a=1&amp;b=2">x</a>', ["https://a.example/?a=1&b=2"]),
        ("[r]\n\n[r]: https://a.example", ["https://a.example"]),
        ("[m](mailto:a@b.example) [f](content-cn.md) [s](https://) `https://c.example`", []),
    ],
)
def test_the_web_addresses_of_a_page_are_named_once_and_without_fragment(text: str, urls: list[str]) -> None:
    assert link_addresses(parse(text)) == urls


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    ("probe", "rule", "says"),
    [
        (Probe(url="u", status=200), "", ""),
        (Probe(url="u", status=201), "links.http", "the server answers 201, not 200"),
        (Probe(url="u", status=404), "links.http", "the server answers 404, not 200"),
        (Probe(url="u", problem="no answer within 10 s"), "links.http", "no answer within 10 s"),
        (Probe(url="u", problem="it is 127.0.0.1", private=True), "links.private", "is refused: it is 127.0.0.1"),
    ],
)
def test_in_http_mode_only_200_passes(probe: Probe, rule: str, says: str) -> None:
    found = check("[a](https://a.example/x#frag)", {"https://a.example/x": probe})
    assert [finding.rule for finding in found] == ([rule] if rule else [])
    assert all(says in finding.problem and finding.repair for finding in found)
    assert rules("[a](https://a.example/x#frag)") == []


def test_in_http_mode_an_address_that_was_not_probed_fails() -> None:
    assert rules("[a](https://a.example) [b](mailto:a@b.example)", {}) == [("links.http", 1)]
    assert rules("Text\n\nOne\ntwo https://a.example/", {}) == [("links.http", 4)]


def test_findings_come_by_line_and_an_address_once_per_line() -> None:
    text = "[x][nowhere]\n\n[a](b.md) [a](b.md)\n\n[a](b.md)"
    assert rules(text) == [("links.reference", 1), ("links.file", 3), ("links.file", 5)]
