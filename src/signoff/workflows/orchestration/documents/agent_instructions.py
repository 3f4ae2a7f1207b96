"""`agent_instructions.md`: everything that one agent is told, made from a template, its contract, its checkpoint and a
writer's output.

A template is Markdown with eight headings and placeholders. The text that fills the placeholders is escaped: no writer
can add a heading or a placeholder to the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

from signoff.artifacts import escape, markdown_headings
from signoff.artifacts.lines import unified
from signoff.artifacts.markdown_headings import Section
from signoff.artifacts.text_decoding import decode
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.agent_roster import CreationGuidance
from signoff.workflows.orchestration.documents.contracts import Checkpoint, Criterion, FileContract
from signoff.workflows.orchestration.documents.risks import Poc
from signoff.workflows.orchestration.outputs import InstructionsOutput, Use

HEADINGS: Final = (
    "Task", "Inputs", "Outputs", "Success Criteria", "Evidence", "Notes", "Escalation", "Turn Lifecycle",
)  # fmt: skip
PRACTICES: Final = "Best Practices"
BLOCKS: Final = ("task", "practices", "inputs", "outputs", "criteria", "evidence")
"""The placeholders that a template must have, each once and on a line of its own."""
INLINE: Final = ("agent", "folder")
"""The placeholders that a template may have anywhere: the agent's name and its folder."""

_PLACEHOLDER: Final = re.compile(r"\{\{([a-z_]+)\}\}")
_KNOWN: Final = re.compile(rf"\{{\{{({'|'.join((*BLOCKS, *INLINE))})\}}\}}")
_LINE: Final = re.compile(r"(?m)^\{\{([a-z_]+)\}\}[ \t]*$")
_TEMPLATE: Final = re.compile(r"[\w~./*-]*_template\.md\b")
_INSTRUCTIONS: Final = re.compile(rf"{re.escape(places.AGENTS)}([a-z0-9_]+)/agent_instructions\.md")


