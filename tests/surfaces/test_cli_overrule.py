"""`signoff overrule`, end to end: a run that no agent can finish is finished by a person who takes a finding on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from shell_out import Ended, at_terminal, signoff

from signoff.surfaces.mcp.tools import Desk

TARN, CLAIM = "tarn-edge-gateway", "C-TEG-014"
REASON = ("--reason", "Our survey says so.")


@pytest.fixture(scope="module")
def _escalated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("escalated")
    assert signoff("init", "--example", "escalating", cwd=folder).code == 0
    assert signoff("run", "solution-page", TARN, cwd=folder).code == 4
    return folder


@pytest.fixture
def tarn(_escalated: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(_escalated, tmp_path, dirs_exist_ok=True))


def overrule(folder: Path, *args: str, person: str | None = "Ada", **env: str) -> Ended:
    return signoff("overrule", TARN, *args, cwd=folder, person=person, **env)


@pytest.mark.req("EV-9")
def test_a_run_is_finished_by_a_person_who_overrules_what_no_agent_can_fix(tarn: Path) -> None:
    listed = overrule(tarn, "--json").json["findings"]
    english = next(one["id"] for one in listed if one["rule"] == "claims.high-risk")
    lines = overrule(tarn).out
    assert all(one["id"] in lines for one in listed)

    assert overrule(tarn, english, *REASON).code == 0
    assert overrule(tarn, CLAIM, *REASON).code == 0, "and all that is left about the claim"
    assert signoff("resume", TARN, cwd=tarn, person="Ada").code == 4, "the Chinese page has a finding of its own"
    done = overrule(tarn, CLAIM, *REASON, "--json").json
    assert (done["settled"]["act"], done["settled"]["by"], done["exit"]) == ("overrule", "person:Ada", 0)

    ended = signoff("resume", TARN, cwd=tarn, person="Ada")
    assert ended.code == 0
    assert f"overruled: {english} (claims.high-risk in 3-drafts/{TARN}/content-en.md)" in ended.out
    assert "person:Ada" in ended.out
    traced = signoff("trace", CLAIM, cwd=tarn).out
    assert "reason: Our survey says so." in traced
    assert signoff("replay", TARN, cwd=tarn).code == 0


@pytest.mark.req("EV-9")
@pytest.mark.parametrize(
    ("person", "env", "why"),
    [
        (None, {}, "no person is named"),
        ("Ada", {"CLAUDECODE": "1"}, "this shell was opened by an agent (CLAUDECODE is set)"),
        ("Ada", {"AI_AGENT": "1"}, "this shell was opened by an agent (AI_AGENT is set)"),
    ],
    ids=["script", "claude", "agent"],
)
@pytest.mark.parametrize("ending", [REASON, ("--undo",)], ids=["overrule", "undo"])
def test_no_agent_and_no_script_overrules(
    tarn: Path, person: str | None, env: dict[str, str], why: str, ending: tuple[str, ...]
) -> None:
    before = (tarn / "_workflow/journal.jsonl").read_bytes()
    ended = overrule(tarn, CLAIM, *ending, person=person, **env)
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err
    assert (tarn / "_workflow/journal.jsonl").read_bytes() == before


@pytest.mark.req("EV-9")
def test_no_tool_of_a_host_overrules(tmp_path: Path) -> None:
    assert not [tool.__name__ for tool in Desk(tmp_path).tools() if "overrule" in tool.__name__]


def test_an_overrule_is_taken_back(tarn: Path) -> None:
    before = overrule(tarn, "--json").json["findings"]
    overrule(tarn, CLAIM, *REASON)
    assert f"No finding of {TARN} is open." in overrule(tarn).out
    assert "Recorded." in overrule(tarn, CLAIM, "--undo").out
    assert overrule(tarn, "--json").json == {"run": TARN, "findings": before, "overruled": []}


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--undo",), "no finding is named"),
        (REASON, "no finding is named"),
        ((CLAIM,), "the reason is empty"),
        ((CLAIM, "--reason", " "), "the reason is empty"),
        ((CLAIM, "--undo", *REASON), "--undo takes no --reason"),
        (("00000000", *REASON), f"see them with `signoff overrule {TARN}`"),
    ],
)
def test_a_call_that_means_nothing_says_what_is_valid(tarn: Path, args: tuple[str, ...], why: str) -> None:
    ended = overrule(tarn, *args)
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err


def test_a_person_at_a_terminal_sees_the_finding_and_confirms(tarn: Path) -> None:
    call = ["overrule", TARN, CLAIM, *REASON]
    seen = at_terminal(call, tarn, types="no\n")
    assert "C-TEG-014 has no evidence" in seen.out
    assert "Type overrule to confirm" in seen.out
    assert (seen.code, overrule(tarn, "--json").json["overruled"]) == (2, [])
    assert at_terminal(call, tarn, types="overrule\n").code == 0
    assert overrule(tarn, "--json").json["overruled"]
