"""The offline doers and their verifiers: they build the example for real, in folders of their own, and prove it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from orchestration_plans import LONG, example, files
from orchestration_site import Site
from orchestration_sitting import Sitting

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.players import tables
from signoff.workflows.orchestration.players.crafting import cases_in

pytestmark = pytest.mark.xdist_group("orchestration-doers")

TASK = "user_management"
ORDER = ("database_agent", "api_agent", "data_migration_agent", "test_agent")
ANSWERS = ("Thirty days; then it is deleted.", "No. An address stays with its user for good.")
PRODUCT = (
    "app/__main__.py",
    "app/api.py", "app/data_migration.py", "app/database.py", "app/registry.py", "migrations/0001_users.down.sql",
    "migrations/0001_users.up.sql", "tests/acceptance/test_acceptance_api.py",
    "tests/acceptance/test_acceptance_import.py", "tests/acceptance/test_acceptance_schema.py", "tests/test_api.py",
    "tests/test_data_migration.py", "tests/test_database.py",
)  # fmt: skip


def designed(*answers: str, summary: str = "") -> Sitting:
    """The example, designed with these answers to the reviewers, or by another summary."""
    given = example()
    sitting = Sitting({**given, **({places.summary(TASK): summary.encode()} if summary else {})}, TASK)
    sitting.architecture()
    sitting.review()
    if answers:
        sitting.answer(*answers)
    sitting.tactical()
    return sitting.rest()


@pytest.fixture(scope="module")
def design() -> Sitting:
    return designed(*ANSWERS)


def at_work(design: Sitting, folder: Path, **files: bytes) -> Site:
    """A site on a copy of the design."""
    return Site(Sitting({**design.files, **files}, TASK, known=design.known, practices=design.practices), folder)


def at_desk(design: Sitting, folder: Path, **files: bytes) -> Site:
    """The same where nothing may be run: what a doer writes and asks does not depend on it."""
    site = at_work(design, folder, **files)
    site.commands = ()
    return site


@pytest.fixture(scope="module")
def built(design: Sitting, tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, dict[str, list[str]]]:
    """The example, built by its doers one after the other, and what happened to each."""
    site = at_work(design, tmp_path_factory.mktemp("built"))
    return site, {name: site.finish(name) for name in ORDER}


def copied(built: tuple[Site, Any], folder: Path) -> Site:
    site = built[0]
    made = at_work(site.sitting, folder)
    made.workers = dict(site.workers)
    return made


def python(*words: str, at: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A program of the product, in a process of its own that knows nothing of this one."""
    known = {"PATH": os.environ["PATH"], "HOME": str(at), "LANG": "C.UTF-8", **env}
    return subprocess.run(
        [sys.executable, *words], cwd=at, env=known, capture_output=True, text=True, timeout=120, check=False
    )


# --- what is built ----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-18", "OR-20")
def test_every_doer_is_verified_and_one_of_them_only_after_it_has_added_a_test_that_was_missing(
    built: tuple[Site, dict[str, list[str]]],
) -> None:
    _, happened = built
    assert happened == {
        "database_agent": ["ready_for_verification", "fail", "ready_for_verification", "pass"],
        "api_agent": ["blocked", "ready_for_verification", "pass"],
        "data_migration_agent": ["ready_for_verification", "pass"],
        "test_agent": ["ready_for_verification", "pass"],
    }


@pytest.mark.req("OR-18")
def test_the_doers_write_the_product_and_nothing_that_no_contract_names(
    built: tuple[Site, Any], design: Sitting
) -> None:
    site, _ = built
    fresh = sorted(path for path in site.files if path not in design.files and not path.startswith(places.HOME))
    assert tuple(fresh) == PRODUCT


def test_the_tests_of_the_whole_product_pass_where_it_is_put_together(built: tuple[Site, Any], tmp_path: Path) -> None:
    root = built[0].laid_out(tmp_path / "product")
    ran = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", at=root)
    assert ran.returncode == 0, ran.stdout
    assert " passed" in ran.stdout
    assert "skipped" not in ran.stdout


def test_a_test_of_the_product_fails_when_the_product_is_broken(built: tuple[Site, Any], tmp_path: Path) -> None:
    root = built[0].laid_out(tmp_path / "product")
    module = root / "app/api.py"
    module.write_text(module.read_text("utf-8").replace('"inactive", _now()', '"active", _now()'), "utf-8")
    ran = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", at=root)
    assert ran.returncode == 1
    assert "test_nothing_is_ever_deleted" in ran.stdout


