"""The poc-recommendation: what the summary only assumes is tried; a failure that is known is borne, and said why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import places, risks
from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.domains import LOOK_BACK
from signoff.workflows.orchestration.players.layout import PATH
from signoff.workflows.orchestration.risks import Risk, is_grave

# What an assumption is about, and how such a thing is tried: pass, fail, evidence. `{what}` is where it is looked for.
_TRIALS: Final = (
    (
        "uniqueness",
        re.compile(r"\b(?:unique|twice|duplicates?|only once)\b", re.IGNORECASE),
        ("Counted over the whole of {what}, 0 values occur more than once when compared as the assumption says.",),
        ("Counted over the whole of {what}, 1 or more values occur more than once; each is listed with its places.",),
        ("the number of values, of different values, and the list of those that occur more than once",),
    ),
    (
        "speed",
        re.compile(r"\b(?:fast|slow|within|seconds?|ms|load|enough)\b", re.IGNORECASE),
        ("Measured 200 times on {what}, the 95th percentile is within the bound that the summary gives.",),
        ("Measured 200 times on {what}, the 95th percentile is above the bound that the summary gives.",),
        ("the measured times, the machine, and what was measured",),
    ),
    (
        "form",
        re.compile(r"\b(?:format|encod\w+|utf-8|fields?|columns?|dates?|consistent)\b", re.IGNORECASE),
        ("Read from the first to the last line, 0 lines of {what} are of another form.",),
        ("1 or more lines of {what} are of another form; each is listed with its number.",),
        ("the number of lines, and the list of those that are of another form",),
    ),
)
_ANY: Final = (
    "assumption",
    re.compile(""),
    ("Tried on {what} in the smallest way that could refute it, nothing speaks against the assumption.",),
    ("At least one case on {what} speaks against the assumption; it is listed with how to see it again.",),
    ("what was tried, on what, and the whole output",),
)


def _work(desk: Desk) -> Payload:
    found = risks.named(desk.every(f"{places.RISK}/consultations/", risks.parse_consultation))
    doers = [str(name) for name in desk.notes.get("doers") or ()] or list(desk.roster.of_kind("doer"))
    grave = {name: one for name, one in found.items() if is_grave(one[1])}
    tried = {name: one for name, one in grave.items() if _is_assumed(one[1])}
    asked = dict.fromkeys(squeeze(risk.assumption) for _, risk in tried.values())
    return {
        "pocs": [_poc(n, text, tried, doers, desk) for n, text in enumerate(asked, 1)],
        "borne": {name: _borne(*one) for name, one in grave.items() if name not in tried},
    }


def _is_assumed(risk: Risk) -> bool:
    """Whether nobody has looked yet; a failure that is asked about in a checklist is known."""
    return not risk.assumption.startswith("This does not happen here:")


def _poc(number: int, text: str, tried: Mapping[str, tuple[str, Risk]], doers: list[str], desk: Desk) -> dict[str, Any]:
    agents = dict.fromkeys(agent for agent, risk in tried.values() if squeeze(risk.assumption) == text)
    gates = [agent for agent in agents if agent in doers] or doers[:1]
    _, _, passes, fails, evidence = trial(text)
    what = where(text, gates[0], desk)
    return {
        "poc_id": f"poc_{number:03}",
        "agent": gates[0],
        "assumption": text,
        "pass": [one.format(what=what) for one in passes],
        "fail": [one.format(what=what) for one in fails],
        "evidence": [*evidence, "the command that was run, so that it can be run again"],
        "gates": gates,
    }


def trial(text: str) -> tuple[str, re.Pattern[str], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """How an assumption of this kind is tried; its first part is a word for it."""
    return next((one for one in _TRIALS if one[1].search(text)), _ANY)


def where(text: str, agent: str, desk: Desk) -> str:
    """On what an assumption is tried: the file that it or its neighbours name, else what the summary has of it."""
    domain = domains.of_agent(agent, desk.roster.agents[agent].agent_type if agent in desk.roster.agents else None)
    near = [one.text for one in desk.reading.of(domain.agent, "goal", "dependency", "constraint")]
    found = [path for one in (text, *near) for path in PATH.findall(one)]
    return f"`{found[0]}`" if found and domain not in LOOK_BACK else "a copy of what it speaks of"


def _borne(agent: str, risk: Risk) -> str:
    return (
        f"It is known, and asked about under {risk.checklist_item}: the practices against it go into the "
        "instructions of "
        f"{agent}, and its verifier looks for it. A trial would find out nothing."
    )


poc_recommendation = player(_work)
