"""Scripted agents of an article: on the small article each gives what its contract asks for, and judges nothing.

They follow what their turn says: the topic, what the person told, the rounds, the thesis, the length, what may not be
used again, and the sections of the outline.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import small_article as small

from signoff.core.declarations import Assignment, RolePlayer, Tools

Notes = Mapping[str, Any]
Output = dict[str, Any]
TOLD = {
    "topic": "topic", "type": "articleType", "length": "articleLength", "audience": "audienceFramework",
    "language": "language",
}  # fmt: skip
"""What a turn tells of the article, and the field that says it."""
BESIDES = 70
"""Words of the small draft beside its padding."""


def configured(notes: Notes) -> Output:
    told = {field: notes[name] for name, field in TOLD.items()}
    author = {name: notes[name] for name in ("role", "bias") if name in notes}
    return {"config": small.merged(small.IDENTITY, told, {"authorPersona": author})}


def asked(notes: Notes) -> Output:
    return {"queries": [{"round": name, "query": f"oil {name}"} for name in notes["rounds"]]}


def surveyed(notes: Notes) -> Output:
    return _researched(small.PHASE_1, () if notes["wants_theses"] else ("recommendedTheses",))


def mined(notes: Notes) -> Output:
    name = notes["round"]
    return {"round": name, "items": [table[name] for table in (small.ROUNDS, small.MORE) if name in table]}


def weighed(notes: Notes) -> Output:
    thesis = notes["thesis"]
    if not thesis:
        return _researched(small.PHASE_2, ("thesisValidation",))
    found = {"originalThesis": thesis, "validatedThesis": thesis, "adjustment": "keep"}
    return _researched(small.PHASE_2, (), thesisValidation=found)


def planned(notes: Notes) -> Output:
    shape = small.SHAPE["workflowState"]["writing"]["outline"]
    end = _free(("next-step", "verdict"), notes["avoid"]["conclusions"])
    return {
        "documents": {notes["path"]["outline"]: small.OUTLINE},
        "config": {"workflowState": {"writing": {"outline": {**shape, "conclusionType": end}}}},
    }


def drafted(notes: Notes, outline: str) -> Output:
    titles = re.findall(r"^## (.+)$", outline, re.MULTILINE)
    hook = {"type": _free(("problem", "question"), notes["avoid"]["hooks"]), "content": small.PHRASES[0]}
    made = {"workflowState": {"writing": {"decisions": {"hookUsed": hook}}}}
    text = small.draft(notes["budget"]["least"] - BESIDES, titles)
    return {"documents": {notes["path"]["draft"]: text}, "config": small.merged(small.WRITING, made)}


def proofread(notes: Notes) -> Output:
    return {"lens": notes["lens"], "issues": []}


def _researched(found: Mapping[str, Any], without: Sequence[str], **fields: Any) -> Output:
    research = {**found["workflowState"]["research"], **fields}
    return {"config": {"workflowState": {"research": {k: v for k, v in research.items() if k not in without}}}}


def _free(types: Sequence[str], used: Sequence[str]) -> str:
    return next(name for name in types if name not in used)


SAYS: Mapping[str, Callable[[Notes], Output]] = {
    "config": configured, "queries": asked, "phase-1": surveyed, "materials": mined, "phase-2": weighed,
    "outline": planned, "proof": proofread,
}  # fmt: skip
"""What is said under each contract but that of the draft, which is written by an outline."""


def play(assignment: Assignment, tools: Tools) -> str:
    start = assignment.start
    if start.contract == "draft":
        plan = tools.read(start.notes["path"]["outline"]).decode()
        return json.dumps({"agent": start.agent, **drafted(start.notes, plan)}, ensure_ascii=False)
    return json.dumps({"agent": start.agent, **SAYS[start.contract](start.notes)}, ensure_ascii=False)


AGENTS: Mapping[str, RolePlayer] = dict.fromkeys(
    ("config-creator", "web-researcher", "outline-writer", "proofreader"), play
)


def but(contract: str, spoil: Callable[[Output], None]) -> Mapping[str, RolePlayer]:
    """The agents, one of whom gives something else under one contract."""

    def playing(assignment: Assignment, tools: Tools) -> str:
        said = str(play(assignment, tools))
        if assignment.start.contract != contract:
            return said
        output = json.loads(said)
        spoil(output)
        return json.dumps(output, ensure_ascii=False)

    return dict.fromkeys(AGENTS, playing)
