"""Standards, ratings, versions and models are compared by what they name, not by how it is spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.evidence.figures.codes import codes, missing_codes

pytestmark = pytest.mark.req("SP-9")


def forms(text: str) -> list[str]:
    return [code.form for code in codes(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("An IP67 enclosure", ["ip67"]),
        ("外壳达到ＩＰ６７。", ["ip67"]),
        ("AES-256, AES 256, AES256 and AES 256-bit", ["aes256"] * 4),
        ("2 RS-485 ports", ["rs485"]),
        ("H.264 and H265", ["h264", "h265"]),
        ("MIL-STD-810H, MIL-STD 810G", ["milstd810h", "milstd810g"]),
        ("WPA3-Enterprise over CAT6A or Cat 6a", ["wpa3", "cat6a", "cat6a"]),
        ("Bluetooth 5.3, Bluetooth® LE 5.3, BLE 5.3, 蓝牙5.3, Bluetooth v5.3", ["bluetooth5.3"] * 5),
        ("4 USB 3.0 ports, USB3.0, USB 3.2", ["usb3", "usb3", "usb3.2"]),
        ("Wi-Fi 6, WiFi 6E", ["wifi6", "wifi6e"]),
        ("ISO 27001, ISO27001认证", ["iso27001", "iso27001"]),
        ("IEC 62443-4-1 and EN 55032", ["iec62443-4-1", "en55032"]),
        ("EN 300 328", ["en300328"]),
        ("GB/T 19001-2016", ["gb/t19001-2016"]),
        ("version 2.3, v2.3, Version 2.3.0, firmware 2.3, 版本2.3, 固件版本V2.3, 2.3版", ["v2.3"] * 7),
        ("IP65/67 and RS-232/485", ["ip65", "ip67", "rs232", "rs485"]),
        ("Windows 10/11", ["windows10", "windows11"]),
        ("802.11a/b/ac", ["802.11a", "802.11b", "802.11ac"]),
        ("4K at 1080p over 5G, 10GbE or 10 GbE", ["4k", "1080p", "5g", "10gbe", "10gbe"]),
        ("IP67-rated, AES-256-encrypted", ["ip67", "aes256"]),
        ("Cortex-M4, TEG-42", ["cortexm4", "teg42"]),
    ],
)
def test_codes_are_read_in_one_form(text: str, found: list[str]) -> None:
    assert forms(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no digits: USB-C, AES, Class A",
        "35ms, 6 hours, 8-microphone array, 10k users, 5 m, 12 VDC, DC12V, $5M",
        "Wi-Fi 5 GHz and USB 5 V",
        "第5代, the 5th generation, 2nd, the 1990s, at 9am",
        "C-WSP-010 and <!-- claim_id: C-WSP-010 -->",
        "rondo-speakerphone-2, meeting-rooms-2026, https://x.org/IP67?v2.3, a.b2@c3.example",
        "0-sources/reports/v2.3.md, rondo-2.pdf",
        "3D models, CO2, B2B, Q3, 24x7, 2x2, top-10, Mid-2026",
        "2026-09-22, 24/7, 3-in-1",
    ],
)
def test_quantities_ids_addresses_and_words_are_no_codes(text: str) -> None:
    assert forms(text) == []


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("IP68", "IP67"),
        ("AES-512", "AES-256"),
        ("Bluetooth 6.1", "Bluetooth 5.3"),
        ("MIL-STD-810H", "MIL-STD-810G"),
        ("USB 3.2", "USB 3.0"),
        ("Wi-Fi 7", "Wi-Fi 6"),
        ("ISO 27001", "ISO 27017"),
        ("v2.4", "v2.3"),
        ("版本2.4", "version 2.3"),
        ("IP65/68", "IP65/67"),
        ("802.11ax", "802.11a/b/g/n/ac"),
        ("ISO 27001:2022", "ISO 27001"),
        ("4K", "8K"),
        ("IP67", "67 of 100"),
    ],
)
def test_another_code_is_missing(claim: str, evidence: str) -> None:
    assert [code.text for code in missing_codes(claim, evidence)] == [claim]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("ISO 27001", "ISO/IEC 27001:2022"),
        ("ISO/IEC 27001", "certified to ISO 27001"),
        ("IEC 62368-1", "EN IEC 62368-1"),
        ("AES-256", "AES-256-GCM"),
        ("802.11ac", "IEEE 802.11a/b/g/n/ac"),
        ("RS-485", "RS-232/485"),
        ("蓝牙5.3", "Bluetooth 5.3"),
        ("固件2.3", "firmware 2.3.0"),
        ("USB 3", "USB 3.0"),
        ("plain words", ""),
    ],
)
def test_the_same_code_in_other_words_occurs(claim: str, evidence: str) -> None:
    assert missing_codes(claim, evidence) == ()


def test_a_code_is_missed_once_and_in_the_order_of_the_text() -> None:
    assert [code.text for code in missing_codes("IP68, AES-256, IP-68", "")] == ["IP68", "AES-256"]


@pytest.mark.parametrize("unit", ["a-", "1.", "A1-", "a@", "a.b", "IP65/", "版本 ", "v1.", "IEC/", "802.11/"])
@pytest.mark.usefixtures("must_end")
def test_hostile_text_is_read_to_its_end(unit: str) -> None:
    text = unit * (20_000 // len(unit)) + "1; IP67"
    assert codes(text)[-1].text == "IP67"


def test_a_code_has_its_place_in_the_text() -> None:
    text = "外壳达到IP67，加密用AES-256。"
    assert [(code.start, code.end) for code in codes(text)] == [(4, 8), (12, 19)]


@given(st.text(st.sampled_from("IPAESvUx6728.-/ :,®蓝牙版本5第GbE\n"), max_size=40))
def test_every_text_names_its_own_codes_and_each_stands_where_it_says(text: str) -> None:
    found = codes(text)
    assert missing_codes(text, text) == ()
    assert all(text[code.start : code.end] == code.text for code in found)
    assert [code.start for code in found] == sorted(code.start for code in found)


NAMES = st.sampled_from(["IP", "AES", "RS", "MIL-STD", "USB", "Wi-Fi", "Bluetooth", "CAT", "XQ"])
AROUND = st.sampled_from(["", " ", "。", "(", "支持", ", "])


@given(NAMES, st.integers(10, 999), st.sampled_from(["", "-", " "]), AROUND, AROUND)
def test_case_hyphen_and_space_say_nothing_and_another_number_says_something_else(
    name: str, number: int, gap: str, before: str, after: str
) -> None:
    gap = "" if name == "XQ" and gap == " " else gap
    spelled = f"{before}{name}{gap}{number}{after}"
    assert missing_codes(f"{name}-{number}", spelled) == ()
    assert missing_codes(spelled, f"{name}{number}") == ()
    assert missing_codes(spelled, f"{name}{number + 1}")
