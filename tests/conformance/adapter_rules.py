"""What an adapter may be made of: a white list over its syntax, so that only the product can compute or decide.

An adapter reads options, calls the product and renames fields. It has no loops (comprehensions do), no arithmetic, no
comparison of values, no method of strings, no slices; a condition may only ask whether something is present.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Set

_IMPORTS = ("pi_lsp", "typing", "msgspec", "collections.abc", "tests.conformance.adapters")
_HELPERS = frozenset(f"tests.conformance.{name}" for name in ("case", "script", "session_play", "shapes", "wording"))
_BUILTINS = frozenset({"bool", "dict", "isinstance", "len", "list", "map", "str", "tuple", "zip"})
_NO_PRODUCT = frozenset({"pi_lsp.base.json", "pi_lsp.context.model", "pi_lsp.context.wording"})
"""Modules of ours that only hold values: calling them is not calling what the product does."""

_METHODS = frozenset(
    name for kind in (str, bytes, list, set) for name in vars(kind) if not name.startswith("_")
) - {"append", "extend", "copy", "add"}  # fmt: skip
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ALLOWED = (
    *_DEFINITIONS,
    *(ast.Assign, ast.AnnAssign, ast.Return, ast.Expr, ast.If, ast.Try, ast.With, ast.AsyncWith),
    *(ast.Call, ast.Attribute, ast.Name, ast.Constant, ast.Subscript, ast.Dict, ast.List, ast.Tuple, ast.Starred),
    *(
        ast.ListComp,
        ast.DictComp,
        ast.GeneratorExp,
        ast.Lambda,
        ast.IfExp,
        ast.Await,
        ast.UnaryOp,
        ast.Compare,
        ast.BoolOp,
    ),
)


def violations(source: str) -> list[str]:
    """Everything in an adapter's source that is not allowed, as `line: what`."""
    module = ast.parse(source)
    return sorted(_violations(module))


def ops_without_product(source: str, siblings: frozenset[str] = frozenset()) -> list[str]:
    """The public functions that do not call the product (an op without input may just name a constant of it).

    `siblings` are functions of other adapter modules that are known to call it.
    """
    module = ast.parse(source)
    imported = {alias.asname or alias.name for item in module.body for alias in _aliases(item)}
    product = product_names(module) | (siblings & imported)
    functions = {item.name: item for item in module.body if isinstance(item, _DEFINITIONS)}
    calling = {name for name, item in functions.items() if product & set(_used(item))}
    while more := {name for name, item in functions.items() if name not in calling and calling & set(_used(item))}:
        calling |= more
    return [name for name in functions if not name.startswith("_") and name not in calling]


def product_calls(siblings: Mapping[str, str]) -> frozenset[str]:
    """The functions of all adapter modules that call the product, as one module may import another's."""
    return frozenset(
        item.name
        for source in siblings.values()
        for item in ast.parse(source).body
        if isinstance(item, _DEFINITIONS) and item.name not in ops_without_product(source)
    )


def product_names(module: ast.Module) -> frozenset[str]:
    """What a module imports from the product, its plain values left out."""
    return frozenset(
        alias.asname or alias.name
        for item in module.body
        if isinstance(item, ast.ImportFrom) and item.module and item.module.split(".")[0] == "pi_lsp"
        for alias in item.names
        if item.module not in _NO_PRODUCT and f"{item.module}.{alias.name}" not in _NO_PRODUCT
    )


