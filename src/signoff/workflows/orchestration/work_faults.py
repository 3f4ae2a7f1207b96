"""The ways in which the agents of the work misbehave on purpose: lies, guesses, strays, and turns without an end."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from signoff.core.errors import UsageError
from signoff.core.workflow import Assignment, Tools
from signoff.workflows.misbehaviour import Output, Spoil

NEVER_RAN: Final = "python -m pytest tests/never_ran.py -q"
STRAY: Final = "elsewhere/stray.txt"
QUESTION: Final = "Seeded fault: who reads what comes of this work in the end?"


def _noted(output: Output, status: str, category: str | None, said: str, **more: str) -> None:
    """One note more."""
    note: dict[str, Any] = {"description": said, "context": "a seeded fault", "status": status, **more}
    output["notes"] = [*output.get("notes", ()), {**note, "category": category} if category else note]


# --- doers ------------------------------------------------------------------------------------------------------------


def _slipshod(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Nothing that shows anything."""
    output["evidence"] = []


def _forged_evidence(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A command that nobody ran, for everything."""
    output["evidence"] = [{**one, "command": NEVER_RAN} for one in output.get("evidence", ())]


def _settles_security(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    said = "May callers be told which keys are known?"
    _noted(output, "resolved", "security", said, resolution="Yes, it is simpler.")


def _settles_words(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """In a category of its own, and about what the project keeps for others."""
    said = "The old password field is kept as it is."
    _noted(output, "resolved", "implementation", said, resolution="Nobody said otherwise.")


def _uncertain(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It settles something, and does not know what kind of thing that is."""
    _noted(output, "resolved", None, "Is this mine to settle?", resolution="Probably.")


def _strays(_output: Output, _assignment: Assignment, tools: Tools) -> None:
    """It writes outside of its contract: refused and recorded, whatever it says afterwards."""
    with suppress(UsageError):
        tools.write(STRAY, "a seeded fault\n")


def _runs_wild(_output: Output, _assignment: Assignment, tools: Tools) -> None:
    """It runs what nobody allowed."""
    with suppress(UsageError):
        tools.run("git push origin main")


def _endless(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It is never done."""
    output["status"] = "working"


def _too_early(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It wants to be verified without a review of its own."""
    output["status"] = "ready_for_verification"


def _open_notes(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It settles nothing, and says that it is ready."""
    kept = ("note_id", "description", "context", "category")
    output["notes"] = [
        {**{name: one[name] for name in kept if name in one}, "status": "open"} for one in output.get("notes", ())
    ]
    if not output["notes"]:
        _noted(output, "open", "implementation", "Seeded fault: nobody settles this.")
    output["status"] = "ready_for_verification"


def _loop(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It asks once more what it asked before."""
    _noted(output, "escalated", "requirement", QUESTION, escalation_reason="It is not mine to settle.")
    output["status"] = "blocked"


def _conflicted(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It sees two documents that contradict each other."""
    said = "The users table is kept in SQLite, in one file beside the service, and another document says otherwise."
    _noted(output, "escalated", "conflict", said, escalation_reason="Both cannot be followed.")
    output["status"] = "blocked"


def _unreasoned(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    _noted(output, "escalated", "technology", "Which version of it?")
    output["status"] = "blocked"


def _strange_note(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It takes up a note that is not its own."""
    _noted(output, "open", "bug", "Somebody else's", note_id="note_999")


# --- those who look at the work ---------------------------------------------------------------------------------------


def _lenient(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It has seen nothing wrong, whatever there was."""
    output["result"], output["missing_evidence"] = "pass", []
    output["criteria"] = [{**one, "met": True} for one in output["criteria"]]


def _strict(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It is not convinced, whatever there was."""
    output["result"], output["missing_evidence"] = "fail", ["seeded fault: it does not convince"]
    output["criteria"] = [{**one, "met": False} for one in output["criteria"]]


def _contradicts(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It passes what it says is not met."""
    output["result"], output["missing_evidence"] = "pass", []
    output["criteria"] = [{**one, "met": False} for one in output["criteria"]]


def _speechless(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It fails the work and does not say what is missing."""
    _strict(output, _assignment, _tools)
    output["missing_evidence"] = []


def _leaves_out(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It passes everything as left out by a person, whom nobody asked."""
    output["result"], output["missing_evidence"] = "pass", []
    output["criteria"] = [{**one, "met": False, "left_out": True} for one in output["criteria"]]


def _skips(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It says nothing of the first criterion, and something of one that nobody set."""
    output["criteria"] = [*output["criteria"][1:], {"id": "cp_nobody.1", "met": True, "evidence": "seeded fault"}]


def _assessed(result: str, output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """An assessment that is not what the evidence says."""
    output["assessment"] = result
    output["criteria"] = [{**one, "met": result == "pass"} for one in output["criteria"]]


def _decided(decision: str, output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["decision"], output["edits"] = decision, []


def _edits_nobody(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It would change an agent that is not there."""
    edit = {"edit": "remove_agent", "name": "somebody_agent", "reason": "a seeded fault"}
    output["edits"] = [edit]
    if "decision" in output:
        output["decision"] = "adapt"


# --- those who settle what is escalated -------------------------------------------------------------------------------


def _groundless(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Decisions that rest on words which stand nowhere."""
    _first(output, "rulings")["ground"] = "these words stand in no document"


def _unruled(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A question is left without a decision."""
    _first(output, "rulings")
    output["rulings"] = output["rulings"][1:]


def _first(output: Output, name: str) -> dict[str, Any]:
    if not output.get(name):
        raise UsageError(f"the output has no {name} to spoil", repair="nothing to do: a field is added instead")
    found: dict[str, Any] = output[name][0]
    return found


def _overlooks(output: Output, assignment: Assignment, _tools: Tools) -> None:
    """No answer breaks anything, whatever it says."""
    answers = assignment.start.notes.get("answers") or {}
    output["resolutions"] = {
        **output.get("resolutions", {}),
        **{note: str(said) for note, said in answers.items() if said},
    }
    output["conflicts"] = {}


def _quarrels(output: Output, assignment: Assignment, _tools: Tools) -> None:
    """Every answer breaks something."""
    asked = [*(assignment.start.notes.get("answers") or {}), *output.get("resolutions", {})]
    output["resolutions"] = {}
    output["conflicts"] = dict.fromkeys(asked, "seeded fault: it breaks the task of somebody_agent")


def _unasked(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It settles what nobody asked."""
    output["resolutions"] = {**output.get("resolutions", {}), "note_999": "Seeded fault: it is settled."}


def _no_way_out(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It says why, and nothing that would end it."""
    output["edits"], output["questions"] = [], []


SPOIL: Final[Mapping[str, Spoil]] = {
    "slipshod": _slipshod,
    "forged-evidence": _forged_evidence,
    "settles-security": _settles_security,
    "settles-words": _settles_words,
    "uncertain": _uncertain,
    "strays": _strays,
    "runs-wild": _runs_wild,
    "endless": _endless,
    "too-early": _too_early,
    "open-notes": _open_notes,
    "loop": _loop,
    "conflicted": _conflicted,
    "unreasoned": _unreasoned,
    "strange-note": _strange_note,
    "lenient": _lenient,
    "strict": _strict,
    "contradicts": _contradicts,
    "speechless": _speechless,
    "leaves-out": _leaves_out,
    "skips": _skips,
    **{f"assessed-{result}": partial(_assessed, result) for result in ("pass", "partial", "fail")},
    "presses-on": partial(_decided, "proceed"),
    "escalates": partial(_decided, "escalate"),
    "edits-nobody": _edits_nobody,
    "groundless": _groundless,
    "unruled": _unruled,
    "overlooks": _overlooks,
    "quarrels": _quarrels,
    "unasked": _unasked,
    "no-way-out": _no_way_out,
}
DOER: Final = (
    "slipshod", "forged-evidence", "settles-security", "settles-words", "uncertain", "strays", "runs-wild", "endless",
    "too-early", "open-notes", "loop", "conflicted", "unreasoned", "strange-note",
)  # fmt: skip
TACTICAL: Final = ("groundless", "unruled")
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "doer": DOER,
    "verifier": ("lenient", "strict", "contradicts", "speechless", "leaves-out", "skips"),
    "poc-evidence-reviewer": ("assessed-pass", "assessed-partial", "assessed-fail", "skips"),
    "poc-decision": ("presses-on", "escalates", "edits-nobody"),
    "escalation-resolution": ("overlooks", "quarrels", "unasked"),
    "loop-resolution": ("no-way-out", "edits-nobody"),
}
"""Which agent of the work can go wrong in which way."""
