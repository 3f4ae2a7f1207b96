"""What an article says of the searches that are to come, so that what they lack is said before a turn is paid for."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.core.refs import Ref, digest
from signoff.core.state import State
from signoff.workflows.article import config, places
from signoff.workflows.article.documents import config_schema
from signoff.workflows.article.state import PHASE, ArticleState
from signoff.workflows.article.workflow import WORKFLOW

TOPIC = "quench-oil"
WEB = b"search: {where: web, hits: 3}\n"
READER = {"audienceFramework": "b2b", "audience": "实操者", "depth": "技术细节"}
MADE = config_schema.put("{}\n", {"topic": TOPIC, "language": "zh", **READER}, places.config(TOPIC)).encode()
TO_COME = ("config", "plan_1", "gather_1", "research_1", "thesis", "depth", "plan_2")


def coming(step: str, docs: dict[str, bytes], **params: Any) -> Any:
    """What is to come for an article in this step, with these documents."""
    state = State(
        rev=1,
        params=params,
        docs={path: digest(data) for path, data in docs.items()},
        own=ArticleState(step=step, topic=TOPIC),
    )

    def look(ref: Ref, parse: Any) -> Any:
        return parse(docs[ref.path], ref.path)

    return WORKFLOW.limits.looks_outside(state, look)


@pytest.mark.req("AR-5")
@pytest.mark.parametrize("step", PHASE)
def test_searches_are_to_come_until_the_second_one_is_under_way(step: str) -> None:
    found = coming(step, {config.PATH: WEB})
    assert (found is not None) == (step in TO_COME)
    assert found is None or (found["from"], found["limit"]) == ("web", 3)


@pytest.mark.parametrize(
    ("docs", "params", "language"),
    [({}, {}, "en"), ({}, {"language": "zh"}, "zh"), ({places.config(TOPIC): MADE}, {"language": "en"}, "zh")],
    ids=["nothing said", "the person said it", "the config says it"],
)
def test_the_language_is_the_configs_and_before_that_what_the_person_said(
    docs: dict[str, bytes], params: dict[str, str], language: str
) -> None:
    found = coming("plan_1", docs, **params)
    assert (found["from"], found["language"]) == ("folder", language)
