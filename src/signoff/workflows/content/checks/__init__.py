"""Checks of a text that code can make: words, figures, form, readability. They judge no meaning.

Each check is a pure function of a text and the project's documents. Which are made depends on what the text is: those
of a framework only on a text that is written with it, those of the social-media strategy only on what is written by it.
"""

from __future__ import annotations

from collections.abc import Sequence

from signoff.workflows.content.checks import layout, wording
from signoff.workflows.content.checks.draft import Check, Draft, Found
from signoff.workflows.content.checks.project_documents import SOCIAL, Documents

__all__ = ["Check", "Documents", "Draft", "Found", "checks_of"]


def checks_of(framework: str | None = None, context_docs: Sequence[str] = ()) -> tuple[Check, ...]:
    """The checks of a text that is written with this framework, by these documents; without either, those of any."""
    framed = layout.FRAMEWORKS.get(framework, ()) if framework else ()
    social = layout.SOCIAL_POST if SOCIAL in context_docs else ()
    return (*wording.CHECKS, *layout.ANY, *framed, *social)
