"""Graph algorithms on "which agent waits for which": levels, the longest chain, cycles, and all that a node waits for.

A graph maps each node to the nodes it waits for. Ties are settled by sorting, so the same graph gives the same answers
in whatever order it was built.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

N = TypeVar("N", bound=str | tuple[str, ...])
Graph = Mapping[N, Collection[N]]


def turned(graph: Graph[N]) -> dict[N, list[N]]:
    """For each node the nodes that wait for it."""
    found: dict[N, list[N]] = {node: [] for node in graph}
    for node, before in graph.items():
        for one in before:
            found[one].append(node)
    return found


def levels(graph: Graph[N]) -> dict[N, int]:
    """How many steps come before each node, nearest first; a node on a cycle or behind one has no level."""
    sorter = TopologicalSorter(graph)
    with suppress(CycleError):  # the nodes before a cycle come out all the same
        sorter.prepare()
    found: dict[N, int] = {}
    level = 0
    while ready := sorter.get_ready():
        found.update(dict.fromkeys(ready, level))
        sorter.done(*ready)
        level += 1
    return found


def longest(graph: Graph[N]) -> list[N]:
    """The longest chain, first to last; of several, the one that sorts first."""
    after = turned(graph)
    height: dict[N, int] = {}  # how long the longest chain is that begins at a node
    for node in reversed(levels(graph)):
        height[node] = 1 + max((height[one] for one in after[node]), default=0)
    chain: list[N] = []
    candidates: Iterable[N] = [node for node, before in graph.items() if not before]
    while candidates:
        most = max(height[node] for node in candidates)
        chain.append(min(node for node in candidates if height[node] == most))
        candidates = after[chain[-1]]
    return chain


def reached(graph: Graph[N], targets: Iterable[N]) -> tuple[dict[N, int], dict[N, int]]:
    """For each node of a graph without cycles, the targets that it waits for, directly or through other nodes.

    The first mapping has a set of bits for each node, the second the bit of each target.
    """
    bits = {node: 1 << number for number, node in enumerate(sorted(set(targets)))}
    found: dict[N, int] = {}
    for node in levels(graph):  # nearest first: what a node waits for is there already
        seen = 0
        for one in graph[node]:
            seen |= found[one] | bits.get(one, 0)
        found[node] = seen
    return found, bits


def cycles(graph: Graph[N]) -> list[list[N]]:
    """The shortest cycle of each knot, from its smallest node on and back to it: `a, b, a`."""
    return sorted([*cycle, cycle[0]] for cycle in (_shortest(knot, graph) for knot in knots(graph)))


def knots(graph: Graph[N]) -> list[set[N]]:
    """The sets of nodes that all wait for each other (Kosaraju: two walks, the second against the arrows)."""
    known = levels(graph)
    tangled = {node: [one for one in before if one not in known] for node, before in graph.items() if node not in known}
    after, left = turned(tangled), set(tangled)
    found = [_flooded(node, after, left) for node in reversed(_finished(tangled)) if node in left]
    return [knot for knot in found if len(knot) > 1 or any(node in graph[node] for node in knot)]


def _finished(graph: Graph[N]) -> list[N]:
    """The nodes in the order in which a depth-first walk finishes them."""
    done: list[N] = []
    seen: set[N] = set()
    for root in graph:
        work = [(root, iter(graph[root]))] if root not in seen else []
        seen.add(root)
        while work:
            node, rest = work[-1]
            child = next((one for one in rest if one not in seen), None)
            if child is None:
                done.append(node)
                work.pop()
            else:
                seen.add(child)
                work.append((child, iter(graph[child])))
    return done


def _flooded(node: N, graph: Graph[N], left: set[N]) -> set[N]:
    """All nodes that can be reached from a node; they are removed from `left`."""
    found, work = {node}, [node]
    left.discard(node)
    while work:
        for one in graph[work.pop()]:
            if one in left:
                left.discard(one)
                found.add(one)
                work.append(one)
    return found


def _shortest(knot: set[N], graph: Graph[N]) -> list[N]:
    """The shortest cycle in a knot; of several, the one that sorts first.

    Each node is tried once, in order, as the smallest of its cycle, and then removed with everything that is on no
    cycle without it. So a knot that is one long ring costs no more than a walk around it.
    """
    inside = {node: sorted(one for one in graph[node] if one in knot) for node in knot}
    after = turned(inside)
    left = set(knot)
    best: list[N] = []
    for node in sorted(knot):
        if node in left:
            best = _round(node, inside, left, len(best) or len(knot) + 1) or best
            _untied(node, inside, after, left)
    return best


def _round(start: N, graph: Graph[N], left: set[N], below: int) -> list[N]:
    """The shortest way from a node back to it over what is left, if it has fewer steps than `below`."""
    came: dict[N, N] = {}
    ring = [start]
    for _ in range(1, below):
        further = []
        for node in ring:
            for one in graph[node]:
                if one == start:
                    way = [node]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return way[::-1]
                if one in left and one not in came:
                    came[one] = node
                    further.append(one)
        ring = further
    return []


def _untied(node: N, graph: Graph[N], after: Graph[N], left: set[N]) -> None:
    """Removes a node, and every node that then waits for no node or that no node waits for."""
    work = [node]
    while work:
        gone = work.pop()
        if gone not in left:
            continue
        left.discard(gone)
        near = (one for one in (*graph[gone], *after[gone]) if one in left)
        work += [one for one in near if left.isdisjoint(graph[one]) or left.isdisjoint(after[one])]
