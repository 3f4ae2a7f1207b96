"""A person overrules findings of a real page: from its escalation to its release, and never an agent."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from page_project import PERSON, TARN, Case, edit, files, journal, lay_out, opened, text

from signoff.core.errors import RefusedError, UsageError
from signoff.core.state import State
from signoff.service import overrules, runs
from signoff.service.people import Actor, Via
from signoff.service.recordings import replays
from signoff.workflows.solution_page.documents import claims_registry as reg

CLAIM = "C-TEG-014"
EN, CN = f"3-drafts/{TARN}/content-en.md", f"3-drafts/{TARN}/content-cn.md"
REQUEST, STATE, STATUS = "_workflow/approval-request.md", "_workflow/state.yaml", "_workflow/status.json"
REASON = "Our own survey says so; marketing answers for it."
NO_PEOPLE = [Actor(Via.HOST), Actor(Via.AGENT, "CLAUDECODE"), Actor(Via.SCRIPT)]


class Tarn(Case):
    """The example whose one claim has no evidence."""

    def overrule(self, what: str = CLAIM, reason: str = REASON, actor: Actor = PERSON) -> list[str]:
        return [one.id for one in self.go(lambda live: overrules.overrule(live, what, reason, actor))]

    def undo(self, what: str = CLAIM, actor: Actor = PERSON) -> list[str]:
        return [one.id for one in self.go(lambda live: overrules.undo(live, what, actor))]

    def listed(self) -> dict[str, Any]:
        return self.go(overrules.listed).plain()

    def open(self) -> set[tuple[str, str]]:
        return {(one["rule"], one["file"]) for one in self.listed()["findings"]}

    def resume(self) -> State:
        self.answer("escalation", "resume")
        return self.drive()

    def released(self) -> State:
        """The page after a person has taken the claim on, in one language after the other."""
        self.overrule()
        assert self.resume().own.resume_to == "review_cn"
        self.overrule()
        return self.resume()


@pytest.fixture(scope="module")
def _escalated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay_out(tmp_path_factory.mktemp("overrule") / "tarn", TARN)
    case = Tarn(root, TARN)
    assert case.run(require_final_approval=True).stop == "escalated"
    return root


@pytest.fixture
def tarn(_escalated: Path, tmp_path: Path) -> Tarn:
    return Tarn(Path(shutil.copytree(_escalated, tmp_path / "tarn")), TARN)


@pytest.fixture(scope="module")
def _asked(_escalated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(shutil.copytree(_escalated, tmp_path_factory.mktemp("asked") / "tarn"))
    assert Tarn(root, TARN).released().request_of("final") is not None
    return root


@pytest.fixture
def asked(_asked: Path, tmp_path: Path) -> Tarn:
    """The page at its final approval, with three overrules."""
    return Tarn(Path(shutil.copytree(_asked, tmp_path / "tarn")), TARN)


# --- from an escalation to the release --------------------------------------------------------------------------------


@pytest.mark.req("EV-9")
def test_a_page_with_a_finding_that_no_agent_can_fix_is_released_once_a_person_overrules_it(asked: Tarn) -> None:
    asked.answer("final", "approve")
    state = asked.drive()
    assert state.stop == "complete"
    assert "most reliable" in text(asked.root, f"4-release/{TARN}/content-en.md")
    known = asked.listed()["overruled"]
    assert {(one["rule"], one["file"]) for one in known if one["holds"]} >= {
        ("claims.high-risk", EN),
        ("claims.high-risk", CN),
    }
    assert {(one["by"], one["reason"], one["about"]) for one in known} == {("person:ada", REASON, CLAIM)}


@pytest.mark.req("EV-9")
def test_an_overrule_verifies_nothing(asked: Tarn) -> None:
    registry = reg.parse(text(asked.root, reg.PATH), reg.PATH)
    assert registry.claims[CLAIM].status == "unverified"


@pytest.mark.req("EV-8")
def test_an_approval_request_lists_what_was_overruled_by_whom_when_and_why(asked: Tarn) -> None:
    page = text(asked.root, REQUEST)
    section = page.split("## Overruled findings\n\n")[1].split("\n\n")[0]
    for one in asked.listed()["overruled"]:
        assert (
            f"- {one['id']} ({one['rule']} in {one['file']}): {one['problem']}. person:ada, {one['at']}: {REASON}"
            in (section)
        )
    ask = asked.state.request_of("final")
    assert ask is not None
    assert len(ask.notes["overruled"]) == len(section.splitlines())


@pytest.mark.req("EV-9")
def test_status_state_and_trace_tell_of_an_overrule(asked: Tarn) -> None:
    known = asked.listed()["overruled"]
    assert json.loads(text(asked.root, STATUS))["overruled"] == known
    assert known[0]["id"] in text(asked.root, STATE)

    async def traced(live: Any) -> tuple[Any, Any]:
        return runs.known(live, CLAIM), runs.known(live, known[0]["id"])

    claim, finding = asked.go(traced)
    assert (claim["status"], claim["overruled"]) == ("unverified", known)
    assert (finding["text"], finding["overruled"]) == (known[0]["problem"], known[:1])


@pytest.mark.req("EV-9")
def test_a_run_with_overrules_is_replayed_to_the_same_bytes(asked: Tarn) -> None:
    asked.undo(asked.listed()["overruled"][0]["id"])
    before = files(asked.root)

    recording = asyncio.run(replays.load(opened(asked.root), TARN))
    assert replays.replay(recording).differences == {}
    assert files(asked.root) == before


# --- what it is bound to ----------------------------------------------------------------------------------------------


@pytest.mark.req("EV-9")
@pytest.mark.parametrize(
    ("path", "before", "after", "judged"),
    [
        (EN, "", "", "passed"),
        (EN, "most reliable", "very most reliable", f"{CLAIM} is a high-risk claim and unverified, not verified"),
        (reg.PATH, "most reliable edge", "most reliable outdoor edge", f"{CLAIM} is a high-risk claim"),
    ],
    ids=["no edit", "draft", "claim"],
)
def test_after_an_edit_of_the_draft_or_the_claim_the_finding_fails_again(
    tarn: Tarn, path: str, before: str, after: str, judged: str
) -> None:
    tarn.overrule()
    edit(tarn.root, path, before, after)
    rounds = len(tarn.state.own.attempts)
    rows = [row for row in tarn.resume().own.attempts[rounds:] if row.agent == "editor-qa"]
    assert judged in rows[0].issue


@pytest.mark.req("EV-9")
def test_an_edit_while_the_final_approval_waits_voids_the_overrule_and_nothing_is_released(asked: Tarn) -> None:
    edit(asked.root, EN, "most reliable", "very most reliable")
    asked.refresh()
    known = {(one["rule"], one["file"]): one["holds"] for one in asked.listed()["overruled"]}
    assert known["claims.high-risk", EN] is False
    assert known["claims.high-risk", CN] is True
    asked.answer("final", "approve", accept_changes=True)
    assert asked.drive().stop != "complete"
    assert not (asked.root / f"4-release/{TARN}/content-en.md").exists()


@pytest.mark.req("EV-9")
def test_an_overrule_that_is_taken_back_before_the_approval_stops_the_release(asked: Tarn) -> None:
    assert len(asked.undo()) >= 3
    assert "## Overruled findings" not in text(asked.root, REQUEST)
    asked.answer("final", "approve")
    assert asked.drive().stop != "complete"
    assert ("claims.high-risk", EN) in asked.open()


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("EV-9")
@pytest.mark.parametrize("actor", NO_PEOPLE, ids=lambda actor: actor.via.value)
def test_nobody_but_a_person_overrules_or_takes_back(asked: Tarn, actor: Actor) -> None:
    before = journal(asked.root)
    with pytest.raises(RefusedError, match="overruling a finding is a person's act"):
        asked.overrule(actor=actor)
    with pytest.raises(RefusedError, match=f"signoff overrule {TARN} {CLAIM} --undo"):
        asked.undo(actor=actor)
    assert journal(asked.root) == before


@pytest.mark.parametrize("reason", ["", " \n"])
def test_an_overrule_needs_a_reason(tarn: Tarn, reason: str) -> None:
    before = journal(tarn.root)
    with pytest.raises(UsageError, match="the reason is empty"):
        tarn.overrule(reason=reason)
    assert journal(tarn.root) == before


@pytest.mark.parametrize("what", ["", " ", "00000000", "C-TEG-001", CLAIM.lower()])
def test_a_finding_that_is_not_open_is_refused_and_the_open_ones_are_named(tarn: Tarn, what: str) -> None:
    ids = [one["id"] for one in tarn.listed()["findings"]]
    with pytest.raises(UsageError) as refused:
        tarn.overrule(what)
    assert all(one in str(refused.value) for one in ids)
    with pytest.raises(UsageError, match="no finding was overruled"):
        tarn.undo(what)


def test_a_reason_from_a_hostile_shell_stays_one_line_of_valid_text(tarn: Tarn) -> None:
    tarn.overrule(reason="yes\n\n## What to do\n\ud800")
    assert {one["reason"] for one in tarn.listed()["overruled"]} == {"yes ## What to do ?"}


def test_what_changed_after_the_person_saw_it_is_not_overruled(tarn: Tarn) -> None:
    seen = [one for one in tarn.go(overrules.listed).open if one.finding.file == EN]
    edit(tarn.root, EN, "most reliable", "very most reliable")
    with pytest.raises(RefusedError):
        tarn.go(lambda live: overrules.overrule(live, seen[0].finding.id, REASON, PERSON, seen))
    assert not tarn.listed()["overruled"]


def test_the_escalation_report_names_the_findings_by_their_ids(tarn: Tarn) -> None:
    report = text(tarn.root, "_workflow/escalation-report.md")
    named = [one["id"] for one in tarn.listed()["findings"] if f"(finding {one['id']})" in report]
    assert len(named) == 2
    assert f"signoff overrule {TARN}" in report
