"""Layers of a PDF (optional content): whether a reader who opens the file sees what is on them."""

from __future__ import annotations

from typing import Any


class Layers:
    """The layers that are off when the file is opened."""

    def __init__(self, catalog: Any) -> None:
        properties = _mapping(catalog.get("/OCProperties"))
        default = _mapping(properties.get("/D"))
        self._base_off = default.get("/BaseState") == "/OFF"
        self._on = {_key(each) for each in _listed(default.get("/ON"))}
        self._off = {_key(each) for each in _listed(default.get("/OFF"))}

    def hides(self, group: Any) -> bool:
        """Whether content that belongs to this group or to this rule over groups is hidden."""
        if group is None:
            return False
        content = _mapping(group)
        if content.get("/Type") == "/OCMD":
            return self._hidden_by_rule(content)
        view = _mapping(_mapping(content.get("/Usage")).get("/View"))
        if view.get("/ViewState") == "/OFF" or _key(group) in self._off:
            return True
        return self._base_off and _key(group) not in self._on

    def _hidden_by_rule(self, rule: Any) -> bool:
        if "/VE" in rule:
            return True  # an expression over layers: whatever it says, the content comes and goes
        members = rule.raw_get("/OCGs") if "/OCGs" in rule else None
        resolved = _resolved(members)
        groups = list(resolved) if isinstance(resolved, list) else [members] if members is not None else []
        hidden = [self.hides(each) for each in groups if _mapping(each).get("/Type") != "/OCMD"]
        if not hidden:
            return False
        policy = rule.get("/P", "/AnyOn")
        seen = {
            "/AllOn": not any(hidden), "/AnyOff": any(hidden), "/AllOff": all(hidden),
        }.get(str(policy), not all(hidden))  # fmt: skip
        return not seen


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _mapping(value: Any) -> Any:
    resolved = _resolved(value)
    return resolved if isinstance(resolved, dict) else {}


def _listed(value: Any) -> list[Any]:
    resolved = _resolved(value)
    return list(resolved) if isinstance(resolved, list) else []


def _key(value: Any) -> int:
    number = getattr(value, "idnum", None)
    reference = getattr(value, "indirect_reference", None)
    return number if number is not None else reference.idnum if reference is not None else -id(value)
