"""A source is read into the pieces that a claim can rest on."""

from __future__ import annotations

import pytest

from signoff.evidence.documents import MOST_IN_SENTENCE, read

pytestmark = pytest.mark.req("EV-4")

PAGE = """# Kettle K2

The kettle holds 1.7 litres. It weighs 1.1 kg.

## Models

| Model | Power (W) | Cable (m) |
|---|---|---|
| K2 | 2,200 | 0.75 |
| K2 Pro | 3,000 | 1.2 |

- Do not put it into water.
"""


def pieces(kind: str, source: str = PAGE) -> list[str]:
    return [piece.text for piece in read(source).pieces if piece.kind == kind]


def test_sentences_items_headings_and_rows_are_pieces() -> None:
    assert pieces("sentence") == ["The kettle holds 1.7 litres.", "It weighs 1.1 kg."]
    assert pieces("heading") == ["Kettle K2", "Models"]
    assert pieces("item") == ["Do not put it into water."]
    assert pieces("row") == ["K2 | 2,200 | 0.75", "K2 Pro | 3,000 | 1.2"]


def test_columns_are_pieces_as_well() -> None:
    assert pieces("column")[0] == "Power (W) | K2: 2,200 | K2 Pro: 3,000"


def test_a_piece_knows_its_line_and_what_it_stands_under() -> None:
    row = next(piece for piece in read(PAGE).pieces if piece.kind == "row")
    assert (row.line, row.context) == (9, "Kettle K2 / Models / Model / Power (W) / Cable (m)")


def test_merged_cells_of_a_table_in_html_are_written_out() -> None:
    html = "<table><tr><th rowspan=2>Name</th><th colspan=2>Price</th></tr><tr><th>one</th><th>ten</th></tr>"
    html += "<tr><td>Bolt</td><td>3</td><td>20</td></tr></table>"
    (row,) = (piece for piece in read(html).pieces if piece.kind == "row")
    assert [header for header, _, _ in row.cells] == ["Name", "Price one", "Price ten"]


def test_what_no_reader_sees_is_no_evidence() -> None:
    assert pieces("sentence", "It weighs <!-- 9 kg --> ~~8 kg~~ 7 kg.") == ["It weighs 7 kg."]


def test_no_piece_is_too_long_to_compare() -> None:
    assert max(len(piece.text) for piece in read("word " * 10_000).pieces) <= MOST_IN_SENTENCE


def test_a_row_that_is_too_wide_is_cut_and_keeps_its_label() -> None:
    wide = [f"| label | {' | '.join(map(str, range(500)))} |", "|---" * 501 + "|", f"| a | {' | '.join('7' * 500)} |"]
    rows = [piece for piece in read("\n".join(wide)).pieces if piece.kind == "row"]
    assert len(rows) == 3
    assert all(piece.text.startswith("a | 7") for piece in rows)
    assert sum(len(piece.cells) - 1 for piece in rows) == 500
