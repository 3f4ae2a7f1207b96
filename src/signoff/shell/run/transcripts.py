"""Conversations of turns, as plain JSON data. A long text is a file named by its hash, however many turns have it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from signoff.core.errors import CorruptError
from signoff.core.refs import digest
from signoff.shell.run.store import Store

LONG = 200
BODY, PLAIN = "$body", "$plain"
REMOVE = "remove it: nothing else of the run depends on it"


def split(value: Any, keep: Callable[[str], str]) -> Any:
    """The value with every long text replaced by a reference to its body; `keep` takes a body and gives its name."""
    if isinstance(value, str):
        return {BODY: keep(value)} if len(value) > LONG else value
    if isinstance(value, Mapping):
        parts = {str(name): split(one, keep) for name, one in value.items()}
        return (
            {PLAIN: parts} if parts.keys() in ({BODY}, {PLAIN}) else parts
        )  # wrapped, so that it is not taken for a reference
    if isinstance(value, (list, tuple)):
        return [split(one, keep) for one in value]
    return value


def join(value: Any, body: Callable[[str], str]) -> Any:
    """The value that `split` was given; `body` gives the text for a name."""
    if isinstance(value, list):
        return [join(one, body) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {BODY}:
        return body(value[BODY])
    inner = value[PLAIN] if value.keys() == {PLAIN} else value
    return {name: join(one, body) for name, one in inner.items()}


def bodies(value: Any) -> Iterator[str]:
    """The names of the bodies that a split value refers to."""
    if isinstance(value, list):
        for one in value:
            yield from bodies(one)
    elif isinstance(value, dict):
        if value.keys() == {BODY}:
            yield value[BODY]
        else:
            yield from bodies(list((value[PLAIN] if value.keys() == {PLAIN} else value).values()))


# --- in a run's folder ------------------------------------------------------------------------------------------------


def place(run: str, turn: str, attempt: int) -> str:
    """Where the conversation of an attempt is."""
    return f"{run}/turns/{turn}/messages-{attempt}.json"


def body_place(run: str, name: str) -> str:
    """Where a body is."""
    return f"{run}/messages/{name}.txt"


def keep(store: Store, run: str, turn: str, attempt: int, messages: Sequence[Any]) -> None:
    """Keeps a conversation, without waiting for the disk: a run decides on the output, not on this."""

    def kept(text: str) -> str:
        data = _encoded(text)
        name = digest(data)
        if store.read(body_place(run, name)) != data:
            store.write(body_place(run, name), data, durable=False)
        return name

    said = json.dumps(split(list(messages), kept), ensure_ascii=False, indent=1)
    store.jot(place(run, turn, attempt), _encoded(f"{said}\n"))


def read(store: Store, run: str, turn: str, attempt: int) -> list[Any] | None:
    """A conversation with its bodies put back, or None if the attempt had none."""
    path = place(run, turn, attempt)
    data = store.read(path)
    if data is None:
        return None

    def body(name: str) -> str:
        where = body_place(run, name)
        found = store.read(where)
        if found is None or digest(found) != name:
            what = "is missing" if found is None else "has other bytes than its name says"
            raise CorruptError(f"{where} {what}, and {path} refers to it", repair="restore it from git or a backup")
        return _decoded(found)

    said = parsed(data, path)
    try:
        return [join(one, body) for one in said]
    except (AttributeError, TypeError, RecursionError) as error:
        raise CorruptError(f"{path} is not as it was kept", repair=REMOVE) from error


def parsed(data: bytes, path: str) -> list[Any]:
    """A conversation as it is kept; if a kill left it in part, it cannot be read."""
    try:
        said = json.loads(_decoded(data))
    except (ValueError, RecursionError) as error:
        raise CorruptError(f"{path} is invalid JSON ({error})", repair=REMOVE) from error
    return said if isinstance(said, list) else [said]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
