"""What the names of other files stand for, and the classes among them."""

from __future__ import annotations

import sys
from typing import Any

from flake8_torchtrace.source.index.modules import Modules
from flake8_torchtrace.source.index.portable import Json
from flake8_torchtrace.source.index.questions import Place, question
from flake8_torchtrace.source.index.shapes import Shape, linearize
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.names import canonical
from flake8_torchtrace.source.project import Project

_MOST_REEXPORTS = 12
_STANDARD = frozenset({*sys.stdlib_module_names, "typing_extensions"})


class NamesProject(Project):
    """The part of `IndexProject` that follows names, as the file ``module`` writes them, to where they are defined."""

    def __init__(self, modules: Modules, module: str) -> None:
        self._modules = modules
        self.module = module
        self._found: dict[str, tuple[str, Any] | None] = {}
        self._orders: dict[Place, list[str]] = {}

    def ask(self, text: str) -> Json:
        """The answer to a question about another file (or about this one, seen from outside)."""
        raise NotImplementedError

    def _resolve(self, dotted: str) -> tuple[str, Any] | None:
        """``("function", place)``, ``("class", place)``, ``("method", (class place, name))``,
        ``("value", (json, place))``, ``("module", name)``, ``("outside", dotted)`` or None."""
        if not self._modules.covers(dotted):
            return "outside", dotted
        if dotted not in self._found:
            self._found[dotted] = None
            self._found[dotted] = self._followed(dotted, self.module, 0, {})
        return self._found[dotted]

    def _followed(self, dotted: str, asker: str, hops: int, tried: dict[tuple[str, str], int]) -> tuple[str, Any] | None:
        """What ``dotted`` means in the module ``asker``, after ``hops`` re-exports by name.

        ``tried`` tells what was asked on the way and after how many: packages whose modules import all of each other lead to the same
        place by more ways than can be gone.
        """
        if hops > _MOST_REEXPORTS or tried.get((dotted, asker), hops + 1) <= hops:
            return None
        tried[dotted, asker] = hops
        if not self._modules.covers(dotted):
            return "outside", canonical(dotted)
        where = self._where(dotted, asker)
        if where is None:
            return None
        module, rest = where
        if not rest:
            return "module", module
        name, _, inner = rest.partition(".")
        member = self.ask(question("member", module, name))
        if member is None:
            return None
        kind = member[0]
        if kind == "class" and inner:
            return self._inside_class(module, rest)
        if kind in ("function", "class"):
            return None if inner else (kind, (module, rest))
        if kind == "import":
            return self._followed(f"{member[1]}.{inner}" if inner else member[1], module, hops + 1, tried)
        if kind == "stars":
            # All names of what is no file of the project (it is missing, or made elsewhere) are unknown, and not those of what it lies in.
            stars = (star for star in member[1] if (self._where(star, module) or ("", star))[1] == "")
            found = (self._followed(f"{star}.{rest}", module, hops, tried) for star in stars)
            return next((item for item in found if item is not None and item[0] != "outside"), None)
        if not inner:
            return "value", (member[1], (module, name))
        is_name = member[1] is not None and member[1][0] == "R"
        return self._followed(f"{member[1][1]}.{inner}", module, hops + 1, tried) if is_name else None

    def _where(self, dotted: str, module: str) -> tuple[str, str] | None:
        """The module that holds ``dotted``, and the name in it. What is asked is only as long as the answer needs it to be."""
        asker = self._modules.asker(dotted, module)
        found = self._modules.locate(dotted, asker)
        deeper = "" if found is None else found[1].partition(".")[2]
        if self.ask(question("where", dotted.removesuffix("." + deeper) if deeper else dotted, asker)) is None:
            return None
        return found

    def _inside_class(self, module: str, name: str) -> tuple[str, Any] | None:
        """What ``Outer.name`` is: a class inside a class, or a method called on the class."""
        outer, _, last = name.rpartition(".")
        shape = self._shape((module, outer))
        if shape is None:
            return None
        if last in shape.classes:
            return "class", (module, name)
        return None if self._method((module, outer), last) is None else ("method", ((module, outer), last))

    def covers(self, dotted: str) -> bool:
        return self._modules.covers(dotted)

    def _alias_place(self, dotted: str) -> Place | None:
        """Where the value ``dotted`` is assigned, for what may be an alias of a type."""
        found = self._resolve(dotted) if self._modules.covers(dotted) else None
        return found[1][1] if found is not None and found[0] == "value" else None

    def resolved(self, dotted: str) -> str:
        found = self._resolve(canonical(dotted))
        if found is None:
            return canonical(dotted)
        kind, what = found
        if kind in ("function", "class"):
            return ".".join(what)
        if kind == "value":
            data = what[0]
            return str(data[1]) if data is not None and data[0] == "R" else dotted
        return dotted if kind == "method" else str(what)

    def _class(self, dotted: str) -> Place | None:
        found = self._resolve(dotted)
        return found[1] if found is not None and found[0] == "class" else None

    def _shape(self, place: Place) -> Shape | None:
        data = self.ask(question("shape", *place))
        return None if data is None else Shape.from_json(data)

    def _order(self, place: Place) -> list[str]:
        """The resolution order of a class, by dotted names: of the project by where they are defined, others as they are."""
        known = self._orders.get(place)
        if known is None:
            own = ".".join(place)
            self._orders[place] = [own]
            shape = self._shape(place)
            bases = []
            for base in shape.bases if shape is not None else ():
                inner = self._class(base)
                bases.append([base] if inner is None else self._order(inner))
            known = self._orders[place] = linearize(own, bases)
        return known

    def _classes(self, place: Place) -> list[tuple[Place, Shape]]:
        found = []
        for name in self._order(place):
            inner = self._class(name)
            shape = None if inner is None else self._shape(inner)
            if inner is not None and shape is not None:
                found.append((inner, shape))
        return found

    def _torch_base(self, place: Place) -> str | None:
        """The torch module that a class derives from, the most specific one."""
        found = [name for name in self._order(place) if load().is_module_class(name)]
        return next((name for name in found if name != "torch.nn.Module"), found[0] if found else None)

    def is_module(self, dotted: str) -> bool:
        place = self._class(dotted)
        if place is None:
            found = self._resolve(dotted)
            return found is not None and found[0] == "outside" and load().is_module_class(found[1])
        return self._is_module(place)

    def _is_module(self, place: Place) -> bool:
        if "torch.autograd.Function" in self._order(place):
            return False
        if self._torch_base(place) is not None:
            return True
        has_forward = any(shape.torch and "forward" in shape.methods for _, shape in self._classes(place))
        return has_forward and not self._is_plain(place)

    def is_plain(self, dotted: str) -> bool:
        place = self._class(dotted)
        return place is not None and self._is_plain(place)

    def _is_plain(self, place: Place) -> bool:
        """Whether all bases of a class are known, and none is a module."""
        others = [name for name in self._order(place) if self._class(name) is None]
        return self._torch_base(place) is None and all(name.partition(".")[0] in _STANDARD for name in others)

    def _method(self, place: Place, name: str) -> tuple[Place, str] | None:
        return next(((owner, shape.methods[name]) for owner, shape in self._classes(place) if name in shape.methods), None)
