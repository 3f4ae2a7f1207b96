"""design-verifier: a person reads the design with the findings of code, and approves or rejects it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, get_args

from signoff.artifacts import yamlio
from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError
from signoff.core.personas import Interview, Said, Scene, Settling, rounds
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import design_verification
from signoff.workflows.orchestration.outputs import ReadingOutput, Seen
from signoff.workflows.orchestration.personas.questions import asked, filled, needs, no, one_line, persona, text_of, yes

AGENT, DESIGN = "design-verifier", "design"
SEVERITIES: Final = {"A": "error", "B": "warning"}
AREAS: Final = dict(zip("ABCDEF", get_args(Seen.model_fields["area"].annotation), strict=True))
_REPAIR: Final = "Say how it could be fixed: the agent that made that part is given these words."


def questions(said: Said, scene: Scene) -> Iterator[Question]:
    """The reader's findings, one at a time, and the gaps of the design."""
    for key in rounds(said, "finding"):
        title = "What is wrong, or could be?" if key.endswith("-1") else "What else?"
        text = f"{_checked(scene)}An empty line: nothing (more)."
        yield asked(said, key, title, text if key.endswith("-1") else "", section="Findings")
        if said.get(key, "").strip():
            yield _choice(said, f"{key}.severity", "How serious is it?", SEVERITIES)
            yield _choice(said, f"{key}.area", "Which part of the design is it in?", AREAS)
            yield asked(said, f"{key}.file", "In which file?", "An empty line: in no single file.", section="Findings")
            yield asked(said, f"{key}.repair", "How could it be fixed?", section="Findings", must=_REPAIR)
    for key in rounds(said, "gap"):
        title = "What does the design leave open?" if key.endswith("-1") else "What else does it leave open?"
        yield asked(said, key, title, "On purpose or by mistake. An empty line: nothing (more).", section="Gaps")


def _choice(said: Said, key: str, title: str, choices: Mapping[str, str]) -> Question:
    wrong = "" if said.get(key, "A") in choices else f"Take one of {', '.join(choices)}."
    return asked(said, key, title, section="Findings", choices=tuple(choices.items()), verdict=wrong)


def _checked(scene: Scene) -> str:
    """The findings of code, in a sentence."""
    checks = dict(scene.notes.get("checks") or {})
    failed = [str(name) for name, result in checks.items() if result != "pass"]
    if not checks:
        return ""
    return "Code found nothing wrong. " if not failed else f"These checks of code failed: {', '.join(failed)}. "


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
        for key in filled(said, "finding")
    ]
    gaps = [one_line(said[key]) for key in filled(said, "gap")]
    return yamlio.dump({"findings": found, "gaps": gaps})


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """The approval of the whole design, with the plan and all findings."""
    if ask.key != DESIGN:
        return None
    shown = (text_of(scene, places.COORDINATION), _found(scene.read(places.VERIFICATION)))
    return Settling(
        "\n\n".join(filter(None, shown)),
        (
            yes("approve", "You approve exactly these bytes: later changes are not approved."),
            no("reject", "The part that your reason names is designed again.", "What must be different?"),
        ),
    )


def _found(data: bytes | None) -> str:
    """The findings of code and of the reader."""
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
    about="Shows the findings about the design, takes yours, and asks you to approve it.",
    needs=needs(places.ROSTER, places.SEQUENCE, places.STATUS, places.COORDINATION, places.RISK_REPORT),
    interview=Interview(questions=questions, output=output),
    agent=AGENT,
    settle=settle,
    next="workflow-executor",
)
