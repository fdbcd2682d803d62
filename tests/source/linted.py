"""Lints the body of a module class that is given as text."""

from __future__ import annotations

import ast
import textwrap

from flake8_torchtrace.model import Finding
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn, Tensor

class Net(nn.Module):
"""


def findings(body: str, possible: bool = True, head: str = "") -> tuple[list[Finding], list[str]]:
    """What is found in a module with this body, and the lines of its file; ``head`` stands before everything."""
    text = textwrap.dedent(head) + HEAD + textwrap.indent(textwrap.dedent(body), "    ")
    lines = text.splitlines(keepends=True)
    return find("net.py", ast.parse(text), lines, LintSettings(possible=possible)), lines


def found(body: str, possible: bool = True, head: str = "") -> list[tuple[str, str]]:
    """The code and the line of each finding."""
    told, lines = findings(body, possible, head)
    return [(finding.code, lines[finding.span.line - 1].strip()) for finding in told]
