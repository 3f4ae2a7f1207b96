"""Placeholders, addresses and characters of a page, each rule by a table of texts that break it and that do not."""

from __future__ import annotations

import pytest

from signoff.evidence.check.page_rules import page_violations
from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.settings import Settings

PLAIN = Settings()


def found(text: str, settings: Settings = PLAIN) -> list[tuple[str, int]]:
    return [(each.code, each.line) for each in page_violations(PageText(text), settings)]


BROKEN = [
    ("SC101", "TODO: say how long it runs."),
    ("SC101", "The weight is TBD."),
    ("SC101", "It is sold in [TBD: ask Li] countries."),
    ("SC101", "Measured <!-- FIXME: by whom? --> twice."),
    ("SC101", "电池容量待补充。"),
    ("SC101", "价格（待定）"),
    ("SC101", "【示例】某项指标"),
    ("SC102", "Lorem ipsum dolor sit amet."),
    ("SC102", "示例文本"),
    ("SC102", "Answer it here."),
    ("SC103", "The {{ product_name }} is small."),
    ("SC103", "{{x}}"),
    ("SC104", "See [the report](https://example.com/report)."),
    ("SC104", "See [the report](#)."),
    ("SC104", "![logo](https://www.your-domain.com/logo.png)"),
    ("SC105", "Call [Your name] today."),
    ("SC105", "[Company name] was founded in 2001."),
    ("SC105", "某某公司使用本产品。"),
    ("SC201", "[a](https:///host/path)"),
    ("SC201", "[a](http://host/%zz)"),
    ("SC201", "[a]()"),
    ("SC201", "[a](javascript:void(0))"),
    ("SC204", "See [the report][report]."),
    ("SC301", "It runs 1\u200b4 hours."),
    ("SC302", "It runs 1O0 hours in all."),
    ("SC302", "The R\u043endo speaker."),
    ("SC303", "Paid \u202e001\u202c euros."),
]


@pytest.mark.req("EV-12")
@pytest.mark.req("EV-14")
@pytest.mark.parametrize(("code", "text"), BROKEN)
def test_what_must_not_leave_is_found(code: str, text: str) -> None:
    assert (code, 3) in found(f"# Title\n\n{text}\n")


FINE = [
    "Write a TODO list, and keep TODO comments out of the page.",
    'The marker "TODO" is searched for.',
    "Set `TODO` or `{{ name }}` in the file.",
    "```\nTODO {{ x }} https://example.com\n```",
    "    TODO in indented code",
    "Use `https://example.com` as the host.",
    "Open https://example.com in a browser.",
    '{{< note >}} {{% heading "x" %}} {{{ .starter }}} ${{ github.ref }} {{ .Values.x }}',
    "::: v-pre\n\n{{ shown as it is }}\n\n:::",
    "<!-- a comment -->",
    "[Your name](names.md) is asked for.",
    "Todo el mundo lo sabe.",
    "Use TODO() as context.",
    "以下为示例：创建一个命名空间（示例）",
    "[a](vscode:extension/x) [b](slack://open) [c](mailto:a@b.org) [d](tel:+4930123456)",
    "[a](https://en.wikipedia.org/wiki/Shell_\\(computing\\))",
    "[a](<a b.md>) [b](https://host.org/a_(b))",
    "[text][label]\n\n[label]: https://host.org",
    "A pattern is [A-Za-z0-9][-A-Za-z0-9_.]*.",
    "عربي \u200fنص",
    "Podʼів is a word.",
    "👩\u200d🚀 and ❤\ufe0f",
]


@pytest.mark.req("EV-12")
@pytest.mark.parametrize("text", FINE)
def test_what_is_right_is_not_doubted(text: str) -> None:
    assert found(f"# Title\n\n{text}\n") == []


def test_front_matter_is_not_searched() -> None:
    assert found("---\ntitle: '{{ page.title }}'\nlink: TODO\n---\n# A\n") == []


def test_lines_are_counted_through_front_matter_comments_and_windows_line_ends() -> None:
    assert found("---\r\na: 1\r\n---\r\n<!-- one\r\ntwo -->\r\n\r\nTBD\r\n") == [("SC101", 7)]


def test_absolutes_are_found_if_they_are_turned_on() -> None:
    text = "No data is ever lost. It never fails.\n"
    assert found(text) == []
    assert ("SC501", 1) in found(text, Settings(select=frozenset(("SC501",))))


def test_hosts_of_the_project_count_as_placeholders() -> None:
    settings = Settings(placeholder_hosts=("staging.acme.test",))
    assert found("[a](https://staging.acme.test/x)", settings) == [("SC104", 1)]


def test_a_fence_in_a_list_and_in_a_quotation_is_code() -> None:
    assert found("- item\n\n  ```sh\n  TODO\n  ```\n\n> ```\n> TBD\n> ```\n") == []


def test_after_a_fence_text_is_text_again() -> None:
    assert found("~~~\n```\n~~~\n\nTODO\n") == [("SC101", 5)]
