"""JSON of somebody else: what is put in comes out again, and no other byte moves."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts import jsonio
from signoff.core.errors import DocumentError

WANTED: dict[str, Any] = {
    "permissions": {"deny": ["a", "b"], "allow": ["c"]},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]},
}
TEXTS = {
    "empty": "{}",
    "a space": "{ }",
    "a line": "{\n}\n",
    "one line": '{"a":1}',
    "odd order": '{"z": 1, "hooks" : {}, "a": [ ]}\n',
    "two spaces": '{\n  "z": 1,\n  "permissions": {"deny": []}\n}\n',
    "tabs": '{\n\t"permissions": {\n\t\t"deny": [\n\t\t\t"a",\n\t\t\t"q"\n\t\t]\n\t},\n\t"hooks": {}\n}',
    "has some of it": '{"permissions":{"deny":["b"],"ask":["x"]},"model":"opus"}',
    "commas in front": '{\n  "a": 1\n, "hooks": {"Stop": [\n    {"hooks": []}\n  ]}\n}',
    "other lines": '{\r\n  "a": 1,\r\n  "b": {"c": "\\u00e4 \\" , } ]"}\r\n}\r\n',
    "everything": json.dumps(WANTED, indent=4),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_put_in_comes_out_again_byte_for_byte(text: str) -> None:
    new, added = jsonio.merge(text, "f.json", WANTED)
    value = json.loads(new)
    assert set(value["permissions"]["deny"]) >= {"a", "b"}
    assert WANTED["hooks"]["Stop"][0] in value["hooks"]["Stop"]
    assert jsonio.unmerge(new, "f.json", added) == text
    assert jsonio.merge(new, "f.json", WANTED) == (new, ())


def _texts() -> st.SearchStrategy[dict[str, Any]]:
    leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner))
    return st.dictionaries(st.sampled_from(["a", "permissions", "hooks", "ä"]) | st.text(max_size=3), values)


@given(value=_texts(), indent=st.sampled_from([None, 1, 4, "\t"]), tight=st.booleans())
def test_whatever_stands_in_the_file_stays(value: dict[str, Any], indent: Any, tight: bool) -> None:
    text = json.dumps(value, indent=indent, separators=(",", ":") if tight else None)
    new, added = jsonio.merge(text, "f.json", WANTED)
    assert jsonio.unmerge(new, "f.json", added) == text
    kept = {key: one for key, one in value.items() if key not in WANTED}
    assert {key: one for key, one in json.loads(new).items() if key not in WANTED} == kept


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        (lambda v: v["permissions"]["deny"].append("mine"), {"permissions": {"deny": ["mine"]}}),
        (lambda v: v["permissions"]["deny"].insert(0, "mine"), {"permissions": {"deny": ["mine"]}}),
        (lambda v: v["permissions"].update(ask=["mine"]), {"permissions": {"ask": ["mine"]}}),
        (lambda v: v["permissions"]["deny"].remove("a"), {"permissions": {"deny": []}}),
        (lambda v: v.pop("permissions"), {}),
        (lambda v: v.update(permissions=7), {"permissions": 7}),
        (lambda v: v["hooks"]["Stop"].append({"hooks": []}), {"hooks": {"Stop": [{"hooks": []}]}}),
        (lambda v: v["hooks"]["Stop"][0].update(matcher="mine"), {"hooks": {"Stop": [{"hooks": [], "matcher": "m"}]}}),
    ],
)
def test_what_a_person_put_to_it_since_is_theirs(edit: Any, left: dict[str, Any]) -> None:
    text, added = jsonio.merge("{}", "f.json", WANTED)
    value = json.loads(text)
    edit(value)
    found = jsonio.read(jsonio.unmerge(json.dumps(value), "f.json", added), "f.json")
    if "matcher" in str(left):  # an entry of ours that was changed is no entry of ours
        assert found["hooks"]["Stop"][0]["matcher"] == "mine"
        return
    assert found == left


def test_a_value_of_theirs_in_our_place_is_said_and_can_be_taken_out() -> None:
    text = '{"mcpServers": {"signoff": {"command": "other"}, "mine": {}}, "permissions": {"deny": "all"}}'
    wanted = {"mcpServers": {"signoff": {"command": "signoff"}}, "permissions": {"deny": ["a"]}}
    assert jsonio.clashes(text, "f", wanted) == [("mcpServers", "signoff", "command"), ("permissions", "deny")]
    assert jsonio.read(jsonio.without(text, "f", ("mcpServers", "signoff")), "f")["mcpServers"] == {"mine": {}}


@pytest.mark.parametrize(
    "text", ["", "[]", "7", "{", '{"a": 1,}', '// hi\n{"a": 1}', "{'a': 1}", "\ufeff{}", '{"a": ' + "[" * 100_000]
)
def test_what_is_no_json_object_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(DocumentError) as caught:
        jsonio.merge(text, "settings.json", WANTED)
    assert re.match(r"settings\.json:1: json: (invalid JSON: |it is not a JSON object)", str(caught.value))
    assert "nothing was written" in str(caught.value)


# --- setting by place -------------------------------------------------------------------------------------------------

_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(["a", "b", "ä", 'q"'])
_OBJECTS = st.dictionaries(_KEYS, _PLAIN | st.dictionaries(_KEYS, _PLAIN, max_size=3), max_size=4)
_HOLE = "\ue000"


def _in_any_way(value: Any, draw: Any) -> str:
    """JSON with white space wherever JSON allows it."""
    space = lambda: draw(st.sampled_from(["", " ", "\n", "\t", "\r\n  "]))  # noqa: E731
    if isinstance(value, dict):
        members = [
            f"{space()}{json.dumps(key)}{space()}:{space()}{_in_any_way(one, draw)}" for key, one in value.items()
        ]
        return "{" + ",".join(member + space() for member in members) + space() * (not members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(space() + _in_any_way(one, draw) + space() for one in value) + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def _expected(value: Any, path: tuple[str, ...], new: Any) -> Any:
    if not path:
        return new
    have = value if isinstance(value, dict) else {}
    return {**have, path[0]: _expected(have.get(path[0]), path[1:], new)}


@given(value=_OBJECTS, path=st.lists(_KEYS, min_size=1, max_size=3).map(tuple), new=_PLAIN, data=st.data())
def test_what_is_set_is_there_and_all_else_means_the_same(value: Any, path: Any, new: Any, data: Any) -> None:
    text = _in_any_way(value, data.draw)
    result = jsonio.put(text, "f", {path: new})
    assert json.loads(result) == _expected(value, path, new)
    assert jsonio.put(result, "f", {path: new}) == result


@given(value=_OBJECTS, key=_KEYS, old=_PLAIN, new=_PLAIN, data=st.data())
def test_every_byte_around_a_value_that_is_set_stays(value: Any, key: str, old: Any, new: Any, data: Any) -> None:
    text = _in_any_way({**value, "x": {key: _HOLE}}, data.draw)
    before, _, after = text.replace(json.dumps(_HOLE), f'"{_HOLE}"').partition(f'"{_HOLE}"')
    result = jsonio.put(before + json.dumps(old) + after, "f", {("x", key): new})
    assert result.startswith(before)
    assert result.endswith(after)
    assert json.loads(result[len(before) : len(result) - len(after)]) == new


@given(value=_OBJECTS, new=_PLAIN, data=st.data())
def test_a_member_that_is_new_comes_behind_the_last_one(value: Any, new: Any, data: Any) -> None:
    text = _in_any_way({**value, "z": 7}, data.draw)
    last = text.rindex("7") + 1
    result = jsonio.put(text, "f", {("new",): new})
    assert result.startswith(text[:last] + ",")
    assert result.endswith(text[last:])


SET: list[tuple[str, tuple[str, ...], Any, str]] = [
    ('{\n  "a": 1\n}\n', ("b",), [1], '{\n  "a": 1,\n  "b": [\n    1\n  ]\n}\n'),
    ('{\n  "a": {}\n}\n', ("a", "b"), 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'),
    ('{\n\t"a": {"b": 1}\n}', ("a", "c"), [1], '{\n\t"a": {"b": 1, "c": [1]}\n}'),
    ('{"a": null}', ("a", "b", "c"), "ä", '{"a": {"b": {"c": "ä"}}}'),
    ('{\r\n  "a": 1\r\n}', ("b",), {"c": 1}, '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 1\r\n  }\r\n}'),
    ('{"a": [1,2 ]}', ("a",), [1, 2], '{"a": [1,2 ]}'),
    ('{"a": 1}', ("a",), True, '{"a": true}'),
    ('{"a": 1, "a": 2}', ("a",), 3, '{"a": 1, "a": 3}'),
    ('{"a": "x"}', ("a",), "\ud800", '{"a": "\\ud800"}'),
    ("{}", ("a",), 1, '{"a": 1}'),
]


@pytest.mark.parametrize(("text", "path", "value", "new"), SET, ids=range(len(SET)))
def test_a_value_is_written_as_its_neighbours_are(text: str, path: Any, value: Any, new: str) -> None:
    assert jsonio.put(text, "f", {path: value}) == new


@pytest.mark.parametrize(
    ("place", "line"), [(("a",), 2), (("b", 1, "c"), 5), (("b", 9), 3), (("x",), 1), ((), 1), (("a", "b"), 2)]
)
def test_a_place_has_a_line_or_that_of_the_part_which_is_there(place: Any, line: int) -> None:
    assert jsonio.line_of('{\n "a": 1,\n "b": [\n  0, {\n   "c": 2}]\n}', "f", place) == line


def test_names_that_stand_twice_in_one_object_are_told_with_their_lines() -> None:
    text = '{"a": 1,\n "b": [{"c": 1,\n "c": 2}], "d": {"a": 1},\n "a": 3}'
    assert jsonio.repeated(text, "f") == [(("b", 0, "c"), 3), (("a",), 4)]
