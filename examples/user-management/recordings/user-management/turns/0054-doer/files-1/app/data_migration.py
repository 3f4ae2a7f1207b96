"""Takes the rows of legacy/users.csv over into users: all of them in one transaction, or none, and again without harm."""

from __future__ import annotations

import csv
import json
import sys
import unicodedata
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from app.database import backup, connect, migrate

SOURCE = 'legacy/users.csv'
SEPARATOR, ENCODING, DATES = ';', "utf-8", '%d.%m.%Y'
HEAD = ('login', 'name', 'email', 'password_md5', 'active', 'created', 'changed')
TAKEN = {'email': 'email', 'display_name': 'name', 'status': 'active', 'created_at': 'created', 'changed_at': 'changed'}
"""The column of the table: the field of the file. What is not named here is dropped."""
YES = ('j',)
UNIQUE = 'email'
DAYS_KEPT = 30
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
        return json.dumps({**counted, "refused": lines}, indent=2) + "\n"


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
    elif connection.execute(f'SELECT 1 FROM "users" WHERE "{UNIQUE}" = ? COLLATE NOCASE', (key,)).fetchone():
        seen[key] = line
        report.known += 1
    else:
        seen[key] = line
        names, places = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
        connection.execute(f'INSERT INTO "users" ({names}) VALUES ({places})', tuple(row.values()))
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
