"""Faults of the agents of an article, so that every refusal can be tested.

A fault belongs to one contract; outputs under another contract are not spoiled. With a plus, as in `invented-quote@1+`,
it waits for the first turn that gives materials.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Assignment, Tools
from signoff.workflows.article import places
from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA, Faults, Output, Spoil

_RESEARCH: Final = ("workflowState", "research")
_WRITING: Final = ("workflowState", "writing")
_NOWHERE: Final = "these words stand in no page that was read"


# --- how a fault is put into an output --------------------------------------------------------------------------------


def _any(**fields: Any) -> Spoil:
    """Sets fields of any output."""
    return lambda output, _assignment, _tools: output.update(fields)


def _sets(path: tuple[str, ...], value: Any) -> Spoil:
    """Sets a field of the config that an output gives."""

    def spoil(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        if "config" in output:
            at = output["config"]
            for step in path[:-1]:
                at = at.setdefault(step, {})
            at[path[-1]] = value

    return spoil


def _under(contract: str, spoil: Callable[[Output], object]) -> Spoil:
    def only(output: Output, assignment: Assignment, _tools: Tools) -> None:
        if assignment.start.contract == contract and output.get("status") != "blocked":
            spoil(output)

    return only


def _research(contract: str, spoil: Callable[[dict[str, Any]], object]) -> Spoil:
    return _under(contract, lambda output: spoil(output["config"]["workflowState"]["research"]))


def _writing(spoil: Callable[[dict[str, Any]], object]) -> Spoil:
    return _under("draft", lambda output: spoil(output["config"]["workflowState"]["writing"]))


def _items(most: int | None = None, **fields: str) -> Spoil:
    """Sets fields of the first materials, if they have them."""

    def spoil(output: Output) -> None:
        for item in output["items"][:most]:
            item.update({name: value for name, value in fields.items() if name in item})

    return _under("materials", spoil)


def _text(contract: str, edit: Callable[[str], str]) -> Spoil:
    def spoil(output: Output) -> None:
        output["documents"] = {path: edit(str(text)) for path, text in output["documents"].items()}

    return _under(contract, spoil)


def _issues(*issues: Mapping[str, str]) -> Spoil:
    base = {"id": "SEEDED-1", "level": "P0", "section": "introduction", "problem": "seeded", "reason": "seeded fault"}
    return _under("proof", lambda output: output["issues"].extend({**base, **one} for one in issues))


# --- the faults that need more than a field or a text -----------------------------------------------------------------


def _strange_round(output: Output) -> None:
    """A query for a round of the other phase."""
    asked = {query["round"] for query in output["queries"]}
    other = "competitors" if "cases" in asked else "cases"
    output["queries"] = [*output["queries"], {"round": other, "query": "something else"}]


def _strange_address(output: Output) -> None:
    """An address that no input names."""
    name = output["queries"][0]["round"]
    output["urls"] = [{"round": name, "url": "https://never-named.example/page"}]


def _other_thesis(research: dict[str, Any]) -> None:
    """The chosen thesis is replaced."""
    if found := research.get("thesisValidation"):
        found["originalThesis"] = "Something that nobody chose"


def _softened(research: dict[str, Any]) -> None:
    """Not a mistake: the evidence does not carry the thesis as it is, so the person is asked."""
    if found := research.get("thesisValidation"):
        found |= {"adjustment": "soften", "validatedThesis": f"{found['originalThesis']}, in most workshops"}


def _false_witness(research: dict[str, Any]) -> None:
    said = {"quote": "nobody ever said this anywhere", "sourceType": "expert", "suggestedUse": "hook"}
    research["userVoices"] = {"collected": True, **research.get("userVoices", {}), "quotableVoices": [said]}


def _elsewhere(output: Output) -> None:
    """The document under another path."""
    output["documents"] = dict.fromkeys(["output/published.md"], "".join(output["documents"].values()))


def _shortened(text: str) -> str:
    """Only the first paragraph of each section is left."""
    parts = re.split(r"(?m)^(?=## )", text)
    return "".join("\n\n".join(part.split("\n\n")[:2]).rstrip() + "\n\n" for part in parts)


def _lengthened(text: str) -> str:
    words = " ".join(["Once more the same thing is said in other words."] * 400)
    return text.replace("\n## ", f"\n{words}\n\n## ", 1)


def _silent_thesis(output: Output) -> None:
    """The introduction does not state the thesis."""
    done = output["config"]["workflowState"]["writing"]["decisions"]["thesisExecution"]
    if said := str(done.get("introStatement", "")):
        texts = output["documents"].items()
        output["documents"] = {path: str(text).replace(said, "More on that below.", 1) for path, text in texts}


def _adds(said: str) -> Spoil:
    """A sentence before the last section."""

    def edit(text: str) -> str:
        head, found, rest = text.rpartition("\n## ")
        return f"{head.rstrip()}\n\n{said}\n{found}{rest}"

    return _text("draft", edit)


def _other_lens(output: Output) -> None:
    output["lens"] = "facts" if output["lens"] != "facts" else "language"


def _harmful_fix(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A fix that removes the title, which the article needs."""
    path = places.draft(str(assignment.start.notes["topic"]))
    if title := re.search(r"^# .+$", decode(tools.read(path), path), re.MULTILINE):
        _issues({"level": "P1", "before": title[0], "after": "# "})(output, assignment, tools)


