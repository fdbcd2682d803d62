"""Which browser the machine has."""

from __future__ import annotations

import shutil


def installed() -> str | None:
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
