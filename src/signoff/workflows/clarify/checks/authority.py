"""Checks what an agent says against the material, the questions and the ids that people know."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding, failing
from signoff.core.refs import Ref
from signoff.evidence.sources import files as material
from signoff.workflows.clarify.checks import lint
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents.clarifications import Clarifications
from signoff.workflows.clarify.documents.decisions import folded
from signoff.workflows.clarify.outputs import AnalystOutput, ConsolidatorOutput, RefinerOutput, ResearcherOutput
from signoff.workflows.clarify.state import Inquiry, own_of
from signoff.workflows.kit.table_steps import noted

MOST_REFINEMENTS = 3
SHORTEST_QUOTE = 6
_TURNED = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_TAG = "[MUST ANSWER]"


def _wrong(rule: str, problem: str, repair: str, about: str = "", line: int | None = None) -> Finding:
    return Finding(rule=f"clarify.{rule}", problem=problem, repair=repair, about=about, line=line)


def unreadable(output: BaseModel) -> list[Finding]:
    """Characters that no text file should hold: a document with one of them could not be read again."""
    found = dict.fromkeys(char for text in _texts(output.model_dump()) for char in text if _is_control(char))
    return [
        _wrong("character", f"the output has the character U+{ord(char):04X}, which is not text", "leave it out")
        for char in found
    ]


def _is_control(char: str) -> bool:
    """Control characters, line ends that only some programs know, and marks that turn text around before the eyes."""
    return char not in "\n\r\t" and (unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _TURNED)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


# --- research ---------------------------------------------------------------------------------------------------------


def check_researcher(now: Now, output: ResearcherOutput) -> Sequence[Finding]:
    """Every question says where the material leaves it open, and the words are really there."""
    return unreadable(output) or [
        finding
        for number, question in enumerate(output.questions, 1)
        for source in question.sources
        for finding in _located(now, number, source.path, source.quote)
    ]


def _located(now: Now, number: int, path: str, quote: str) -> Iterator[Finding]:
    about = f"question {number}"
    read = {ref.path: ref for ref in now.turn.start.pinned} if now.turn else {}
    if path not in read:
        problem = f"{about} names the source {path!r}, which is not an input of this turn"
        yield _wrong("source", problem, f"name one of: {', '.join(read) or 'none'}", about)
    elif len(folded(quote).encode()) < SHORTEST_QUOTE:
        problem = f"{about} quotes {quote!r}, which is too little to find a place by"
        yield _wrong("quote", problem, "quote the sentence that leaves it open", about)
    elif folded(quote).casefold() not in _said_in(now, read[path]):
        problem = f"{about} quotes {quote!r}, and {path} does not say that"
        yield _wrong("quote", problem, "quote words that occur in the source, as they are written there", about)


def _said_in(now: Now, ref: Ref) -> str:
    """The whole text of a source as quotes are looked up in it; a source that cannot be read says nothing."""
    try:
        return now.look(ref, _words)
    except DocumentError:
        return ""


def _words(data: bytes, path: str) -> str:
    source = material.parse_source(data, path)
    return folded(" ".join((*source.shown, *source.pages))).casefold()


# --- consolidation ----------------------------------------------------------------------------------------------------


def consolidated(own: Inquiry, output: ConsolidatorOutput, before: Clarifications | None) -> lint.Repaired:
    """The file as it will be written: older forms repaired, counts computed, answers of people carried over."""
    path = own.clarifications
    repaired = lint.repaired(output.clarifications, path)
    doc = asked = cl.parse(repaired.text, path)
    if before is not None:
        doc = cl.parse(_with_kept(doc, cl.parse(lint.repaired(before.text, path).text, path)), path)
    removed = max(0, len(own.origins) - len({one.origin for one in output.dropped}) - len(asked.questions))
    text = cl.with_front(doc.text, {**cl.counts(doc), "duplicates_removed": removed})
    claimed = cl.parse(output.clarifications, path).front.get("duplicates_removed")
    fixed = repaired.fixed
    if claimed != removed:
        problem = f"duplicates_removed was given as {claimed!r}; {removed} research questions were merged into others"
        fixed += (noted("clarifications.counts", problem, "nothing to do: it was corrected", file=path),)
    return lint.Repaired(text=text, fixed=fixed, left=repaired.left)


def _with_kept(doc: Clarifications, before: Clarifications) -> str:
    """The file with every answered question as the person answered it: neither asked away nor put in other words."""
    text = doc.text
    for item in before.questions:
        if not item.answer:
            continue
        block, now = before.text[slice(*item.span)].strip(), cl.parse(text, doc.file)
        again = now.item(item.key)
        if again is not None:
            start, end = again.span
            text = f"{text[:start]}{block}\n\n{text[end:]}".rstrip() + "\n"
            continue
        section = item.section or "Kept"
        places = {one.title: one.span[1] for one in now.sections}
        at = places.get(section, len(text))
        head = "" if section in places else f"## {section}\n\n"
        text = f"{text[:at].rstrip()}\n\n{head}{block}\n\n{text[at:]}".rstrip() + "\n"
    return text


def check_consolidator(now: Now, output: ConsolidatorOutput) -> Sequence[Finding]:
    """The file is in the canonical form, ids stay what they were, and no research question is lost on the way."""
    own = own_of(now.state)
    path, torn = own.clarifications, ("clarifications.frontmatter", "clarifications.fence")
    problems = cl.parse(output.clarifications, path).problems
    if found := [*unreadable(output), *(one for one in problems if one.rule in torn)]:
        return found  # nothing below such a place can be read, so nothing else can be said about the file
    made = lint.repaired(output.clarifications, path)
    doc = cl.parse(made.text, path)
    mine = (*_asked(doc, output), *_weighed(own, doc), *_numbered(own, doc), *_accounted(own, doc, output))
    return [*failing(made.left), *mine]


def _asked(doc: Clarifications, output: ConsolidatorOutput) -> Iterator[Finding]:
    if not doc.questions:
        yield _wrong("empty", "there is no question in it", "write `### Q1: Title` and what belongs to it")
    for item in (*doc.refinements, *doc.entries):
        yield _wrong(
            "early", f"{item.key} comes before a person has answered", "leave it out: ask questions only", item.key
        )
    for item in cl.parse(output.clarifications).items:
        if item.answer:
            problem = f"{item.key} has the answer {item.answer[:60]!r}, and answers are the person's"
            yield _wrong("answered", problem, "leave `**Answer:**` empty", item.key, item.line)
    for item in doc.questions:
        if not item.section:
            problem = f"{item.key} stands before the first section"
            yield _wrong("section", problem, "put every question under a `## ` heading", item.key, item.line)


def _weighed(own: Inquiry, doc: Clarifications) -> Iterator[Finding]:
    """What a researcher found to be a must stays one, and the scope is recommended with yes or no."""
    for item in doc.questions:
        if not item.must and (names := [name for name in item.origins if name in own.musts]):
            problem = f"{item.key} is no longer marked {_TAG}, which {', '.join(names)} was"
            yield _wrong("must", problem, f"write `{_TAG}` behind its title", item.key, item.line)
    scope = doc.front.get("scope_recommendation", False)
    if not isinstance(scope, bool):
        yield _wrong("scope", f"scope_recommendation is {scope!r}", "write true or false, or leave it out")


def _numbered(own: Inquiry, doc: Clarifications) -> Iterator[Finding]:
    """A kept question keeps its id and title; a new one gets the next number."""
    given = max((int(key[1:]) for key in own.shown if key.startswith("Q")), default=0)
    fresh = 0
    for item in doc.questions:
        if item.key in own.shown:
            if folded(own.shown[item.key]) != folded(item.title):
                problem = f"{item.key} was {own.shown[item.key]!r} and is now {item.title!r}"
                yield _wrong("renamed", problem, "keep the title, or give the new question a new id", item.key)
            continue
        fresh += 1
        if item.key != f"Q{given + fresh}":
            problem = f"{item.key} ({item.title}) is not the next id, which is Q{given + fresh}"
            yield _wrong("number", problem, "number new questions in the order of the file", item.key, item.line)


def _accounted(own: Inquiry, doc: Clarifications, output: ConsolidatorOutput) -> Iterator[Finding]:
    """Each research question leads to exactly one question, or is dropped with a reason."""
    used = Counter(name for item in doc.questions for name in item.origins)
    dropped = {one.origin for one in output.dropped}
    for name in own.origins:
        if not used[name] and name not in dropped:
            problem = f"{name} ({own.origins[name]}) is in no `_Consolidated from: …_` and not dropped"
            yield _wrong("lost", problem, "name it where it went, or list it in `dropped` with the reason", name)
        elif used[name] + (name in dropped) > 1:
            problem = f"{name} is used more than once"
            yield _wrong("twice", problem, "name it in the one question it became part of", name)
    for name in (*used, *dropped):
        if name not in own.origins:
            problem = f"{name!r} is not a research question"
            names = [*list(own.origins)[:8], *(["…"] if len(own.origins) > 8 else [])]
            yield _wrong("origin", problem, f"use the names of the research notes: {', '.join(names)}", name)
    for item in doc.questions:
        if not item.origins and item.key not in own.shown:
            problem = f"{item.key} does not say which research questions it comes from"
            yield _wrong("origin", problem, "add `_Consolidated from: Metrics Q1, …_`", item.key, item.line)


# --- detailed research ------------------------------------------------------------------------------------------------


def check_analyst(now: Now, output: AnalystOutput) -> Sequence[Finding]:
    """A contradiction is between answers that are there and clear."""
    own = own_of(now.state)
    clear = {key for key, verdict in own.evaluation.per_question if verdict == "clear"} if own.evaluation else set()
    found = [*unreadable(output), *_tagged([one.title for one in output.contradictions])]
    for one in output.contradictions:
        if unclear := [key for key in one.sources if key not in clear]:
            problem = f"the contradiction {one.title!r} names {', '.join(unclear)}, which has no clear answer"
            found.append(_wrong("contradiction", problem, "name ids whose answers are clear", one.title))
        if len(set(one.sources)) < 2:
            problem = f"the contradiction {one.title!r} has one side only"
            found.append(_wrong("contradiction", problem, "name two different ids", one.title))
    return found


def _tagged(titles: Sequence[str]) -> list[Finding]:
    return [
        _wrong("title", f"{title!r} has {_TAG} in it, which is not said here", "leave the tag out", title)
        for title in titles
        if _TAG.casefold() in title.casefold()
    ]


def check_refiner(now: Now, output: RefinerOutput) -> Sequence[Finding]:
    """One to three refinements for each item that was given, none for anything else."""
    wanted = [str(item["id"]) for item in now.turn.start.notes["items"]] if now.turn else []
    given = Counter(one.parent for one in output.refinements)
    found = [*unreadable(output), *_tagged([one.title for one in output.refinements])]
    found += [
        _wrong("parent", f"{key} was not given to refine", f"refine only {', '.join(wanted)}", key)
        for key in given
        if key not in wanted
    ]
    for key in wanted:
        if not 1 <= given[key] <= MOST_REFINEMENTS:
            problem = f"{key} got {given[key]} refinements"
            found.append(_wrong("amount", problem, f"give one to {MOST_REFINEMENTS} for each item", key))
    return found
