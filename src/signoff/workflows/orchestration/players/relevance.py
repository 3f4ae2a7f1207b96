"""Which research concerns whose work: that on the technologies of the layers that a kind of work builds with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from signoff.workflows.orchestration.players import technologies
from signoff.workflows.orchestration.players.domains import Domain
from signoff.workflows.orchestration.risks import Findings

EVERYBODY: Final = "backend"
"""The layer whose language everybody writes."""
F = TypeVar("F", bound=Findings)


def concerning(domain: Domain, research: Iterable[F]) -> list[F]:
    """The research on the kind's own layers first, then on what everybody writes; all of it, where that is none.

    A technology that is not known by its name may be anybody's.
    """
    given = list(research)
    layers = {one.technology: {tech.layer for tech in technologies.named(one.technology)} for one in given}
    own = [one for one in given if layers[one.technology] & set(domain.layers)]
    shared = [one for one in given if one not in own and layers[one.technology] <= {EVERYBODY}]
    return [*own, *shared] or given
