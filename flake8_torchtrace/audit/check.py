"""One file of an audit, read, judged and filtered as flake8 does it."""

from __future__ import annotations

import argparse
import ast
import os
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flake8.processor import FileProcessor
from flake8.style_guide import StyleGuideManager

from flake8_torchtrace.audit.modules import modules
from flake8_torchtrace.model import Span
from flake8_torchtrace.report.modules import Module
from flake8_torchtrace.result import Result, tool_finding
from flake8_torchtrace.run import FAILED
from flake8_torchtrace.run import Run as LintRun
from flake8_torchtrace.source.gate import mentions_torch
from flake8_torchtrace.verify.results import Run

_NOT_CHECKED = ("TTR001", "TTR002")


@dataclass(frozen=True)
class Found:
    """A result that flake8 would print, with its statement on one line, and the function around it (``Net.forward``)."""

    result: Result
    source: str
    function: str = ""


@dataclass(frozen=True)
class Checked:
    """``problem``, with its line, says why the file was not checked; ``functions`` are the names of those it defines.

    ``is_relevant``: the file has to do with torch.
    """

    path: str
    found: tuple[Found, ...] = ()
    problem: str | None = None
    line: int = 1
    functions: frozenset[str] = frozenset()
    is_relevant: bool = True
    modules: tuple[Module, ...] = ()


class Checker:
    """``options``: flake8's."""

    def __init__(self, options: argparse.Namespace, run: LintRun) -> None:
        self._options = options
        self._run = run
        self._methods = run.config.methods if run.config is not None else ()
        self._guide = StyleGuideManager(options, _Silent())

    def check(self, path: str) -> Checked:
        """What is told of the file ``path``. Never raises: what goes wrong is the file's problem."""
        if os.path.exists(path) and not os.path.isfile(path):  # reading a pipe would wait for ever
            return Checked(path, problem="cannot be read: it is not a regular file")
        try:
            return self._check(path)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            return Checked(path, problem=f"cannot be read: {reason or error}")
        except (SyntaxError, tokenize.TokenError) as error:
            return Checked(path, problem=f"is not Python that {_this_python()} reads: {_message(error)}", line=_line(error))
        except RecursionError:
            return Checked(path, problem="nests too deeply to be read")
        except Exception as error:
            return self._failed(path, error)

    def _check(self, path: str) -> Checked:
        processor = FileProcessor(path, self._options)
        lines = list(processor.lines)
        if processor.should_ignore_file():
            return Checked(path, is_relevant=False)
        tree = ast.parse("".join(lines))
        runs: list[Run] = []
        results = list(self._run.results(path, tree, lines, runs.extend))
        functions = list(_functions(tree, ""))
        told = (result for result in results if self._is_told(path, result, processor))
        found = [Found(result, _source(result.finding.statement, lines), _around(result.finding.span.line, functions)) for result in told]
        found.sort(key=lambda item: (item.result.finding.span, item.result.finding.code))
        broken = next((result.finding.message for result in results if result.finding.code in _NOT_CHECKED), None)
        is_relevant = mentions_torch("".join(lines))
        built = modules(path, tree, {"forward", *self._methods}, runs) if is_relevant or runs else []
        return Checked(path, tuple(found), broken, 1, frozenset(name for name, _, _ in functions), is_relevant, tuple(built))

    def _is_told(self, path: str, result: Result, processor: FileProcessor) -> bool:
        """Flake8's own decision: selected and ignored codes, those of a file, and ``# noqa``."""
        finding = result.finding
        line = processor.noqa_line_for(finding.span.line)
        told = self._guide.handle_error(finding.code, path, finding.span.line, finding.span.column, finding.message, line)
        return bool(told)

    def _failed(self, path: str, error: Exception) -> Checked:
        message = FAILED.format(error=f"{type(error).__name__}: {error}")
        return Checked(path, (Found(Result(tool_finding("TTR002", path, message)), ""),), message)


class _Silent:
    """In the place of flake8's formatter."""

    def handle(self, error: Any) -> None:
        """Print nothing."""


def _functions(node: ast.AST, inside: str) -> Iterator[tuple[str, int, int]]:
    """Name, first and last line of every function and class, the outer ones first."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{inside}.{child.name}" if inside else child.name
            yield name, child.lineno, child.end_lineno or child.lineno
            yield from _functions(child, name)
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _functions(child, inside)


def _around(line: int, functions: Sequence[tuple[str, int, int]]) -> str:
    return next((name for name, first, last in reversed(functions) if first <= line <= last), "")


def _source(span: Span, lines: Sequence[str]) -> str:
    """The text of ``span`` with every run of blanks as one."""
    picked = [line.rstrip("\r\n") for line in lines[span.line - 1 : span.end_line]]
    if not picked:
        return ""
    picked[-1] = picked[-1][: span.end_column]
    picked[0] = picked[0][span.column :]
    return " ".join(" ".join(picked).split())


def _this_python() -> str:
    import sys

    return f"Python {sys.version_info.major}.{sys.version_info.minor}"


def _message(error: Exception) -> str:
    return str(error.msg if isinstance(error, SyntaxError) else error.args[0])


def _line(error: Exception) -> int:
    if isinstance(error, SyntaxError):
        return error.lineno or 1
    place = error.args[1] if len(error.args) > 1 else (1, 0)
    return int(place[0])
