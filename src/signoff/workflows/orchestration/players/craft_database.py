"""The offline doer's craft of databases: tables in SQLite, migrations with their way back, and the tests of both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Template
from typing import Final

from signoff.workflows.orchestration.players import tables
from signoff.workflows.orchestration.players.crafting import Assumed, Case, Made, Suite, Task, case
from signoff.workflows.orchestration.players.tables import Table

_SQLITE: Final = re.compile(r"\bSQLite\b", re.IGNORECASE)
_CALLED: Final = {
    "email": "e-mail address", "created_at": "the time of creation", "changed_at": "the time of the last change",
}  # fmt: skip
SPACED: Final = "\n    "
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
"""Automated tests cover the schema: the tables $tables and their migrations, each with a database of its own."""

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
    first, named_statuses = found[0], tables.statuses((*task.actions, *task.minded))
    up = [_created(table, task, named_statuses) for table in found]
    down = [f'DROP TABLE "{table.name}";' for table in reversed(found)]
    stem = f"{folder}/{_number(first, folder, task):04}_{first.name}"
    named = " and ".join(table.name for table in found)
    files = {
        task.module: MODULE.substitute(up=task.module.count("/"), folder=folder),
        f"{stem}.up.sql": "\n\n".join(up) + "\n",
        f"{stem}.down.sql": "\n".join(down) + "\n",
    }
    script = task.standing(f"{stem}.up.sql", files[f"{stem}.up.sql"])
    files[task.handover] = _schema(script, task, stem)
    times = Assumed(
        "Times are kept as text in the form of ISO 8601, in UTC and with their offset.",
        f"`{stem}.up.sql`, the columns for times",
        "SQLite has no type for times; text in this form sorts by time, and nothing in the task asks for another.",
    )
    assumed = (times, *_of_statuses(found, named_statuses, stem))
    tests = suite(task.test, package(task.module), found)
    unread = {text: tables.unread(text) for text in task.actions if tables.unread(text)}
    return Made(files, (tests,), assumed, f"the tables {named}, a migration and its way back", unread)


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


def _of_statuses(found: tuple[Table, ...], named: tuple[str, ...], stem: str) -> Iterator[Assumed]:
    """What a new row's status is, where the plan names others and not that one."""
    if named[:1] == (tables.ACTIVE,) and "inactive" not in named and any(table.has(tables.STATUS) for table in found):
        yield Assumed(
            f"A new row has the status {tables.ACTIVE}; the plan names {' and '.join(named[1:])} alone.",
            f"`{stem}.up.sql`, the column for the status",
            "A row needs a status before it gets another one, and nothing in the task names it.",
        )


def _created(table: Table, task: Task, named: tuple[str, ...]) -> str:
    """The script for one table; a unique index compares as the plan says, and for whom it says."""
    lines = [f'    "{name}" {_type(name, table, named)}' for name in table.columns]
    made = [f'CREATE TABLE "{table.name}" (\n' + ",\n".join(lines) + "\n);"]
    if table.unique:
        nocase = " COLLATE NOCASE" if table.folded else ""
        free = task.settled(_REUSE).casefold().startswith("yes") and table.has(tables.STATUS)
        only = f" WHERE status = '{table.first or tables.ACTIVE}'" if free else ""
        over = ", ".join(f'"{name}"{nocase}' for name in table.unique)
        made.append(f'CREATE UNIQUE INDEX {table.index} ON "{table.name}" ({over}){only};')
    if table.has("changed_at"):
        made.append(f'CREATE INDEX {table.name}_changed_at ON "{table.name}" ("changed_at");')
    return "\n".join(made)


def _type(name: str, table: Table, named: tuple[str, ...]) -> str:
    if name == tables.KEY:
        return "INTEGER PRIMARY KEY"
    if name == tables.STATUS:
        listed = ", ".join(repr(one) for one in named)
        only = f" CHECK (status IN ({listed}))" if named else ""
        return f"TEXT NOT NULL DEFAULT '{table.first or tables.ACTIVE}'{only}"
    if name in table.whole:
        return "INTEGER NOT NULL"
    return f"TEXT NOT NULL CHECK (\"{name}\" <> '')" if name in table.unique else "TEXT NOT NULL"


def _row(table: Table) -> str:
    """A row that every rule of the table allows."""
    values = {name: _value(name, table) for name in table.columns if name not in (tables.KEY, tables.STATUS)}
    return repr(values)


def _value(name: str, table: Table) -> str | int:
    if name in tables.TIMES:
        return "2026-01-01T00:00:00+00:00"
    if name in table.whole:
        return 1
    return "ada@example.org" if name == "email" else f"a {name.replace('_', ' ')}"


def _cases(found: tuple[Table, ...]) -> tuple[Case, ...]:
    table = found[0]
    columns = {one.name: {name: _type(name, one, ()).split()[0] for name in one.columns} for one in found}
    made = [
        case(
            r"\btable (?:holds|has|keeps|contains)\b|\bschema\b",
            f'''
def test_every_table_has_its_columns(database: Path) -> None:
    """The tables hold, keep or contain what the plan says, and nothing else.

    {SPACED.join(f"The {one.name} table holds {_said(one)}." for one in found)}
    """
    for table, columns in {columns!r}.items():
        with closing(connect(database)) as connection:
            there = {{row["name"]: row["type"] for row in connection.execute(f"PRAGMA table_info({{table}})")}}
        assert there == columns
''',
        ),
        case(
            r"\bmigration\b|\bway back\b|\btable (?:holds|has|keeps|contains)\b",
            f'''
def test_a_migration_creates_the_table_and_a_second_script_takes_it_back(tmp_path: Path) -> None:
    """A migration script creates the table and there is a way back: after it the file is as it was; up works again."""
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
    """What the table holds is kept in SQLite, in one file beside the service; its backup can be opened and read."""
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
    """Two rows that are the same in all columns of the index, and rows that differ in one of them."""
    again, alike = (".upper()", "differ_in_case_alone") if table.folded else ("", "are_the_same")
    same = ", ".join(f"{name}=str(ROW[{name!r}]){again}" for name in table.unique)
    others = "\n".join(f'    add(database, {name}="x" + str(ROW[{name!r}]))' for name in table.unique)
    said = " and ".join(name.replace("_", " ") for name in table.unique)
    case_too = ", whatever its case" if table.folded else ""
    return case(
        r"\bunique\b|\bbelongs to one\b|refuses rows",
        f'''
def test_a_unique_index_refuses_the_second_of_two_that_{alike}(database: Path) -> None:
    """A unique index of the {table.name} table over {said} keeps it so, and refuses no rows that are valid.

    {said.capitalize()} belongs to one {table.singular} at a time{case_too}.
    """
    add(database)
    with pytest.raises(sqlite3.IntegrityError):
        add(database, {same})
{others}
    assert "{table.index}" in names(database, "index")
''',
    )


def _said(table: Table) -> str:
    """The columns as people say them."""
    return ", ".join(_CALLED.get(name) or name.replace("_", " ") for name in table.columns)


def _schema(script: str, task: Task, stem: str) -> str:
    """The handover: every table as the script has it, whoever wrote that."""
    lines = ["# Schema", "", f"Made by `{stem}.up.sql`, taken back by `{stem}.down.sql`.", *tables.facts([script])]
    module = task.module.removesuffix(".py").replace("/", ".")
    return "\n".join([*lines, "", f"`{module}` has `connect`, `migrate`, `version` and `backup`."]) + "\n"
