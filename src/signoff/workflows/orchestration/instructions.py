"""`agent_instructions.md`: all that one agent is told, from a template, its contract, its checkpoint and a writer.

A template is Markdown with eight headings and placeholders. What fills them is text and never structure: no writer can
give the document another heading or another placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

from signoff.artifacts.lines import unified
from signoff.artifacts.textio import decode
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import inert, places, sections
from signoff.workflows.orchestration.checkpoints import Checkpoint, Criterion
from signoff.workflows.orchestration.file_contracts import FileContract, Read
from signoff.workflows.orchestration.outputs import InstructionsOutput, Use
from signoff.workflows.orchestration.risks import Poc
from signoff.workflows.orchestration.roster import CreationGuidance
from signoff.workflows.orchestration.sections import Section

HEADINGS: Final = (
    "Task", "Inputs", "Outputs", "Success Criteria", "Evidence", "Notes", "Escalation", "Turn Lifecycle",
)  # fmt: skip
PRACTICES: Final = "Best Practices"
BLOCKS: Final = ("task", "practices", "inputs", "outputs", "criteria", "evidence")
"""The placeholders that a template must have, each once and on a line of its own."""
INLINE: Final = ("agent", "folder")
"""Those that it may have, anywhere: the agent's name and its folder."""

Checkpointed = Checkpoint | Sequence[Checkpoint] | None
"""What proves an agent's work; of a verifier of several doers, what proves the work of each."""

_PLACEHOLDER: Final = re.compile(r"\{\{([a-z_]+)\}\}")
_KNOWN: Final = re.compile(rf"\{{\{{({'|'.join((*BLOCKS, *INLINE))})\}}\}}")
_LINE: Final = re.compile(r"(?m)^\{\{([a-z_]+)\}\}[ \t]*$")
_TEMPLATE: Final = re.compile(r"[\w~./*-]*_template\.md\b")
_INSTRUCTIONS: Final = re.compile(rf"{re.escape(places.AGENTS)}([a-z0-9_]+)/agent_instructions\.md")


def _shipped() -> dict[str, str]:
    folder = resources.files(__package__ or "") / "templates"
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".md")}