def _used(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The names that a function calls; for one that does not look at its input, all names it reads."""
    reads_input = any(
        isinstance(node, ast.Name) and node.id in {arg.arg for arg in function.args.args}
        for statement in function.body
        for node in ast.walk(statement)
    )
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                yield _root(node.func)
                yield from (item.id for item in node.args if isinstance(item, ast.Name))
            elif isinstance(node, ast.Name) and not reads_input:
                yield node.id


def _violations(module: ast.Module) -> Iterator[str]:
    imported = {alias.asname or alias.name.split(".")[0] for item in module.body for alias in _aliases(item)}
    known = imported | {item.name for item in module.body if isinstance(item, _DEFINITIONS)} | _BUILTINS
    for item in module.body:
        match item:
            case ast.Import() | ast.ImportFrom():
                yield from (f"{item.lineno}: import of {name}" for name in _modules(item) if not _may_import(name))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _in_statement(item, known | {*_named_in(item)}, imported)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if name.islower():
                if not name.startswith("_"):
                    yield f"{item.lineno}: an op that is no function: {name}"
                yield from _in_statement(item, known, imported)
            case ast.Assign() | ast.AnnAssign() | ast.Expr():
                yield from _in_statement(item, known, imported)
            case _:
                yield f"{item.lineno}: {type(item).__name__} at the top"


def _in_statement(top: ast.stmt, known: Set[str], imported: Set[str]) -> Iterator[str]:
    todo: list[ast.AST] = [top]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt | ast.expr) and not isinstance(node, _ALLOWED):
            yield f"{node.lineno}: {type(node).__name__}"
        elif (why := _wrong_use(node, known, imported)) is not None:
            yield f"{_line(node, top)}: {why}"
        todo += _parts(node)


def _line(node: ast.AST, top: ast.stmt) -> int:
    place = node.target if isinstance(node, ast.comprehension) else node
    return place.lineno if isinstance(place, ast.expr | ast.stmt | ast.excepthandler) else top.lineno


def _parts(node: ast.AST) -> Iterable[ast.AST]:
    """What a node is made of, annotations left out."""
    match node:
        case ast.AnnAssign(target=target, value=value):
            return [target] if value is None else [target, value]
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            return body
        case _:
            return ast.iter_child_nodes(node)


def _wrong_use(node: ast.AST, known: Set[str], imported: Set[str]) -> str | None:
    match node:
        case ast.FunctionDef(decorator_list=[_, *_]) | ast.AsyncFunctionDef(decorator_list=[_, *_]):
            return "a decorator"
        case ast.Call(func=ast.Name(id=name)) if name not in known:
            return f"call of {name}"
        case ast.Attribute(attr=name, value=value) if name in _METHODS and _dotted_root(value) not in imported:
            return f"method {name}"
        case ast.If(test=test) | ast.IfExp(test=test) if not _is_presence(test):
            return f"a condition other than presence: {ast.unparse(test)}"
        case ast.comprehension(ifs=tests) if not all(_is_presence(test) for test in tests):
            return "a filter other than presence"
        case ast.BoolOp() if not (isinstance(node.op, ast.Or) and ast.unparse(node.values[-1]) == "None"):
            return "and/or (other than `or None`)"
        case ast.Compare() if not _is_presence(node):
            return f"a comparison: {ast.unparse(node)}"
        case ast.UnaryOp(op=op, operand=operand):
            fine = isinstance(op, ast.Not) or (isinstance(op, ast.USub) and isinstance(operand, ast.Constant))
            return None if fine else "arithmetic"
        case ast.Assign(targets=targets) if any(isinstance(one, ast.Subscript | ast.Attribute) for one in targets):
            return "an assignment to a part"
        case ast.Subscript(slice=ast.Slice()):
            return "a slice"
        case ast.ExceptHandler(type=None | ast.Name(id="Exception" | "BaseException")):
            return "an except for everything"
        case _:
            return None


def _is_presence(test: ast.expr) -> bool:
    """`x`, `x.y`, `x.get(...)`, `x is None`, `key in x`, `isinstance(...)`, and `not` before one of these."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_presence(inner)
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() | ast.Attribute()]):
            return True
        case ast.Name() | ast.Attribute():
            return True
        case ast.Call(func=ast.Name(id="isinstance") | ast.Attribute(attr="get")):
            return True
        case _:
            return False


def _root(node: ast.expr) -> str:
    """The name at the beginning of `name.attribute[...](...)`, or nothing."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Await):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _dotted_root(node: ast.expr) -> str:
    """The module or class at the beginning of `name.attribute`, calls not followed."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _named_in(function: ast.AST) -> Iterator[str]:
    """What a function names itself: parameters, variables, inner functions."""
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case _:
                pass


def _aliases(item: ast.stmt) -> list[ast.alias]:
    return item.names if isinstance(item, ast.Import | ast.ImportFrom) else []


def _modules(item: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules an import may load: `from a import b` loads `a`, maybe `a.b`."""
    if isinstance(item, ast.Import):
        return [alias.name for alias in item.names]
    return (
        [item.module or "."] if item.module != "tests.conformance" else [f"{item.module}.{a.name}" for a in item.names]
    )


def _may_import(name: str) -> bool:
    return name in _HELPERS or any(name == allowed or name.startswith(f"{allowed}.") for allowed in _IMPORTS)
