"""The offline doer's craft of databases: tables in SQLite, migrations with their way back, and the tests of both."""

from __future__ import annotations

import re
from string import Template
from typing import Final

from signoff.workflows.orchestration.players import tables
from signoff.workflows.orchestration.players.crafting import Assumed, Case, Made, Suite, Task, case
from signoff.workflows.orchestration.players.tables import Table

_SQLITE: Final = re.compile(r"\bSQLite\b", re.IGNORECASE)
_REUSE: Final = re.compile(r"\binactive\b", re.IGNORECASE)

MODULE: Final = Template('''\
"""The database: connections, migrations with their way back, and backups. Everything lies in one SQLite file."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

MIGRATIONS = Path(__file__).resolve().parents[$up] / "$folder"
BUSY_MILLISECONDS = 5000
_NUMBERED = re.compile(r"(\\d{4})_\\w+\\.(up|down)\\.sql")


def connect(path: str | Path) -> sqlite3.Connection:
    """A connection as every one has to be: foreign keys on, and patience with another writer."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    connection.execute("PRAGMA synchronous = NORMAL")  # with a write-ahead log nothing breaks by it
    return connection


def version(path: str | Path) -> int:
    """The number of the last migration that the file has."""
    with closing(connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(path: str | Path, to: int | None = None, folder: Path = MIGRATIONS) -> int:
    """Brings a file up or back to a number, each migration in one transaction; a file with data is backed up first."""
    scripts = {(int(m[1]), m[2]): file for file in sorted(folder.iterdir()) if (m := _NUMBERED.fullmatch(file.name))}
    newest = max((number for number, _ in scripts), default=0)
    wanted, here = newest if to is None else to, version(path)
    if here and here != wanted:
        backup(path, Path(f"{path}.before-{here}-to-{wanted}"))
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for number in range(here + 1, wanted + 1):
            _apply(connection, scripts[number, "up"], number)
        for number in range(here, wanted, -1):
            _apply(connection, scripts[number, "down"], number - 1)
    return wanted


def _apply(connection: sqlite3.Connection, script: Path, number: int) -> None:
    text = script.read_text(encoding="utf-8")
    try:
        connection.executescript(f"BEGIN IMMEDIATE;\\n{text}\\nPRAGMA user_version = {number};\\nCOMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def backup(path: str | Path, to: str | Path) -> None:
    """A copy by the backup API, which is whole even while somebody writes."""
    with closing(connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)
''')

HEAD: Final = Template('''\
"""The tables $tables and their migrations, each test with a database of its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from $package import MIGRATIONS, backup, connect, migrate, version

ROW = $row


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "service.db"
    migrate(path)
    return path


def add(path: Path, **changed: object) -> None:
    row = {**ROW, **changed}
    names, places = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
    with closing(connect(path)) as connection:
        connection.execute(f'INSERT INTO "$table" ({names}) VALUES ({places})', tuple(row.values()))


def names(path: Path, kind: str) -> set[str]:
    with closing(connect(path)) as connection:
        return {row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,))}
''')


def craft(task: Task) -> Made | None:
    """Tables and migrations, where the stack has SQLite and the task says what a table holds."""
    if not _SQLITE.search(task.stack) or not task.module or not (folder := _folder(task)):
        return None
    found = tables.told((*task.actions, *task.minded))
    if not found:
        return None
    first = found[0]
    up = [_created(table, task) for table in found]
    down = [f'DROP TABLE "{table.name}";' for table in reversed(found)]
    stem = f"{folder}/{_number(first, folder, task):04}_{first.name}"
    named = " and ".join(table.name for table in found)
    files = {
        task.module: MODULE.substitute(up=task.module.count("/"), folder=folder),
        f"{stem}.up.sql": "\n\n".join(up) + "\n",
        f"{stem}.down.sql": "\n".join(down) + "\n",
        task.handover: _schema(found, task, stem),
    }
    times = Assumed(
        "Times are kept as text in the form of ISO 8601, in UTC and with their offset.",
        f"`{stem}.up.sql`, the columns for times",
        "SQLite has no type for times; text in this form sorts by time, and nothing in the task asks for another.",
    )
    tests = suite(task.test, package(task.module), found)
    return Made(files, (tests,), (times,), f"the tables {named}, a migration and its way back")


def package(path: str) -> str:
    """What a file of the program is called where it is imported."""
    return path.removesuffix(".py").replace("/", ".")


def suite(path: str, module: str, found: tuple[Table, ...]) -> Suite:
    """The tests of these tables, and of the module that migrates to them."""
    first = found[0]
    head = HEAD.substitute(
        tables=" and ".join(table.name for table in found), package=module, table=first.name, row=_row(first)
    )
    return Suite(path, head, _cases(found))


def _folder(task: Task) -> str:
    return next((path.rpartition("/")[0] for path in task.named if path.endswith(".sql")), "")


def _number(table: Table, folder: str, task: Task) -> int:
    """The number of its migration: the one that it has, or the next after those of others."""
    found = {path: re.fullmatch(rf"{re.escape(folder)}/(\d{{4}})_(\w+)\.up\.sql", path) for path in task.desk.files}
    taken = {hit[2]: int(hit[1]) for hit in found.values() if hit}
    return taken.get(table.name) or max(taken.values(), default=0) + 1


