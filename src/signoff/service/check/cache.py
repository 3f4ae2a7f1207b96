"""What was found in a page, by the digest of its bytes, the settings and the rules. A damaged cache is made again."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Any, Final

import signoff

FOLDER: Final = ".signoff_cache"
MOST: Final = 100_000
"""How many results are kept; the oldest go first."""


def digest(*parts: bytes | str) -> str:
    """A key that changes with each of its parts."""
    made = blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()


def rules_digest() -> str:
    """Changes with every change of the engine, its tables and its version."""
    made = blake2b(signoff.__version__.encode(), digest_size=20)
    root = resources.files("signoff.evidence")
    for folder in (root, root / "check", root / "rules"):
        for file in sorted(folder.iterdir(), key=lambda each: each.name):
            if file.name.endswith((".py", ".yaml")):
                made.update(file.read_bytes())
    return made.hexdigest()


class Cache:
    """A table of results in a folder; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._db: sqlite3.Connection | None = None
        if folder is None:
            return
        with suppress(OSError, sqlite3.Error):
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / ".gitignore").exists():
                (folder / ".gitignore").write_text("*\n", encoding="utf-8")
            self._db = self._opened(folder / "check.sqlite3")

    @staticmethod
    def _opened(file: Path) -> sqlite3.Connection:
        for attempt in (1, 2):
            db = sqlite3.connect(file, timeout=5)
            try:
                db.execute("CREATE TABLE IF NOT EXISTS result (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
                db.execute("SELECT value FROM result LIMIT 1").fetchone()
            except sqlite3.DatabaseError:
                db.close()
                if attempt == 2:
                    raise
                file.unlink(missing_ok=True)
            else:
                return db
        raise sqlite3.DatabaseError(str(file))

    def known(self, keys: Iterable[str]) -> dict[str, Any]:
        """The results that are there for some keys."""
        found: dict[str, Any] = {}
        if self._db is None:
            return found
        listed = list(keys)
        with suppress(sqlite3.Error):
            for at in range(0, len(listed), 500):
                some = listed[at : at + 500]
                marks = ",".join("?" * len(some))
                for key, value in self._db.execute(f"SELECT key, value FROM result WHERE key IN ({marks})", some):
                    with suppress(zlib.error, ValueError, UnicodeDecodeError):
                        found[key] = json.loads(zlib.decompress(value))
        return found

    def keep(self, results: Mapping[str, Any]) -> None:
        if self._db is None or not results:
            return
        rows = [
            (key, zlib.compress(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1))
            for key, value in results.items()
        ]
        with suppress(sqlite3.Error), self._db:
            self._db.executemany("INSERT OR REPLACE INTO result VALUES (?, ?)", rows)
            count = self._db.execute("SELECT count(*) FROM result").fetchone()[0]
            if count > MOST:
                self._db.execute("DELETE FROM result WHERE key IN (SELECT key FROM result LIMIT ?)", (count - MOST,))

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
