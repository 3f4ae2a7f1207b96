"""Offline doers and verifiers on plans that they can build in part or not at all: built and shown, or asked about."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from orchestration_plans import BARE, BOOKINGS, DASHBOARD, SALES, STOCKROOM, TINY, files
from orchestration_site import Site, Worker
from orchestration_sitting import Sitting

from signoff.shell.commands import Ran
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.players import technologies
from signoff.workflows.orchestration.players.craft_api import unknown_verbs
from signoff.workflows.orchestration.players.desk import reading_of
from signoff.workflows.orchestration.players.proving import alone, lacking, proofs
from signoff.workflows.orchestration.players.unbuilt import CANNOT, left_out
from signoff.workflows.orchestration.verdicts import Evidence

pytestmark = pytest.mark.xdist_group("orchestration-honest")

PLANS = {
    "booking_list": BOOKINGS, "stock_room": STOCKROOM, "sales_report": SALES, "ward_dashboard": DASHBOARD,
    "tide_table": TINY, "garden": BARE,
}  # fmt: skip


def sited(task: str, folder: Path, *, runs: bool = False, summary: str = "") -> Site:
    """A plan whose design is made; where nothing may be run, what is written and asked is the same."""
    site = Site(Sitting(files(task, summary or PLANS[task]), task).whole(), folder)
    site.commands = site.commands if runs else ()
    return site


def doers(site: Site) -> list[str]:
    return [name for name, member in site.sitting.roster.agents.items() if member.kind == "doer"]


def not_built(site: Site, name: str) -> str:
    """What a doer says that it did not build; "" where it says nothing of the kind."""
    return next((note.description for note in site.escalated(name) if CANNOT in note.description), "")


# --- what cannot be built ---------------------------------------------------------------------------------------------


@pytest.mark.req("OR-20", "OR-22")
@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("sales_report", "implementation_agent"),
        ("stock_room", "api_agent"),
        ("stock_room", "implementation_agent"),
        ("ward_dashboard", "frontend_agent"),
        ("ward_dashboard", "documentation_agent"),
        ("tide_table", "implementation_agent"),
        ("garden", "implementation_agent"),
    ],
)
def test_what_no_craft_fits_is_built_by_nobody_and_every_part_of_it_is_asked_about(
    tmp_path: Path, task: str, name: str
) -> None:
    site = sited(task, tmp_path)
    before = dict(site.files)
    said = site.do(name)
    assert (said.status, said.evidence) == ("blocked", ())
    assert site.files == before, "no file that pretends"
    [note] = said.notes
    assert (note.category, note.status) == ("requirement", "escalated")
    for point in site.criteria(name):
        for one in point["criteria"]:
            assert f"{one['id']}: " in note.description


@pytest.mark.req("OR-20")
def test_a_table_is_built_whatever_becomes_of_the_rest_of_the_plan(tmp_path: Path) -> None:
    site = sited("stock_room", tmp_path)
    assert site.do("database_agent").status != "blocked"
    script = site.files["migrations/0001_items.up.sql"].decode()
    assert '"quantity" INTEGER NOT NULL' in script
    assert '"minimum_quantity" INTEGER NOT NULL' in script
    assert '"name" TEXT NOT NULL' in script


@pytest.mark.req("OR-20")
@pytest.mark.parametrize("extra", ["The users table is praised in a poem that rhymes", "The users table has wings"])
def test_an_action_that_a_craft_does_not_know_is_asked_about_beside_what_is_built(tmp_path: Path, extra: str) -> None:
    summary = STOCKROOM.replace("A REST API creates", f"{extra.replace('users', 'items')}. A REST API creates")
    site = sited("stock_room", tmp_path, summary=summary)
    site.do("database_agent")
    assert "migrations/0001_items.up.sql" in site.files
    told = not_built(site, "database_agent")
    if "poem" in extra:
        assert extra.replace("users", "items") in told
        assert "The items table holds" not in told
    else:
        assert (told, '"wings"' in site.files["migrations/0001_items.up.sql"].decode()) == ("", True)


@pytest.mark.req("OR-20", "OR-22")
def test_a_person_leaves_something_out_and_it_is_said_to_be_left_out_and_never_met(tmp_path: Path) -> None:
    site = sited("sales_report", tmp_path)
    name = "implementation_agent"
    site.do(name)
    site.settle(name, {note.note_id: "Just do it somehow." for note in site.escalated(name)})
    assert site.do(name).status == "blocked"
    assert "“Just do it somehow.” does not build it." in not_built(site, name)
    site.settle(name, {note.note_id: "Leave it out." for note in site.escalated(name)})
    assert site.do(name).status == "completion_drive_review"
    assert site.review(name).status == "ready_for_verification"
    verdict = site.verify(name)
    assert verdict.result == "pass"
    assert {(one.met, one.left_out) for one in verdict.criteria} == {(False, True)}


@pytest.mark.parametrize(
    ("answer", "by", "wanted"),
    [
        ("Leave it out.", "user", {"cp_a.1", "cp_a.2"}),
        ("Please leave cp_a.2 out.", "user", {"cp_a.2"}),
        ("Leave it out.", "agent_self", set[str]()),
        ("Build it.", "user", set[str]()),
        ("Leave that. Find out how.", "user", set[str]()),
    ],
)
def test_only_a_persons_word_leaves_something_out(answer: str, by: str, wanted: set[str]) -> None:
    note = {"description": f"{CANNOT} cp_a.1: A poem; cp_a.2: A song.", "resolution": answer, "resolved_by": by}
    assert left_out([note]).keys() == wanted


@pytest.mark.req("OR-29")
def test_what_a_person_builds_by_hand_with_its_test_is_not_asked_about_any_more(tmp_path: Path) -> None:
    site = sited("sales_report", tmp_path, runs=True)
    name, test = "implementation_agent", "tests/test_implementation.py"
    site.do(name)
    assert "prints the total amount for each shop" in not_built(site, name)
    site.files["app/implementation.py"] = b"def totals(path):\n    return {'north': 3}\n"
    site.files[test] = BY_HAND.encode()
    site.workers[name] = Worker(guidance=(f"A person edited app/implementation.py, {test}.",))
    site.do(name)
    told = not_built(site, name)
    assert "prints the total amount for each shop" not in told
    assert "that needs the standard library only" in told
    assert site.files[test] == BY_HAND.encode()


BY_HAND = '''\
from app.implementation import totals


def test_the_command_prints_the_total_amount_for_each_shop():
    """The command `python -m app.report` reads `data/sales.csv` and prints the total amount for each shop."""
    assert totals("data/sales.csv") == {"north": 3}
'''


# --- what was only described ------------------------------------------------------------------------------------------

DESCRIBED = '''\
"""What implementation_agent describes, held against itself: every step of the plan is there, in its words."""
from pathlib import Path

DESCRIBED = Path("app/implementation.py").read_text(encoding="utf-8")


def test_the_command_reads_data_and_prints_the_total_amount_for_each_shop():
    """The command `python -m app.report` reads `data/sales.csv` and prints the total amount for each shop."""
    assert "prints the total amount for each shop" in DESCRIBED
'''


@pytest.mark.req("OR-20")
def test_work_that_was_only_described_is_never_met_although_its_tests_pass(tmp_path: Path) -> None:
    site = sited("sales_report", tmp_path, runs=True)
    name, test = "implementation_agent", "tests/test_implementation.py"
    handover = f"{places.output(name)}usage.md"
    [point] = site.criteria(name)
    steps = "\n".join(f"{one['text']}" for one in point["criteria"])
    site.files["app/implementation.py"] = f'STEPS = """{steps}"""\n'.encode()
    site.files[test] = DESCRIBED.encode()
    site.files[handover] = f"# Described, and not built\n\n{steps}\n".encode()
    shows = "`test_the_command_reads_data_and_prints_the_total_amount_for_each_shop`: exit code 0, 1 passed"
    command = point["criteria"][0]["command"]
    site.workers[name] = Worker(
        evidence=tuple(
            Evidence(criterion=one["id"], shows=shows, command=command, path=test)
            for one in point["criteria"]
            if one.get("command")
        ),
        ran=(Ran(command=command, code=0, output="1 passed"),),
    )
    verdict = site.verify(name)
    assert verdict.result == "fail"
    assert [one.id for one in verdict.criteria if one.met] == []


PROGRAM = {"app/shop.py": "def total():\n    return 1\n", "app/__main__.py": "print(1)\n"}


@pytest.mark.req("OR-20")
@pytest.mark.parametrize(
    ("test", "reaches"),
    [
        ("from app.shop import total\n\ndef test_it():\n    assert total() == 1\n", ("app.shop",)),
        ("import app.shop\n\ndef test_it():\n    assert app.shop.total() == 1\n", ("app.shop",)),
        (
            (
                "import pytest\nfrom app.shop import total\n\n@pytest.fixture\ndef made():\n    return total()\n\n"
                "def test_it(made):\n    assert made\n"
            ),
            ("app.shop",),
        ),
        ("import subprocess\n\ndef test_it():\n    subprocess.run(['python', '-m', 'app'], check=True)\n", ("app",)),
        ("from app.shop import total\n\ndef test_it():\n    assert 'total' in 'a total'\n", ()),
        ("from pathlib import Path\n\ndef test_it():\n    assert Path('app/shop.py').read_text()\n", ()),
        ("def test_it():\n    assert True\n", ()),
        ("def test_it(:\n", None),
    ],
)
def test_a_test_shows_something_only_where_it_touches_the_program(test: str, reaches: tuple[str, ...] | None) -> None:
    found = proofs({**PROGRAM, "tests/test_shop.py": test})
    assert [tuple(dict.fromkeys(one.reaches)) for one in found] == ([] if reaches is None else [reaches])


ABOUT = '''\
from app.shop import total


def test_a_second_booking_of_the_same_room_on_one_day_is_refused_with_409():
    """The API refuses it."""
    assert total()
'''


@pytest.mark.req("OR-20")
@pytest.mark.parametrize(
    ("criterion", "missing"),
    [
        ("It is done and holds. Build: The API refuses a second booking of the same room on one day with 409.", ()),
        ("It is done and holds. Build: The API refuses a second booking of the same room on one day with 400.",
         ("400",)),
        ("It is done and holds. Build: The API exports bookings as a calendar.", ("calendar", "export")),
        ("It is done and holds. Do as was answered to “Can a day in the past be booked?”: No, the API refuses it.",
         ("past",)),
    ],
)  # fmt: skip
def test_a_test_is_about_a_criterion_where_it_has_its_words_and_every_figure(
    criterion: str, missing: tuple[str, ...]
) -> None:
    found = proofs({**PROGRAM, "tests/test_shop.py": ABOUT})
    assert lacking(criterion, found) == missing
    assert bool(alone(criterion, found)) is not bool(missing)
    assert lacking(criterion, []), "no test shows nothing"


# --- a plan near to the example ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def booked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The booking list, with its table built and verified, and its API built."""
    folder = tmp_path_factory.mktemp("booked")
    site = sited("booking_list", folder, runs=True)
    happened = site.finish("database_agent")
    assert happened[-2:] == ["ready_for_verification", "pass"], site.workers["database_agent"].missing
    assert site.do("api_agent").status == "blocked"
    yield site
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.req("OR-20")
def test_an_index_over_two_columns_and_a_status_are_built_as_they_were_decided(booked: Site) -> None:
    script = booked.files["migrations/0001_bookings.up.sql"].decode()
    assert 'CREATE UNIQUE INDEX bookings_room_day ON "bookings" ("room", "day");' in script
    assert "CHECK (status IN ('active', 'cancelled'))" in script
    assert '"seats" INTEGER NOT NULL' in script
    tests = booked.files["tests/test_database.py"].decode()
    assert "add(database, room=str(ROW['room']), day=str(ROW['day']))" in tests
    assert "add(database, day=" in tests, "another day of the same room is taken"
    assert '("cancelled", _now(), number)' in booked.files["app/api.py"].decode()
    assert "the status is `cancelled`" in booked.files[f"{places.output('api_agent')}endpoints.md"].decode()


