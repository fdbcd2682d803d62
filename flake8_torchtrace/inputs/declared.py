"""What a source file offers for its own verification, read without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Declared:
    """``make``/``example_inputs``: the file defines that function at top level, callable without arguments."""

    make: bool
    example_inputs: bool
    classes: tuple[str, ...]


def declared(source: str) -> Declared:
    """The input functions and the top-level classes of ``source``. Raises SyntaxError if it does not parse."""
    body = ast.parse(source).body
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef) and _callable_bare(node.args)}
    classes = tuple(node.name for node in body if isinstance(node, ast.ClassDef))
    return Declared("make" in functions, "example_inputs" in functions, classes)


def _callable_bare(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return positional == len(arguments.defaults) and all(default is not None for default in arguments.kw_defaults)
