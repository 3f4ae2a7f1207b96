"""What people edit, and when: their bytes win, an edit earns nothing, what rested on the old bytes is done again."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from page_project import (
    CN,
    CONFIG,
    EN,
    PERSON,
    REGISTRY,
    RONDO,
    TARN,
    Case,
    edit,
    files,
    journal,
    lay_out,
    on_the_way,
    opened,
    put,
    raws,
    text,
)  # fmt: skip

from signoff.artifacts import yamlio
from signoff.core.declarations import Probe
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import DocsChanged
from signoff.service import runs
from signoff.shell.run.briefs import crew
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Prober, Runner
from signoff.shell.runtimes.runtime import Offline
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.workflow import WORKFLOW

BOTH_GATES = "human_gates: {strategy_approval: true, final_approval: true}\n"
FINAL_GATE = "human_gates: {final_approval: true}\n"


def _made(factory: pytest.TempPathFactory, name: str, config: str = "", **params: object) -> Path:
    root = lay_out(factory.mktemp(name) / "page", config=config)
    Case(root).run(**params)
    return root


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Approved by a person, and complete."""
    root = _made(tmp_path_factory, "released", FINAL_GATE)
    Case(root).answer("final", "approve")
    assert Case(root).drive().stop == "complete"
    return root


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both drafts wait for a person."""
    return _made(tmp_path_factory, "waiting", FINAL_GATE)


@pytest.fixture
def done(released: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(released, tmp_path / "page")))


@pytest.fixture
def asked(waiting: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(waiting, tmp_path / "page")))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()
    return case


def claims(case: Case) -> dict[str, reg.Claim]:
    return dict(reg.parse(text(case.root, REGISTRY), REGISTRY).claims)


def first(case: Case, **wanted: str) -> reg.Claim:
    return next(c for c in claims(case).values() if all(getattr(c, name) == value for name, value in wanted.items()))


def set_claim(case: Case, claim_id: str, before: str, after: str) -> None:
    """Edits one claim's lines, as a person does."""
    whole = text(case.root, REGISTRY)
    start = whole.index(f"  {claim_id}:")
    assert before in whole[start:]
    put(case.root, REGISTRY, whole[:start] + whole[start:].replace(before, after, 1))


# --- claims -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-7", "SP-9")
def test_a_claim_set_to_verified_by_hand_goes_back_to_unverified(case: Case) -> None:
    case.play()
    claim = first(case, status="unverified")
    set_claim(case, claim.id, "status: unverified", "status: verified  # trust me")
    state = case.refresh()
    assert claims(case)[claim.id].status == "unverified"
    assert "# trust me" in text(case.root, REGISTRY), "only the value is written"
    assert claim.id not in state.own.verified


@pytest.mark.req("SP-7")
def test_a_risk_that_a_person_lowered_stays_lowered_to_the_end(case: Case) -> None:
    case.play()
    claim = first(case, risk_level="high", status="unverified")
    set_claim(case, claim.id, "risk_level: high", "risk_level: low")
    assert case.drive().stop == "complete"
    assert claims(case)[claim.id].risk_level == "low"


@pytest.mark.req("SP-7")
def test_a_claim_that_a_person_removes_leaves_both_drafts(case: Case) -> None:
    case.play(3)
    claim = first(case, status="verified", risk_level="medium")
    set_claim(case, claim.id, "status: verified", "status: removed")
    assert case.drive().stop in ("complete", "escalated")
    assert claims(case)[claim.id].status == "removed"
    for lang in ("en", "cn"):
        released = case.root / f"4-release/{RONDO}/content-{lang}.md"
        assert not released.exists() or claim.text not in released.read_text("utf-8")


