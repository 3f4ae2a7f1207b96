"""Follows the texts of a call through the source: what `rule`, `problem` and `repair` can be when it is made.

The texts are followed through local names, branches, parameters (to every caller), fields of dataclasses and of errors,
constants, loops over literals, and calls of small functions. What only a run can say becomes a blank: ‹claim id›.

A choice that the source leaves open (a branch, a caller, an element of a list) is made once in a world, and all worlds
are tried; so the cause of a branch is shown with the repair of the same branch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from source_tree import (
    Function,
    Module,
    Scope,
    Tree,
    blocks_of,
    handler_of,
    is_none,
    is_passable,
    last_name,
    parameters,
    stores,
    targets,
    walk,
    walrus,
)

MOST_WORLDS, DEEPEST, MOST_RETURNS = 400, 60, 16
BLANK = re.compile("‹[^‹›]*›")
SAME = "as the finding that it stands for"


@dataclass(frozen=True)
class Built:
    """The texts of a finding in one world; `named_in` is the module that names the rule."""

    rule: str
    problem: str
    repair: str
    named_in: str


@dataclass(frozen=True)
class Bound:
    """An expression with what its names mean: the module it stands in and the arguments of its function."""

    node: ast.expr
    module: Module
    env: Mapping[str, Bound]

    def at(self, node: ast.expr) -> Bound:
        """Another expression of the same place."""
        return Bound(node, self.module, self.env)


class _ForkError(Exception):
    """The source leaves something open here: there are this many ways."""

    def __init__(self, key: object, ways: int) -> None:
        self.key, self.ways = key, ways


class _UnknownError(Exception):
    """Only a run can say."""


@dataclass
class Call:
    """A call that builds a finding. `order` are the names of its positional arguments."""

    tree: Tree
    module: Module
    call: ast.Call
    order: Sequence[str] = ()
    choices: dict[object, int] = field(default_factory=dict)
    depth: int = 0
    named_in: str = ""

    def worlds(self) -> Iterator[Built]:
        """What the call builds, in every world."""
        given = dict(zip(self.order, self.call.args, strict=False))
        given |= {one.arg: one.value for one in self.call.keywords if one.arg}
        seen: set[Built] = set()
        open_: list[dict[object, int]] = [{}]
        while open_ and len(seen) < MOST_WORLDS:
            self.choices, self.depth, self.named_in = open_.pop(), 0, ""
            try:
                rule = self._field(given, "rule")
                module = self.named_in or self.module.name
                problem, repair = self._field(given, "problem"), self._field(given, "repair")
                found = Built(rule, problem, repair, module)
            except _ForkError as fork:
                open_ += [{**self.choices, fork.key: way} for way in reversed(range(fork.ways))]
                continue
            if found not in seen:
                seen.add(found)
                yield found

    def _field(self, given: Mapping[str, ast.expr], name: str) -> str:
        if name not in given:
            return "" if name == "rule" else SAME
        text = self._text(Bound(given[name], self.module, {}), rule=name == "rule")
        return " ".join(text.split())

    def _choose(self, key: object, ways: int) -> int:
        if ways == 0:
            raise _UnknownError
        if ways == 1:
            return 0
        if key not in self.choices:
            raise _ForkError(key, ways)
        return self.choices[key]

    # --- texts --------------------------------------------------------------------------------------------------------

    def _text(self, bound: Bound, *, rule: bool) -> str:
        """The text of an expression; what only a run can say is a blank."""
        before = self.depth
        self.depth += 1
        try:
            return self._spelt(bound, rule=rule)
        except _UnknownError:
            return _blank(bound.node)
        finally:
            self.depth = before

    def _spelt(self, bound: Bound, *, rule: bool) -> str:
        match bound.node:
            case ast.Constant(value=value):
                if rule and bound.module is not self.module:
                    self.named_in = bound.module.name
                return str(value)
            case ast.JoinedStr(values=values):
                return "".join(self._part(bound.at(one), rule=rule) for one in values)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return self._text(bound.at(left), rule=rule) + self._text(bound.at(right), rule=rule)
        return self._text(self._value(bound), rule=rule)

    def _part(self, bound: Bound, *, rule: bool) -> str:
        """A piece of an f-string. In a rule every way is tried; elsewhere what is open is a blank."""
        if not isinstance(bound.node, ast.FormattedValue):
            return self._text(bound, rule=rule)
        inner, before = bound.at(bound.node.value), dict(self.choices)
        try:
            text = self._text(inner, rule=rule)
        except _ForkError:
            if rule:
                raise
            self.choices = before
            return _blank(inner.node)
        if BLANK.fullmatch(text) and isinstance(inner.node, (ast.Name, ast.Attribute)):
            return _blank(inner.node)
        return repr(text) if bound.node.conversion == ord("r") and "‹" not in text else text

    # --- values -------------------------------------------------------------------------------------------------------

    def _value(self, bound: Bound) -> Bound:
        """What an expression stands for, one step closer to a literal."""
        before = self.depth
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                raise _UnknownError
            return self._step(bound)
        finally:
            self.depth = before

    def _step(self, bound: Bound) -> Bound:
        node = bound.node
        match node:
            case ast.Name():
                return self._named(bound, node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                way = self._choose((bound.module.scope(node), ast.unparse(test)), 2)
                return bound.at((body, orelse)[way])
            case ast.BoolOp(op=ast.Or(), values=values):
                return bound.at(values[self._choose((node, "or"), len(values))])
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                return bound.at(value)
            case ast.Attribute():
                return self._attribute(bound, node)
            case ast.Subscript():
                return self._item(bound, node)
            case ast.Call(func=ast.Attribute(value=inner, attr="strip" | "rstrip" | "lstrip")):
                return bound.at(inner)
            case ast.Call(func=ast.Name(id="sorted" | "list" | "tuple" | "reversed"), args=[inner, *_]):
                return bound.at(inner)
            case ast.Call():
                return self._returned(bound, node)
        raise _UnknownError

    def _literal(self, bound: Bound) -> Bound:
        """Follows an expression until it is a literal or a comprehension."""
        ends = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Constant, ast.JoinedStr)
        while not isinstance(bound.node, (*ends, ast.GeneratorExp, ast.ListComp, ast.SetComp)):
            bound = self._value(bound)
            self.depth += 1  # counts against the limit until the text that asks is done
        return bound

    def _named(self, bound: Bound, node: ast.Name) -> Bound:
        if node.id in bound.env:
            return bound.env[node.id]
        use: ast.AST = node
        scope = bound.module.scope(node)
        while scope is not None:
            if (found := self._assigned(bound, use, scope, node.id)) is not None:
                return found
            if node.id in (one.arg for one in parameters(scope)):
                return self._argument(bound, scope, node.id)
            use, scope = scope, bound.module.scope(scope)
        home = self.tree.lookup(bound.module, node.id)
        if home and isinstance(home[1], ast.expr):
            return Bound(home[1], home[0], {})
        raise _UnknownError

    def _argument(self, bound: Bound, scope: Scope, name: str) -> Bound:
        """A parameter is what one of the callers gives."""
        callers = self.tree.callers(scope)
        if not callers:
            return self._annotated(bound.module, scope, name)
        home, call = callers[self._choose((scope, "caller"), len(callers))]
        given = _bind(scope, bound.module, Bound(call, home, {}))
        if name not in given:
            raise _UnknownError
        return given[name]

    def _annotated(self, module: Module, scope: Scope, name: str) -> Bound:
        """A parameter of a function that is handed around: what its module builds of the class it is annotated with."""
        annotation = next((one.annotation for one in parameters(scope) if one.arg == name), None)
        kind = last_name(annotation) if annotation else ""
        built = [call for home, call in self.tree.calls.get(kind, ()) if home is module]
        return Bound(built[self._choose((scope, "built"), len(built))], module, {})

    # --- local names --------------------------------------------------------------------------------------------------

    def _assigned(self, bound: Bound, use: ast.AST, scope: Scope, name: str) -> Bound | None:
        """The value that a local name has where it is used: the last assignment before, block by block."""
        here = use
        for above in bound.module.above(use):
            for loop in getattr(above, "generators", ()):
                if name in targets(loop.target) and here is not loop:
                    return self._unpacked(self._one_of(bound.at(loop.iter)), loop.target, name)
            if isinstance(above, (ast.If, ast.While, ast.IfExp)) and (value := walrus(above.test, name)):
                return bound.at(value)
            if isinstance(above, ast.For) and here in above.body and name in targets(above.target):
                within = self._before(bound, above.body, here, name)
                return within or self._unpacked(self._one_of(bound.at(above.iter)), above.target, name)
            if isinstance(above, ast.ExceptHandler) and above.name == name:
                raise _UnknownError
            for block in ("body", "orelse", "finalbody"):
                statements = getattr(above, block, None)
                if isinstance(statements, list) and here in statements:
                    found = self._before(bound, statements, here, name)
                    if found is not None:
                        return found
            if above is scope:
                return None
            here = above
        return None

    def _before(self, bound: Bound, statements: Sequence[ast.stmt], here: ast.AST, name: str) -> Bound | None:
        """The last assignment in a block before a statement, or in all of it."""
        end = next((at for at, one in enumerate(statements) if one is here), len(statements))
        for statement in reversed(statements[:end]):
            match statement:
                case ast.Assign(targets=[target], value=value) if name in targets(target):
                    return self._unpacked(bound.at(value), target, name)
                case ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value) if found == name:
                    return bound.at(value)
                case ast.AugAssign(target=ast.Name(id=found), value=value) if found == name:
                    return self._longer(bound, statement, value)
                case _ if stores(statement, name):
                    blocks = [block for block in blocks_of(statement) if any(stores(one, name) for one in block)]
                    ways = [*blocks, []] if is_passable([statement], name) else blocks
                    within = self._before(bound, ways[self._choose((statement, "block"), len(ways))], here, name)
                    if within is not None:
                        return within
        return None

    def _longer(self, bound: Bound, statement: ast.AugAssign, more: ast.expr) -> Bound | None:
        """`problem += …`: the text before and what is added."""
        assert isinstance(statement.target, ast.Name)
        earlier = self._assigned_before(bound, statement, statement.target.id)
        if earlier is None:
            raise _UnknownError
        text = ast.Constant(value=self._text(earlier, rule=False))
        joined = ast.BinOp(left=text, op=ast.Add(), right=more)
        bound.module.parents[joined] = bound.module.parents[statement]
        return bound.at(joined)

    def _assigned_before(self, bound: Bound, statement: ast.stmt, name: str) -> Bound | None:
        scope = bound.module.scope(statement)
        return self._assigned(bound, statement, scope, name) if scope else None

    def _unpacked(self, bound: Bound, target: ast.expr, name: str) -> Bound:
        """The part of a value that an assignment or a loop gives to a name."""
        if isinstance(target, ast.Name):
            return bound
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise _UnknownError
        place = next(at for at, one in enumerate(target.elts) if name in targets(one))
        literal = self._literal(bound)
        if not isinstance(literal.node, (ast.Tuple, ast.List)) or place >= len(literal.node.elts):
            raise _UnknownError
        return self._unpacked(literal.at(literal.node.elts[place]), target.elts[place], name)

    # --- elements -----------------------------------------------------------------------------------------------------

    def _one_of(self, iterated: Bound) -> Bound:
        """One of the elements that a loop goes through."""
        node = iterated.node
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values"):
                return self._entry(iterated.at(node.func.value), node.func.attr)
            if isinstance(node.func, ast.Name) and node.func.id == "enumerate":
                number = ast.Name(id="number", ctx=ast.Load())
                return _pair(iterated.at(number), self._one_of(iterated.at(node.args[0])))
            if (made := self._yielded(iterated, node)) is not None:
                return made
        match node:
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                one = elements[self._choose((node, "element"), len(elements))]
                return self._one_of(iterated.at(one.value)) if isinstance(one, ast.Starred) else iterated.at(one)
            case ast.Dict():
                return self._entry(iterated, "keys")
            case ast.GeneratorExp(elt=elt) | ast.ListComp(elt=elt) | ast.SetComp(elt=elt):
                return iterated.at(elt)
        self.depth += 1
        return self._one_of(self._value(iterated))

    def _entry(self, mapping: Bound, part: str) -> Bound:
        table = self._literal(mapping)
        if not isinstance(table.node, ast.Dict) or None in table.node.keys:
            raise _UnknownError
        way = self._choose((table.node, "entry"), len(table.node.keys))
        key, value = table.at(_some(table.node.keys[way])), table.at(table.node.values[way])
        return {"keys": key, "values": value}.get(part) or _pair(key, value)

    def _yielded(self, bound: Bound, call: ast.Call) -> Bound | None:
        """What a generator of ours gives: one of its yields."""
        found = self.tree.callee(bound.module, call)
        if not found or not isinstance(found[1], Function):
            return None
        home, function = found
        given = [one for one in walk(function) if isinstance(one, (ast.Yield, ast.YieldFrom)) and one.value]
        if not given:
            return None
        one = given[self._choose((call, "yield"), len(given))]
        made = Bound(_some(one.value), home, _bind(function, home, bound))
        return made if isinstance(one, ast.Yield) else self._one_of(made)

    # --- fields, items, calls -----------------------------------------------------------------------------------------

    def _attribute(self, bound: Bound, node: ast.Attribute) -> Bound:
        owner = node.value
        if isinstance(owner, ast.Name):
            target = self.tree.modules.get(bound.module.imports.get(owner.id, ""))
            if target and isinstance(value := target.defined.get(node.attr), ast.expr):
                return Bound(value, target, {})
            if handler := handler_of(bound.module, owner):
                return self._of_error(bound.module, handler, node.attr)
        return self._key(bound) or self._field_of(bound.at(owner), node.attr)

    def _key(self, bound: Bound) -> Bound | None:
        """If a constant mapping is asked for this very expression nearby, the expression is one of its keys."""
        scope, text = bound.module.scope(bound.node), ast.unparse(bound.node)
        for one in walk(scope) if scope else ():
            if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and ast.unparse(one.slice) == text:
                home = self.tree.lookup(bound.module, one.value.id)
                if home and isinstance(home[1], ast.Dict):
                    keys = home[1].keys
                    return Bound(_some(keys[self._choose((scope, text), len(keys))]), home[0], {})
        return None

    def _item(self, bound: Bound, node: ast.Subscript) -> Bound:
        table = self._literal(bound.at(node.value))
        if isinstance(table.node, ast.Dict):
            text = ast.unparse(node.slice)
            keys = [ast.unparse(_some(one)) for one in table.node.keys]
            way = keys.index(text) if text in keys else self._choose((bound.module.scope(node), text), len(keys))
            return table.at(table.node.values[way])
        match table.node, node.slice:
            case ((ast.Tuple(elts=elements) | ast.List(elts=elements)), ast.Constant(value=int(place))):
                if place < len(elements):
                    return table.at(elements[place])
        raise _UnknownError

    def _of_error(self, module: Module, handler: ast.ExceptHandler, attr: str) -> Bound:
        """A field of an error of ours: as one of those who raise it gave it."""
        kind = handler.type.id if isinstance(handler.type, ast.Name) else ""
        home = self.tree.lookup(module, kind)
        if not home or not isinstance(home[1], ast.ClassDef) or not kind.startswith("_"):
            raise _UnknownError
        raised = [pair for pair in self.tree.calls.get(kind, ()) if pair[0] is home[0]]
        where, call = raised[self._choose((home[1], "raised"), len(raised))]
        return _constructed(home[1], Bound(call, where, {}), attr)

    def _field_of(self, owner: Bound, attr: str) -> Bound:
        """A field of a value that a call of one of our classes builds."""
        while True:
            node = owner.node
            if isinstance(node, ast.Call):
                found = self.tree.callee(owner.module, node)
                if found and isinstance(found[1], ast.ClassDef):
                    return _constructed(found[1], owner, attr)
            if isinstance(node, ast.Name) and node.id == "self" and "self" not in owner.env:
                owner = self._receiver(owner, node)
            else:
                owner = self._value(owner)
            self.depth += 1

    def _receiver(self, owner: Bound, node: ast.Name) -> Bound:
        """What `self` is: the method was called on a value that somebody built."""
        scope = owner.module.scope(node)
        callers = [
            (home, call.func.value)
            for home, call in self.tree.callers(scope) if isinstance(call.func, ast.Attribute)
        ] if scope else []  # fmt: skip
        if not callers or self.depth > DEEPEST:
            raise _UnknownError
        home, value = callers[self._choose((scope, "caller"), len(callers))]
        return Bound(value, home, {})

    def _returned(self, bound: Bound, call: ast.Call) -> Bound:
        """What a call of one of our functions gives: one of its returns."""
        found = self.tree.callee(bound.module, call)
        if not found or not isinstance(found[1], Function):
            raise _UnknownError
        home, function = found
        own = [one for one in walk(function) if isinstance(one, ast.Return) and home.scope(one) is function]
        values = [one.value for one in own if one.value and not is_none(one.value)]
        if len(values) > MOST_RETURNS:
            raise _UnknownError
        return Bound(values[self._choose((call, "return"), len(values))], home, _bind(function, home, bound))


# --- reading calls ----------------------------------------------------------------------------------------------------


def _bind(function: Scope, home: Module, call: Bound) -> dict[str, Bound]:
    """The arguments of a call by the names of the parameters, defaults included."""
    node = call.node
    assert isinstance(node, ast.Call)
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    keyword_only = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    defaults |= {one.arg: value for one, value in keyword_only if value}
    given = {name: Bound(value, home, {}) for name, value in defaults.items()}
    if names[:1] == ["self"] and isinstance(node.func, ast.Attribute):
        given["self"] = call.at(node.func.value)
        names = names[1:]
    for at, one in enumerate(node.args):
        if isinstance(one, ast.Starred):
            given |= _spread([name for name in names[at:] if name not in defaults], one.value, call)
            break
        if at < len(names):
            given[names[at]] = call.at(one)
    return given | {one.arg: call.at(one.value) for one in node.keywords if one.arg}


def _spread(names: Sequence[str], value: ast.expr, call: Bound) -> dict[str, Bound]:
    """`f(a, *pair)`: the parameters from the star on are the parts of what is spread."""
    parts = {name: ast.Subscript(value=value, slice=ast.Constant(value=at)) for at, name in enumerate(names)}
    for part in parts.values():
        call.module.parents[part] = call.node
    return {name: call.at(part) for name, part in parts.items()}


def _constructed(kind: ast.ClassDef, call: Bound, attr: str) -> Bound:
    """The argument of a constructor that becomes this field."""
    made = next((one for one in kind.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    fields = (one.target for one in kind.body if isinstance(one, ast.AnnAssign))
    names = [one.arg for one in made.args.args[1:]] if made else [one.id for one in fields if isinstance(one, ast.Name)]
    assert isinstance(call.node, ast.Call)
    given = dict(zip(names, call.node.args, strict=False))
    given |= {one.arg: one.value for one in call.node.keywords if one.arg}
    if attr not in given:
        raise _UnknownError
    return call.at(given[attr])


def _pair(left: Bound, right: Bound) -> Bound:
    """Two values as one; both keep what their names mean."""
    names = {"left": left, "right": right}
    return Bound(ast.Tuple(elts=[ast.Name(id=name, ctx=ast.Load()) for name in names]), left.module, names)


def _some(node: ast.expr | None) -> ast.expr:
    if node is None:
        raise _UnknownError
    return node


def _blank(node: ast.expr) -> str:
    """What stands for a text that only a run knows, by the name that the source has for it."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return f"‹{name.strip('_').replace('_', ' ').lower()}›"
        case ast.Subscript(value=inner):
            return _blank(inner)
        case ast.Call(func=ast.Name(id="len")):
            return "‹number›"
        case ast.Call(func=ast.Attribute(value=ast.Call() | ast.Name() | ast.Attribute() as inner, attr=attr)):
            return _blank(node.args[0] if attr == "join" and node.args else inner)
        case ast.Call(args=[inner, *_]) | ast.Call(func=ast.Attribute(value=inner)):
            return _blank(inner)
        case ast.IfExp(body=inner) | ast.BoolOp(values=[inner, *_]):
            return _blank(inner)
    return "‹…›"
