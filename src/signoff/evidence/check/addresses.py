"""What makes the address of a link valid. Pure text; whether something answers there is asked elsewhere."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

SCHEMES: Final = ("http", "https", "mailto", "tel")

SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NOT_IN_URL: Final = re.compile(r"[\s\x00-\x1f\x7f<>\"\\^`{|}]")
_LABEL: Final = re.compile(r"(?!-)[\w-]{1,63}(?<!-)", re.UNICODE)
_MAIL: Final = re.compile(r"mailto:[^@\s?]+@[^@\s?.]+(?:\.[^@\s?.]+)+(?:\?\S*)?", re.IGNORECASE)
_PHONE: Final = re.compile(r"tel:\+?[\d().\s-]*\d[\d().\s-]*(?:;\S*)?", re.IGNORECASE)


def is_web(url: str) -> bool:
    return url.startswith("//") or url[:8].lower().startswith(("http://", "https://"))


def address_problem(url: str) -> tuple[str, str] | None:
    """What is wrong with an address, and the repair."""
    if not url.strip():
        return "it is empty", "give the link an address, or make it plain text"
    if url == "#":
        return "it names no heading", "name the heading: #its-id"
    if _BAD_ESCAPE.search(url):
        return "'%' without two hexadecimal digits", "write a plain % as %25"
    if is_web(url):
        return _web_problem(url)
    scheme = SCHEME.match(url)
    if scheme:
        return _other_problem(url, scheme[1].lower())
    return ("a backslash is no part of a path", "write / between folders") if "\\" in url else None


def _web_problem(url: str) -> tuple[str, str] | None:
    strange = _NOT_IN_URL.search(url)
    if strange:
        return f"{strange.group()!r} may not stand in it", "write it percent-encoded (a space is %20)"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return str(error), "correct host and port"
    if port == 0 or not _is_host(host):
        return f"'{parts.netloc}' is no host", "write it as https://host.example/path"
    return None


def _is_host(host: str) -> bool:
    if ":" in host:  # IPv6: urlsplit has checked the brackets and, since 3.11.4, the address
        return True
    return len(host) <= 253 and all(_LABEL.fullmatch(label) for label in host.removesuffix(".").split("."))


def _other_problem(url: str, scheme: str) -> tuple[str, str] | None:
    if scheme == "mailto":
        return None if _MAIL.fullmatch(url) else ("there is no mail address in it", "write mailto:name@host.example")
    if scheme == "tel":
        return None if _PHONE.fullmatch(url) else ("there is no number in it", "write tel:+4930123456")
    if scheme in SCHEMES:
        return "'//' and a host are missing", f"write it as {scheme}://host.example/path"
    return f"the scheme '{scheme}' is not for a page", f"use one of {', '.join(SCHEMES)}, or a relative path"
