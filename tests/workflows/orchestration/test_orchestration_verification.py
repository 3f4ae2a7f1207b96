"""The checklist of a design (OR-15): the sound one passes, each damage is found by the checks that it concerns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
import small_design as small
from hypothesis import given, settings
from hypothesis import strategies as st
from small_design import Small

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.checks import design_files
from signoff.workflows.orchestration.checks.design_checklist import CHECKS, verified
from signoff.workflows.orchestration.checks.design_files import DesignFiles
from signoff.workflows.orchestration.documents import design_verification
from signoff.workflows.orchestration.documents.agent_roster import Member
from signoff.workflows.orchestration.documents.architecture_decisions import evolved
from signoff.workflows.orchestration.documents.contracts import Criterion, FileContract, Read, Written
from signoff.workflows.orchestration.documents.design_verification import Verification, design_paths, digest
from signoff.workflows.orchestration.documents.risks import PocSpecs
from signoff.workflows.orchestration.outputs import ReadingOutput, Seen

Values = Callable[[Small], Small]
Texts = Callable[[dict[str, str]], Any]

LONG = "a" * 75
OTHER = "another_task_1727539200"


# --- damages of values: everything that code makes of them is made again ----------------------------------------------


def agent(name: str, **changed: Any) -> Values:
    """One agent of the roster is another one; without changes it is gone."""

    def damage(design: Small) -> Small:
        agents = {**design.roster.agents, name: design.roster.agents[name].model_copy(update=changed)}
        return replace(design, roster=design.roster.model_copy(update={"agents": agents}))

    return damage


def new_agent(name: str, member: Member) -> Values:
    return lambda design: replace(
        design, roster=design.roster.model_copy(update={"agents": {**design.roster.agents, name: member}})
    )


def contract(name: str, **changed: Any) -> Values:
    def damage(design: Small) -> Small:
        before = design.contracts.agents.get(name, FileContract())
        agents = {**design.contracts.agents, name: before.model_copy(update=changed)}
        return replace(design, contracts=design.contracts.model_copy(update={"agents": agents}))

    return damage


def no_contract(name: str) -> Values:
    def damage(design: Small) -> Small:
        agents = {other: one for other, one in design.contracts.agents.items() if other != name}
        return replace(design, contracts=design.contracts.model_copy(update={"agents": agents}))

    return damage


def reads(name: str, *given: Read) -> Values:
    return contract(name, reads=given)


def writes(name: str, *paths: str) -> Values:
    return contract(name, writes=tuple(Written(path=path) for path in paths))


def point(place: int, **changed: Any) -> Values:
    def damage(design: Small) -> Small:
        points = list(design.checkpoints.checkpoints)
        if place >= len(points):  # another damage took it
            return design
        points[place] = points[place].model_copy(update=changed)
        return replace(design, checkpoints=design.checkpoints.model_copy(update={"checkpoints": tuple(points)}))

    return damage


def no_point(place: int) -> Values:
    def damage(design: Small) -> Small:
        points = design.checkpoints.checkpoints
        left = points[:place] + points[place + 1 :]
        return replace(design, checkpoints=design.checkpoints.model_copy(update={"checkpoints": left}))

    return damage


def another_point(place: int, **changed: Any) -> Values:
    def damage(design: Small) -> Small:
        points = design.checkpoints.checkpoints
        if place >= len(points):
            return design
        more = (*points, points[place].model_copy(update={"id": "CP-9", **changed}))
        return replace(design, checkpoints=design.checkpoints.model_copy(update={"checkpoints": more}))

    return damage


def criterion(**changed: Any) -> Values:
    plain = Criterion(id="C-1", text="The migration runs", evidence="The log")
    return point(0, criteria=(plain.model_copy(update=changed),))


def specified(*given: Any) -> Values:
    return lambda design: replace(design, specs=PocSpecs(pocs=given, borne=design.specs.borne))


def of(name: str, task_id: str) -> Values:
    """One document is another task's."""
    return lambda design: replace(design, **{name: getattr(design, name).model_copy(update={"task_id": task_id})})


def several(*damages: Values) -> Values:
    def damage(design: Small) -> Small:
        for one in damages:
            design = one(design)
        return design

    return damage


