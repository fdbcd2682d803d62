"""What can be promised of a module, and reading it from what people write.

flake8 loads this with its settings, so nothing else of the package is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any


class Promise(str, Enum):
    """One thing that can be promised. All but the last two are kept or broken; those count, with the limit as their value."""

    FULLGRAPH = "fullgraph"
    EXPORT = "export"
    EXPORT_STRICT = "export-strict"
    REPLAYS = "replays"
    NO_LOST_EFFECTS = "no-lost-effects"
    PORTABLE = "portable"
    DYNAMIC = "dynamic"
    MAX_BREAKS = "max-breaks"
    MAX_RECOMPILES = "max-recompiles"


EXPORT_READY = "export-ready"
BUNDLES: Mapping[str, tuple[Promise, ...]] = {
    EXPORT_READY: (Promise.EXPORT, Promise.REPLAYS, Promise.NO_LOST_EFFECTS, Promise.PORTABLE),
}
COUNTED = (Promise.MAX_BREAKS, Promise.MAX_RECOMPILES)
MODES = ("eval", "train")
DTYPES = ("float32", "float64", "float16", "bfloat16")
SYNTHESISED = "synthesised"
_WORDS = (*(promise.value for promise in Promise), *BUNDLES)
_KEYS = ("promises", "max-breaks", "max-recompiles", "dynamic", "modes", "dtypes", "batches", "inputs")
_BOUNDS = ("min", "max", "name")
_COUNT = re.compile(r"([a-z-]+)\s*=\s*(.*)", re.DOTALL)


class PromiseError(Exception):
    """What was written cannot be read as a promise; the text says why, without the place."""


@dataclass(frozen=True)
class Promises:
    """What one class promises. Empty ``modes``, ``dtypes`` and ``batches``: in the mode and with the inputs that are given.

    ``limits`` are those of counted promises; ``dynamic`` maps an argument and a dimension to its bounds, empty where they come with
    the inputs. ``batches`` are sizes of the first dimension. ``is_synthesised``: inputs may be made from nothing where nobody wrote any.
    """

    made: frozenset[Promise] = frozenset()
    limits: tuple[tuple[Promise, int], ...] = ()
    dynamic: tuple[tuple[str, tuple[tuple[int, tuple[tuple[str, Any], ...]], ...]], ...] = ()
    modes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    batches: tuple[int, ...] = ()
    is_synthesised: bool = False

    @property
    def ordered(self) -> tuple[Promise, ...]:
        """What is promised, in the order of `Promise`."""
        return tuple(promise for promise in Promise if promise in self.made)

    def limit(self, promise: Promise) -> int:
        """The limit of a counted promise that is made."""
        return dict(self.limits)[promise]

    def words(self, promise: Promise) -> str:
        """A promise that is made as people write it."""
        return f"{promise.value}={self.limit(promise)}" if promise in COUNTED else promise.value

    def __or__(self, other: Promises) -> Promises:
        """Both: the lower limits, all conditions. Raises PromiseError where their dynamic dimensions differ."""
        if self.dynamic and other.dynamic and self.dynamic != other.dynamic:
            raise PromiseError("two declarations give different dynamic dimensions")
        limits: dict[Promise, int] = {}
        for promise, limit in (*self.limits, *other.limits):
            limits[promise] = min(limit, limits.get(promise, limit))
        return Promises(
            self.made | other.made, tuple(limits.items()), self.dynamic or other.dynamic, _once((*self.modes, *other.modes)),
            _once((*self.dtypes, *other.dtypes)), _once((*self.batches, *other.batches)),
            self.is_synthesised or other.is_synthesised,
        )  # fmt: skip


def from_text(text: str) -> Promises:
    """``export-ready`` or ``fullgraph, max-breaks=2``. Raises PromiseError."""
    return from_words(part for part in text.split(",") if part.strip() or part == text)


def from_words(words: Iterable[str]) -> Promises:
    """Each a promise, a bundle, or a counted promise with its limit. Raises PromiseError."""
    found = Promises()
    for word in words:
        found |= _from_word(word.strip())
    return found


def from_value(value: object) -> Promises:
    """A value of TOML or a literal of Python: a string, a list of strings, or a table. Raises PromiseError."""
    if isinstance(value, str):
        return from_text(value)
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return from_words(value)
    if isinstance(value, dict):
        return _from_table(value)
    raise PromiseError(f"promises must be a string, a list of strings or a table, not {value!r}")


def is_table_of_promises(value: Mapping[str, Any]) -> bool:
    """Whether a table is the promises of one name, not a part of a dotted name that was written without quotes."""
    return not value or any(key in _KEYS for key in value) or not all(isinstance(item, (dict, str, list)) for item in value.values())


def _from_word(word: str) -> Promises:
    counted = _COUNT.fullmatch(word)
    if counted is not None:
        return _limited(counted[1], counted[2])
    if word in BUNDLES:
        return Promises(frozenset(BUNDLES[word]))
    if word in (promise.value for promise in COUNTED):
        raise PromiseError(f"{word} needs a number: {word}=2")
    return Promises(frozenset({Promise(_known(word, _WORDS, "promise"))}))


def _limited(name: str, given: object) -> Promises:
    promise = Promise(_known(name, [promise.value for promise in COUNTED], "promise with a number"))
    is_number = (isinstance(given, int) and not isinstance(given, bool)) or (isinstance(given, str) and given.strip().isdecimal())
    if not is_number or int(str(given)) < 0:
        raise PromiseError(f"{name} must be a number of at least 0, not {given!r}")
    return Promises(frozenset({promise}), ((promise, int(str(given))),))


def _from_table(table: Mapping[str, Any]) -> Promises:
    for key in table:
        _known(key, _KEYS, "key")
    found = Promises()
    listed = table.get("promises", [])
    if isinstance(listed, dict):
        raise PromiseError("promises must be a string or a list of strings")
    found |= from_value(listed)
    for promise in COUNTED:
        if promise.value in table:
            found |= _limited(promise.value, table[promise.value])
    if "dynamic" in table:
        found |= Promises(frozenset({Promise.DYNAMIC}), dynamic=_dimensions(table["dynamic"]))
    return replace(
        found, modes=_texts(table, "modes", MODES), dtypes=_texts(table, "dtypes", DTYPES), batches=_sizes(table.get("batches", [])),
        is_synthesised=bool(_texts(table, "inputs", (SYNTHESISED,))),
    )  # fmt: skip


def _texts(table: Mapping[str, Any], key: str, known: Iterable[str]) -> tuple[str, ...]:
    given = table.get(key, [])
    values = [given] if isinstance(given, str) else given
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
        raise PromiseError(f"{key} must be a list of strings, not {given!r}")
    return _once(_known(value, known, key.removesuffix("s")) for value in values)


def _sizes(given: object) -> tuple[int, ...]:
    values = given if isinstance(given, (list, tuple)) else [given]
    if not all(isinstance(value, int) and not isinstance(value, bool) and value > 0 for value in values):
        raise PromiseError(f"batches must be a list of sizes of at least 1, not {given!r}")
    return _once(values)


def _dimensions(given: object) -> Any:
    if not isinstance(given, dict) or not given or not all(isinstance(value, dict) and value for value in given.values()):
        raise PromiseError("dynamic must name an argument, a dimension and its bounds: dynamic = { x = { 0 = { min = 2, max = 8 } } }")
    return tuple((str(name), tuple(_dimension(str(name), key, value) for key, value in sizes.items())) for name, sizes in given.items())


def _dimension(name: str, key: object, bounds: object) -> tuple[int, tuple[tuple[str, Any], ...]]:
    where = f"dynamic {name}.{key}"
    if not str(key).isdecimal():
        raise PromiseError(f"{where}: a dimension is a number from 0")
    if not isinstance(bounds, dict):
        raise PromiseError(f"{where}: bounds are written {{ min = 2, max = 8 }}, not {bounds!r}")
    for part, value in bounds.items():
        _known(part, _BOUNDS, "bound")
        if part != "name" and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise PromiseError(f"{where}: {part} must be a number of at least 0, not {value!r}")
        if part == "name" and not (isinstance(value, str) and value.isidentifier()):
            raise PromiseError(f"{where}: name must be an identifier, not {value!r}")
    if "min" in bounds and "max" in bounds and bounds["min"] >= bounds["max"]:
        raise PromiseError(f"{where}: min {bounds['min']} is not below max {bounds['max']}")
    return int(str(key)), tuple(sorted(bounds.items()))


def _known(word: str, known: Iterable[str], what: str) -> str:
    names = list(known)
    if word in names:
        return word
    close = get_close_matches(word, names, 1)
    hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(names)}"
    raise PromiseError(f"there is no {what} {word!r}; {hint}")


def _once(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))
