"""The database: connections, migrations with their way back, and backups. Everything lies in one SQLite file."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations"
BUSY_MILLISECONDS = 5000
_NUMBERED = re.compile(r"(\d{4})_\w+\.(up|down)\.sql")


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
        connection.executescript(f"BEGIN IMMEDIATE;\n{text}\nPRAGMA user_version = {number};\nCOMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def backup(path: str | Path, to: str | Path) -> None:
    """A copy by the backup API, which is whole even while somebody writes."""
    with closing(connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)
