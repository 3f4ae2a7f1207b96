"""Gleaning: an agent says what to look for, code looks outside, and the agent reads what was fetched.

`wanted.json` has the params of the gathers, `queries` and `urls`; `again: true` fetches the same pages a second time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from signoff.core.commands import Command, Finish, Gather, StartTurn, Write
from signoff.core.declarations import Agent, Assignment, Contract, Effects, Now, Tools
from signoff.core.errors import DocumentError
from signoff.core.events import Gathered, Started, TurnReturned
from signoff.core.findings import Finding
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import ByCode, Documents, Limits, Workflow
from signoff.evidence.sources.fetched_pages import parse_page

WANTED, FOUND, PAGES = "wanted.json", "found.json", "pages/"


def read_json(data: bytes, path: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise DocumentError([Finding(rule="json", problem=str(error), repair="write JSON", file=path)]) from error


def asked(state: State, look: Look) -> Mapping[str, Any]:
    ref = state.ref(WANTED)
    assert ref is not None
    return dict(look(ref, read_json))


def step(now: Now) -> Effects:
    """The own value has what was found so far."""
    own: dict[str, Any] = dict(now.state.own or {})
    wanted = asked(now.state, now.look)
    commands: tuple[Command, ...] = ()
    match now.event:
        case Started():
            commands = (_turn("plan", (WANTED,)),)
        case TurnReturned() if now.turn and now.turn.start.key == "plan":
            gather = Gather(key="search", queries=tuple(now.output["queries"]), params=wanted["params"])
            commands = (gather,)
        case Gathered() if now.gather and now.gather.key == "search":
            own["hits"] = {query: [hit.url for hit in hits] for query, hits in now.event.hits.items()}
            own["problems"] = dict(now.event.problems)
            found = dict.fromkeys(url for hits in own["hits"].values() for url in hits)
            commands = (_fetch("fetch", (*found, *wanted.get("urls", ())), wanted),)
        case Gathered() if now.gather and now.gather.key == "fetch" and wanted.get("again"):
            commands = (_fetch("again", now.gather.urls, wanted),)
        case Gathered():
            own["pages"] = {url: page.problem or page.path for url, page in now.event.pages.items()}
            read = sorted({page.path for page in now.event.pages.values() if not page.problem})
            commands = (_turn("read", tuple(read)),)
        case TurnReturned():
            text = json.dumps({**own, "read": now.output}, ensure_ascii=False, indent=1)
            commands = (Write(path=FOUND, text=f"{text}\n"), Finish(reason="complete"))
    return Effects(own, commands)


def _turn(key: str, reads: tuple[str, ...]) -> StartTurn:
    return StartTurn(key=key, agent="gleaner", contract="gleaner", task=key, reads=reads)


def _fetch(key: str, urls: tuple[str, ...], wanted: Mapping[str, Any]) -> Gather:
    return Gather(key=key, urls=urls, into=PAGES, params=wanted["params"])


def glean(assignment: Assignment, tools: Tools) -> str:
    start = assignment.start
    if start.task == "plan":
        return json.dumps({"queries": json.loads(tools.read(WANTED))["queries"]})
    pages = [parse_page(tools.read(ref.path), ref.path) for ref in start.pinned]
    return json.dumps({page.url: [page.title, page.text] for page in pages}, ensure_ascii=False)


WORKFLOW = Workflow(
    name="gleaning",
    about="Looks outside for what an agent wants to read.",
    package="signoff.workflows.gleaning",
    steps=step,
    agents=(Agent(name="gleaner", contract=Contract(name="gleaner", parse=read_json, schema=dict)),),
    documents=Documents(
        tracked=lambda _params: [WANTED, FOUND, PAGES],
        sources=("0-sources/",),
    ),
    limits=Limits(
        looks_outside=lambda state, look: asked(state, look)["params"] if asked(state, look)["queries"] else None,
    ),
    by_code=ByCode(
        players={"gleaner": glean},
    ),
)
