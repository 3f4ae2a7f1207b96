"""References to documents: a path in the project and the digest of the exact bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")

Parse = Callable[[bytes, str], T]
"""How a document becomes a value: its bytes and its path, for findings that name the file."""


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """These bytes, at that path."""

    path: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.path}@{self.sha256[:12]}"


class Look(Protocol):
    """Gives the parsed value of a document. Pure by digest: the same reference gives the same value, always."""

    def __call__(self, ref: Ref, parse: Parse[T], /) -> T: ...


def digest(data: bytes | str) -> str:
    """The sha256 of these bytes."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
