"""The commands that move a run, end to end, as a person or a script calls them."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shell_out import CALL, at_terminal, environment, signoff

RONDO, TARN = "rondo-speakerphone", "tarn-edge-gateway"
CN = f"3-drafts/{RONDO}/content-cn.md"


@pytest.fixture(scope="module")
def waiting_for_strategy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strategy")
    assert signoff("init", "--example", "hardware", cwd=folder).code == 0
    flags = ("--require-strategy-approval", "--require-final-approval")
    assert signoff("run", "solution-page", RONDO, *flags, cwd=folder).code == 3
    return folder


@pytest.fixture(scope="module")
def waiting_for_final(waiting_for_strategy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = _copy(waiting_for_strategy, tmp_path_factory.mktemp("final"))
    assert signoff("approve", RONDO, "--gate", "strategy", cwd=folder, person="Ada").code == 3
    return folder


@pytest.fixture(scope="module")
def escalated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("escalated")
    assert signoff("init", "--example", "escalating", cwd=folder).code == 0
    assert signoff("run", "solution-page", TARN, cwd=folder).code == 4
    return folder


def _copy(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to, dirs_exist_ok=True)
    return to


# --- run --------------------------------------------------------------------------------------------------------------


def test_a_run_in_a_pipe_says_one_line_per_thing_that_happened(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    ended = signoff("run", "solution-page", RONDO, cwd=tmp_path)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert "code that assembles a page from its sheet" in lines[0]
    assert "strategy: strategist starts 0001-strategist" in lines
    assert "strategy: strategist returned 0001-strategist" in lines
    assert "finished: complete" in lines
    assert f"  released: 4-release/{RONDO}/content-cn.md" in lines
    assert "\x1b" not in ended.out


def test_a_run_with_json_prints_one_document_and_nothing_else(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    ended = signoff("run", "solution-page", RONDO, "--json", cwd=tmp_path)
    assert ended.json["stop"] == "complete"
    assert ended.json["runtime"] == "code that assembles a page from its sheet"
    assert ended.err == ""


def test_a_run_that_has_begun_goes_on_and_refuses_flags_that_only_count_at_the_start(
    waiting_for_strategy: Path,
) -> None:
    same = ("--require-strategy-approval", "--require-final-approval")
    assert signoff("run", "solution-page", RONDO, *same, cwd=waiting_for_strategy).code == 3
    assert signoff("run", "solution-page", RONDO, cwd=waiting_for_strategy).code == 3


def test_a_flag_that_comes_too_late_is_an_error_that_says_where_to_set_it(escalated: Path) -> None:
    late = signoff("run", "solution-page", TARN, "--require-final-approval", cwd=escalated)
    assert late.code == 2
    assert "--require-final-approval only counts when a run begins" in late.err
    assert "_workflow/config.yaml" in late.err


def test_a_source_is_copied_into_the_project_first(tmp_path: Path) -> None:
    signoff("init", "project", "--example", "hardware", cwd=tmp_path)
    (tmp_path / "extra.md").write_text("# Extra\n")
    project = tmp_path / "project"
    assert signoff("run", "solution-page", RONDO, "--source", tmp_path / "extra.md", cwd=project).code == 0
    assert (project / "0-sources/extra.md").read_text() == "# Extra\n"


def test_an_escalated_run_exits_with_4_and_names_the_command_to_go_on(escalated: Path) -> None:
    ended = signoff("run", "solution-page", TARN, cwd=escalated)
    assert ended.code == 4
    assert f"$ signoff resume {TARN}" in ended.out
    assert not (escalated / "4-release").exists()


def test_a_used_up_budget_exits_with_5(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    config = tmp_path / "_workflow/config.yaml"
    config.write_text(config.read_text().replace("turns: 60", "turns: 2 "))
    ended = signoff("run", "solution-page", RONDO, cwd=tmp_path)
    assert ended.code == 5
    assert "budget" in ended.out


def test_planned_faults_are_refused_and_the_run_still_completes(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    ended = signoff("run", "solution-page", RONDO, "--faults", "strategist:off-schema@1", cwd=tmp_path)
    assert ended.code == 0
    assert "refused with" in ended.out
    assert "attempt 2" in ended.out


def test_ctrl_c_says_that_nothing_is_lost_and_resume_goes_on(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    first = tmp_path / "_workflow/turns/0001-strategist"
    first.mkdir(parents=True)
    lease = os.open(first, os.O_RDONLY)
    fcntl.flock(lease, fcntl.LOCK_EX)  # the run waits for its first turn, so the signal is never too late
    process = subprocess.Popen(
        [sys.executable, "-c", CALL, "run", "solution-page", RONDO],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if "begun with" in line:
            process.send_signal(signal.SIGINT)
            break
    _, said = process.communicate(timeout=300)
    os.close(lease)
    assert process.returncode == 130
    assert f"Nothing is lost: go on with `signoff resume {RONDO}`" in said
    assert "Traceback" not in said
    assert signoff("resume", RONDO, cwd=tmp_path).code == 0


# --- people -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-18")
@pytest.mark.parametrize("act", [("approve",), ("reject", "--reason", "no")])
def test_without_a_terminal_or_a_named_person_nobody_approves_or_rejects(
    waiting_for_strategy: Path, act: tuple[str, ...]
) -> None:
    before = (waiting_for_strategy / "_workflow/journal.jsonl").read_bytes()
    ended = signoff(act[0], RONDO, "--gate", "strategy", *act[1:], cwd=waiting_for_strategy)
    assert ended.code == 2
    assert "a person's act" in ended.err
    assert "SIGNOFF_PERSON" in ended.err
    assert (waiting_for_strategy / "_workflow/journal.jsonl").read_bytes() == before


@pytest.mark.req("SP-18")
def test_without_a_person_an_escalation_is_not_resumed(escalated: Path) -> None:
    ended = signoff("resume", TARN, cwd=escalated)
    assert ended.code == 2
    assert "a person's act" in ended.err


@pytest.mark.req("SP-18")
def test_at_a_terminal_a_person_approves_and_the_run_goes_on(waiting_for_strategy: Path, tmp_path: Path) -> None:
    folder = _copy(waiting_for_strategy, tmp_path)
    ended = at_terminal(["approve", RONDO, "--gate", "strategy"], folder, types="approve\n")
    assert ended.code == 3
    assert "person:" in ended.out
    assert "final" in signoff("inbox", "--json", cwd=folder).json["requests"][0]["key"]


@pytest.mark.req("SP-18")
def test_at_a_terminal_nothing_is_approved_until_the_word_is_typed(waiting_for_strategy: Path, tmp_path: Path) -> None:
    folder = _copy(waiting_for_strategy, tmp_path)
    ended = at_terminal(["approve", RONDO, "--gate", "strategy"], folder, types="yes\n")
    assert ended.code == 2
    assert "nothing was done" in ended.out
    assert signoff("inbox", "--json", cwd=folder).json["requests"][0]["key"] == "strategy"


@pytest.mark.req("SP-4")
def test_approving_shows_and_records_who_and_the_exact_bytes(waiting_for_strategy: Path, tmp_path: Path) -> None:
    folder = _copy(waiting_for_strategy, tmp_path)
    digests = json.loads(
        signoff("approve", RONDO, "--gate", "strategy", "--no-run", "--json", cwd=folder, person="Ada").out
    )
    assert digests["answered"]["by"] == "person:Ada"
    assert set(digests["answered"]["of"]) == {
        "1-planning/message-house.md", "1-planning/content-brief.md", "_shared/claims-registry.yaml",
    }  # fmt: skip
    state = (folder / "_workflow/state.yaml").read_text()
    assert "person:Ada" in state
    assert all(sha in state for sha in digests["answered"]["of"].values())


@pytest.mark.req("SP-4")
def test_what_changed_since_the_request_is_shown_and_refused_until_the_person_accepts_it(
    waiting_for_final: Path, tmp_path: Path
) -> None:
    folder = _copy(waiting_for_final, tmp_path)
    with (folder / CN).open("a") as file:
        file.write("\n")
    refused = signoff("approve", RONDO, "--gate", "final", cwd=folder, person="Ada")
    assert refused.code == 2
    assert f"{CN} changed after the request was written" in refused.err
    assert f"+++ {CN} (now)" in refused.out
    error = signoff("approve", RONDO, "--gate", "final", "--json", cwd=folder, person="Ada").json["error"]
    assert "(now)" in error["changes"]
    assert not (folder / "4-release").exists()
    assert signoff("approve", RONDO, "--gate", "final", "--accept-changes", cwd=folder, person="Ada").code == 0
    assert (folder / f"4-release/{RONDO}/content-cn.md").exists()


def test_a_person_who_edited_the_state_file_is_told_before_they_approve(
    waiting_for_strategy: Path, tmp_path: Path
) -> None:
    folder = _copy(waiting_for_strategy, tmp_path)
    state = folder / "_workflow/state.yaml"
    state.write_text(state.read_text().replace("phase: strategy", "phase: complete"))
    ended = signoff("approve", RONDO, "--gate", "strategy", "--no-run", cwd=folder, person="Ada")
    assert ended.code == 0
    assert "was edited by hand" in ended.err


@pytest.mark.req("SP-3")
def test_a_final_rejection_sends_the_named_language_back_with_the_reason(
    waiting_for_final: Path, tmp_path: Path
) -> None:
    folder = _copy(waiting_for_final, tmp_path)
    args = ("reject", RONDO, "--gate", "final", "--lang", "cn", "--reason", "Too dry.", "--json")
    ended = signoff(*args, cwd=folder, person="Ada")
    assert ended.code == 4, "the offline copywriter cannot do what the words ask, and says so instead of pretending"
    assert "the same bytes" in ended.json["blockers"][0]
    assert ended.json["rounds"] == {"en": 0, "cn": 1}
    briefs = [file.read_text() for file in (folder / "_workflow/turns").glob("*-copywriter/brief-1.md")]
    assert any("Too dry." in brief for brief in briefs)


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_rejection_needs_a_reason(waiting_for_final: Path, reason: str) -> None:
    ended = signoff("reject", RONDO, "--gate", "final", "--reason", reason, cwd=waiting_for_final, person="Ada")
    assert ended.code == 2
    assert "--reason is empty" in ended.err


def test_an_approval_that_nobody_waits_for_says_what_waits(waiting_for_final: Path) -> None:
    ended = signoff("approve", RONDO, "--gate", "strategy", cwd=waiting_for_final, person="Ada")
    assert ended.code == 2
    assert "final (approve or reject)" in ended.err


def test_no_run_records_the_answer_and_resume_needs_no_person_then(waiting_for_strategy: Path, tmp_path: Path) -> None:
    folder = _copy(waiting_for_strategy, tmp_path)
    assert signoff("approve", RONDO, "--gate", "strategy", "--no-run", cwd=folder, person="Ada").code == 0
    assert not (folder / "3-drafts").exists()
    assert signoff("resume", RONDO, cwd=folder).code == 3
    assert (folder / CN).exists()


def test_a_person_resumes_an_escalation_after_their_decision(escalated: Path, tmp_path: Path) -> None:
    folder = _copy(escalated, tmp_path)
    registry = folder / "_shared/claims-registry.yaml"
    before, _, after = registry.read_text().partition("most reliable edge gateway")
    registry.write_text(
        before + "most reliable edge gateway" + after.replace("status: unverified", "status: removed", 1)
    )
    ended = signoff("resume", TARN, cwd=folder, person="Ada")
    assert ended.code == 0, ended.out + ended.err
    assert "person:Ada: resume" in ended.out


# --- reading ----------------------------------------------------------------------------------------------------------


def test_trace_gives_the_way_of_a_claim_as_a_tree_and_as_json(waiting_for_final: Path) -> None:
    claim = signoff("trace", "C-RS-001", "--json", cwd=waiting_for_final).json
    assert claim["run"] == RONDO
    assert claim["status"] == "verified"
    tree = signoff("trace", "C-RS-001", "--run", RONDO, cwd=waiting_for_final).out
    for said in ("C-RS-001: ", "risk level: ", "evidence", "history", "used in", "approved in", "person:Ada"):
        assert said in tree
    unknown = signoff("trace", "C-RS-999", cwd=waiting_for_final)
    assert unknown.code == 2
    assert "knows no id" in unknown.err


def test_replay_says_equal_or_names_what_differs(waiting_for_final: Path, tmp_path: Path) -> None:
    folder = _copy(waiting_for_final, tmp_path)
    assert signoff("replay", RONDO, "--json", cwd=folder).json["equal"] is True
    state = folder / "_workflow/state.yaml"
    state.write_text(state.read_text().replace("final_approved: false", "final_approved: true"))
    ended = signoff("replay", RONDO, cwd=folder)
    assert ended.code == 1
    assert "_workflow/state.yaml differs from line" in ended.out


def test_status_and_inbox_work_over_a_folder_of_projects(
    waiting_for_final: Path, escalated: Path, tmp_path: Path
) -> None:
    _copy(waiting_for_final, tmp_path / "one")
    _copy(escalated, tmp_path / "deeper/two")
    runs = signoff("status", tmp_path, "--json", cwd=tmp_path).json["runs"]
    assert {run["run"]: run["stop"] for run in runs} == {RONDO: None, TARN: "escalated"}
    table = signoff("status", cwd=tmp_path).out.splitlines()
    assert table[0].split() == ["PROJECT", "RUN", "WORKFLOW", "PHASE", "ROUNDS", "STATE"]
    assert any("waits for a person: final" in line for line in table)
    inbox = signoff("inbox", "--json", cwd=tmp_path).json["requests"]
    assert {request["key"] for request in inbox} == {"final", "escalation"}
    answer = next(request["answers"][0] for request in inbox if request["key"] == "escalation")
    assert answer.startswith(f"signoff resume {TARN} --project ")
    assert len(signoff("status", RONDO, "--json", cwd=tmp_path / "one/0-sources").json["runs"]) == 1


def test_on_a_terminal_the_live_view_shows_round_step_and_spend(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    ended = at_terminal(["run", "solution-page", RONDO], tmp_path)
    assert ended.code == 0
    assert "\x1b[" in ended.out
    for said in ("Round 1 of 4", "elapsed", "spend", "code that assembles a"):
        assert said in ended.out


def test_a_folder_that_cannot_be_written_is_the_machines_matter(tmp_path: Path) -> None:
    signoff("init", "--example", "hardware", cwd=tmp_path)
    blocked = tmp_path / "_workflow/journal.jsonl"
    blocked.mkdir()
    ended = signoff("run", "solution-page", RONDO, cwd=tmp_path)
    assert ended.code == 74
    assert "Traceback" not in ended.err
    assert os.fspath(blocked) in ended.err
