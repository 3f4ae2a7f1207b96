"""What a project decides for itself: safe defaults, strict fields, and flags that only ever ask for more."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from signoff.core.budget import Budget
from signoff.core.errors import DocumentError
from signoff.core.state import State
from signoff.testing.explorer import Shelf
from signoff.workflows.solution_page import config
from signoff.workflows.solution_page.config import Config, HumanGates, IterationLimits


def read(text: str) -> Config:
    return config.parse_doc(text.encode(), config.PATH)


@pytest.mark.req("SP-2", "SP-3")
@pytest.mark.parametrize("text", ["", " \n", "# nothing\n", config.DEFAULT])
def test_the_defaults_ask_nobody_and_limit_everything(text: str) -> None:
    found = read(text)
    assert found == Config()
    assert found.human_gates == HumanGates(strategy_approval=False, final_approval=False)
    assert (found.iteration_limits.of("en"), found.iteration_limits.of("cn")) == (3, 2)
    assert (found.link_check_mode, found.allow_private_links) == ("format", False)
    assert (found.page_type, found.template, found.template_name) == ("hardware", None, "hardware")
    assert (found.budget.turns, found.budget.tokens, found.budget.cost, found.budget.seconds) == (60, None, None, None)
    assert found.models == {}


def test_everything_may_be_set() -> None:
    found = read(
        "human_gates: {strategy_approval: true, final_approval: true}\niteration_limits: {en: 0, cn: 50}\n"
        "link_check_mode: http\nallow_private_links: true\npage_type: algorithm\ntemplate: mine\n"
        "models: {editor-qa: some:model}\nbudget: {turns: 5, tokens: 10, cost: 0.1, seconds: 60}\n"
    )
    assert found.human_gates == HumanGates(strategy_approval=True, final_approval=True)
    assert found.iteration_limits == IterationLimits(en=0, cn=50)
    assert (found.iteration_limits.of("en"), found.iteration_limits.of("cn")) == (0, 50)
    assert (found.link_check_mode, found.allow_private_links, found.page_type) == ("http", True, "algorithm")
    assert (found.template_name, found.models) == ("mine", {"editor-qa": "some:model"})
    assert found.budget.cost == Decimal("0.1")


def test_without_a_template_the_page_type_names_it() -> None:
    assert read("page_type: algorithm\n").template_name == "algorithm"


WRONG = [
    ("colour: red\n", 1, "colour"),
    ("human_gates:\n  final: true\n", 2, "human_gates.final"),
    ("iteration_limits:\n  en: -1\n", 2, "iteration_limits.en"),
    ("iteration_limits:\n  cn: 51\n", 2, "iteration_limits.cn"),
    ("link_check_mode: fast\n", 1, "link_check_mode"),
    ("page_type: poster\n", 1, "page_type"),
    ("budget:\n  turns: 0\n", 2, "budget.turns"),
    ("budget:\n  tokens: 0\n", 2, "budget.tokens"),
    ("budget:\n  cost: -1\n", 2, "budget.cost"),
    ("budget:\n  seconds: 0\n", 2, "budget.seconds"),
    ("budget:\n  money: 3\n", 2, "budget.money"),
]


@pytest.mark.parametrize(("text", "line", "field"), WRONG)
def test_a_wrong_setting_is_named_with_its_line(text: str, line: int, field: str) -> None:
    with pytest.raises(DocumentError) as error:
        read(text)
    (finding,) = error.value.findings
    assert (finding.rule, finding.file, finding.line) == ("config.form", config.PATH, line)
    assert finding.problem.startswith(f"`{field}` ")


# --- the state's config -----------------------------------------------------------------------------------------------


def found(text: str | None, params: Mapping[str, Any] | None = None) -> tuple[State, Shelf]:
    shelf = Shelf()
    docs = {} if text is None else {config.PATH: shelf.put(text)}
    return State(docs=docs, params=params or {}), shelf


ON = "human_gates: {strategy_approval: true, final_approval: true}\n"


@pytest.mark.req("SP-3")
@pytest.mark.parametrize(
    ("text", "params", "strategy", "final"),
    [
        (None, {}, False, False),
        ("", {}, False, False),
        (ON, {}, True, True),
        (None, {"require_strategy_approval": True}, True, False),
        (None, {"require_final_approval": True}, False, True),
        (ON, {"require_strategy_approval": False, "require_final_approval": None}, True, True),
        ("human_gates: {final_approval: true}\n", {"require_strategy_approval": True}, True, True),
    ],
)
def test_a_gate_is_wanted_where_the_config_or_a_flag_wants_it(
    text: str | None, params: dict[str, Any], strategy: bool, final: bool
) -> None:
    gates = config.config_of(*found(text, params)).human_gates
    assert gates == HumanGates(strategy_approval=strategy, final_approval=final)


def test_flags_change_nothing_else() -> None:
    settled = config.config_of(*found("page_type: algorithm\n", {"require_final_approval": True}))
    assert settled == Config(page_type="algorithm", human_gates=HumanGates(final_approval=True))


@pytest.mark.req("SP-2")
def test_the_budget_is_the_configs() -> None:
    text = "budget: {turns: 5, tokens: 10, cost: 0.25, seconds: 60}\n"
    assert config.budget_of(*found(text)) == Budget(turns=5, tokens=10, cost=Decimal("0.25"), seconds=60.0)
    assert config.budget_of(*found(None)) == Budget(turns=60)


# --- a new project ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sheet", "kind"),
    [
        (None, "hardware"),
        (b"", "hardware"),
        (b"kind: algorithm\n", "algorithm"),
        (b"name: x\nkind:   algorithm # yes\n", "algorithm"),
        (b"kind: hardware\n", "hardware"),
        (b"kind: software\n", "software"),
        (b"kind: algorithms\n", "hardware"),
        (b"  kind: algorithm\n", "hardware"),
        (b"\xff\nkind: algorithm\n", "algorithm"),
    ],
)
def test_a_new_config_takes_the_page_type_from_the_product_sheet(sheet: bytes | None, kind: str) -> None:
    asked: list[str] = []

    def reader(path: str) -> bytes | None:
        asked.append(path)
        return sheet

    files = config.default_for(reader)
    assert asked == ["0-sources/product.yaml"]
    assert list(files) == [config.PATH]
    assert read(files[config.PATH]) == Config(page_type=kind)  # type: ignore[arg-type]
    assert "# a shipped template" in files[config.PATH]
