"""The web researcher: proposes what to look for, reads what others wrote, takes out materials, weighs them."""

from __future__ import annotations

from signoff.workflows.article.players.desk import player
from signoff.workflows.article.players.mining import materials
from signoff.workflows.article.players.queries import queries
from signoff.workflows.article.players.survey import phase_1
from signoff.workflows.article.players.synthesis import phase_2

web_researcher = player(
    "web-researcher", {"queries": queries, "phase-1": phase_1, "materials": materials, "phase-2": phase_2}
)
