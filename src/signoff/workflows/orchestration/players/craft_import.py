"""The offline doer's craft of taking data over: a text file with a head line into a table, with a report."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Final

from signoff.workflows.orchestration.players import registering, tables
from signoff.workflows.orchestration.players.craft_api import Given, built_on
from signoff.workflows.orchestration.players.craft_database import package
from signoff.workflows.orchestration.players.crafting import Assumed, Made, Task
from signoff.workflows.orchestration.players.import_tests import suite
from signoff.workflows.wording import content

_SEPARATORS: Final = {"semicolon": ";", "comma": ",", "tab": "\t", "pipe": "|"}
_YES: Final = frozenset({"j", "ja", "y", "yes", "1", "true", "t", "active", "x"})
_NO: Final = frozenset({"n", "nein", "no", "0", "false", "f", "inactive", ""})
_DATES: Final = ((re.compile(r"\d{2}\.\d{2}\.\d{4}"), "%d.%m.%Y"), (re.compile(r"\d{4}-\d{2}-\d{2}"), "%Y-%m-%d"))
_NUMBERS: Final = {"seven": 7, "ten": 10, "fourteen": 14, "thirty": 30, "sixty": 60, "ninety": 90}
_DAYS: Final = re.compile(rf"\b(?P<n>\d+|{'|'.join(_NUMBERS)}) days?\b", re.IGNORECASE)
_REPORT: Final = re.compile(r"\breport\b", re.IGNORECASE)

MODULE: Final = Template('''\
"""Takes the rows of $source over into $table: all of them in one transaction, or none, and again without harm."""

from __future__ import annotations

import csv
import json
import sys
import unicodedata
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from $database import backup, connect, migrate

SOURCE = $source_text
SEPARATOR, ENCODING, DATES = $separator, "utf-8", $dates
HEAD = $header
TAKEN = $taken
"""The column of the table: the field of the file. What is not named here is dropped."""
YES = $yes
UNIQUE = $unique
DAYS_KEPT = $days
"""So long a report is kept; None where nobody has said it."""


class NotAsDescribedError(Exception):
    """The file is not what it was said to be: nothing was written."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        super().__init__(f"line {line}: {problem}")


@dataclass
class Report:
    """What became of every line: read is what was taken, what was there before and what was refused."""

    read: int = 0
    taken: int = 0
    known: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)

    def text(self) -> str:
        lines = [{"line": line, "reason": reason} for line, reason in self.refused]
        counted = {"read": self.read, "taken": self.taken, "known": self.known}
        return json.dumps({**counted, "refused": lines}, indent=2) + "\\n"


