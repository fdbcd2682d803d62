"""Reads what torch declares about its callables - stubs, annotations, operator schemas - and says it in return codes.

The codes are those of ``flake8_torchtrace.source.knowledge``. Nothing here calls torch functions; nothing here is about
one torch function in particular.
"""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch._jit_internal import boolean_dispatched

Entry = dict[str, Any]
Result = str | list[Entry]

UNKNOWN = "?"
_NAMES = {
    "Tensor": "T",
    "TensorBase": "T",
    "_bool": "bool",
    "bool": "bool",
    "TypeIs": "bool",
    "TypeGuard": "bool",
    "_int": "int",
    "int": "int",
    "SymInt": "int",
    "_float": "float",
    "float": "float",
    "_complex": "number",
    "complex": "number",
    "Number": "number",
    "number": "number",
    "str": "str",
    "None": "none",
    "_dtype": "dtype",
    "dtype": "dtype",
    "ScalarType": "dtype",
    "_device": "device",
    "device": "device",
    "Device": "device",
    "DeviceLikeType": "device|str|int",
    "Size": "size",
    "_size": "size",
    "list": "list",
    "ndarray": "ndarray",
}
_SEQUENCES = {"tuple", "Tuple", "list", "List", "Sequence", "Iterable", "Union"}
_NUMBERS = {"int", "float", "number"}


def tuple_code(codes: list[str]) -> str:
    """The code of a tuple of exactly these."""
    if codes and set(codes) == {"T"}:
        return f"T*{len(codes)}"
    return f"({','.join(codes)})"


def sequence_code(item: str) -> str:
    """The code of a sequence of any length."""
    return {"T": "T*", "int": "int*"}.get(item, "list" if item in {"float", "bool", "str", "number"} else UNKNOWN)


def union_code(codes: Iterable[str]) -> str:
    """The code of a value that is one of several."""
    found = set(codes)
    rest = found - {"none"}
    if len(rest) == 1:
        only = rest.pop()
        return only if "none" not in found or only == UNKNOWN else f"{only}?"
    return "number" if rest and rest <= _NUMBERS and "none" not in found else UNKNOWN


