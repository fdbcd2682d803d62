"""Leaves out what torch does only to measure itself: no verdict needs it."""

from __future__ import annotations


def spare_measuring() -> None:
    """See ``flake8_torchtrace.tracing.spare_measuring``.

    ``torch._dynamo.guards.profile_guard_manager`` (2.7 and later) times each new set of guards, after a write of some 100 MB
    that empties the processor's cache: half the cost of a small compile.
    """
    import torch._dynamo.guards as guards

    if hasattr(guards, "profile_guard_manager"):
        guards.profile_guard_manager = lambda *args, **kwargs: 0.0
