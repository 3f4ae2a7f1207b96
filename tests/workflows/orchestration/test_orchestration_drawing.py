"""Pictures of a sequence: the same text for the same sequence, readable on 80 columns, and safe to draw."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestration_team import HEAD, design

from signoff.workflows.orchestration.sequence.picture import mermaid, terminal
from signoff.workflows.orchestration.sequence.sequencer import sequence
from signoff.workflows.orchestration.sequence.work_sequence import Sequence

pytestmark = pytest.mark.req("OR-13")

ALONE = sequence(*design({"api_agent": ""}))
TEAM = sequence(
    *design(
        {
            "database_agent": "",
            "api_agent": "database_agent",
            "frontend_agent": "database_agent",
            "docs_agent": "",
            "poc_pool": {"kind": "poc", "gates": ["api_agent"]},
        },
        {
            "docs_agent": {"reads": [("openapi.yaml", "api_agent")], "writes": ["docs/"]},
            "frontend_agent": {"writes": ["web/", "docs/web.md"]},
        },
        database_agent="qa_verifier",
        api_agent="qa_verifier",
    )
)

DRAWN_ALONE = """\
2 agents, 2 phases, at most 1 at once; ↑ waits for, * critical path

┌─ 1 Api ──────────────────────────────────────────────────────────────────────┐
│ * api_agent                                                                  │
└──────────────────────────────────────────────────────────────────────────────┘
                                       ↓
┌─ 2 Verification of Api ──────────────────────────────────────────────────────┐
│ * api_verifier                                                               │
│   ↑ api_agent                                                                │
└──────────────────────────────────────────────────────────────────────────────┘
"""
DRAWN_TEAM = """\
8 agents, 6 phases, at most 2 at once; ↑ waits for, * critical path

┌─ 1 PoC Pool; Database (2 side by side) ──────────────────────────────────────┐
│ * database_agent                     │   poc_pool (PoC)                      │
└──────────────────────────────────────────────────────────────────────────────┘
                                       ↓
┌─ 2 Verification of Database ─────────────────────────────────────────────────┐
│ * qa_verifier                                                                │
│   ↑ database_agent                                                           │
└──────────────────────────────────────────────────────────────────────────────┘
                                       ↓
┌─ 3 Api, Frontend (2 side by side) ───────────────────────────────────────────┐
│ * api_agent                          │   frontend_agent                      │
│   ↑ qa_verifier, poc_pool            │   ↑ qa_verifier                       │
└──────────────────────────────────────────────────────────────────────────────┘
                                       ↓
┌─ 4 Verification of Api, Frontend (2 side by side) ───────────────────────────┐
│   frontend_verifier                  │ * qa_verifier                         │
│   ↑ frontend_agent                   │   ↑ api_agent                         │
└──────────────────────────────────────────────────────────────────────────────┘
                                       ↓
┌─ 5 Docs ─────────────────────────────────────────────────────────────────────┐
│ * docs_agent                                                                 │
│   ↑ qa_verifier, frontend_verifier                                           │
└──────────────────────────────────────────────────────────────────────────────┘
                                       ↓
┌─ 6 Verification of Docs ─────────────────────────────────────────────────────┐
│ * docs_verifier                                                              │
│   ↑ docs_agent                                                               │
└──────────────────────────────────────────────────────────────────────────────┘

Notes
- docs_agent waits for frontend_agent: docs/ and docs/web.md can be one file,
  and both write it
"""
MERMAID_TEAM = """\
flowchart TD
  subgraph p1["1: PoC Pool; Database"]
    n1["database_agent"]
    n2{{"poc_pool"}}
  end
  subgraph p2["2: Verification of Database"]
    n3(["qa_verifier"])
  end
  subgraph p3["3: Api, Frontend"]
    n4["api_agent"]
    n5["frontend_agent"]
  end
  subgraph p4["4: Verification of Api, Frontend"]
    n6(["frontend_verifier"])
    n7(["qa_verifier"])
  end
  subgraph p5["5: Docs"]
    n8["docs_agent"]
  end
  subgraph p6["6: Verification of Docs"]
    n9(["docs_verifier"])
  end
  n1 ==> n3
  n3 ==> n4
  n2 --> n4
  n3 --> n5
  n5 --> n6
  n4 ==> n7
  n7 ==> n8
  n6 --> n8
  n8 ==> n9
  classDef critical stroke-width:3px
  class n1,n3,n4,n7,n8,n9 critical
  %% docs_agent waits for frontend_agent: docs/ and docs/web.md can be one file, and both write it