_ANYONE: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: _any(confidence="high"),
    "silent": _any(status="blocked", blockers=[]),
}
_FOREIGN: Final = {"foreign-field": _sets(("writingAngle", "thesis"), "What the agent would like")}
_BY_AGENT: Final[Mapping[str, Mapping[str, Spoil]]] = {
    "config-creator": {
        **_FOREIGN,
        "unknown-field": _sets(("authorPersona", "shoeSize"), "44"),
        "wrong-depth": _sets(("depth",), "极简"),
        "other-type": _sets(("articleType",), "comparison"),
    },
    "web-researcher": {
        **_FOREIGN,
        "computed-field": _sets((*_RESEARCH, "summary"), {"sourceCount": 99}),
        "strange-round": _under("queries", _strange_round),
        "strange-address": _under("queries", _strange_address),
        "unread-competitor": _research(
            "phase-1",
            lambda research: research.update(
                competitorContent={"https://never-read.example/": {"structure": ["Made up"]}}
            ),
        ),
        "few-theses": _research(
            "phase-1", lambda found: found.update(recommendedTheses=found.get("recommendedTheses", [])[:1])
        ),
        "skips-thesis": _sets((*_RESEARCH, "innovationSpace", "skipThesis"), value=True),
        "invented-quote": _items(1, quote=_NOWHERE),
        "all-invented": _items(quote=_NOWHERE),
        "invented-page": _items(1, url="0-sources/never-written.md"),
        "other-value": _items(1, value="97.3 %"),
        "invented-id": _research("phase-2", lambda found: found["materials"].update(differentiators=["CASE-997"])),
        "other-thesis": _research("phase-2", _other_thesis),
        "softened": _research("phase-2", _softened),
        "false-witness": _research("phase-2", _false_witness),
    },
    "outline-writer": {
        **_FOREIGN,
        "too-few-sections": _text(
            "outline", lambda text: text.partition("\n## ")[0] + "\n\n## Only this\n\n## And this\n"
        ),
        "no-own-section": _text("outline", lambda text: re.sub(r"(?m)^- thesis: yes\n", "", text)),
        "strange-material": _text(
            "outline", lambda text: text.replace("- material: ", "- material: CASE-997\n- material: ", 1)
        ),
        "elsewhere": _under("draft", _elsewhere),
        "miscounted": _sets((*_WRITING, "execution"), {"actualWordCount": 1300}),
        "too-long": _text("draft", _lengthened),
        "too-short": _text("draft", _shortened),
        "lost-section": _text("draft", lambda text: re.sub(r"(?ms)^## .*?(?=^## )", "", text, count=1)),
        "silent-thesis": _under("draft", _silent_thesis),
        "bare-number": _adds("In our experience 83 % of all loads are affected."),
        "link-at-the-end": _text(
            "draft", lambda text: f"{text.rstrip()}\n\nRead [more](https://undeclared.example/page).\n"
        ),
        "strange-marker": _text(
            "draft", lambda text: re.sub(r"material: [A-Z]+-?\d+", "material: CASE-997", text, count=1)
        ),
        "used-nowhere": _writing(
            lambda writing: [one.update(location="conclusion") for one in writing["materialUsage"]["used"]]
        ),
        "false-bias": _writing(
            lambda writing: writing["decisions"]["personaExecution"].update(
                biasAppliedIn=[f"H2-{number}: words that stand in no section" for number in (1, 2)]
            )
        ),
        "no-phrases": _writing(lambda writing: writing["decisions"]["personaExecution"].update(signaturePhrases=[])),
        "left-over": _adds("As an AI I cannot smell the oil. 作为AI，我闻不到油味。"),
        "wordy": _adds("It is important to note that 值得注意的是 this is so."),
    },
    "proofreader": {
        "left-p0": _issues({}),
        "fix-of-nothing": _issues({"level": "P1", "before": "words that the draft does not have", "after": "others"}),
        "other-lens": _under("proof", _other_lens),
        "named-twice": _issues({"level": "P3"}, {"level": "P3"}),
        "nowhere": _issues({"section": "H2-99"}),
        "harmful-fix": _harmful_fix,
    },
}
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    agent: (MALFORMED, OFF_SCHEMA, CRASH, "silent", *kinds) for agent, kinds in _BY_AGENT.items()
}
FAULTS: Final = Faults(
    KINDS, {**_ANYONE, **{name: spoil for kinds in _BY_AGENT.values() for name, spoil in kinds.items()}}
)
