"""The offline doer's craft of trials: it counts what an assumption speaks of, in the file that it speaks of."""

from __future__ import annotations

import csv
import re
from string import Template
from typing import Final

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.players.craft_import import field_of
from signoff.workflows.orchestration.players.crafting import Assumed, Case, Made, Suite, Task, case
from signoff.workflows.orchestration.players.pocs import trial
from signoff.workflows.orchestration.players.tables import column
from signoff.workflows.wording import clipped

_ASSUMPTION: Final = re.compile(r"Find out whether this holds: (?P<text>.+)")
_SIGNS: Final = ";,\t|"

HEAD: Final = Template('''\
"""A trial: $assumption"""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path

SOURCE, SEPARATOR, FIELD = Path($source), $separator, $field


def lines() -> list[tuple[int, list[str]]]:
    """Every line behind the first, with its number."""
    with SOURCE.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=SEPARATOR)
        next(reader)
        return [(reader.line_num, fields) for fields in reader]
''')

UNIQUE: Final = '''
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
'''

FORM: Final = '''
def test_no_line_is_of_another_form() -> None:
    """Read from the first to the last line: every line has as many fields as the first."""
    with SOURCE.open(encoding="utf-8", newline="") as file:
        wanted = len(next(csv.reader(file, delimiter=SEPARATOR)))
    other = [number for number, fields in lines() if len(fields) != wanted]
    print(f"lines: {len(lines())}, of another form: {len(other)}")
    for number in other:
        print(f"line {number}")
    assert other == []
'''


def craft(task: Task) -> Made | None:
    """A count over the file among the inputs, where that is how the assumption is tried; else a mere description."""
    found = _ASSUMPTION.search(task.told)
    if found is None:
        return None
    text = found["text"].strip()
    kind, files = trial(text)[0], task.inputs(".csv")
    folder = places.output(task.agent)
    if kind not in ("uniqueness", "form") or not files:
        return _untried(task)
    source, content = next(iter(files.items()))
    separator = max(_SIGNS, key=lambda sign: content.partition("\n")[0].count(sign))
    head = next(csv.reader(content.splitlines(), delimiter=separator), [])
    field = _field(text, head)
    if kind == "uniqueness" and not field:
        return _untried(task)
    path = f"{folder}test_{task.stem}.py"
    made: Case = case("", UNIQUE if kind == "uniqueness" else FORM)
    beginning = HEAD.substitute(
        assumption=clipped(text, 80).replace('"', "'").replace("\\", "/"), source=repr(source),
        separator=repr(separator), field=repr(field),
    )  # fmt: skip
    return Made({}, (Suite(path, beginning, (made,)),), (), f"a count over {source}: {text}")


def _field(text: str, head: list[str]) -> str:
    """The field that an assumption speaks of."""
    said = text.casefold()
    by_name = next((name for name in head if name.casefold() in said), "")
    words = re.findall(r"e-?mail|\w+", said)
    return by_name or next((name for word in words if (name := field_of(column(word), head))), "")


def _untried(task: Task) -> Made:
    """It says that nothing was tried: whoever reviews the evidence sees that there is none."""
    text = f"# {task.agent}\n\nNot tried: this doer works offline and knows no way to try it.\n"
    assumed = Assumed(
        "Nothing was tried, because no file among the inputs decides it and this doer works offline.",
        f"`{places.output(task.agent)}`",
        "The reviewer of the evidence sees that there is none, and a person decides.",
    )
    return Made({f"{places.output(task.agent)}result.md": text}, (), (assumed,), "nothing that was tried")
