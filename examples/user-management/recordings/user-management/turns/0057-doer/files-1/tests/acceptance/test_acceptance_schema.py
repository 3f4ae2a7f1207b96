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
