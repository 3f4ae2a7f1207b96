"""YAML read strictly, written plainly, and edited without touching a line that did not change.

`yamltree` says what reading accepts. An edit replaces the characters of each changed value and copies everything else;
the result is read again and compared with the wanted value before it is returned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import yaml

from signoff.artifacts.yamltree import MAX_CHARS, Node, problem_at, quoted, scalar, tree
from signoff.core.errors import DocumentError

WIDTH: Final = 100
_ONE_LINE: Final = 1 << 30

Path = tuple[str | int, ...]


class Delete:
    """The type of DELETE."""

    def __repr__(self) -> str:
        return "DELETE"


DELETE: Final = Delete()


def load(text: str, file: str, *, limit: int = MAX_CHARS) -> Any:
    """The document's value, None when it is empty; a DocumentError names file, line, problem and repair."""
    root = tree(text, file, limit=limit)
    return None if root is None else root.value


def load_mapping(text: str, file: str, *, limit: int = MAX_CHARS) -> dict[str, Any]:
    """As `load`, for files that hold keys and values; an empty file is an empty mapping."""
    root = tree(text, file, limit=limit)
    if root is None or root.value is None:
        return {}
    if root.kind != "map":
        found = "a list" if root.kind == "seq" else quoted(str(root.value))
        raise problem_at(
            file, root.line, "mapping", f"{found} where keys and values are wanted", "write `key: value` lines"
        )
    value: dict[str, Any] = root.value
    return value


@lru_cache(maxsize=8)
def _places(text: str) -> Node | None:
    """Checks ask for many lines of the same text, so the last few trees are kept; nothing changes them."""
    try:
        return tree(text)
    except DocumentError:
        return None


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line of a key or list item, None when the path leads nowhere."""
    node, line = _places(text), None
    for step in path:
        at = node.child(step) if node else None
        if node is None or at is None:
            return None
        line = node.keys[at].line if node.kind == "map" else node.items[at].line
        node = node.items[at]
    return line if path or node is None else node.line


# --- writing -----------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """The value in the types of JSON; any other type is a mistake of the caller."""
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, int):
        if isinstance(value, kind):
            return kind(value.value if hasattr(value, "value") else value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    raise TypeError(
        f"{value!r} cannot be written as YAML; pass text, finite numbers, booleans, None, mappings or lists"
    )


def _key(key: Any) -> str:
    if not isinstance(key, (str, int)) or isinstance(key, bool):
        raise TypeError(f"the key {key!r} is not text; pass text keys")
    return str(getattr(key, "value", key))


class _FastDumper(yaml.CSafeDumper):
    def ignore_aliases(self, _: Any) -> bool:
        return True


class _WideDumper(yaml.SafeDumper):
    """The C emitter escapes characters beyond U+FFFF (emoji, rare Han); this one keeps them."""

    def ignore_aliases(self, _: Any) -> bool:
        return True


def _text_node(dumper: Any, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text.strip("\n") else None
    if style is None and (not isinstance(scalar(text), str) or text != text.strip()):
        style = "'"  # also for white space of any script at an end: quoted, it is not taken for layout
    node: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)
    return node


class _QuotingDumper(_WideDumper):
    """Writes no `|` blocks: an indented comment after such a block would become its last line."""


def _quoted_text_node(dumper: Any, text: str) -> yaml.ScalarNode:
    node: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return node if "\n" in text else _text_node(dumper, text)


for _dumper in (_FastDumper, _WideDumper, _QuotingDumper):
    _dumper.add_representer(str, _quoted_text_node if _dumper is _QuotingDumper else _text_node)
    _dumper.add_multi_representer(list, yaml.representer.SafeRepresenter.represent_list)


def _is_wide(value: Any) -> bool:
    if isinstance(value, str):
        return not value.isascii() and max(value) > "\uffff"
    if isinstance(value, dict):
        return any(_is_wide(key) or _is_wide(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_is_wide, value))


def _emit(
    value: Any, *, width: int = _ONE_LINE, flow: bool = False, style: str | None = None, blocks: bool = True
) -> str:
    text: str = yaml.dump(
        value,
        Dumper=_QuotingDumper if not blocks else _WideDumper if _is_wide(value) else _FastDumper,
        allow_unicode=True,
        sort_keys=False,
        width=width,
        default_flow_style=flow,
        default_style=style,
    )
    return text


def dump(value: Any) -> str:
    """Block style, keys in their order, long text folded, text of several lines after `|`."""
    return _emit(_plain(value), width=WIDTH).removesuffix("...\n")


# --- editing -----------------------------------------------------------------------------------------------------


class _Items(list[Any]):
    """A list that remembers which old item each item was, so that deleting an item keeps an equal one."""

    def __init__(self, items: Sequence[Any], origins: Sequence[int | None]) -> None:
        super().__init__(items)
        self.origins = list(origins)


def _same(old: Any, new: Any) -> bool:
    """Equal in value and type: True is not 1, and 1 is not 1.0."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    return type(old) is type(new) and bool(old == new)