def test_the_import_takes_the_real_file_over_once_and_the_api_answers_over_http(
    built: tuple[Site, Any], tmp_path: Path
) -> None:
    root = built[0].laid_out(tmp_path / "product")
    listed = python("-m", "app", at=root)
    assert [line.partition(":")[0] for line in listed.stdout.splitlines()] == ["import", "serve"]
    first = python("-m", "app", "import", "users.db", "reports", at=root)
    second = python("-m", "app", "import", "users.db", "reports", at=root)
    assert first.stdout.strip() == "read 60, taken 58, known 0, refused 2"
    assert second.stdout.strip() == "read 60, taken 0, known 58, refused 2"
    digest = python("-c", "from app.api import digest; print(digest('the portal'))", at=root).stdout.strip()
    with served(root, KEYS=f"portal={digest}") as address:
        assert asked(address, "GET", "/1", key="nobody")[0] == 401
        status, user = asked(address, "GET", "/1")
        assert (status, user["email"]) == (200, "kwame.eklund@mail.example")
        assert asked(address, "DELETE", "/1") == (204, None)
        assert asked(address, "GET", "/1")[1]["status"] == "inactive"
        assert asked(address, "POST", "", {"email": "KWAME.eklund@mail.example", "display_name": "K"})[0] == 409
        status, made = asked(address, "POST", "", {"email": "new@example.org", "display_name": "Néw"})
        assert (status, made["id"], made["display_name"]) == (201, 59, "Néw")
        assert len(asked(address, "GET", "")[1]["users"]) == 59


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["import"], 2, "usage: import DATABASE REPORTS [SOURCE]"),
        (["import", "users.db", "reports", "nowhere.csv"], 1, "nothing was taken over: "),
        (["serve", "users.db"], 2, "usage: serve DATABASE PORT"),
        (["serve", "users.db", "a port"], 2, "usage: serve DATABASE PORT"),
        (["launch"], 2, "there is no command 'launch'"),
    ],
)
def test_a_call_that_cannot_be_followed_is_told_why_and_sees_no_traceback(
    built: tuple[Site, Any], tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    ended = python("-m", "app", *words, at=built[0].laid_out(tmp_path / "product"))
    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False)
    assert said in ended.stderr


@contextmanager
def served(root: Path, **env: str) -> Iterator[str]:
    """The API on a free port, for as long as the block lasts; its address."""
    known = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **env}
    command = [sys.executable, "-m", "app", "serve", "users.db", "0"]
    with subprocess.Popen(command, cwd=root, env=known, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().decode().strip()
        finally:
            process.kill()


def asked(address: str, method: str, path: str, body: Any = None, key: str = "the portal") -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"X-Api-Key": key}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            said = answer.read()
            return answer.status, json.loads(said) if said else None
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_the_same_turn_on_the_same_files_gives_the_same_output_and_the_same_bytes(
    design: Sitting, tmp_path: Path
) -> None:
    sites = [at_work(design, tmp_path / name) for name in ("one", "other")]
    outputs = [site.do("database_agent") for site in sites]
    assert outputs[0] == outputs[1]
    assert sites[0].files == sites[1].files


def test_a_doer_that_has_nothing_to_mend_writes_nothing_a_second_time(built: tuple[Site, Any], tmp_path: Path) -> None:
    site = copied(built, tmp_path)
    before = dict(site.files)
    assert site.do("data_migration_agent").status == "completion_drive_review"
    assert site.files == before


# --- notes ------------------------------------------------------------------------------------------------------------


def raised(site: Site, name: str) -> dict[str, str]:
    """What a doer's first turn escalates: the category, and how the question begins."""
    return {
        str(note.category): note.description.partition("?")[0]
        for note in site.do(name).notes
        if note.status == "escalated"
    }


@pytest.fixture(scope="module")
def with_schema(design: Sitting, tmp_path_factory: pytest.TempPathFactory) -> Sitting:
    site = at_desk(design, tmp_path_factory.mktemp("schema"))
    site.do("database_agent")
    return site.sitting


@pytest.mark.req("OR-22")
def test_what_the_task_leaves_open_is_escalated_to_who_decides_it(with_schema: Sitting, tmp_path: Path) -> None:
    assert raised(at_desk(with_schema, tmp_path), "api_agent") == {
        "technology": "Which server runs the WSGI application",
        "security": "Which function makes the digests as which keys are kept",
        "requirement": "What shows that a request is answered within 200 ms at the 95th percentile on the "
        "library's server",
    }


