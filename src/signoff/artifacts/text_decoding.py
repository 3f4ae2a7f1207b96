"""Bytes to text: strict UTF-8, or a refusal that says which byte, what it looks like and how to convert the file.

A byte order mark is kept as the first character (U+FEFF) and line ends stay as they are, so that
`decode(data, …).encode() == data`. Readers of the text skip the mark themselves.
"""

from __future__ import annotations

import re
import shlex
from typing import NoReturn

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

MAX_BYTES = 8_000_000

_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_VALID = "text files are UTF-8, with or without a byte order mark"


def decode(data: bytes, file: str, limit: int = MAX_BYTES) -> str:
    """The text of `data`; `file` is only for the message. Raises DocumentError."""
    if len(data) > limit:
        _refuse(
            file, None, "text.size", f"{len(data):,} bytes, at most {limit:,} are read", "split or shorten the file"
        )
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            problem = f"the file begins with {mark.hex(' ').upper()}, the byte order mark of {encoding}; {_VALID}"
            _refuse(file, 1, "text.encoding", problem, _convert(encoding, file))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse_bytes(data, file, error)
    if "\0" in text:
        _refuse_nul(data, file)
    return text


def _refuse(file: str, line: int | None, rule: str, problem: str, repair: str) -> NoReturn:
    raise DocumentError([Finding(rule=rule, problem=problem, repair=repair, file=file, line=line)])


def _convert(encoding: str, file: str) -> str:
    old, new = shlex.quote(file), shlex.quote(f"{file}.utf8")
    return f"iconv -f {encoding} -t UTF-8 {old} > {new}, look at the result, then move it over {old}"


def _refuse_bytes(data: bytes, file: str, error: UnicodeDecodeError) -> NoReturn:
    line = _line(data, error.start)
    found = f"byte 0x{data[error.start]:02X} at offset {error.start}"
    if error.reason == "unexpected end of data":
        problem = f"{found} begins a character that the file ends in the middle of; {_VALID}"
        _refuse(file, line, "text.encoding", problem, "fetch or save the whole file again")
    if _mostly_utf8(data):
        problem = f"{found} is not UTF-8, though the text around it is; {_VALID}"
        _refuse(
            file, line, "text.encoding", problem, f"type the damaged character in line {line} again and save as UTF-8"
        )
    encoding = _guess(data)
    problem = f"{found} is not UTF-8 and looks like {encoding}; {_VALID}"
    _refuse(file, line, "text.encoding", problem, _convert(encoding, file))


def _refuse_nul(data: bytes, file: str) -> NoReturn:
    offset = data.index(0)
    found = f"byte 0x00 at offset {offset}"
    guess = _guess_wide(data)
    if guess:
        problem = f"{found}: every other byte is 0, which looks like {guess}; {_VALID}"
        _refuse(file, _line(data, offset), "text.nul", problem, _convert(guess, file))
    problem = f"{found}: text has no NUL bytes, so this is a binary file or a damaged one"
    _refuse(file, _line(data, offset), "text.nul", problem, "give a text file, or save this one again as UTF-8 text")


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", errors="replace")
    return sum(char > "\x7f" for char in text) > 2 * text.count("\ufffd")


def _guess(data: bytes) -> str:
    wide = _guess_wide(data)
    if wide:
        return wide
    try:
        chinese = _HAN.search(data.decode("gb18030")) is not None
    except UnicodeDecodeError:
        chinese = False
    return "GB18030" if chinese else "WINDOWS-1252"


def _guess_wide(data: bytes) -> str | None:
    """UTF-16 without its mark: Latin text has a zero in every other place."""
    half = len(data) // 2
    if half and data[1::2].count(0) > 0.4 * half:
        return "UTF-16LE"
    if half and data[0::2].count(0) > 0.4 * half:
        return "UTF-16BE"
    return None
