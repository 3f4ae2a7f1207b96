"""Files that an agent wrote itself: taken with the output they came with, or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from kernel_kit import PAGE, Kit, sha, writer

from signoff.core.commands import Place, Reply, StartTurn, Write
from signoff.core.errors import DefinitionError

OUT = "out/a.txt"


def out(**changes: object) -> StartTurn:
    return writer(**{"writes": ("out/*", PAGE), "tools": ("write_file",), "runs": ("make *",), **changes})  # type: ignore[arg-type]


def test_the_files_of_an_accepted_turn_are_placed_and_known() -> None:
    kit = Kit()
    kit.begin(out())
    decision = kit.play(kit.returned(files={OUT: sha("made")}))
    assert decision.commands == (Place(path=OUT, sha256=sha("made"), expect=None),)
    assert decision.state.docs[OUT] == sha("made")


def test_a_file_is_placed_on_what_the_run_knew_there() -> None:
    kit = Kit()
    kit.begin(out(), docs={PAGE: "old"})
    decision = kit.play(kit.returned(files={PAGE: sha("new")}))
    assert decision.commands == (Place(path=PAGE, sha256=sha("new"), expect=sha("old")),)


def test_a_file_that_is_what_it_was_is_not_placed() -> None:
    kit = Kit()
    kit.begin(out(), docs={PAGE: "same"})
    assert kit.play(kit.returned(files={PAGE: sha("same")})).commands == ()


def test_what_the_workflow_writes_comes_after_what_the_agent_wrote() -> None:
    kit = Kit()
    kit.begin(out())
    decision = kit.play(kit.returned(files={OUT: sha("agent")}), Write(path=OUT, text="code"))
    assert decision.commands == (
        Place(path=OUT, sha256=sha("agent"), expect=None),
        Write(path=OUT, text="code", expect=sha("agent")),
    )
    assert decision.state.docs[OUT] == sha("code")


@pytest.mark.parametrize("path", ["elsewhere.txt", "out/../spec.md", "/etc/passwd", "_workflow/journal.jsonl"])
def test_a_file_outside_the_contract_refuses_the_whole_turn(path: str) -> None:
    kit = Kit()
    kit.begin(out(writes=("*.txt", "out/*") if path != "elsewhere.txt" else ("out/*",)))
    decision = kit.play(kit.returned(files={OUT: sha("good"), path: sha("bad")}))
    assert [finding.rule for finding in decision.refused] == ["output.contract"]
    assert [type(command) for command in decision.commands] == [StartTurn]
    assert not {OUT, path} & decision.state.docs.keys()


def test_nothing_of_a_turn_whose_output_is_refused_is_placed() -> None:
    kit = Kit()
    kit.begin(out())
    for attempt in (1, 2):
        decision = kit.play(kit.returned("no json", attempt=attempt, files={OUT: sha("made")}))
        assert not any(isinstance(command, Place) for command in decision.commands)
        assert OUT not in decision.state.docs


def test_nothing_of_a_turn_whose_inputs_changed_is_placed() -> None:
    kit = Kit()
    kit.begin(out())
    kit.play(kit.edited(spec="newer"))
    decision = kit.play(kit.returned(files={OUT: sha("made")}))
    assert [type(command) for command in decision.commands] == [StartTurn]
    assert OUT not in decision.state.docs


def test_a_workflow_that_places_files_itself_is_mistaken() -> None:
    kit = Kit()
    with pytest.raises(DefinitionError, match="places no files"):
        kit.begin(Place(path=OUT, sha256=sha("x")))


@pytest.mark.parametrize(
    ("tool", "changes", "illegal", "legal"),
    [
        ("write_file", {}, "write_file went beyond the contract of the turn", ("out/*", PAGE)),
        ("run_command", {}, "run_command went beyond the contract of the turn", ("make *",)),
        ("write_file", {"tools": ("look",)}, "write_file is not a tool here", ("look",)),
        ("run_command", {"runs": ()}, "run_command is not a tool here", ("write_file",)),
        ("read_input", {}, "read_input is not a tool here", ("write_file",)),
        ("read_input", {"tools": ("read_input",)}, "read_input is not a tool here", ("read_input",)),
    ],
)
def test_a_confined_tool_that_reaches_the_kernel_was_refused_and_never_reaches_the_workflow(
    tool: str, changes: dict[str, object], illegal: str, legal: tuple[str, ...]
) -> None:
    kit = Kit()
    kit.begin(out(**changes))
    decision = kit.play(kit.called(tool=tool))
    assert decision.commands == (Reply(turn="0001-writer", call_id="1", illegal=illegal, legal=legal),)
    assert (decision.applied, kit.seen) == (True, [])


@pytest.mark.parametrize(
    ("tool", "args", "named"),
    [
        ("write_file", {"path": "evil.txt"}, ": 'evil.txt'"),
        ("write_file", {"path": "a\nb"}, r": 'a\nb'"),
        ("write_file", {"path": "x" * 500}, f": '{'x' * 200}…'"),
        ("write_file", {"paths": ["a.txt", "b.txt"], "in all": 2}, ": 'a.txt', 'b.txt'"),
        ("write_file", {"paths": ["a.txt"], "in all": 7}, ": 'a.txt' and 6 more"),
        ("write_file", {"paths": ["a"] * 25}, ": " + "'a', " * 19 + "'a' and 5 more"),
        ("run_command", {"command": "rm -rf ."}, ": 'rm -rf .'"),
        ("write_file", {"path": None, "paths": "a", "in all": "many"}, ""),
        ("write_file", {}, ""),
    ],
)
def test_a_refused_call_names_what_it_was_refused_for(tool: str, args: dict[str, object], named: str) -> None:
    kit = Kit()
    kit.begin(out())
    [reply] = kit.play(kit.called(tool=tool, **args)).commands
    assert isinstance(reply, Reply)
    assert reply.illegal == f"{tool} went beyond the contract of the turn{named}"
