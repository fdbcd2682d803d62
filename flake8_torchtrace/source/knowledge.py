"""What calls into torch return, without importing torch.

The facts stand in ``torch_knowledge.json``, derived from torch's own stubs, annotations, operator schemas and tags by
``scripts/make_torch_knowledge.py``. A result is named by a code:

=========  ======================================  ==========  ==============================================
``T``      a tensor                                ``size``    ``torch.Size``
``T*2``    a tuple of exactly two tensors          ``int*``    a tuple of any number of ints
``T*``     a sequence of any number of tensors     ``list``    a list of Python values (``tolist``)
``T?``     a tensor or None (so for any code)      ``number``  a Python bool, int, float or complex
``(T,?)``  a tuple, item by item; it may nest      ``none``    None
``?``      known to torch, but not which of these  others      ``int float bool str dtype device ndarray``
=========  ======================================  ==========  ==============================================

Where the overloads of a function return different things, the one that a call means is found by the number of its
positional arguments, by its keywords and, if the caller can tell, by the kinds of its arguments.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Kinds = Callable[[int | str], str | None]
"""Asked for a position or a keyword, gives the argument's code, ``true`` or ``false``, or None if it cannot tell."""

UNKNOWN = "?"
# Torch accepts numpy's names as well: torch/csrc/utils/python_arg_parser.cpp, numpy_compatibility_arg_names.
_NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
_ACCEPTED_AS = {
    "bool": {"bool", "true", "false", "number"},
    "true": {"true", "bool", "number"},
    "false": {"false", "bool", "number"},
    "int": {"int", "float", "number", "size"},
    "float": {"float", "number"},
    "size": {"size"},
    "int*": {"size"},
    "list": {"size", "T*"},
    "tuple": {"size", "T*"},
}


@dataclass(frozen=True)
class IntArguments:
    """Arguments that are ints or sizes: at these positions, by these keywords, and all from ``rest`` on."""

    at: tuple[int, ...]
    named: frozenset[str]
    rest: int | None

    def has(self, key: int | str) -> bool:
        """Whether the argument at a position, or of a keyword, is one."""
        if isinstance(key, str):
            return key in self.named
        return key in self.at or (self.rest is not None and key >= self.rest)


class Knowledge:
    """The facts of one torch version, which ``torch`` names."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.torch: str = facts["torch"]
        self._facts = facts

    def function_return(
        self, dotted: str, positional: int | None = 0, keywords: Collection[str] = (), kinds: Kinds | None = None
    ) -> str | None:
        """The code of what ``dotted(...)`` returns, such as ``torch.max``; None if nothing is known of that name.

        ``positional`` counts the positional arguments; None says it cannot be counted, as in ``torch.max(*args)``.
        ``torch.Tensor.max(x)`` is looked up as the method it is.
        """
        return _choose(*self._find("functions", dotted, positional, kinds), keywords)

    def method_return(
        self, name: str, positional: int | None = 0, keywords: Collection[str] = (), kinds: Kinds | None = None
    ) -> str | None:
        """The code of what a tensor's method returns; None if there is no such method. The tensor is not counted."""
        return _choose(self._facts["methods"].get(name), positional, kinds, keywords)

    def attribute(self, name: str) -> str | None:
        """The code of a tensor's attribute (``shape``, ``grad``); None if tensors have no such attribute."""
        return _text(self._facts["attributes"].get(name))

    def field(self, name: str) -> str | None:
        """The code of a field of a named tuple that torch returns: ``values`` in ``x.max(0).values``."""
        return _text(self._facts["fields"].get(name))

    def constant(self, dotted: str) -> str | None:
        """The code of a value such as ``torch.float32`` or ``torch.pi``."""
        return _text(self._facts["constants"].get(dotted))

    def module_return(
        self, dotted: str, positional: int | None = 0, keywords: Collection[str] = (), kinds: Kinds | None = None
    ) -> str | None:
        """The code of what calling an instance of a torch module returns; None if unknown.

        The arguments are those the instance was *built* with: ``MaxPool2d(2, return_indices=True)`` decides it there.
        Recurrent modules are taken to be given tensors; given a PackedSequence, they return one.
        """
        modules = self._facts["modules"]
        found = modules.get(dotted)
        if found is None and dotted.startswith("torch.nn.modules."):
            found = modules.get(f"torch.nn.{dotted.rpartition('.')[2]}")
        return _choose(found, positional, kinds, keywords)

    def is_module_class(self, dotted: str) -> bool:
        """Whether the name is ``torch.nn.Module`` or a subclass of it that comes with torch."""
        package, _, name = dotted.rpartition(".")
        return name in self._facts["module_classes"].get(package, ())

    def is_tensor_method(self, name: str) -> bool:
        """Whether tensors have a method of this name."""
        return name in self._facts["methods"]

    def data_dependent(
        self, dotted: str, positional: int | None = 0, keywords: Collection[str] = (), kinds: Kinds | None = None
    ) -> str | None:
        """Whether this call depends on the data in a tensor: ``shape``, ``value``, ``?`` if it may, None if not.

        ``shape``: the shape of the result follows from the data (``torch.nonzero``). ``value``: a Python value is read
        out of a tensor (``torch.Tensor.item``, ``torch.equal``). Methods are asked for as ``torch.Tensor.<name>``, and
        the tensor is then not counted among the arguments.
        """
        found = self._facts["data_dependent"].get(dotted)
        return _choose(found, positional, kinds, keywords) or None

    def int_arguments(self, dotted: str) -> IntArguments | None:
        """Which arguments of this function or method are Python ints; None if it takes none.

        Methods are asked for as ``torch.Tensor.<name>``, and the tensor is then not counted among the arguments.
        """
        found = self._facts["int_arguments"].get(dotted)
        return None if found is None else IntArguments(tuple(found.get("at", ())), frozenset(found.get("named", ())), found.get("rest"))

    def scalar_arguments(self, dotted: str) -> IntArguments | None:
        """As `int_arguments`, for arguments that are Python numbers of any kind (``fill_value``, ``alpha``)."""
        found = self._facts["scalar_arguments"].get(dotted)
        return None if found is None else IntArguments(tuple(found.get("at", ())), frozenset(found.get("named", ())), None)

    def scalar_argument_names(self) -> tuple[str, ...]:
        """The dotted names of every function and method that `scalar_arguments` knows."""
        return tuple(self._facts["scalar_arguments"])

    def int_argument_names(self) -> tuple[str, ...]:
        """The dotted names of every function and method that `int_arguments` knows."""
        return tuple(self._facts["int_arguments"])

    def data_dependent_names(self) -> tuple[str, ...]:
        """The dotted names of every function and method that `data_dependent` knows."""
        return tuple(self._facts["data_dependent"])

    def result_dtype(self, name: str) -> str | None:
        """The kind of dtype of the tensor that ``torch.<name>`` or the method ``name`` returns, whatever goes in.

        ``bool`` (``isnan``), ``int`` (``argmax``), ``float`` (``sigmoid``) or ``number`` (complex); None if it varies.
        """
        return _text(self._facts["dtypes"].get(name))

    def has_bool_result(self, name: str) -> bool:
        """Whether ``torch.<name>`` or the method ``name`` returns a tensor of bools, whatever goes in: a mask."""
        return self.result_dtype(name) == "bool"

    def _find(
        self, section: str, dotted: str, positional: int | None, kinds: Kinds | None
    ) -> tuple[Any, int | None, Kinds | None]:
        method = dotted.removeprefix("torch.Tensor.")
        if method != dotted:
            return self._facts["methods"].get(method), positional and positional - 1, _shifted(kinds)
        found = self._facts[section].get(dotted)
        if found is None and dotted.startswith("torch.functional."):
            found = self._facts[section].get(f"torch.{dotted.rpartition('.')[2]}")
        return found, positional, kinds


