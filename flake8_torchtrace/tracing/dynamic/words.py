"""What torch says while it exports, in its log and in warnings."""

from __future__ import annotations

import contextlib
import logging
import re
import warnings
from collections.abc import Iterator

from ..seams import replaced
from .leaves import Leaf


@contextlib.contextmanager
def listening_to_words() -> Iterator[list[str]]:
    """The messages of the block, as they come."""
    said: list[str] = []

    def on_record(logger: logging.Logger, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING and record.name.startswith("torch"):
            said.append(record.getMessage())
        handle(logger, record)

    handle = logging.Logger.handle
    with replaced(logging.Logger, "handle", on_record), warnings.catch_warnings(record=True) as warned:  # torch's loggers do not propagate
        warnings.simplefilter("always")
        yield said
    said += [str(item.message) for item in warned]


def spoken_of(said: list[str], leaf: Leaf, dim: int) -> str | None:
    """The first message that names a dimension, as in ``inputs['x'].shape[1]``."""
    root = re.split(r"[\[.]", leaf.name)[0]
    spelled = re.compile(rf"{re.escape(root)}\b.{{0,80}}(?:shape|size\(\))\[{dim}\]")
    return next((text for text in said if spelled.search(text)), None)