@pytest.mark.req("OR-20", "OR-22")
def test_what_the_api_does_not_do_is_named_and_all_else_of_it_is_run_and_shown(booked: Site) -> None:
    told = not_built(booked, "api_agent")
    assert "Can a day in the past be booked? No, the REST API answers 400" in told
    assert told.count("cp_api.") == 1
    shown = {one.criterion: one.shows for one in booked.workers["api_agent"].evidence}
    [refusing] = [one["id"] for one in booked.criteria("api_agent")[0]["criteria"] if "second booking" in one["text"]]
    assert "test_what_belongs_to_another_is_answered_409" in shown[refusing]
    assert "failed" not in shown[refusing]
    assert booked.workers["api_agent"].ran[-1].code == 0


HANDED = "cp_database.5"


@pytest.mark.req("OR-20", "OR-29")
def test_a_handover_that_says_otherwise_than_the_migration_is_not_met_and_is_mended_by_its_doer(
    booked: Site, tmp_path: Path
) -> None:
    site = Site(Sitting({**booked.files}, "booking_list", known=booked.sitting.known), tmp_path, commands=())
    site.workers = {"database_agent": booked.workers["database_agent"]}
    path, schema = "migrations/0001_bookings.up.sql", f"{places.output('database_agent')}schema.md"
    site.files[path] = site.files[path].replace(b"'cancelled'", b"'gone'").replace(b"_room_day", b"_once")
    [judged] = [one for one in site.verify("database_agent").criteria if one.id == HANDED]
    assert not judged.met
    assert "does not say what" in judged.evidence
    site.workers["database_agent"] = Worker(guidance=(f"A person edited {path}.",))
    site.do("database_agent")
    assert b"'gone'" in site.files[schema]
    assert b"`bookings_once`" in site.files[schema]
    [judged] = [one for one in site.verify("database_agent").criteria if one.id == HANDED]
    assert judged.met, judged.evidence


