"""The work on an approved design by models behind a stub, in both protocols."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "orchestration"))
from design_project import Case
from model_kit import CLAUDE, GPT, Patience, lead
from work_kit import approved, expect_worked, offered, to_model, worker

from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.testing.stub import Stub
from signoff.workflows.orchestration.workflow import WORKFLOW

pytestmark = pytest.mark.xdist_group("work on models")  # one process, so that the design is made once


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return approved(tmp_path_factory.mktemp("design") / "approved")


@pytest.mark.req("OR-18", "OR-20")
@pytest.mark.parametrize("name", [CLAUDE, GPT])
def test_a_design_is_carried_out_within_its_contract_and_verified_by_what_really_ran(
    name: str, design: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = design.copied(tmp_path / "work")
    model = worker(case, to_model)
    with Stub(model) as stub:
        lead(monkeypatch, stub)
        runtime = ModelRuntime(WORKFLOW, choice([name], WORKFLOW.agent_names, os.environ), Patience(tries=1))
        expect_worked(case, stub, model, runtime)
    work, review, verdict = model.order
    assert offered(stub, work) == offered(stub, review) == {"read_input", "write_file", "run_command", "final_result"}
    assert offered(stub, verdict) == {"read_input", "run_command", "final_result"}
