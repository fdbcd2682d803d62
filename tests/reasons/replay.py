"""What modules write when they are called, and what their exported programs write. A program: ``replay.py NAME...`` prints JSON.

For each name of a Python module in this directory, which has a ``make()``, it gives ``{"eager": text, "export-strict": text,
"export-nonstrict": text}``: all that went to standard output and standard error, with every log record and every warning shown.
"""

from __future__ import annotations

import functools
import importlib
import json
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

STRICT = {"export-strict": True, "export-nonstrict": False}


def written(call: Callable[[], Any]) -> str:
    """What ``call`` writes to the two standard descriptors."""
    kept = [os.dup(number) for number in (1, 2)]
    with tempfile.TemporaryFile() as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
        try:
            call()
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            for number, descriptor in zip((1, 2), kept, strict=True):
                os.dup2(descriptor, number)
                os.close(descriptor)
        file.seek(0)
        return file.read().decode()


def replay(name: str) -> dict[str, str]:
    """What each way of calling what ``make()`` of a module builds writes; an export that refuses it is left out."""
    import torch

    module = importlib.import_module(name)
    net, args, kwargs = module.make()
    found = {"eager": written(functools.partial(net, *args, **kwargs))}
    for target, strict in STRICT.items():
        net, args, kwargs = module.make()
        programs: list[Callable[..., Any]] = []
        try:
            written(lambda: programs.append(torch.export.export(net, args, kwargs, strict=strict).module()))  # noqa: B023 - called at once
        except torch._dynamo.exc.Unsupported:
            continue
        found[target] = written(functools.partial(programs[0], *args, **kwargs))
        torch._dynamo.reset()
    return found


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    logging.basicConfig(level=1)
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    warnings.simplefilter("always")
    print(json.dumps([replay(argument) for argument in sys.argv[1:]]))