@functools.cache
def load() -> Knowledge:
    """The knowledge that comes with this package, read once.

    Raises:
        RuntimeError: the package's data file is missing or not readable, so the installation is damaged.
    """
    path = Path(__file__).with_name("torch_knowledge.json")
    try:
        return Knowledge(json.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        message = f"flake8-torchtrace cannot read its own {path.name} ({error}): please reinstall it"
        raise RuntimeError(message) from error


def _text(code: Any) -> str | None:
    return code if isinstance(code, str) else None


def _shifted(kinds: Kinds | None) -> Kinds | None:
    if kinds is None:
        return None
    return lambda key: kinds(key + 1 if isinstance(key, int) else key)


def _choose(found: Any, positional: int | None, kinds: Kinds | None, keywords: Collection[str]) -> str | None:
    """The code all overloads that this call can mean agree on; ``?`` if they do not, None if there are none."""
    if found is None or isinstance(found, str):
        return found
    named = {_NUMPY_NAMES.get(name, name): name for name in keywords}
    codes = {str(entry["ret"]) for entry in found if _accepts(entry, positional, named, kinds)}
    return codes.pop() if len(codes) == 1 else UNKNOWN


def _accepts(entry: dict[str, Any], positional: int | None, named: dict[str, str], kinds: Kinds | None) -> bool:
    """Whether an overload can be called like this. ``named`` maps torch's name of a keyword to the caller's."""
    params: list[str] = entry["params"]
    if positional is not None and positional > len(params) and "rest" not in entry:
        return False
    taken = dict(enumerate(params[:positional])) if positional is not None else {}
    if any((name not in params and name not in entry.get("only", ())) or name in taken.values() for name in named):
        return False
    given = set(taken.values()) | set(named)
    wanted = [*params[: entry["required"]], *entry.get("must", ())]
    if positional is not None and not given.issuperset(wanted):
        return False
    keys: list[tuple[int | str, str]] = [*taken.items(), *((own, name) for name, own in named.items())]
    return kinds is None or all(_fits(kinds(key), entry["types"].get(name)) for key, name in keys)


def _fits(kind: str | None, wanted: str | None) -> bool:
    """Whether an argument of this kind can stand where ``wanted`` is declared; what is not known can stand anywhere."""
    if kind is None or wanted is None or UNKNOWN in kind:
        return True
    accepted = _ACCEPTED_AS.get(kind, {"T*"} if kind.startswith(("T*", "(")) else {kind})
    return not accepted.isdisjoint(wanted.split("|"))