def run(source: str | Path, database: str | Path) -> Report:
    """The import: reads and checks the whole file before the first row is written."""
    rows = _rows(Path(source))
    migrate(database)
    backup(database, f"{database}.before-import")
    report = Report(read=len(rows))
    with closing(connect(database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            seen: dict[str, int] = {}
            for line, row in rows:
                _take(connection, line, row, seen, report)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    return report


def _rows(source: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows as the table has them, each with the number of its line."""
    with source.open(encoding=ENCODING, newline="") as file:
        reader = csv.reader(file, delimiter=SEPARATOR)
        head = next(reader, [])
        if head != list(HEAD):
            raise NotAsDescribedError(1, f"the head is {head}, expected {list(HEAD)}")
        found = []
        for fields in reader:
            if len(fields) != len(HEAD):
                raise NotAsDescribedError(reader.line_num, f"{len(fields)} fields, expected {len(HEAD)}")
            found.append((reader.line_num, _row(dict(zip(HEAD, fields)), reader.line_num)))
    return found


def _row(given: dict[str, str], line: int) -> dict[str, str]:
    row = {column: unicodedata.normalize("NFC", given[name].strip()) for column, name in TAKEN.items()}
    for column in ("created_at", "changed_at"):
        if row.get(column):
            row[column] = _time(row[column], line)
    if "status" in row:
        row["status"] = "active" if row["status"].casefold() in YES else "inactive"
    row["created_at"] = row.get("created_at") or datetime.now(timezone.utc).isoformat(timespec="microseconds")
    row["changed_at"] = row.get("changed_at") or row["created_at"]
    return row


def _time(text: str, line: int) -> str:
    try:
        return datetime.strptime(text, DATES).replace(tzinfo=timezone.utc).isoformat(timespec="microseconds")
    except ValueError:
        raise NotAsDescribedError(line, f"a date is not of the form {DATES}") from None


def _take(connection, line: int, row: dict[str, str], seen: dict[str, int], report: Report) -> None:
    key = row[UNIQUE].casefold()
    if not key:
        report.refused.append((line, f"{UNIQUE} is empty"))
    elif key in seen:
        report.refused.append((line, f"{UNIQUE} is that of line {seen[key]}"))
    elif connection.execute(f'SELECT 1 FROM "$table" WHERE "{UNIQUE}" = ? COLLATE NOCASE', (key,)).fetchone():
        seen[key] = line
        report.known += 1
    else:
        seen[key] = line
        names, places = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
        connection.execute(f'INSERT INTO "$table" ({names}) VALUES ({places})', tuple(row.values()))
        report.taken += 1


def delete_old_reports(folder: str | Path, now: datetime) -> list[str]:
    """Deletes the reports that have been kept long enough, and says which."""
    if DAYS_KEPT is None:
        return []
    old = (now - timedelta(days=DAYS_KEPT)).timestamp()
    gone = [file for file in sorted(Path(folder).glob("import-*.json")) if file.stat().st_mtime < old]
    for file in gone:
        file.unlink()
    return [file.name for file in gone]


def main(argv: list[str]) -> int:
    """The import as a command: `import DATABASE REPORTS [SOURCE]`."""
    if not 2 <= len(argv) <= 3:
        print("usage: import DATABASE REPORTS [SOURCE]", file=sys.stderr)
        return 2
    database, folder, *source = argv
    now = datetime.now(timezone.utc)
    Path(folder).mkdir(parents=True, exist_ok=True)  # before the first row: a report that cannot be kept stops it
    delete_old_reports(folder, now)
    try:
        report = run(source[0] if source else SOURCE, database)
    except (OSError, NotAsDescribedError) as error:
        print(f"nothing was taken over: {error}", file=sys.stderr)
        return 1
    (Path(folder) / f"import-{now:%Y%m%dT%H%M%S}.json").write_text(report.text(), encoding="utf-8")
    print(f"read {report.read}, taken {report.taken}, known {report.known}, refused {len(report.refused)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
''')


@dataclass(frozen=True)
class Source:
    """A file to take over, as it was found: its head, and what its columns become."""

    path: str
    separator: str
    header: tuple[str, ...]
    rows: tuple[Sequence[str], ...]
    taken: Mapping[str, str]

    def values(self, name: str) -> set[str]:
        at = self.header.index(name)
        return {row[at] for row in self.rows if len(row) > at}

    @property
    def dates(self) -> str:
        """The form of the dates in the file; the commonest where it has none."""
        found = [value for column in tables.TIMES if column in self.taken for value in self.values(self.taken[column])]
        forms = (form for pattern, form in _DATES if any(pattern.fullmatch(value) for value in found))
        return next(forms, _DATES[0][1])

    @property
    def yes(self) -> tuple[str, ...]:
        if "status" not in self.taken:
            return ()
        found = {value.casefold() for value in self.values(self.taken["status"])}
        return tuple(sorted(found & _YES)) if found <= _YES | _NO else ()

    @property
    def dropped(self) -> tuple[str, ...]:
        return tuple(name for name in self.header if name not in self.taken.values())


def craft(task: Task) -> Made | None:
    """The import, where there are a file with a head line and a table whose unique column the file has."""
    given, source = built_on(task), None
    if given and len(given.table.unique) == 1:
        source = next(filter(None, (read(path, text, given, task) for path, text in task.inputs(".csv").items())), None)
    if given is None or source is None or not task.module:
        return None
    module = package(task.module)
    files = {
        task.module: MODULE.substitute(
            source=source.path, source_text=repr(source.path), table=given.table.name, database=given.database,
            separator=repr(source.separator), dates=repr(source.dates), header=repr(source.header),
            taken=repr(dict(source.taken)), yes=repr(source.yes), unique=repr(given.table.unique[0]),
            days=_days(task),
        ),
        **registering.registered(task, "import", f"{module}:main", "takes the file over: import DATABASE REPORTS"),
        task.handover: _rules(source, given, task),
    }  # fmt: skip
    more = registering.cases(task, "import", "import DATABASE REPORTS [SOURCE]")
    tests = suite(task.test, module, given, source, *more)
    summary = f"an import of {source.path} into {given.table.name}"
    return Made(files, (tests,), tuple(_assumed(source, task)), summary)


def read(path: str, text: str, given: Given, task: Task) -> Source | None:
    """A file as it is, if its unique column can be told from its head line."""
    said = " ".join((*task.actions, *task.minded)).casefold()
    named = next((sign for word, sign in _SEPARATORS.items() if word in said), "")
    lines = text.splitlines()
    separator = named or max(_SEPARATORS.values(), key=lambda sign: lines[0].count(sign) if lines else 0)
    header, *rows = list(csv.reader(lines, delimiter=separator)) or [[]]
    taken = {column: name for column in given.table.columns if (name := field_of(column, header))}
    if given.table.unique[0] not in taken or not set(given.table.filled) <= set(taken):
        return None
    return Source(path, separator, tuple(header), tuple(rows), taken)


_CALLED: Final = {"status": ("active", "enabled", "state"), "changed_at": ("modified", "updated"), "email": ("mail",)}


def field_of(column: str, header: Sequence[str]) -> str:
    """The field of a file that a column is filled from: by its own name, by a word of it, or by another word for it."""
    plain = {name.casefold().replace("-", "").replace(" ", "_"): name for name in header}
    words = column.removesuffix("_at").split("_")
    wanted = (column, column.removesuffix("_at"), *reversed(words), *_CALLED.get(column, ()))
    by_name = next((plain[word] for word in wanted if word in plain), "")
    stems = content(" ".join(words))
    return by_name or next((name for key, name in plain.items() if stems & content(key.replace("_", " "))), "")


def _days(task: Task) -> int | None:
    found = _DAYS.search(task.settled(_REPORT))
    if found is None:
        return None
    said = found["n"].casefold()
    return _NUMBERS.get(said) or int(said)


def _assumed(source: Source, task: Task) -> Iterator[Assumed]:
    place = f"`{task.module}`, where a line becomes a row"
    yield Assumed(
        "A date of the file has no time of day and no offset: it is taken as midnight in UTC.",
        place,
        "The table has times in UTC, and the file says nothing finer.",
    )
    if "changed_at" in source.taken and "" in source.values(source.taken["changed_at"]):
        yield Assumed(
            f"A line with nothing under `{source.taken['changed_at']}` was never changed: "
            "its time of creation is taken.",
            place,
            "The table needs a time there, and that of creation is the only one that the line has.",
        )
    if source.yes:
        yield Assumed(
            f"Under `{source.taken['status']}`, {' and '.join(source.yes)} stands for active and everything else "
            "for inactive.",
            place,
            f"The file has these values alone: {', '.join(sorted(source.values(source.taken['status'])))}.",
        )


def _rules(source: Source, given: Given, task: Task) -> str:
    unique = given.table.unique[0]
    rules = [
        f"A line with an empty `{unique}` is refused, and reported with its number.",
        f"A line whose `{unique}` is that of an earlier line, whatever its case, is refused and reported.",
        f"A line whose `{unique}` the table has already is left as it is, so that a second run makes nothing twice.",
        "A line with another number of fields, or with another form of date, stops the import before the first write.",
        f"The fields {', '.join(f'`{name}`' for name in source.dropped) or 'that are not named above'} are dropped.",
        "The file is read and never written.",
    ]
    lines = [
        "# Rules of the import",
        "",
        f"`{task.module}` takes `{source.path}` over in one transaction, after a backup.",
        "",
        "| column | field of the file |",
        "|---|---|",
        *(f"| `{column}` | `{name}` |" for column, name in source.taken.items()),
        "",
        *(f"{number}. {rule}" for number, rule in enumerate(rules, 1)),
    ]
    return "\n".join(lines) + "\n"