@pytest.mark.req("SP-7")
def test_a_removed_claim_stays_removed_when_the_strategy_is_made_again(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", config=BOTH_GATES))
    case.run()
    claim = first(case, status="unverified")
    set_claim(case, claim.id, "status: unverified", "status: removed")
    case.answer("strategy", "reject", reason="leave that out")
    case.drive()
    assert claims(case)[claim.id].status == "removed"


@pytest.mark.req("SP-9")
def test_a_source_that_changes_after_verification_makes_its_claims_unverified_and_no_others(asked: Case) -> None:
    before = claims(asked)
    source = "0-sources/specs/service-terms.md"
    put(asked.root, source, text(asked.root, source) + "\nAn afterthought.\n")
    asked.refresh()
    after = claims(asked)
    rest = {one for one in before if any(getattr(locator, "path", "") == source for locator in before[one].evidence)}
    assert rest
    for one, claim in before.items():
        if claim.status == "verified":
            assert after[one].status == ("unverified" if one in rest else "verified"), one


@pytest.mark.req("SP-9")
def test_evidence_that_is_removed_keeps_the_page_from_being_released(asked: Case) -> None:
    put(asked.root, "0-sources/specs/rondo.yaml", "nothing: here\n")
    asked.answer("final", "approve", accept_changes=True)
    state = asked.drive()
    assert state.stop == "escalated"
    assert state.own.final_approved == "false"
    assert not (asked.root / "4-release").exists()


# --- drafts -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-2")
def test_a_draft_edited_while_its_turn_is_out_is_not_written_over_and_costs_no_iteration(case: Case) -> None:
    case.play(2)
    mine = text(case.root, EN)
    root = Path(case.root)
    other = Case(lay_out(root.parent / "other"))
    other.begin()
    other.play()
    state = other.drive(on_the_way("copywriter", lambda: put(other.root, EN, mine + "\n<!-- mine -->\n")))
    assert text(other.root, EN).endswith("<!-- mine -->\n")
    assert state.stop == "complete"
    assert state.own.counts == {"en": 0, "cn": 0}


@pytest.mark.req("SP-2")
def test_a_draft_edited_while_it_is_reviewed_is_reviewed_as_it_is_now(case: Case) -> None:
    case.play(2)
    state = case.drive(on_the_way("editor-qa", lambda: edit(case.root, EN, "# ", "#  ")))
    assert (state.stop, state.own.counts) == ("complete", {"en": 0, "cn": 0})
    assert text(case.root, EN).startswith("#  ")
    assert len(raws(case.root)) == 6, "one review was for nothing, and nothing else was"


@pytest.mark.req("SP-2")
def test_an_english_draft_edited_while_chinese_is_written_is_reviewed_first(case: Case) -> None:
    case.play(3)
    assert case.state.own.step == "draft_cn"
    edit(case.root, EN, "# ", "#  ")
    assert case.refresh().own.step == "review_en"
    state = case.drive()
    assert (state.stop, state.own.counts) == ("complete", {"en": 0, "cn": 0})


@pytest.mark.req("SP-2")
def test_a_bad_edit_of_a_draft_is_found_by_the_gates_and_never_released(case: Case) -> None:
    case.play(3)
    put(case.root, EN, "# Only a title\n\nThe world's best speaker with 9000 W.\n")
    state = case.drive()
    released = case.root / f"4-release/{RONDO}/content-en.md"
    assert state.own.counts["en"] >= 1 or state.stop == "escalated"
    assert not released.exists() or "9000" not in released.read_text("utf-8")


@pytest.mark.parametrize("path", [EN, CN, REGISTRY])
@pytest.mark.parametrize("turns", [1, 2, 3, 4])
def test_a_file_removed_at_any_step_is_made_again_or_asked_for_by_name(tmp_path: Path, path: str, turns: int) -> None:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()
    case.play(turns)
    if not (case.root / path).exists():
        put(case.root, path, "claims: {}\n" if path == REGISTRY else "# Mine\n")
        case.refresh()
    good = (case.root / path).read_bytes()
    (case.root / path).unlink()
    state = case.drive()
    if state.stop == "escalated":
        assert any(path in blocker for blocker in state.own.blockers), state.own.blockers
        assert path in text(case.root, "_workflow/escalation-report.md")
        put(case.root, path, good)
        case.answer("escalation", "resume")
        state = case.drive()
    assert state.stop in ("complete", "escalated")


@pytest.mark.req("SP-4")
@pytest.mark.parametrize("accept", [False, True])
def test_a_draft_that_was_removed_cannot_be_approved_and_a_rejection_has_it_written_again(
    asked: Case, accept: bool
) -> None:
    (asked.root / CN).unlink()
    with pytest.raises(RefusedError, match=r"content-cn.md was removed. Repair: put it back, or reject"):
        asked.answer("final", "approve", accept_changes=accept)
    asked.answer("final", "reject", lang="cn", reason="where is it?")
    state = asked.drive()
    assert state.own.counts["cn"] == 1
    assert list(state.requests) == ["final-2"], "a new draft needs a new approval"
    assert not (asked.root / "4-release").exists()


# --- approvals --------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-4")
@pytest.mark.parametrize("path", [EN, CN])
def test_an_approval_of_bytes_that_changed_is_refused_with_the_change_until_it_is_accepted(
    asked: Case, path: str
) -> None:
    edit(asked.root, path, "# ", "#  ")
    asked.refresh()
    before = journal(asked.root)
    with pytest.raises(RefusedError, match=f"{path} changed after the request was written.*Repair: look at the change"):
        asked.answer("final", "approve")
    assert journal(asked.root) == before

    async def shown(live: LiveRun) -> str:
        return runs.changes(live, live.state.requests["final-1"])

    diff = asked.go(shown)
    assert f"--- {path} (as asked)" in diff
    assert "\n+#  " in diff
    state = asked.answer("final", "approve", accept_changes=True)
    yes = state.own.approvals[-1]
    assert (yes.gate, yes.by, yes.digests[path]) == ("final", PERSON.by, files(asked.root)[path])


@pytest.mark.req("SP-4")
def test_an_approval_that_was_accepted_keeps_a_copy_of_every_byte_that_was_approved(done: Case) -> None:
    yes = done.state.own.approvals[-1]
    kept = {file.stem for file in (done.root / "_workflow/objects").iterdir()}
    assert set(yes.digests.values()) <= kept


@pytest.mark.req("SP-2", "SP-4")
@pytest.mark.parametrize(("path", "again"), [(EN, "review_en"), (CN, "review_cn"), ("0-sources/brief.md", "strategy")])
def test_an_edit_after_completion_voids_the_approval_and_waits_for_the_person(
    done: Case, path: str, again: str
) -> None:
    released = text(done.root, f"4-release/{RONDO}/content-en.md")
    put(done.root, path, text(done.root, path) + "\n")
    state = done.drive()
    assert state.own.final_approved == "false"
    assert [ask.key for ask in state.requests.values()] == ["stale"]
    assert "stale: true" in text(done.root, "_workflow/state.yaml")
    if path in (EN, CN):
        assert "holds: false" in text(done.root, "_workflow/state.yaml")
    assert text(done.root, f"4-release/{RONDO}/content-en.md") == released, "nothing moves before the person says so"
    assert done.answer("stale", "resume").own.step == again
    state = done.drive()
    assert [ask.key for ask in state.requests.values()] == ["final"], "it is approved again"
    done.answer("final", "approve")
    assert done.drive().stop == "complete"


def test_undoing_every_edit_is_recorded_and_harmless(case: Case) -> None:
    case.play(2)
    good, before = text(case.root, EN), case.state
    put(case.root, EN, good + "x")
    case.refresh()
    put(case.root, EN, good)
    state = case.refresh()
    assert state.docs == before.docs
    assert sum(isinstance(event, DocsChanged) for event in case.go(_events)) == 2
    assert case.drive().stop == "complete"


async def _events(live: LiveRun) -> list[object]:
    return list(live.events)


def test_a_config_edited_on_the_way_counts_from_the_next_step_on(case: Case) -> None:
    case.play(2)
    put(case.root, CONFIG, FINAL_GATE)
    assert list(case.drive().requests) == ["final-1"]


def test_a_template_that_is_not_there_is_named_and_mending_the_config_goes_on(case: Case) -> None:
    case.play()
    put(case.root, CONFIG, "template: ../../etc/passwd\n")
    before = raws(case.root)
    with pytest.raises(UsageError, match="passwd"):
        case.drive()
    assert len(raws(case.root)) <= len(before) + 1
    put(case.root, CONFIG, "page_type: hardware\n")
    assert case.drive().stop == "complete"


@pytest.fixture(scope="module")
def escalated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay_out(tmp_path_factory.mktemp("escalated") / "page", TARN)
    assert Case(root, TARN).run().stop == "escalated"
    return root


WEAKER = {
    "text": "An edge gateway for outdoor cabinets",
    "text_cn": "面向户外机柜的边缘网关",
    "status": "downgraded",
    "risk_level": "low",
    "category": "descriptive",
    "evidence": [{"path": "0-sources/brief.md", "line": 1}],
}


@pytest.mark.req("SP-5", "SP-7")
@pytest.mark.parametrize("decision", [{"status": "removed"}, WEAKER])
def test_a_person_who_removes_or_downgrades_the_claim_of_an_escalation_gets_the_page_without_it(
    escalated: Path, tmp_path: Path, decision: dict[str, object]
) -> None:
    case = Case(Path(shutil.copytree(escalated, tmp_path / "page")), TARN)
    (claim,) = [one for one in claims(case).values() if "most reliable" in one.text]
    changes = {("claims", claim.id, name): value for name, value in decision.items()}
    put(case.root, REGISTRY, yamlio.edit(text(case.root, REGISTRY), changes))
    case.answer("escalation", "resume")
    state = case.drive()
    assert state.stop == "complete", state.own.blockers
    assert claims(case)[claim.id].status == decision["status"]
    assert "most reliable" not in text(case.root, f"4-release/{TARN}/content-en.md")
    assert "最可靠" not in text(case.root, f"4-release/{TARN}/content-cn.md")


# --- checks that take time --------------------------------------------------------------------------------------------


def test_a_source_edited_while_links_are_probed_does_not_end_the_run(tmp_path: Path) -> None:
    """The old bytes of a source are gone; a check that was out on them is asked for anew, not looked up in vain."""
    case = Case(lay_out(tmp_path / "page", config="link_check_mode: http\n"))
    case.begin()
    case.play()
    (case.root / "0-sources/web/meeting-room-survey.md").unlink()  # so that the address itself must be asked
    source = "0-sources/specs/rondo.yaml"

    async def dying(_urls: list[str], _params: object) -> dict[str, Probe]:
        put(case.root, source, text(case.root, source) + "# checked\n")
        raise RuntimeError("the process ended")

    async def prober(urls: list[str], _params: object) -> dict[str, Probe]:
        return {url: Probe(url=url, status=200) for url in urls}

    async def drive(probing: Prober) -> str | None:
        live = await opened(case.root).open(RONDO)
        return (await Runner(live, Offline(WORKFLOW.by_code.players), crew(WORKFLOW, live.store), probing).drive()).stop

    with pytest.raises(RuntimeError, match="the process ended"):
        asyncio.run(drive(dying))
    assert any(source in check.of for check in case.state.checks.values()), "a check is out on the old bytes"
    assert asyncio.run(drive(prober)) in ("complete", "escalated")
