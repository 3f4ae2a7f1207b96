"""The solution-architect: the drafts of an architecture from what the summary decides, and the order of its reviews.

Every decision of the summary becomes one of the architecture, with its reasons and what was not chosen. Technologies
are those that somebody named (`technologies`). Nothing is made up: a figure stands where the summary has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.desk import SOURCES
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.plan import Made
from signoff.workflows.orchestration.players import domains, house, ordering, technologies
from signoff.workflows.orchestration.players.desk import Desk, Payload, player, reading_of
from signoff.workflows.orchestration.players.domains import API, DATA_MIGRATION, DATABASE, FRONTEND
from signoff.workflows.orchestration.players.house import Note
from signoff.workflows.orchestration.players.statements import Reading, open_items
from signoff.workflows.orchestration.players.technologies import Tech
from signoff.workflows.wording import clipped, sentences

QUESTIONS: Final[Mapping[str, str]] = {
    "scale": "How much has it to carry: how many people or calls, how much data, how fast an answer?",
    "team": "Which technologies does the team know, and which may it not use?",
    "integration": "Which systems does it have to work with, and how do they speak?",
    "security": "Who may do what, and which data need protection?",
    "deployment": "Where does it run, and who puts it there?",
}
"""What an architect asks; `compose` takes the answers under these keys, and any other question with its answer."""

SECURITY: Final = re.compile(
    r"\b(?:keys?|passwords?|tokens?|log(?:s|ged)? in|sign(?:s|ed)? in|personal data|roles?|permissions?|rights"
    r"|encrypt\w*|secrets?|401|403|GDPR|only .{1,40} may)\b",
    re.IGNORECASE,
)
FIGURE: Final = re.compile(
    r"\b\d[\d.,]*\s*(?:ms|milliseconds?|s|seconds?|minutes?|hours?|requests?|users?|calls?|rows?|GB|MB|%)(?!\w)",
    re.IGNORECASE,
)
_TITLE: Final = 70
_PLACES: Final = (
    ("database", "primary"),
    ("backend", "language"),
    ("backend", "framework"),
    ("frontend", "framework"),
    ("infrastructure", "deployment"),
    ("infrastructure", "orchestration"),
    ("testing", "framework"),
    ("testing", "browser"),
)


@dataclass(frozen=True)
class Ground:
    """All that an architect knows; `rejected` is why a person sent the last version back."""

    reading: Reading
    notes: Sequence[Note] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    rejected: str = ""

    @cached_property
    def said(self) -> tuple[str, ...]:
        """What decides on technologies, the strongest word first."""
        plan = self.reading.plan
        decided = (made.decision for made in plan.decisions)
        spoken = (*self.answers.values(), self.rejected)
        return tuple(
            filter(None, (*spoken, *decided, *plan.constraints, *(r.answer for r in plan.resolved), plan.goal))
        )

    @cached_property
    def refused(self) -> frozenset[str]:
        """Technologies that somebody is against, later words first: what is asked for again is refused no more."""
        plan = self.reading.plan
        spoken = " ".join((*self.answers.values(), self.rejected))
        wanted = {tech.name for tech in technologies.named(spoken)}
        declined = {tech.name for made in plan.decisions for tech in technologies.named(made.alternatives)}
        return (technologies.against(spoken) | declined | technologies.against(" . ".join(plan.constraints))) - wanted

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The layers that the work asks for, or that somebody names a technology of."""
        active = set(self.reading.active)
        asked = {tech.layer for text in self.said for tech in technologies.named(text)} & {"infrastructure", "frontend"}
        wanted = {"backend", "testing", *asked}
        wanted |= {"database"} if active & {DATABASE.agent, DATA_MIGRATION.agent} else set()
        wanted |= {"frontend"} if FRONTEND.agent in active else set()
        wanted |= {"infrastructure"} if "devops_agent" in active or "deployment" in self.answers else set()
        return tuple(layer for layer in technologies.LAYERS if layer in wanted)

    @cached_property
    def chosen(self) -> dict[str, dict[str, tuple[Tech, str]]]:
        """By layer and key, what is taken and the text that names it ("" where nobody does)."""
        stack = dict[str, dict[str, tuple[Tech, str]]]()
        for layer, key in _PLACES:
            taken = self._taken(layer, key) if layer in self.needed else None
            if taken:
                stack.setdefault(layer, {})[key] = taken
        return stack

    def _taken(self, layer: str, key: str) -> tuple[Tech, str] | None:
        texts = [text for text in self.said if all(tech.name not in self.refused for tech in technologies.named(text))]
        named = technologies.first(texts, layer, key) or technologies.first(
            [f"{note.technology} {note.version}" for note in self.notes if note.technology not in self.refused],
            layer,
            key,
        )
        optional = key in ("orchestration", "browser") or (
            key == "framework" and layer == "backend" and not self.serves
        )
        if named or optional:
            return named
        tech = technologies.default(layer, key, self.refused)
        return (tech, "") if tech else None

    @property
    def serves(self) -> bool:
        """Whether other programs or browsers call it."""
        return bool({API.agent, FRONTEND.agent} & set(self.reading.active))


