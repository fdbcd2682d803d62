"""From which calls of other files a file is traced: the entries, found by walking from where tracing starts."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable

from flake8_torchtrace.source.index.store import Store

_MOST_PER_FUNCTION = 24
Chain = tuple[str, ...]


def write_entries(store: Store, starts: list[str], path_of: Callable[[str], str]) -> None:
    """Drop the answers that nothing rests on any more, and list the entries of every file, those with short chains first.

    ``starts`` are the ``root`` questions of the files where tracing starts.
    """
    texts = store.texts()
    edges: dict[int, list[tuple[int, str, str | None]]] = {}
    for parent, child, chain, owner in store.edges():
        edges.setdefault(parent, []).append((child, chain, owner))
    roots = [store.id_of(text) for text in starts]
    _drop_unused(store, roots, edges, texts)
    store.set_entries(_entries(roots, edges, texts, path_of))


def _drop_unused(store: Store, roots: list[int], edges: dict[int, list[tuple[int, str, str | None]]], texts: dict[int, str]) -> None:
    children: dict[int, list[int]] = {}
    for parent, child in store.dependences():
        children.setdefault(parent, []).append(child)
    for parent, found in edges.items():
        children.setdefault(parent, []).extend(child for child, _, _ in found)
    used = set(roots)
    waiting = list(roots)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in used:
                used.add(child)
                waiting.append(child)
    store.forget(number for number in texts if number not in used)


def _entries(
    roots: list[int], edges: dict[int, list[tuple[int, str, str | None]]], texts: dict[int, str], path_of: Callable[[str], str]
) -> list[tuple[str, int, int, str, str | None]]:
    seen = set(roots)
    counts: dict[tuple[str, str], int] = {}
    places: dict[str, int] = {}
    rows = []
    queue: deque[tuple[int, Chain, str | None]] = deque((root, (), None) for root in roots)
    while queue:
        number, before, owner = queue.popleft()
        for child, chain, own in edges.get(number, ()):
            if child in seen:
                continue
            seen.add(child)
            way, whose = _way(texts[number], before, tuple(json.loads(chain)), own or owner, path_of)
            queue.append((child, way, whose))
            _, module, function, *_ = json.loads(texts[child])
            counts[module, function] = counts.get((module, function), 0) + 1
            if counts[module, function] <= _MOST_PER_FUNCTION:
                places[module] = places.get(module, 0) + 1
                rows.append((module, places[module], child, json.dumps(way), whose))
    return rows


def _way(text: str, before: Chain, chain: Chain, owner: str | None, path_of: Callable[[str], str]) -> tuple[Chain, str | None]:
    """The chain up to the call: its first function is named with its class and file."""
    if before or not chain:
        return (*before, *chain), owner
    kind, module, *rest = json.loads(text)
    name = chain[0] if kind == "root" else rest[0]
    if kind == "root" and owner is not None and "." not in name:
        name = f"{owner}.{name}"
    return (f"{name} ({path_of(module)})", *chain[1:]), owner
