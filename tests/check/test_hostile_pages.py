"""Hostile and huge pages: the time grows with the length, and nothing is raised."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from signoff.evidence.check.settings import Settings
from signoff.service.check.page_work import page_data

SIZE = 40_000
CASES = {
    "brackets": "[",
    "links": "[a](",
    "images": "![](",
    "ticks": "` `` ``` ",
    "less than": "<",
    "tags": "<a ",
    "comments": "<!-- ",
    "closed comments": "<!--a-->",
    "braces": "{{ a",
    "references": "[a][b] ",
    "emphasis": "*a",
    "invisible": "a\u200b",
    "turned": "\u202ea\u202c",
    "lines": "\n",
    "headings": "# a\n",
    "same ids": "# a {#b}\n",
    "table": "| a ",
    "fences": "```\n",
    "quotes": '"',
    "digits": "1,",
    "raw": "<pre>",
    "struck": "~~",
    "definitions": "[a]:\n",
    "front": "---\n",
    "attributes": "{#a ",
    "hashes": "#",
    "carriage": "\r",
    "nul-like": "\x01",
    "astral": "𝟏𝟐",
    "combining": "á́́",
    "no-claim": "<!-- no-claim: x -->",
}


@pytest.mark.req("EV-14")
@pytest.mark.parametrize("name", CASES)
def test_a_hostile_page_takes_no_longer_than_its_length(name: str) -> None:
    def seconds(count: int) -> float:
        data = (CASES[name] * count).encode()
        begun = time.process_time()
        found = page_data(Path("x.md"), data, Settings())
        took = time.process_time() - begun
        assert isinstance(found["violations"], list)
        return took

    small, large = seconds(SIZE // 4), seconds(SIZE)
    assert large < 12 * small + 0.5


@pytest.mark.req("EV-14")
def test_a_page_of_ten_megabytes_is_read() -> None:
    line = "The device runs for 14 hours at 300 g, says [Li](#li).\n\n"
    text = "# Li\n\n" + line * (10_000_000 // len(line)) + "TBD\n"
    begun = time.process_time()
    found = page_data(Path("x.md"), text.encode(), Settings())
    assert [row[0] for row in found["violations"]] == ["SC101"]
    assert time.process_time() - begun < 60
