"""The package as syntax trees: what a name means, which function a call leads to, who calls a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Function = ast.FunctionDef | ast.AsyncFunctionDef
BUILT_IN = frozenset(name for kind in (str, bytes, list, dict, set, tuple) for name in dir(kind))


@dataclass(eq=False)
class Module:
    """One file, with the parent of every node and what its names mean at the top."""

    name: str
    tree: ast.Module
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    defined: dict[str, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("signoff"):
                source = (node.module or "").removeprefix("signoff").lstrip(".")
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = f"{source}.{alias.name}".lstrip(".")
        for statement in self.tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.defined[statement.name] = statement
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.defined[statement.targets[0].id] = statement.value
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
                self.defined[statement.target.id] = statement.value

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that a node stands in, from the inside out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: ast.AST) -> Scope | None:
        """The function that a node stands in."""
        return next((one for one in self.above(node) if isinstance(one, Scope)), None)

    def owner(self, node: ast.AST) -> str:
        """The dotted name of the function that a node stands in."""
        names = [one.name for one in self.above(node) if isinstance(one, (ast.FunctionDef, ast.ClassDef))]
        return ".".join([self.name, *reversed(names)])


Place = tuple[Module, ast.AST]


@dataclass
class Tree:
    """All files of the package."""

    modules: dict[str, Module]
    calls: dict[str, list[tuple[Module, ast.Call]]] = field(default_factory=dict)
    named: dict[str, list[tuple[Module, ast.expr]]] = field(default_factory=dict)
    methods: dict[str, list[tuple[Module, ast.ClassDef, Function]]] = field(default_factory=dict)
    _callees: dict[ast.Call, Place | None] = field(default_factory=dict)
    _callers: dict[Function, list[tuple[Module, ast.Call]]] = field(default_factory=dict)

    @staticmethod
    def read(package: Path) -> Tree:
        """The trees of all files below a folder."""
        modules = {}
        for path in sorted(package.rglob("*.py")):
            name = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
            modules[name] = Module(name, ast.parse(path.read_text("utf-8")))
        tree = Tree(modules)
        for module in modules.values():
            tree._index(module)
        return tree

    def _index(self, module: Module) -> None:
        for node in walk(module.tree):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                self.calls.setdefault(called, []).append((module, node))
            elif isinstance(node, (ast.Name, ast.Attribute)):
                name = node.id if isinstance(node, ast.Name) else node.attr
                self.named.setdefault(name, []).append((module, node))
            elif isinstance(node, ast.ClassDef):
                for one in node.body:
                    if isinstance(one, Function):
                        self.methods.setdefault(one.name, []).append((module, node, one))

    def lookup(self, module: Module, name: str) -> Place | None:
        """What a name means at the top of a module, here or where it is imported from."""
        if name in module.defined:
            return module, module.defined[name]
        home, _, last = module.imports.get(name, "").rpartition(".")
        if home in self.modules and last in self.modules[home].defined:
            return self.modules[home], self.modules[home].defined[last]
        return None

    def callee(self, module: Module, call: ast.Call) -> Place | None:
        """The function or class of ours that is called, as far as names and annotations say."""
        if call not in self._callees:
            self._callees[call] = self._callee(module, call)
        return self._callees[call]

    def _callee(self, module: Module, call: ast.Call) -> Place | None:
        if isinstance(call.func, ast.Name):
            return self._nested(module, call, call.func.id) or self.lookup(module, call.func.id)
        if not isinstance(call.func, ast.Attribute):
            return None
        if isinstance(call.func.value, ast.Name):
            target = module.imports.get(call.func.value.id, "")
            if target in self.modules:
                found = self.modules[target].defined.get(call.func.attr)
                return (self.modules[target], found) if found else None
        return self._method(module, call.func)

    def _nested(self, module: Module, call: ast.Call, name: str) -> Place | None:
        """A function that is defined inside the one that calls it."""
        for above in module.above(call):
            if isinstance(above, Function):
                for one in walk(above):
                    if isinstance(one, ast.FunctionDef) and one.name == name and one is not above:
                        return module, one
        return None

    def _method(self, module: Module, called: ast.Attribute) -> Place | None:
        """The method that an attribute leads to: by the class of its owner, else the only one of this name."""
        found = self.methods.get(called.attr, [])
        if kind := self.class_of(module, called.value):
            place = self.lookup(module, kind)
            found = [one for one in found if one[1].name == kind and (not place or one[1] is place[1])]
        elif called.attr in BUILT_IN:
            return None
        elif here := [one for one in found if one[0] is module]:
            found = here
        return (found[0][0], found[0][2]) if len(found) == 1 else None

    def class_of(self, module: Module, owner: ast.expr) -> str:
        """The name of an expression's class, where an annotation or a constructor says it."""
        if isinstance(owner, ast.Call):
            place = self.callee(module, owner)
            if place and isinstance(place[1], ast.ClassDef):
                return place[1].name
            if place and isinstance(place[1], Function) and place[1].returns:
                return last_name(place[1].returns)
        if not isinstance(owner, ast.Name):
            return ""
        scope = module.scope(owner)
        while scope is not None:
            if owner.id == "self" and isinstance(kind := module.parents.get(scope), ast.ClassDef):
                return kind.name
            for one in parameters(scope):
                if one.arg == owner.id and one.annotation:
                    return last_name(one.annotation)
            for one in walk(scope):
                if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and owner.id in _named(one.targets):
                    return self.class_of(module, one.value)
            scope = module.scope(scope)
        return ""

    def callers(self, function: Scope) -> list[tuple[Module, ast.Call]]:
        """The calls that lead to this function."""
        if isinstance(function, ast.Lambda):
            return []
        if function not in self._callers:
            direct = [
                (home, call)
                for home, call in self.calls.get(function.name, ())
                if (found := self.callee(home, call)) and found[1] is function
            ]
            handed = [pair for module, node in self.references(function) for pair in self._through(module, node) or ()]
            self._callers[function] = direct + handed
        return self._callers[function]

    def references(self, function: Function) -> Iterator[tuple[Module, ast.expr]]:
        """Where the function is named without being called: it is handed to somebody."""
        for module, node in self.named.get(function.name, ()):
            parent = module.parents.get(node)
            if (isinstance(parent, ast.Call) and parent.func is node) or not self._may_be(module, node):
                continue
            like_a_call = ast.Call(func=node, args=[], keywords=[])
            module.parents[like_a_call] = parent or module.tree
            found = self._callee(module, like_a_call)
            if found and found[1] is function:
                yield module, node

    def _may_be(self, module: Module, node: ast.expr) -> bool:
        """Whether a name can mean a function: a local name does not, nor a field of something unknown."""
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and (
                node.value.id in module.imports or bool(self.class_of(module, node.value))
            )
        scope = module.scope(node)
        if scope is None or not isinstance(node, ast.Name):
            return True
        return not stores(scope, node.id) and node.id not in (one.arg for one in parameters(scope))

    def _through(self, module: Module, node: ast.expr) -> list[tuple[Module, ast.Call]] | None:
        """The calls of a parameter that a function was handed to; None if it goes another way."""
        parent = module.parents.get(node)
        found = self.callee(module, parent) if isinstance(parent, ast.Call) else None
        if not found or not isinstance(found[1], Function) or node not in parent.args:
            return None
        home, taker = found
        names = [one.arg for one in (*taker.args.posonlyargs, *taker.args.args)]
        name = names[parent.args.index(node)]
        inside = [one for one in walk(taker) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
        return [(home, one) for one in inside if one.func.id == name]

    def escapes(self, function: Function) -> list[str]:
        """Where the function is handed to something that cannot be followed."""
        return [module.owner(node) for module, node in self.references(function) if self._through(module, node) is None]


def _named(targets: Sequence[ast.expr]) -> set[str]:
    return {one.id for one in targets if isinstance(one, ast.Name)}


def stores(scope: ast.AST, name: str) -> bool:
    """Whether a name is assigned anywhere inside."""
    stored = (one for one in walk(scope) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return any(one.id == name for one in stored)


def parameters(scope: Scope) -> list[ast.arg]:
    """The parameters of a function."""
    return [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]


@cache
def walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """The node and all below it."""
    return tuple(ast.walk(node))


def last_name(annotation: ast.expr) -> str:
    """The last name of an annotation: `Reader` of `markdown_blocks.Reader`, and of `Reader | None`."""
    match annotation:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.BinOp(left=left):
            return last_name(left)
        case ast.Constant(value=str(text)):
            return last_name(ast.parse(text, mode="eval").body)
    return ""


def handler_of(module: Module, name: ast.Name) -> ast.ExceptHandler | None:
    """The `except` that a name was bound by, if any."""
    above = (one for one in module.above(name) if isinstance(one, ast.ExceptHandler))
    return next((one for one in above if one.name == name.id), None)


def blocks_of(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a compound statement that have something in them."""
    blocks = [getattr(statement, name, []) for name in ("body", "orelse")]
    blocks += [one.body for name in ("handlers", "cases") for one in getattr(statement, name, ())]
    return [block for block in blocks if block]


def is_passable(block: Sequence[ast.stmt], name: str) -> bool:
    """Whether there is a way through a block on which the name is not assigned."""
    for statement in block:
        match statement:
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                return False
            case ast.If(body=body, orelse=orelse):
                if not (is_passable(body, name) or is_passable(orelse, name)):
                    return False
            case ast.Assign() | ast.AnnAssign() if stores(statement, name):
                return False
    return True


def targets(target: ast.expr) -> set[str]:
    """The names that an assignment or a loop gives a value."""
    return {one.id for one in walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def walrus(test: ast.expr, name: str) -> ast.expr | None:
    """The value that a name is given within a test."""
    found = (one for one in walk(test) if isinstance(one, ast.NamedExpr) and one.target.id == name)
    return next((one.value for one in found), None)


def is_none(node: ast.expr) -> bool:
    """Whether this is `None`."""
    return isinstance(node, ast.Constant) and node.value is None
