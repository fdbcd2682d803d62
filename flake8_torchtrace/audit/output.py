"""``--format`` and ``--output`` on the command line, and the files that follow from them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, TypeVar

from flake8_torchtrace.report import FORMATS, html
from flake8_torchtrace.usage import UsageError

_T = TypeVar("_T")
Output = tuple[str, str | None]
"""A format, and a file, or None for the standard output."""


def add_to(parser: argparse.ArgumentParser, formats: Iterable[str] = FORMATS) -> None:
    """Add the two options."""
    parser.add_argument(
        "--format", action=_Format, dest="outputs", choices=tuple(formats), default=[],
        help="how to write the findings (default: text); may be given several times, each with an --output of its own",
    )  # fmt: skip
    parser.add_argument(
        "--output", action=_File, dest="outputs", metavar="FILE", help="where to write the --format before it (default: standard output)"
    )


class _Format(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        namespace.outputs = [*namespace.outputs, (values, None)]


class _File(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        *before, (name, file) = namespace.outputs or [("text", None)]
        if file is not None:
            parser.error(f"--output {values}: the --format before it already goes to {file}")
        namespace.outputs = [*before, (name, values)]


def checked(outputs: Sequence[Output]) -> list[Output]:
    """What is to be written, text where nothing was asked for. Raises UsageError where two would go to one place."""
    wanted = list(outputs) or [("text", None)]
    if any(name == "html" for name, _ in wanted) and not all(map(find_spec, html.NEEDED)):
        raise UsageError(f"--format html needs {' and '.join(html.NEEDED)}: pip install 'flake8-torchtrace[report]'")
    files = [None if file is None else os.path.realpath(file) for _, file in wanted]
    if len(set(files)) < len(files):
        raise UsageError("two --format go to the same place; give each an --output of its own")
    for file in files:
        if file is not None and not os.path.isdir(os.path.dirname(file)):
            raise UsageError(f"--output: there is no folder {os.path.dirname(file)}")
        if file is not None and os.path.isdir(file):
            raise UsageError(f"--output: {file} is a folder")
    return wanted


def write(content: _T, outputs: Sequence[Output], formats: Mapping[str, Callable[[_T], str]]) -> None:
    """Write all of them. Raises UsageError for a file that cannot be written."""
    for name, file in outputs:
        text = formats[name](content)
        if file is None:
            _print(text)
            continue
        try:
            with open(file, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(text)
        except OSError as error:
            raise UsageError(f"--output: cannot write {file}: {error.strerror}") from error


def _print(text: str) -> None:
    stream = sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
