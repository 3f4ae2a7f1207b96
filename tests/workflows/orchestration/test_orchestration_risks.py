"""Technologies of a stack, what is asked of the risk agents' outputs, and the report (OR-14)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import small_design as small
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from signoff.artifacts.escape import literal
from signoff.artifacts.markdown_parsing import squeeze
from signoff.artifacts.yaml_forms import KEBAB
from signoff.core.findings import Finding
from signoff.workflows.orchestration.checks import risk_checks
from signoff.workflows.orchestration.design.named_edits import AddPoc
from signoff.workflows.orchestration.documents import risks
from signoff.workflows.orchestration.documents.risks import Consultation, Findings, PocSpecs, Practice
from signoff.workflows.orchestration.documents.technology_stack import Choices, technologies
from signoff.workflows.orchestration.outputs import IntegrationOutput, PocsOutput, PracticesOutput
from signoff.workflows.orchestration.views.risk_report import report

READER = MarkdownIt().enable("table")
TITLES = ["Risk report", "Risks", "Proofs of concept", "poc_001", "Practices by agent", "database_agent", "Sources"]


def stack(**layers: Mapping[str, str]) -> Choices:
    return Choices.model_validate({"technology_stack": {k: {"rationale": "so", **v} for k, v in layers.items()}})


def told(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    assert all(one.problem and one.repair for one in findings)
    return [(one.rule, one.about) for one in findings]


# --- technologies -----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PostgreSQL 15", [("postgresql-15", "PostgreSQL", "15")]),
        ("Python 3.11", [("python-3-11", "Python", "3.11")]),
        ("FastAPI", [("fastapi", "FastAPI", "")]),
        ("Auth0", [("auth0", "Auth0", "")]),
        ("Docker containers", [("docker-containers", "Docker containers", "")]),
        ("Redis v7.2", [("redis-7-2", "Redis", "7.2")]),
        ("Spring Boot version 3.2", [("spring-boot-3-2", "Spring Boot", "3.2")]),
        ("Node.js 20 LTS", [("node-js-20-lts", "Node.js", "20 LTS")]),
        ("Python >=3.11", [("python-3-11", "Python", ">=3.11")]),
        ("C++ 20", [("cpp-20", "C++", "20")]),
        ("C# 12", [("csharp-12", "C#", "12")]),
        (".NET 8", [("dotnet-8", ".NET", "8")]),
        ("  PostgreSQL \n 15 (the cluster of sales)", [("postgresql-15", "PostgreSQL", "15")]),
        ("PostgreSQL 15, Redis 7 (cache)", [("postgresql-15", "PostgreSQL", "15"), ("redis-7", "Redis", "7")]),
        ("React 18 with TypeScript", [("react-18", "React", "18"), ("typescript", "TypeScript", "")]),
        ("Docker / Kubernetes 1.30", [("docker", "Docker", ""), ("kubernetes-1-30", "Kubernetes", "1.30")]),
        ("../../etc/passwd", [("etc-passwd", "../../etc/passwd", "")]),
        ("none", []),
        ("(none)", []),
        ("n/a", []),
        ("", []),
    ],
)
def test_a_choice_is_read_as_name_and_version(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(one.slug, one.name, one.version) for one in technologies(stack(backend={"primary": text}))] == expected


def test_a_remark_in_a_choice_does_not_become_a_technology() -> None:
    said = "Docker containers, on the cluster that operations keeps for us"
    assert [one.name for one in technologies(stack(infrastructure={"deployment": said}))] == [said]


def test_the_stack_is_read_in_its_order_and_what_two_layers_name_is_there_once() -> None:
    found = technologies(
        stack(
            database={"primary": "PostgreSQL 15", "cache": "Redis 7", "notes": "kept by operations"},
            backend={"language": "Python 3.11", "framework": "FastAPI", "jobs": "redis 7"},
        )
    )
    assert [(one.slug, one.layer) for one in found] == [
        ("postgresql-15", "database"),
        ("redis-7", "database"),
        ("python-3-11", "backend"),
        ("fastapi", "backend"),
    ]


def test_a_version_under_a_key_of_its_own_belongs_to_what_it_is_the_version_of() -> None:
    layer = {"primary": "PostgreSQL", "version": "15", "pool": "PgBouncer", "driver": "psycopg", "driver_version": "3"}
    found = technologies(stack(database=layer))
    assert [(one.name, one.version) for one in found] == [("PostgreSQL", "15"), ("PgBouncer", ""), ("psycopg", "3")]


@given(st.lists(st.text(max_size=200), max_size=6))
def test_every_slug_is_a_plain_file_name_and_there_once(texts: list[str]) -> None:
    found = technologies(stack(any={f"key{n}": text for n, text in enumerate(texts)}))
    assert all(re.fullmatch(KEBAB, one.slug) and len(one.slug) <= 80 for one in found)
    assert len({one.slug for one in found}) == len(found)


def test_names_that_ascii_cannot_tell_apart_have_different_files() -> None:
    found = technologies(stack(any={"one": "微信小程序", "two": "飞书 7", "three": "Ünicode", "four": "nicode"}))
    assert len({one.slug for one in found}) == 4


# --- research and checklists ------------------------------------------------------------------------------------------


def found(**fields: Any) -> Findings:
    return small.research()[0].model_copy(update=fields)


@pytest.mark.req("OR-14")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (found(), []),
        (found(technology="postgresql"), []),
        (found(technology="MySQL"), [("research.about", "PostgreSQL 15")]),
        (found(version="14"), [("research.about", "PostgreSQL 15")]),
        (found(best_practices=(), failure_patterns=()), [("research.empty", "PostgreSQL 15")]),
        (found(failure_patterns=()), []),
        (
            found(best_practices=(Practice(practice="p", why="w", source=" Common  knowledge. "),)),
            [("research.source", "best_practices[0]")],
        ),
    ],
)
def test_research_is_about_what_was_asked_and_says_where_it_is_from(
    given: Findings, expected: list[tuple[str, str]]
) -> None:
    assert told(tuple(risk_checks.research_findings(given, "PostgreSQL", "15"))) == expected


@pytest.mark.req("OR-14")
@pytest.mark.parametrize("category", risks.CATEGORIES)
def test_a_checklist_without_one_of_the_six_categories_is_refused(category: str) -> None:
    whole = small.checklist()
    left = whole.model_copy(update={"items": tuple(item for item in whole.items if item.category != category)})
    assert told(tuple(risk_checks.checklist_findings(whole, "database_agent"))) == []
    assert told(tuple(risk_checks.checklist_findings(left, "database_agent"))) == [("checklist.category", category)]


def test_a_checklist_is_for_the_type_that_was_asked_for_and_its_ids_are_unique() -> None:
    whole = small.checklist()
    twice = whole.model_copy(update={"items": (*whole.items, whole.items[0], whole.items[0])})
    assert told(tuple(risk_checks.checklist_findings(twice, "api_agent"))) == [
        ("checklist.about", "api_agent"),
        ("checklist.twice", "I-data_loss"),
    ]


# --- consultations ----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-14")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (small.consultations()[0], []),
        (Consultation(agent="database_agent"), []),
        (Consultation(agent="database_agent", risks=(small.risk(checklist_item=""),)), []),
        (Consultation(agent="api_agent"), [("consultation.about", "database_agent")]),
        (Consultation(agent="database_agent", risks=(small.risk(), small.risk())), [("consultation.twice", "R1")]),
        (
            Consultation(agent="database_agent", risks=(small.risk(checklist_item="I-availablity"),)),
            [("consultation.item", "R1")],
        ),
    ],
)
def test_a_consultation_is_the_doers_own_and_leads_back_to_its_checklist(
    given: Consultation, expected: list[tuple[str, str]]
) -> None:
    findings = tuple(risk_checks.consultation_findings(given, "database_agent", small.checklist()))
    assert told(findings) == expected
    assert all("I-availability" in one.repair for one in findings if one.rule == "consultation.item")


def test_a_risk_that_two_doers_gave_the_same_id_is_named_with_its_doer() -> None:
    both = [
        Consultation(agent=agent, risks=(small.risk(), small.risk(f"R-{agent}"))) for agent in ("a_agent", "b_agent")
    ]
    assert list(risks.named(both)) == ["a_agent:R1", "R-a_agent", "b_agent:R1", "R-b_agent"]


# --- PoCs -------------------------------------------------------------------------------------------------------------


def pocs(*given: risks.Poc, **borne: str) -> PocsOutput:
    return PocsOutput(pocs=given, borne=borne)


@pytest.mark.req("OR-14")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pocs(small.poc(), R2="ours"), []),
        (pocs(small.poc(assumption=f" {small.ASSUMPTION.replace(' ', '  ')}\n"), R2="ours"), []),
        (pocs(R1="a minute of waiting is fine", R2="ours"), []),
        (pocs(small.poc()), [("poc.risk", "R2")]),
        (pocs(R2="ours"), [("poc.risk", "R1")]),
        (pocs(small.poc(), R2="ours", R9="what?"), [("poc.borne", "R9")]),
        (pocs(small.poc(), small.poc(), R2="ours"), [("poc.twice", "poc_001")]),
        (
            pocs(small.poc(), small.poc(poc_id="poc_002", assumption="Nobody said this"), R2="ours"),
            [("poc.assumption", "poc_002")],
        ),
        (pocs(small.poc(agent="trial_agent"), R2="ours"), []),
        (pocs(small.poc(agent="usability_verifier"), R2="ours"), [("poc.agent", "poc_001")]),
        (pocs(small.poc(agent="api_verifier"), R2="ours"), [("poc.agent", "poc_001")]),
        (pocs(small.poc(agent="index_poc"), R2="ours"), []),
        (pocs(small.poc(gates=["databse_agent"]), R2="ours"), [("poc.gate", "poc_001")]),
        (pocs(small.poc(gates=["usability_verifier"]), R2="ours"), [("poc.gate", "poc_001")]),
        (pocs(small.poc(gates=["api_agent", "api_agent"]), R2="ours"), [("poc.twice", "api_agent")]),
    ],
)
def test_every_grave_risk_is_tried_or_borne_and_every_poc_leads_back_to_one(
    given: PocsOutput, expected: list[tuple[str, str]]
) -> None:
    assert told(tuple(risk_checks.pocs_findings(given, small.consultations(), small.roster()))) == expected


@pytest.mark.parametrize("likelihood", ["low", "medium", "high"])
@pytest.mark.parametrize("impact", ["low", "medium", "high"])
def test_a_risk_is_grave_with_a_high_impact_and_at_least_a_medium_likelihood(likelihood: str, impact: str) -> None:
    asked = [Consultation(agent="api_agent", risks=(small.risk(likelihood=likelihood, impact=impact),))]
    refused = told(tuple(risk_checks.pocs_findings(PocsOutput(), asked, small.roster())))
    assert refused == ([("poc.risk", "R1")] if impact == "high" and likelihood != "low" else [])


def placed(*pairs: tuple[str, str]) -> IntegrationOutput:
    return IntegrationOutput(edits=tuple(AddPoc(edit="add_poc", poc_id=i, name=n, reason="early") for i, n in pairs))


@pytest.mark.req("OR-14")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (placed(("poc_001", "index_trial")), []),
        (placed(), [("integration.missing", "poc_001")]),
        (placed(("poc_001", "one"), ("poc_001", "two")), [("integration.twice", "poc_001")]),
        (
            placed(("poc_001", "one"), ("poc_002", "one")),
            [("integration.twice", "one"), ("integration.unknown", "poc_002")],
        ),
        (placed(("poc_001", "api_agent")), [("integration.name", "poc_001")]),
        (placed(("poc_001", "api_verifier")), [("integration.name", "poc_001")]),
        (placed(("poc_001", "archival_agent")), [("integration.name", "poc_001")]),
    ],
)
def test_every_poc_comes_in_once_under_a_name_of_its_own(
    given: IntegrationOutput, expected: list[tuple[str, str]]
) -> None:
    assert told(tuple(risk_checks.integration_findings(given, small.specs(), small.roster()))) == expected


# --- practices --------------------------------------------------------------------------------------------------------

EVERYBODY = dict.fromkeys(("database_agent", "api_agent", "frontend_agent"), (small.PRACTICE,))


@pytest.mark.req("OR-14")
@pytest.mark.parametrize(
    ("practices", "expected"),
    [
        (EVERYBODY, []),
        (EVERYBODY | {"api_agent": (small.PRACTICE.replace(" ", "\n"),)}, []),
        (EVERYBODY | {"api_agent": ()}, [("practices.none", "api_agent")]),
        (EVERYBODY | {"api_agent": (small.PRACTICE.lower(),)}, [("practices.words", "api_agent")]),
        (EVERYBODY | {"api_agent": (small.PRACTICE, small.PRACTICE)}, [("practices.twice", small.PRACTICE)]),
        (EVERYBODY | {"apy_agent": (small.PRACTICE,)}, [("practices.agent", "apy_agent")]),
        (EVERYBODY | {"index_poc": (small.PRACTICE,)}, []),
    ],
)
def test_practices_are_given_word_for_word_and_to_every_doer(
    practices: dict[str, tuple[str, ...]], expected: list[tuple[str, str]]
) -> None:
    given = PracticesOutput(practices=practices)
    assert told(tuple(risk_checks.practices_findings(given, small.roster(), small.research()))) == expected


def test_white_space_makes_no_other_practice() -> None:
    spaced = Findings(
        technology="PostgreSQL",
        best_practices=(Practice(practice=small.PRACTICE.replace(" ", "  "), why="w", source="s"),),
    )
    given = PracticesOutput(practices=EVERYBODY)
    assert tuple(risk_checks.practices_findings(given, small.roster(), [spaced])) == ()
    twice = PracticesOutput(practices=EVERYBODY | {"api_agent": (small.PRACTICE, f" {small.PRACTICE} ")})
    assert told(tuple(risk_checks.practices_findings(twice, small.roster(), [spaced]))) == [
        ("practices.twice", small.PRACTICE)
    ]


def test_a_refusal_says_what_is_valid() -> None:
    nothing = tuple(risk_checks.pocs_findings(pocs(R9="what?"), [], small.roster()))
    known = tuple(
        risk_checks.pocs_findings(pocs(small.poc(), R2="ours", R9="what?"), small.consultations(), small.roster())
    )
    assert [one.problem for one in nothing] == ["`borne` names the risk 'R9'; valid: none"]
    assert [one.problem for one in known] == ["`borne` names the risk 'R9'; valid: R1, R3, R2"]


def test_without_research_nobody_needs_a_practice() -> None:
    assert tuple(risk_checks.practices_findings(PracticesOutput(practices={}), small.roster(), [])) == ()


# --- the report -------------------------------------------------------------------------------------------------------


def shown(text: str) -> tuple[list[str], list[list[str]], list[str]]:
    """Headings, rows of tables and items, as CommonMark reads them."""
    headings, rows, items, kind = list[str](), list[list[str]](), list[str](), ""
    for token in READER.parse(text):
        kind = token.type if token.type.endswith("_open") else kind
        assert token.type not in ("html_block", "fence", "code_block", "hr", "blockquote_open"), token
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}, token
            said = "".join(child.content for child in token.children or ())
            if kind == "heading_open":
                headings.append(said)
            elif kind in ("td_open", "th_open"):
                rows[-1].append(said)
            else:
                items.append(said)
    return headings, rows, items


@pytest.mark.req("OR-14")
def test_the_report_shows_every_risk_with_what_is_done_the_gravest_first() -> None:
    made = report(small.consultations(), small.specs(), small.research(), {"database_agent": (small.PRACTICE,)})
    headings, rows, items = shown(made)
    assert headings == TITLES
    assert [(row[0], *row[2:5], row[6]) for row in rows[1:]] == [
        ("R2", "dependencies", "high", "high", "borne: The theme is ours"),
        ("R1", "availability", "medium", "high", "tried by poc_001"),
        ("R3", "security", "medium", "low", "known to its agent"),
    ]
    for said in (
        "Passes if: No insert waits longer than a second",
        "Waiting for it: database_agent",
        f"{small.PRACTICE} (PostgreSQL 15: A plain one locks)",
        "PostgreSQL 15: PostgreSQL 15 manual, 11.2",
        "PostgreSQL 15: PostgreSQL 15 manual, CREATE INDEX",
    ):
        assert said in items


def test_a_report_of_nothing_says_so() -> None:
    headings, rows, items = shown(report((), PocSpecs(), (), {}))
    assert headings == ["Risk report", "Risks", "Proofs of concept", "Practices by agent", "Sources"]
    assert not rows
    assert len(items) == 4


HOSTILE = (
    "| a | b |", "# Approved", "text\n# Approved", "text\n\n## Sources", "---", "===", "- item", "1. item", "2) item",
    "> quoted", "```\ncode", "~~~", "<h1>x</h1>", "<!--", "[x]: y", "[x](y)", "![x](y)", "**b**", "__b__", "_b_",
    "a\\", "\\|", "`|`", "&#35; x", "a\u2028# b", "a\x85b", "a\rb", "***", "+ x", "http://x.example", "    code",
    "a_b", "a__b", "\u202eback", "# #", "\\# x", "-", "–",
)  # fmt: skip
words = st.one_of(
    st.sampled_from(HOSTILE), st.text(min_size=1, max_size=40), st.text("|#-\\`*_<>[]()! \n1.", min_size=1)
)
said = words.filter(lambda text: bool(text.strip()))


@given(said, said, said, said, said)
def test_no_words_of_an_agent_break_the_report(one: str, two: str, three: str, four: str, five: str) -> None:
    consulted = [Consultation(agent="database_agent", risks=(small.risk(one, description=two, assumption=three),))]
    specs = PocSpecs(pocs=(small.poc(assumption=four, evidence=[five]),), borne={one: five})
    found = Findings(technology=one, version=two, best_practices=(Practice(practice=three, why=four, source=five),))
    headings, rows, items = shown(report(consulted, specs, [found], {"database_agent": (three,)}))
    assert headings == TITLES
    assert [len(row) for row in rows] == [7, 7]
    assert len(items) == 9


@given(said)
def test_words_in_the_report_show_as_they_are(text: str) -> None:
    (row,) = shown(f"| a |\n| --- |\n| {literal(text)} |\n")[1][1:]
    (item,) = shown(f"- {literal(text)}\n")[2]
    assert row == [item]
    assert item == squeeze(item)
    if text.isprintable():
        assert item == squeeze(text)
