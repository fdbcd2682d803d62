"""What a source file offers for its own verification, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

# What the ecosystem calls inputs of a class, on the class or in its module; the first that is there counts
CONVENTIONS = ("example_inputs", "example_input_array", "get_dummy_inputs", "get_dummy_batch", "dummy_inputs")
_BASES_WITH_INPUTS = ("PreTrainedModel", "ModelMixin")


@dataclass(frozen=True)
class Declared:
    """``make``/``example_inputs``: the file defines that function at top level, callable without arguments.

    ``conventional`` are the classes for which the file has one of `CONVENTIONS`, ``inheriting`` those that may have it from a base
    in another package.
    """

    make: bool
    example_inputs: bool
    classes: tuple[str, ...]
    conventional: tuple[str, ...] = ()
    inheriting: tuple[str, ...] = ()


def declared(source: str) -> Declared:
    """The input functions and the top-level classes of ``source``. Raises SyntaxError if it does not parse."""
    body = ast.parse(source).body
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef) and _callable_bare(node.args)}
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    has_example_inputs = "example_inputs" in functions
    of_module = set(CONVENTIONS) & set(_names(body)) - ({"example_inputs"} if has_example_inputs else set())
    conventional = [name for name, node in classes.items() if of_module or not _offered(node, classes, set()).isdisjoint(CONVENTIONS)]
    inheriting = [name for name, node in classes.items() if any(base.endswith(_BASES_WITH_INPUTS) for base in _offered(node, classes, set()))]
    return Declared("make" in functions, has_example_inputs, tuple(classes), tuple(conventional), tuple(inheriting))


def _offered(node: ast.ClassDef, classes: dict[str, ast.ClassDef], seen: set[str]) -> set[str]:
    """The names in the body of a class and of its bases in the file, and the names of its other bases."""
    found = set(_names(node.body))
    for base in (ast.unparse(item).rpartition(".")[2] for item in node.bases):
        if base in classes and base not in seen:
            found |= _offered(classes[base], classes, seen | {base})
        found.add(base)
    return found


def _names(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _callable_bare(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return positional == len(arguments.defaults) and all(default is not None for default in arguments.kw_defaults)