def _members(node: ast.expr) -> list[ast.expr]:
    """The members of ``A | B``, ``Optional[A]`` and ``Union[A, B]``; otherwise the node itself."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _members(ast.parse(node.value, mode="eval").body)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _members(node.left) + _members(node.right)
    if isinstance(node, ast.Subscript) and _last_name(node.value) == "Optional":
        return [*_members(node.slice), ast.Constant(None)]
    if isinstance(node, ast.Subscript) and _last_name(node.value) == "Union" and isinstance(node.slice, ast.Tuple):
        return [member for item in node.slice.elts for member in _members(item)]
    return [node]


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def return_code(node: ast.expr | None, own: str = UNKNOWN) -> str:
    """The code of a return annotation. ``own`` is what ``Self`` stands for."""
    if node is None:
        return UNKNOWN
    members = _members(node)
    if len(members) > 1:
        return union_code(return_code(member, own) for member in members)
    node = members[0]
    if isinstance(node, ast.Constant) and node.value is None:
        return "none"
    if isinstance(node, ast.Subscript):
        return _subscript_code(node, own)
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "torch.return_types":
        return named_tuple_code(node.attr)
    name = _last_name(node)
    return own if name in {"Self", "S"} else _NAMES.get(name, UNKNOWN)


def named_tuple_code(name: str) -> str:
    """The code of ``torch.return_types.<name>``, by the schemas of the operator that returns it."""
    return tuple_code(list(named_fields(name).values()))


def named_fields(name: str) -> dict[str, str]:
    """The fields of ``torch.return_types.<name>`` with their codes."""
    fields: tuple[str, ...] = getattr(torch.return_types, name).__match_args__
    for schema in schemas().get(name, []):
        if tuple(item.name for item in schema.returns) == fields:
            return {item.name: schema_code(str(item.type)) for item in schema.returns}
    return dict.fromkeys(fields, UNKNOWN)


def _subscript_code(node: ast.Subscript, own: str) -> str:
    head = _last_name(node.value)
    if head in {"TypeIs", "TypeGuard", "_TypeIs"}:
        return "bool"
    if head in {"tuple", "Tuple"} and isinstance(node.slice, ast.Tuple):
        items = node.slice.elts
        if isinstance(items[-1], ast.Constant) and items[-1].value is ...:
            return sequence_code(return_code(items[0], own))
        return tuple_code([return_code(item, own) for item in items])
    if head in {"tuple", "Tuple"}:
        return tuple_code([return_code(node.slice, own)])
    return sequence_code(return_code(node.slice, own)) if head in _SEQUENCES else UNKNOWN


def parameter_code(node: ast.expr | None) -> str:
    """What an argument may be, alternatives joined by ``|``; ``?`` if anything."""
    parts: list[str] = []
    for member in _members(node) if node is not None else []:
        if isinstance(member, ast.Subscript) and _last_name(member.value) == "Literal":
            values = member.slice.elts if isinstance(member.slice, ast.Tuple) else [member.slice]
            parts += [
                ast.unparse(value).lower() if ast.unparse(value) in {"True", "False"} else "str" for value in values
            ]
        elif _last_name(member) == "EllipsisType":
            continue
        else:
            parts += return_code(member).replace("int*", "size").split("|")
    return UNKNOWN if not parts or UNKNOWN in parts else "|".join(dict.fromkeys(parts))


def entry_from_def(node: ast.FunctionDef, own: str = UNKNOWN, method: bool = False) -> Entry:
    """One overload, read from a ``def``; of a method without its ``self``."""
    spec = node.args
    positional = (spec.posonlyargs + spec.args)[1 if method else 0 :]
    required = max(len(positional) - len(spec.defaults), 0)
    entry: Entry = {"params": [arg.arg for arg in positional], "required": required}
    if spec.kwonlyargs:
        entry["only"] = [arg.arg for arg in spec.kwonlyargs]
    must = [arg.arg for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value is None]
    if must:
        entry["must"] = must
    if spec.vararg:
        entry["rest"] = parameter_code(spec.vararg.annotation)
    types_of = {arg.arg: parameter_code(arg.annotation) for arg in [*positional, *spec.kwonlyargs]}
    entry["types"] = {name: code for name, code in types_of.items() if code != UNKNOWN}
    entry["ret"] = return_code(node.returns, own)
    return _without_none(entry)


def _without_none(entry: Entry) -> Entry:
    """``def size(self, dim: None = None)`` is how a stub says "without dim"; what follows can be given by name only."""
    absent = [name for name in entry["params"] if entry["types"].get(name) == "none"]
    if not absent:
        return entry
    cut = entry["params"].index(absent[0])
    later = [name for name in entry["params"][cut:] if name not in absent]
    types_of = {name: code for name, code in entry["types"].items() if name not in absent}
    only = [*later, *entry.get("only", [])]
    return {**entry, "params": entry["params"][:cut], **({"only": only} if only else {}), "types": types_of}


def schema_code(kind: str) -> str:
    """The code of a type as operator schemas print it, such as ``Optional[Tensor]`` or ``List[int]``."""
    if kind.startswith("Optional["):
        return union_code([schema_code(kind[9:-1]), "none"])
    if kind.startswith("List["):
        return sequence_code(schema_code(kind[5:-1]))
    return {"Device": "device", "NoneType": "none"}.get(kind, _NAMES.get(kind, UNKNOWN))


def entry_from_schema(schema: Any, method: bool = False) -> Entry:
    """One overload, read from an operator schema (``torch._C.FunctionSchema``)."""
    arguments = list(schema.arguments)[1 if method else 0 :]
    positional = [arg for arg in arguments if not arg.kwarg_only]
    only = [arg for arg in arguments if arg.kwarg_only]
    # The Python bindings call the first argument of a function `input`, the schemas `self`.
    entry: Entry = {"params": [arg.name.replace("self", "input") for arg in positional]}
    entry["required"] = sum(not arg.has_default_value() for arg in positional)
    entry["only"] = [arg.name for arg in only]
    entry["must"] = [arg.name for arg in only if not arg.has_default_value()]
    codes = {arg.name.replace("self", "input"): schema_code(str(arg.type)) for arg in arguments}
    entry["types"] = {name: code.replace("int*", "size") for name, code in codes.items() if not code.endswith(UNKNOWN)}
    returns = [schema_code(str(ret.type)) for ret in schema.returns]
    entry["ret"] = {0: "none", 1: returns[0] if returns else ""}.get(len(returns)) or tuple_code(returns)
    return {key: value for key, value in entry.items() if value or key in {"params", "required", "types"}}


@functools.cache
def schemas() -> dict[str, list[Any]]:
    """All ``aten`` schemas that torch registers, by name, without those that write into an ``out`` argument."""
    found: dict[str, list[Any]] = {}
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        if namespace == "aten" and not any(arg.is_out for arg in schema.arguments):
            found.setdefault(name, []).append(schema)
    return found


@functools.cache
def definitions(path: str) -> dict[str, list[ast.FunctionDef]]:
    """The functions of a Python or stub file by name, those inside a top-level ``if`` included."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in _top_level(ast.parse(Path(path).read_text(encoding="utf-8"), type_comments=True).body):
        if isinstance(node, ast.FunctionDef):
            _read_type_comment(node)
            found.setdefault(node.name, []).append(node)
    return found


