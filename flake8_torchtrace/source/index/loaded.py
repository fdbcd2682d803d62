"""Files read and ready to be analysed, the least recently used ones dropped."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from flake8_torchtrace.source.definitions import read_definitions
from flake8_torchtrace.source.index.asking import IndexProject
from flake8_torchtrace.source.index.outline import Outline, outline_of
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.listener import Listener

_MOST_CHARACTERS = 3_000_000


@dataclass(eq=False)
class Loaded:
    """A file: its text, syntax tree and interpreter."""

    text: str
    tree: ast.Module
    it: Interpreter
    project: IndexProject
    outline: Outline


class Shelf:
    """Loaded files by module. ``read`` gives the content of a module, ``project_of`` what it sees of the others."""

    def __init__(self, read: Callable[[str], tuple[str, bytes, bool] | None], project_of: Callable[[str], IndexProject]) -> None:
        """``read(module)`` gives path, content and whether it is a package's ``__init__``; None if it cannot be read."""
        self._read = read
        self._project_of = project_of
        self._files: OrderedDict[str, Loaded | None] = OrderedDict()
        self._outlines: dict[str, Outline] = {}
        self._characters = 0

    def get(self, module: str) -> Loaded | None:
        """The file, or None if it cannot be read or parsed."""
        if module in self._files:
            self._files.move_to_end(module)
            return self._files[module]
        loaded = self._load(module)
        self._files[module] = loaded
        if loaded is not None:
            self._characters += len(loaded.text)
            self._make_room()
        return loaded

    def outline(self, module: str) -> Outline | None:
        """What the file binds at its top level, or None if it cannot be read or parsed."""
        if module not in self._outlines:
            self.get(module)
        return self._outlines.get(module)

    def _make_room(self) -> None:
        while self._characters > _MOST_CHARACTERS and len(self._files) > 1:
            dropped = self._files.popitem(last=False)[1]
            if dropped is not None:
                self._characters -= len(dropped.text)

    def _load(self, module: str) -> Loaded | None:
        found = self._read(module)
        if found is None:
            return None
        path, content, is_package = found
        parsed = parse(content)
        if parsed is None:
            return None
        text, tree = parsed
        model = read_definitions(tree, path, module, is_package)
        project = self._project_of(module)
        outline = self._outlines[module] = outline_of(model)
        return Loaded(text, tree, Interpreter(model, Listener(), project), project, outline)


def parse(content: bytes) -> tuple[str, ast.Module] | None:
    """Text and syntax tree of a source file; None if Python does not take it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return text, ast.parse(text)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return None
