"""A configuration small enough to build its model at once: as its defaults, with few layers of little width."""

from __future__ import annotations

import contextlib
import inspect
import re
from typing import Any

# The first pattern that a name matches says the most that its number may be; numbers that torch divides by each other stay powers of 2
_MOST = (
    (re.compile(r"(key_value|kv)_heads?$|num_groups$"), 2),
    (re.compile(r"heads?$|^n_head$"), 4),
    (re.compile(r"^(num|n)_.*(layers?|blocks)$|^(layers|depth|n_layer)$"), 2),
    (re.compile(r"(intermediate|ffn|inner|mlp)_?(size|dim)$|^(d_ff|n_inner)$|ffn_dim$"), 64),
    (re.compile(r"^(hidden|embedding|embed|projection|decoder_hidden)_(size|dim)$|^(d_model|dim|n_embd|width|hidden)$"), 32),
    (re.compile(r"^(head_dim|d_kv|d_head)$"), 8),
    (re.compile(r"^(num_experts|num_local_experts|n_routed_experts)$"), 4),
    (re.compile(r"^(max_position_embeddings|n_positions|image_size)$"), 64),
)


def tiny(config_class: Any) -> Any:
    """An instance of ``config_class`` with its defaults, those of its sizes that have known names made small."""
    defaults = config_class()
    changed = {name: small for name, value in vars(defaults).items() if (small := _smaller(name, value)) is not None}
    taken = _parameters(config_class)
    changed = {name: small for name, small in changed.items() if name in taken or taken is _ALL}
    try:
        return config_class(**changed)
    except Exception:  # a configuration that checks its numbers against each other
        return config_class(**_accepted(config_class, changed))


def _accepted(config_class: Any, changed: dict[str, int]) -> dict[str, int]:
    """Those of the changes that the configuration takes, one after the other."""
    kept: dict[str, int] = {}
    for name, small in changed.items():
        with contextlib.suppress(Exception):
            config_class(**kept, **{name: small})
            kept[name] = small
    return kept


_ALL: frozenset[str] = frozenset({"**"})


def _parameters(config_class: Any) -> frozenset[str]:
    parameters = inspect.signature(config_class).parameters
    if any(item.kind is inspect.Parameter.VAR_KEYWORD for item in parameters.values()):
        return _ALL
    return frozenset(parameters)


def _smaller(name: str, value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    most = next((most for pattern, most in _MOST if pattern.search(name)), None)
    return most if most is not None and value > most else None
