"""A trial: The e-mail addresses of the legacy file are unique once case is ignored"""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path

SOURCE, SEPARATOR, FIELD = Path('legacy/users.csv'), ';', 'email'


def lines() -> list[tuple[int, list[str]]]:
    """Every line behind the first, with its number."""
    with SOURCE.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=SEPARATOR)
        next(reader)
        return [(reader.line_num, fields) for fields in reader]


def test_no_value_occurs_more_than_once() -> None:
    """Counted over the whole file, compared without case; an empty field is no value."""
    with SOURCE.open(encoding="utf-8", newline="") as file:
        at = next(csv.reader(file, delimiter=SEPARATOR)).index(FIELD)
    places: dict[str, list[int]] = {}
    for number, fields in lines():
        if value := unicodedata.normalize("NFC", fields[at].strip()).casefold():
            places.setdefault(value, []).append(number)
    twice = [numbers for numbers in places.values() if len(numbers) > 1]
    print(f"values: {sum(map(len, places.values()))}, different: {len(places)}, more than once: {len(twice)}")
    for numbers in twice:
        print(f"the same value in the lines {', '.join(map(str, numbers))}")
    assert twice == []
