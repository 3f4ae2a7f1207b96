"""What the checks of a draft are given, and how they say what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from signoff.core.findings import Finding, Severity
from signoff.workflows.article.checks import text
from signoff.workflows.article.checks.text import Article, Part
from signoff.workflows.article.documents.config_schema import ArticleConfig
from signoff.workflows.article.documents.materials import Item


@dataclass(frozen=True)
class Given:
    """A draft with everything that it is measured by. `least` and `most` are its length, in words or characters.

    `pages` are the texts of what was read, by address; without them nobody can look a quote up again. `avoid` has the
    hooks and conclusions that articles before this one have used up.
    """

    config: ArticleConfig
    outline: str
    draft: str
    items: Sequence[Item]
    file: str
    outline_file: str
    least: int
    most: int
    pages: Mapping[str, str] = field(default_factory=dict)
    avoid: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def article(self) -> Article:
        return text.read(self.draft)

    @cached_property
    def plan(self) -> Article:
        return text.read(self.outline)

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        return {item.id: item for item in self.items}

    @property
    def unit(self) -> str:
        return "characters" if self.config.language == "zh" else "words"

    @property
    def thesis(self) -> str | None:
        """The one claim: as the evidence left it, else as it was chosen."""
        validation = self.config.research.thesisValidation
        return (validation.validatedThesis if validation else None) or self.config.writingAngle.thesis

    @property
    def argues(self) -> bool:
        """Whether the article has a thesis to prove."""
        space = self.config.research.innovationSpace
        return bool(self.thesis) and (space is None or space.strategy in (None, "angle", "both"))

    def wrong(
        self, rule: str, problem: str, repair: str, part: Part | None = None, severity: Severity = "error"
    ) -> Finding:
        """One finding, with the place that it is about."""
        return Finding(
            rule=f"article.{rule}",
            problem=problem,
            repair=repair,
            file=self.file,
            line=part.line if part else None,
            about=part.place if part else "",
            severity=severity,
        )
