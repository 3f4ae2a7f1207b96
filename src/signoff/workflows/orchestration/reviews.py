"""The two-stage review: who looks at the architecture in which order, and what each reviewer says."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from signoff.artifacts.forms import Form, Text

Domain = Literal["security", "database_storage", "api_dataflow", "frontend"]
PATTERNS: Final[dict[str, tuple[Domain, ...]]] = {
    "A": ("security", "database_storage", "api_dataflow", "frontend"),
    "B": ("security", "api_dataflow", "database_storage", "frontend"),
    "C": ("security", "frontend", "api_dataflow", "database_storage"),
    "D": ("security", "database_storage", "api_dataflow", "frontend"),
}
"""Data-driven, API-first, user-facing, security-critical. In B the frontend may be left out, where there is none."""

REVIEWERS: Final[dict[Domain, str]] = {
    "security": "security-reviewer",
    "database_storage": "database-reviewer",
    "api_dataflow": "api-reviewer",
    "frontend": "frontend-reviewer",
}
"""The agent that reviews each domain."""


class Order(Form):
    """In which order the architecture is reviewed, and why."""

    project_type: Text
    pattern: Literal["A", "B", "C", "D", "custom"]
    order: tuple[Domain, ...] = Field(min_length=1)
    rationale: Text
    why: dict[Domain, Text] = Field(description="for each domain, why it comes where it does")


class Review(Form):
    """What a reviewer says of the drafts; it changes nothing."""

    context_awareness: Text = Field(
        description="what earlier reviews said that matters here; for the first: that it is"
    )
    strengths: tuple[Text, ...] = ()
    concerns: tuple[Text, ...] = ()
    recommendations: tuple[Text, ...] = ()
    questions: tuple[Text, ...] = Field((), description="what only a person can settle")
    risk_factors: tuple[Text, ...] = ()
