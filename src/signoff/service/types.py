"""The types that the service speaks in and that are not in the public API: surfaces import them from here."""

from signoff.core.declarations import Question
from signoff.core.events import Limited, Overruled, TurnHeld, Usage
from signoff.core.overrules import OpenFinding
from signoff.core.permissions import RUN_COMMAND, WRITE_FILE
from signoff.core.personas import NAMED, Interview, Persona, Said, Scene, Settling, Way, upcoming
from signoff.core.state import Ceiling, OpenTurn, Spend
from signoff.core.terms import Terms, language_of

__all__ = [
    "NAMED",
    "RUN_COMMAND",
    "WRITE_FILE",
    "Ceiling",
    "Interview",
    "Limited",
    "OpenFinding",
    "OpenTurn",
    "Overruled",
    "Persona",
    "Question",
    "Said",
    "Scene",
    "Settling",
    "Spend",
    "Terms",
    "TurnHeld",
    "Usage",
    "Way",
    "language_of",
    "upcoming",
]
