"""What imported names mean: one table per file, read off its import statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def module_name(path: str) -> tuple[str, bool]:
    """The dotted name under which ``path`` is imported, and whether it is a package's ``__init__``.

    The package root is the outermost directory in a row that has an ``__init__.py``. For ``-`` (standard input) it is empty.
    """
    file = Path(path)
    if file.suffix != ".py":
        return "", False
    is_package = file.stem == "__init__"
    parts = [] if is_package else [file.stem]
    folder = file.resolve().parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), is_package


def imported_names(node: ast.stmt, module: str, is_package: bool) -> Iterator[tuple[str, str]]:
    """``(local name, dotted name)`` for each name that the import statement ``node`` binds in module ``module``."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, alias.name
            else:
                top = alias.name.partition(".")[0]
                yield top, top
    elif isinstance(node, ast.ImportFrom):
        source = _absolute(node, module, is_package)
        for alias in node.names:
            yield alias.asname or alias.name, f"{source}.{alias.name}" if source else alias.name


def _absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".") if module else []
    drop = node.level - 1 if is_package else node.level
    base = parts[: len(parts) - drop] if drop else parts
    return ".".join([*base, *([node.module] if node.module else [])])


_CANONICAL = (
    ("torch.nn.modules.module.Module", "torch.nn.Module"),
    ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
    ("torch.autograd.function.Function", "torch.autograd.Function"),
    ("torch.autograd.Variable", "torch.tensor"),
    ("torch._tensor.Tensor", "torch.Tensor"),
    ("torch.functional.", "torch."),
    ("torch._C._VariableFunctions.", "torch."),
    ("numpy.core.", "numpy."),
)


def canonical(dotted: str) -> str:
    """The public spelling of ``dotted`` (``torch.nn.parameter.Parameter`` is ``torch.nn.Parameter``)."""
    for private, public in _CANONICAL:
        if dotted.startswith(private):
            return public + dotted[len(private) :]
    return dotted


def dotted_of(node: ast.expr) -> str | None:
    """``a.b.c`` for an attribute chain on a plain name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))
