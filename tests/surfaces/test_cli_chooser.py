"""Who chooses: anybody where the workflow lets them, and a person alone where it does not."""

from __future__ import annotations

import pytest

from signoff.core.commands import PERSONS, WORDS, Ask
from signoff.core.errors import UsageError
from signoff.service import runs
from signoff.surfaces.cli import work

FREE = Ask(key="gate", kind="choice", options=("more",), question="More?")
PERSONAL = Ask(key="escalation-a", kind="choice", options=("answer",), question="How many?", notes={PERSONS: True})


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in (work.PERSON, *work.AGENTS):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.req("OR-22")
@pytest.mark.parametrize(
    ("env", "said"), [({"CLAUDECODE": "1"}, "opened by an agent"), ({}, "there is no terminal")], ids=["agent", "pipe"]
)
def test_what_is_put_to_a_person_is_settled_by_nobody_else(
    shell: pytest.MonkeyPatch, env: dict[str, str], said: str
) -> None:
    for name, value in env.items():
        shell.setenv(name, value)
    with pytest.raises(UsageError, match=said):
        work.chooser(PERSONAL, "choose x answer")
    assert work.chooser(FREE, "choose x more") == work.SCRIPT


@pytest.mark.req("OR-22")
def test_a_person_whom_a_script_names_settles_it_under_that_name(shell: pytest.MonkeyPatch) -> None:
    shell.setenv(work.PERSON, "Ada")
    assert work.chooser(PERSONAL, "choose x answer") == "person:Ada"


@pytest.mark.parametrize(("payload", "taken"), [({}, False), ({"note": " "}, False), ({"note": "Like this"}, True)])
def test_an_option_that_needs_words_is_not_taken_without(payload: dict[str, str], taken: bool) -> None:
    ask = Ask(key="failed-a", kind="choice", options=("guide", "retry"), question="?", notes={WORDS: ["guide"]})
    runs.refuse_wordless(ask, "retry", payload)
    if taken:
        runs.refuse_wordless(ask, "guide", payload)
    else:
        with pytest.raises(UsageError, match="'guide' says nothing without words"):
            runs.refuse_wordless(ask, "guide", payload)
