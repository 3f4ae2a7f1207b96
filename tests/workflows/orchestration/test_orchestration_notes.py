"""Completion-drive notes: their form, who gives them ids, and who may settle them."""

from __future__ import annotations

import json
from operator import eq
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestration_texts import TEXTS

from signoff.artifacts import jsonio
from signoff.core.errors import DocumentError
from signoff.workflows.orchestration.work import notes
from signoff.workflows.orchestration.work.notes import CATEGORIES, DECIDES, Note, Said, Session, decided_by

AT = 1727539800
PATH = "orchestration/agents/api_agent/completion_drive/session_current.json"
KEYWORDS = ("password", "encryption", "personal data", "license", "密码", "C++", "номер")
TACTICAL = decided_by("tactical_solution_architect")
SETTLED = {"resolution": "it is unique", "resolved_by": "user", "resolution_timestamp": AT + 60}


def plain(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A note as a file has it."""
    head = {"note_id": f"note_{number:03d}", "timestamp": AT, "description": "Is the email unique?"}
    return {**head, "context": "creating the users table", "status": "open", **fields}


def note(number: int = 1, **fields: Any) -> Note:
    return Note.model_validate(plain(number, **fields))


def say(description: str = "Is the email unique?", **fields: Any) -> Said:
    return Said(description=description, context=fields.pop("context", "the users table"), **fields)


def settle(description: str = "Is the email unique?", **fields: Any) -> Said:
    return say(description, **{"category": "implementation", "status": "resolved", "resolution": "yes", **fields})


def rules(known: list[Note], *said: Said, own: Any = ()) -> list[str]:
    return [found.rule for found in notes.findings(known, said, KEYWORDS, own)]


def read(*found: dict[str, Any], **fields: Any) -> Session:
    session = {"task_id": f"create_users_{AT}", "session_start": AT, "notes": list(found), **fields}
    return notes.parse_session(json.dumps(session).encode(), PATH)


# --- the file ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-19")
def test_the_seeds_example_is_read_and_written_again() -> None:
    session = read(plain(status="resolved", **SETTLED, escalation_reason=None), plain(2))
    assert session.notes[0].resolved_by == "user"
    assert notes.parse_session(jsonio.render(session).encode(), PATH) == session
    assert "null" not in jsonio.render(session)


@pytest.mark.req("OR-19")
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "resolved"}, "note_001 is resolved and has no resolution, no resolved_by, no resolution_timestamp"),
        ({"status": "resolved", **SETTLED, "resolution": None}, "has no resolution"),
        ({"status": "resolved", **SETTLED, "resolution": " "}, "`notes[0].resolution` is ' '"),
        ({"status": "resolved", **SETTLED, "resolved_by": None}, "has no resolved_by"),
        ({"status": "resolved", **SETTLED, "resolution_timestamp": None}, "has no resolution_timestamp"),
        ({"status": "resolved", **SETTLED, "resolved_by": "somebody"}, "`notes[0].resolved_by` is 'somebody'"),
        ({"status": "escalated"}, "note_001 is escalated and has no escalation_reason"),
        ({"status": "escalated", "escalation_reason": "\t"}, "`notes[0].escalation_reason`"),
        ({"status": "escalated", "escalation_reason": "a", **SETTLED}, "is escalated, but has resolution, resolved_by"),
        ({"resolution": "yes"}, "note_001 is open, but has resolution"),
        ({"escalation_reason": "why"}, "note_001 is open, but has escalation_reason"),
        ({"resolved_by": "user", "resolution_timestamp": AT}, "is open, but has resolved_by, resolution_timestamp"),
        ({"status": "closed"}, "`notes[0].status` is 'closed'"),
        ({"category": "design"}, "`notes[0].category` is 'design'"),
        ({"note_id": "1"}, "`notes[0].note_id` is '1'; valid: as code gave it: note_001"),
        ({"timestamp": "2024-09-28"}, "`notes[0].timestamp`"),
    ],
)
def test_a_note_without_what_its_status_requires_is_refused_with_its_place(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(plain(**fields))
    (found,) = caught.value.findings
    assert said in found.problem
    assert (found.file, found.rule) == (PATH, "session.form")


@pytest.mark.req("OR-19")
def test_everything_that_is_wrong_with_a_session_is_said_at_once() -> None:
    with pytest.raises(DocumentError) as caught:
        read(plain(1, status="resolved"), plain(2, status="escalated"), task_id="users")
    assert [found.problem.partition(":")[0] for found in caught.value.findings] == [
        "`task_id` is 'users'; valid",
        "`notes[0]`",
        "`notes[1]`",
    ]


@pytest.mark.req("OR-19")
def test_two_notes_of_one_id_are_refused() -> None:
    with pytest.raises(DocumentError, match="note_002: there is more than one note of this id"):
        read(plain(1), plain(2), plain(2), plain(2))


@pytest.mark.req("OR-19")
def test_a_settled_note_may_still_say_why_it_was_escalated() -> None:
    assert read(plain(status="resolved", **SETTLED, escalation_reason="no idea")).notes[0].escalation_reason


# --- what becomes of what is said -------------------------------------------------------------------------------------


@pytest.mark.req("OR-19")
def test_code_gives_the_ids_and_never_one_twice() -> None:
    made = notes.merged([note(1), note(7)], [say("a"), say("b", note_id="note_001"), say("c")], AT + 9)
    assert [(one.note_id, one.description) for one in made] == [
        ("note_001", "b"),
        ("note_007", "Is the email unique?"),
        ("note_008", "a"),
        ("note_009", "c"),
    ]


@pytest.mark.req("OR-19")
def test_a_note_that_is_taken_up_keeps_its_id_its_time_and_its_category() -> None:
    known = [note(1, category="bug")]
    (made,) = notes.merged(known, [settle(note_id="note_001", category=None)], AT + 9)
    assert made == note(
        1, category="bug", status="resolved", context="the users table", resolution="yes", resolved_by="agent_self",
        resolution_timestamp=AT + 9,
    )  # fmt: skip


@pytest.mark.req("OR-19")
def test_a_settled_note_is_never_changed_by_what_is_said() -> None:
    known = (note(1, status="resolved", **SETTLED),)
    assert notes.merged(known, [settle("other", note_id="note_001")], AT + 9) == known


@pytest.mark.req("OR-19", "OR-23")
def test_what_somebody_else_settles_is_in_the_note_once_and_for_all() -> None:
    escalated = note().escalated("open after 3 reviews")
    assert (escalated.status, escalated.escalation_reason) == ("escalated", "open after 3 reviews")
    settled = escalated.resolved("it is unique", "user", AT + 60)
    assert settled == note(status="resolved", **SETTLED, escalation_reason="open after 3 reviews")
    assert settled.resolved("it is not", "workflow_executor", AT + 90) == settled
    assert settled.escalated("again") == settled
    with pytest.raises(ValueError, match="resolution"):
        note().resolved(" ", "user", AT)


@pytest.mark.req("OR-24")
def test_what_is_only_carried_on_is_not_asked_again() -> None:
    asks = {"status": "escalated", "escalation_reason": "e"}
    said = [say("a"), say(note_id="note_001"), settle("c"), say("d", **asks), say("f", note_id="note_002", **asks)]
    assert notes.asked([note(1), note(2)], said, eq) == ("a", "d", "f")


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-22")
@pytest.mark.parametrize("category", CATEGORIES)
def test_an_agent_settles_what_is_its_own_and_a_tactical_task_what_is_the_architects(category: Any) -> None:
    one = settle(category=category)
    assert rules([], one) == ([] if DECIDES[category] == "agent_self" else ["note.authority"])
    assert rules([], one, own=TACTICAL) == ([] if category in TACTICAL or not rules([], one) else ["note.authority"])


@pytest.mark.req("OR-22")
def test_a_note_without_a_category_is_nobodys_to_settle() -> None:
    (found,) = notes.findings([], [settle(category=None)], KEYWORDS)
    assert "'Is the email unique?' has no category, so it is not clear who may settle it" in found.problem
    assert "technology, architecture, security" in found.repair


@pytest.mark.req("OR-22")
@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("How long is a password?", True),
        ("Store PASSWORDS as hashes", True),
        ("the ｐａｓｓｗｏｒｄ field", True),
        ("user_password may be null", True),
        ("userPassword may be null", True),
        ("pass\u00adword", True),
        ("the password's length", True),
        ("passwordless sign-in", False),
        ("which licensee", False),
        ("personal\n data", True),
        ("personal-data export", True),
        ("personal database", False),
        ("impersonal data", False),
        ("用户密码如何存储", True),
        ("用户password如何存储", True),
        ("密码abc", True),
        ("written in c++17", True),
        ("an email column", False),
        ("the p\u0430ssw\u043erd is kept", True),
        ("PA\u0405SWORD", True),
        ("lic\u0435n\u0455\u0435", True),
        ("p\u034fass\u3164word\ufe0f", True),
        ("pa\u0301ssword", True),
        ("ПАРОЛЬ и Номер", True),
        ("passport", False),
    ],
)
def test_a_keyword_is_a_whole_word_in_any_case_width_or_script(text: str, spoken: bool) -> None:
    for one in (settle(text), settle(context=text), settle(resolution=text)):
        assert rules([], one) == (["note.authority"] if spoken else [])
    assert rules([], settle(text, category="security"), own=TACTICAL) == (["note.authority"] if spoken else [])
    assert rules([], say(text), say(text, status="escalated", escalation_reason="why")) == []


@pytest.mark.req("OR-22")
@pytest.mark.parametrize("keywords", [(), ("",), (" ", "_")])
def test_a_keyword_without_letters_is_in_no_text(keywords: tuple[str, ...]) -> None:
    assert tuple(notes.findings([], [settle("a _ password")], keywords)) == ()


@pytest.mark.req("OR-22")
@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        ("security", "implementation", False),
        ("security", "requirement", True),
        ("security", "conflict", True),
        ("security", "technology", True),
        ("security", None, True),
        ("requirement", "security", False),
        ("requirement", "conflict", False),
        ("conflict", "architecture", False),
        ("conflict", "requirement", True),
        ("implementation", "security", True),
        ("implementation", "bug", True),
        (None, "implementation", True),
    ],
)
def test_whose_matter_a_note_is_only_moves_up(before: Any, after: Any, allowed: bool) -> None:
    assert rules([note(category=before)], say(note_id="note_001", category=after)) == (
        [] if allowed else ["note.authority"]
    )


@pytest.mark.req("OR-22")
def test_another_category_does_not_make_a_note_an_agents_own() -> None:
    known = [note(category="security")]
    assert "note.authority" in rules(known, settle(note_id="note_001", category="implementation"))
    assert rules(known, settle(note_id="note_001", category=None)) == ["note.authority"]
    assert rules(known, settle(note_id="note_001", category="implementation"), own=TACTICAL) == []
    assert rules(known, settle("How many bits?", category="implementation")) == []  # the open one still blocks


@pytest.mark.req("OR-22")
def test_other_words_do_not_make_a_note_an_agents_own() -> None:
    known = [note(description="How is the password stored?", category="implementation")]
    assert rules(known, settle("How is it stored?", note_id="note_001")) == ["note.authority"]
    assert rules(known, say("How is it stored?", note_id="note_001")) == ["note.authority"]
    assert rules(known, say("How is the password hashed?", note_id="note_001")) == []
    assert rules(known, say("How?", note_id="note_001", status="escalated", escalation_reason="why")) == []


@pytest.mark.req("OR-22")
def test_what_is_escalated_stays_so_until_somebody_else_settles_it() -> None:
    known = [note(status="escalated", escalation_reason="why", category="bug")]
    assert rules(known, settle(note_id="note_001", category="bug")) == ["note.authority"]
    assert rules(known, say(note_id="note_001")) == ["note.authority"]
    assert rules(known, say(note_id="note_001", status="escalated", escalation_reason="still")) == []


@pytest.mark.req("OR-19")
@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ([say(note_id="note_002")], ["note.unknown"]),
        ([settle(note_id="note_003")], ["note.settled"]),
        ([say(note_id="note_001"), say(note_id="note_001")], ["note.twice"]),
        ([settle(resolution=" ")], ["note.incomplete"]),
        ([say(status="escalated")], ["note.incomplete"]),
        ([say(resolution="yes")], ["note.contradiction"]),
        ([say(escalation_reason="why")], ["note.contradiction"]),
        ([settle(escalation_reason="why")], ["note.contradiction"]),
        ([say(status="escalated", escalation_reason="why", resolution="yes")], ["note.contradiction"]),
        ([say(resolution=" ", escalation_reason="")], []),
        ([say(), say()], []),
    ],
)
def test_what_does_not_fit_the_session_or_itself_is_refused(said: list[Said], wanted: list[str]) -> None:
    assert rules([note(1), note(3, status="resolved", **SETTLED)], *said) == wanted


def test_a_refusal_says_what_there_is_and_how_to_go_on() -> None:
    (found,) = notes.findings([note(1)], [say(note_id="note_009")], KEYWORDS)
    assert str(found) == (
        "note.unknown: there is no note_009 in this session; valid: note_001. "
        "Repair: leave note_id out of a new note: code numbers it"
    )
    (found,) = notes.findings([note(category="security")], [settle(note_id="note_001", category=None)], KEYWORDS)
    assert found.problem == "note_001 is a matter of security, which the tactical architect settles"


# --- laws -------------------------------------------------------------------------------------------------------------

SAID = st.builds(
    Said,
    note_id=st.none() | st.integers(1, 4).map(lambda number: f"note_{number:03d}"),
    description=TEXTS | st.sampled_from(["the password", "密码", "a name"]),
    context=TEXTS,
    category=st.none() | st.sampled_from(CATEGORIES),
    status=st.sampled_from(["open", "resolved", "escalated"]),
    resolution=st.none() | TEXTS,
    escalation_reason=st.none() | TEXTS,
)


@pytest.mark.req("OR-19", "OR-22")
@given(st.lists(st.lists(SAID, max_size=4), max_size=6))
def test_no_number_of_turns_makes_an_agent_settle_what_is_not_its_own(turns: list[list[Said]]) -> None:
    """An agent says anything, turn after turn, and code takes what it does not refuse."""
    known: tuple[Note, ...] = ()
    history: dict[str, list[Note]] = {}
    for at, said in enumerate(turns, AT):
        taken = [one for one in said if not tuple(notes.findings(known, [one], KEYWORDS))]
        if tuple(notes.findings(known, taken, KEYWORDS)):
            continue  # said twice
        made = notes.merged(known, taken, at)
        before = {one.note_id: one for one in known}
        assert len({one.note_id for one in made}) == len(made) >= len(known)
        for one in made:
            if one.note_id in before:
                assert one.timestamp == before[one.note_id].timestamp
            history.setdefault(one.note_id, []).append(one)
        assert all(one in made for one in known if one.status == "resolved")
        session = Session(task_id=f"a_{AT}", session_start=AT, notes=made)
        assert notes.parse_session(jsonio.render(session).encode(), PATH) == session
        known = made
    for past in history.values():
        if past[-1].status == "resolved":
            assert all(one.category is None or DECIDES[one.category] == "agent_self" for one in past)
            assert not any("password" in one.description or "密码" in one.description for one in past)
            assert "escalated" not in [one.status for one in past]
