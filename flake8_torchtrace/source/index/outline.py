"""What a file binds at its top level, kept when its syntax tree is dropped: names are asked of many files, and most of them do not have them."""

from __future__ import annotations

from dataclasses import dataclass

from flake8_torchtrace.source.definitions import FileModel
from flake8_torchtrace.source.index.portable import Json


@dataclass(frozen=True)
class Outline:
    """``valued``: the names that hold what an assignment gives, which only the file itself can tell."""

    functions: frozenset[str]
    classes: frozenset[str]
    imports: dict[str, str]
    valued: frozenset[str]
    stars: list[str]

    def member(self, name: str) -> Json:
        """The answer to a ``member`` question, for a name that is not in ``valued``."""
        if name in self.functions:
            return ["function"]
        if name in self.classes:
            return ["class"]
        if name in self.imports:
            return ["import", self.imports[name]]
        return ["stars", self.stars] if self.stars else None


def outline_of(model: FileModel) -> Outline:
    """The outline of a file."""
    functions, classes = frozenset(model.functions), frozenset(model.classes)
    values = {*model.assigned, *(name for name in model.annotated if name not in model.imports)}
    return Outline(functions, classes, model.imports, frozenset(values) - functions - classes, model.stars)
