"""The tables that the checks read: units, countable things, wording, opposites, names. YAML,
so that anybody can add a row."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any


@cache
def table(name: str) -> Any:
    """One of the shipped tables."""
    import yaml

    text = resources.files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
