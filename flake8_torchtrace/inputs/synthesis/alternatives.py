"""Other ways to build and call what works one way: another mode, arguments that were left out, flags the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from . import sizes
from .arguments import Arguments
from .constructor import Constructor
from .deciders import Deciders
from .draft import Draft
from .kinds import kind_of
from .knobs import changed, class_of, parts, signature_of
from .signatures import Parameter, Signature
from .usage import Usage, usages_of_constructor
from .values import Literal, Value

_MOST_VALUES = 3
_OFTEN_LEFT_OUT = ("device", "dtype", "generator", "name", "debug", "verbose", "checkpoint", "pretrained", "weights", "path", "download")

Change: TypeAlias = tuple[str, Draft]  # in words, where the draft does not show it


class Alternatives:
    """``taken`` and ``arguments`` are of the call, ``deciders`` what decides whether the lines in question run."""

    def __init__(self, constructor: Constructor, taken: Signature, arguments: Arguments, deciders: Deciders) -> None:
        self._constructor = constructor
        self._taken = taken
        self._arguments = arguments
        self._deciders = deciders

    def named(self, draft: Draft) -> Iterator[Change]:
        """With one change of what the deciders name, those they name first."""
        for name in self._deciders.names:
            if name == "training":
                yield self._other_mode(draft)
            yield from self._of_call(draft, {name}.__contains__)
            yield from self._of_constructor(draft, {name}.__contains__)

    def others(self, draft: Draft) -> Iterator[Change]:
        """With one change of anything that is a yes or no: the mode, what may be left out, flags."""
        yield self._other_mode(draft)
        names = set(self._deciders.names)
        yield from self._of_call(draft, lambda name: name not in names)
        yield from self._of_constructor(draft, lambda name: name not in names)

    def _other_mode(self, draft: Draft) -> Change:
        return "", replace(draft, trains=not draft.trains)  # which the draft tells itself

    def _of_call(self, draft: Draft, is_wanted: Callable[[str], bool]) -> Iterator[Change]:
        for parameter in self._taken.parameters:
            name, given = parameter.name, draft.arguments.get(parameter.name)
            if not is_wanted(name):
                continue
            if given is not None and not parameter.is_required and not isinstance(given, Literal):
                yield f"without {name}", draft.without_input(name)
            elif isinstance(given, Literal) or (given is None and not parameter.is_required):
                current = given.value if isinstance(given, Literal) else parameter.default
                for value in self._values(parameter, current, self._arguments.guess):
                    yield "", draft.with_input(name, value)

    def _of_constructor(self, draft: Draft, is_wanted: Callable[[str], bool]) -> Iterator[Change]:
        for way, made in [((), draft.module), *reversed(list(parts(draft.module, ())))]:
            cls = class_of(made)
            used = usages_of_constructor(cls)

            def guess(parameter: Parameter, cls: Any = cls, used: Mapping[str, Usage] = used) -> Value:
                return self._constructor.value(parameter, used.get(parameter.name), cls, 1)

            for parameter in signature_of(made).parameters:
                given = made.arguments.get(parameter.name)
                if is_wanted(parameter.name) and (isinstance(given, Literal) or (given is None and not parameter.is_required)):
                    current = given.value if isinstance(given, Literal) else parameter.default
                    for value in self._values(parameter, current, guess):
                        words = f"{made.callee.text.rpartition('.')[2]}({parameter.name}={value.told})" if way else ""
                        yield words, draft.with_module(changed(draft.module, (*way, parameter.name), value))

    def _values(self, parameter: Parameter, current: Any, guess: Callable[[Parameter], Value]) -> Iterator[Value]:
        """Other values than ``current``: numbers and words only where they are what decides."""
        if parameter.name in _OFTEN_LEFT_OUT or not isinstance(current, (bool, int, float, str, type(None))):
            return
        constants = self._deciders.constants.get(parameter.name, [])
        is_named = parameter.name in self._deciders.names
        found: list[Any] = []
        if isinstance(current, bool):
            found = [not current]
        elif current is None:
            kind = kind_of(parameter.annotation)
            if kind.word in ("bool", "int", "float", "str"):
                found = [True] if kind.word == "bool" else [item for item in constants if type(item).__name__ == kind.word]
            guessed = guess(parameter)
            if not (isinstance(guessed, Literal) and guessed.value in (None, False)):
                yield guessed
            elif not found:
                found = [True]
        elif is_named and isinstance(current, str):
            found = [item for item in constants if isinstance(item, str)]
        elif is_named and isinstance(current, (int, float)):
            found = _numbers(parameter.name, current, constants)
        different = [value for value in dict.fromkeys(found) if value != current or type(value) is not type(current)]
        yield from map(Literal, different[:_MOST_VALUES])


def _numbers(name: str, current: float, constants: list[Any]) -> list[Any]:
    """Numbers on the other side of what ``current`` is compared with."""
    if isinstance(current, float):
        return [0.5 if not current else 0.0]
    compared = [item for item in constants if isinstance(item, int) and not isinstance(item, bool)]
    usual = [sizes.whole(name) or 1, 1] if current == 0 else [0 if current == 1 else 1]
    return [*(item + more for item in compared for more in (1, 0)), *usual]
