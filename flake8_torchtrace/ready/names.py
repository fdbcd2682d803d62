"""From dotted names to classes in files, without importing anything."""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.machinery import ModuleSpec, PathFinder

from flake8_torchtrace.inputs.importing import dotted_name
from flake8_torchtrace.ready.outline import ClassOutline, Outline, outline, read_source
from flake8_torchtrace.ready.table import Entry, prefix

_DEEPEST = 20
# Modules of torch whose forward a subclass need not write.
_WITH_FORWARD = ("Sequential",)


class UnknownNameError(Exception):
    """A name that leads nowhere; the text says why, without the place."""


@dataclass(frozen=True)
class Place:
    """A class: the real path of its file, its outline, and the dotted name it is defined by."""

    path: str
    outline: ClassOutline
    name: str


class Names:
    """Looks for modules first in ``folders``, then where Python would."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = [folder for folder in folders if os.path.isdir(folder)]
        self._outlines: dict[str, Outline] = {}

    def find(self, name: str) -> Place:
        """The class of that dotted name, by way of ``from ... import`` too. Raises UnknownNameError."""
        return self._find(name, 0)

    def matching(self, entry: Entry) -> list[Place]:
        """The module classes that a glob stands for. Raises UnknownNameError if there is none."""
        start = prefix(entry.pattern)
        files = list(self._files(start)) if start else [(path, self.names_of(path)[0]) for path, _ in _below(self._folders[0], "")]
        found = [place for path, module in files for place in self._modules_of(path, module) if entry.matches(place.name)]
        if not found:
            raise UnknownNameError(f"no module class has a name like this{f' in {start}' if start else ''}")
        return sorted({(place.path, place.outline.name): place for place in found}.values(), key=lambda place: place.name)

    def modules_in(self, path: str) -> list[Place]:
        """The module classes of the file ``path`` by their best names. Raises UnknownNameError if it cannot be read."""
        return list(self._modules_of(path, self.names_of(path)[0]))

    def is_module(self, place: Place) -> bool:
        """Whether a class has a ``forward``, its own or by a base class that can be found."""
        return self._is_module(place.path, place.name.removesuffix(f".{place.outline.name}"), place.outline, 0)

    def names_of(self, path: str) -> list[str]:
        """The dotted names that the file ``path`` may have as a module, the best first: that of its packages, or from a folder on."""
        path = os.path.realpath(path)
        own = dotted_name(path)[1]
        found = []
        for folder in reversed(self._folders):
            relative = os.path.relpath(path, os.path.realpath(folder))
            if not relative.startswith(os.pardir):
                parts = os.path.splitext(relative)[0].split(os.sep)
                found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        return list(dict.fromkeys([own, *found] if "." in own or not found else [*found, own]))

    def outline(self, path: str, module: str | None = None) -> Outline:
        """The outline of a file. Raises UnknownNameError if it cannot be read."""
        if path not in self._outlines:
            name = dotted_name(path)[1] if module is None else module
            package = name if os.path.basename(path) == "__init__.py" else name.rpartition(".")[0]
            try:
                self._outlines[path] = outline(ast.parse(read_source(path)), package)
            except (OSError, SyntaxError, UnicodeDecodeError) as error:
                raise UnknownNameError(f"cannot read {path}: {error}") from error
        return self._outlines[path]

    def _find(self, name: str, depth: int) -> Place:
        module, rest, spec = self._module(name)
        if spec is None or not rest:
            what = "is a module, not a class" if spec is not None else f"there is no module {name.partition('.')[0]}"
            raise UnknownNameError(f"{name} {what}" if spec is not None else what)
        path = _file(spec)
        if path is None:
            raise UnknownNameError(f"there is no class {'.'.join(rest)} in {module}, a module without Python source")
        lines, wanted = self.outline(path, module), ".".join(rest)
        if wanted in lines.classes:
            return Place(path, lines.classes[wanted], f"{module}.{wanted}")
        if rest[0] in lines.imported and depth < _DEEPEST:
            origin, attribute = lines.imported[rest[0]]
            return self._find(".".join([origin, attribute, *rest[1:]]), depth + 1)
        for star in lines.stars if depth < _DEEPEST else ():
            try:
                return self._find(f"{star}.{wanted}", depth + 1)
            except UnknownNameError:
                continue
        close = get_close_matches(wanted, lines.classes, 1)
        hint = f"; did you mean {module}.{close[0]}?" if close else ""
        raise UnknownNameError(f"there is no class {wanted} in {module}{hint}")

    def _module(self, name: str) -> tuple[str, list[str], ModuleSpec | None]:
        """The longest module that ``name`` begins with, what is left of the name, and the module's spec."""
        parts = name.split(".")
        spec = _top(parts[0], tuple(self._folders))
        at = 1
        while spec is not None and at < len(parts) and spec.submodule_search_locations is not None:
            below = PathFinder.find_spec(".".join(parts[: at + 1]), list(spec.submodule_search_locations))
            if below is None:
                break
            spec, at = below, at + 1
        return ".".join(parts[:at]), parts[at:], spec

    def _files(self, start: str) -> Iterator[tuple[str, str]]:
        """The files of a module or package with their dotted names; where ``start`` ends with a class, that of its module."""
        module, rest, spec = self._module(start)
        if spec is None:
            raise UnknownNameError(f"there is no module {start.partition('.')[0]}")
        if rest and spec.submodule_search_locations is not None:
            raise UnknownNameError(f"there is no module {module}.{rest[0]}")
        for folder in spec.submodule_search_locations or ():
            yield from _below(folder, module)
        path = _file(spec)
        if path is not None and spec.submodule_search_locations is None:
            yield path, module

    def _modules_of(self, path: str, module: str) -> Iterator[Place]:
        for item in self.outline(path, module).classes.values():
            if self._is_module(path, module, item, 0):
                yield Place(path, item, f"{module}.{item.name}" if module else item.name)

    def _is_module(self, path: str, module: str, item: ClassOutline, depth: int) -> bool:
        if item.has_forward or any(base.rpartition(".")[2] in _WITH_FORWARD for base in item.bases):
            return True
        return depth < _DEEPEST and any(self._is_base_module(path, module, base, depth + 1) for base in item.bases)

    def _is_base_module(self, path: str, module: str, base: str, depth: int) -> bool:
        lines = self.outline(path, module)
        if base in lines.classes:
            return self._is_module(path, module, lines.classes[base], depth)
        first, _, rest = base.partition(".")
        if first not in lines.imported or lines.imported[first][0].partition(".")[0] == "torch":
            return False
        try:
            place = self._find(".".join([*lines.imported[first], *([rest] if rest else [])]), depth)
        except UnknownNameError:
            return False
        return self._is_module(place.path, place.name.removesuffix(f".{place.outline.name}"), place.outline, depth)


