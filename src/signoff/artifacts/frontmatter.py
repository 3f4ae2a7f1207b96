"""Markdown files that begin with fields between two `---` lines."""

from __future__ import annotations

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding


def split(text: str, file: str, rule: str) -> tuple[str, str]:
    """The fields as YAML, and the body; a file without them is refused under `rule`."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].strip() != "---" or "---" not in lines[1:]:
        problem, repair = "there is no frontmatter", "begin the file with `---`, fields, `---`"
        raise DocumentError([Finding(rule=rule, problem=problem, repair=repair, file=file, line=1)])
    end = lines.index("---", 1)
    return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :]).strip() + "\n"


def body(text: str) -> str:
    """The text without the fields that it may begin with."""
    try:
        return split(text, "", "frontmatter")[1]
    except DocumentError:
        return text
