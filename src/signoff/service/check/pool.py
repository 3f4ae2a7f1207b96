"""Work on many files at once. What all workers need is built before they start, and inherited or handed over once."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final, TypeVar

R = TypeVar("R")
FEW: Final = 24
"""Fewer files than this are not worth the start of another process."""

_shared: Any = None


def _begin(shared: Any) -> None:
    global _shared
    if shared is not None:
        _shared = shared


def _call(job: tuple[Callable[[Any, Any], Any], Sequence[Any]]) -> list[Any]:
    work, items = job
    return [work(item, _shared) for item in items]


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[Any, Any], R], items: Sequence[Any], shared: Any, jobs: int, few: int = FEW) -> Iterator[R]:
    """The results of `work(item, shared)` in the order of the items; `work` must be a function of a module."""
    if jobs <= 1 or len(items) < few:
        for item in items:
            yield work(item, shared)
        return
    global _shared
    forked = sys.platform == "linux"
    context = multiprocessing.get_context("fork" if forked else "spawn")
    size = max(1, min(16, len(items) // (jobs * 4) or 1))
    chunks = [(work, items[at : at + size]) for at in range(0, len(items), size)]
    _shared = shared
    try:
        with ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_begin, initargs=(None if forked else shared,)
        ) as pool:
            for listed in pool.map(_call, chunks):
                yield from listed
    finally:
        _shared = None
