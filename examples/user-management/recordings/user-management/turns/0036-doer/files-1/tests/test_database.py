"""Automated tests cover the schema: the tables users and their migrations, each with a database of its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.database import MIGRATIONS, backup, connect, migrate, version

ROW = {'email': 'ada@example.org', 'display_name': 'a display name', 'created_at': '2026-01-01T00:00:00+00:00', 'changed_at': '2026-01-01T00:00:00+00:00'}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "service.db"
    migrate(path)
    return path


def add(path: Path, **changed: object) -> None:
    row = {**ROW, **changed}
    names, places = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
    with closing(connect(path)) as connection:
        connection.execute(f'INSERT INTO "users" ({names}) VALUES ({places})', tuple(row.values()))


def names(path: Path, kind: str) -> set[str]:
    with closing(connect(path)) as connection:
        return {row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,))}


def test_every_table_has_its_columns(database: Path) -> None:
    """The tables hold, keep or contain what the plan says, and nothing else.

    The users table holds id, e-mail address, display name, status, the time of creation, the time of the last change.
    """
    for table, columns in {'users': {'id': 'INTEGER', 'email': 'TEXT', 'display_name': 'TEXT', 'status': 'TEXT', 'created_at': 'TEXT', 'changed_at': 'TEXT'}}.items():
        with closing(connect(database)) as connection:
            there = {row["name"]: row["type"] for row in connection.execute(f"PRAGMA table_info({table})")}
        assert there == columns


def test_a_migration_creates_the_table_and_a_second_script_takes_it_back(tmp_path: Path) -> None:
    """A migration script creates the table and there is a way back: after it the file is as it was; up works again."""
    path = tmp_path / "service.db"
    migrate(path)
    assert 'users' in names(path, "table")
    migrate(path, to=0)
    assert 'users' not in names(path, "table")
    assert migrate(path) == version(path) > 0


def test_everything_is_in_one_sqlite_file_that_a_backup_copies_whole(database: Path, tmp_path: Path) -> None:
    """What the table holds is kept in SQLite, in one file beside the service; its backup can be opened and read."""
    add(database)
    assert database.read_bytes().startswith(b"SQLite format 3")
    copy = tmp_path / "copy.db"
    backup(database, copy)
    with closing(connect(copy)) as connection:
        assert connection.execute('SELECT count(*) FROM "users"').fetchone()[0] == 1


def test_a_unique_index_refuses_the_second_of_two_that_differ_in_case_alone(database: Path) -> None:
    """A unique index of the users table over email keeps it so, and refuses no rows that are valid.

    Email belongs to one user at a time, whatever its case.
    """
    add(database)
    with pytest.raises(sqlite3.IntegrityError):
        add(database, email=str(ROW['email']).upper())
    add(database, email="x" + str(ROW['email']))
    assert "users_email" in names(database, "index")
