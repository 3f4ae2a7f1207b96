"""What a summary says, sentence by sentence, each in the words of the summary and with the work it belongs to.

Every statement is an exact quote (white space aside): what the plan's values hold and the text does not, because
somebody wrote it with marks in it, is taken from the text's own lines instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import plan as planning
from signoff.workflows.orchestration.plan import Plan
from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.domains import IMPLEMENTATION, LOOK_BACK
from signoff.workflows.wording import sentences

Kind = Literal["goal", "decision", "constraint", "answer", "assumption", "open", "dependency"]
WORK: Final[frozenset[Kind]] = frozenset({"goal", "decision", "constraint", "answer"})
"""What becomes actions; the others are minded, tried or asked."""

_ASSUMED: Final = re.compile(
    r"\b(?:assum\w+|presum\w+|probably|we (?:expect|believe|take it)|should be enough|untested"
    r"|nobody (?:has )?(?:counted|checked|measured|tried|tested|knows))\b",
    re.IGNORECASE,
)
_WANTED: Final = re.compile(r"we (?:want|need|build)\b", re.IGNORECASE)
_NOTHING: Final = re.compile(
    r"\W*(?:none|nothing|n/?a|no open (?:items|questions)|there (?:is|are) (?:none|nothing))(?: (?:left|open|yet))*\W*",
    re.IGNORECASE,
)
_TOGETHER: Final = re.compile(r"\b(?:both|all three|each of them)\b", re.IGNORECASE)
_MARKS: Final = re.compile(r"^(?:[-*+]|\d+[.)])\s+(?:(?:Decision|Q|A)\s*:\s*)?")
_CLAUSE: Final = re.compile(r";\s+|:\s+(?=[a-z])|,\s+and\s+")
OVERVIEW: Final = 3
"""A sentence that names so many kinds of work speaks of the whole and is nobody's task."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or point, its section, and what was asked before it, where it is an answer."""

    text: str
    kind: Kind
    asked: str = ""

    @property
    def whole(self) -> str:
        """The text with the question that it answers."""
        return f"{self.asked} {self.text}".strip()


@dataclass(frozen=True)
class Reading:
    """A summary as the players read it: the plan's values, the text, and the statements in their order."""

    plan: Plan
    text: str

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        found = [one for one in _statements(self.plan) if planning.quoted(self.text, one.text)]
        once = {one.text.casefold(): one for one in reversed(found or list(_lines(self.text)))}
        return tuple(once.values())[::-1]

    @cached_property
    def apart(self) -> frozenset[str]:
        """The kinds of work that have a statement of their own."""
        work = (one.text for one in self.of_kind(*WORK) if not is_overview(one.text))
        return frozenset(found.agent for text in work if (found := domains.called_for(text)))

    @cached_property
    def active(self) -> tuple[str, ...]:
        """The kinds of work that a statement calls for; for want of any, plain programming."""
        whole = (one.text for one in self.of_kind(*WORK) if is_overview(one.text))
        called = {*self.apart, *(domain.agent for text in whole for domain in domains.named(text, domains.BY_AGENT))}
        return tuple(agent for agent in domains.BY_AGENT if agent in called) or (IMPLEMENTATION.agent,)

    def owners(self, statement: Statement) -> tuple[str, ...]:
        """Whose work a statement is: of one, of several where it says so; of the whole, of those who have no other."""
        named = tuple(domain.agent for domain in domains.named(statement.text, self.active))
        if is_overview(statement.text):
            return tuple(agent for agent in named if agent not in self.apart)
        if len(named) > 1 and _TOGETHER.search(statement.text):
            return named
        best = domains.best(statement.text, self.active)
        if best is None and self.active == (IMPLEMENTATION.agent,) and statement.kind in WORK:
            return self.active
        return (best.agent,) if best else ()

    def of(self, agent: str, *kinds: Kind) -> list[Statement]:
        """The statements of these sections that are one kind of agent's work."""
        return [one for one in self.statements if one.kind in kinds and agent in self.owners(one)]

    def of_kind(self, *kinds: Kind) -> list[Statement]:
        return [one for one in self.statements if one.kind in kinds]

    def unowned(self) -> list[Statement]:
        """Constraints and answers that name nobody's work: everybody minds them."""
        return [one for one in self.statements if one.kind in ("constraint", "answer") and not self.owners(one)]


def is_overview(text: str) -> bool:
    """Whether a text speaks of the whole: it names several kinds of work, and none as the one that looks at them."""
    named = domains.named(text, domains.BY_AGENT)
    enough = 2 if _WANTED.match(text) else OVERVIEW
    return len(named) >= enough and domains.called_for(text) not in LOOK_BACK and not _TOGETHER.search(text)


def halves(statement: Statement) -> list[Statement]:
    """A statement as its clauses, each of which still says something; itself where it has but one."""
    cuts = [0, *(hit.end() for hit in _CLAUSE.finditer(statement.text)), len(statement.text)]
    texts = [statement.text[a:b].rstrip(" ;:,").removesuffix(", and") for a, b in pairwise(cuts)]
    whole = [text for text in texts if len(text.split()) >= 4]
    return [Statement(text, statement.kind, statement.asked) for text in whole] if len(whole) > 1 else [statement]


def is_assumed(text: str) -> bool:
    return _ASSUMED.search(text) is not None


def _statements(plan: Plan) -> Iterator[Statement]:
    for text in sentences(squeeze(plan.goal)):
        yield Statement(_bare(text), "goal")
    for made in plan.decisions:
        yield Statement(_bare(made.decision), "decision")
    for text in plan.constraints:
        yield Statement(_bare(text), "assumption" if is_assumed(text) else "constraint")
    for one in plan.resolved:
        yield Statement(_bare(one.answer), "answer", squeeze(one.question))
    yield from (Statement(_bare(text), "open") for text in open_items(plan))
    yield from (Statement(_bare(text), "dependency") for text in plan.dependencies)


def open_items(plan: Plan) -> list[str]:
    """What a plan leaves open; a line that says that there is nothing is none."""
    return [text for text in plan.open_items if not _NOTHING.fullmatch(squeeze(text))]


def _bare(text: str) -> str:
    """One line, without the stop at its end: the words are still those of the summary."""
    return squeeze(text).rstrip(".")


def _lines(text: str) -> Iterator[Statement]:
    """For want of anything better, the lines of the text; headings only where there is nothing else."""
    bare = [(line.lstrip(), _bare(_MARKS.sub("", line.strip()))) for line in text.splitlines()]
    prose = [said for line, said in bare if said and not line.startswith("#")]
    yield from (
        Statement(said, "goal") for said in prose or [said.lstrip("# ") for _, said in bare if said.strip("# ")]
    )


def in_parts(found: Sequence[Statement], most: int) -> list[list[Statement]]:
    """The fewest parts that hold `most` at most, nearly equal: 8 in parts of 7 are 4 and 4."""
    number = max(1, -(-len(found) // most))
    cuts = [len(found) * at // number for at in range(number + 1)]
    return [list(found[a:b]) for a, b in pairwise(cuts)]