side_by_side = several(agent("frontend_agent", dependencies=("database_agent",)), reads("frontend_agent"))
TSA_MEMBER = (
    small.roster()
    .agents["usability_verifier"]
    .model_copy(update={"kind": "doer", "agent_type": None, "task_id": ids.task_id("tsa", small.CREATED)})
)

VALUES: dict[str, tuple[Values, set[str]]] = {
    # paths and contracts
    "a path differs by a letter": (
        reads("api_agent", small.read(small.SCHEMA.replace("schema", "schemas"), "database_agent")),
        {"contracts-consistent"},
    ),
    "a file is read from one who does not write it": (
        reads("frontend_agent", small.read(small.OPENAPI, "database_agent")),
        {"contracts-consistent"},
    ),
    "a file is read from a stranger": (
        reads("frontend_agent", small.read(small.OPENAPI, "apy_agent")),
        {"contracts-consistent", "sequence-current"},
    ),
    "a stranger has a contract": (writes("apy_agent", "src/apy.py"), {"contracts-consistent", "sequence-current"}),
    "a doer has no contract": (no_contract("frontend_agent"), {"contracts-consistent"}),
    "a PoC has no contract": (no_contract("index_poc"), {"contracts-consistent"}),
    "a path leads out of the project": (writes("frontend_agent", "../users.tsx"), {"contracts-consistent"}),
    "an agent writes what code writes": (writes("frontend_agent", places.STATUS), {"contracts-consistent"}),
    "a pattern reaches what code writes": (writes("frontend_agent", "**/*.json"), {"contracts-consistent"}),
    # cycles
    "a cycle through files": (
        reads("database_agent", small.read(small.OPENAPI, "api_agent")),
        {"contracts-acyclic", "sequence-current"},
    ),
    "a cycle through dependencies": (
        agent("database_agent", dependencies=("frontend_agent",)),
        {"dependencies-satisfiable", "sequence-current"},
    ),
    "a cycle through a file and a dependency": (
        several(agent("api_agent", dependencies=()), agent("database_agent", dependencies=("api_agent",))),
        {"dependencies-satisfiable", "sequence-current"},
    ),
    # who waits for whom
    "a dependency on a stranger": (
        agent("frontend_agent", dependencies=("apy_agent",)),
        {"dependencies-satisfiable", "sequence-current"},
    ),
    "an agent that is never in a sequence": (
        new_agent(ids.TSA, TSA_MEMBER),
        {"dependencies-satisfiable", "validation-at-every-handoff", "contracts-consistent", "sequence-current"},
    ),
    # validation
    "a doer without checkpoint": (no_point(1), {"validation-at-every-handoff", "sequence-current"}),
    "a doer with two checkpoints": (another_point(1), {"validation-at-every-handoff"}),
    "two checkpoints with one id": (point(1, id="CP-1"), {"validation-at-every-handoff"}),
    "a checkpoint of a stranger": (
        another_point(1, doer="apy_agent"),
        {"validation-at-every-handoff", "sequence-current"},
    ),
    "a checkpoint of a PoC": (another_point(1, doer="index_poc"), {"validation-at-every-handoff"}),
    "a doer that verifies another": (
        point(1, verifier="frontend_agent"),
        {"validation-at-every-handoff", "sequence-current"},
    ),
    "a verifier that nobody knows": (point(1, verifier="somebody"), {"validation-at-every-handoff"}),
    "a verifier whose name would be too long": (
        several(
            new_agent(LONG, small.roster().agents["frontend_agent"].model_copy(update={"task_id": "l_1727539200"})),
            writes(LONG, "web/x.tsx"),
            another_point(2, doer=LONG, verifier=None),
        ),
        {"validation-at-every-handoff", "sequence-current"},
    ),
    "one verifier for two who work at once": (
        several(side_by_side, point(1, verifier="usability_verifier")),
        {"validation-at-every-handoff", "sequence-current"},
    ),
    # ids
    "a task id twice": (
        agent("api_agent", task_id=ids.task_id("database_agent", small.CREATED)),
        {"task-ids-unique"},
    ),
    "an agent with the id of the whole task": (agent("api_agent", task_id=small.TASK_ID), {"task-ids-unique"}),
    "a stack of another task": (of("stack", OTHER), {"task-ids-unique"}),
    "contracts of another task": (of("contracts", OTHER), {"task-ids-unique"}),
    "checkpoints of another task": (of("checkpoints", OTHER), {"task-ids-unique"}),
    # gaps
    "an agent that nobody has": (agent("api_agent", exists=False), {"gaps-named"}),
    "a doer that writes nothing": (writes("frontend_agent"), {"gaps-named"}),
    "no criteria": (point(0, criteria=()), {"gaps-named"}),
    "a criterion that nothing shows": (criterion(evidence=" T.B.D ".replace(".", "")), {"gaps-named"}),
    "no failure modes": (point(0, failure_modes=()), {"gaps-named"}),
    # PoCs
    "a PoC that nobody does": (specified(small.poc(), small.poc(poc_id="poc_002")), {"pocs-placed"}),
    "a PoC that is not specified": (specified(), {"pocs-placed"}),
    "a PoC agent that says of no PoC that it does it": (agent("index_poc", poc_id=None), {"pocs-placed"}),
    "a PoC that gates somebody else": (agent("index_poc", gates=("api_agent",)), {"pocs-placed"}),
    "a PoC that two agents do": (
        several(
            new_agent(
                "second_poc",
                small.roster().agents["index_poc"].model_copy(update={"task_id": "second_poc_1727539200"}),
            ),
            writes("second_poc", f"{places.output('second_poc')}**"),
        ),
        {"pocs-placed"},
    ),
    "a PoC that gates a stranger": (
        agent("index_poc", gates=("database_agent", "apy_agent")),
        {"pocs-placed", "dependencies-satisfiable", "sequence-current"},
    ),
}


