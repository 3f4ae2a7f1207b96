"""The release-markers gate (SP-14): nothing unfinished leaves the house, however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.markdown import strip_claims
from signoff.workflows.solution_page.gates import markers
from signoff.workflows.solution_page.gates.markers import FORBIDDEN

SEED = ["[TODO]", "[TBD]", "[PLACEHOLDER]", "[ASSUMED]", "[UNVERIFIED]", "[SOURCE PENDING]", "[NEEDS EVIDENCE]"]


def rules(text: str) -> list[tuple[str, int | None]]:
    return [(finding.rule, finding.line) for finding in markers(text, "page.md")]


@pytest.mark.req("SP-14")
@pytest.mark.parametrize("marker", SEED)
def test_every_marker_of_the_list_is_found_and_named(marker: str) -> None:
    [finding] = markers(f"One.\n\nTwo {marker} three.", "page.md")
    assert (finding.rule, finding.file, finding.line) == ("markers.forbidden", "page.md", 3)
    assert finding.problem == f"the marker {marker} is left in the text"
    assert finding.repair == "settle what it stands for and remove it"


@pytest.mark.req("SP-14")
@pytest.mark.parametrize(
    "written",
    [
        "[todo]",
        "[ Todo ]",
        "[TO DO]",
        "[to-do]",
        "【TODO】",
        "［ＴＯＤＯ］",
        "【 ＴＢＤ 】",
        "〔tbd〕",
        "〖TBD〗",
        r"\[TODO\]",
        "[**TODO**]",
        "[source_pending]",
        "[SOURCE-PENDING]",
        "[Source\u3000Pending]",
        "[SOURCE\nPENDING]",
        "[needs   evidence]",
        "[NEEDSEVIDENCE]",
        "[TODO: ask Li]",
        "[TBD – Q3]",
        "【TODO：补数据】",
        "[TODO, later]",
        "[TODO](https://example.com)",
        "[T\u200bODO]",
        "&#91;TODO&#93;",
        "&#x5B;TODO&#x5d;",
        "&lbrack;TODO&rbrack;",
        "&lsqb;TODO&rsqb;",
        "&#0091;TODO&#0093;",
        "`[TODO]`",
        "```\n[TODO]\n```",
        "<!-- [TODO] -->",
        "---\ntitle: '[TODO]'\n---",
    ],
)
def test_markers_are_found_in_any_case_spacing_width_and_place(written: str) -> None:
    assert [rule for rule, _ in rules(f"Text {written} more")] == ["markers.forbidden"]


@pytest.mark.req("SP-14")
@pytest.mark.parametrize(
    "harmless",
    [
        "TODO",
        "to do",
        "[Placeholder images](a.md)",
        "[Assumed breach tests](a.md)",
        "[TBDs]",
        "[autodoc]",
        "(TODO)",
        "[x]",
        "[the TODO]",
        "unverified",
        "&TODO]",
        "[TODO",
        "TODO]",
        "<!-- a comment -->",
        "the claim id is C-WSP-001",
        "[SOURCE]",
        "[EVIDENCE]",
        "&amp;TODO&#93;",
    ],
)
def test_words_that_are_no_markers_pass(harmless: str) -> None:
    assert rules(f"Text {harmless} more") == []


@pytest.mark.req("SP-14")
@pytest.mark.parametrize(
    "comment",
    [
        "<!-- claim_id: C-WSP-001 -->",
        "<!--CLAIM_ID:c-wsp-001-->",
        "<!-- claim id = 1 -->",
        "<!-- claim-id -->",
        "<!-- C-WSP-001 -->",
        "<!--\nclaim_id: C-WSP-001\n-->",
        "<!-- claim_id: C-WSP-001",
        "```\n<!-- claim_id: C-WSP-001 -->\n```",
    ],
)
def test_claim_comments_are_found_even_malformed_ones(comment: str) -> None:
    assert [rule for rule, _ in rules(f"Text {comment}")] == ["markers.claim-comment"]


def test_a_claim_comment_is_quoted_shortly() -> None:
    short, long = markers("<!-- claim_id:\n C-AB-001 --> x <!-- claim_id " + "y" * 60 + "-->", "p.md")
    assert short.problem == "the claim comment <!-- claim_id: C-AB-001 --> is left in the text"
    assert long.problem == f"the claim comment <!-- claim_id {'y' * 45}… is left in the text"
    assert "strip the claim comments" in short.repair
    sixty = f"<!-- claim_id {'z' * 42} -->"
    assert len(sixty) == 60
    assert f"comment {sixty} is" in markers(f"{sixty}behind", "p.md")[0].problem
    assert "…" in markers(sixty.replace("z", "zz", 1), "p.md")[0].problem


def test_findings_come_in_the_order_of_the_text_with_their_lines() -> None:
    text = "a [TODO]\r\nb <!-- claim_id: C-AB-001 --> <!-- note --> <!-- claim_id: C-AB-002 -->\rc\n[TBD] [TBD]"
    assert rules(text) == [
        ("markers.forbidden", 1), ("markers.claim-comment", 2), ("markers.claim-comment", 2),
        ("markers.forbidden", 4), ("markers.forbidden", 4),
    ]  # fmt: skip


@pytest.mark.req("SP-14")
def test_a_stripped_draft_has_no_claim_comment_left() -> None:
    text = "Six hours. <!-- claim_id: C-WSP-001 -->\n\n| a | b <!-- claim_id: C-WSP-002 --> |\n|---|---|\n"
    assert len(rules(text)) == 2
    assert rules(strip_claims(text)) == []


OPENING = {"[": "]", "【": "】", "［": "］", "〔": "〕"}
wide = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(ord("A"), ord("z") + 1) if chr(code).isalpha()})


@pytest.mark.req("SP-14")
@given(st.data(), st.sampled_from(FORBIDDEN), st.sampled_from(sorted(OPENING)))
def test_a_marker_put_anywhere_is_found_at_its_line(data: st.DataObject, name: str, opening: str) -> None:
    page = "# T\n\nText with `code` and [a link](b.md).\n\n```\nfence\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    at = data.draw(st.integers(0, len(page)))
    gap = data.draw(st.sampled_from(["", " ", "  ", "\u3000"]))
    cased = "".join(data.draw(st.sampled_from([char.lower(), char])) for char in name)
    written = cased.translate(wide) if data.draw(st.booleans()) else cased
    text = page[:at] + opening + gap + written + gap + OPENING[opening] + page[at:]
    assert ("markers.forbidden", page[:at].count("\n") + 1) in rules(text)


@given(st.text(st.sampled_from("[]【】TODO tbd-_*\n&#91;<!->:"), max_size=200))
def test_any_text_is_judged_and_lines_are_in_range(text: str) -> None:
    assert all(line and 1 <= line <= text.count("\n") + 1 for _, line in rules(text))


@pytest.mark.parametrize("hostile", ["<!--", "[", "[T ", "[TODO:", "[ " * 3, "&#91;"])
@pytest.mark.usefixtures("must_end")
def test_hostile_text_is_read_to_its_end(hostile: str) -> None:
    found = markers(hostile * (400_000 // len(hostile)) + "\n[TBD]\n", "page.md")
    assert found[-1].line == 2
