"""What tells the contents of files apart: of a project by what is in them, of installed packages by size and time."""

from __future__ import annotations

import functools
import hashlib
import os
import sysconfig
from collections.abc import Mapping


def digest(path: str) -> str:
    """A text that changes with the contents of the file ``path``; empty if there is none that can be read."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    if path.startswith(_installed()):
        return f"{status.st_size}:{status.st_mtime_ns}"
    return _of_content(path, status.st_size, status.st_mtime_ns, status.st_ino)


def is_current(digests: Mapping[str, str]) -> bool:
    """Whether all of ``digests`` are as they would be made now."""
    return all(digest(path) == value for path, value in digests.items())


def of_bytes(data: bytes) -> str:
    """What tells two contents apart."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@functools.lru_cache(maxsize=10_000)
def _of_content(path: str, size: int, modified: int, inode: int) -> str:
    try:
        with open(path, "rb") as file:
            return of_bytes(file.read())
    except OSError:
        return ""


@functools.cache
def _installed() -> tuple[str, ...]:
    keys = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(os.path.realpath(sysconfig.get_path(key)) + os.sep for key in keys)