# --- damages of texts: one file is another one, the rest stays as it was ----------------------------------------------


def edited(path: str, old: str, new: str, count: int = 1) -> Texts:
    def damage(texts: dict[str, str]) -> None:
        assert old in texts[path], "a damage that damages nothing"
        texts[path] = texts[path].replace(old, new, count)

    return damage


def emptied(path: str, title: str) -> Texts:
    def damage(texts: dict[str, str]) -> None:
        before, head, rest = texts[path].partition(f"\n## {title}\n")
        assert head
        _, following, after = rest.partition("\n## ")
        texts[path] = f"{before}{head}{following}{after}"

    return damage


def gone(path: str) -> Texts:
    return lambda texts: texts.pop(path)


def plain(path: str, change: Callable[[dict[str, Any]], Any]) -> Texts:
    """A JSON file with one thing changed, as a person would."""

    def damage(texts: dict[str, str]) -> None:
        value = json.loads(texts[path])
        change(value)
        texts[path] = json.dumps(value, ensure_ascii=False, indent=2) + "\n"

    return damage


def swapped(value: dict[str, Any]) -> None:
    first, second = value["execution_phases"][:2]
    first["agents"], second["agents"] = second["agents"], first["agents"]


API, PLAN = places.instructions("api_agent"), places.COORDINATION
TEXTS: dict[str, tuple[Texts, set[str]]] = {
    "instructions are missing": (gone(API), {"instructions-complete"}),
    "a verifier's instructions are missing": (
        gone(places.instructions("usability_verifier")),
        {"instructions-complete"},
    ),
    "a PoC's instructions are missing": (gone(places.instructions("index_poc")), {"instructions-complete"}),
    "a heading is removed": (edited(API, "## Evidence\n", ""), {"instructions-complete"}),
    "a heading is misspelt": (edited(API, "## Success Criteria", "## Sucess Criteria"), {"instructions-complete"}),
    "a section is empty": (emptied(API, "Notes"), {"instructions-complete"}),
    "an input is misspelt": (edited(API, "schema.sql", "schemas.sql", -1), {"instructions-complete"}),
    "an output is not named": (edited(API, "openapi.json", "openapi.yaml", -1), {"instructions-complete"}),
    "a criterion is not named": (edited(API, "`C-2`", "`C-9`", -1), {"instructions-complete"}),
    "a verifier does not know the criterion": (
        edited(places.instructions("api_verifier"), "`C-2`", "`C-9`", -1),
        {"instructions-complete"},
    ),
    "a PoC does not know when it passes": (
        edited(places.instructions("index_poc"), "`poc_001_pass_1`", "`p`", -1),
        {"instructions-complete"},
    ),
    "an agent does not know how to escalate": (
        edited(API, "## Escalation\n", "## Notes, continued\n"),
        {"instructions-complete", "escalation-paths"},
    ),
    "an agent's escalation is empty": (emptied(API, "Escalation"), {"instructions-complete", "escalation-paths"}),
    "the plan has no escalation": (
        edited(PLAN, "## Escalation\n", "## Questions\n"),
        {"escalation-paths", "plan-current"},
    ),
    "the plan's escalation is empty": (emptied(PLAN, "Escalation"), {"escalation-paths", "plan-current"}),
    "the plan leaves out who decides a conflict": (
        edited(PLAN, "`conflict`", "", -1),
        {"escalation-paths", "plan-current"},
    ),
    "the plan has no place for a person": (
        edited(PLAN, "## User Intervention Points\n", "### User Intervention Points\n"),
        {"escalation-paths", "plan-current"},
    ),
    "the plan is missing": (gone(PLAN), {"escalation-paths", "plan-current"}),
    "the plan has no phases": (edited(PLAN, "## Phases\n", ""), {"plan-current"}),
    "the plan tells another order": (edited(PLAN, "### Phase 2", "### Phase 3"), {"plan-current"}),
    "the sequence has a space more": (edited(places.SEQUENCE, "{\n", "{ \n"), {"sequence-current"}),
    "the sequence leaves somebody out": (
        plain(places.SEQUENCE, lambda value: value["execution_phases"].pop()),
        {"sequence-current"},
    ),
    "a PoC comes after what it gates": (plain(places.SEQUENCE, swapped), {"sequence-current", "pocs-placed"}),
    "a PoC is not in the sequence": (
        plain(places.SEQUENCE, lambda value: value["execution_phases"].pop(0)),
        {"sequence-current", "pocs-placed"},
    ),
    "the sequence is of another task": (
        plain(places.SEQUENCE, lambda value: value.update(task_id=OTHER)),
        {"task-ids-unique", "sequence-current"},
    ),
    "the status is of another task": (
        plain(places.STATUS, lambda value: value.update(task_id=OTHER)),
        {"task-ids-unique"},
    ),
    "the status leaves somebody out": (
        plain(places.STATUS, lambda value: value["agents"].pop("api_agent")),
        {"status-current"},
    ),
    "the status knows a stranger": (
        plain(places.STATUS, lambda value: value["agents"].update(apy_agent={"status": "pending"})),
        {"status-current"},
    ),
    "the status lets somebody begin too early": (
        plain(places.STATUS, lambda value: value["agents"]["api_agent"].update(dependencies=[])),
        {"status-current"},
    ),
    "the status gives a verifier to nobody's work": (
        plain(
            places.STATUS,
            lambda value: value["verification"]["api_verifier"].update(assigned_agents=["frontend_agent"]),
        ),
        {"status-current"},
    ),
}


