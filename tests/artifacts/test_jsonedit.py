"""JSON of somebody else: what is put in comes out again, and no other byte moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts import jsonedit
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
    new, added = jsonedit.merge(text, "f.json", WANTED)
    value = json.loads(new)
    assert set(value["permissions"]["deny"]) >= {"a", "b"}
    assert WANTED["hooks"]["Stop"][0] in value["hooks"]["Stop"]
    assert jsonedit.unmerge(new, "f.json", added) == text
    assert jsonedit.merge(new, "f.json", WANTED) == (new, ())


def _texts() -> st.SearchStrategy[dict[str, Any]]:
    leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner))
    return st.dictionaries(st.sampled_from(["a", "permissions", "hooks", "ä"]) | st.text(max_size=3), values)


@given(value=_texts(), indent=st.sampled_from([None, 1, 4, "\t"]), tight=st.booleans())
def test_whatever_stands_in_the_file_stays(value: dict[str, Any], indent: Any, tight: bool) -> None:
    text = json.dumps(value, indent=indent, separators=(",", ":") if tight else None)
    new, added = jsonedit.merge(text, "f.json", WANTED)
    assert jsonedit.unmerge(new, "f.json", added) == text
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
    text, added = jsonedit.merge("{}", "f.json", WANTED)
    value = json.loads(text)
    edit(value)
    found = jsonedit.read(jsonedit.unmerge(json.dumps(value), "f.json", added), "f.json")
    if "matcher" in str(left):  # an entry of ours that was changed is no entry of ours
        assert found["hooks"]["Stop"][0]["matcher"] == "mine"
        return
    assert found == left


def test_a_value_of_theirs_in_our_place_is_said_and_can_be_taken_out() -> None:
    text = '{"mcpServers": {"signoff": {"command": "other"}, "mine": {}}, "permissions": {"deny": "all"}}'
    wanted = {"mcpServers": {"signoff": {"command": "signoff"}}, "permissions": {"deny": ["a"]}}
    assert jsonedit.clashes(text, "f", wanted) == [("mcpServers", "signoff", "command"), ("permissions", "deny")]
    assert jsonedit.read(jsonedit.without(text, "f", ("mcpServers", "signoff")), "f")["mcpServers"] == {"mine": {}}


@pytest.mark.parametrize(
    "text", ["", "[]", "7", "{", '{"a": 1,}', '// hi\n{"a": 1}', "{'a': 1}", "\ufeff{}", '{"a": ' + "[" * 100_000]
)
def test_what_is_no_json_object_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(DocumentError) as caught:
        jsonedit.merge(text, "settings.json", WANTED)
    assert "settings.json:1: json: it" in str(caught.value)
    assert "nothing was written" in str(caught.value)
