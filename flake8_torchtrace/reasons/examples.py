"""The examples of the rules as files that can be run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flake8_torchtrace.source.rule import Example, Rule

Kind = Literal["bad", "good"]
KINDS: tuple[Kind, Kind] = ("bad", "good")
IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


@dataclass(frozen=True)
class Case:
    """One example of a rule; ``number`` counts from 1 within its kind."""

    rule: Rule
    kind: Kind
    number: int
    example: Example

    @property
    def file_name(self) -> str:
        """The name of the file it is run from: a module of its own for each example."""
        return f"{self.rule.code.lower()}_{self.kind}_{self.number}.py"

    @property
    def source(self) -> str:
        """The example with its imports and a ``make()`` that builds module and inputs."""
        make = f"\n\ndef make():\n    return Net(), ({self.example.inputs},), {{}}\n"
        return f"{module_text(self.example)}{make}"


def module_text(example: Example) -> str:
    """The code of an example with its imports."""
    return f"{IMPORTS}{example.imports.strip()}\n{example.code.rstrip()}\n"


def cases(rules: Sequence[Rule]) -> list[Case]:
    """Every example of ``rules``: by rule, the bad ones first."""
    return [
        Case(rule, kind, number, example) for rule in rules for kind in KINDS for number, example in enumerate(getattr(rule, kind), 1)
    ]


def digest(rule: Rule) -> str:
    """Eight hex digits that change when an example of ``rule`` does: a recorded entry is of these very examples or it is stale."""
    text = "\0".join(f"{case.kind}\0{case.source}" for case in cases([rule]))
    return hashlib.sha256(text.encode()).hexdigest()[:8]