TEMPLATES: Final[Mapping[str, str]] = {
    file.name: file.read_text(encoding="utf-8")
    for file in (resources.files("signoff.workflows.orchestration") / "templates").iterdir()
    if file.name.endswith(".md")
}
"""The shipped templates by file name."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """The text under each of the eight headings."""

    parts: Mapping[str, str]


def parse(data: bytes, path: str) -> Instructions:
    """Instructions as a value; DocumentError names each heading that is missing or repeated."""
    found = markdown_headings.required(markdown_headings.split(decode(data, path)), HEADINGS, path, rule="instructions")
    return Instructions({title: found[title].whole.strip() for title in HEADINGS})


# --- templates --------------------------------------------------------------------------------------------------------


def template_findings(template: str, path: str) -> Iterator[Finding]:
    """Why a template cannot be filled: a heading or a placeholder is missing, repeated or unknown."""

    def finding(problem: str, repair: str, about: str, line: int | None = None) -> Finding:
        rule = "template.placeholder"
        return Finding(rule=rule, problem=problem, repair=repair, file=path, about=about, line=line)

    text = _plain(template)
    yield from _headings(text, path, "template")
    lined = [found[1] for found in _LINE.finditer(text)]
    for name in BLOCKS:
        if lined.count(name) != 1:
            count = "is missing" if name not in lined else f"is there {lined.count(name)} times"
            repair = f"put {{{{{name}}}}} on one line of its own, where it belongs"
            yield finding(f"the placeholder {{{{{name}}}}} {count}", repair, name)
    for number, line in enumerate(text.split("\n"), 1):
        for found in _PLACEHOLDER.finditer(line):
            if found[1] not in (*BLOCKS, *INLINE):
                valid = ", ".join(f"{{{{{name}}}}}" for name in (*BLOCKS, *INLINE))
                problem = f"{found[0]} is not a placeholder; valid: {valid}"
                yield finding(problem, "correct or remove it", found[1], number)
            elif found[1] in BLOCKS and not _LINE.match(line):
                problem = f"{found[0]} stands within a line, but is replaced by several lines"
                yield finding(problem, "put it on a line of its own", found[1], number)


def _plain(template: str) -> str:
    """A template without what editors add: a byte order mark, other line ends."""
    return unified(template.removeprefix("\ufeff"))


def specialised(base: str, guidance: CreationGuidance) -> str:
    """A template for a missing agent: the base, with the additions for its kind of work before the task."""
    entry = guidance.registry_entry
    lines = [f"You are of the type `{entry.agent_type}`: {escape.sentence(entry.description)}."]
    known = dict.fromkeys((*entry.capabilities, *guidance.additional_capabilities))
    if known:
        lines.append(f"What is expected of you besides: {', '.join(map(escape.line, known))}.")
    return _plain(base).replace("{{task}}", "\n\n".join([*map(_inert, lines), "{{task}}"]), 1)


# --- writing ----------------------------------------------------------------------------------------------------------


def render(
    name: str,
    given: InstructionsOutput,
    template: str,
    contract: FileContract,
    checkpoints: Sequence[Checkpoint],
    practices: Sequence[str] = (),
) -> str:
    """The instructions of one agent; DocumentError if the template cannot be filled.

    `checkpoints` prove the agent's work; for a verifier, the work of each of its doers.
    """
    if wrong := [*template_findings(template, "template")]:
        raise DocumentError(wrong)
    blocks = {
        "task": escape.block(given.task),
        "practices": f"### {PRACTICES}\n\n{_list(practices)}" if practices else "",
        "inputs": _inputs(contract, given.inputs),
        "outputs": _outputs(contract, given.outputs),
        "criteria": "\n\n".join(map(_checkpoint, checkpoints)) or "No checkpoint names a criterion for this agent.",
        "evidence": _list(given.evidence),
    }
    inline = {"agent": name, "folder": places.agent(name)}
    text = _PLACEHOLDER.sub(lambda found: inline.get(found[1], found[0]), _plain(template))
    if not practices:
        text = re.sub(r"(?m)^\{\{practices\}\}[ \t]*\n+", "", text)
    return _LINE.sub(lambda found: _inert(blocks[found[1]]), text).rstrip("\n") + "\n"


def poc_checkpoint(poc: Poc) -> Checkpoint:
    """The criteria by which a PoC passes or fails, as a checkpoint."""
    evidence = "; ".join(poc.evidence)
    criteria = tuple(
        Criterion(id=f"{poc.poc_id}_{way}_{number}", text=f"{way.capitalize()}: {text}", evidence=evidence)
        for way, texts in {"pass": poc.passes, "fail": poc.fails}.items()
        for number, text in enumerate(texts, 1)
    )
    return Checkpoint(id=poc.poc_id, doer=poc.agent, criteria=criteria)


def _inert(text: str) -> str:
    """The text with its placeholders escaped: a reader sees the same, and no check takes one for unfilled."""
    return _KNOWN.sub(r"{\\{\1}}", text)


def _list(texts: Iterable[str]) -> str:
    return "\n".join(map(escape.item, texts))


def _inputs(contract: FileContract, uses: Sequence[Use]) -> str:
    purposes = {use.path: use.purpose for use in uses}
    listed = []
    for read in contract.reads:
        source = f"from {escape.code(read.source)}" if read.source else "there before the work begins"
        facts = [read.format, source, "required" if read.required else "read it if it is there"]
        listed.append(_named(read.path, facts, purposes.get(read.path, "")))
    alone = [f"Yours alone while you work: {escape.codes(contract.resources)}."] if contract.resources else []
    return "\n\n".join(["\n".join(listed) or "Nothing besides.", *alone])


def _outputs(contract: FileContract, uses: Sequence[Use]) -> str:
    purposes = {use.path: use.purpose for use in uses}
    listed = [_named(one.path, [one.format], one.description, purposes.get(one.path, "")) for one in contract.writes]
    return "\n".join(listed) or "You write no files."


def _named(path: str, facts: Sequence[str], *said: str) -> str:
    known = "; ".join(filter(None, map(escape.line, facts)))
    parts = [words for text in dict.fromkeys(said) if (words := escape.sentence(text))]
    return f"- {escape.code(path)}" + (f" ({known})" if known else "") + (f": {'. '.join(parts)}." if parts else "")


def _checkpoint(one: Checkpoint) -> str:
    criteria = []
    for criterion in one.criteria:
        criteria.append(f"- {escape.code(criterion.id)}: {escape.line(criterion.text)}")
        criteria.append(f"  - Shown by: {escape.line(criterion.evidence)}")
        criteria += [f"  - Command: {escape.code(criterion.command)}"] if criterion.command else []
    parts = [f"Checkpoint {escape.code(one.id)}:", "\n".join(criteria)]
    if one.failure_modes:
        modes = (f"{escape.sentence(mode.mode)}. Then: {mode.remediation}" for mode in one.failure_modes)
        parts += ["What can go wrong, and what is done about it:", _list(modes)]
    return "\n\n".join(parts)


def with_practices(text: str, practices: Sequence[str]) -> str:
    """Instructions with these practices under their task instead of earlier ones; everything else stays."""
    bare = text
    if old := _part(text, PRACTICES, 3):
        bare = text[: old.start].rstrip("\n") + "\n\n" + text[old.end :]
    task = _part(bare, HEADINGS[0], 2)
    if task is None or not practices:
        return bare if old else text
    part = f"### {PRACTICES}\n\n{_list(practices)}"
    return f"{bare[: task.end].rstrip()}\n\n{_inert(part)}\n\n{bare[task.end :]}"


def _part(text: str, title: str, level: int) -> Section | None:
    return next((one for one in markdown_headings.split(text) if (one.level, one.title) == (level, title)), None)


# --- checking ---------------------------------------------------------------------------------------------------------


def output_findings(given: InstructionsOutput, name: str, contract: FileContract) -> Iterator[Finding]:
    """What a writer left out or made up: every path of the contract has one purpose, and no other path has one."""
    if given.agent != name:
        problem = f"these are instructions for {given.agent}; asked for were instructions for {name}"
        yield _finding("agent", problem, f"write for {name}", "", given.agent)
    lists = {
        "inputs": (given.inputs, [read.path for read in contract.reads]),
        "outputs": (given.outputs, [written.path for written in contract.writes]),
    }
    for field, (uses, paths) in lists.items():
        named = [use.path for use in uses]
        for path in dict.fromkeys(paths):
            if named.count(path) != 1:
                found = "is not in" if path not in named else f"is {named.count(path)} times in"
                problem = f"{path} is in the contract of {name} and {found} `{field}`"
                yield _finding("purpose", problem, f"name it once under `{field}`, with its purpose", "", path)
        for path in dict.fromkeys(named):
            if path not in paths:
                valid = ", ".join(dict.fromkeys(paths)) or "none"
                problem = f"{path} is in `{field}` and not in the contract of {name}; valid: {valid}"
                yield _finding("stranger", problem, "remove it, or write the path as the contract has it", "", path)


def findings(
    text: str, path: str, name: str, contract: FileContract, checkpoints: Sequence[Checkpoint]
) -> Iterator[Finding]:
    """What instructions lack (a heading, a path, a criterion), and what they must not contain."""
    found = markdown_headings.split(text)
    yield from _headings(text, path, "instructions")
    for title in HEADINGS:
        if (part := markdown_headings.named(found, title)) and not part.whole.strip():
            yield _finding("empty", f"“{title}” is empty", "write what belongs there", path, title, part.line)
    wanted = {
        "Inputs": [read.path for read in contract.reads],
        "Outputs": [written.path for written in contract.writes],
        "Success Criteria": [criterion.id for one in checkpoints for criterion in one.criteria],
    }
    for title, names in wanted.items():
        if part := markdown_headings.named(found, title):
            yield from _unnamed(part, title, names, path)
    for number, line in enumerate(text.split("\n"), 1):
        for left in _KNOWN.finditer(line):
            problem = f"the placeholder {left[0]} was not filled"
            yield _finding("placeholder", problem, "make the instructions again", path, left[1], number)
    yield from _pointers(text, path, name, contract)


def _headings(text: str, path: str, rule: str) -> Iterator[Finding]:
    try:
        there = markdown_headings.required(markdown_headings.split(text), HEADINGS, path, rule=rule)
    except DocumentError as error:
        yield from error.findings
        return
    in_order = sorted(HEADINGS, key=lambda title: there[title].line)
    if tuple(in_order) != HEADINGS:
        at, title = next((at, title) for at, title in enumerate(in_order) if title != HEADINGS[at])
        problem = f"“{title}” stands in the place of “{HEADINGS[at]}”; valid order: {', '.join(HEADINGS)}"
        repair, line = "put them in this order", there[title].line
        yield Finding(rule=f"{rule}.order", problem=problem, repair=repair, file=path, line=line, about=title)


def _unnamed(part: Section, title: str, names: Sequence[str], path: str) -> Iterator[Finding]:
    for name in dict.fromkeys(names):
        plain = " ".join(name.split())
        if not re.search(rf"(?<![\w./-]){re.escape(plain)}(?![\w/-]|\.\w)", part.whole):
            rule = "criterion" if title == HEADINGS[3] else "path"
            problem = f"“{title}” does not name {plain}"
            yield _finding(rule, problem, "add it, or make the instructions again", path, plain, part.line)


def _pointers(text: str, path: str, name: str, contract: FileContract) -> Iterator[Finding]:
    """References to a template or to another agent's instructions, which the agent cannot read."""
    for number, line in enumerate(text.split("\n"), 1):
        templates = [found[0] for found in _TEMPLATE.finditer(line)]
        others = [found[0] for found in _INSTRUCTIONS.finditer(line) if found[1] != name]
        for pointed in dict.fromkeys([*templates, *others]):
            if pointed not in contract.paths:
                problem = f"it points to {pointed}, which the agent cannot read"
                yield _finding("pointer", problem, "write here what the agent must know from it", path, pointed, number)


def _finding(rule: str, problem: str, repair: str, path: str, about: str, line: int | None = None) -> Finding:
    return Finding(rule=f"instructions.{rule}", problem=problem, repair=repair, file=path, about=about, line=line)