def compose(files: Mapping[str, bytes], answers: Mapping[str, str], *, rejected: str = "") -> Payload:
    """The architect's output, from the summary and the sources by path and what was answered to `QUESTIONS`."""
    begins = places.summary("").removesuffix(".md")
    path = next((path for path in sorted(files) if path.startswith(begins)), places.summary("task"))
    sources = {
        path: data.decode("utf-8", "replace") for path, data in sorted(files.items()) if path.startswith(SOURCES)
    }
    said = {key: squeeze(str(text)) for key, text in answers.items() if str(text).strip()}
    ground = Ground(reading_of(files.get(path, b""), path), house.notes(sources), said, squeeze(rejected))
    return {"stack": _stack(ground), "architecture": _architecture(ground), "review": ordering.order(ground.reading)}


# --- the stack --------------------------------------------------------------------------------------------------------


def _stack(ground: Ground) -> dict[str, Any]:
    reading = ground.reading
    return {
        "technology_stack": {layer: _layer(layer, chosen, ground) for layer, chosen in ground.chosen.items()},
        "architecture_patterns": [pattern for agent, pattern in _PATTERNS.items() if agent in reading.active],
        "integration_requirements": [*_answered(ground, "integration"), *map(squeeze, reading.plan.dependencies)],
        "performance_targets": _targets(ground),
        "security_requirements": _security(ground),
    }


_PATTERNS: Final = {
    DATABASE.agent: "One relational schema, changed by numbered migrations with a way back",
    DATA_MIGRATION.agent: "Take-over in one transaction that can be repeated",
    API.agent: "REST with JSON over HTTP",
    FRONTEND.agent: "Pages made on the server",
    "devops_agent": "One deployment with a way back",
    "implementation_agent": "A small program with one entry point",
    "test_agent": "Tests from outside, beside the tests of each part",
}


def _layer(layer: str, chosen: Mapping[str, tuple[Tech, str]], ground: Ground) -> dict[str, Any]:
    names = {tech.name for tech, _ in chosen.values()}
    reasons = dict.fromkeys(_reason(tech, text, ground) for tech, text in chosen.values())
    others = [option for made in _deciding(names, ground) for option in _options(made)]
    limits = [squeeze(text) for text in ground.reading.plan.constraints if names & _names(text)]
    return {
        **{key: _with_version(tech, ground).said for key, (tech, _) in chosen.items()},
        "rationale": "; ".join(reasons),
        "alternatives_considered": list(dict.fromkeys(others)),
        "constraints": [*limits, *(_answered(ground, "team") if layer == "backend" else ())],
    }


def _reason(tech: Tech, text: str, ground: Ground) -> str:
    """Why it was taken: the decision's own reason, the words that name it, or what speaks for it."""
    made = next((one for one in ground.reading.plan.decisions if one.decision == text), None)
    if made:
        return squeeze(made.rationale).rstrip(".")
    return f"It was asked for: “{clipped(squeeze(text), 160)}”" if text else tech.because


def _with_version(tech: Tech, ground: Ground) -> Tech:
    """The version that somebody gives, else that of the house note, else the usual one."""
    reasons = (made.rationale for made in ground.reading.plan.decisions)
    given = (version for text in (*ground.said, *reasons) if (version := technologies.version_in(text, tech.name)))
    noted = (note.version for note in house.about(tech.name, ground.notes) if note.version)
    return replace(tech, version=next(chain(given, noted), tech.version))


def _names(text: str) -> set[str]:
    return {tech.name for tech in technologies.named(text)}


def _deciding(names: set[str], ground: Ground) -> list[Made]:
    return [made for made in ground.reading.plan.decisions if names & _names(made.decision)]


def _options(made: Made) -> list[str]:
    return [text for part in made.alternatives.split(";") if (text := squeeze(part))]


def _answered(ground: Ground, topic: str) -> list[str]:
    return [ground.answers[topic]] if topic in ground.answers else []


def _targets(ground: Ground) -> dict[str, str]:
    """The figures of constraints, answers and goals, under the name of the work they are about."""
    found = dict[str, str]()
    spoken = [one.text for one in ground.reading.of_kind("constraint", "answer", "goal") if FIGURE.search(one.text)]
    for text in (*_answered(ground, "scale"), *spoken):
        about = domains.best(text, ground.reading.active)
        name = f"{about.stem if about else 'system'}_target"
        number = sum(key.startswith(name) for key in found)
        found[name if not number else f"{name}_{number + 1}"] = text
    return found


