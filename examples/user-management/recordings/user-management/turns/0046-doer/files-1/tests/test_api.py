"""The REST API on users, called in the process: no port is opened, and each test has a database of its own.

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

from app.api import create_app, digest
from app.database import connect, migrate

ROW = {'email': 'ada@example.org', 'display_name': 'a display_name'}
FIELDS = ('email', 'display_name')
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
        status, made = self("POST", "/users", {name: numbered(value, number) for name, value in ROW.items()})
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
            connection.executemany(f'INSERT INTO "users" ({names}) VALUES ({places})', rows)
            connection.execute("COMMIT")
        return list(range(one["id"], one["id"] + count))


@pytest.fixture
def api(tmp_path: Path) -> Client:
    return Client(tmp_path / "service.db")


def test_what_is_created_can_be_read(api: Client) -> None:
    """The REST API creates with POST /users and reads with GET /users/{id}."""
    made = api.add()
    assert api("GET", f"/users/{made['id']}") == (200, made)
    assert made["status"] == 'active'


def test_what_is_changed_stays_changed_and_says_when(api: Client) -> None:
    """The REST API changes with PATCH /users/{id} what it is given, and the time of the last change."""
    made = api.add()
    status, changed = api("PATCH", f"/users/{made['id']}", {'email': 'other@example.org'})
    assert (status, changed['email']) == (200, 'other@example.org')
    assert changed["changed_at"] > made["changed_at"]
    assert changed["created_at"] == made["created_at"]


def test_a_list_comes_in_pages_and_a_long_one_blocks_nobody(api: Client) -> None:
    """GET /users lists at most 100, ordered by id, with the id to go on from: a long list blocks no other callers."""
    made = api.filled(101)
    _, first = api("GET", "/users")
    _, rest = api("GET", f"/users?after={first['next']}")
    assert [one["id"] for one in (*first["users"], *rest["users"])] == made
    assert (len(first["users"]), rest["next"]) == (100, None)


def test_a_list_can_be_asked_for_what_changed_since_a_time(api: Client) -> None:
    """GET /users with changed_since gives what changed since then and nothing else."""
    first, second = api.add(1), api.add(2)
    _, found = api("GET", f"/users?changed_since={second['changed_at']}")
    assert [one["id"] for one in found["users"]] == [second["id"]]
    assert api("GET", "/users?changed_since=yesterday")[0] == 400
    assert first["id"] != second["id"]


def test_the_application_is_wsgi_and_needs_the_standard_library_only(api: Client) -> None:
    """It is called as WSGI says; what its module in Python imports is of the standard library or of the program."""
    module = import_module(create_app.__module__)
    own = module.__name__.split(".")[0]
    imported = {value.__name__.split(".")[0] for value in vars(module).values() if type(value) is type(sys)}
    imported |= {getattr(value, "__module__", None) or own for value in vars(module).values() if callable(value)}
    assert {name.split(".")[0] for name in imported} - {own} <= set(sys.stdlib_module_names) | {"builtins"}
    assert callable(api.app)


def test_nothing_is_ever_deleted_and_delete_answers_204_and_sets_the_status(api: Client) -> None:
    """A user is never deleted: DELETE /users/{id} sets the status to inactive and answers 204.

    So the endpoint deactivates it, and it can still be read.
    """
    made = api.add()
    assert api("DELETE", f"/users/{made['id']}") == (204, None)
    status, left = api("GET", f"/users/{made['id']}")
    assert (status, left["status"]) == (200, 'inactive')
    assert api("DELETE", f"/users/{made['id']}")[0] == 204


@pytest.mark.parametrize("key", ["", "a guess", digest(KEY)])
def test_a_caller_without_a_known_key_is_answered_401_and_nothing_happens(api: Client, key: str) -> None:
    """Every caller sends a key of its own: a request without a known key is answered 401, whatever it asks for.

    A caller without rights gets no answer but that.
    """
    assert api("POST", "/users", ROW, key=key)[0] == 401
    assert api("GET", "/users", key=key)[0] == 401
    assert api("GET", "/users")[1]["users"] == []


def test_answers_are_json_with_times_in_utc(api: Client) -> None:
    """Who calls the REST API and expects JSON gets it, and its times are in UTC with their offset."""
    made = api.add()
    for name in ("created_at", "changed_at"):
        assert datetime.fromisoformat(made[name]).utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/users/999", None, 404),
        ("PATCH", "/users/999", {}, 404),
        ("DELETE", "/users/999", None, 404),
        ("GET", "/elsewhere", None, 404),
        ("PUT", "/users", None, 405),
        ("POST", "/users", {}, 400),
        ("POST", "/users", b"no json", 400),
        ("POST", "/users", {"unheard_of": "x"}, 400),
        ("GET", "/users?after=x", None, 400),
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


def test_what_belongs_to_another_is_answered_409_whatever_its_case(api: Client) -> None:
    """The REST API refuses a second user of the same email with 409; the first one keeps it."""
    made = api.add()
    taken = {**ROW, 'email': made['email'].upper()}
    status, said = api("POST", "/users", taken)
    assert (status, said["error"]["code"]) == (409, "taken")
    assert api("POST", "/users", {**taken, 'email': numbered(ROW['email'], 9)})[0] == 201


def test_one_user_is_answered_within_200_ms_at_the_95th_percentile_here(api: Client) -> None:
    """A request for one user, measured 200 times in the process on the machine that runs the tests."""
    made, times = api.add(), []
    for _ in range(200):
        begun = perf_counter()
        api("GET", f"/users/{made['id']}")
        times.append((perf_counter() - begun) * 1000)
    print(f"95th percentile: {sorted(times)[189]:.2f} ms")
    assert sorted(times)[189] <= 200


def test_the_command_serve_is_registered_and_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    """The REST API and the import both register their commands in app/registry.py, where everybody finds them.

    What is registered is there, and a call without its arguments is told which they are.
    """
    registry = import_module('app.registry')
    assert registry.main([]) == 0
    assert 'serve' in capsys.readouterr().out
    assert registry.main(['serve']) == 2
    assert "usage: serve DATABASE PORT" in capsys.readouterr().err
    assert registry.main(["no such command"]) == 2


def test_python_m_app_lists_and_starts_serve() -> None:
    """The program is started with `python -m app`: it lists what there is, through app/__main__.py."""
    root = Path(str(import_module('app.registry').__file__)).parents[1]
    listed = subprocess.run([sys.executable, "-m", 'app'], cwd=root, capture_output=True, text=True, check=False)
    assert (listed.returncode, 'serve' in listed.stdout) == (0, True), listed.stderr
    wrong = [sys.executable, "-m", 'app', 'serve']
    assert subprocess.run(wrong, cwd=root, capture_output=True, check=False).returncode == 2
