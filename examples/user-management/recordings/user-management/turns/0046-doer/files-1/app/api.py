"""The REST API on users: a WSGI application that needs the standard library and nothing else."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import sqlite3
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from wsgiref.simple_server import make_server

from app.database import connect, migrate

FIELDS = ('email', 'display_name')
WHOLE = ()
"""The fields that are whole numbers; the others are text."""
PAGE = 100
MOST = 1_000_000
"""A body that has more bytes is not read."""
_ONE = re.compile(r"/users/(\d{1,18})")
Answer = tuple[int, Any]
WORDS = {200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
         405: "Method Not Allowed", 409: "Conflict", 413: "Content Too Large", 500: "Internal Server Error"}


class Refused(Exception):
    """An error as a caller is told: a status, a code and a sentence."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        self.status, self.code, self.sentence = status, code, sentence
        super().__init__(sentence)


def digest(key: str) -> str:
    """A caller's key as it is kept."""
    return hashlib.sha256(key.encode()).hexdigest()


def create_app(database: str | Path, keys: Mapping[str, str]) -> Callable[..., Iterable[bytes]]:
    """The application on a database that is migrated; `keys` are the digests of the callers' keys, by caller."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        try:
            _known_caller(environ, keys)
            status, body = _routed(environ, database)
        except Refused as refused:
            status, body = refused.status, {"error": {"code": refused.code, "message": refused.sentence}}
        except Exception:  # a caller must not take an empty page for an empty list
            status, body = 500, {"error": {"code": "internal", "message": "The service failed; nothing was changed."}}
        data = b"" if status == 204 else json.dumps(body, ensure_ascii=False).encode()
        headers = [("Content-Type", "application/json; charset=utf-8"), ("Content-Length", str(len(data)))]
        start_response(f"{status} {WORDS[status]}", headers)
        return [data]

    return application


def _known_caller(environ: Mapping[str, Any], keys: Mapping[str, str]) -> None:
    given = digest(str(environ.get("HTTP_X_API_KEY") or ""))
    if not any([hmac.compare_digest(given, one) for one in keys.values()]):  # all are compared, whichever fits
        raise Refused(401, "unknown_key", "Send a known key in the header X-Api-Key.")


def _routed(environ: Mapping[str, Any], database: str | Path) -> Answer:
    method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
    one = _ONE.fullmatch(path)
    with closing(connect(database)) as connection:
        if one is not None:
            number = int(one[1])
            if method == "GET":
                return 200, _read(connection, number)
            if method == "PATCH":
                return 200, _change(connection, number, _body(environ))
            if method == "DELETE":
                return _deactivate(connection, number)
        elif path == "/users":
            if method == "GET":
                return 200, _list(connection, parse_qs(environ.get("QUERY_STRING", "")))
            if method == "POST":
                return 201, _create(connection, _body(environ))
        else:
            raise Refused(404, "no_such_path", "There is nothing at this path.")
    raise Refused(405, "no_such_method", f"{method} is not possible here.")


def _body(environ: Mapping[str, Any]) -> dict[str, Any]:
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise Refused(400, "no_length", "Content-Length is no number.") from None
    if length > MOST:
        raise Refused(413, "too_long", f"A body has at most {MOST} bytes.")
    try:
        given = json.loads(environ["wsgi.input"].read(length) or b"{}")
    except ValueError:
        raise Refused(400, "no_json", "The body is no JSON.") from None
    if not isinstance(given, dict) or not set(given) <= set(FIELDS):
        raise Refused(400, "unknown_field", f"The body is an object with: {', '.join(FIELDS)}.")
    return {name: _value(name, value) for name, value in given.items()}


def _value(name: str, value: Any) -> Any:
    if name in WHOLE:
        if type(value) is not int:
            raise Refused(400, "no_number", f"{name} has to be a whole number.")
        return value
    if not isinstance(value, str) or not value.strip():
        raise Refused(400, "empty_field", f"{name} has to be a text that is not empty.")
    return unicodedata.normalize("NFC", value.strip())


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")


def _read(connection: sqlite3.Connection, number: int) -> dict[str, Any]:
    row = connection.execute('SELECT * FROM "users" WHERE id = ?', (number,)).fetchone()
    if row is None:
        raise Refused(404, "no_such_user", "There is no user with this id.")
    return dict(row)


def _create(connection: sqlite3.Connection, given: Mapping[str, Any]) -> dict[str, Any]:
    if missing := [name for name in FIELDS if name not in given]:
        raise Refused(400, "missing_field", f"{missing[0]} is missing.")
    now = _now()
    row = {**given, "created_at": now, "changed_at": now}
    names, places = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
    done = _written(connection, f'INSERT INTO "users" ({names}) VALUES ({places})', tuple(row.values()))
    return _read(connection, int(done.lastrowid or 0))


def _change(connection: sqlite3.Connection, number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    _read(connection, number)
    row = {**given, "changed_at": _now()}
    sets = ", ".join(f'"{name}" = ?' for name in row)
    _written(connection, f'UPDATE "users" SET {sets} WHERE id = ?', (*row.values(), number))
    return _read(connection, number)


def _deactivate(connection: sqlite3.Connection, number: int) -> Answer:
    """A user stays for good: whoever deletes one sets its status."""
    if _read(connection, number)["status"] != "inactive":
        _written(
            connection,
            'UPDATE "users" SET status = ?, changed_at = ? WHERE id = ?',
            ("inactive", _now(), number),
        )
    return 204, None


def _list(connection: sqlite3.Connection, query: Mapping[str, list[str]]) -> dict[str, Any]:
    """A page, ordered by id; `next` is the id to go on from."""
    after = query.get("after", ["0"])[0]
    since = query.get("changed_since", [""])[0]
    if not after.isdecimal():
        raise Refused(400, "bad_after", "after is the id to go on from.")
    if since:
        since = _time(since)
    rows = connection.execute(
        'SELECT * FROM "users" WHERE id > ? AND changed_at >= ? ORDER BY id LIMIT ?', (int(after), since, PAGE + 1)
    ).fetchall()
    page = [dict(row) for row in rows[:PAGE]]
    return {"users": page, "next": page[-1]["id"] if len(rows) > PAGE else None}


def _time(text: str) -> str:
    try:
        time = datetime.fromisoformat(text.replace(" ", "+"))  # a plus that nobody escaped arrives as a space
    except ValueError:
        raise Refused(400, "bad_time", "changed_since is a time such as 2026-01-31T00:00:00+00:00.") from None
    if time.tzinfo is None:
        raise Refused(400, "bad_time", "changed_since needs its offset, as in +00:00.")
    return time.astimezone(timezone.utc).isoformat(timespec="microseconds")


def _written(connection: sqlite3.Connection, statement: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
    try:
        return connection.execute(statement, values)
    except sqlite3.IntegrityError:
        raise Refused(409, "taken", "Another user has this email.") from None


def main(argv: list[str]) -> int:
    """Serves the API: `serve DATABASE PORT`. The keys are in KEYS as `caller=digest`, separated by spaces."""
    if len(argv) != 2 or not argv[1].isdecimal():
        print("usage: serve DATABASE PORT", file=sys.stderr)
        return 2
    database, port = argv[0], int(argv[1])
    keys = dict(one.split("=", 1) for one in os.environ.get("KEYS", "").split())
    migrate(database)
    with make_server("127.0.0.1", port, create_app(database, keys)) as server:
        print(f"http://127.0.0.1:{server.server_port}/users", flush=True)
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
