"""How long a text is, in the words of its language.

The law (SP-12), for *visible text*, markup already taken off:

- A word is a run of letters or digits. Hyphens and apostrophes (straight or curly) inside it belong to it, and so does
  a point or comma between two digits: `far-field`, `don't`, `35ms`, `3.5` and `1,500` are one word each; `Wi-Fi 6` two.
- English counts words.
- Chinese counts each Han character, and each word that is not Han as one: `支持Wi-Fi 6` is four.
- Punctuation, symbols and underscores are never counted; `snake_case` is two words.
"""

from __future__ import annotations

import re
import unicodedata

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


def _word(run: str) -> str:
    # One set of joining characters first, so that a space is rejected at once.
    return rf"{run}+(?:['’‐‑.,．-](?:(?<=['’‐‑-])|(?<=\d[.,．])(?=\d)){run}+)*"


# For text in which an underscore is a space.
_EN = re.compile(_word(r"\w"))
_CN = re.compile(rf"[{_HAN}]|" + _word(rf"[^\W{_HAN}]"))


def count_en(text: str) -> int:
    """The English words of a visible text."""
    return _count(_EN, text)


def count_cn(text: str) -> int:
    """The Han characters of a visible text, plus each Latin word or number as one."""
    return _count(_CN, text)


def _count(pattern: re.Pattern[str], text: str) -> int:
    # Otherwise a letter and a separate accent would split the word.
    return len(pattern.findall(unicodedata.normalize("NFC", text).replace("_", " ")))