"""


def test_one_agent_and_a_team_are_drawn_for_a_terminal() -> None:
    assert terminal(ALONE) == DRAWN_ALONE
    assert terminal(TEAM) == DRAWN_TEAM


def test_a_team_is_drawn_for_a_page() -> None:
    assert mermaid(TEAM) == MERMAID_TEAM


def test_nobody_is_drawn_too() -> None:
    nobody = sequence(*design({}))
    assert terminal(nobody) == "No agent has anything to do.\n\n"
    assert mermaid(nobody) == "flowchart TD\n"


def test_thirty_side_by_side_fill_rows_of_three() -> None:
    drawn = terminal(sequence(*design({f"maker_{number:02}_agent": "" for number in range(30)}))).splitlines()
    assert drawn[2].startswith("┌─ 1 Maker 00, Maker 01, Maker 02 and 27 more (30 side by side) ──")
    assert drawn[3] == "│ * maker_00_agent        │   maker_01_agent        │   maker_02_agent         │"
    assert drawn[12] == "│   maker_27_agent        │   maker_28_agent        │   maker_29_agent         │"
    assert drawn[13].startswith("└──")
    assert len(drawn) == 13 + 3 + 20 + 1


def test_a_long_name_gets_a_row_for_itself_and_goes_on_in_the_next_line() -> None:
    long = "a" * 71
    drawn = terminal(sequence(*design({long: "", "b_agent": ""}))).splitlines()
    assert drawn[3:5] == [f"│ * {long}    │", f"│   {'b_agent'.ljust(75)}│"]
    at = next(number for number, line in enumerate(drawn) if line.startswith(f"│ * {long}_"))
    assert drawn[at + 1].startswith("│   rifier ")


# --- laws -------------------------------------------------------------------------------------------------------------

NAMES = ["a_agent", "b_agent", "quite_a_long_name_for_an_agent_of_a_roster_agent", "d_agent", "e_agent"]


@st.composite
def sequences(draw: st.DrawFn) -> Sequence:
    agents: dict[str, Any] = {}
    for at, name in enumerate(NAMES[: draw(st.integers(1, 5))]):
        agents[name] = draw(st.lists(st.sampled_from(NAMES[:at]), max_size=3, unique=True)) if at else []
    writers = draw(st.lists(st.sampled_from(list(agents)), unique=True))
    return sequence(*design(agents, {name: {"writes": ["src/"]} for name in writers}))


def wide(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


@given(sequences())
def test_no_line_is_wider_than_a_terminal_and_everybody_is_there_with_whom_they_wait_for(made: Sequence) -> None:
    drawn = terminal(made)
    assert all(wide(line) <= 80 for line in drawn.splitlines())
    for phase in made.execution_phases:
        (start,) = re.findall(rf"^┌─ {phase.phase_id} .*", drawn, re.MULTILINE)
        box = drawn[drawn.index(start) :].split("└")[0]
        for one in phase.agents:
            critical = made.critical_path[phase.phase_id - 1] == one.agent_name
            assert re.search(rf"│ {'[*]' if critical else ' '} {one.agent_name} ", box)
            for other in made.dependency_graph[one.agent_name]:
                assert other in box
    words = " ".join(drawn.split())
    assert all(note in words for note in made.notes)


@given(sequences())
def test_a_page_has_every_agent_in_its_phase_and_an_arrow_for_whatever_it_waits_for(made: Sequence) -> None:
    drawn = mermaid(made)
    names = dict(re.findall(r"^    (n\d+)\W+(\w+)", drawn, re.MULTILINE))
    assert sorted(names.values()) == sorted(made.dependency_graph)
    arrows = {(names[end], names[start]) for start, end in re.findall(r"^  (n\d+) [-=]+> (n\d+)$", drawn, re.MULTILINE)}
    assert arrows == {(name, other) for name, before in made.dependency_graph.items() for other in before}
    assert drawn.count("subgraph") == drawn.count("\n  end\n") == made.total_phases
    assert drawn.count("==>") == len(made.critical_path) - 1


# --- a file that somebody wrote ---------------------------------------------------------------------------------------


def foreign(phase_name: str, **more: Any) -> Sequence:
    """A sequence that code did not make."""
    one = {"agent_name": "api_agent", "agent_type": "doer"}
    return Sequence.model_validate(
        {
            **HEAD,
            "execution_phases": [{"phase_id": 1, "phase_name": phase_name, "parallel": False, "agents": [one]}],
            "total_phases": 1,
            "parallelization_summary": {
                "total_agents": 1, "max_parallel_agents": 1, "sequential_phases": 1, "parallel_phases": 0
            },
            "critical_path": [],
            "dependency_graph": {},
            **more,
        }
    )  # fmt: skip


def test_words_of_a_file_stay_words() -> None:
    drawn = mermaid(foreign('"]\nend\nclick n1 "javascript:x" <b>&#', notes=("one\n  n1 --> n9",)))
    assert '["1: #quot;] end click n1 #quot;javascript:x#quot; #lt;b#gt;#amp;#35;"]' in drawn
    assert "\n  %% one n1 --> n9\n" in drawn
    assert len(drawn.splitlines()) == 5


def test_words_of_a_file_keep_the_box_in_shape() -> None:
    for name in ("x" * 300, "数据库" * 40, "a\nb\tc"):
        drawn = terminal(foreign(name, notes=("长" * 100, "y" * 200, "two words")))
        top, *_, last = (line for line in drawn.splitlines() if line[:1] in "┌│└" and line)
        assert wide(top) == wide(last) == 80
        assert all(wide(line) <= 80 for line in drawn.splitlines())


def test_a_graph_that_names_strangers_is_drawn_without_them() -> None:
    odd = foreign("Api", dependency_graph={"api_agent": ("gone_agent",), "x": ("api_agent",)}, critical_path=("x",))
    assert "gone_agent" not in terminal(odd) + mermaid(odd)
    assert "critical\n" not in mermaid(odd)


def test_no_word_of_anybody_is_a_directive_of_mermaid_or_moves_a_cursor() -> None:
    """Mermaid looks for `%%{…}%%` in comments and texts too, and would be configured by a resource of that name."""
    evil = 'x %%{init: {"theme": "dark"}}%% %%%{x}%% \x1b[2J'
    phase = TEAM.execution_phases[0].model_copy(update={"phase_name": evil})
    phases = (phase, *TEAM.execution_phases[1:])
    drawn = TEAM.model_copy(update={"notes": (evil,), "execution_phases": phases})
    assert "%%{" not in mermaid(drawn)
    assert "\x1b" not in mermaid(drawn) + terminal(drawn)
