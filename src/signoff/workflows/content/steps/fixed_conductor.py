"""The fixed policy that conducts a piece if asked to: draft, ask all critics, decide, revise, ask again.

It knows nothing but what replies tell it, so it goes on from wherever a piece stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.artifacts import yamlio
from signoff.core.commands import Reply
from signoff.core.declarations import Assignment, Conversation, ToolCall, Tools
from signoff.workflows.content.steps.toolbox import CRITIQUE, DECIDE, DRAFT, LOAD, REVISE, SAVE, SUMMARIZE

ORDER = (SAVE, REVISE, SUMMARIZE, DECIDE, CRITIQUE, DRAFT)
"""What is done first, of what is legal: a decision as soon as it may be made, critics only while it may not."""

PATIENCE = 200


def orchestrator(assignment: Assignment, _tools: Tools) -> Conversation:
    """Conducts one piece by the policy until it is saved, or until a person must act."""
    now: Mapping[str, Any] = assignment.start.notes["now"]
    for _ in range(PATIENCE):
        tool = next((one for one in ORDER if one in now["legal"]), None)
        if tool is None or now.get("blocked"):
            break
        reply: Reply = yield ToolCall(tool, _args(tool, now))
        if reply.illegal:  # it was told another state: loading documents is always legal, and says where it stands
            reply = yield ToolCall(LOAD, {"docTypes": []})
            if reply.illegal or reply.result["now"] == now:
                break
        now = reply.result["now"]
    return yamlio.dump({"status": "waiting" if _unfinished(now) else "saved"})


def _unfinished(now: Mapping[str, Any]) -> bool:
    return bool(now["legal"])


def _args(tool: str, now: Mapping[str, Any]) -> dict[str, Any]:
    if tool == SAVE:
        return {"quality": now["quality"]}
    if tool == CRITIQUE and (wanted := _critics(now)):
        return {"advisorIds": wanted}
    return {}


def _critics(now: Mapping[str, Any]) -> list[str]:
    """Those that must be asked, and of the others those whose issues are open."""
    asked = {*now["mustRun"], *now["withOpenIssues"]}
    return [name for name in now["mayRun"] if name in asked]
