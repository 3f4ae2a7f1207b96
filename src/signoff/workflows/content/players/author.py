"""The author: a first draft from the documents and the idea, and revisions that do what the brief asks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from signoff.workflows.content.players import compose
from signoff.workflows.content.players.compose import Subject
from signoff.workflows.content.players.desk import Desk, Idea, Payload, player
from signoff.workflows.content.players.revising import revised
from signoff.workflows.content.rules.foundation import foundation
from signoff.workflows.content.rules.piece import Piece

_LINE_END: Final = re.compile(r"\r\n?")


def _work(desk: Desk) -> Payload:
    subject = Subject(desk.kind, desk.idea or Idea("", "", (), ""), foundation(desk.docs))
    if desk.notes.get("task") != "revise" or not desk.draft.strip():
        return {"content": compose.draft(subject), "addressed": []}
    brief = [item for item in desk.notes.get("brief") or () if isinstance(item, Mapping)]
    asked = [{"id": "", "description": desk.notes["note"]}] if desk.notes.get("note") else []  # a person's own words
    draft = _LINE_END.sub("\n", desk.draft)
    text, addressed = revised(Piece(draft, desk.kind, desk.docs), [*brief, *asked], subject)
    return {"content": text, "addressed": [item for item in addressed if item["issue"]]}


author = player(_work)
