"""Sessions are put away whole, under their names; what cannot be read stays, and everybody is told."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.work import notes, session_archive
from signoff.workflows.orchestration.work.session_archive import INDEX, LOG, Archive, Log, archive, parse_book

START, AT = 1727539800, 1727543400  # 2024-09-28 16:10 UTC, and an hour later
DONE = "orchestration/agents/{}/completion_drive/session_20240928_1610_{}.json"


def session(task: str = "create_users", start: int = START, **fields: Any) -> bytes:
    """A session as code writes it, unless fields say otherwise."""
    return json.dumps({"task_id": f"{task}_1727539200", "session_start": start, "notes": [], **fields}).encode()


def put_away(files: dict[str, bytes], at: int = AT) -> tuple[dict[str, bytes], Archive]:
    """The files of a project after archival, whose writes are carried out as the store does."""
    made = archive(files, there=files, books=files, at=at)
    kept = {path: data for path, data in files.items() if path not in made.writes}
    return kept | {path: text.encode() for path, text in made.writes.items() if text is not None}, made


@pytest.mark.req("OR-27")
def test_sessions_go_under_the_name_of_their_start_and_task_with_log_and_index() -> None:
    api, users = session("create_api", notes=[]), session() + b"\r\n\n"
    files, made = put_away({places.session("api_agent"): api, places.session("users_agent"): users})
    targets = {
        "api_agent": DONE.format("api_agent", "create_api"),
        "users_agent": DONE.format("users_agent", "create_users"),
    }
    assert files[targets["api_agent"]] == api
    assert files[targets["users_agent"]] == users
    assert made.writes[places.session("api_agent")] is None
    assert made.warnings == ()
    assert json.loads(files[LOG]) == [
        {
            "at": AT,
            "agent": agent,
            "from": places.session(agent),
            "to": target,
            "sha256": hashlib.sha256(files[target]).hexdigest(),
            "result": "archived",
        }
        for agent, target in targets.items()
    ]
    assert json.loads(files[INDEX]) == [
        {
            "task_id": f"{task}_1727539200",
            "agent": agent,
            "path": targets[agent],
            "session_start": START,
            "archived_at": AT,
        }
        for agent, task in (("api_agent", "create_api"), ("users_agent", "create_users"))
    ]
    assert sorted(files) == sorted([LOG, INDEX, *targets.values()])


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock is not UTC's."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.req("OR-27")
@pytest.mark.usefixtures("far_east")
@pytest.mark.parametrize(
    ("task", "start", "name"),
    [
        ("create_users", START, "session_20240928_1610_create_users.json"),
        ("a", 0, "session_19700101_0000_a.json"),
        ("phase_2", 10**11 - 1, "session_51381116_0946_phase_2.json"),
        ("x_" * 200 + "x", START, f"session_20240928_1610_{'x_' * 74}x.json"),
    ],
)
def test_the_name_is_in_utc_and_without_the_epoch(task: str, start: int, name: str) -> None:
    assert session_archive.archive_name(notes.parse_session(session(task, start), "s.json")) == name
    assert len(name) < 200


@pytest.mark.req("OR-27")
def test_a_name_that_is_taken_gets_the_next_number() -> None:
    taken = [DONE.format("a", "create_users"), DONE.format("a", "create_users_2")]
    files, _ = put_away(
        {places.session("a"): session(), places.session("b"): session(), **dict.fromkeys(taken, b"older")}
    )
    assert files[DONE.format("a", "create_users_3")] == session()
    assert files[DONE.format("b", "create_users")] == session()
    assert [files[path] for path in taken] == [b"older", b"older"]


@pytest.mark.req("OR-27")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "invalid JSON: Expecting value, column 1"),
        (b'{"task_id": ', "invalid JSON: Expecting value, column 13"),
        (b"\xff\xfe{}", "the file begins with FF FE, the byte order mark of UTF-16"),
        (b"\x80", "byte 0x80 at offset 0 is not UTF-8"),
        (b"[]", "a list where keys and values are wanted"),
        (session(start=-1), "`session_start` is -1; valid: Unix seconds"),
        (session(start=10**11), "`session_start` is 100000000000; valid: Unix seconds"),
        (session("Users"), "`task_id` is 'Users_1727539200'"),
        (session(task_id=1, session_start="x"), "`task_id` is 1; valid: text (and 1 more)"),
        (session(notes=[{}] * 9), "(and 44 more)"),
        (session(other=1), "`other` is not a field here"),
        (b"[" * 100_000, ""),
    ],
)
def test_a_session_that_cannot_be_read_stays_and_the_others_are_put_away(data: bytes, why: str) -> None:
    files, made = put_away({places.session("a"): data, places.session("b"): session()})
    assert files[places.session("a")] == data
    assert files[DONE.format("b", "create_users")] == session()
    (warning,) = made.warnings
    assert (warning.file, warning.severity, warning.rule) == (places.session("a"), "warning", "archival.session")
    assert "cannot be read and stays where it is" in warning.problem
    assert why in warning.problem
    first, second = json.loads(files[LOG])
    assert (first["agent"], first["from"], first["to"], second["result"]) == ("a", places.session("a"), "", "archived")
    assert first["sha256"] == hashlib.sha256(data).hexdigest()
    assert first["result"].startswith("not archived: ")
    assert [row["agent"] for row in json.loads(files[INDEX])] == ["b"]


@pytest.mark.req("OR-27")
def test_the_same_failure_is_logged_once_and_told_every_time() -> None:
    files, _ = put_away({places.session("a"): b"{"})
    again, made = put_away(files, AT + 60)
    assert again == files
    assert len(made.warnings) == 1
    other, _ = put_away({**files, places.session("a"): b"}"}, AT + 90)
    assert [row["at"] for row in json.loads(other[LOG])] == [AT, AT + 90]
    mended, made = put_away({**other, places.session("a"): session()}, AT + 99)
    assert [row["result"].split(":")[0] for row in json.loads(mended[LOG])] == ["not archived"] * 2 + ["archived"]
    assert not made.warnings


@pytest.mark.req("OR-27")
@pytest.mark.parametrize(
    "broken", [b"", b"{}", b"[{}]", b"\xff", b"[", b'[], "rows": []', b'[], "more": 1', b"null", b'"x"']
)
@pytest.mark.parametrize("book", [LOG, INDEX])
def test_a_log_or_index_that_a_person_broke_is_kept_and_the_next_is_begun(book: str, broken: bytes) -> None:
    beside = book.replace(".json", "_2.json")
    files, made = put_away({book: broken, places.session("a"): session()})
    assert files[book] == broken
    assert [row["agent"] for row in json.loads(files[beside])] == ["a"]
    (warning,) = made.warnings
    assert (warning.file, warning.severity) == (book, "warning")
    assert f"new entries are in {beside}" in warning.problem
    more, _ = put_away({**files, places.session("b"): session()})
    assert [row["agent"] for row in json.loads(more[beside])] == ["a", "b"]
    both, _ = put_away({**files, beside: b"}", places.session("b"): session()})
    assert [row["agent"] for row in json.loads(both[book.replace(".json", "_3.json")])] == ["b"]


@pytest.mark.req("OR-27")
def test_what_is_known_stays_first_and_in_its_words() -> None:
    row = {"at": 1, "agent": "x", "from": "f", "to": "t", "sha256": "0" * 64, "result": "archived by hand ✓"}
    files, _ = put_away({LOG: json.dumps([row]).encode(), places.session("a"): session()})
    assert json.loads(files[LOG])[0] == row
    assert "archived by hand ✓".encode() in files[LOG]


@pytest.mark.req("OR-27")
def test_nothing_to_put_away_is_nothing_to_write() -> None:
    assert archive({}, there=(), books={}, at=AT) == Archive(writes={})
    other = {"orchestration/agents/a/task_output/session_current.json": session()}
    assert archive(other, there=other, books={}, at=AT) == Archive(writes={})


def test_a_row_that_is_not_in_its_form_is_said_with_its_line() -> None:
    with pytest.raises(DocumentError) as caught:
        parse_book(Log, b'[\n  {"at": 1, "agent": "a", "form": "b", "sha256": "x", "result": "r"}\n]', LOG)
    assert {found.line for found in caught.value.findings} == {2}
    assert "`rows[0].form` is not a field here; valid: at, agent, from, to, sha256, result" in str(caught.value)


# --- laws -------------------------------------------------------------------------------------------------------------

AGENTS = st.sampled_from(["a", "b", "api_agent"])
DATA = st.one_of(
    st.binary(max_size=20),
    st.builds(
        lambda task, start, end: session(task, start) + end,
        st.sampled_from(["create_users", "create_users_2", "x"]),
        st.sampled_from([START, START + 1, START + 60, -1, 10**12]),
        st.sampled_from([b"", b"\n", b" \r\n", b"}"]),
    ),
)
BOOKS = st.sampled_from([b"", b"[]", b"{", b"\xfe", b'[{"at": 1}]'])


@pytest.mark.req("OR-27")
@given(
    st.lists(st.dictionaries(AGENTS, DATA, min_size=1), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from([LOG, INDEX, LOG.replace(".json", "_2.json")]), BOOKS),
)
def test_nothing_is_ever_lost_and_a_second_archival_changes_nothing(
    runs: list[dict[str, bytes]], books: dict[str, bytes]
) -> None:
    """Runs leave sessions one after another; what is archived in between is found again, byte for byte."""
    files = dict(books)
    for number, run in enumerate(runs):
        before = {**files, **{places.session(agent): data for agent, data in run.items()}}
        files, _ = put_away(before, AT + number)
        assert sorted(_sessions(before)) == sorted(_sessions(files))
        assert all(files[path] == data for path, data in before.items() if "/session_2" in path)
        again, made = put_away(files, AT + 99)
        assert again == files
        assert not made.writes
    for path, data in books.items():
        assert files[path] == data or data == b"[]"


def _sessions(files: dict[str, bytes]) -> list[bytes]:
    return [data for path, data in files.items() if "/completion_drive/" in path]