TEMPLATES: Final[Mapping[str, str]] = _shipped()
"""The shipped templates by file name."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """What stands under each of the eight headings."""

    parts: Mapping[str, str]


def parse(data: bytes, path: str) -> Instructions:
    """Instructions as a value; DocumentError names each heading that is missing or there twice."""
    found = sections.required(sections.split(decode(data, path)), HEADINGS, path, rule="instructions")
    return Instructions({title: found[title].whole.strip() for title in HEADINGS})


# --- templates --------------------------------------------------------------------------------------------------------


def template_findings(text: str, path: str) -> tuple[Finding, ...]:
    """What keeps a template from being filled: a heading or a placeholder that is missing, twice, or unknown."""
    return tuple(_wrong_template(_plain(text), path))


def _plain(template: str) -> str:
    """A template as it is filled, whatever editor it was saved with."""
    return unified(template.removeprefix("\ufeff"))


def _wrong_template(text: str, path: str) -> Iterator[Finding]:
    yield from _headings(text, path, "template")
    lined = [found[1] for found in _LINE.finditer(text)]
    for name in BLOCKS:
        if lined.count(name) != 1:
            count = "is missing" if name not in lined else f"is there {lined.count(name)} times"
            repair = f"put {{{{{name}}}}} on one line of its own, where it belongs"
            yield _of_template("placeholder", f"the placeholder {{{{{name}}}}} {count}", repair, path, name)
    for number, line in enumerate(text.split("\n"), 1):
        for found in _PLACEHOLDER.finditer(line):
            if found[1] not in (*BLOCKS, *INLINE):
                valid = ", ".join(f"{{{{{name}}}}}" for name in (*BLOCKS, *INLINE))
                problem = f"{found[0]} is no placeholder; valid: {valid}"
                yield _of_template("placeholder", problem, "correct or remove it", path, found[1], number)
            elif found[1] in BLOCKS and not _LINE.match(line):
                problem = f"{found[0]} stands within a line, and what takes its place has several"
                yield _of_template("placeholder", problem, "put it on a line of its own", path, found[1], number)


def _of_template(rule: str, problem: str, repair: str, path: str, about: str, line: int | None = None) -> Finding:
    return Finding(rule=f"template.{rule}", problem=problem, repair=repair, file=path, about=about, line=line)


def specialised(base: str, guidance: CreationGuidance) -> str:
    """A template for an agent that was missing: the base, and what its kind of work needs besides, before its task."""
    entry = guidance.registry_entry
    lines = [f"You are of the type `{entry.agent_type}`: {inert.sentence(entry.description)}."]
    known = dict.fromkeys((*entry.capabilities, *guidance.additional_capabilities))
    if known:
        lines.append(f"What is expected of you besides: {', '.join(map(inert.line, known))}.")
    return _plain(base).replace("{{task}}", "\n\n".join([*map(_spoken, lines), "{{task}}"]), 1)


# --- writing ----------------------------------------------------------------------------------------------------------


def render(
    name: str,
    given: InstructionsOutput,
    template: str,
    contract: FileContract,
    checkpoint: Checkpointed,
    practices: Sequence[str] = (),
) -> str:
    """The instructions of one agent; DocumentError where the template cannot be filled."""
    if wrong := template_findings(template, "template"):
        raise DocumentError(wrong)
    blocks = {
        "task": inert.block(given.task),
        "practices": f"### {PRACTICES}\n\n{_list(practices)}" if practices else "",
        "inputs": _inputs(contract, given.inputs),
        "outputs": _outputs(contract, given.outputs),
        "criteria": _criteria(_all(checkpoint)),
        "evidence": _list(given.evidence),
    }
    inline = {"agent": name, "folder": places.agent(name)}
    text = _PLACEHOLDER.sub(lambda found: inline.get(found[1], found[0]), _plain(template))
    if not blocks["practices"]:
        text = re.sub(r"(?m)^\{\{practices\}\}[ \t]*\n+", "", text)
    return _LINE.sub(lambda found: _spoken(blocks[found[1]]), text).rstrip("\n") + "\n"


def trial(poc: Poc) -> Checkpoint:
    """What proves a PoC, as a checkpoint does for a doer: its criteria for passing and for failing."""
    evidence = "; ".join(poc.evidence)
    wanted = {"pass": poc.passes, "fail": poc.fails}
    criteria = tuple(
        Criterion(id=f"{poc.poc_id}_{way}_{number}", text=f"{way.capitalize()}: {text}", evidence=evidence)
        for way, texts in wanted.items()
        for number, text in enumerate(texts, 1)
    )
    return Checkpoint(id=poc.poc_id, doer=poc.agent, criteria=criteria)


def _spoken(text: str) -> str:
    """The text with no placeholder in it: a reader sees the same, and nobody takes it for one that was left."""
    return _KNOWN.sub(r"{\\{\1}}", text)


def _list(texts: Iterable[str]) -> str:
    return "\n".join(map(inert.item, texts))


def _all(checkpoint: Checkpointed) -> Sequence[Checkpoint]:
    return (checkpoint,) if isinstance(checkpoint, Checkpoint) else checkpoint or ()


def _inputs(contract: FileContract, uses: Sequence[Use]) -> str:
    purposes = {use.path: use.purpose for use in uses}
    listed = [_named(read.path, _read(read), purposes.get(read.path, "")) for read in contract.reads]
    alone = [f"Yours alone while you work: {inert.codes(contract.resources)}."] if contract.resources else []
    return "\n\n".join(["\n".join(listed) or "Nothing besides.", *alone])


def _read(read: Read) -> list[str]:
    source = f"from {inert.code(read.source)}" if read.source else "there before the work begins"
    return [read.format, source, "required" if read.required else "read it if it is there"]


def _outputs(contract: FileContract, uses: Sequence[Use]) -> str:
    purposes = {use.path: use.purpose for use in uses}
    listed = [_named(one.path, [one.format], one.description, purposes.get(one.path, "")) for one in contract.writes]
    return "\n".join(listed) or "You write no files."


def _named(path: str, facts: Sequence[str], *said: str) -> str:
    known = "; ".join(filter(None, map(inert.line, facts)))
    parts = [words for text in dict.fromkeys(said) if (words := inert.sentence(text))]
    return f"- {inert.code(path)}" + (f" ({known})" if known else "") + (f": {'. '.join(parts)}." if parts else "")


def _criteria(checkpoints: Sequence[Checkpoint]) -> str:
    return "\n\n".join(map(_checkpoint, checkpoints)) or "No checkpoint names a criterion for this agent."


def _checkpoint(one: Checkpoint) -> str:
    parts = [f"Checkpoint {inert.code(one.id)}:", "\n".join(map(_criterion, one.criteria))]
    if one.failure_modes:
        modes = (f"{inert.sentence(mode.mode)}. Then: {mode.remediation}" for mode in one.failure_modes)
        parts += ["What can go wrong, and what is done about it:", _list(modes)]
    return "\n\n".join(parts)


def _criterion(one: Criterion) -> str:
    lines = [f"- {inert.code(one.id)}: {inert.line(one.text)}", f"  - Shown by: {inert.line(one.evidence)}"]
    return "\n".join([*lines, *([f"  - Command: {inert.code(one.command)}"] if one.command else [])])


# --- checking ---------------------------------------------------------------------------------------------------------


def output_findings(given: InstructionsOutput, name: str, contract: FileContract) -> tuple[Finding, ...]:
    """What a writer left out or made up: every path of the contract has one purpose, and no other path has any."""
    return tuple(_wrong_output(given, name, contract))


def _wrong_output(given: InstructionsOutput, name: str, contract: FileContract) -> Iterator[Finding]:
    if given.agent != name:
        problem = f"these are instructions for {given.agent}; asked for were those of {name}"
        yield _of("agent", problem, f"write for {name}", "", given.agent)
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
                yield _of("purpose", problem, f"name it once under `{field}`, with its purpose", "", path)
        for path in dict.fromkeys(named):
            if path not in paths:
                valid = ", ".join(dict.fromkeys(paths)) or "none"
                problem = f"{path} is in `{field}` and not in the contract of {name}; valid: {valid}"
                yield _of("stranger", problem, "remove it, or write the path as the contract has it", "", path)


def findings(text: str, path: str, name: str, contract: FileContract, checkpoint: Checkpointed) -> tuple[Finding, ...]:
    """What instructions lack: a heading, a path, a criterion; and what they must not have."""
    return tuple(_wrong(text, path, name, contract, checkpoint))


def _wrong(text: str, path: str, name: str, contract: FileContract, checkpoint: Checkpointed) -> Iterator[Finding]:
    found = sections.split(text)
    yield from _headings(text, path, "instructions")
    for title in HEADINGS:
        if (part := sections.named(found, title)) and not part.whole.strip():
            yield _of("empty", f"there is nothing under “{title}”", "write what belongs there", path, title, part.line)
    wanted = {
        "Inputs": [read.path for read in contract.reads],
        "Outputs": [written.path for written in contract.writes],
        "Success Criteria": [criterion.id for one in _all(checkpoint) for criterion in one.criteria],
    }
    for title, names in wanted.items():
        yield from _unnamed(sections.named(found, title), title, names, path)
    yield from _left(text, path)
    yield from _pointers(text, path, name, contract)


def _headings(text: str, path: str, rule: str) -> Iterator[Finding]:
    found = sections.split(text)
    try:
        there = sections.required(found, HEADINGS, path, rule=rule)
    except DocumentError as error:
        yield from error.findings
        return
    in_order = sorted(HEADINGS, key=lambda title: there[title].line)
    if tuple(in_order) != HEADINGS:
        at, title = next((at, title) for at, title in enumerate(in_order) if title != HEADINGS[at])
        problem = f"“{title}” stands where “{HEADINGS[at]}” should; the order is {', '.join(HEADINGS)}"
        line = there[title].line
        yield Finding(
            rule=f"{rule}.order", problem=problem, repair="put them in this order", file=path, line=line, about=title
        )


def _unnamed(part: Section | None, title: str, names: Sequence[str], path: str) -> Iterator[Finding]:
    for name in dict.fromkeys(names):
        plain = " ".join(name.split())
        if part and not re.search(rf"(?<![\w./-]){re.escape(plain)}(?![\w/-]|\.\w)", part.whole):
            rule = "criterion" if title == HEADINGS[3] else "path"
            problem = f"“{title}” does not name {plain}"
            yield _of(rule, problem, "add it, or make the instructions again", path, plain, part.line)


def _left(text: str, path: str) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), 1):
        for found in _KNOWN.finditer(line):
            problem = f"the placeholder {found[0]} was not filled"
            yield _of("placeholder", problem, "make the instructions again", path, found[1], number)


def _pointers(text: str, path: str, name: str, contract: FileContract) -> Iterator[Finding]:
    """Whoever reads instructions has nothing else: neither the template nor what another agent was told."""
    own = {*(read.path for read in contract.reads), *(written.path for written in contract.writes)}
    for number, line in enumerate(text.split("\n"), 1):
        templates = [found[0] for found in _TEMPLATE.finditer(line)]
        others = [found[0] for found in _INSTRUCTIONS.finditer(line) if found[1] != name]
        for pointed in dict.fromkeys([*templates, *others]):
            if pointed not in own:
                problem = f"it points to {pointed}, which its reader does not have"
                yield _of("pointer", problem, "say here what is to be known from it", path, pointed, number)


def _of(rule: str, problem: str, repair: str, path: str, about: str, line: int | None = None) -> Finding:
    return Finding(rule=f"instructions.{rule}", problem=problem, repair=repair, file=path, about=about, line=line)
