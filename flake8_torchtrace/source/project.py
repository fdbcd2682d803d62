"""What is known of the other files of the project."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.names import canonical, module_name
from flake8_torchtrace.source.values import Ref, Value

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter


@dataclass(eq=False, slots=True)
class OuterCall:
    """A call that leaves the file, or comes into it.

    ``frame`` is where it is made, ``node`` the call in the source. ``is_traced`` is False where it is only evaluated to
    learn what it gives (in ``__init__``, at module level). With ``is_entry`` missing arguments are what the callee's code
    says of them, and with ``is_forward`` they are tensors by convention.
    """

    frame: Frame
    args: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    node: ast.AST | None = None
    is_traced: bool = True
    is_entry: bool = False
    is_forward: bool = False


@dataclass(frozen=True)
class Entry:
    """Traced code in another file makes ``call`` of ``name`` (qualified, such as ``Net.hook``) in this file.

    With ``decorated`` the call is of what the decorator ``name`` (with ``arguments``, or plain) makes of that function.
    """

    name: str
    receiver: Value | None
    call: OuterCall
    decorated: Value | None = None
    arguments: tuple[Value, ...] | None = None


class Project:
    """Knows nothing: the answers when there is no index."""

    def attach(self, it: Interpreter) -> None:
        """``it`` is who asks."""

    def module_name(self, path: str) -> tuple[str, bool]:
        """The dotted name of a file, and whether it is a package's ``__init__``."""
        return module_name(path)

    def covers(self, dotted: str) -> bool:
        """False only if ``dotted`` surely lies outside of what the index knows."""
        return False

    def resolved(self, dotted: str) -> str:
        """The name under which ``dotted`` is defined: re-exports are followed."""
        return canonical(dotted)

    def alias(self, dotted: str) -> Value | None:
        """The value of something annotated with ``dotted`` where that is an alias such as ``Mask = Optional[Tensor]``."""
        return None

    def imported(self, dotted: str) -> Value:
        """The value of an imported name, or of an attribute of something imported."""
        return Ref(dotted)

    def starred(self, modules: list[str], name: str) -> Value | None:
        """The value of a name that one of the ``from module import *`` may bind."""
        return None

    def is_module(self, dotted: str) -> bool:
        """Whether the class ``dotted`` is a module."""
        return False

    def is_plain(self, dotted: str) -> bool:
        """Whether the class ``dotted`` surely is no module: all its bases are known."""
        return False

    def attribute(self, dotted: str, name: str, receiver: Value, frame: Frame) -> Value | None:
        """What ``receiver.name`` holds, whose class is or derives from ``dotted``; None if the index does not know."""
        return None

    def call(self, dotted: str, call: OuterCall) -> Value | None:
        """What calling the function or class ``dotted`` gives; None if the index does not know it."""
        return None

    def call_method(self, dotted: str, name: str, receiver: Value, call: OuterCall) -> Value | None:
        """What ``receiver.name(...)`` gives, looked up in the class ``dotted`` and its bases; None if unknown."""
        return None

    def call_decorated(self, dotted: str, arguments: tuple[Value, ...] | None, func: Value, call: OuterCall) -> None:
        """Traced code makes ``call`` of ``func``, which is decorated with ``dotted`` (with ``arguments``, or plain)."""

    def is_traced(self) -> bool:
        """Whether the index knows code of this file to be traced."""
        return False

    def entries(self) -> list[Entry]:
        """The calls from traced code of other files into this one."""
        return []


NO_PROJECT = Project()
