"""What the offline reviewers look for, and the forms of words in which they recommend something.

A rule is a question to the drafts: it applies where its words are in the plan, and is met where its words are in the
drafts. What it recommends is said in one of a few forms, so that a tactical architect who is code can follow it; one
that begins with "Consider" is for somebody to weigh.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signoff.workflows.orchestration.reviews import Domain

Part = Literal["security", "integration", "pattern", "target", "constraint", "decision", "consider"]
FORMS: Final[Mapping[Part, re.Pattern[str]]] = {
    "security": re.compile(r"Add the security requirement: (?P<text>.+)"),
    "integration": re.compile(r"Add the integration requirement: (?P<text>.+)"),
    "pattern": re.compile(r"Add the pattern: (?P<text>.+)"),
    "target": re.compile(r"Set the performance target (?P<name>[a-z][a-z0-9_]*): (?P<text>.+)"),
    "constraint": re.compile(r"Add the constraint on (?P<name>[a-z][a-z0-9_]*): (?P<text>.+)"),
    "decision": re.compile(r"Add the decision “(?P<name>[^”]+)”: (?P<text>.+)"),
    "consider": re.compile(r"Consider (?P<text>.+)"),
}
"""How something is recommended; `name` is what it is called or where it belongs."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A recommendation that was understood."""

    part: Part
    text: str
    name: str = ""


def understood(recommendation: str) -> Wanted | None:
    """What a recommendation asks for, where it is said in one of the forms."""
    for part, form in FORMS.items():
        if found := form.fullmatch(recommendation):
            return Wanted(part, found["text"], found.groupdict().get("name") or "")
    return None


@dataclass(frozen=True, slots=True)
class Rule:
    """Where the plan has words of `when` and the drafts have none of `unless`, this is a concern.

    One about a technology concerns only a stack that has it.
    """

    when: re.Pattern[str]
    unless: re.Pattern[str]
    concern: str
    recommendation: str
    risk: str = ""
    technology: str = ""


def _rule(when: str, unless: str, concern: str, recommendation: str, risk: str = "", technology: str = "") -> Rule:
    applies, met = (re.compile(words, re.IGNORECASE) for words in (when, unless))
    return Rule(applies, met, concern, recommendation, risk, technology)


RULES: Final[Mapping[Domain, Sequence[Rule]]] = {
    "security": (
        _rule(
            r"\b(?:key|token)s?\b",
            r"constant time|compare_digest|digests?\b",
            "The drafts say that callers have keys, and not how a key is kept or compared; a list of keys in plain "
            "text gives away every caller at once.",
            "Add the security requirement: Keys of callers are kept as digests, compared in constant time and never "
            "written to a log.",
            "A key that was seen once has to be changed on both sides; nobody has said how.",
        ),
        _rule(
            r"\b(?:e-mail|personal data|names?|addresses|accounts?|readers?|members?|customers?)\b",
            r"logs? (?:hold|has|have) ids|no personal data in",
            "The plan handles data about people, and the drafts do not say what may stand in logs and error messages.",
            "Add the security requirement: Logs hold ids and no personal data.",
        ),
        _rule(
            r"\b(?:forms?|pages?|dashboard|browser)\b",
            r"\bescap\w+",
            "The drafts do not say what happens to text that people type in before it is shown to others.",
            "Add the security requirement: Text that comes from outside is escaped in every page, and every form "
            "carries a token of its session.",
        ),
        _rule(
            r"\b(?:database|SQLite|table|stored?)\b",
            r"encrypt\w+ at rest",
            "Whoever can read the disk can read the database.",
            "Consider encrypting the database file at rest with a package for it.",
        ),
    ),
    "database_storage": (
        _rule(
            r"",
            r"busy timeout|WAL",
            "The drafts do not say how connections are set up; foreign keys are off in SQLite unless each "
            "connection asks for them, and a second writer fails at once.",
            "Add the constraint on database: Every connection switches foreign keys on and has a busy timeout.",
            technology="SQLite",
        ),
        _rule(
            r"\b(?:database|SQLite|PostgreSQL|table)\b",
            r"\b(?:backups? (?:is|are) (?:taken|tried)|restored)\b",
            "A backup that nobody has restored is a hope; the drafts say neither when one is taken nor who has "
            "tried it.",
            "Add the decision “Backups are taken and tried”: A backup is taken before every migration and every "
            "import, and one is restored into a copy before the first release.",
            "Without a tried backup the first failed migration is the last one.",
        ),
        _rule(
            r"",
            r"(?!)",
            "SQLite has one writer at a time; more writers than today would wait for each other.",
            "Consider PostgreSQL in place of SQLite, for the day on which several programs write.",
            technology="SQLite",
        ),
    ),
    "api_dataflow": (
        _rule(
            r"\b(?:lists?|every user|all (?:users|orders|rows))\b",
            r"\bpages?\b|\bpaging\b|at most \d+",
            "The drafts let a caller ask for everything at once; one long answer keeps all other callers waiting.",
            "Add the decision “Lists come in pages”: A list is answered in pages of at most 100 entries, ordered by "
            "id, with the id to go on from.",
        ),
        _rule(
            r"\b(?:REST|API|endpoints?)\b",
            r"error\w* (?:is|are) answered|errors? as JSON",
            "The drafts do not say what an error looks like; two people who build the two sides would not meet.",
            "Add the integration requirement: Every error is answered as JSON with a code and a sentence.",
        ),
        _rule(
            r"\bchanged since\b",
            r"index on (?:that|the) time",
            "A caller asks for what changed since a given time, and nothing says that this can be found without "
            "reading everything.",
            "Add the constraint on database: What is asked for by the time of its last change has an index on that "
            "time.",
        ),
        _rule(
            r"\b(?:command[- ]line|CLI)\b",
            r"exit (?:code|status)",
            "The drafts do not say how a caller learns that the program failed.",
            "Add the integration requirement: The program ends with exit code 0 only when it did all that was "
            "asked, and says on the error stream what it did not do.",
        ),
    ),
    "frontend": (
        _rule(
            r"\b(?:pages?|screens?|dashboard|forms?)\b",
            r"\bkeyboard\b",
            "The drafts do not say that pages can be used without a mouse; some people cannot use one.",
            "Add the decision “Pages work with the keyboard”: Every page can be used with the keyboard alone, every "
            "field has a label, and colour is never the only sign.",
        ),
        _rule(
            r"\b(?:pages?|screens?|dashboard|charts?)\b",
            r"empty (?:state|page|answer)|when (?:it|there) is (?:empty|nothing)",
            "The drafts do not say what a page shows when there is nothing to show, or when its data do not come.",
            "Add the pattern: Every page says what it shows when it is empty and what it shows when its data do not "
            "come.",
        ),
        _rule(
            r"\b(?:pages?|screens?|dashboard)\b",
            r"single[- ]page",
            "Pages from the server are loaded whole at every step.",
            "Consider React in place of pages from the server, for views that change while somebody looks at them.",
        ),
    ),
}
"""What each reviewer looks for, the worst first."""
