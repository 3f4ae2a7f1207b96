"""What a store must do. A new store is accepted when every one of these passes on it.

Use it from a test: `pytest.mark.parametrize("law", conformance.LAWS)` and `asyncio.run(law(make_store))`, where
`make_store()` gives another handle on the same place each time it is called, as another process would have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from signoff.core.errors import MovedError, UsageError
from signoff.core.events import DocsChanged, Event
from signoff.core.refs import digest
from signoff.shell.run.journal import Commit
from signoff.shell.run.store import Store

RUN = "_workflow/conformance/run"
MakeStore = Callable[[], Store]
Law = Callable[[MakeStore], Awaitable[None]]


def event(name: str) -> Event:
    """An event that differs from others."""
    return DocsChanged(id=name, at="2026-01-01T00:00:00+00:00", by="person", docs={name: digest(name)})


def commit(base: int, *names: str) -> Commit:
    """A commit of such events."""
    return Commit(base=base, events=tuple(event(name) for name in names))


def require(holds: bool, law: str) -> None:
    """Raises with the name of a law that does not hold, even if assertions are switched off."""
    if not holds:
        raise AssertionError(law)


async def an_empty_run_has_no_commits(make: MakeStore) -> None:
    require(list(await make().commits(RUN, 0)) == [], "a run that has not begun has no commits")


async def commits_come_back_as_given_and_in_order(make: MakeStore) -> None:
    store = make()
    given = [commit(0, "a"), commit(1, "b", "c"), commit(3, "d")]
    for one in given:
        await store.commit(RUN, one)
    require(list(await make().commits(RUN, 0)) == given, "another handle reads the same commits in the same order")
    require(list(await store.commits(RUN, 1)) == given[1:], "only the commits after a revision are given")
    require(list(await store.commits(RUN, 4)) == [], "there is nothing after the last revision")


async def a_commit_on_an_old_revision_is_refused(make: MakeStore) -> None:
    one, other = make(), make()
    await one.commit(RUN, commit(0, "a"))
    await other.commits(RUN, 0)
    await one.commit(RUN, commit(1, "b"))
    for stale in (commit(0, "x"), commit(1, "x"), commit(7, "x")):
        require(await _refused(other, stale), f"a commit on revision {stale.base} of a run at 2 is refused")
    require(len(await make().commits(RUN, 0)) == 2, "a refused commit leaves nothing behind")


async def of_many_writers_each_revision_has_one(make: MakeStore) -> None:
    async def add(name: str) -> None:
        store = make()
        while True:
            commits = await store.commits(RUN, 0)
            try:
                return await store.commit(RUN, commit(commits[-1].rev if commits else 0, name))
            except MovedError:
                await asyncio.sleep(0)

    await asyncio.gather(*(add(f"writer-{n}") for n in range(20)))
    commits = await make().commits(RUN, 0)
    require([one.base for one in commits] == list(range(20)), "every revision was entered exactly once")
    require(len({one.events[0].id for one in commits}) == 20, "every writer's commit is there")


async def runs_are_apart(make: MakeStore) -> None:
    store = make()
    await store.commit(f"{RUN}-1", commit(0, "a"))
    await store.commit(f"{RUN}-2", commit(0, "b"))
    require((await store.commits(f"{RUN}-1", 0))[0].events[0].id == "a", "a run has its own journal")


async def documents_are_whole_and_findable(make: MakeStore) -> None:
    store = make()
    require(store.read("a/b.md") is None, "a document that is not there is None")
    for data in (b"one", b"", "三".encode(), b"\x00" * 70_000):
        store.write("a/b.md", data, durable=True)
        require(make().read("a/b.md") == data, "another handle reads the bytes that were written")
    store.write("a/c/d.md", b"deep", durable=False)
    found = make().digests(["a/", "a/b.md", "nowhere.md", "nowhere/"])
    expected = {"a/b.md": digest(b"\x00" * 70_000), "a/c/d.md": digest(b"deep")}
    require(dict(found) == expected, "digests are of what is there, below a folder and by name")
    store.write("a/b.md", None, durable=True)
    require(make().read("a/b.md") is None and "a/b.md" not in make().digests(["a/"]), "a removed document is gone")
    store.write("a/b.md", None, durable=True)


async def patterns_find_documents(make: MakeStore) -> None:
    store = make()
    for path in ("src/a.py", "src/deep/b.py", "src/deep/c.md", "src/node_modules/d.py", ".hidden/e.py", "f.py"):
        store.write(path, b"x", durable=False)
    for patterns, expected in (
        (["src/**/*.py"], ["src/a.py", "src/deep/b.py"]),
        (["src/deep/", "f.py", "gone.py", "src"], ["f.py", "src/deep/b.py", "src/deep/c.md"]),
        (["*.py"], ["f.py", "src/a.py", "src/deep/b.py"]),
        ([".hidden/*", "src/node_modules/d.py"], [".hidden/e.py", "src/node_modules/d.py"]),
        (["nowhere/**"], []),
        ([], []),
    ):
        require(list(make().matching(patterns)) == expected, f"{patterns} mean {expected}")


async def what_cannot_be_put_somewhere_is_said(make: MakeStore) -> None:
    store = make()
    store.write("src/a.py", b"x", durable=False)
    for path, bars in (("src/a.py", False), ("new/b.py", False), ("src/a.py/c", True), ("src", True)):
        require(bool(make().barred(path)) == bars, f"{path} is {'' if bars else 'not '}barred")


async def digests_follow_edits(make: MakeStore) -> None:
    store = make()
    store.write("x.md", b"before", durable=False)
    before = store.digests(["x.md"])["x.md"]
    make().write("x.md", b"behind", durable=False)
    require(store.digests(["x.md"])["x.md"] == digest(b"behind") != before, "an edit of the same length is noticed")


async def paths_stay_inside(make: MakeStore) -> None:
    for path in ("../outside.md", "a/../../outside.md", "/etc/hostname"):
        for act in (lambda p: make().read(p), lambda p: make().write(p, b"x", durable=False)):
            require(_leaves(act, path), f"{path} is refused")


async def a_lease_has_one_holder(make: MakeStore) -> None:
    one, other = make(), make()
    first = "0001-writer"
    with one.lease(RUN, first) as mine, other.lease(RUN, first) as theirs, other.lease(RUN, "0002-writer") as another:
        require(mine and not theirs, "a turn that is worked on is not given out twice")
        require(another, "another turn is free")
    with other.lease(RUN, "0001-writer") as again:
        require(again, "a lease that was let go can be taken")


async def the_lock_is_exclusive_and_let_go(make: MakeStore) -> None:
    order: list[str] = []

    async def hold(name: str) -> None:
        async with make().locked(RUN):
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    await asyncio.gather(*(hold(str(n)) for n in range(5)))
    pairs = [(order[n].split()[0], order[n + 1].split()[0]) for n in range(0, len(order), 2)]
    require(all(a == b for a, b in pairs), "only one holder at a time enters")


async def begun_runs_are_listed(make: MakeStore) -> None:
    require(list(make().runs()) == [], "an empty project has no runs")
    await make().commit(RUN, commit(0, "a"))
    require(list(make().runs()) == [RUN], "a run with a commit is listed")


async def _refused(store: Store, stale: Commit) -> bool:
    try:
        await store.commit(RUN, stale)
    except MovedError:
        return True
    return False


def _leaves(act: Callable[[str], Any], path: str) -> bool:
    try:
        act(path)
    except UsageError:
        return True
    return False


LAWS: tuple[Law, ...] = (
    an_empty_run_has_no_commits,
    commits_come_back_as_given_and_in_order,
    a_commit_on_an_old_revision_is_refused,
    of_many_writers_each_revision_has_one,
    runs_are_apart,
    documents_are_whole_and_findable,
    patterns_find_documents,
    what_cannot_be_put_somewhere_is_said,
    digests_follow_edits,
    paths_stay_inside,
    a_lease_has_one_holder,
    the_lock_is_exclusive_and_let_go,
    begun_runs_are_listed,
)
