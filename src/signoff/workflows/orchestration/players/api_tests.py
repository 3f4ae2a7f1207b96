"""The tests that the offline doers know of a REST API, for its own part and for the whole."""

from __future__ import annotations

from string import Template
from typing import Final

from signoff.workflows.orchestration.players.crafting import Case, Suite, case
from signoff.workflows.orchestration.players.tables import Table

HEAD: Final = Template('''\
"""The REST API on $table, called in the process: no port is opened, and each test has a database of its own."""

from __future__ import annotations

import io
import json
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
        status, made = self("POST", "/$table", {name: f"{number}{value}" for name, value in ROW.items()})
        assert status == 201
        return dict(made)

    def filled(self, count: int) -> list[int]:
        """Many rows at once, by the database itself; their ids."""
        one = self.add()
        names = ", ".join((*FIELDS, "created_at", "changed_at"))
        rows = [(*(f"{number}{ROW[name]}" for name in FIELDS), *(one["created_at"],) * 2) for number in range(1, count)]
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


def suite(path: str, api: str, database: str, table: Table, bound: int = 0, *more: Case) -> Suite:
    """The tests of an API on a table, and some more; `bound` is as in `cases`."""
    head = HEAD.substitute(
        api=api, database=database, table=table.name, row=repr(row(table)), fields=repr(table.filled)
    )
    return Suite(path, head, (*cases(table, bound), *more))


def row(table: Table) -> dict[str, str]:
    """What a row of the table is made from."""
    return {name: "ada@example.org" if name == "email" else f"a {name}" for name in table.filled}


def cases(table: Table, bound: int) -> tuple[Case, ...]:
    """Every test of an API on a table; `bound` is the time in milliseconds that the plan allows, 0 for none."""
    path, field = f"/{table.name}", table.filled[0]
    made = [
        case(
            _WORKS,
            f'''
def test_what_is_created_can_be_read(api: Client) -> None:
    """POST {path} creates and GET {path}/{{id}} reads."""
    made = api.add()
    assert api("GET", f"{path}/{{made['id']}}") == (200, made)
    assert made["status"] == "active"
''',
        ),
        case(
            _WORKS,
            f'''
def test_what_is_changed_stays_changed_and_says_when(api: Client) -> None:
    """PATCH {path}/{{id}} changes what it is given and the time of the last change."""
    made = api.add()
    status, changed = api("PATCH", f"{path}/{{made['id']}}", {{{field!r}: "other@example.org"}})
    assert (status, changed[{field!r}]) == (200, "other@example.org")
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
    """It is called as WSGI says, and what its module imports is of the standard library or of the program."""
    module = import_module(create_app.__module__)
    own = module.__name__.split(".")[0]
    imported = {value.__name__.split(".")[0] for value in vars(module).values() if type(value) is type(sys)}
    imported |= {getattr(value, "__module__", None) or own for value in vars(module).values() if callable(value)}
    assert {name.split(".")[0] for name in imported} - {own} <= set(sys.stdlib_module_names) | {"builtins"}
    assert callable(api.app)
''',
        ),
        case(
            r"\bDELETE\b|\bnever deleted\b|\bdeactivates\b|\bone test for each endpoint\b",
            f'''
def test_nothing_is_ever_deleted_and_delete_answers_204_and_sets_the_status(api: Client) -> None:
    """DELETE {path}/{{id}} sets the status to inactive and answers 204; the {table.singular} can still be read."""
    made = api.add()
    assert api("DELETE", f"{path}/{{made['id']}}") == (204, None)
    status, left = api("GET", f"{path}/{{made['id']}}")
    assert (status, left["status"]) == (200, "inactive")
    assert api("DELETE", f"{path}/{{made['id']}}")[0] == 204
''',
        ),
        case(
            r"\b401\b|\bkeys?\b|\bwithout rights\b",
            f'''
@pytest.mark.parametrize("key", ["", "a guess", digest(KEY)])
def test_a_caller_without_a_known_key_is_answered_401_and_nothing_happens(api: Client, key: str) -> None:
    """A caller without rights gets no answer but 401, whatever it asks for."""
    assert api("POST", "{path}", ROW, key=key)[0] == 401
    assert api("GET", "{path}", key=key)[0] == 401
    assert api("GET", "{path}")[1]["{table.name}"] == []
''',
        ),
        case(
            r"\bJSON\b|\bUTC\b",
            '''
def test_answers_are_json_with_times_in_utc(api: Client) -> None:
    """What comes back is JSON, and its times are in UTC with their offset."""
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
    return (*made, *_taken(table), *_timed(table, bound))


def _taken(table: Table) -> list[Case]:
    if not table.unique:
        return []
    again, alike = (".upper()", "_whatever_its_case") if table.folded else ("", "")
    return [
        case(
            _WORKS + r"|\bunique\b|\bbelongs to one\b",
            f'''
def test_what_belongs_to_another_is_answered_409{alike}(api: Client) -> None:
    """A {table.unique} that is taken is answered 409, and the first {table.singular} keeps it."""
    made = api.add()
    taken = {{**ROW, {table.unique!r}: made[{table.unique!r}]{again}}}
    status, said = api("POST", "/{table.name}", taken)
    assert (status, said["error"]["code"]) == (409, "taken")
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
    """Measured 200 times in the process, on the machine that runs the tests."""
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
