"""One call of one function under analysis."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from flake8_torchtrace.source.definitions import FunctionInfo
from flake8_torchtrace.source.values import Value

Env = dict[str, Value]
"""Local names, and attribute paths such as ``self.mask``, with what they hold at this point."""


@dataclass(eq=False, slots=True)
class Frame:
    """The state of one call: local names, where it came from, and what it returned so far.

    ``chain`` is the way from the entry point, this function included; ``owner`` the class of the entry point.
    """

    info: FunctionInfo | None
    env: Env
    chain: tuple[str, ...]
    owner: str | None
    self_value: Value | None = None
    closure: Frame | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    statement: ast.stmt | None = None
    values: dict[ast.expr, Value] = field(default_factory=dict)
    is_generator: bool = False
    loops: int = 0
    globals_written: set[str] = field(default_factory=set)

    def lookup(self, name: str) -> Value | None:
        """The local value of ``name``, here or in the functions around."""
        frame: Frame | None = self
        while frame is not None:
            value = frame.env.get(name)
            if value is not None:
                return value
            frame = frame.closure
        return None
