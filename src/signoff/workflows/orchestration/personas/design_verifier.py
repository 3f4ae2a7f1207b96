"""design-verifier: a person reads the design beside what code found, and approves or rejects it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, get_args

from signoff.artifacts import yamlio
from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError
from signoff.core.personas import Interview, Need, Said, Scene, Settling, rounds
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import design_verification
from signoff.workflows.orchestration.outputs import ReadingOutput, Seen
from signoff.workflows.orchestration.personas.questions import asked, no, one_line, persona, text_of, yes

AGENT, DESIGN = "design-verifier", "design"
SEVERITIES: Final = {"A": "error", "B": "warning"}
AREAS: Final = dict(zip("ABCDEF", get_args(Seen.model_fields["area"].annotation), strict=True))
_REPAIR: Final = "Say how it could be mended: whoever made that part is given these words."


def questions(said: Said, scene: Scene) -> Iterator[Question]:
    """What a reader noticed, one thing at a time, and what the design leaves open."""
    for key in rounds(said, "finding"):
        title = "What is wrong, or could be?" if key.endswith("-1") else "What else?"
        text = f"{_checked(scene)}An empty line: nothing (more)."
        yield asked(said, key, title, text if key.endswith("-1") else "", section="Findings")
        if said.get(key, "").strip():
            yield _choice(said, f"{key}.severity", "How grave is it?", SEVERITIES)
            yield _choice(said, f"{key}.area", "Whose part is it?", AREAS)
            yield asked(said, f"{key}.file", "In which file?", "An empty line: in none alone.", section="Findings")
            yield asked(said, f"{key}.repair", "How could it be mended?", section="Findings", must=_REPAIR)
    for key in rounds(said, "gap"):
        title = "What does the design leave open?" if key.endswith("-1") else "What else does it leave open?"
        yield asked(said, key, title, "On purpose or by mistake. An empty line: nothing (more).", section="Gaps")


def _choice(said: Said, key: str, title: str, choices: Mapping[str, str]) -> Question:
    wrong = "" if said.get(key, "A") in choices else f"Take one of {', '.join(choices)}."
    return asked(said, key, title, section="Findings", choices=tuple(choices.items()), verdict=wrong)


def _checked(scene: Scene) -> str:
    """What code found."""
    checks = dict(scene.notes.get("checks") or {})
    failed = [str(name) for name, result in checks.items() if result != "pass"]
    if not checks:
        return ""
    return "Code found nothing wrong. " if not failed else f"Code has failed: {', '.join(failed)}. "


def output(said: Said, _scene: Scene) -> str:
    """The reading under its contract."""
    found = [
        {
            "severity": SEVERITIES.get(said.get(f"{key}.severity", ""), ""),
            "area": AREAS.get(said.get(f"{key}.area", ""), ""),
            "file": said.get(f"{key}.file", "").strip(),
            "problem": one_line(said[key]),
            "repair": one_line(said.get(f"{key}.repair", "")),
        }
        for key in rounds(said, "finding")
        if said.get(key, "").strip()
    ]
    gaps = [one_line(said[key]) for key in rounds(said, "gap") if said.get(key, "").strip()]
    return yamlio.dump({"findings": found, "gaps": gaps})


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """The approval of the whole design, with the plan and everything that was found about it."""
    if ask.key != DESIGN:
        return None
    shown = (text_of(scene, places.COORDINATION), _found(scene.read(places.VERIFICATION)))
    return Settling(
        "\n\n".join(filter(None, shown)),
        (
            yes("approve", "The design is meant, to the byte: what changes afterwards is not approved."),
            no("reject", "The part that your reason is about is designed again.", "What must be different?"),
        ),
    )


def _found(data: bytes | None) -> str:
    """What code and the reader found, in their words, with the file."""
    try:
        known = design_verification.parse(data or b"", places.VERIFICATION)
    except DocumentError as error:
        return f"{places.VERIFICATION} cannot be read; look at it before you decide. {error}"
    lines = [f"# Verification: {known.result}", ""]
    for check in known.checks:
        lines.append(f"- {check.check}: {check.result}")
        lines += [f"  - {_line(one.severity, one.file, one.problem, one.repair)}" for one in check.findings]
    reading = known.reading or ReadingOutput()
    lines += [f"- the reader: {_line(one.severity, one.file, one.problem, one.repair)}" for one in reading.findings]
    lines += [f"- a gap: {one_line(gap)}" for gap in reading.gaps]
    return "\n".join(lines)


def _line(severity: str, file: str, problem: str, repair: str) -> str:
    return f"{severity}: {f'{file}: ' if file else ''}{one_line(problem).rstrip('.')}. {one_line(repair)}"


DESIGN_VERIFIER: Final = persona(
    name="design-verifier",
    about="Shows what was found about the design, takes what you find, and puts the design to you.",
    needs=lambda _task: (
        Need(places.ROSTER, "workflow-designer"),
        Need(places.SEQUENCE, "workflow-designer"),
        Need(places.STATUS, "workflow-designer"),
        Need(places.COORDINATION, "workflow-designer"),
        Need(places.RISK_REPORT, "risk-assessment"),
    ),
    interview=Interview(questions=questions, output=output),
    agent=AGENT,
    settle=settle,
    next="workflow-executor",
)
