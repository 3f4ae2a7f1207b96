"""The ways in which the agents of an article misbehave on purpose, so that every refusal can be tried.

An agent answers under several contracts. A fault that is about another one leaves the output honest: with a plus, as in
`invented-quote@1+`, it waits for the first turn that gives materials.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from signoff.artifacts.textio import decode
from signoff.core.workflow import Assignment, Tools
from signoff.workflows.article import places
from signoff.workflows.misbehaviour import CRASH, MALFORMED, OFF_SCHEMA, Faults, Output, Spoil

_RESEARCH: Final = ("workflowState", "research")
_WRITING: Final = ("workflowState", "writing")


def _off_schema(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A field nobody asked for."""
    output["confidence"] = "high"


def _silent(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Blocked without saying by what."""
    output["status"], output["blockers"] = "blocked", []


# --- fields of the config ---------------------------------------------------------------------------------------------


def _put(output: Output, path: tuple[str, ...], value: Any) -> None:
    """Sets a field of the config that an agent gives; turns that give none are left alone."""
    if "config" not in output:
        return
    at = output["config"]
    for step in path[:-1]:
        at = at.setdefault(step, {})
    at[path[-1]] = value


def _sets(path: tuple[str, ...], value: Any, about: str) -> Spoil:
    def spoil(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        _put(output, path, value)

    spoil.__doc__ = about
    return spoil


def _under(contract: str, spoil: Callable[[Output], None]) -> Spoil:
    """A fault that only an output under this contract can have."""

    def only(output: Output, assignment: Assignment, _tools: Tools) -> None:
        if assignment.start.contract == contract and output.get("status") != "blocked":
            spoil(output)

    only.__doc__ = spoil.__doc__
    return only


def _research(output: Output) -> dict[str, Any]:
    found: dict[str, Any] = output["config"]["workflowState"]["research"]
    return found


def _writing(output: Output) -> dict[str, Any]:
    found: dict[str, Any] = output["config"]["workflowState"]["writing"]
    return found


def _text(output: Output, edit: Callable[[str], str]) -> None:
    for path, text in dict(output["documents"]).items():
        output["documents"][path] = edit(str(text))


# --- research ---------------------------------------------------------------------------------------------------------


def _strange_round(output: Output) -> None:
    """A query for a round that nobody asked for: of the other phase."""
    asked = {query["round"] for query in output["queries"]}
    other = "competitors" if "cases" in asked else "cases"
    output["queries"] = [*output["queries"], {"round": other, "query": "something else"}]


def _strange_address(output: Output) -> None:
    """An address that no input names."""
    name = output["queries"][0]["round"]
    output["urls"] = [{"round": name, "url": "https://never-named.example/page"}]


def _unread_competitor(output: Output) -> None:
    _research(output)["competitorContent"] = {"https://never-read.example/": {"structure": ["Made up"]}}


def _few_theses(output: Output) -> None:
    theses = _research(output).get("recommendedTheses", [])
    _research(output)["recommendedTheses"] = theses[:1]


def _invented_quote(output: Output) -> None:
    """The first item quotes words that stand nowhere: it is not recorded."""
    for item in output["items"][:1]:
        item["quote"] = "these words stand in no page that anybody has read"


def _all_invented(output: Output) -> None:
    """Not one item that holds: the round is asked for again."""
    for item in output["items"]:
        item["quote"] = "these words stand in no page that anybody has read"


def _invented_page(output: Output) -> None:
    for item in output["items"][:1]:
        item["url"] = "0-sources/never-written.md"


def _other_value(output: Output) -> None:
    """A figure that its own quote does not state."""
    for item in output["items"][:1]:
        if "value" in item:
            item["value"] = "97.3 %"


def _invented_id(output: Output) -> None:
    _research(output)["materials"]["differentiators"] = ["CASE-997"]


def _other_thesis(output: Output) -> None:
    """The thesis that was chosen, replaced under the hand."""
    found = _research(output).get("thesisValidation")
    if found:
        found["originalThesis"] = "Something that nobody chose"


def _softened(output: Output) -> None:
    """Legal: the evidence is said not to carry the thesis as it is, so a person is asked."""
    found = _research(output).get("thesisValidation")
    if found:
        found |= {"adjustment": "soften", "validatedThesis": f"{found['originalThesis']}, in most workshops"}


def _false_witness(output: Output) -> None:
    voices = _research(output).get("userVoices", {})
    said = {"quote": "nobody ever said this anywhere", "sourceType": "expert", "suggestedUse": "hook"}
    voices["quotableVoices"] = [said]
    _research(output)["userVoices"] = {"collected": True, **voices}


# --- outline ----------------------------------------------------------------------------------------------------------


def _too_few_sections(output: Output) -> None:
    _text(output, lambda text: text.partition("\n## ")[0] + "\n\n## Only this\n\n## And this\n")


def _no_own_section(output: Output) -> None:
    _text(output, lambda text: re.sub(r"^- thesis: yes\n", "", text, flags=re.MULTILINE))


def _strange_material(output: Output) -> None:
    _text(output, lambda text: text.replace("- material: ", "- material: CASE-997\n- material: ", 1))


def _elsewhere(output: Output) -> None:
    """The document under another path."""
    output["documents"] = dict.fromkeys(["output/published.md"], "".join(output["documents"].values()))


# --- draft ------------------------------------------------------------------------------------------------------------


def _too_long(output: Output) -> None:
    words = " ".join(["Once more the same thing is said in other words."] * 400)
    _text(output, lambda text: text.replace("\n## ", f"\n{words}\n\n## ", 1))


def _too_short(output: Output) -> None:
    """Every section but its first paragraph is gone."""

    def cut(text: str) -> str:
        parts = re.split(r"(?m)^(?=## )", text)
        return "".join("\n\n".join(part.split("\n\n")[:2]).rstrip() + "\n\n" for part in parts)

    _text(output, cut)


def _lost_section(output: Output) -> None:
    _text(output, lambda text: re.sub(r"(?ms)^## .*?(?=^## )", "", text, count=1))


def _silent_thesis(output: Output) -> None:
    """The introduction does not say what the article claims."""
    done = _writing(output)["decisions"]["thesisExecution"]
    said = str(done.get("introStatement", ""))
    if said:
        _text(output, lambda text: text.replace(said, "More on that below.", 1))


def _bare_number(output: Output) -> None:
    """A statistic that leads to no datum."""
    _text(output, lambda text: _into_last_section(text, "In our experience 83 % of all loads are affected."))


def _into_last_section(text: str, said: str) -> str:
    head, found, rest = text.rpartition("\n## ")
    return f"{head.rstrip()}\n\n{said}\n{found}{rest}"


def _link_at_the_end(output: Output) -> None:
    _text(output, lambda text: f"{text.rstrip()}\n\nRead [more](https://undeclared.example/page).\n")


def _strange_marker(output: Output) -> None:
    _text(output, lambda text: re.sub(r"material: [A-Z]+-?\d+", "material: CASE-997", text, count=1))


def _used_nowhere(output: Output) -> None:
    """Materials that are said to be used where they are not."""
    for one in _writing(output)["materialUsage"]["used"]:
        one["location"] = "conclusion"


def _false_bias(output: Output) -> None:
    persona = _writing(output)["decisions"]["personaExecution"]
    persona["biasAppliedIn"] = ["H2-1: words that stand in no section", "H2-2: words that stand in no section"]


def _no_phrases(output: Output) -> None:
    _writing(output)["decisions"]["personaExecution"]["signaturePhrases"] = []


def _left_over(output: Output) -> None:
    """A phrase that stops every article."""
    _text(output, lambda text: _into_last_section(text, "As an AI I cannot smell the oil. 作为AI，我闻不到油味。"))


def _wordy(output: Output) -> None:
    """A phrase that is reported and does not stop the article."""
    _text(output, lambda text: _into_last_section(text, "It is important to note that 值得注意的是 this is so."))


# --- proofreading -----------------------------------------------------------------------------------------------------


def _issue(output: Output, **fields: str) -> None:
    base = {"id": "SEEDED-1", "level": "P0", "section": "introduction", "problem": "seeded", "reason": "seeded fault"}
    output["issues"] = [*output["issues"], {**base, **fields}]


def _left_p0(output: Output) -> None:
    """Something that must not go out, and no fix for it."""
    _issue(output)


def _fix_of_nothing(output: Output) -> None:
    """A fix whose words do not occur."""
    _issue(output, level="P1", before="words that the draft does not have", after="others")


def _other_lens(output: Output) -> None:
    output["lens"] = "facts" if output["lens"] != "facts" else "language"


def _named_twice(output: Output) -> None:
    _issue(output, level="P3")
    _issue(output, level="P3")


def _nowhere(output: Output) -> None:
    _issue(output, section="H2-99")


def _harmful_fix(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A fix that takes the title away, which the article cannot do without."""
    path = places.draft(str(assignment.start.notes["topic"]))
    title = re.search(r"^# .+$", decode(tools.read(path), path), re.MULTILINE)
    if title:
        _issue(output, level="P1", before=title[0], after="# ")


SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: _off_schema,
    "silent": _silent,
    "foreign-field": _sets(("writingAngle", "thesis"), "What the agent would like", "A field that is the person's."),
    "unknown-field": _sets(("authorPersona", "shoeSize"), "44", "A field that nobody knows."),
    "computed-field": _sets((*_RESEARCH, "summary"), {"sourceCount": 99}, "Counts that only code gives."),
    "wrong-depth": _sets(("depth",), "极简", "A depth of the other framework."),
    "other-type": _sets(("articleType",), "comparison", "Not the article that the person asked for."),
    "strange-round": _under("queries", _strange_round),
    "strange-address": _under("queries", _strange_address),
    "unread-competitor": _under("phase-1", _unread_competitor),
    "few-theses": _under("phase-1", _few_theses),
    "skips-thesis": _sets(
        (*_RESEARCH, "innovationSpace", "skipThesis"), value=True, about="What follows from the level."
    ),
    "invented-quote": _under("materials", _invented_quote),
    "all-invented": _under("materials", _all_invented),
    "invented-page": _under("materials", _invented_page),
    "other-value": _under("materials", _other_value),
    "invented-id": _under("phase-2", _invented_id),
    "other-thesis": _under("phase-2", _other_thesis),
    "softened": _under("phase-2", _softened),
    "false-witness": _under("phase-2", _false_witness),
    "too-few-sections": _under("outline", _too_few_sections),
    "no-own-section": _under("outline", _no_own_section),
    "strange-material": _under("outline", _strange_material),
    "elsewhere": _under("draft", _elsewhere),
    "miscounted": _sets((*_WRITING, "execution"), {"actualWordCount": 1300}, "Counts that only code gives."),
    "too-long": _under("draft", _too_long),
    "too-short": _under("draft", _too_short),
    "lost-section": _under("draft", _lost_section),
    "silent-thesis": _under("draft", _silent_thesis),
    "bare-number": _under("draft", _bare_number),
    "link-at-the-end": _under("draft", _link_at_the_end),
    "strange-marker": _under("draft", _strange_marker),
    "used-nowhere": _under("draft", _used_nowhere),
    "false-bias": _under("draft", _false_bias),
    "no-phrases": _under("draft", _no_phrases),
    "left-over": _under("draft", _left_over),
    "wordy": _under("draft", _wordy),
    "left-p0": _under("proof", _left_p0),
    "fix-of-nothing": _under("proof", _fix_of_nothing),
    "other-lens": _under("proof", _other_lens),
    "named-twice": _under("proof", _named_twice),
    "nowhere": _under("proof", _nowhere),
    "harmful-fix": _harmful_fix,
}
_ANYONE: Final = (MALFORMED, OFF_SCHEMA, CRASH, "silent")
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "config-creator": (*_ANYONE, "foreign-field", "unknown-field", "wrong-depth", "other-type"),
    "web-researcher": (
        *_ANYONE, "foreign-field", "computed-field", "strange-round", "strange-address", "unread-competitor",
        "few-theses", "skips-thesis", "invented-quote", "all-invented", "invented-page", "other-value", "invented-id",
        "other-thesis", "softened", "false-witness",
    ),
    "outline-writer": (
        *_ANYONE, "foreign-field", "too-few-sections", "no-own-section", "strange-material", "elsewhere", "miscounted",
        "too-long", "too-short", "lost-section", "silent-thesis", "bare-number", "link-at-the-end", "strange-marker",
        "used-nowhere", "false-bias", "no-phrases", "left-over", "wordy",
    ),
    "proofreader": (*_ANYONE, "left-p0", "fix-of-nothing", "other-lens", "named-twice", "nowhere", "harmful-fix"),
}  # fmt: skip
"""Which agent can go wrong in which way."""

FAULTS: Final = Faults(KINDS, SPOIL)
