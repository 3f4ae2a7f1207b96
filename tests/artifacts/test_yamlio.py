"""YAML: strict reading, plain writing, and edits that leave the rest of the file alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.artifacts.yamlio import DELETE, dump, edit, line_of, load, load_mapping
from signoff.artifacts.yamltree import Node, tree
from signoff.core.errors import DocumentError


def finding(text: str, read: Any = load, **options: Any) -> Any:
    with pytest.raises(DocumentError) as caught:
        read(text, "a.yaml", **options)
    (only,) = caught.value.findings
    assert only.file == "a.yaml"
    assert only.repair
    return only


@pytest.mark.parametrize(
    ("text", "rule", "line", "said"),
    [
        ("a: 'x\nb: 1\n", "yaml.syntax", 3, "quoted scalar"),
        ("a: b: c\n", "yaml.syntax", 1, "a: b: c"),
        ("- a\nb: c\n", "yaml.syntax", 2, "'-' indicator"),
        ("a:\n\t- b\n", "yaml.tab", 2, "tab"),
        ("a:\n  b: 1\n\tc: 2\n", "yaml.tab", 3, "tab"),
        ("a: 1\nb: 2\na: 3\n", "yaml.duplicate", 3, "line 1"),
        ("x:\n  1: a\n  '1': b\n", "yaml.duplicate", 3, "'1'"),
        ("x: &a 1\n", "yaml.alias", 1, "&a"),
        ("x: 1\ny: *a\n", "yaml.alias", 2, "*a"),
        ("x: !!python/object/apply:os.system [ls]\n", "yaml.tag", 1, "python"),
        ("x: !custom y\n", "yaml.tag", 1, "!custom"),
        ("x: !!str 1\n", "yaml.tag", 1, "str"),
        ("x: .nan\n", "yaml.number", 1, ".nan"),
        ("x: -.INF\n", "yaml.number", 1, "-.INF"),
        ("x: 1.0e+999\n", "yaml.number", 1, "1.0e+999"),
        ("? [a]\n: 1\n", "yaml.key", 1, "key"),
        ("<<: {a: 1}\n", "yaml.key", 1, "<<"),
        ("?\n: 1\n", "yaml.key", 1, "without a name"),
        ("a: 1\n---\nb: 2\n", "yaml.documents", 2, "second"),
        ("a: 1\nb: \x01\n", "yaml.character", 2, "x01"),
        ("a: \ud800\n", "yaml.character", 1, "ud800"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_a_repair(text: str, rule: str, line: int, said: str) -> None:
    found = finding(text)
    assert (found.rule, found.line) == (rule, line)
    assert said in found.problem


def test_a_file_over_the_limit_is_refused_before_it_is_parsed() -> None:
    assert finding("a: " + "x" * 100, limit=50).rule == "yaml.size"


@pytest.mark.parametrize("text", ["- a\n", "word\n", "42\n"])
def test_a_root_that_is_no_mapping_is_refused_where_one_is_wanted(text: str) -> None:
    assert finding(text, load_mapping).rule == "yaml.mapping"


def test_an_empty_file_is_an_empty_mapping() -> None:
    assert load_mapping("# nothing yet\n", "a.yaml") == {}


@pytest.mark.usefixtures("must_end")
def test_billion_laughs_is_refused() -> None:
    lines = ["a0: &a0 [lol, lol]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    assert finding("\n".join(lines)).rule == "yaml.alias"


@pytest.mark.parametrize("text", ["[" * 200_000, "{a: " * 200_000, "- " * 200_000 + "x"])
@pytest.mark.usefixtures("must_end")
def test_deep_nesting_is_refused(text: str) -> None:
    assert finding(text).rule == "yaml.depth"


def test_fifty_levels_are_allowed() -> None:
    assert load("[" * 50 + "]" * 50, "a.yaml")
    assert finding("[" * 51 + "]" * 51).rule == "yaml.depth"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("Off", "Off"), ("true", True), ("False", False),
        ("null", None), ("~", None), ("", None), ("2026-01-05", "2026-01-05"),
        ("2026-01-06T01:30:00+08:00", "2026-01-06T01:30:00+08:00"), ("0123", "0123"), ("1_000", "1_000"),
        ("0x1F", "0x1F"), ("1e3", "1e3"), ("12:30:45", "12:30:45"), ("42", 42), ("-7", -7), ("0", 0),
        ("6.2", 6.2), ("1.5e+3", 1500.0), ("'42'", "42"), ('"true"', "true"), ("9" * 19, "9" * 19), ("=", "="),
    ],
)  # fmt: skip
def test_only_what_is_surely_not_text_becomes_something_else(written: str, value: object) -> None:
    found = load(f"a: {written}\n", "a.yaml")["a"]
    assert (found, type(found)) == (value, type(value))


def test_keys_are_always_text() -> None:
    assert load("on: 1\n2026: 2\ntrue: 3\n", "a.yaml") == {"on": 1, "2026": 2, "true": 3}


DOCUMENT = """\
# head
slug: "ws"   # the slug
count:
  en: 0  # max 3
  cn: 0
