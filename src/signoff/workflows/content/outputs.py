"""What the agents of a piece give back. Scores are theirs; passing, averages, decisions and ids are not."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from signoff.artifacts.yaml_forms import Form
from signoff.workflows.content.state import Severity


def _readable(text: str) -> str:
    """What an agent writes becomes a file that is read again: what no text file may have is refused at once."""
    if "\0" in text:
        raise ValueError("there is a NUL character in it")
    return text


Words: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S"), AfterValidator(_readable)]
Line: TypeAlias = Annotated[str, Field(min_length=1, max_length=600, pattern=r"\S"), AfterValidator(_readable)]


class SelectorOutput(Form):
    """Which of the candidates should judge this content besides those that are named for it."""

    advisorIds: list[str] = Field(max_length=12)  # noqa: N815 - the name that the data has everywhere
    reason: str = ""


class Addressed(Form):
    """What was done about one issue of the brief."""

    issue: Words
    how: Words


class AuthorOutput(Form):
    """The whole draft as Markdown, and for a revision what was done about each issue."""

    content: Words
    addressed: list[Addressed] = Field(default_factory=list, max_length=200)


class IssueOutput(Form):
    """One thing that is wrong, and what to do about it."""

    severity: Severity
    description: Line = Field(description="what is wrong and where, quoting the words it is about")
    suggestion: Line


class CriticOutput(Form):
    """A judgement within one discipline."""

    score: Annotated[int, Field(ge=1, le=10, strict=True)]
    issues: list[IssueOutput] = Field(default_factory=list, max_length=40)
    clean: list[Line] = Field(default_factory=list, max_length=40, description="aspects that are good as they are")
    passes: bool | None = Field(
        default=None, alias="pass", description="optional: it is computed from score and issues"
    )


class OrchestratorOutput(Form):
    """The end of the conversation: everything that counts was done through tools."""

    status: Literal["saved", "waiting"]
    notes: str = ""