def _security(ground: Ground) -> list[str]:
    said = ground.reading.of_kind("constraint", "answer", "decision")
    return [*_answered(ground, "security"), *(one.whole for one in said if SECURITY.search(one.text))]


# --- the decisions ----------------------------------------------------------------------------------------------------


def _architecture(ground: Ground) -> dict[str, Any]:
    plan = ground.reading.plan
    return {
        "executive_summary": _summary(ground),
        "overview": _overview(ground),
        "decisions": [_technologies(ground), *(_decision(made, ground) for made in plan.decisions)],
        "principles": _PRINCIPLES,
        "integration": _joined(ground.answers.get("integration", ""), *plan.dependencies)
        or "Nothing outside is called, and nothing outside calls it.",
        "security": _joined(*_security(ground)) or "The summary asks for no protection beyond that of the machine.",
        "deployment": _deployment(ground),
        "open_questions": [*map(squeeze, open_items(plan)), *_left_open(ground)],
    }


_PRINCIPLES: Final = [
    {"name": "The summary decides", "text": "What it settles is not settled again; what it leaves open is asked."},
    {"name": "There is a way back", "text": "Every change of data or schema can be undone, and that is tried."},
    {"name": "Proof before word", "text": "A part is done when somebody else has seen the evidence."},
]


def _summary(ground: Ground) -> str:
    goal = sentences(squeeze(ground.reading.plan.goal))
    taken = ", ".join(tech.said for layer in ground.chosen.values() for tech, _ in layer.values())
    return _joined(*goal[:2], f"It is built with {taken}")


def _overview(ground: Ground) -> str:
    layers = (
        f"{layer}: {', '.join(_with_version(tech, ground).said for tech, _ in chosen.values())}"
        for layer, chosen in ground.chosen.items()
    )
    others = (f"Asked: {key} Answer: {text}" for key, text in ground.answers.items() if key not in QUESTIONS)
    return _joined("; ".join(layers), *others)


def _technologies(ground: Ground) -> dict[str, Any]:
    """The first decision: which technologies, and why."""
    every = [one for layer in ground.chosen.values() for one in layer.values()]
    deciding = _deciding({tech.name for tech, _ in every}, ground)
    return {
        "title": "Technologies",
        "context": "Which technologies the parts are built with.",
        "decision": _joined(", ".join(_with_version(tech, ground).said for tech, _ in every)),
        "rationale": list(dict.fromkeys(_reason(tech, text, ground) for tech, text in every)),
        "alternatives": list(dict.fromkeys(option for made in deciding for option in _options(made))),
        "constraints": [squeeze(text) for text in ground.reading.plan.constraints if _names(text)],
        "implications": [],
        "risks": [],
    }


def _decision(made: Made, ground: Ground) -> dict[str, Any]:
    reading = ground.reading
    about = domains.best(made.decision, reading.active)
    agent = about.agent if about else ""
    return {
        "title": clipped(squeeze(made.decision), _TITLE),
        "context": f"It concerns the work of {agent}." if about else "It concerns the whole.",
        "decision": _set_aside(made, ground) + squeeze(made.decision),
        "rationale": [squeeze(made.rationale)],
        "alternatives": _options(made),
        "constraints": [one.text for one in reading.of(agent, "constraint")],
        "implications": [one.text for one in reading.of(agent, "dependency")],
        "risks": [one.text for one in reading.of(agent, "assumption")],
    }


def _set_aside(made: Made, ground: Ground) -> str:
    """What stands before a decision of the summary that a person has gone back on since."""
    spoken = _joined(*ground.answers.values(), ground.rejected)
    gone = bool(_names(made.decision) & technologies.against(spoken))
    return f"Set aside by what was said since (“{clipped(spoken, 200)}”): " if gone else ""


def _deployment(ground: Ground) -> str:
    named = [tech.said for tech, _ in ground.chosen.get("infrastructure", {}).values()]
    devops = ground.reading.of("devops_agent", "goal", "decision", "constraint", "answer")
    said = [ground.answers.get("deployment", ""), *(one.text for one in devops)]
    return _joined(*said, f"It is put into service with {', '.join(named)}" if named else "") or (
        "One process on one machine; the summary asks for nothing else."
    )


def _left_open(ground: Ground) -> Iterator[str]:
    """What a person asked for and was not understood, for them to see."""
    if ground.rejected and not technologies.named(ground.rejected) and not technologies.against(ground.rejected):
        yield f"Asked for when the last version was sent back, and not followed offline: “{ground.rejected}”"


def _joined(*texts: str) -> str:
    """Sentences in a row, each with its stop."""
    said = (squeeze(text) for text in texts)
    return " ".join(text if text[-1] in ".!?”" else f"{text}." for text in said if text)


def _work(desk: Desk) -> Payload:
    return compose(desk.files, desk.notes.get("answers") or {}, rejected=desk.rejected)


solution_architect = player(_work)