def _created(table: Table, task: Task) -> str:
    """The script for one table; a unique column compares as the plan says, and for whom it says."""
    lines = [f'    "{name}" {_type(name, table, task)}' for name in table.columns]
    made = [f'CREATE TABLE "{table.name}" (\n' + ",\n".join(lines) + "\n);"]
    if table.unique:
        nocase = " COLLATE NOCASE" if table.folded else ""
        free = task.settled(_REUSE).casefold().startswith("yes") and table.has("status")
        only = " WHERE status = 'active'" if free else ""
        made.append(
            f'CREATE UNIQUE INDEX {table.name}_{table.unique} ON "{table.name}" ("{table.unique}"{nocase}){only};'
        )
    if table.has("changed_at"):
        made.append(f'CREATE INDEX {table.name}_changed_at ON "{table.name}" ("changed_at");')
    return "\n".join(made)


def _type(name: str, table: Table, task: Task) -> str:
    if name == tables.KEY:
        return "INTEGER PRIMARY KEY"
    if name == "status" and _REUSE.search(task.told):
        return "TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive'))"
    if name == table.unique:
        return f"TEXT NOT NULL CHECK (\"{name}\" <> '')"
    return "TEXT NOT NULL"


def _row(table: Table) -> str:
    """A row that every rule of the table allows."""
    values = {name: _value(name) for name in table.columns if name not in (tables.KEY, "status")}
    return repr(values)


def _value(name: str) -> str:
    if name in tables.TIMES:
        return "2026-01-01T00:00:00+00:00"
    return "ada@example.org" if name == "email" else f"a {name.replace('_', ' ')}"


def _cases(found: tuple[Table, ...]) -> tuple[Case, ...]:
    table = found[0]
    columns = {one.name: one.columns for one in found}
    made = [
        case(
            r"\btable (?:holds|has|keeps|contains)\b|\bschema\b",
            f'''
def test_every_table_has_its_columns(database: Path) -> None:
    """The tables hold what the plan says that they hold."""
    for table, columns in {columns!r}.items():
        with closing(connect(database)) as connection:
            there = [row["name"] for row in connection.execute(f"PRAGMA table_info({{table}})")]
        assert there == list(columns)
''',
        ),
        case(
            r"\bmigration\b|\bway back\b|\btable (?:holds|has|keeps|contains)\b",
            f'''
def test_a_migration_creates_the_table_and_a_second_script_takes_it_back(tmp_path: Path) -> None:
    """There is a way back: after it the file is as it was, and the way up works again."""
    path = tmp_path / "service.db"
    migrate(path)
    assert {table.name!r} in names(path, "table")
    migrate(path, to=0)
    assert {table.name!r} not in names(path, "table")
    assert migrate(path) == version(path) > 0
''',
        ),
        case(
            r"\bone file\b|\bSQLite\b",
            '''
def test_everything_is_in_one_sqlite_file_that_a_backup_copies_whole(database: Path, tmp_path: Path) -> None:
    """The database is one SQLite file, and its backup can be opened and read."""
    add(database)
    assert database.read_bytes().startswith(b"SQLite format 3")
    copy = tmp_path / "copy.db"
    backup(database, copy)
    with closing(connect(copy)) as connection:
        assert connection.execute('SELECT count(*) FROM "TABLE"').fetchone()[0] == 1
'''.replace("TABLE", table.name),
        ),
        case(
            r"stops? half way",
            '''
def test_a_migration_that_stops_half_way_is_as_if_it_had_not_begun(tmp_path: Path) -> None:
    """A migration stops half way: neither its first statement nor its number stays."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for file in MIGRATIONS.iterdir():
        (folder / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    broken = "CREATE TABLE half_way (id INTEGER);\\nSELECT * FROM a_table_that_nobody_made;"
    path = tmp_path / "service.db"
    last = migrate(path)
    (folder / f"{last + 1:04}_broken.up.sql").write_text(broken, encoding="utf-8")
    with pytest.raises(sqlite3.Error, match="a_table_that_nobody_made"):
        migrate(path, folder=folder)
    assert version(path) == last
    assert "half_way" not in names(path, "table")
''',
        ),
    ]
    return (*made, _unique_case(table) if table.unique else _VALID)


_VALID: Final = case(
    r"refuses rows",
    '''
def test_no_constraint_refuses_rows_that_are_valid(database: Path) -> None:
    """A constraint refuses rows that are valid: two of them, one after the other, are taken."""
    add(database)
    add(database)
    assert version(database) > 0
''',
)


def _unique_case(table: Table) -> Case:
    again, alike = (".upper()", "differ_in_case_alone") if table.folded else ("", "are_the_same")
    return case(
        r"\bunique\b|\bbelongs to one\b|refuses rows",
        f'''
def test_a_unique_index_refuses_the_second_of_two_that_{alike}(database: Path) -> None:
    """A unique index keeps {table.unique} with one row; the constraint refuses no rows that are valid."""
    add(database)
    with pytest.raises(sqlite3.IntegrityError):
        add(database, {table.unique}=str(ROW[{table.unique!r}]){again})
    add(database, {table.unique}="x" + str(ROW[{table.unique!r}]))
    assert "{table.name}_{table.unique}" in names(database, "index")
''',
    )


def _schema(found: tuple[Table, ...], task: Task, stem: str) -> str:
    lines = ["# Schema", "", f"Made by `{stem}.up.sql`, taken back by `{stem}.down.sql`."]
    for table in found:
        lines += ["", f"## {table.name}", "", "| column | kept as |", "|---|---|"]
        lines += [f"| `{name}` | {_type(name, table, task)} |" for name in table.columns]
        if table.unique:
            lines += ["", f"The unique index `{table.name}_{table.unique}` keeps `{table.unique}` with one row."]
        if table.has("changed_at"):
            lines += ["", f"The index `{table.name}_changed_at` finds what changed since a given time."]
    module = task.module.removesuffix(".py").replace("/", ".")
    return "\n".join([*lines, "", f"`{module}` has `connect`, `migrate`, `version` and `backup`."]) + "\n"
