"""What is forged on purpose: words that hide from checks, quotes that only seem to stand, outputs that claim more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import small_article as small
from article_config import RESEARCH
from article_project import ArticleProject
from article_world import CONFIG, GOOD, World, at, say, written

from signoff.core.commands import StartTurn
from signoff.core.findings import failing
from signoff.core.state import State
from signoff.testing.explorer import Graph
from signoff.workflows.article import places
from signoff.workflows.article.checks import quotes, run, run_all
from signoff.workflows.article.checks.evidence import shares
from signoff.workflows.article.checks.text import share
from signoff.workflows.article.documents import computed_fields
from signoff.workflows.article.outputs import LEVELS
from signoff.workflows.article.state import own_of
from signoff.workflows.article.steps import release
from signoff.workflows.article.workflow import WORKFLOW

TIERS: Mapping[str, Any] = RESEARCH["authorityStrategy"]["sourcesFound"]
HELPS = "A bypass filter helps."
TITLE = "# Look into the bath"


def rules(found: Iterable[Any]) -> set[str]:
    return {finding.rule.partition(".")[2] for finding in found}


def with_(words: str) -> str:
    return small.draft().replace(HELPS, f"{HELPS}{words}")


def titled(words: str) -> str:
    return small.draft().replace(TITLE, words)


def found_in(text: str, **given: Any) -> set[str]:
    return rules(failing(run_all(small.given(text=text, **given))))


# --- numbers that hide ------------------------------------------------------------------------------------------------

HIDDEN_NUMBERS: Mapping[str, str] = {
    "the title": titled("# 99% of shops fail"),
    "a heading": with_("\n\n### 99% of shops fail\n"),
    "a table": with_("\n\n| a | b |\n|---|---|\n| x | 99% |\n"),
    "a block of code": with_("\n\n```\n99% of shops fail\n```\n"),
    "an indented block": with_("\n\n    99% of shops fail\n"),
    "digits of another script": with_(" ٩٩% of shops fail."),
    "digits of formulas": with_(" 𝟗𝟗% of shops fail."),
    "a small percent sign": with_(" 99﹪ of shops fail."),
    "markup": with_(" 9**9**% of shops fail."),
    "words": with_(" Ninety-nine per cent of shops fail."),
    "Chinese words": with_(" 百分之九十九的工厂。"),
    "so many out of so many": with_(" Three out of four shops fail."),
    "one in so many": with_(" One in four shops fails."),
    "a fraction": with_(" 2/3 of shops fail."),
    "a fraction in one sign": with_(" ⅔ of shops fail."),
    "a fraction in words": with_(" Three quarters of shops fail."),
    "a Chinese fraction": with_(" 四分之三的工厂。"),
    "Chinese tenths": with_(" 九成的工厂。"),
}


@pytest.mark.req("AR-9")
@pytest.mark.parametrize("where", HIDDEN_NUMBERS)
def test_a_number_leads_to_a_datum_wherever_it_hides(where: str) -> None:
    assert "statistics" in found_in(HIDDEN_NUMBERS[where])


@pytest.mark.req("AR-9")
def test_a_number_in_the_title_of_a_section_leads_to_a_datum() -> None:
    text, outline = (one.replace(small.TITLES[0], "99% of shops") for one in (small.draft(), small.OUTLINE))
    assert "statistics" in found_in(text, outline=outline)


@pytest.mark.req("AR-9")
def test_a_share_of_others_is_never_the_authors_own() -> None:
    boasts = {"authorPersona": {"experience": "99% of shops fail, in 20 years"}}
    assert "statistics" in found_in(with_(" 99% of shops fail."), patch=boasts)
    assert found_in(with_(" It took 20 years."), patch=boasts) == set()


@pytest.mark.parametrize(
    ("text", "percents"),
    [
        ("three out of four shops", [75]),
        ("2 in 5 baths", [40]),
        ("1 of every 10 shafts", [10]),
        ("one in a hundred", [1]),
        ("a quarter of it, two-thirds of them", ["66.7"]),
        ("3/4 of the oil", [75]),
        ("三分之一", ["33.3"]),
        ("七成以上", [70]),
        ("open 24/7, two in one, all in one", []),
        ("we made 5 in 10 minutes", []),
        ("一成不变", []),
        ("on 1/2 we met", []),
    ],
)
def test_shares_without_a_percent_sign_are_read(text: str, percents: list[Any]) -> None:
    assert [str(one.percent) for one in shares(text)] == [str(float(one)) for one in percents]


@pytest.mark.req("AR-9")
def test_a_share_leads_to_a_datum_that_states_it_in_any_form() -> None:
    items = small.items(data={"quote": "Of all baths that were opened, 75% had water in them.", "value": "75%"})
    text = small.draft().replace("Unfiltered baths lost 23% of their parts.", "Three out of four baths had water.")
    assert run("statistics", small.given(text=text, found=items)) == []


# --- what only a program sees -----------------------------------------------------------------------------------------

UNSEEN: Mapping[str, str] = {
    "words before the title": f"Words.\n\n{small.draft()}",
    "a head of fields": f"---\ndescription: 99% of shops\n---\n{small.draft()}",
    "one more title": with_("\n\n# Another\n"),
    "a picture": with_(" ![99% of shops](http://evil.example/x.png)"),
    "a tip behind a link": small.draft().replace("(output/racks.md)", '(output/racks.md "99% of shops")'),
    "a tip behind a reference": with_("\n\n[racks]: output/racks.md '99% of shops'\n"),
    "a link as a tag": with_(" <a href='http://evil.example'>x</a>"),
    "a script": with_("\n\n<script>alert(1)</script>\n"),
    "a script that never ends": with_("\n\n<script\n"),
    "a frame": with_("\n\n<iframe src=x></iframe>\n"),
    "a tip on a plain tag": with_(" <b title='99% of shops'>x</b>"),
    "a break within a number": with_(" 99<br>% of shops."),
    "a comment": with_(" <!-- nobody checked this -->"),
    "a comment around a marker": with_(" <!-- <!-- material: EXP-001 --> -->"),
    "a wish over two lines": with_("\n\n<!-- image: a\nb -->\n"),
    "a marker in code": with_(" `<!-- material: EXP-001 -->`"),
    "a space of no width": with_(" 99\u200b% of shops."),
    "a soft hyphen": with_(" 99\u00ad% of shops."),
    "a turn of direction": with_(" \u202e%99"),
    "a joiner in a number": with_(" 9\u200d9% of shops."),
    "a bell": with_(" \x07"),
}


@pytest.mark.req("AR-9")
@pytest.mark.parametrize("what", UNSEEN)
def test_nothing_in_a_draft_hides_from_readers(what: str) -> None:
    found = failing(run("shape", small.given(text=UNSEEN[what])))
    assert "markup" in rules(found)
    assert all(finding.repair and finding.line for finding in found if finding.rule == "article.markup")


@pytest.mark.parametrize(
    "words",
    [" H<sub>2</sub>O and <b>oil</b>.", " `<div>` and a < b.", "\n\n```\n<div>\n```\n", " 👩\u200d🔧", " x &lt; y"],
)
def test_plain_words_stay_plain(words: str) -> None:
    assert found_in(with_(words)) == set()


# --- links and products that hide -------------------------------------------------------------------------------------


@pytest.mark.req("AR-9")
@pytest.mark.parametrize(
    "text",
    [
        with_(" See https://evil.example/x for it."),
        with_(" See www.evil.example."),
        with_(" [x][r]\n\n[r]: http://evil.example\n"),
        with_(" [x](javascript:alert)"),
        titled("# Look into [the bath](http://evil.example)"),
        with_(" [x](output/racks.md#part)"),
        with_(" [x](OUTPUT/racks.md)"),
        with_(" [x](output/%72acks.md)"),
        with_(" [x](output/../output/racks.md)"),
    ],
)
def test_a_link_is_declared_however_it_is_written(text: str) -> None:
    assert "links" in found_in(text)


@pytest.mark.req("AR-9")
def test_no_bare_address_ends_the_article() -> None:
    assert "links.conclusion" in found_in(f"{small.draft()}\nSee https://evil.example/x .\n")


@pytest.mark.req("AR-9")
@pytest.mark.parametrize(
    "text",
    [
        titled("# Look into the bypass filter"),
        with_("\n\n### Bypass filter\n\nWords.\n\n### Bypass filter\n\nWords.\n"),
        small.draft().replace("Drain it", "A bypass&#32;fil&#116;er. Drain it"),
        small.draft().replace("Drain it", "A bypass\n  filter. Drain it"),
        small.draft().replace("Drain it", "`bypass filter`. Drain it"),
        small.draft().replace("Drain it", "\n\n```\nbypass filter\n```\n\nDrain it"),
    ],
)
def test_a_product_is_counted_wherever_it_is_mentioned(text: str) -> None:
    assert "products" in found_in(text)


# --- a voice and a thesis in name only --------------------------------------------------------------------------------

INTRODUCTION = small.draft().split("\n\n## ")[0].partition("\n\n")[2].replace(" <!-- material: CASE-001 -->", "")


def decided(**made: Any) -> dict[str, Any]:
    return {"workflowState": {"writing": {"decisions": made}}}


@pytest.mark.req("AR-9")
@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"signaturePhrases": ["a", "the", "in"]}, "phrases"),
        ({"signaturePhrases": [small.PHRASES[0], "bath never lies", "The bath never"]}, "phrases"),
        ({"signaturePhrases": [small.PHRASES[0], f" {small.PHRASES[0]}", "The  bath never lies."]}, "phrases"),
        ({"signaturePhrases": [*small.PHRASES[:2], f"{small.BIAS_1} {small.BIAS_2}"]}, "phrases"),
        ({"biasAppliedIn": ["H2-1: the", "H2-2: the"]}, "bias"),
        ({"biasAppliedIn": [f"H2-1: {small.TITLES[0]}", f"H2-2: {small.BIAS_2}"]}, "bias"),
    ],
)
def test_a_voice_takes_more_than_a_word(said: Mapping[str, Any], rule: str) -> None:
    assert rule in rules(run("persona", small.given(patch=decided(personaExecution=said))))


@pytest.mark.req("AR-9")
@pytest.mark.parametrize("quote", ["the", "quietly quietly", INTRODUCTION, f"{small.INTRO} Shafts crack,"])
def test_the_statement_of_a_thesis_is_a_sentence_that_says_it(quote: str) -> None:
    said = {"introStatement": quote, "conclusionReinforcement": small.END}
    assert "thesis" in rules(run("thesis", small.given(patch=decided(thesisExecution=said))))


@pytest.mark.req("AR-9")
@pytest.mark.parametrize("thesis", ["It is so.", "AI is bad", "Most of this is about that", "。。", "铁"])
def test_a_thesis_of_common_words_is_not_said_by_any_text(thesis: str) -> None:
    assert share(thesis, INTRODUCTION) == 0
    assert share(thesis, f"Well. {thesis}") == 1


# --- quotes that only seem to stand -----------------------------------------------------------------------------------

PAGE = "约１５％的零件开裂。共有百分之二十五的零件。价格 1 500 元，1．5倍。We lost 15 % of parts and 1'500 more."


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    "quote",
    ["５％的零件开裂", "共有百分之二十", "五的零件。价格", "500 元，1．5倍", "5倍。We lost", "We lost 15", "500 more."],
)
def test_a_quote_never_cuts_a_number_in_any_script(quote: str) -> None:
    assert quote in PAGE
    assert not quotes.stands_in(quote, PAGE)


@pytest.mark.req("AR-5")
@pytest.mark.parametrize("quote", ["１５％的零件开裂", "百分之二十五的零件", "1 500 元", "We lost 15 % of parts"])
def test_a_whole_number_is_quoted(quote: str) -> None:
    assert quotes.stands_in(quote, PAGE)


@pytest.mark.req("AR-6")
def test_only_a_marker_that_marks_something_counts() -> None:
    draft = "# T\n\nWords. <!-- material: d001 -->\n\n```\n<!-- material: D002 -->\n```\n\n## E\n\nEnd."
    assert computed_fields.marked(draft) == ("D001",)
    assert computed_fields.marked("# T\n\nWords. <!-- material: CASE-1000 -->\n") == ("CASE-1000",)


# --- outputs that claim more than is theirs ---------------------------------------------------------------------------


@dataclass
class Forged(World):
    """A world in which one contract is answered with a forgery, and everything else well."""

    forges: Mapping[str, Callable[[StartTurn], str | None]] = field(default_factory=dict)

    def outputs(self, state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        forge = self.forges.get(start.contract)
        raw = forge(start) if forge else None
        return [("forged", raw)] if raw else super().outputs(state, start)


def forged(contract: str, forge: Callable[[StartTurn], str | None], **world: Any) -> Graph:
    return Forged(forges={contract: forge}, **world).explore()[1]


def completes(graph: Graph) -> bool:
    return any(state.stop == "complete" for state in graph.states.values())


def issue(name: str, level: str, **more: str) -> dict[str, str]:
    return {"id": name, "level": level, "section": "H2-1", "problem": "p", "reason": "r", **more}


@pytest.mark.req("AR-10")
def test_a_fix_of_one_lens_does_not_mend_what_another_lens_calls_by_the_same_name() -> None:
    def proof(start: StartTurn) -> str:
        issues = {
            "facts": [issue("one", "P0")],
            "language": [issue("one", "P3", before="Drain it on Monday.", after="Drain it.")],
        }
        return say("proof", lens=start.notes["lens"], issues=issues.get(start.notes["lens"], []))

    assert not completes(forged("proof", proof))


@pytest.mark.req("AR-10")
@pytest.mark.parametrize("after", ["Drain it on Monday.", "Drain  it on Monday.\n"])
def test_a_fix_that_changes_no_word_mends_nothing(after: str) -> None:
    def proof(start: StartTurn) -> str:
        fix = issue("one", "P0", before="Drain it on Monday.", after=after)
        return say("proof", lens=start.notes["lens"], issues=[fix] if start.notes["lens"] == "facts" else [])

    assert not completes(forged("proof", proof))


@pytest.mark.req("AR-10")
@pytest.mark.parametrize("level", LEVELS)
def test_an_issue_without_a_fix_stops_the_article_only_if_it_is_a_p0(level: str) -> None:
    def proof(start: StartTurn) -> str:
        issues = [issue("one", level)] if start.notes["lens"] == "facts" else []
        return say("proof", lens=start.notes["lens"], issues=issues)

    assert completes(forged("proof", proof)) is (level != "P0")


@pytest.mark.req("AR-10")
def test_the_weightier_of_two_fixes_is_applied_first_whatever_lens_it_is_of() -> None:
    def proof(start: StartTurn) -> str:
        lens = start.notes["lens"]
        level, after = {"facts": ("P3", "Drain it soon."), "structure": ("P0.5", "Drain it today.")}.get(lens, ("", ""))
        fixes = [issue("one", level, before="Drain it on Monday.", after=after)] if level else []
        return say("proof", lens=lens, issues=fixes)

    explorer, graph = Forged(forges={"proof": proof}).explore()
    [state] = [state for state in graph.states.values() if state.stop == "complete"]
    assert "Drain it today." in explorer.shelf.data(state.ref(places.output(small.TOPIC))).decode()
    assert "fix.before" in {one.rule for one in own_of(state).warnings}


@pytest.mark.req("AR-5")
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(
    ("quote", "url", "stands"),
    [(small.EXPERT, small.URL, True), ("Nobody said this.", small.URL, False), (small.EXPERT, "b.md", False)],
)
def test_a_witness_of_any_tier_said_it_in_the_page_that_is_named(tier: str, quote: str, url: str, stands: bool) -> None:
    def weigh(_start: StartTurn) -> str:
        witness = {**TIERS[tier][0], "quote": quote, "url": url}
        found = {"workflowState": {"research": {"authorityStrategy": {"sourcesFound": {tier: [witness]}}}}}
        return say("phase-2", config=small.merged(small.PHASE_2, found))

    assert ("output.quote" in forged("phase-2", weigh).refusals) is not stands


@pytest.mark.req("AR-5")
@pytest.mark.parametrize("url", ["https://oil.example/ba", "https://oil.exam", "oil.example/bath-care"])
def test_the_beginning_of_an_address_is_another_address(url: str) -> None:
    def ask(start: StartTurn) -> str:
        rounds = start.notes["rounds"]
        return say(
            "queries",
            queries=[{"round": one, "query": "oil"} for one in rounds],
            urls=[{"round": rounds[0], "url": url}],
        )

    brief = {places.BRIEF: "# Brief\n\nRead https://oil.example/bath-care.\n"}
    assert "output.url" in forged("queries", ask, documents=brief).refusals


@pytest.mark.req("AR-4")
def test_research_gives_no_thesis_to_an_article_that_has_none() -> None:
    def weigh(start: StartTurn) -> str | None:
        patch = small.merged(small.PHASE_2)
        patch["workflowState"]["research"]["thesisValidation"] = {"validatedThesis": small.THESIS, "adjustment": "keep"}
        return None if start.notes["thesis"] else say("phase-2", config=patch)

    graph = forged("phase-2", weigh, says={"config": {"informational"}})
    assert "output.thesis" in graph.refusals


@pytest.mark.req("AR-6")
def test_the_same_words_of_the_same_page_are_one_material() -> None:
    def mine(start: StartTurn) -> str:
        name = start.notes["round"]
        item = small.ROUNDS[name]
        again = {**item, "quote": item["quote"].replace(" ", "  "), "suggestedPlacement": "H2-2"}
        return say("materials", round=name, items=[item, again, item])

    world = Forged(forges={"materials": mine})
    explorer, graph = world.explore()
    state = next(state for state in graph.states.values() if state.stop == "complete")
    text = explorer.shelf(state.ref(places.sources(small.TOPIC)), lambda data, _: data.decode())
    assert text.count("### ") == 5


def test_a_draft_that_nobody_can_read_goes_to_the_writer_and_then_to_a_person() -> None:
    def write(_start: StartTurn) -> str:
        text = f"{GOOD}\n{'More words. ' * 20_000}"
        return say("draft", documents={places.draft(small.TOPIC): text}, config=small.WRITING)

    graph = forged("draft", write)
    assert any(own_of(state).step == "escalated" for state in graph.states.values())
    assert not completes(graph)


# --- people -----------------------------------------------------------------------------------------------------------


def test_a_question_about_an_older_config_is_withdrawn() -> None:
    asked = small.merged(small.IDENTITY, small.PHASE_1, {"writingAngle": {"pending": True}})
    asked["workflowState"]["research"]["recommendedTheses"] = small.theses()[:1]
    edit = at("thesis", written(CONFIG, fewer=small.config_text(asked)))
    graph = World(edits=[edit], chooses=frozenset({"thesis-1", "thesis-2"})).explore()[1]
    open_ = [[ask for ask in state.requests.values() if ask.key == "thesis"] for state in graph.states.values()]
    assert max(map(len, open_)) == 1
    assert {len([one for one in asks[0].options if one.startswith("thesis-")]) for asks in open_ if asks} == {1, 3}


def test_an_article_is_released_under_the_name_of_its_run_whatever_its_config_says() -> None:
    made = release.rendered(release.Release(topic=small.TOPIC, given=small.given(patch={"topic": "another"})))
    assert set(made) == set(places.released(small.TOPIC))


@pytest.mark.req("AR-13")
@pytest.mark.parametrize("ending", ["-sources", "-images", "-report"])
def test_no_article_has_the_name_of_a_file_of_another_one(tmp_path: Path, ending: str) -> None:
    assert places.output(f"oil{ending}") in places.released("oil")
    project = ArticleProject.laid_out(tmp_path, f"oil{ending}")
    project.begin(type="informational")
    found = own_of(project.drive())
    assert found.step == "escalated"
    assert "file of another article" in found.blockers[0]


@pytest.mark.parametrize("path", ["drafts/x.md", "outline/x.md", "output/x.md"])
def test_a_text_of_a_person_that_nobody_can_read_is_told_before_it_is_taken_in(path: str) -> None:
    assert [one.rule for one in WORKFLOW.documents.accepts(path, b"Words. " * 40_000)] == ["markdown.size"]
    assert list(WORKFLOW.documents.accepts(path, b"Words.")) == []
