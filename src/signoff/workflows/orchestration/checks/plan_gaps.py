"""What the plan decided, or its person answered, and the design leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.findings import Finding, Severity
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks.design_files import DesignFiles
from signoff.workflows.orchestration.documents import review_questions
from signoff.workflows.orchestration.sequence import path_patterns

_NAMED: Final = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.\w+)`")
"""A file of the project, named as one: `app/report.py`."""
_WORD: Final = re.compile(r"\w{4,}|\d+")
LEAST: Final = 0.5
"""The share of an answer's words that a criterion must have to be about it."""
SHOWN: Final = 120


def decided(files: DesignFiles) -> Iterator[Finding]:
    """Decisions and answers of the plan from which no agent has an action, and files of it that no contract has."""
    quotes = [squeeze(one) for member in files.roster.agents.values() for one in member.plan_action_sources]
    said = [*(one.decision for one in files.plan.decisions), *(one.answer for one in files.plan.resolved)]
    for text in dict.fromkeys(map(squeeze, said)):
        quoted = any(quote in text or text in quote for quote in quotes if quote)
        lost = _nobodys(text, files)
        if lost and quoted:
            problem = f"{_short(text)} names {', '.join(lost)}, which is in no contract"
            repair = "let the contract of who builds it name the file, or take it out of the plan"
            yield _gap("unbuilt", problem, repair, places.CONTRACTS, lost[0])
        elif lost:
            problem = f"nobody builds what was decided: {_short(text)}"
            yield _gap("nobody", problem, "give an agent an action that quotes it", places.ROSTER, lost[0])
        elif not quoted:
            problem = f"no agent has an action from what was decided: {_short(text)}"
            repair = "give one an action that quotes it, or know that nobody looks after it"
            yield _gap("unquoted", problem, repair, places.ROSTER, "", "warning")


def _nobodys(text: str, files: DesignFiles) -> list[str]:
    """The files that a decision names, if no contract reads or writes any of them."""
    named = list(dict.fromkeys(_NAMED.findall(text)))
    known = files.contracts.paths
    return [] if any(path_patterns.overlap(one, path) for one in named for path in known) else named


def answered(files: DesignFiles) -> Iterator[Finding]:
    """What a person answered to the reviewers and no criterion mentions."""
    proofs = [_words(f"{one.text} {one.evidence}") for point in files.checkpoints.checkpoints for one in point.criteria]
    for one in review_questions.answers(files.texts.get(places.QUESTIONS, "")):
        wanted = _words(one.answer)
        if wanted and not any(len(wanted & proof) >= LEAST * len(wanted) for proof in proofs):
            problem = f"no criterion mentions what was answered to {one.key}: {_short(squeeze(one.answer))}"
            repair = "let a criterion say it, or know that nothing shows it"
            yield _gap("answer", problem, repair, places.CHECKPOINTS, one.key, "warning")


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _gap(rule: str, problem: str, repair: str, file: str, about: str, severity: Severity = "error") -> Finding:
    return Finding(rule=f"gap.{rule}", problem=problem, repair=repair, file=file, about=about, severity=severity)