def edit(text: str, changes: Mapping[Path, Any], *, file: str = "") -> str:
    """The text with the values at these paths set, or removed if the value is DELETE.

    Indices count in the text as given; the index after the last appends. Missing mappings on the way are made.
    """
    if text.startswith("\ufeff"):  # the parser does not count it, so every offset would be short by one
        return "\ufeff" + edit(text[1:], changes, file=file)
    root = _parsed(text, file)
    old = None if root is None else root.value
    wanted = _applied(old, [(tuple(path), new) for path, new in changes.items()], file, ())
    wanted = None if isinstance(wanted, Delete) else wanted
    if _same(old, wanted):
        return text
    for blocks in (True, False):
        result = _Splicer(text, blocks).run(root, wanted)
        if _same(_read_back(result), wanted):
            return result
    problem = "the change cannot be made without disturbing the rest of the file"
    raise problem_at(file, None, "edit", problem, "write the part that changes in block style, one key to a line")


@lru_cache(maxsize=16)
def _parsed(text: str, file: str) -> Node | None:
    """The tree of a text that is edited, kept for the next edit of the same text; it must not be changed."""
    return tree(text, file)


def _read_back(text: str) -> Any:
    try:
        return load(text, "")
    except DocumentError as error:
        return error


def _applied(old: Any, changes: Sequence[tuple[Path, Any]], file: str, at: Path) -> Any:
    whole = [new for path, new in changes if not path]
    if whole:
        if len(changes) > 1:
            raise _path_error(file, at, "is changed as a whole and in part", "change it once")
        return whole[0] if isinstance(whole[0], Delete) else _plain(whole[0])
    groups: dict[str | int, list[tuple[Path, Any]]] = {}
    for path, new in changes:
        groups.setdefault(path[0], []).append((path[1:], new))
    if not groups:
        return old
    if old is None:
        old = [] if all(isinstance(step, int) for step in groups) else {}
    if isinstance(old, dict):
        return _applied_to_mapping(old, groups, file, at)
    if isinstance(old, list):
        return _applied_to_list(old, groups, file, at)
    raise _path_error(file, at, f"is {quoted(str(old))}, which has no parts", "make it a mapping or a list first")


def _path_error(file: str, at: Path, problem: str, repair: str) -> DocumentError:
    return problem_at(file, None, "path", f"{'.'.join(map(str, at)) or 'the document'} {problem}", repair)


def _applied_to_mapping(old: dict[str, Any], groups: Mapping[str | int, Any], file: str, at: Path) -> dict[str, Any]:
    result = dict(old)
    for step, below in groups.items():
        name = str(step)
        if name not in old and all(isinstance(new, Delete) for _, new in below):
            continue
        new = _applied(old.get(name), below, file, (*at, step))
        if isinstance(new, Delete):
            del result[name]
        else:
            result[name] = new
    return result