def _read_type_comment(node: ast.FunctionDef) -> None:
    """Torch tells TorchScript by ``# type: (Tensor, bool) -> Tensor``; take what a function returns from there."""
    if node.returns is None and node.type_comment:
        written = ast.parse(node.type_comment, mode="func_type")
        assert isinstance(written, ast.FunctionType)
        node.returns = written.returns


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _top_level(node.body + node.orelse)
        else:
            yield node


def class_body(path: str, name: str) -> list[ast.stmt]:
    """The statements of a class of a file."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def annotated(nodes: list[ast.FunctionDef], own: str = UNKNOWN, method: bool = False) -> list[Entry]:
    """The overloads among these definitions that say what they return; ``other: object`` stands for no known type."""
    overloads = [node for node in nodes if any(_last_name(item) == "overload" for item in node.decorator_list)]
    entries = []
    for node in overloads or nodes:
        if any(ast.unparse(arg.annotation) == "object" for arg in node.args.args if arg.annotation):
            continue
        if return_code(node.returns, own) != UNKNOWN:
            entries.append(entry_from_def(node, own, method))
    return entries


def python_function(function: Callable[..., Any]) -> list[Entry]:
    """The overloads of a function written in Python, from the source that defines it."""
    if function in boolean_dispatched:
        return _dispatched(boolean_dispatched[function])
    function = inspect.unwrap(function)
    if not isinstance(function, types.FunctionType):
        return []
    return annotated(definitions(function.__code__.co_filename).get(function.__name__, []))


def _dispatched(choice: dict[str, Any]) -> list[Entry]:
    """``torch._jit_internal.boolean_dispatch``: one boolean argument selects the function, and so what returns."""
    entries = []
    for value, branch in ((True, "if_true"), (False, "if_false")):
        for entry in python_function(choice[branch]):
            name = choice["arg_name"]
            entry = {**entry, "types": {**entry["types"], name: str(value).lower()}}
            if value != choice["default"]:
                entry["must"] = [*entry.get("must", []), name]
            entries.append(entry)
    return entries


def merged(entries: list[Entry]) -> Result | None:
    """A single code where all overloads agree, the list where they do not, None where nothing is known."""
    codes = {entry["ret"] for entry in entries}
    if not codes or codes == {UNKNOWN}:
        return None
    if len(codes) == 1:
        return str(codes.pop())
    unique = {repr(entry): entry for entry in entries}
    return list(unique.values())
