"""The tests that the offline doers know of a REST API, for its own part and for the whole."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import Final

from signoff.workflows.orchestration.players import tables
from signoff.workflows.orchestration.players.crafting import Case, Suite, case
from signoff.workflows.orchestration.players.tables import Table

HEAD: Final = Template('''\
"""The REST API on $table, called in the process: no port is opened, and each test has a database of its own.

There is one test for each endpoint, and one for each behaviour that needs one.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from $api import create_app, digest
from $database import connect, migrate

ROW = $row
FIELDS = $fields
KEY = "a key that only this test knows"


def numbered(value: Any, number: int) -> Any:
    """One of many values that are all different."""
    return value + number if isinstance(value, int) else f"{number}{value}"


class Client:
    def __init__(self, database: Path) -> None:
        migrate(database)
        self.database = database
        self.app = create_app(database, {"portal": digest(KEY)})

    def __call__(self, method: str, path: str, body: Any = None, key: str = KEY) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
        where, _, query = path.partition("?")
        environ = {"REQUEST_METHOD": method, "PATH_INFO": where, "QUERY_STRING": query, "HTTP_X_API_KEY": key,
                   "CONTENT_LENGTH": str(len(data)), "wsgi.input": io.BytesIO(data)}
        heard: list[Any] = []
        said = b"".join(self.app(environ, lambda status, headers: heard.append((status, dict(headers)))))
        [(status, headers)] = heard
        assert headers["Content-Type"].startswith("application/json")
        return int(status.split()[0]), json.loads(said) if said else None

    def add(self, number: int = 0) -> dict[str, Any]:
        status, made = self("POST", "/$table", {name: numbered(value, number) for name, value in ROW.items()})
        assert status == 201
        return dict(made)

    def filled(self, count: int) -> list[int]:
        """Many rows at once, by the database itself; their ids."""
        one = self.add()
        names = ", ".join((*FIELDS, "created_at", "changed_at"))
        stamp = (one["created_at"],) * 2
        rows = [(*(numbered(ROW[name], number) for name in FIELDS), *stamp) for number in range(1, count)]
        with closing(connect(self.database)) as connection:
            connection.execute("BEGIN")
            places = ", ".join("?" for _ in rows[0])
            connection.executemany(f'INSERT INTO "$table" ({names}) VALUES ({places})', rows)
            connection.execute("COMMIT")
        return list(range(one["id"], one["id"] + count))


@pytest.fixture
def api(tmp_path: Path) -> Client:
    return Client(tmp_path / "service.db")
''')

_WORKS: Final = r"\bREST API (?:creates|has|offers|lets)|\bone test for each endpoint\b|\bcover\b.*\bREST API\b"


@dataclass(frozen=True, slots=True)
class Known:
    """What the tests of an API are about: a table, the status that DELETE sets, and the time in milliseconds that the
    plan allows, 0 for none."""

    table: Table
    end: str
    bound: int = 0


def suite(path: str, api: str, database: str, known: Known, *more: Case) -> Suite:
    """The tests of an API on a table, and some more."""
    table = known.table
    head = HEAD.substitute(
        api=api, database=database, table=table.name, row=repr(row(table)), fields=repr(table.filled)
    )
    return Suite(path, head, (*cases(known), *more))


def row(table: Table) -> dict[str, str | int]:
    """What a row of the table is made from."""
    return {name: _value(name, table) for name in table.filled}


def _value(name: str, table: Table) -> str | int:
    if name in table.whole:
        return 1
    return "ada@example.org" if name == "email" else f"a {name}"


def cases(known: Known) -> tuple[Case, ...]:
    """Every test of an API on a table."""
    table, end = known.table, known.end
    path, field = f"/{table.name}", table.filled[0]
    other = 7 if field in table.whole else "other@example.org"
    made = [
        case(
            _WORKS,
            f'''
def test_what_is_created_can_be_read(api: Client) -> None:
    """The REST API creates with POST {path} and reads with GET {path}/{{id}}."""
    made = api.add()
    assert api("GET", f"{path}/{{made['id']}}") == (200, made)
    assert made["status"] == {table.first or tables.ACTIVE!r}
''',
        ),
        case(
            _WORKS,
            f'''
def test_what_is_changed_stays_changed_and_says_when(api: Client) -> None:
    """The REST API changes with PATCH {path}/{{id}} what it is given, and the time of the last change."""
    made = api.add()
    status, changed = api("PATCH", f"{path}/{{made['id']}}", {{{field!r}: {other!r}}})
    assert (status, changed[{field!r}]) == (200, {other!r})
    assert changed["changed_at"] > made["changed_at"]
    assert changed["created_at"] == made["created_at"]
''',
        ),
        case(
            _WORKS + r"|\blists? (?:come|blocks)|\blong list\b|\bchanged since\b",
            f'''
def test_a_list_comes_in_pages_and_a_long_one_blocks_nobody(api: Client) -> None:
    """GET {path} lists at most 100, ordered by id, with the id to go on from: a long list blocks no other callers."""
    made = api.filled(101)
    _, first = api("GET", "{path}")
    _, rest = api("GET", f"{path}?after={{first['next']}}")
    assert [one["id"] for one in (*first["{table.name}"], *rest["{table.name}"])] == made
    assert (len(first["{table.name}"]), rest["next"]) == (100, None)
''',
        ),
        case(
            _WORKS + r"|\bchanged since\b",
            f'''
