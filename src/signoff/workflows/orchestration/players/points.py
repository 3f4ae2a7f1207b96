"""The checkpoint-designer: a criterion for each action of a doer, what shows it, and what is done when it fails."""

from __future__ import annotations

from typing import Any

from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.layout import Layout, command
from signoff.workflows.orchestration.stack import Choices


def _work(desk: Desk) -> Payload:
    layout = Layout(desk.reading, desk.roster)
    doers = [name for name, member in desk.roster.agents.items() if member.kind == "doer"]
    return {"checkpoints": [_checkpoint(name, layout, desk.stack) for name in doers]}


def _checkpoint(name: str, layout: Layout, stack: Choices) -> dict[str, Any]:
    point = f"cp_{layout.stem(name)}"
    tests, handover = layout.test(name), layout.handover(name)
    shown = command(stack, tests)
    proof = f"a test in `{tests}` that fails without it, and its output" if tests else f"the place in `{handover.path}`"
    criteria = [
        {"id": f"{point}.{number}", "text": f"It is done and holds. {action}.", "evidence": proof}
        for number, action in enumerate(layout.roster.agents[name].plan_actions, 1)
    ]
    for one in criteria if shown else ():
        one["command"] = str(shown)
    last = {
        "id": f"{point}.{len(criteria) + 1}",
        "text": f"`{handover.path}` has {handover.description}, as they are in the files.",
        "evidence": "the file beside what it describes",
    }
    modes = [{"mode": mode, "remediation": act} for mode, act in layout.domain(name).failures]
    return {"id": point, "doer": name, "criteria": [*criteria, last], "failure_modes": modes}


checkpoint_designer = player(_work)
