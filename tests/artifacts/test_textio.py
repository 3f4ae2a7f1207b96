"""Bytes are text only when they are UTF-8; every refusal says where, what and how to repair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.text_decoding import MAX_BYTES, decode
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding


def refusal(data: bytes, file: str = "3-drafts/pen/content-cn.md", limit: int = MAX_BYTES) -> Finding:
    with pytest.raises(DocumentError) as caught:
        decode(data, file, limit)
    (finding,) = caught.value.findings
    return finding


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_what_is_decoded_encodes_to_the_same_bytes(text: str) -> None:
    assert decode(text.encode(), "f.md").encode() == text.encode()


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_without_loss_or_refused_with_a_repair(data: bytes) -> None:
    try:
        text = decode(data, "f.md")
    except DocumentError:
        finding = refusal(data, "f.md")
        text = ""
    else:
        finding = None
    assert text.encode() == data if finding is None else finding.repair and finding.file == "f.md"


def test_a_byte_order_mark_and_crlf_are_kept() -> None:
    assert decode(b"\xef\xbb\xbf# A\r\n", "f.md") == "\ufeff# A\r\n"


ENCODED = [
    ("第一行\n续航六小时".encode("gb18030"), "GB18030", 1),
    ("ok\nok\n续航".encode("gb18030"), "GB18030", 3),
    ("title\ncafé at 20 °C".encode("latin-1"), "WINDOWS-1252", 2),
    ("续航".encode("utf-16"), "UTF-16", 1),
    ("续航".encode("utf-32"), "UTF-32", 1),
    ("Pen\n".encode("utf-16-le"), "UTF-16LE", 1),
    ("Pen\n".encode("utf-16-be"), "UTF-16BE", 1),
    ("Pen café, long text".encode("utf-16-le"), "UTF-16LE", 1),
]


@pytest.mark.parametrize(("data", "encoding", "line"), ENCODED)
def test_another_encoding_is_named_with_the_command_that_converts_it(data: bytes, encoding: str, line: int) -> None:
    finding = refusal(data)
    assert encoding in finding.problem
    assert finding.repair.startswith(f"iconv -f {encoding} -t UTF-8 3-drafts/pen/content-cn.md > ")
    assert finding.line == line


def test_the_offending_byte_and_its_offset_are_named() -> None:
    assert "byte 0xB0 at offset 12" in refusal(b"twelve chars\xb0C").problem


def test_a_file_name_with_spaces_is_quoted_in_the_command() -> None:
    assert "'my page.md'" in refusal("续航".encode("gb18030"), "my page.md").repair


def test_one_stray_byte_in_utf8_text_is_not_taken_for_another_encoding() -> None:
    finding = refusal("续航六小时\n重量".encode() + b"\xb0" + "三公斤".encode())
    assert "iconv" not in finding.repair
    assert finding.line == 2


def test_a_file_cut_off_inside_a_character_is_said_to_be_cut_off() -> None:
    finding = refusal("续航".encode()[:-1])
    assert "ends in the middle" in finding.problem
    assert "again" in finding.repair


def test_a_nul_byte_is_refused_as_binary() -> None:
    finding = refusal(b"text\nmore\0text, and then much more of it")
    assert (finding.rule, finding.line) == ("text.nul", 2)
    assert "offset 9" in finding.problem


def test_a_file_over_the_limit_is_refused_naming_size_and_limit() -> None:
    finding = refusal(b"a" * 1001, limit=1000)
    assert "1,001 bytes" in finding.problem
    assert "1,000" in finding.problem


def test_a_file_at_the_limit_is_read() -> None:
    assert decode(b"a" * 1000, "f.md", 1000) == "a" * 1000