def test_a_list_can_be_asked_for_what_changed_since_a_time(api: Client) -> None:
    """GET {path} with changed_since gives what changed since then and nothing else."""
    first, second = api.add(1), api.add(2)
    _, found = api("GET", f"{path}?changed_since={{second['changed_at']}}")
    assert [one["id"] for one in found["{table.name}"]] == [second["id"]]
    assert api("GET", "{path}?changed_since=yesterday")[0] == 400
    assert first["id"] != second["id"]
''',
        ),
        case(
            r"\bWSGI\b|\bstandard library\b",
            '''
def test_the_application_is_wsgi_and_needs_the_standard_library_only(api: Client) -> None:
    """It is called as WSGI says; what its module in Python imports is of the standard library or of the program."""
    module = import_module(create_app.__module__)
    own = module.__name__.split(".")[0]
    imported = {value.__name__.split(".")[0] for value in vars(module).values() if type(value) is type(sys)}
    imported |= {getattr(value, "__module__", None) or own for value in vars(module).values() if callable(value)}
    assert {name.split(".")[0] for name in imported} - {own} <= set(sys.stdlib_module_names) | {"builtins"}
    assert callable(api.app)
''',
        ),
        case(
            _WORKS + r"|\bDELETE\b|\bnever deleted\b|\bdeactivates\b",
            f'''
def test_nothing_is_ever_deleted_and_delete_answers_204_and_sets_the_status(api: Client) -> None:
    """A {table.singular} is never deleted: DELETE {path}/{{id}} sets the status to {end} and answers 204.

    So the endpoint deactivates it, and it can still be read.
    """
    made = api.add()
    assert api("DELETE", f"{path}/{{made['id']}}") == (204, None)
    status, left = api("GET", f"{path}/{{made['id']}}")
    assert (status, left["status"]) == (200, {end!r})
    assert api("DELETE", f"{path}/{{made['id']}}")[0] == 204
''',
        ),
        case(
            r"\b401\b|\bkeys?\b|\bwithout rights\b",
            f'''
@pytest.mark.parametrize("key", ["", "a guess", digest(KEY)])
def test_a_caller_without_a_known_key_is_answered_401_and_nothing_happens(api: Client, key: str) -> None:
    """Every caller sends a key of its own: a request without a known key is answered 401, whatever it asks for.

    A caller without rights gets no answer but that.
    """
    assert api("POST", "{path}", ROW, key=key)[0] == 401
    assert api("GET", "{path}", key=key)[0] == 401
    assert api("GET", "{path}")[1]["{table.name}"] == []
''',
        ),
        case(
            r"\bJSON\b|\bUTC\b",
            '''
def test_answers_are_json_with_times_in_utc(api: Client) -> None:
    """Who calls the REST API and expects JSON gets it, and its times are in UTC with their offset."""
    made = api.add()
    for name in ("created_at", "changed_at"):
        assert datetime.fromisoformat(made[name]).utcoffset() == timedelta(0)
''',
        ),
        case(
            _WORKS + r"|\berrors?\b",
            f'''
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "{path}/999", None, 404),
        ("PATCH", "{path}/999", {{}}, 404),
        ("DELETE", "{path}/999", None, 404),
        ("GET", "/elsewhere", None, 404),
        ("PUT", "{path}", None, 405),
        ("POST", "{path}", {{}}, 400),
        ("POST", "{path}", b"no json", 400),
        ("POST", "{path}", {{"unheard_of": "x"}}, 400),
        ("GET", "{path}?after=x", None, 400),
    ],
)
def test_an_error_is_never_answered_like_a_success(
    api: Client, method: str, path: str, body: Any, status: int
) -> None:
    """An error is answered with its status, and as JSON with a code and a sentence."""
    answered, said = api(method, path, body)
    assert answered == status
    assert said["error"]["code"]
    assert said["error"]["message"].endswith(".")
''',
        ),
    ]
    return (*made, *_taken(table), *_timed(table, known.bound))


def _taken(table: Table) -> list[Case]:
    if not table.unique:
        return []
    again, alike = (".upper()", "_whatever_its_case") if table.folded else ("", "")
    said = " and ".join(name.replace("_", " ") for name in table.unique)
    same = ", ".join(f"{name!r}: made[{name!r}]{again}" for name in table.unique)
    others = "\n".join(
        f'    assert api("POST", "/{table.name}", {{**taken, {name!r}: numbered(ROW[{name!r}], 9)}})[0] == 201'
        for name in table.unique
    )
    return [
        case(
            _WORKS + r"|\bunique\b|\bbelongs to one\b|\b409\b",
            f'''
def test_what_belongs_to_another_is_answered_409{alike}(api: Client) -> None:
    """The REST API refuses a second {table.singular} of the same {said} with 409; the first one keeps it."""
    made = api.add()
    taken = {{**ROW, {same}}}
    status, said = api("POST", "/{table.name}", taken)
    assert (status, said["error"]["code"]) == (409, "taken")
{others}
''',
        )
    ]


def _timed(table: Table, bound: int) -> list[Case]:
    if not bound:
        return []
    return [
        case(
            r"\bpercentile\b|\bwithin \d+ ms\b",
            f'''
def test_one_{table.singular}_is_answered_within_{bound}_ms_at_the_95th_percentile_here(api: Client) -> None:
    """A request for one {table.singular}, measured 200 times in the process on the machine that runs the tests."""
    made, times = api.add(), []
    for _ in range(200):
        begun = perf_counter()
        api("GET", f"/{table.name}/{{made['id']}}")
        times.append((perf_counter() - begun) * 1000)
    print(f"95th percentile: {{sorted(times)[189]:.2f}} ms")
    assert sorted(times)[189] <= {bound}
''',
        )
    ]