def _applied_to_list(old: list[Any], groups: Mapping[str | int, Any], file: str, at: Path) -> _Items:
    result: dict[int, Any] = dict(enumerate(old))
    for step, below in sorted(groups.items(), key=lambda pair: str(pair[0]).zfill(9)):
        if not isinstance(step, int) or not 0 <= step <= max(result, default=-1) + 1:
            problem = f"has {len(old)} items and none at {step!r}"
            raise _path_error(file, at, problem, f"use an index from 0 to {len(old)}")
        result[step] = _applied(result.get(step), below, file, (*at, step))
    kept = {index: item for index, item in result.items() if not isinstance(item, Delete)}
    return _Items(list(kept.values()), [index if index < len(old) else None for index in kept])


def _origins(old: list[Any], new: list[Any]) -> list[int | None]:
    """The old item of each new one: equal items at both ends are kept, the middle is matched pair by pair."""
    if isinstance(new, _Items):
        return new.origins
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if not _same(old[i], new[i])), shorter)
    tail = next((i for i in range(shorter - head) if not _same(old[-1 - i], new[-1 - i])), shorter - head)
    if not head and tail == len(old):
        tail = 0  # no item above to insert after: the items move down instead
    pairs = min(len(old), len(new)) - tail
    middle = [i if i < pairs else None for i in range(len(new) - tail)]
    return [*middle, *range(len(old) - tail, len(old))]


_COLON = re.compile(r"[ \t]*:")