list:
  - a  # one
  - a  # two
  - x: 1
    y: 2
blockers: []
text: |
  hello

  you

# about the reason
reason: null
flow: {a: 1, b: [x, y]}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2), (("slug",), 2), (("count", "cn"), 5), (("list", 1), 8), (("list", 2, "y"), 10),
        (("flow", "b", 0), 19), (("count", "de"), None), (("list", 7), None), (("slug", "x"), None),
    ],
)  # fmt: skip
def test_a_path_has_a_line(path: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(DOCUMENT, path) == line


def test_a_broken_text_has_no_lines() -> None:
    assert line_of("a: [", ("a",)) is None


def changed(changes: dict[Any, Any], text: str = DOCUMENT) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came."""
    import difflib

    moves = list(difflib.ndiff(text.splitlines(), edit(text, changes).splitlines()))
    return [m[2:] for m in moves if m.startswith("- ")], [m[2:] for m in moves if m.startswith("+ ")]


@pytest.mark.parametrize(
    ("changes", "gone", "come"),
    [
        ({("slug",): "it's"}, ['slug: "ws"   # the slug'], ['slug: "it\'s"   # the slug']),
        ({("count", "en"): 3}, ["  en: 0  # max 3"], ["  en: 3  # max 3"]),
        ({("list", 1): DELETE}, ["  - a  # two"], []),
        ({("list", 0): DELETE, ("list", 3): "b"}, ["  - a  # one"], ["  - b"]),
        ({("list", 2, "x"): DELETE}, ["  - x: 1", "    y: 2"], ["  - y: 2"]),
        ({("blockers",): ["b"]}, ["blockers: []"], ["blockers:", "- b"]),
        ({("text",): "one"}, ["text: |", "  hello", "", "  you"], ["text: one"]),
        ({("reason",): "a: b"}, ["reason: null"], ["reason: 'a: b'"]),
        ({("flow", "a"): "x, y"}, ["flow: {a: 1, b: [x, y]}"], ["flow: {a: 'x, y', b: [x, y]}"]),
        ({("count",): {"en": 0}}, ["  cn: 0"], []),
        ({("count",): DELETE}, ["count:", "  en: 0  # max 3", "  cn: 0"], []),
        ({("slug",): {"a": 1}}, ['slug: "ws"   # the slug'], ["slug:   # the slug", "  a: 1"]),
        ({("list", 0): {"p": 1, "q": 2}}, ["  - a  # one"], ["  - p: 1  # one", "    q: 2"]),
        ({("new", "deep"): True}, [], ["new:", "  deep: true"]),
        ({("gone", "x"): DELETE}, [], []),
        ({("count", "en"): 0, ("slug",): "ws"}, [], []),
    ],
)
def test_an_edit_changes_the_lines_of_its_value_and_no_other(
    changes: dict[Any, Any], gone: list[str], come: list[str]
) -> None:
    assert changed(changes) == (gone, come)


@pytest.mark.parametrize(
    ("text", "changes", "result"),
    [
        ("", {("a",): 1}, "a: 1\n"),
        ("# c\n", {("a",): 1}, "# c\na: 1\n"),
        ("---\n", {("a",): 1}, "---\na: 1\n"),
        ("{}", {("a",): 1}, "a: 1"),
        ("a: 1", {("b",): 2}, "a: 1\nb: 2"),
        ("a: 1\r\nb: 2\r\n", {("a",): "x\ny"}, "a: |-\r\n  x\r\n  y\r\nb: 2\r\n"),
        ("a:\n-\n- 2\n", {("a", 0): "x"}, "a:\n- x\n- 2\n"),
        ("a: 1\n", {("a",): DELETE}, "{}\n"),
        ("a: |+\n  x\n\nb: 1\n", {("c",): 1}, "a: |+\n  x\n\nb: 1\nc: 1\n"),
        ("a:  # why\n  # how\n  b: 1\n", {("a",): [1]}, "a:  # why\n  # how\n- 1\n"),
        ("? a\n# x\n: 1\nb: 2\n", {("a",): [3]}, "a:\n- 3\nb: 2\n"),
        ("a:\n- 1\n      # deep\n- 2\n", {("a", 0): "x\ny"}, 'a:\n- "x\\ny"\n      # deep\n- 2\n'),
        ("\ufeffa: 1\n", {("a",): 2}, "\ufeffa: 2\n"),
        ("a:\n    b:\n        c: 1\n", {("a", "b", "d"): 2}, "a:\n    b:\n        c: 1\n        d: 2\n"),
    ],
)
def test_line_ends_indentation_and_comments_are_kept(text: str, changes: dict[Any, Any], result: str) -> None:
    assert edit(text, changes) == result


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({("slug", "x"): 1}, "slug is 'ws'"),
        ({("list", 9): 1}, "none at 9"),
        ({("list", "x"): 1}, "none at 'x'"),
        ({("count",): 1, ("count", "en"): 2}, "as a whole and in part"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(changes: dict[Any, Any], said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        edit(DOCUMENT, changes)


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=30)
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.sampled_from(["yes", "0123", "1.0e5", "~", "a: b", "# c", "- x", "'", '"', "|", "2026-01-05", " x", "x ", "…"])
)
KEY = st.sampled_from(["a", "b", "c", "名", "true", "1", "a b", "x:y", "#", "'"]) | TEXT
# Empty, long and many-line keys are written after `?`, a form in which the lines of a mapping are not kept.
SHORT_KEY = KEY.filter(lambda key: key and "\n" not in key)


def values(keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=15
    )


ANY_VALUE, VALUE = values(KEY), values(SHORT_KEY)


@given(ANY_VALUE)
def test_what_is_written_reads_back_the_same(value: Any) -> None:
    text = dump(value)
    assert repr(load(text, "a.yaml")) == repr(value)
    assert dump(load(text, "a.yaml")) == text


def test_writing_is_readable() -> None:
    value = {"文": "电池 😀 𠮷", "b": "one\ntwo\n", "a": ["yes", "2026-01-05"], "long": "word " * 40 + "end"}
    text = dump(value)
    assert text.startswith("文: 电池 😀 𠮷\nb: |\n  one\n  two\na:\n- 'yes'\n- '2026-01-05'\nlong: word")
    assert max(map(len, text.splitlines())) <= 105


@pytest.mark.parametrize("value", [{"a": object()}, {None: 1}, [float("nan")], {True: 1}])
def test_what_yaml_has_no_form_for_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError):
        dump(value)


def paths(node: Node, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    here: list[tuple[str | int, ...]] = []
    for i, item in enumerate(node.items):
        step = node.keys[i].value if node.kind == "map" else i
        here += [(*at, step), *paths(item, (*at, step))]
    return here


def decorate(draw: Any, text: str) -> str:
    """Comments and blank lines where they are surely no content, indented lists, other line ends."""
    root = tree(text)
    inside = {n for node in root.walk() for n in range(node.line, node.end_line)} if root else set()
    blocks = {n.line for n in root.walk() if n.style in ("|", ">") or n.line != n.end_line} if root else set()
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        plain = root is not None and not any(
            n.style in ("|", ">") and n.line < number <= n.end_line + 1 for n in root.walk()
        )
        if plain and number - 1 not in inside - blocks and draw(st.integers(0, 4)) == 0:
            lines.append(draw(st.sampled_from(["# note", "", "      # deep - note: x"])))
        if plain and number not in blocks and draw(st.integers(0, 4)) == 0:
            line += "  # beside"
        lines.append(line)
    return "\n".join(lines) + "\n"


@st.composite
def documents(draw: Any) -> str:
    value = draw(st.dictionaries(SHORT_KEY, VALUE, min_size=1, max_size=5))
    plain = dump(value)
    text = decorate(draw, plain)
    try:
        if repr(load(text, "")) != repr(load(plain, "")):
            text = plain
    except DocumentError:
        text = plain
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return text.removesuffix("\n").removesuffix("\r") if draw(st.booleans()) else text


def concerned(text: str, path: tuple[str | int, ...]) -> set[int]:
    """The lines of the key and its value; of the whole flow collection around it, where there is one."""
    node = tree(text)
    assert node is not None
    for step in path:
        at = node.child(step)
        assert at is not None
        first = node.keys[at].line if node.kind == "map" else node.items[at].line
        if node.flow:
            break
        node = node.items[at]
    return set(range(first, node.end_line + 1))


def is_subsequence(some: list[str], of: list[str]) -> bool:
    rest = iter(of)
    return all(line in rest for line in some)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_every_line_that_is_not_of_the_changed_value_is_kept(data: st.DataObject) -> None:
    text = data.draw(documents())
    root = tree(text)
    assert root is not None
    path = data.draw(st.sampled_from(paths(root)))
    new = data.draw(VALUE | st.just(DELETE))
    result = edit(text, {path: new})
    touched = concerned(text, path)
    parent = concerned(text, path[:-1]) if len(path) > 1 else {1}
    if new is DELETE:  # the first key after a dash lends its place, an emptied collection is written anew
        touched |= (
            parent if len(paths_below(root, path[:-1])) == 1 else {min(parent), *up_to_the_next_item(text, touched)}
        )
    kept = [line for n, line in enumerate(text.split("\n"), 1) if n not in touched]
    assert is_subsequence(
        [line.rstrip("\r") for line in kept if line.strip()], [s.rstrip("\r") for s in result.split("\n")]
    )


def up_to_the_next_item(text: str, touched: set[int]) -> range:
    last = max(touched)
    after = (n for n, line in enumerate(text.split("\n"), 1) if n > last and line.strip() and line.strip()[0] != "#")
    return range(last, next(after, last) + 1)


def paths_below(root: Node, path: tuple[str | int, ...]) -> list[Any]:
    node = root
    for step in path:
        at = node.child(step)
        assert at is not None
        node = node.items[at]
    return node.items


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_many_edits_at_once_give_the_values_asked_for(data: st.DataObject) -> None:
    text = data.draw(documents())
    root = tree(text)
    assert root is not None
    chosen = data.draw(st.lists(st.sampled_from(paths(root)), max_size=4, unique=True))
    chosen = [p for p in chosen if not any(p != q and p[: len(q)] == q for q in chosen)]
    changes: dict[Any, Any] = {p: data.draw(VALUE) for p in chosen}
    changes[("new", "key")] = data.draw(VALUE)
    if isinstance(root.value.get("new"), (str, int, float, list, bool)):
        return
    result = load(edit(text, changes), "")
    for path, new in changes.items():
        at: Any = result
        for step in path:
            at = at[step]
        assert repr(at) == repr(new) or at == new


@given(documents())
def test_no_change_gives_the_same_text(text: str) -> None:
    root = tree(text)
    assert root is not None
    assert edit(text, {}) == text
    assert edit(text, {(): root.value}) == text


@pytest.mark.usefixtures("must_end")
def test_a_registry_of_a_thousand_claims_is_edited() -> None:
    claims = {
        f"C-WSP-{i:03}": {"text": "6-hour battery", "status": "proposed", "evidence": ["a#L1"]} for i in range(1000)
    }
    text = dump({"claims": claims})
    result = edit(text, {("claims", name, "status"): "verified" for name in claims})
    assert result == text.replace("proposed", "verified")


@pytest.mark.parametrize("text", ["\xa0", "x\xa0", "\u3000x", " x", "x "])
def test_white_space_of_any_script_at_an_end_survives_an_edit(text: str) -> None:
    assert load(edit("# note\n'#':\n- null\na: false  # beside\n", {("#",): [text]}), "") == {"#": [text], "a": False}
