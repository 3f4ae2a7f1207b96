"""The import into users: one test for each rule of the import, each with a file and a database of its own."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path

import pytest

from app.data_migration import DATES, HEAD, SEPARATOR, SOURCE, TAKEN, YES, NotAsDescribedError, Report, delete_old_reports, run
from app.database import connect, version

SAMPLE = {"created_at": datetime(2019, 12, 31).strftime(DATES), "changed_at": "", "status": (*YES, "")[0]}


def line(**given: str) -> str:
    """A line of the file: what is given by the column of the table, and something harmless in the other fields."""
    by_field = {TAKEN[column]: text for column, text in {**SAMPLE, **given}.items() if column in TAKEN}
    return SEPARATOR.join(by_field.get(name, f"some {name}") for name in HEAD)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "source.csv"
    path.write_text("\n".join((SEPARATOR.join(HEAD), *lines)) + "\n", encoding="utf-8")
    return path


def rows(database: Path) -> list[sqlite3.Row]:
    with closing(connect(database)) as connection:
        return connection.execute('SELECT * FROM "users" ORDER BY id').fetchall()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "service.db"


def test_every_line_is_taken_over_or_reported_and_none_is_lost(tmp_path: Path, database: Path) -> None:
    """The import reads and reports every line that it did not take over, with its line number.

    Lines are not lost without a word: what was read is what was taken, known and refused.
    """
    report = run(written(tmp_path, line(email="ada@example.org"), line(email=""), line(email="bo@example.org")), database)
    assert (report.read, report.taken, [number for number, _ in report.refused]) == (3, 2, [3])
    assert report.read == report.taken + report.known + len(report.refused)
    assert '"line": 3' in report.text()


def test_a_second_run_makes_nothing_twice(tmp_path: Path, database: Path) -> None:
    """A second run finds everything there: the import can be run again without making a user twice."""
    source = written(tmp_path, line(email="ada@example.org"), line(email="bo@example.org"))
    assert run(source, database).taken == 2
    again = run(source, database)
    assert (again.taken, again.known, len(rows(database))) == (0, 2, 2)


def test_a_stop_in_the_middle_leaves_nothing_behind(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The import runs in one transaction: all rows, or none."""
    taking = import_module(run.__module__)
    take, seen = taking._take, []

    def stops(*given: object) -> None:
        seen.append(given)
        if len(seen) == 2:
            raise KeyboardInterrupt
        take(*given)

    monkeypatch.setattr(taking, "_take", stops)
    with pytest.raises(KeyboardInterrupt):
        run(written(tmp_path, line(email="ada@example.org"), line(email="bo@example.org")), database)
    assert (version(database) > 0, rows(database)) == (True, [])


def test_the_file_is_read_and_never_written(tmp_path: Path, database: Path) -> None:
    """The legacy file stays as it is: the import reads it and never writes to it."""
    source = written(tmp_path, line(email="ada@example.org"))
    before = source.read_bytes()
    source.chmod(0o400)
    run(source, database)
    assert source.read_bytes() == before


def test_fields_that_no_column_takes_are_dropped(tmp_path: Path, database: Path) -> None:
    """The import drops what the table has no column for, so it is not taken over from the legacy file: login, password_md5."""
    run(written(tmp_path, line(email="ada@example.org")), database)
    kept = " ".join(str(value) for row in rows(database) for value in tuple(row))
    assert set(HEAD) - set(TAKEN.values())
    assert not any(f"some {name}" in kept for name in set(HEAD) - set(TAKEN.values()))


def test_a_line_without_its_email_is_refused_and_reported_with_its_number(tmp_path: Path, database: Path) -> None:
    """A legacy line without its e-mail address, or what else tells a user apart: the import does not take it over
    and reports it with its line number."""
    report = run(written(tmp_path, line(email="  ")), database)
    assert report.refused == [(2, "email is empty")]
    assert rows(database) == []


