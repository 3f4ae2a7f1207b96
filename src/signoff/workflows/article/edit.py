"""Writes in the config: a field is set, and every byte that belongs to another field stays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from signoff.artifacts import jsonedit
from signoff.workflows.article.owners import leaves
from signoff.workflows.article.schema import MARK


def put(text: str, patch: Mapping[str, Any], file: str = "the config") -> str:
    """The file with what a patch sets: sections field by field, lists and mappings with free keys as a whole."""
    mark = text[: text.startswith(MARK)]
    return mark + jsonedit.put(text.removeprefix(MARK), file, dict(leaves(patch)))


def laid_out(patch: Mapping[str, Any]) -> str:
    """The first fields of a file that is not there yet, a line for each, as people read it."""
    return json.dumps(patch, ensure_ascii=False, indent=2) + "\n"
