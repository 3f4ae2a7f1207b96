"""What a workflow says to a file that a person edited: its parser finds what is wrong, before anything is taken in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

Read = Callable[[bytes, str], object]


def accepts(readers: Mapping[str, Read | None]) -> Callable[[str, bytes], Sequence[Finding]]:
    """`Documents.accepts` from patterns of paths: the first pattern that matches names the parser.

    A parser raises DocumentError; None stands for files that may hold anything.
    """

    def accepted(path: str, data: bytes) -> Sequence[Finding]:
        read = next((read for pattern, read in readers.items() if fnmatchcase(path, pattern)), None)
        try:
            if read:
                read(data, path)
        except DocumentError as error:
            return error.findings
        return ()

    return accepted
