"""Where the files of an article are. The run's name is its topic, in kebab-case."""

from __future__ import annotations

from typing import Final

SOURCES: Final = "0-sources/"
BRIEF: Final = "0-sources/brief.md"
CONFIGS: Final = "config/"
OUTPUTS: Final = "output/"
BESIDE: Final = ("-sources", "-images", "-report")
"""How the files are named that stand beside an article in `output/`."""
READ: Final = ("outline/", "drafts/", OUTPUTS)
"""Where there are texts that are read as articles."""


def config(topic: str) -> str:
    """Who writes what for whom, and what every step found out: one document."""
    return f"{CONFIGS}{topic}.json"


def pages(topic: str) -> str:
    """The folder of what was fetched, a file for each page, as it was read."""
    return f"knowledge/{topic}-pages/"


def sources(topic: str) -> str:
    """Every material with its quote and where it stands."""
    return f"knowledge/{topic}-sources.md"


def outline(topic: str) -> str:
    return f"outline/{topic}.md"


def draft(topic: str) -> str:
    return f"drafts/{topic}.md"


def output(topic: str) -> str:
    """The finished article."""
    return f"{OUTPUTS}{topic}.md"


def output_sources(topic: str) -> str:
    """The sources that the finished article rests on."""
    return f"{OUTPUTS}{topic}-sources.md"


def output_images(topic: str) -> str:
    """The pictures that the article wants."""
    return f"{OUTPUTS}{topic}-images.md"


def report(topic: str) -> str:
    """What the checks measured of the finished article."""
    return f"{OUTPUTS}{topic}-report.md"


def released(topic: str) -> tuple[str, ...]:
    """Everything that a finished article leaves in `output/`."""
    return output(topic), output_sources(topic), output_images(topic), report(topic)