@functools.cache
def _top(name: str, folders: tuple[str, ...]) -> ModuleSpec | None:
    found = PathFinder.find_spec(name, list(folders))
    if found is not None and (found.origin is not None or found.submodule_search_locations is not None):
        return found
    try:
        return importlib.util.find_spec(name)  # of a name without a dot this imports nothing
    except (ValueError, ImportError):
        return None


def _file(spec: ModuleSpec) -> str | None:
    if spec.origin is None or not spec.has_location or not spec.origin.endswith(".py"):
        return None
    return os.path.realpath(spec.origin)


def _below(folder: str, module: str) -> Iterator[tuple[str, str]]:
    """All Python files below a folder, with their dotted names below ``module``; no hidden folders, no environments."""
    for base, folders, files in os.walk(os.path.realpath(folder)):
        folders[:] = sorted(name for name in folders if name.isidentifier() and not os.path.exists(os.path.join(base, name, "pyvenv.cfg")))
        inner = os.path.relpath(base, os.path.realpath(folder))
        around = [*([module] if module else []), *([] if inner == os.curdir else inner.split(os.sep))]
        for name in sorted(files):
            stem, ending = os.path.splitext(name)
            if ending == ".py" and stem.isidentifier():
                yield os.path.join(base, name), ".".join(around if stem == "__init__" else [*around, stem])