def read(texts: Mapping[str, str]) -> DesignFiles:
    return design_files.read(texts, small.TASK)


def spoilt(damage: Texts) -> DesignFiles:
    texts = Small().texts()
    damage(texts)
    return read(texts)


def failing(files: DesignFiles) -> set[str]:
    made = verified(files, None, small.CREATED)
    assert (made.result == "fail") == any(one.result == "fail" for one in made.checks)
    return {one.check for one in made.checks if one.result == "fail"}


# --- the checklist ----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-15")
def test_a_sound_design_passes_every_check_without_a_word() -> None:
    made = verified(Small().files(), None, small.CREATED)
    assert made.result == "pass"
    assert [one.check for one in made.checks] == list(CHECKS)
    assert not [finding for one in made.checks for finding in one.findings]


def test_a_design_whose_doers_work_side_by_side_passes_too() -> None:
    assert failing(side_by_side(Small()).files()) == set()


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(("damage", "expected"), VALUES.values(), ids=VALUES)
def test_a_damaged_design_is_found_by_the_checks_it_concerns_and_by_no_other(
    damage: Values, expected: set[str]
) -> None:
    assert failing(damage(Small()).files()) == expected


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(("damage", "expected"), TEXTS.values(), ids=TEXTS)
def test_a_damaged_file_is_found_by_the_checks_it_concerns_and_by_no_other(damage: Texts, expected: set[str]) -> None:
    assert failing(spoilt(damage)) == expected


