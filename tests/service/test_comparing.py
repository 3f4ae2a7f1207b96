"""Two runs side by side: gates, findings, cost of their own and reused, documents."""

from __future__ import annotations

import asyncio
import shutil
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "clarify"))
from clarify_project import Case as Inquiry
from clarify_project import lay_out as lay_out_inquiry
from model_kit import GPT, lead, players
from model_kit import Paged as OnModels
from page_project import edit, lay_out
from recorded_runs import RONDO, Case, forked, gone_on, hardware, opened

from signoff.core.errors import RefusedError, UsageError
from signoff.service.recordings import comparison
from signoff.testing.stub import Stub
from signoff.workflows.solution_page.assembler import ASSEMBLER

EN = f"3-drafts/{RONDO}/content-en.md"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hardware(tmp_path_factory.mktemp("page") / "project")[0]


def compared(one: object, other: object, here: Path) -> comparison.Compared:
    async def doing() -> comparison.Compared:
        project = opened(here)
        return comparison.compare(
            await comparison.opened(str(one), project), await comparison.opened(str(other), project)
        )

    return asyncio.run(doing())


def sides(found: comparison.Compared) -> tuple[dict[str, Any], dict[str, Any]]:
    one, other = found.to_json()["runs"]
    return one, other


def test_a_fork_shows_what_it_spent_itself_and_what_it_reused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = OnModels(lay_out(tmp_path / "whole"))
    whole.begin()
    with Stub(players(whole.root)) as stub:
        lead(monkeypatch, stub)
        whole.on_models(GPT)
    made = forked(whole.root, RONDO, 4, tmp_path / "fork")
    with Stub(players(made.root)) as stub:
        lead(monkeypatch, stub)
        OnModels(made.root).on_models("openai-compatible:home-made")
    one, other = sides(compared(RONDO, made.root, whole.root))
    assert one["forked"] is None
    assert (one["own"]["attempts"], one["reused"]["attempts"]) == (5, 0)
    assert (other["own"]["turns"], other["reused"]["turns"]) == (
        {"copywriter": 1, "editor-qa": 1},
        {"strategist": 1, "copywriter": 1, "editor-qa": 1},
    )
    assert other["own"]["cost"] is None
    assert 0 < Decimal(other["reused"]["cost"]) < Decimal(one["own"]["cost"])
    assert one["own"]["tokens"] == whole.state.spend.tokens
    assert other["own"]["tokens"] + other["reused"]["tokens"] == OnModels(made.root).state.spend.tokens
    assert (one["worked"], other["worked"]) == ({GPT: 5}, {"openai-compatible:home-made": 2})


def test_outputs_that_a_fork_took_over_are_not_its_own_spend(tmp_path: Path) -> None:
    case = Inquiry(lay_out_inquiry(tmp_path / "project"))
    case.run()
    made = forked(case.root, case.name, 3, tmp_path / "fork")
    gone_on(made.root, case.name)
    _, other = sides(compared(case.name, made.root, case.root))
    assert other["reused"]["turns"] == {"dimension-researcher": 2}
    assert other["own"]["turns"] == {"dimension-researcher": 1, "consolidate-research": 1}


def test_gates_findings_refusals_and_documents_are_compared(page: Path, tmp_path: Path) -> None:
    made = forked(page, RONDO, 2, tmp_path / "fork")
    said: list[str] = []

    def worse(assignment: Any, tools: Any) -> str:
        raw = ASSEMBLER["copywriter"](assignment, tools)
        said.append(raw)
        if len(said) == 1:
            return "nothing: [usable"
        return raw.replace("## Next Steps", "## What Next") if assignment.start.key.endswith("en") else raw

    Case(made.root).drive({"copywriter": worse})
    found = compared(page, made.root, page)
    one, other = sides(found)
    assert one["stop"] == "complete"
    assert set(one["gates"].values()) == {"pass"}
    assert other["refused"] == {"yaml.syntax": 1}
    assert sum(other["findings"].values()) > sum(one["findings"].values())
    assert other["own"]["attempts"] == sum(other["own"]["turns"].values()) + 1
    assert found.documents["0-sources/brief.md"] == comparison.SAME
    assert other["summary"]["claims"]["used"] > 0
    different = {path for path, said in found.documents.items() if said != comparison.SAME}
    text = "\n".join(comparison.texts(found))
    assert all(path in text for path in different)


def test_an_edit_shows_as_a_different_document_with_its_text(page: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(page, tmp_path / "edited"))
    edit(root, EN, "\n## ", "\nA line of mine.\n\n## ")
    Case(root).refresh()
    found = compared(RONDO, root, page)
    assert [path for path, said in found.documents.items() if said != comparison.SAME] == [EN]
    assert "+A line of mine." in list(comparison.texts(found))


def test_two_runs_of_one_project_are_compared_by_the_role_of_their_documents(tmp_path: Path) -> None:
    root = lay_out_inquiry(tmp_path / "project")
    for name in ("lockers", "lockers-again"):
        Inquiry(root, name).run(topic="Parcel lockers")
    found = compared("lockers", f"{root}:lockers-again", root)
    assert set(found.documents.values()) == {comparison.SAME}
    assert "lockers/context/clarifications.md" in found.documents
    with pytest.raises(UsageError, match=r"holds 2 runs\. Valid: .*:lockers, "):
        compared("lockers", root, root)


def test_runs_of_different_workflows_are_not_compared(page: Path, tmp_path: Path) -> None:
    root = lay_out_inquiry(tmp_path / "project")
    Inquiry(root).run()
    with pytest.raises(RefusedError, match="is a run of solution-page, lockers one of clarify"):
        compared(RONDO, root, page)


@pytest.mark.parametrize("name", ["nobody", "no/such/folder", "nowhere:rondo"])
def test_a_run_that_there_is_not_is_said(page: Path, name: str) -> None:
    with pytest.raises(UsageError):
        compared(RONDO, name, page)


def test_a_run_that_has_not_ended_can_be_compared(page: Path, tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))
    case.begin()
    one, other = sides(compared(RONDO, case.root, page))
    assert (one["stop"], other["stop"], other["gates"]) == ("complete", None, {})
