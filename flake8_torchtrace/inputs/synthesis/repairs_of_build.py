"""What to change of the arguments of a constructor after a failure, in building or in the call that follows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch

from . import sizes
from .attempt import Attempt
from .constructor import Constructor
from .demands import Unmet, iter_user_frames, unmet
from .draft import Draft
from .knobs import changed, class_of, knobs, parts
from .references import name_of
from .signatures import MISSING, Parameter, Signature, signature
from .usage import Usage, usages_of_constructor
from .values import Literal, Made, Several

_TORCH = os.path.dirname(os.path.realpath(torch.__file__)) + os.sep
_MISSING = re.compile(r"(\w+)?(?:\.__init__)?\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.*)")
_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")
_QUOTED = re.compile(r"'(\w+)'")
_ATTRIBUTE = re.compile(r"(?:SimpleNamespace|namespace)'? object has no attribute '(\w+)'")
_NUMBERS = (1, 2, 3, 4, 8, 16, 32, 64, 128)


class BuildRepairs:
    """Drafts with other arguments of the constructor."""

    def __init__(self, attempt: Attempt, cls: Any, constructor: Constructor) -> None:
        self._attempt = attempt
        self._draft = attempt.draft
        self._made = attempt.draft.module
        self._cls = cls
        self._constructor = constructor
        self._text = str(attempt.error)
        frames = list(iter_user_frames(attempt.frames, _TORCH))
        self._unmet = unmet(*frames[0]) if frames else Unmet()
        self._names = list(dict.fromkeys(name for frame, line in frames[:4] for name in unmet(frame, line).names))
        self._frames: list[tuple[FrameType, int]] = frames

    def drafts(self) -> Iterator[Draft]:
        """All suggestions, one after the other: for the part that failed, then for what holds it."""
        whole, cls = self._draft.module, self._cls
        for made in self._of_class():
            yield self._draft.with_module(made)
        for way, part in self._failing_parts():
            self._made, self._cls = part, class_of(part)
            for made in self._changed():
                yield self._draft.with_module(changed(whole, way, made))
        self._made, self._cls = whole, cls
        for made in self._changed():
            yield self._draft.with_module(made)

    def _of_class(self) -> Iterator[Made]:
        """Where something should be of a class: what is of a class that this one is made from becomes one."""
        for wanted in self._unmet.classes:
            for way, part in parts(self._draft.module, ()):
                cls = class_of(part)
                if isinstance(cls, type) and issubclass(wanted, cls) and wanted is not cls:
                    yield changed(self._draft.module, way, Made(name_of(wanted), part.arguments))

    def _failing_parts(self) -> list[tuple[tuple[str, ...], Made]]:
        """The nested calls whose classes stand in the failure, the innermost first."""
        nested = list(parts(self._draft.module, ()))
        found = []
        for frame, _ in self._frames:
            names = {base.__name__ for base in type(frame.f_locals.get("self")).__mro__}
            found += [item for item in nested if item[1].callee.name in names and item not in found]
        return found

    def _changed(self) -> Iterator[Made]:
        yield from self._missing()
        yield from self._attribute()
        yield from self._unexpected()
        yield from self._optional()
        yield from self._pairs()
        yield from self._modules()
        yield from self._options()
        yield from self._others()

    def _modules(self) -> Iterator[Made]:
        """Other modules where one was asked for."""
        used = usages_of_constructor(self._cls)
        for name, value in self._made.arguments.items():
            parameter = self._signature().find(name)
            if parameter is None or not isinstance(value, Made) or not value.callee.name.startswith("torch.nn"):
                continue
            for other in self._constructor.modules(name, used.get(name) or Usage(), 1, self._cls):
                if other != value:
                    yield self._made.with_argument(name, other)

    def _signature(self) -> Signature:
        try:
            return signature(self._cls)
        except (TypeError, ValueError):
            return Signature(())

    def _missing(self) -> Iterator[Made]:
        match = _MISSING.search(self._text)
        if match is None or self._attempt.module is not None:
            return
        made = self._made
        for name in _QUOTED.findall(match[2]):
            parameter = self._signature().find(name) or Parameter(name, MISSING, MISSING)
            made = made.with_argument(name, self._constructor.value(parameter, None, self._cls))
        yield made

    def _attribute(self) -> Iterator[Made]:
        """A configuration made of nothing but names lacks one."""
        match = _ATTRIBUTE.search(self._text)
        for name, value in self._made.arguments.items() if match else ():
            if isinstance(value, Made) and value.callee.name == "SimpleNamespace":
                found = self._constructor.value(Parameter(match[1], MISSING, MISSING), None, None)  # type: ignore[index]
                yield self._made.with_argument(name, value.with_argument(match[1], found))  # type: ignore[index]

    def _unexpected(self) -> Iterator[Made]:
        match = _UNEXPECTED.search(self._text)
        if match is not None and match[1] in self._made.arguments:
            yield self._made.without(match[1])

    def _optional(self) -> Iterator[Made]:
        """Give what was left out: what the failing statement names, or anything where a None got in the way."""
        used = usages_of_constructor(self._cls)
        for parameter in self._signature().parameters:
            left_out = parameter.default is None and parameter.name not in self._made.arguments
            named = parameter.name in self._names or re.search(rf"\b{re.escape(parameter.name)}\b", self._text)
            if left_out and (named or ("None" in self._text and self._attempt.module is None)):
                yield self._made.with_argument(parameter.name, self._constructor.value(parameter, used.get(parameter.name), self._cls, 1))

    def _knobs(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Every plain argument, given or by default, also of nested calls, with its way: those that the failure names first."""
        found = list(knobs(self._made, self._signature()))
        named = [item for item in found if item[0][-1] in self._names]
        yield from named
        yield from (item for item in found if item not in named and isinstance(item[1], int))

    def _pairs(self) -> Iterator[Made]:
        for have, want in self._unmet.pairs[:8]:
            for way, value in self._knobs():
                if value == have and not isinstance(value, bool) and isinstance(value, int) and want > 0:
                    yield changed(self._made, way, Literal(want))

    def _options(self) -> Iterator[Made]:
        quoted = [text for text in re.findall(r"['\"`]([\w.-]+)['\"`]", self._text) if text not in self._names][:6]
        for way, value in self._knobs():
            if way[-1] in self._names and (isinstance(value, str) or value is None):
                for option in [*self._unmet.options, *quoted]:
                    if isinstance(option, (str, int, float)) and option != value:
                        yield changed(self._made, way, Literal(option))

    def _others(self) -> Iterator[Made]:
        """Other values for what the failing statement names."""
        for way, value in self._knobs():
            if way[-1] not in self._names:
                continue
            if isinstance(value, bool):
                yield changed(self._made, way, Literal(not value))
            elif isinstance(value, int):
                yield from (changed(self._made, way, Literal(number)) for number in _NUMBERS if number != value)
                if "iterable" in self._text or "subscriptable" in self._text or "len()" in self._text:
                    yield changed(self._made, way, Several((Literal(value), Literal(value))))
                    yield changed(self._made, way, Several((Literal(value), Literal(value)), "tuple"))
            elif isinstance(value, float):
                yield changed(self._made, way, Literal(sizes.DEPTH))
                yield changed(self._made, way, Literal(0.0))