@pytest.mark.req("OR-15")
def test_there_is_a_damage_for_every_check_that_it_alone_finds() -> None:
    alone = [expected for _, expected in (*VALUES.values(), *TEXTS.values()) if len(expected) == 1]
    always_with = {"contracts-acyclic", "dependencies-satisfiable", "escalation-paths"}  # of the sequence, of the plan
    assert set.union(*alone) == set(CHECKS) - always_with


@pytest.mark.parametrize(("damage", "_expected"), VALUES.values(), ids=VALUES)
def test_what_is_found_says_where_it_is_and_how_it_is_mended(damage: Values, _expected: set[str]) -> None:
    for check in verified(damage(Small()).files(), None, small.CREATED).checks:
        for one in check.findings:
            assert one.file.startswith(places.HOME)
            assert one.repair.strip()
            assert one.problem.strip()


@pytest.mark.parametrize(
    ("name", "check", "area"),
    [
        ("a doer that writes nothing", "gaps-named", "contracts"),
        ("an agent that nobody has", "gaps-named", "roster"),
        ("no criteria", "gaps-named", "checkpoints"),
        ("a cycle through files", "contracts-acyclic", "contracts"),
        ("a cycle through dependencies", "dependencies-satisfiable", "roster"),
        ("a PoC that nobody does", "pocs-placed", "risk"),
    ],
)
def test_every_finding_goes_to_the_part_of_the_design_that_mends_it(name: str, check: str, area: str) -> None:
    made = verified(VALUES[name][0](Small()).files(), None, small.CREATED)
    found = [finding.area for one in made.checks if one.check == check for finding in one.findings]
    assert set(found) == {area}


def test_an_agent_that_cannot_escalate_is_mended_in_its_instructions() -> None:
    made = verified(spoilt(TEXTS["an agent's escalation is empty"][0]), None, small.CREATED)
    assert {finding.area for one in made.checks for finding in one.findings} == {"instructions"}


def test_every_check_has_an_area_that_readers_know_too() -> None:
    assert {area for area, _ in CHECKS.values()} <= set(get_args(Seen.model_fields["area"].annotation))


def test_a_cycle_is_named_whole() -> None:
    made = verified(VALUES["a cycle through files"][0](Small()).files(), None, small.CREATED)
    (found,) = next(one for one in made.checks if one.check == "contracts-acyclic").findings
    assert "api_agent -> database_agent -> api_agent" in found.problem


def test_a_dependency_on_a_stranger_is_told_with_everybody_who_takes_part() -> None:
    made = verified(VALUES["a dependency on a stranger"][0](Small()).files(), None, small.CREATED)
    (found,) = next(one for one in made.checks if one.check == "dependencies-satisfiable").findings
    everybody = "api_agent, api_verifier, database_agent, database_verifier, index_poc, usability_verifier"
    assert found.problem == f"frontend_agent depends on apy_agent, which takes no part; valid: {everybody}"
    assert found.repair == "write api_agent"


def test_a_path_that_differs_by_a_letter_is_told_with_who_reads_it() -> None:
    made = verified(VALUES["a path differs by a letter"][0](Small()).files(), None, small.CREATED)
    (found,) = next(one for one in made.checks if one.check == "contracts-consistent").findings
    assert "schemas.sql" in found.problem
    assert (found.about, found.file) == ("api_agent", places.CONTRACTS)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("api_agent", small.read(small.SCHEMA, "database_agent", "yaml")),
        ("frontend_agent", small.read(small.OPENAPI, "api_agent", "python")),  # as something else that it writes
    ],
)
def test_a_format_that_differs_is_a_warning_and_fails_nothing(name: str, read: Read) -> None:
    made = verified(reads(name, read)(Small()).files(), None, small.CREATED)
    found = [finding for one in made.checks for finding in one.findings]
    assert made.result == "pass"
    assert [(one.rule, one.severity, one.about) for one in found] == [("contracts.format", "warning", name)]


