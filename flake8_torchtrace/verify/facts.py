"""What every verdict depends on besides the project's files: this tool, Python, torch, what is installed, and the environment."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import platform
import sys
from importlib import metadata

from .digests import of_bytes, of_packages

# Runs happen on the CPU with torch's default dtype; the environment may tell torch otherwise.
VARIABLES = ("TORCH", "PYTORCH", "CUDA", "ATEN", "OMP_", "MKL_", "PYTHON")
_NOT_OURS = ("TORCHTRACE_",)
_CODE = ("capture", "inputs", "tracing", "verify")


def facts(package: str, working_directory: str) -> str:
    """A digest of all that. ``package`` is the folder of this package."""
    environment = {
        name: value for name, value in os.environ.items() if name.startswith(VARIABLES) and not name.startswith(_NOT_OURS)
    }
    known = {
        "code": of_code(package),
        "python": [platform.python_implementation(), sys.version, sys.executable, platform.machine()],
        "torch": of_torch(),
        "installed": _installed(),
        "device": "cpu",
        "dtype": "default",
        "environment": environment,
        "directory": working_directory,
    }
    return of_bytes(json.dumps(known, sort_keys=True).encode())


@functools.cache
def of_code(package: str) -> str:
    """A digest of what makes verdicts here, which says more than a version."""
    parts = [os.path.join(package, "model.py"), os.path.join(package, "__init__.py")]
    for folder in _CODE:
        for here, _, names in sorted(os.walk(os.path.join(package, folder))):
            parts += [os.path.join(here, name) for name in sorted(names) if name.endswith(".py")]
    texts = []
    for path in parts:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                texts.append(file.read())
    return of_bytes(b"\0".join(texts))


def of_torch() -> list[str]:
    """Version and place of torch, without importing it."""
    try:
        spec = importlib.util.find_spec("torch")
        version = metadata.version("torch")
    except (ImportError, ValueError, metadata.PackageNotFoundError):
        return []
    origin = spec.origin if spec is not None and spec.origin else ""
    changed = os.stat(origin).st_mtime_ns if os.path.isfile(origin) else 0
    return [version, origin, str(changed)]


def _installed() -> list[str]:
    """The installed packages with their versions, by the names of their metadata; what makes folders part of the path."""
    found: set[str] = set()
    for folder in of_packages():
        if os.path.isdir(folder):
            found |= {name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info", ".pth", ".egg-link"))}
    return sorted(found)
