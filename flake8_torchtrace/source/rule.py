"""What a rule is. A rule is one file in ``rules/`` with one subclass of `Rule`; it is found by scanning that package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.values import Drawn, Tensor, Unknown, Value, drop_none, tensor_of

if TYPE_CHECKING:
    from flake8_torchtrace.source.site import Site


@dataclass(eq=False, slots=True)
class Event:
    """Something the walk met that a rule asked for. ``kind`` is one of

    ========== ============================================================================================
    call       ``name`` is called; ``value`` is what it is an attribute of, if it is one
    method     the method ``name`` of ``value`` is called: a tensor, something unknown, or an instance whose class does not define it
    read       ``value.name`` of a tensor is read, ``name`` being one of a rule's ``attributes``
    test       Python asks for the truth of ``value``; ``context`` says who asks (``if``, ``assert`` ...)
    subscript  ``value[index]`` is read
    item       ``value[index] = args[0]``
    attribute  ``value.name = args[0]``
    key        ``value``, a tensor, is a key of a dict display
    function   ``value``, a function of the file that has decorators, is called
    iteration  a loop or comprehension goes over ``value``
    order      ``value`` is one of those that ``sorted``, ``min`` and the like compare: what their ``key`` gives
    format     ``value`` stands in an f-string; ``context`` is ``conversion`` (``!r``), ``specification`` (``:.3f``) or empty
    with       ``value`` is entered as a context manager; ``name`` is its class or itself, if outside the file
    class      a class statement, of the name ``name``, is executed
    island     ``name``, a function that the user made run outside of the graph, is called
    ========== ============================================================================================

    ``decides`` is filled in when the walk is over: the nodes at which a Python number drawn from a tensor here decides what Python
    does. ``is_speculative``: nothing in the file shows that this code is traced; ``is_library``: but the file reads like a library of
    functions for models.
    """

    kind: str
    node: ast.expr | ast.stmt
    frame: Frame
    name: str = ""
    value: Value | None = None
    index: Value | None = None
    args: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    context: str = ""
    decides: list[ast.AST] = field(default_factory=list)
    is_speculative: bool = False
    is_library: bool = False


@dataclass(frozen=True)
class Hit:
    """What a rule reports: a token, and what it is in a few words. ``targets`` and ``effect`` override the rule's own."""

    node: ast.expr | ast.stmt | None
    what: str
    targets: frozenset[Target] | None = None
    effect: str | None = None


@dataclass(frozen=True)
class Example:
    """A piece of code that shows a rule.

    ``code`` is a module class named ``Net``, without its imports (``torch``, ``nn`` and ``F`` are there); ``inputs`` the
    expressions that its forward is called with. ``beside`` are codes of other rules that a bad example cannot be had without.
    """

    code: str
    inputs: str = "torch.randn(2, 4)"
    imports: str = ""
    beside: tuple[str, ...] = ()


def of_tensor(value: Value | None) -> Confidence | None:
    """Likely where ``value`` is proven to be a tensor, possible where it may be one, None where nothing says so."""
    if value is None:
        return None
    tensor = tensor_of(drop_none(value) if isinstance(value, Tensor) else value)
    if tensor is None:
        return None
    return Confidence.LIKELY if tensor.sure else Confidence.POSSIBLE


def of_receiver(value: Value | None) -> Confidence | None:
    """As `of_tensor` for the receiver of a method that tensors have: an unknown receiver may be one. None or a tensor counts as a
    tensor, since None has no such method."""
    if isinstance(value, Unknown):
        return Confidence.POSSIBLE
    if isinstance(value, Drawn):
        return None
    return None if value is None else of_tensor(drop_none(value))


def data_dependence(event: Event) -> str | None:
    """What torch's own declarations say of this call: its result's ``shape`` or a Python ``value`` depends on the data, ``?`` if that
    hangs on an argument of which too little is known, None if it does not."""
    from flake8_torchtrace.source.knowledge import load
    from flake8_torchtrace.source.torch_calls import shape_of_call

    name = f"torch.Tensor.{event.name}" if event.kind == "method" else event.name
    return load().data_dependent(name, *shape_of_call(event.args, event.keywords))


class Rule:
    """One construct that torch may not trace.

    Class attributes describe it; from them come the message, the documentation and the tests. ``calls`` lists dotted names
    (``builtins.print``, ``logging.Logger.info``; ``scipy.*`` for a whole package; ``torch.nn.LSTM.__call__`` for calling an instance),
    ``methods`` names of methods, ``attributes`` of attributes of tensors that are read, ``sees`` kinds of other events (see `Event`).
    """

    code: ClassVar[str]
    name: ClassVar[str]
    family: ClassVar[Family]
    targets: ClassVar[frozenset[Target]] = ALL_TARGETS
    """What it breaks on the newest torch that was measured; empty for what only older ones break on."""
    legacy_targets: ClassVar[frozenset[Target]] = frozenset()
    """What it breaks on older torch, where ``targets`` is empty."""
    effect: ClassVar[str]
    """What it does to compile and to export, in one phrase."""
    instead: ClassVar[str]
    """What to write instead, in one phrase."""
    why: ClassVar[str]
    fine: ClassVar[str]
    """When it is fine as it is."""
    lost_at_export: ClassVar[str | None] = None
    """The code under which it is reported where only export is wanted, which takes the call and drops it: ``TTR501``."""
    bad: ClassVar[tuple[Example, ...]]
    good: ClassVar[tuple[Example, ...]]

    calls: ClassVar[tuple[str, ...]] = ()
    methods: ClassVar[tuple[str, ...]] = ()
    attributes: ClassVar[tuple[str, ...]] = ()
    sees: ClassVar[tuple[str, ...]] = ()

    def confidence(self, event: Event) -> Confidence | None:
        """How well ``event`` supports the claim; None when it does not."""
        return of_receiver(event.value) if event.kind == "method" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        """The hits at a site whose event had a confidence."""
        raise NotImplementedError