@pytest.mark.parametrize(
    "read",
    [
        small.read(small.SCHEMA, "database_agent"),  # whoever names no format takes any
        small.read(small.SCHEMA, "database_agent", "SQL"),
        small.read("db/migrations/001.sql"),  # somebody writes it, and the order follows from that
        small.read(places.summary(small.TASK), None, "markdown"),
        small.read("READ*.md"),
    ],
)
def test_a_file_that_somebody_has_is_neither_a_gap_nor_doubtful(read: Read) -> None:
    made = verified(reads("api_agent", read)(Small()).files(), None, small.CREATED)
    assert not [finding for one in made.checks for finding in one.findings]


def test_how_far_the_work_is_does_not_make_a_status_stale() -> None:
    def goes_on(value: dict[str, Any]) -> None:
        value["status"] = "in_progress"
        value["agents"]["index_poc"] |= {"status": "verified", "last_update": small.CREATED + 9}
        value["verification"]["api_verifier"]["status"] = "working"
        value["overall_completion_drive_gate"] = "blocked"

    assert failing(spoilt(plain(places.STATUS, goes_on))) == set()


@pytest.mark.req("OR-15", "OR-23")
def test_a_tactical_task_that_came_up_while_the_work_was_done_does_not_make_a_status_stale() -> None:
    texts = Small().texts()
    board = json.loads(texts[places.STATUS])
    board["agents"]["api_tactical"] = {"status": "verified", "dependencies": []}
    board["verification"]["api_tactical_verifier"] = {"status": "verified", "assigned_agents": ["api_tactical"]}
    grown = {**texts, places.STATUS: json.dumps(board)}
    told = {places.instructions("api_tactical"): "## Task\n\nRule on it.\n"}
    assert failing(design_files.read({**grown, **told}, small.TASK)) == set()
    assert failing(design_files.read(grown, small.TASK)) == {"status-current"}


def turned(design: Small) -> Small:
    """The same design with its agents in another order."""
    roster = design.roster.model_copy(update={"agents": dict(reversed(design.roster.agents.items()))})
    contracts = design.contracts.model_copy(update={"agents": dict(reversed(design.contracts.agents.items()))})
    return replace(design, roster=roster, contracts=contracts)


def test_what_is_found_does_not_hang_on_the_order_of_agents() -> None:
    design = Small()
    for name in ("api_agent", "frontend_agent"):
        design = agent(name, exists=False, task_id=small.TASK_ID, dependencies=("x", "y"))(design)
        design = reads(name, small.read("docs/OLD.md"), small.read(small.SCHEMA, "database_agent", "yaml"))(design)
    one, other = (verified(made.files(), None, small.CREATED) for made in (design, turned(design)))
    assert sum(len(check.findings) for check in one.checks) > 8
    assert one == other


# --- reading the files ------------------------------------------------------------------------------------------------


def test_files_that_are_missing_or_cannot_be_read_are_told_all_at_once() -> None:
    texts = Small().texts()
    del texts[places.STATUS]
    texts[places.ROSTER] = texts[places.ROSTER].replace('"task_id": "user_management_1727539200"', '"task_id": "x"', 1)
    texts[places.CONTRACTS] = "{"
    with pytest.raises(DocumentError) as refused:
        read(texts)
    assert {(one.file, one.rule) for one in refused.value.findings} == {
        (places.STATUS, "design.missing"),
        (places.ROSTER, "roster.form"),
        (places.CONTRACTS, "contracts.json"),
    }


@settings(max_examples=40)
@given(st.lists(st.sampled_from(list(VALUES)), max_size=4), st.lists(st.sampled_from(list(TEXTS)), max_size=3))
def test_however_much_is_damaged_every_check_has_its_say(values: list[str], texts: list[str]) -> None:
    design = Small()
    for name in values:
        design = VALUES[name][0](design)
    made = design.texts()
    for name in texts:
        try:
            TEXTS[name][0](made)
        except (AssertionError, KeyError, IndexError):
            continue  # another damage was there before
    assert [one.check for one in verified(read(made), None, small.CREATED).checks] == list(CHECKS)


