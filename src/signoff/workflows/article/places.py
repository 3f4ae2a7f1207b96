"""The paths of an article's files. The name of the run is the topic, in kebab-case."""

from __future__ import annotations

from typing import Final

SOURCES: Final = "0-sources/"
BRIEF: Final = "0-sources/brief.md"
CONFIGS: Final = "config/"
OUTPUTS: Final = "output/"
BESIDE: Final = ("-sources", "-images", "-report")
"""The endings of the files beside an article in `output/`."""
READ: Final = ("outline/", "drafts/", OUTPUTS)
"""The folders whose texts are read as articles."""


def config(topic: str) -> str:
    return f"{CONFIGS}{topic}.json"


def pages(topic: str) -> str:
    """The folder of the pages that were fetched."""
    return f"knowledge/{topic}-pages/"


def sources(topic: str) -> str:
    """The file of the materials, each with its quote and its page."""
    return f"knowledge/{topic}-sources.md"


def outline(topic: str) -> str:
    return f"outline/{topic}.md"


def draft(topic: str) -> str:
    return f"drafts/{topic}.md"


def output(topic: str) -> str:
    return f"{OUTPUTS}{topic}.md"


def released(topic: str) -> tuple[str, str, str, str]:
    """What a finished article leaves in `output/`: the text, its sources, its pictures, the report."""
    sources, images, report = (f"{OUTPUTS}{topic}{ending}.md" for ending in BESIDE)
    return output(topic), sources, images, report