class _Splicer:
    """Collects replacements for one text; none of them covers a line that does not change."""

    def __init__(self, text: str, blocks: bool) -> None:
        self.blocks = blocks
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.ends_open = bool(text) and not text.endswith("\n")
        self.text = text + self.newline if self.ends_open else text
        self.cuts: list[tuple[int, int, str]] = []

    def run(self, root: Node | None, new: Any) -> str:
        if root is None:
            self.cut(len(self.text), len(self.text), self.emit(new))
        elif not self.descend(root, new):
            self.replace_root(root, new)
        self.cuts.sort(key=lambda cut: cut[:2])
        parts, at = [], 0
        for start, end, replacement in self.cuts:
            parts += [self.text[at:start], replacement]
            at = end
        result = "".join([*parts, self.text[at:]])
        return result.removesuffix(self.newline) if self.ends_open else result

    def emit(self, value: Any, *, flow: bool = False, style: str | None = None) -> str:
        return _emit(value, flow=flow, style=style, blocks=self.blocks)

    def cut(self, start: int, end: int, replacement: str) -> None:
        self.cuts.append((start, end, replacement.replace("\n", self.newline)))

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return end - 1 if self.text[end - 1] == "\r" and end - 1 >= at else end

    def below(self, at: int) -> int:
        return self.text.find("\n", at) + 1

    def replace_root(self, root: Node, new: Any) -> None:
        shares_line = self.text[self.line_start(root.start) : root.start].strip()
        self.cut(root.start, self.line_end(root.end), ("\n" if shares_line else "") + self.emit(new).removesuffix("\n"))

    def descend(self, node: Node, new: Any) -> bool:
        """Changes inside the collection; False if it must be written again as a whole."""
        if node.kind == "map" and isinstance(new, dict):
            shared = [i for i, key in enumerate(node.keys) if key.value in new]
            added = [(name, value) for name, value in new.items() if name not in node.value]
            pairs = [(i, new[node.keys[i].value]) for i in shared]
            return self.parts(node, pairs, {shared[-1]: [self.emit(dict([pair])) for pair in added]} if shared else {})
        if node.kind == "seq" and isinstance(new, list):
            return self.list_parts(node, new)
        return False

    def list_parts(self, node: Node, new: list[Any]) -> bool:
        pairs, added, last = [], dict[int, list[str]](), -1
        for origin, value in zip(_origins(node.value, new), new, strict=True):
            if origin is None:
                added.setdefault(last, []).append(self.emit([value]))
            else:
                pairs.append((origin, value))
                last = origin
        return -1 not in added and self.parts(node, pairs, added)

    def parts(self, node: Node, pairs: Sequence[tuple[int, Any]], added: Mapping[int, list[str]]) -> bool:
        """`pairs` are the items that stay with their new values, `added` what goes in below which of them."""
        gone = len(pairs) < len(node.items)
        changed = [(i, new) for i, new in pairs if not _same(node.items[i].value, new)]
        moved = gone or any(added.values())
        if (
            not pairs
            or self.has_explicit_keys(node)
            or (node.flow and (moved or any(node.items[i].start == node.items[i].end for i, _ in changed)))
        ):
            return False
        for i, new in changed:
            if not self.descend(node.items[i], new):
                self.replace(node, i, new)
        for i, pieces in added.items():
            at = self.below(node.items[i].end)
            self.cut(at, at, "".join(_shifted(piece, node.col) for piece in pieces))
        if gone:
            self.drop(node, {i for i, _ in pairs})
        return True

    def has_explicit_keys(self, node: Node) -> bool:
        """Whether there are `? key` lines; they are too rare to be spliced, so such a mapping is written again."""
        return not node.flow and any(not _COLON.match(self.text, key.end) for key in node.keys)

    def drop(self, node: Node, kept: set[int]) -> None:
        first = min(kept)
        if first and self.text[self.line_start(node.start) : node.start].strip():
            self.cut(node.start, self.head(node, first), "")  # `- a: 1`: the next key moves up to the dash
        elif first:
            self.cut(self.line_start(node.start), self.below(node.items[first - 1].end), "")
        for i in range(first + 1, len(node.items)):
            if i not in kept:
                self.cut(self.line_start(self.head(node, i)), self.below(node.items[i].end), "")

    def head(self, node: Node, i: int) -> int:
        """Where an item begins: its key or its dash."""
        if node.kind == "map":
            return node.keys[i].start
        if i == 0:
            return node.start
        dash = re.compile(rf"^ {{{node.col}}}-(?=\s)", re.MULTILINE)
        found = dash.search(self.text, self.below(node.items[i - 1].end))
        return found.end() - 1 if found else node.items[i].start

    def replace(self, node: Node, i: int, new: Any) -> None:
        item = node.items[i]
        if node.flow:
            self.cut(item.start, item.end, self.emit([new], flow=True)[1:-2])
            return
        after = self.text.index(":", node.keys[i].end) + 1 if node.kind == "map" else self.head(node, i) + 1
        first, *rest = (
            (self.emit({"k": new})[2:] if node.kind == "map" else self.emit([new])[1:]).removesuffix("\n").split("\n")
        )
        gap = self.text[after : item.start]
        if isinstance(new, str) and item.style in ("'", '"') and not rest:
            first = " " + self.emit(new, style=item.style).removesuffix("\n")
        if gap.isspace() and "\n" not in gap and not rest:
            first = gap + first.lstrip()
        end = self.line_end(item.end)
        comments = self.comments(item, gap, end, keep_lines="|" not in first)
        body = [f"{first}{comments[0]}", *comments[1:], *(_shifted(line, node.col) for line in rest)]
        self.cut(after, end, "\n".join(body))

    def comments(self, item: Node, gap: str, end: int, *, keep_lines: bool) -> list[str]:
        """The comment beside the old value, then the comment lines between key and value."""
        on_key, *lines = [line.rstrip() for line in gap.split("\n")]
        beside = self.text[item.end : end].rstrip() if item.kind == "scalar" or item.flow else ""
        return [on_key or beside, *(line for line in lines if line and keep_lines)]


def _shifted(piece: str, by: int) -> str:
    return re.sub(r"^(?=[^\n])", " " * by, piece, flags=re.MULTILINE)