# --- the document -----------------------------------------------------------------------------------------------------


def seen(severity: str) -> ReadingOutput:
    one = {"severity": severity, "area": "plan", "problem": "The goal is not in it", "repair": "Say it"}
    return ReadingOutput.model_validate({"findings": [one], "gaps": ["Sessions are left open"]})


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(("severity", "result"), [("error", "fail"), ("warning", "pass")])
def test_an_error_of_the_reader_fails_the_design_and_a_warning_does_not(severity: str, result: str) -> None:
    made = verified(Small().files(), seen(severity), small.CREATED)
    assert made.result == result
    assert made.reading == seen(severity)


def test_what_code_finds_fails_the_design_whatever_the_reader_says() -> None:
    assert verified(spoilt(gone(API)), ReadingOutput(), small.CREATED).result == "fail"


@pytest.mark.req("OR-15")
@pytest.mark.parametrize("reading", [None, seen("error"), seen("warning")])
def test_a_verification_is_read_as_it_was_written(reading: ReadingOutput | None) -> None:
    made = verified(spoilt(TEXTS["an agent's escalation is empty"][0]), reading, small.CREATED)
    text = design_verification.render(made)
    assert design_verification.parse(text.encode(), places.VERIFICATION) == made
    assert design_verification.render(design_verification.parse(text.encode(), places.VERIFICATION)) == text
    assert set(json.loads(text)) == {"task_id", "created", "result", "checks", "reading"}


# --- what is approved -------------------------------------------------------------------------------------------------


def approved(texts: Mapping[str, str]) -> str:
    paths = design_paths(small.roster(), Small().order())
    return digest({path: hashlib.sha256(texts[path].encode()).hexdigest() for path in paths}, texts[places.DECISIONS])


@pytest.mark.req("OR-15")
@pytest.mark.parametrize("path", list(Small().texts()))
def test_the_digest_changes_with_every_file_of_the_design_and_not_with_what_moves_on(path: str) -> None:
    texts = Small().texts()
    moves_on = (places.STATUS, places.summary(small.TASK))
    changed = {**texts, path: "\n" + texts[path]}
    assert (approved(changed) == approved(texts)) == (path in moves_on)


@pytest.mark.req("OR-15")
def test_decisions_made_during_the_work_do_not_change_the_digest_and_any_other_change_of_them_does() -> None:
    texts = Small().texts()
    decided = texts[places.DECISIONS]
    grown = {**texts, places.DECISIONS: evolved(decided, "Sessions last an hour.")}
    other = {**texts, places.DECISIONS: decided.replace("One table", "Two tables", 1)}
    assert decided != grown[places.DECISIONS]
    assert approved(grown) == approved(texts) != approved(other)


def test_instructions_count_even_of_those_whom_a_sequence_forgot() -> None:
    none = Small().order().model_copy(update={"execution_phases": ()})
    paths = design_paths(small.roster(), none)
    doers = ("api_agent", "database_agent", "frontend_agent", "index_poc")
    assert {places.instructions(name) for name in doers} <= {*paths}
    assert list(paths) == sorted(paths)


def test_decisions_that_lost_their_last_section_have_a_digest_too() -> None:
    assert digest({}, "# Nothing") != digest({}, "# Something")


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5), min_size=1, max_size=5), st.randoms())
def test_the_digest_does_not_hang_on_the_order_of_files(found: dict[str, str], random: Any) -> None:
    pairs = list(found.items())
    random.shuffle(pairs)
    assert digest(dict(pairs), "") == digest(found, "")
    key = pairs[0][0]
    assert digest({**found, key: found[key] + "x"}, "") != digest(found, "")
    assert digest({**found, key + "x": ""}, "") != digest(found, "") or found.get(key + "x") == ""


def test_the_small_design_is_made_of_all_that_a_design_is_made_of() -> None:
    parts = {one.name for one in fields(DesignFiles)} - {"texts", "before", "sequence", "status"}
    assert parts == {one.name for one in fields(Small)}
    assert isinstance(verified(Small().files(), None, 1), Verification)
