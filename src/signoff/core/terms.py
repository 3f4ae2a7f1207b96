"""Closed lists of values, each with a name in English and in Chinese.

Documents, journals and recordings hold the value. People and agents may give the value or one of its names; people see
the name in the language of their run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from signoff.core.errors import DefinitionError

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Term:
    """One value and its names. A name that is not given is the value itself."""

    value: str
    en: str = ""
    zh: str = ""

    def name(self, language: str) -> str:
        return (self.zh if language == "zh" else self.en) or self.value

    @property
    def names(self) -> str:
        """Both names, for text that is read before the language of a run is known."""
        return " / ".join(dict.fromkeys([self.name("en"), self.name("zh")]))


class Terms:
    """A closed list, in the order in which it is shown. A plain text is a value that has no other name."""

    def __init__(self, *entries: str | Term) -> None:
        self.terms = tuple(Term(one) if isinstance(one, str) else one for one in entries)
        self.values = tuple(one.value for one in self.terms)
        self._values: dict[str, str] = {}
        for one in self.terms:
            for text in {one.value, one.name("en"), one.name("zh")}:
                if text in self._values:
                    problem = f"{text!r} names both {self._values[text]!r} and {one.value!r}"
                    raise DefinitionError(problem, repair="give each value names of its own")
                self._values[text] = one.value

    def value(self, text: str) -> str | None:
        """The value that a text names in either language, None if it names none."""
        return self._values.get(text)

    def name(self, value: str, language: str) -> str:
        """The name of a value; what is not in the list is shown as it is."""
        return next((one.name(language) for one in self.terms if one.value == value), value)

    def names(self, language: str) -> tuple[str, ...]:
        return tuple(one.name(language) for one in self.terms)

    def shown(self, text: str, language: str) -> str:
        """A text with the names of the values that stand alone in it: between spaces, or listed between marks."""
        return self._apart.sub(lambda found: self.name(found.group(), language), text) if self.terms else text

    @cached_property
    def _apart(self) -> re.Pattern[str]:
        """An English value is also an English word, so it counts only if it is listed: `(challenge, moderate; …)`."""
        longest = sorted(map(re.escape, self.values), key=len, reverse=True)
        han = "|".join(value for value in longest if _HAN.search(value))
        apart = rf"|(?<!\w)(?:{han})(?!\w)" if han else ""
        return re.compile(rf"(?:(?<=[,;] )|(?<=\())(?:{'|'.join(longest)})(?=[,;)]){apart}")


def language_of(params: Mapping[str, Any]) -> str:
    """The language of a run: its `language` parameter, or else the language that its parameters are written in."""
    if (told := params.get("language")) in ("en", "zh"):
        return str(told)
    return written_in(" ".join(str(value) for name, value in params.items() if name != "slug" and value))


def written_in(text: str) -> str:
    """`zh` if a text has more Han characters than Latin words, else `en`."""
    return "zh" if len(_HAN.findall(text)) > len(_WORD.findall(text)) else "en"