def test_the_second_of_two_lines_that_differ_in_case_alone_is_refused(tmp_path: Path, database: Path) -> None:
    """Two lines with one email are one row, and the second line is reported."""
    report = run(written(tmp_path, line(email="ada@example.org"), line(email="ADA@example.org")), database)
    assert report.refused == [(3, "email is that of line 2")]
    assert len(rows(database)) == 1


@pytest.mark.parametrize("wrong", ["one field", line(email="ada@example.org") + SEPARATOR + "more", line(created_at="2019/12/31")])
def test_a_source_that_is_not_as_it_was_described_stops_before_the_first_write(
    tmp_path: Path, database: Path, wrong: str
) -> None:
    """The source is not as it was described: the line is named, and no row is written."""
    with pytest.raises(NotAsDescribedError) as stopped:
        run(written(tmp_path, line(email="ada@example.org"), wrong), database)
    assert stopped.value.line == 3
    assert not database.exists() or rows(database) == []


def test_names_and_dates_arrive_as_they_were_meant(tmp_path: Path, database: Path) -> None:
    """What the retired program has written to legacy/users.csv: UTF-8 is read as UTF-8, fields as they are separated, and dates
    such as 31.12.2019 become times in UTC."""
    run(written(tmp_path, line(email="šimek@example.org")), database)
    [row] = rows(database)
    assert row["email"] == "šimek@example.org"
    assert row["created_at"].startswith("2019-12-31T00:00:00")
    assert row["changed_at"] == row["created_at"]


@pytest.mark.skipif(not Path(SOURCE).exists(), reason="the file is not among the inputs here")
def test_the_real_file_is_taken_over_without_a_stop(database: Path) -> None:
    """Every line of legacy/users.csv is accounted for."""
    report = run(SOURCE, database)
    assert report.taken == len(rows(database)) > 0
    assert report.read == report.taken + len(report.refused)
    assert isinstance(report, Report)


def test_a_report_that_was_kept_long_enough_is_deleted(tmp_path: Path) -> None:
    """A report is kept as long as was decided, and then deleted."""
    days = import_module(run.__module__).DAYS_KEPT
    kept = tmp_path / "import-20260101T000000.json"
    kept.write_text("{}", encoding="utf-8")
    now = datetime.fromtimestamp(kept.stat().st_mtime, timezone.utc)
    assert delete_old_reports(tmp_path, now) == []
    later = delete_old_reports(tmp_path, now + timedelta(days=(days or 0) + 1))
    assert later == ([kept.name] if days is not None else [])


def test_the_command_makes_the_folder_of_its_reports_and_leaves_the_report_there(
    tmp_path: Path, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The import as it is started: a folder that is not there is made before the first row is written."""
    source = written(tmp_path, line(email="ada@example.org"), line(email=""))
    assert import_module(run.__module__).main([str(database), str(tmp_path / "new/reports"), str(source)]) == 0
    [report] = (tmp_path / "new/reports").glob("import-*.json")
    assert '"line": 3' in report.read_text(encoding="utf-8")
    assert "taken 1" in capsys.readouterr().out


def test_the_command_import_is_registered_and_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    """The REST API and the import both register their commands in app/registry.py, where everybody finds them.

    What is registered is there, and a call without its arguments is told which they are.
    """
    registry = import_module('app.registry')
    assert registry.main([]) == 0
    assert 'import' in capsys.readouterr().out
    assert registry.main(['import']) == 2
    assert "usage: import DATABASE REPORTS [SOURCE]" in capsys.readouterr().err
    assert registry.main(["no such command"]) == 2


def test_python_m_app_lists_and_starts_import() -> None:
    """The program is started with `python -m app`: it lists what there is, through app/__main__.py."""
    root = Path(str(import_module('app.registry').__file__)).parents[1]
    listed = subprocess.run([sys.executable, "-m", 'app'], cwd=root, capture_output=True, text=True, check=False)
    assert (listed.returncode, 'import' in listed.stdout) == (0, True), listed.stderr
    wrong = [sys.executable, "-m", 'app', 'import']
    assert subprocess.run(wrong, cwd=root, capture_output=True, check=False).returncode == 2