@pytest.mark.req("OR-22")
@pytest.mark.parametrize(
    ("says", "instead", "category"),
    [
        ("is a WSGI application in Python", "is a WSGI application in Python, served by wsgiref", "technology"),
        ("Keys of callers are kept as digests", "Keys of callers are kept as SHA-256 digests", "security"),
        (" at the 95th percentile on the library's server", "", "requirement"),
    ],
)
def test_what_the_task_says_is_not_asked(
    with_schema: Sitting, tmp_path: Path, says: str, instead: str, category: str
) -> None:
    path = places.instructions("api_agent")
    told = with_schema.files[path].decode()
    assert says in told
    site = at_desk(with_schema, tmp_path, **{path: told.replace(says, instead).encode()})
    assert category not in raised(site, "api_agent")
    assert len(raised(site, "api_agent")) == 0, "the second turn asks nothing again"


@pytest.mark.req("OR-22")
def test_what_nobody_has_decided_and_the_work_depends_on_goes_to_the_person(tmp_path: Path) -> None:
    site = at_desk(designed(), tmp_path)
    [note] = [one for one in site.do("database_agent").notes if one.status == "escalated"]
    assert note.category == "requirement"
    assert "Whether the e-mail address of an inactive user may be given to a new user" in note.description


@pytest.mark.req("OR-19", "OR-22")
def test_a_doer_settles_its_own_notes_in_a_review_and_escalates_what_it_does_not_know(
    design: Sitting, tmp_path: Path
) -> None:
    site = at_work(design, tmp_path)
    assert {note.status for note in site.do("database_agent").notes} == {"open"}
    worker = site.workers["database_agent"]
    strange = worker.notes[0].model_copy(update={"note_id": "note_002", "description": "Nobody knows this."})
    worker.notes = (*worker.notes, strange)
    said = site.review("database_agent")
    assert {note.note_id: note.status for note in said.notes} == {"note_001": "resolved", "note_002": "escalated"}
    assert said.status == "blocked"


@pytest.mark.parametrize(("ruling", "function"), [("Take SHA-512.", "sha512"), ("Take scrypt.", "sha256")])
def test_a_ruling_is_followed_where_the_craft_can(
    with_schema: Sitting, tmp_path: Path, ruling: str, function: str
) -> None:
    site = at_desk(with_schema, tmp_path)
    site.do("api_agent")
    site.settle("api_agent", {note.note_id: ruling for note in site.escalated("api_agent")})
    site.do("api_agent")
    assert f"hashlib.{function}(" in site.files["app/api.py"].decode()


def test_an_answer_to_what_was_open_shapes_the_schema(tmp_path: Path) -> None:
    site = at_desk(designed(ANSWERS[0], "Yes, a month after they left."), tmp_path)
    site.do("database_agent")
    assert "WHERE status = 'active'" in site.files["migrations/0001_users.up.sql"].decode()


# --- what people do meanwhile -----------------------------------------------------------------------------------------


@pytest.mark.req("OR-29")
def test_what_a_person_edited_stays_and_is_asked_about_when_it_breaks_a_test(
    built: tuple[Site, Any], tmp_path: Path
) -> None:
    site = copied(built, tmp_path)
    path = "app/data_migration.py"
    edited = site.files[path].replace(b"report.taken += 1", b"report.taken += 2")
    site.files[path] = edited
    worker = site.workers["data_migration_agent"]
    site.workers["data_migration_agent"] = type(worker)(notes=worker.notes, guidance=(f"A person edited {path}.",))
    said = site.do("data_migration_agent")
    assert (said.status, site.files[path]) == ("blocked", edited)
    [note] = site.escalated("data_migration_agent")
    assert path in note.description
    site.settle("data_migration_agent", {note.note_id: "Put yours back."})
    assert site.do("data_migration_agent").status == "completion_drive_review"
    assert site.files[path] != edited


def test_a_harmless_edit_of_a_person_is_left_alone(built: tuple[Site, Any], tmp_path: Path) -> None:
    site = copied(built, tmp_path)
    path = "app/api.py"
    site.files[path] += b"\n# looked at by Ada\n"
    worker = site.workers["api_agent"]
    site.workers["api_agent"] = type(worker)(notes=worker.notes, guidance=(f"A person edited {path}.",))
    assert site.do("api_agent").status == "completion_drive_review"
    assert site.files[path].endswith(b"Ada\n")


