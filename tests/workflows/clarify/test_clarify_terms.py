"""What people choose in an inquiry has a name in English and in Chinese."""

from __future__ import annotations

import pytest

from signoff.core.declarations import Parameter
from signoff.service.request_names import texts
from signoff.surfaces.cli.workflow_options import checked_values
from signoff.workflows.clarify.steps import person_choices
from signoff.workflows.clarify.steps.person_choices import GATE
from signoff.workflows.clarify.workflow import WORKFLOW

pytestmark = pytest.mark.req("LB-10")

OPTIONS = sorted({"narrow", "override", "deepen", *(option for options in GATE.values() for option in options)})
PARAMETERS = [one for command in WORKFLOW.people.commands for one in command.parameters if one.choices]


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_shown_in_the_language_of_the_run_and_taken_in_both(option: str) -> None:
    assert WORKFLOW.views.terms.name(option, "en") == option
    chinese = WORKFLOW.views.terms.name(option, "zh")
    assert not chinese.isascii()
    assert [WORKFLOW.views.terms.value(name) for name in (option, chinese)] == [option, option]


def test_every_option_that_is_ever_offered_is_named() -> None:
    assert set(OPTIONS) == set(WORKFLOW.views.terms.values)
    assert set(person_choices.GATE) == {"sufficient", "mixed", "insufficient"}


def test_a_chinese_request_has_its_options_under_chinese_names() -> None:
    request = {"question": "?", "options": ["decide", "research"], "about": {"decide": "x", "research": "y"}}
    assert texts(request, WORKFLOW.views.terms, "zh") == {
        "question": "?", "options": ["决定", "细究"], "about": {"决定": "x", "细究": "y"},
    }  # fmt: skip


@pytest.mark.parametrize("parameter", PARAMETERS, ids=[one.name for one in PARAMETERS])
def test_a_file_command_takes_either_name(parameter: Parameter) -> None:
    for one in parameter.terms.terms:
        assert one.name("zh") != one.value
        for given in (one.value, one.name("en"), one.name("zh")):
            assert checked_values([parameter], {parameter.name: given}) == {parameter.name: one.value}
