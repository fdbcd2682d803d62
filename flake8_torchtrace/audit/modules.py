"""The modules of a file, with what torch made of those that it ran."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from flake8_torchtrace.model import Target
from flake8_torchtrace.report.modules import BREAKING, Module, TargetState
from flake8_torchtrace.verify.results import Run, TargetRun

_WORST_FIRST = (*BREAKING, "unusable", "ok")
_STATIC = "staticmethod"


def modules(path: str, tree: ast.Module, methods: Collection[str], runs: Sequence[Run]) -> list[Module]:
    """The classes of ``tree`` that have one of ``methods``, and what else ``runs`` built, in the order of the file."""
    classes = {name: node for name, node in _classes(tree, "")}
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        by_name.setdefault(_home(run, classes), []).append(run)
    names = dict.fromkeys([*(name for name, node in classes.items() if _is_module(node, methods)), *(name for name in by_name if name)])
    found = [_module(path, name, classes.get(name), by_name.get(name, [])) for name in names]
    return sorted(found, key=lambda module: (module.line == 0, module.line, module.name))


def _home(run: Run, classes: Collection[str]) -> str:
    """The class of a run by its name in the file, else the name that it goes by."""
    own = run.name or run.subject
    return next((name for name in classes if name == own or name.rpartition(".")[2] == own), own)


def _module(path: str, name: str, node: ast.ClassDef | None, runs: Sequence[Run]) -> Module:
    targets = dict.fromkeys(target for run in runs for target in run.targets)
    states = {target: _state([run.targets[target] for run in runs if target in run.targets]) for target in Target if target in targets}
    reason = next((run.reason for run in runs if run.reason), "") if not states else ""
    line, end_line = (0, 0) if node is None else (node.lineno, node.end_lineno or node.lineno)
    return Module(path, name, line, end_line, states, reason)


def _state(results: Sequence[TargetRun]) -> TargetState:
    """The worst of several runs."""
    worst = min(results, key=lambda result: _WORST_FIRST.index(result.status))
    return TargetState(worst.status, worst.graphs, worst.ops, worst.why)


def _classes(node: ast.AST, inside: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            name = f"{inside}.{child.name}" if inside else child.name
            yield name, child
            yield from _classes(child, name)
        elif isinstance(child, ast.stmt):
            yield from _classes(child, inside)


def _is_module(node: ast.ClassDef, methods: Collection[str]) -> bool:
    own = (item for item in node.body if isinstance(item, ast.FunctionDef) and item.name in methods)
    return bool(node.bases) and any(not _is_static(item) for item in own)


def _is_static(node: ast.FunctionDef) -> bool:
    """As the forward of an autograd.Function is."""
    return any(isinstance(item, ast.Name) and item.id == _STATIC for item in node.decorator_list)
