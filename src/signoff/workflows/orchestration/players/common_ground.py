"""What the offline researcher knows where no house note speaks: little, and with the document where it is written."""

from __future__ import annotations

from typing import Final

from signoff.workflows.orchestration.players.house import Note, Point

_RULE: Final = "the offline researcher's own rule for any technology; nothing was searched"

KNOWN: Final = (
    Note(
        "",
        "SQLite",
        "",
        (
            Point(
                "Switch foreign keys on for every connection.",
                "they are not enforced otherwise",
                "SQLite documentation, SQLite Foreign Key Support, section 2",
            ),
            Point(
                "Give every connection a busy timeout.",
                "a second writer fails at once otherwise",
                "SQLite documentation, PRAGMA busy_timeout",
            ),
        ),
        (
            Point(
                "The file is copied while somebody writes to it",
                "the copy may hold half of a transaction",
                "SQLite documentation, How To Corrupt An SQLite Database File, section 1.2",
                "data_loss",
            ),
        ),
    ),
    Note(
        "",
        "PostgreSQL",
        "",
        (
            Point(
                "Build indexes of large tables concurrently.",
                "writers are locked out otherwise",
                "PostgreSQL documentation, CREATE INDEX, Building Indexes Concurrently",
            ),
        ),
        (
            Point(
                "A migration waits for a lock behind a long query",
                "every later query waits behind the migration",
                "PostgreSQL documentation, Explicit Locking",
                "availability",
            ),
        ),
    ),
    Note(
        "",
        "Python",
        "",
        (
            Point(
                "Name the encoding whenever a text file is opened.",
                "the default differs between machines",
                "Python documentation, open()",
            ),
        ),
        (
            Point(
                "Times without a zone are compared with times that have one",
                "the comparison raises TypeError",
                "Python documentation, datetime, Aware and Naive Objects",
                "availability",
            ),
        ),
    ),
    Note(
        "",
        "WSGI",
        "",
        (
            Point(
                "Read no more of the body than CONTENT_LENGTH says.",
                "the read may wait for ever otherwise",
                "PEP 3333, Input and Error Streams",
            ),
        ),
        (
            Point(
                "An exception leaves the application after headers were sent",
                "the caller sees half an answer",
                "PEP 3333, Error Handling",
                "availability",
            ),
        ),
    ),
    Note(
        "",
        "HTML",
        "",
        (
            Point(
                "Give every field of a form a label.",
                "people with a screen reader cannot fill it in otherwise",
                "WCAG 2.2, success criterion 3.3.2",
            ),
        ),
        (
            Point(
                "Text of users is put into a page as it is",
                "a script in it runs in other people's browsers",
                "OWASP Cross Site Scripting Prevention Cheat Sheet",
                "security",
            ),
        ),
    ),
    Note(
        "",
        "pytest",
        "",
        (
            Point(
                "Keep the files of a test in tmp_path.",
                "tests that share files pass or fail by their order",
                "pytest documentation, How to use temporary directories and files in tests",
            ),
        ),
        (
            Point(
                "A test depends on one that ran before it",
                "it fails as soon as it is run alone",
                "pytest documentation, Flaky tests",
                "dependencies",
            ),
        ),
    ),
    Note(
        "",
        "Docker",
        "",
        (
            Point(
                "Pin the base image by its digest.",
                "a tag may point to another image tomorrow",
                "Docker documentation, Building best practices, Pin base image versions",
            ),
        ),
        (
            Point(
                "A secret is copied into a layer",
                "everybody who has the image has the secret",
                "Docker documentation, Build secrets",
                "security",
            ),
        ),
    ),
)
"""Each with the document in which it can be looked up."""


def any_technology(name: str) -> Note:
    """What holds for every technology; it says that nothing was searched."""
    practice = Point(
        f"Write down the version of {name} that is used, and change it on purpose only.",
        "what worked is otherwise gone with the next installation",
        _RULE,
    )
    failure = Point(
        f"{name} is of another version where it runs than where it was tested",
        "it fails where nobody looks",
        _RULE,
        "dependencies",
    )
    return Note("", name, "", (practice,), (failure,))
