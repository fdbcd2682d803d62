"""Ids of graph break reasons, from the installed torch's ``torch/_dynamo/graph_break_registry.json``."""

from __future__ import annotations

import functools
import json
import os
import re

from .paths import torch_folder

_URL = re.compile(r"/gb/gb(\d{4,})\.html")


@functools.cache
def titles_by_id() -> dict[str, tuple[str, ...]]:
    """The ``Gb_type`` texts of every id, present and past, as the registry of the installed torch lists them.

    Empty where it has no registry (2.7 and before).
    """
    path = os.path.join(torch_folder(), "_dynamo", "graph_break_registry.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        registry = json.load(file)
    return {key: tuple(entry["Gb_type"] for entry in entries) for key, entries in registry.items()}


@functools.cache
def ids_by_title() -> dict[str, str]:
    """``Gb_type`` texts to ids, as ``torch._dynamo.exc._load_gb_type_to_gb_id_map`` has them."""
    return {title: key for key, titles in titles_by_id().items() for title in titles}


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
