"""Ids of graph break reasons, from the installed torch's ``torch/_dynamo/graph_break_registry.json``."""

from __future__ import annotations

import functools
import json
import os
import re

from .paths import torch_folder

_URL = re.compile(r"/gb/gb(\d{4,})\.html")


@functools.cache
def ids_by_title() -> dict[str, str]:
    """``Gb_type`` texts, present and past, to ids, as ``torch._dynamo.exc._load_gb_type_to_gb_id_map`` has them.

    Empty where the installed torch has no registry (2.7 and before).
    """
    path = os.path.join(torch_folder(), "_dynamo", "graph_break_registry.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        registry = json.load(file)
    return {entry["Gb_type"]: key for key, entries in registry.items() for entry in entries}


def gb_id(text: str, gb_type: str | None = None) -> str | None:
    """The id of the reason a message starts with, else of ``gb_type``.

    Where one break caused another the message starts with the first, while ``gb_type`` names the last.
    """
    known = ids_by_title()
    title = first_line(text)
    if title in known:
        return known[title]
    url = _URL.search(text)
    if url:
        return f"GB{url.group(1)}"
    return known.get(gb_type) if gb_type else None


def first_line(text: str) -> str:
    """The first line with anything on it, stripped."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