# --- verification -----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-20")
def test_a_verifier_names_the_way_to_fail_that_no_test_shows_and_the_doer_adds_that_test(
    design: Sitting, tmp_path: Path
) -> None:
    site = at_work(design, tmp_path)
    site.do("database_agent")
    site.review("database_agent")
    verdict = site.verify("database_agent")
    [missing] = verdict.missing_evidence
    assert verdict.result == "fail"
    assert "no test in `tests/test_database.py` shows this way to fail: A migration stops half way" in missing
    before = cases_in(site.files["tests/test_database.py"].decode())
    site.do("database_agent")
    after = cases_in(site.files["tests/test_database.py"].decode())
    assert set(after) - set(before) == {"test_a_migration_that_stops_half_way_is_as_if_it_had_not_begun"}


@pytest.mark.req("OR-20")
def test_a_verifier_never_passes_what_fails_when_it_is_run(built: tuple[Site, Any], tmp_path: Path) -> None:
    site = copied(built, tmp_path)
    site.files["app/database.py"] = site.files["app/database.py"].replace(b"foreign_keys = ON", b"foreign_keys =")
    site.files["migrations/0001_users.up.sql"] = b"CREATE TABLE nothing (id INTEGER);\n"
    verdict = site.verify("database_agent")
    assert verdict.result == "fail"
    assert "ended with exit code 1" in verdict.missing_evidence[0]
    assert [one.met for one in verdict.criteria if one.id != "cp_database.5"] == [False] * 4


@pytest.mark.req("OR-20")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"evidence": []}, "there is no evidence; wanted: a test in `tests/test_database.py`"),
        ({"ran": []}, "and no such command ran in the turn"),
        ({"evidence": [{"criterion": "cp_database.1", "shows": "see there", "path": "nowhere.md"}]}, "`nowhere.md`"),
        ({"evidence": [{"criterion": "cp_database.1", "shows": "`test_that_is_not_there`"}]}, "which is not there"),
        ({"criteria": []}, "there is no criterion to hold the work against"),
    ],
)
def test_a_verifier_says_exactly_what_is_not_shown(
    built: tuple[Site, Any], tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    verdict = copied(built, tmp_path).verify("database_agent", **changed)
    assert verdict.result == "fail"
    assert any(said in text for text in verdict.missing_evidence)


@pytest.mark.req("OR-20")
def test_a_handover_that_speaks_of_what_is_in_no_file_is_not_accepted(built: tuple[Site, Any], tmp_path: Path) -> None:
    site = copied(built, tmp_path)
    path = f"{places.output('database_agent')}schema.md"
    site.files[path] += b"\nThere is also `loyalty_points`.\n"
    [missing] = site.verify("database_agent").missing_evidence
    assert "`loyalty_points`, which is in no file" in missing


# --- other plans ------------------------------------------------------------------------------------------------------


def finished(task: str, summary: str, folder: Path) -> Site:
    """A plan whose doers have all been verified, in the order of its phases."""
    site = Site(Sitting(files(task, summary), task).whole(), folder)
    order = [one.agent_name for phase in site.sitting.sequence.execution_phases for one in phase.agents]
    for name in (one for one in order if site.sitting.roster.agents[one].kind == "doer"):
        assert site.finish(name)[-2:] == ["ready_for_verification", "pass"], site.workers[name].missing
    assert all(note.status == "resolved" for worker in site.workers.values() for note in worker.notes)
    return site


def test_two_doers_of_one_schema_number_their_migrations_one_after_the_other(tmp_path: Path) -> None:
    site = finished("long_list", LONG, tmp_path)
    scripts = [path for path in sorted(site.files) if path.endswith(".up.sql")]
    assert scripts == ["migrations/0001_ships.up.sql", "migrations/0002_berths.up.sql"]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("The ships table has a name and a flag", tables.Table("ships", ("id", "name", "flag"))),
        (
            "The parts table holds a name and a minimum quantity",
            tables.Table("parts", ("id", "name", "minimum_quantity"), whole=("minimum_quantity",)),
        ),
        (
            "The orders table holds the amount and the times of creation and of the last change",
            tables.Table("orders", ("id", "amount", "created_at", "changed_at")),
        ),
        ("A unique index of the ships table keeps it so", None),
    ],
)  # fmt: skip
def test_a_table_is_read_from_what_is_said_of_it(said: str, wanted: tables.Table | None) -> None:
    assert tables.told([said]) == ((wanted,) if wanted else ())
