"""From findings to verdicts: a server runs user code under torch, and what torch did is matched to what rules said."""

from __future__ import annotations

from .home import VerifySettings
from .render import render
from .session import Session, Verification
from .several import Pair

__all__ = ["Pair", "Session", "Verification", "VerifySettings", "render"]
