"""Summaries of plans that have little in common: the shipped example, a dashboard, a script, and plans from words."""

from __future__ import annotations

from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "user-management"

DASHBOARD = """\
# Conversation Summary: Ward Dashboard

## What We're Trying to Accomplish
The wards of a small hospital write their occupied beds on a board in the corridor.
We want a dashboard page that shows the beds of every ward, the free ones first, and that the night porter can read on a
phone. A form lets each ward report its beds. The reports table keeps what was reported, when and by whom. A handbook
page explains to the wards how to report.

## Key Decisions Made
- Decision: Reports are kept in PostgreSQL, in a reports table that is never overwritten
  - Rationale: The hospital runs PostgreSQL 15 already, and its people look after it.
  - Alternatives considered: SQLite, because nobody here backs it up
- Decision: The pages are made on the server with Flask; no program runs in the browser
  - Rationale: The porter's phone is eight years old.
  - Alternatives considered: React, because the phone takes half a minute to load it
- Decision: A ward sees its own form only, and the dashboard page is for everybody who signed in
  - Rationale: A wrong report is noticed late.
- Decision: The dashboard page says when its newest report is older than two hours
  - Rationale: An old figure that looks new is worse than none.

## Constraints & Assumptions
- Python 3.11 and Flask 3; the hospital's server installs packages from its own mirror.
- It is assumed that the page is read within 2 seconds on the porter's phone; nobody has measured it.
- The dashboard page can be used without a mouse.
- It is deployed with systemd on the hospital's server; the last release stays beside the new one.

## Questions Resolved
- Q: May a report be changed afterwards?
- A: No; a second report takes its place on the page, and the first stays in the reports table.

## Open Items
- Whether beds in the corridor count as free is not decided; the dashboard page shows them either way.

## Dependencies & Integration Points
- People sign in with the hospital's own accounts, through its existing proxy.
"""

TINY = """\
# Conversation Summary: Tide Table

## What We're Trying to Accomplish
A command-line script that reads the tides of a day from a text file and prints the two high ones.

## Key Decisions Made

## Constraints & Assumptions

## Questions Resolved

## Open Items

## Dependencies & Integration Points
"""

IMPORT = """\
# Conversation Summary: Import Users

## What We're Trying to Accomplish
The import reads `legacy/users.csv` and reports every line that it did not take over.

## Key Decisions Made
- Decision: The import runs in one transaction and can be run again without making a user twice
  - Rationale: It will be tried several times.
- Decision: The import is a Python script
  - Rationale: Everybody here reads Python 3.11.

## Constraints & Assumptions
- We assume that the e-mail addresses of the legacy file are unique once case is ignored; nobody has counted.

## Questions Resolved

## Open Items
- How long the report of the import is kept is not decided; it holds personal data.

## Dependencies & Integration Points
"""
"""The least that has every kind of step: all reviewers, a question, a missing agent, research, a trial."""

BARE = """\
# Conversation Summary: Garden

## What We're Trying to Accomplish
Water the beans.

## Key Decisions Made
- Decision: Beans are watered at dawn
  - Rationale: It is cool then.

## Constraints & Assumptions
- The well is dry in August.

## Questions Resolved

## Open Items

## Dependencies & Integration Points
"""
"""It names no kind of work at all."""

LONG = """\
# Conversation Summary: Long list

## What We're Trying to Accomplish
The ships table has a name. The ships table has a flag. The ships table has a length. The ships table has a berth.
The berths table has a depth. The berths table has a price. The berths table has a side. The berths table has a light.
The log table keeps who changed what.

## Key Decisions Made

## Constraints & Assumptions

## Questions Resolved

## Open Items

## Dependencies & Integration Points
"""
"""More statements of one kind than one agent may have."""


BOOKINGS = """\
# Conversation Summary: Booking List

## What We're Trying to Accomplish
We want a booking list service: it keeps the bookings in a database and offers them to the hall's web page through a
REST API. The bookings table holds id, room, guest, seats, day, status and the times of creation and of the last change.
A migration script creates the table, and a second script takes it back. The REST API creates, reads, changes, lists and
cancels bookings. The REST API refuses a second booking of the same room on the same day with 409.

## Key Decisions Made
- Decision: The bookings table is kept in SQLite, in one file beside the service
  - Rationale: One hall needs no database server.
- Decision: The REST API is a WSGI application in Python that needs the standard library only
  - Rationale: The hall's machine has Python 3.11 and no internet.
- Decision: A room is booked once a day at most; a unique index of the bookings table over room and day keeps it so
  - Rationale: Two parties in one room were a disaster last year.
- Decision: A booking is never deleted: `DELETE /bookings/{id}` sets the status to cancelled and answers 204
  - Rationale: The treasurer wants to see everything.

## Constraints & Assumptions
- pytest is the only package beside the standard library of Python 3.11.

## Questions Resolved
- Q: Can a day in the past be booked?
- A: No, the REST API answers 400.

## Open Items
- None.

## Dependencies & Integration Points
- The hall's web page calls the REST API and expects JSON with times in UTC.
"""
"""Near to the shipped example, and other words: an index over two columns, another status, whole numbers."""

STOCKROOM = """\
# Conversation Summary: Stock Room

## What We're Trying to Accomplish
The items table holds id, name, shelf, quantity and minimum quantity. A REST API creates, reads, changes and lists
items. A command-line report writes `low_stock.csv` with every item whose quantity is below its minimum.

## Key Decisions Made
- Decision: The items table is kept in SQLite, in one file
  - Rationale: A school has no database server.
- Decision: The REST API is a WSGI application in Python that needs the standard library only
  - Rationale: No packages may be installed on the school machine.

## Constraints & Assumptions
- pytest is the only package.
- A request for one item is answered by the REST API within 100 ms on the school machine.

## Questions Resolved
- Q: May a quantity be negative?
- A: No; a change that would make it negative is answered 400 by the REST API.

## Open Items

## Dependencies & Integration Points
"""
"""A table that can be built, and an API and a report that no offline craft knows."""

SALES = """\
# Conversation Summary: Sales Report

## What We're Trying to Accomplish
The command `python -m app.report` reads `data/sales.csv` and prints the total amount for each shop. A line that cannot
be read is reported by the command with its number and left out.

## Key Decisions Made
- Decision: The tool is a Python script that needs the standard library only
  - Rationale: The bakery's machine has Python 3.11 and nothing else.

## Constraints & Assumptions
- pytest for what shows it.

## Questions Resolved

## Open Items

## Dependencies & Integration Points
- `data/sales.csv` comes from the till: UTF-8, commas, dates as 2026-01-31.
"""
"""A small program of which no offline craft knows anything."""


def files(task: str, summary: str, **sources: str) -> dict[str, bytes]:
    """A project with this plan, and notes by name."""
    notes = {f"0-sources/{name}.md": text.encode() for name, text in sources.items()}
    return {f"orchestration/conversation_summary_{task}.md": summary.encode(), **notes}


def example() -> dict[str, bytes]:
    """The files of examples/user-management."""
    found = (path for path in EXAMPLE.rglob("*") if path.is_file())
    return {path.relative_to(EXAMPLE).as_posix(): path.read_bytes() for path in found}
