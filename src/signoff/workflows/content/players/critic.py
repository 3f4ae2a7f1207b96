"""The critic: judges a draft by the rules of the advisor that its brief names."""

from __future__ import annotations

from signoff.workflows.content.players.desk import Desk, Payload, player
from signoff.workflows.content.players.judging import judge


def _work(desk: Desk) -> Payload:
    advisor = desk.notes.get("advisor") or {}
    expertise = " ".join(str(advisor.get(name) or "") for name in ("name", "expertise"))
    return judge(str(advisor.get("id", "")), expertise, desk.draft, desk.docs, desk.kind)


critic = player(_work)