@pytest.mark.parametrize(
    ("said", "unknown"),
    [
        ("The REST API creates, reads, changes, lists and cancels bookings", []),
        ("The REST API creates, reads and exports bookings", ["exports"]),
        ("The REST API creates, merges and splits bookings", ["merges", "splits"]),
    ],
)
def test_what_an_api_is_to_do_and_the_craft_does_not_know_is_seen(said: str, unknown: list[str]) -> None:
    assert unknown_verbs(said, "cancelled") == unknown


# --- nothing is invented ----------------------------------------------------------------------------------------------


def test_a_page_that_calls_from_outside_is_nobodys_work() -> None:
    path = places.summary("booking_list")
    assert set(reading_of(BOOKINGS.encode(), path).active) == {"database_agent", "api_agent"}


@pytest.mark.parametrize("said", ["- None.", "- None", "- Nothing yet.", "- n/a", ""])
def test_a_line_that_says_that_nothing_is_open_asks_nothing(said: str) -> None:
    reading = reading_of(BOOKINGS.replace("- None.", said).encode(), places.summary("booking_list"))
    assert reading.of_kind("open") == []


def test_a_technology_that_nobody_knows_is_taken_by_its_name_in_the_place_of_the_other() -> None:
    [named] = technologies.named("Use MariaDB 11 instead of SQLite")
    assert (named.said, named.layer, named.key) == ("MariaDB 11", "database", "primary")
    assert technologies.against("Use MariaDB 11 instead of SQLite") == {"SQLite"}


@pytest.mark.parametrize("task", ["sales_report", "tide_table"])
def test_a_plan_without_callers_and_servers_is_told_nothing_of_keys_and_gateways(tmp_path: Path, task: str) -> None:
    site = sited(task, tmp_path)
    decided = f"{site.files[places.STACK].decode()} {site.files[places.DECISIONS].decode()}"
    assert "digests" not in decided
    path = places.instructions("implementation_agent")
    site.files[path] = site.files[path].replace(
        b"## Inputs", b"- Call the WSGI application in the process; open no port.\n\n## Inputs"
    )
    raised: list[Any] = [note for name in doers(site) for note in site.do(name).notes]
    assert {note.category for note in raised if note.status == "escalated"} == {"requirement"}
