"""JSON laid out for diffs: the upper levels one entry a line, what lies below on that line."""

from __future__ import annotations

import json
from typing import Any


def laid_out(value: Any, deepest: int, depth: int = 0) -> str:
    """``value`` as JSON with a line for each entry down to ``deepest`` levels."""
    if depth == deepest or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, list):
        lines = [laid_out(item, deepest, depth + 1) for item in value]
    else:
        lines = [f"{json.dumps(key)}: {laid_out(item, deepest, depth + 1)}" for key, item in value.items()]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return f"{opening}{','.join(inner + line for line in lines)}{outer}{closing}"
