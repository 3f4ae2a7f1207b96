"""Named edits of roster and contracts: what they do, what they refuse, and the laws that they keep (OR-14, OR-26)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import small_design as small
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.design.named_edits import (
    AddAgent,
    AddDependency,
    AddPoc,
    DropDependency,
    Edit,
    RemoveAgent,
    ReplaceAgent,
    Rescope,
)
from signoff.workflows.orchestration.design.plan_edits import Design, apply, difference
from signoff.workflows.orchestration.documents.agent_roster import Proposed, Roster
from signoff.workflows.orchestration.documents.contracts import FileContract, Read, Written
from signoff.workflows.orchestration.documents.risks import PocSpecs

LATER = small.CREATED + 1000
SPECS = PocSpecs(pocs=(small.poc(), small.poc(poc_id="poc_002", gates=["api_agent", "frontend_agent"])))


def proposed(*after: str, **fields: Any) -> Proposed:
    return Proposed(role="Keep answers for a while", dependencies=after, **fields)


def add(name: str = "cache_agent", *after: str, **fields: Any) -> AddAgent:
    contract = FileContract(writes=(Written(path=f"src/{name}/**"),))
    return AddAgent(edit="add_agent", name=name, agent=proposed(*after, **fields), contract=contract, reason="r")


def remove(name: str) -> RemoveAgent:
    return RemoveAgent(edit="remove_agent", name=name, reason="r")


def replace(name: str, by: str, *after: str, **fields: Any) -> ReplaceAgent:
    agent, contract = proposed(*after, **fields), FileContract(writes=(Written(path="src/other/**"),))
    return ReplaceAgent(edit="replace_agent", name=name, by=by, agent=agent, contract=contract, reason="r")


def depend(agent: str, on: str) -> AddDependency:
    return AddDependency(edit="add_dependency", agent=agent, on=on, reason="r")


def drop(agent: str, on: str) -> DropDependency:
    return DropDependency(edit="drop_dependency", agent=agent, on=on, reason="r")


def rescope(agent: str, actions: Sequence[str] = ("a", "b", "c"), sources: Sequence[str] = ("x", "y", "z")) -> Rescope:
    return Rescope(
        edit="rescope", agent=agent, role="Do less", plan_actions=tuple(actions), plan_action_sources=tuple(sources),
        reason="r",
    )  # fmt: skip


def poc(name: str = "load_poc", poc_id: str = "poc_002") -> AddPoc:
    return AddPoc(edit="add_poc", poc_id=poc_id, name=name, reason="r")


def done(*edits: Edit, design: Design | None = None) -> Design:
    roster, contracts = design or (small.roster(), small.contracts())
    return apply(roster, contracts, edits, SPECS, created=LATER)


def others(roster: Roster, *names: str) -> dict[str, Any]:
    return {name: member for name, member in roster.agents.items() if name not in names}


def read_of(*doers: str) -> FileContract:
    return FileContract(reads=tuple(Read(path=f"src/{doer}.py", **{"from": doer}) for doer in doers))


@pytest.mark.req("OR-26")
@pytest.mark.parametrize(
    ("named", "looks_at", "goes"),
    [
        ("api_verifier", ["api_agent"], True),
        ("api_verifier", [], True),
        ("second_look", ["api_agent"], True),
        ("second_look", ["api_agent", "frontend_agent"], False),
        ("api_verifier", ["api_agent", "frontend_agent"], False),
    ],
)
def test_a_doer_that_goes_takes_its_own_verifier_along_and_what_others_read_of_it(
    named: str, looks_at: list[str], goes: bool
) -> None:
    roster, contracts = small.roster(), small.contracts()
    who = roster.agents["api_agent"].model_copy(update={"kind": "verifier", "dependencies": ()})
    roster = roster.model_copy(update={"agents": {**roster.agents, named: who}})
    contracts = contracts.model_copy(update={"agents": {**contracts.agents, named: read_of(*looks_at)}})
    left, under = done(drop("frontend_agent", "api_agent"), remove("api_agent"), design=(roster, contracts))
    assert (named not in left.agents, named not in under.agents) == (goes, goes)
    assert "api_agent" not in left.agents
    assert not [read for one in under.agents.values() for read in one.reads if read.source == "api_agent"]


# --- what edits do ----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-14")
def test_a_poc_comes_in_as_an_agent_that_gates_what_its_spec_says_and_writes_its_evidence_only() -> None:
    roster, contracts = done(poc())
    member = roster.agents["load_poc"]
    assert (member.kind, member.poc_id, member.gates) == ("poc", "poc_002", ("api_agent", "frontend_agent"))
    assert (member.exists, member.template, member.dependencies) == (True, small.TEMPLATE, ())
    assert (member.agent_type, member.task_id) == (
        "database_agent",
        ids.task_id("load_poc_try_a_unique_index_on_email", LATER),
    )
    assert small.ASSUMPTION in member.role
    assert [one.path for one in contracts.agents["load_poc"].writes] == [f"{places.output('load_poc')}**"]
    assert others(roster, "load_poc") == small.roster().agents
    assert not roster.requires_user_action


def test_a_new_agent_is_there_when_one_of_its_type_is_and_missing_otherwise() -> None:
    roster, contracts = done(add("cache_agent", "api_agent"), add("second_api", agent_type="api_agent"))
    assert not done(remove("frontend_agent"), add("frontend_agent", "api_agent"))[0].missing_agents
    assert roster.agents["cache_agent"].dependencies == ("api_agent",)
    assert contracts.agents["cache_agent"].writes[0].path == "src/cache_agent/**"
    assert (roster.missing_agents, roster.requires_user_action) == (("cache_agent",), True)
    known = apply(small.roster(), small.contracts(), [add()], SPECS, created=LATER, exists=lambda _name, _agent: True)
    assert (known[0].missing_agents, known[0].requires_user_action) == ((), False)


def test_what_replaces_an_agent_takes_over_who_waits_for_it_reads_from_it_and_gates_it() -> None:
    roster, contracts = done(replace("database_agent", "store_agent"), replace("index_poc", "lock_poc", kind="poc"))
    assert next(iter(roster.agents)) == "store_agent"
    assert roster.agents["api_agent"].dependencies == ("store_agent",)
    assert (roster.agents["lock_poc"].gates, roster.agents["lock_poc"].poc_id) == (("store_agent",), "poc_001")
    (read,) = contracts.agents["api_agent"].reads
    assert (read.source, read.path) == ("store_agent", f"{places.output('store_agent')}schema.sql")
    assert contracts.agents["frontend_agent"] == small.contracts().agents["frontend_agent"]
    assert {"database_agent", "index_poc"}.isdisjoint({*roster.agents, *contracts.agents})


def test_an_agent_can_be_replaced_by_itself_with_another_contract() -> None:
    contracts = done(replace("frontend_agent", "frontend_agent", "api_agent"))[1]
    assert [one.path for one in contracts.agents["frontend_agent"].writes] == ["src/other/**"]


def test_an_agent_that_is_removed_is_gated_no_more() -> None:
    roster, contracts = done(poc(), remove("frontend_agent"))
    assert roster.agents["load_poc"].gates == ("api_agent",)
    assert "frontend_agent" not in {*roster.agents, *contracts.agents}


def test_a_task_that_is_another_one_has_another_id() -> None:
    member = done(rescope("api_agent"))[0].agents["api_agent"]
    assert (member.role, member.plan_actions, member.plan_action_sources) == (
        "Do less",
        ("a", "b", "c"),
        ("x", "y", "z"),
    )
    assert member.task_id == ids.task_id("api_do_less", LATER)
    assert member.dependencies == ("database_agent",)


def test_two_tasks_never_have_one_id() -> None:
    roster, _ = done(add("cache_agent"), add("cache"))
    assert len({roster.task_id, *(member.task_id for member in roster.agents.values())}) == len(roster.agents) + 1
    named = Proposed(role="用户")
    edit = AddAgent(edit="add_agent", name=small.TASK, agent=named, contract=FileContract(), reason="r")
    whole, _ = apply(small.roster(), small.contracts(), [edit], SPECS, created=small.CREATED)
    assert whole.agents[small.TASK].task_id != whole.task_id


def test_a_task_that_is_given_again_keeps_its_id() -> None:
    once = done(rescope("api_agent"))
    assert done(rescope("api_agent"), design=once) == once


def test_an_agent_that_names_itself_can_be_removed() -> None:
    loop = [depend("frontend_agent", "frontend_agent"), replace("index_poc", "index_poc", kind="poc")]
    roster, contracts = done(*loop)
    reading = contracts.agents["frontend_agent"].model_copy(update={"reads": (small.read("x.md", "frontend_agent"),)})
    own = contracts.model_copy(update={"agents": {**contracts.agents, "frontend_agent": reading}})
    assert "frontend_agent" not in done(remove("frontend_agent"), design=(roster, own))[0].agents


def test_edits_are_made_one_after_the_other() -> None:
    roster, _ = done(add(), depend("frontend_agent", "cache_agent"), drop("frontend_agent", "api_agent"))
    assert roster.agents["frontend_agent"].dependencies == ("cache_agent",)
    with pytest.raises(DocumentError, match="there is no agent cache_agent"):
        done(depend("frontend_agent", "cache_agent"), add())


# --- what edits refuse ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([add("api_agent")], [("edit.duplicate", "1")]),
        ([add("api_verifier")], [("edit.duplicate", "1")]),
        ([add(ids.ARCHIVAL)], [("edit.duplicate", "1")]),
        ([add(ids.TSA)], [("edit.duplicate", "1")]),
        ([add(), add()], [("edit.duplicate", "2")]),
        ([add("cache_agent", "apy_agent")], [("edit.dependency", "1")]),
        ([add("cache_agent", "cache_agent")], [("edit.dependency", "1")]),
        ([add(kind="poc")], [("edit.kind", "1")]),
        ([remove("apy_agent")], [("edit.unknown", "1")]),
        ([remove("api_agent")], [("edit.needed", "1")]),
        (
            [depend("frontend_agent", "api_verifier"), remove("api_agent")],
            [("edit.unknown", "1"), ("edit.needed", "2")],
        ),
        ([replace("api_agent", "x_agent"), remove("database_agent")], [("edit.needed", "2")]),
        ([replace("apy_agent", "x_agent")], [("edit.unknown", "1")]),
        ([replace("api_agent", "frontend_agent")], [("edit.duplicate", "1")]),
        ([replace("api_agent", "x_agent", "api_agent")], [("edit.dependency", "1")]),
        ([replace("api_agent", "x_agent", kind="verifier")], [("edit.kind", "1")]),
        ([depend("api_agent", "x_agent"), depend("x_agent", "y_agent")], [("edit.unknown", n) for n in "122"]),
        ([depend("api_agent", "database_agent")], [("edit.duplicate", "1")]),
        ([drop("api_agent", "frontend_agent")], [("edit.dependency", "1")]),
        ([drop("x_agent", "api_agent")], [("edit.unknown", "1")]),
        ([rescope("x_agent")], [("edit.unknown", "1")]),
        ([rescope("api_agent", sources=("x",))], [("edit.sources", "1")]),
        ([rescope("index_poc")], [("edit.kind", "1")]),
        ([poc(poc_id="poc_009")], [("edit.poc", "1")]),
        ([poc("index_poc")], [("edit.duplicate", "1")]),
        ([poc(poc_id="poc_001")], [("edit.duplicate", "1")]),
        ([poc(), poc("other_poc")], [("edit.duplicate", "2")]),
        ([remove("frontend_agent"), poc()], [("edit.gate", "2")]),
    ],
)
def test_an_edit_that_cannot_be_made_is_named_by_its_number(edits: list[Edit], expected: list[tuple[str, str]]) -> None:
    with pytest.raises(DocumentError) as refused:
        done(*edits)
    assert [(one.rule, one.about) for one in refused.value.findings] == expected
    assert all(one.repair and f"edit {one.about} (" in one.problem for one in refused.value.findings)


@pytest.mark.parametrize(
    ("edit", "problem", "repair"),
    [
        (remove("apy_agent"), "there is no agent apy_agent; valid: api_agent, database_agent, fro", "write api_agent"),
        (depend("api_agent", "zz"), "there is no agent zz; valid: ", "name a known one, or add it before"),
        (
            drop("database_agent", "x"),
            "does not depend on x; valid: none",
            "remove the edit",
        ),
        (drop("api_agent", "x"), "does not depend on x; valid: database_agent", "name one of its dependencies"),
    ],
)
def test_a_refusal_says_what_is_valid_and_how_to_mend_it(edit: Edit, problem: str, repair: str) -> None:
    with pytest.raises(DocumentError) as refused:
        done(edit)
    (finding,) = refused.value.findings
    assert problem in finding.problem
    assert repair in finding.repair


def test_where_nothing_is_specified_no_poc_is_valid() -> None:
    with pytest.raises(DocumentError, match="there is no PoC poc_002; valid: none"):
        apply(small.roster(), small.contracts(), [poc()], PocSpecs(), created=LATER)


def test_a_gated_agent_is_removed_after_the_poc_that_is_there_for_it_alone() -> None:
    alone = [drop("api_agent", "database_agent"), replace("api_agent", "api_agent")]
    with pytest.raises(DocumentError, match="index_poc gates only database_agent"):
        done(*alone, remove("database_agent"))
    roster, _ = done(*alone, remove("index_poc"), remove("database_agent"))
    assert set(roster.agents) == {"api_agent", "frontend_agent", "usability_verifier"}


# --- laws -------------------------------------------------------------------------------------------------------------

NAMES = ("a_agent", "b_agent", "c_agent", "d_agent", "e_agent")
texts = st.sampled_from(["One", "Another", "A third"])
paths = st.sampled_from(["src/**", "src/a.py", "docs/x.md"])
written = st.lists(st.builds(Written, path=paths), max_size=2).map(tuple)


@st.composite
def designs(draw: st.DrawFn, apart: tuple[str, ...] = ()) -> Design:
    """Sound rosters of any shape: everybody waits for and reads from those that are there, those apart from others."""
    names = [
        *apart,
        *draw(st.lists(st.sampled_from([name for name in NAMES if name not in apart]), unique=True, min_size=1)),
    ]

    def several(name: str) -> list[str]:
        met = [other for other in names if not {name, other} <= {*apart}]
        return draw(st.lists(st.sampled_from(met), unique=True, max_size=3))

    members = {
        name: small.doer("api_agent", draw(texts), *several(name)).model_copy(
            update={"exists": draw(st.booleans()), "task_id": ids.task_id(name, small.CREATED)}
        )
        for name in names
    }
    files = {
        name: FileContract(reads=tuple(small.read("x.md", other) for other in several(name)), writes=draw(written))
        for name in names
    }
    missing = draw(st.permutations([name for name in names if not members[name].exists]))
    told = {"missing_agents": tuple(missing), "requires_user_action": bool(missing)}
    roster = small.roster().model_copy(update={"agents": members, **told})
    return roster, small.contracts().model_copy(update={"agents": files})


@given(designs(), texts, written, st.data())
def test_adding_an_agent_and_removing_it_again_changes_nothing(
    design: Design, role: str, writes: tuple[Written, ...], data: st.DataObject
) -> None:
    after = data.draw(st.lists(st.sampled_from(sorted(design[0].agents)), unique=True))
    agent, contract = Proposed(role=role, dependencies=tuple(after)), FileContract(writes=writes)
    edit = AddAgent(edit="add_agent", name="new_agent", agent=agent, contract=contract, reason="r")
    assert done(edit, design=design) != design
    assert done(edit, remove("new_agent"), design=design) == design


@given(designs())
def test_placing_a_poc_and_removing_it_again_changes_nothing(design: Design) -> None:
    first = min(design[0].agents)
    specs = PocSpecs(pocs=(small.poc(gates=[first]),))
    assert apply(*design, [poc("new_poc", "poc_001"), remove("new_poc")], specs, created=LATER) == design


def edits_of(design: Design, name: str, other: str) -> st.SearchStrategy[Edit]:
    """Every edit of one agent; `other` is whom it may come to depend on."""
    new = f"new_{name}"
    return st.sampled_from(
        [add(new, other), remove(name), replace(name, new, other), depend(name, other), rescope(name)]
        + [drop(name, known) for known in design[0].agents[name].dependencies]
    )


@given(designs(apart=("a_agent", "b_agent")), st.data())
def test_edits_of_two_agents_that_have_nothing_to_do_with_each_other_can_be_made_in_any_order(
    design: Design, data: st.DataObject
) -> None:
    other = data.draw(st.sampled_from(sorted({*design[0].agents} - {"a_agent", "b_agent"})))
    pair = [data.draw(edits_of(design, name, other)) for name in ("a_agent", "b_agent")]
    assert outcome(pair, design) == outcome(pair[::-1], design)


def outcome(edits: Sequence[Edit], design: Design) -> Any:
    """The design after the edits, or what was refused."""
    try:
        return done(*edits, design=design)
    except DocumentError as error:
        return {one.rule for one in error.findings}


@given(designs(), st.data())
def test_an_edit_leaves_everybody_alone_whom_it_does_not_name_and_who_does_not_wait(
    design: Design, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(design[0].agents)))
    edit = data.draw(edits_of(design, name, data.draw(st.sampled_from(sorted(design[0].agents)))))
    try:
        roster, contracts = done(edit, design=design)
    except DocumentError:
        return
    for other, member in design[0].agents.items():
        if other != name and name not in member.dependencies:
            assert roster.agents[other] == member
    for other, contract in design[1].agents.items():
        if other != name and all(read.source != name for read in contract.reads):
            assert contracts.agents[other] == contract


# --- what a person sees -----------------------------------------------------------------------------------------------


def test_the_difference_says_what_came_what_went_and_what_is_another_one() -> None:
    before = small.roster(), small.contracts()
    after = done(
        poc(), rescope("api_agent"), drop("frontend_agent", "api_agent"), replace("frontend_agent", "ui_agent")
    )
    shown = difference(before, after)
    assert "+ agent load_poc" in shown
    assert '    gates: ["api_agent", "ui_agent"]' in shown
    assert "- agent frontend_agent" in shown
    assert "+ contract of ui_agent" in shown
    assert "    role: Serve users over HTTP -> Do less" in shown
    assert "    - plan_actions: Describe both in OpenAPI" in shown
    assert "    + plan_actions: a" in shown
    heads = [line for line in shown if not line.startswith(" ")]
    assert heads == [
        "~ agent api_agent",
        "- agent frontend_agent",
        "+ agent load_poc",
        "+ agent ui_agent",
        "- contract of frontend_agent",
        "+ contract of load_poc",
        "+ contract of ui_agent",
    ]
    assert difference(before, before) == ()


def test_the_difference_shows_what_was_not_there_before_and_what_is_there_no_more() -> None:
    before = small.roster(), small.contracts()
    first, last = done(depend("database_agent", "index_poc")), done(drop("api_agent", "database_agent"))
    assert difference(before, first) == ("~ agent database_agent", "    + dependencies: index_poc")
    more = done(depend("frontend_agent", "database_agent"))
    assert difference(before, more) == ("~ agent frontend_agent", "    + dependencies: database_agent")
    assert difference(more, before) == ("~ agent frontend_agent", "    - dependencies: database_agent")
    assert difference(before, last) == ("~ agent api_agent", "    - dependencies: database_agent")


def test_a_line_of_the_difference_is_one_line_whatever_was_said() -> None:
    before = small.roster(), small.contracts()
    edit = add("cache_agent", capabilities_required=("a\n+ agent forged",), template="b\n+ agent forged")
    after = done(edit, Rescope.model_validate(rescope("api_agent").model_dump() | {"role": "c\n- agent x"}))
    assert not [line for line in difference(before, after) if "\n" in line]


@given(designs(), designs())
def test_two_designs_differ_when_and_only_when_there_is_a_line(one: Design, other: Design) -> None:
    same = one[0].agents == other[0].agents and one[1].agents == other[1].agents
    assert (difference(one, other) == ()) == same
