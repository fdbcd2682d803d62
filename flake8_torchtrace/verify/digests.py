"""What tells the contents of files apart: of a project by what is in them, of installed packages by size and time."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import sysconfig
from collections.abc import Mapping

_BETWEEN = ":"


def digest(path: str) -> str:
    """A text that changes with the contents of the file ``path``; empty if there is none that can be read."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    if path.startswith((*of_python(), *of_packages())):
        return _of_status(status)
    return _of_content(path, status.st_size, status.st_mtime_ns, status.st_ino)


def is_current(digests: Mapping[str, str]) -> bool:
    """Whether all of ``digests`` are as they would be made now."""
    return all(_now(path, value) == value for path, value in digests.items())


def _now(path: str, before: str) -> str:
    """What is in the place of ``before``, told as that was: another interpreter has other folders of installed packages."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    if _BETWEEN in before:
        return _of_status(status)
    return _of_content(path, status.st_size, status.st_mtime_ns, status.st_ino)


def of_bytes(data: bytes) -> str:
    """What tells two contents apart."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _of_status(status: os.stat_result) -> str:
    return f"{status.st_size}{_BETWEEN}{status.st_mtime_ns}"


@functools.lru_cache(maxsize=10_000)
def _of_content(path: str, size: int, modified: int, inode: int) -> str:
    try:
        with open(path, "rb") as file:
            return of_bytes(file.read())
    except OSError:
        return ""


@functools.cache
def of_python() -> tuple[str, ...]:
    """The folders of the standard library, each with a separator at its end."""
    return tuple(os.path.realpath(sysconfig.get_path(key)) + os.sep for key in ("stdlib", "platstdlib"))


@functools.cache
def of_packages() -> tuple[str, ...]:
    """The folders of installed packages, each with a separator at its end."""
    folders = [sysconfig.get_path(key) for key in ("purelib", "platlib")]
    folders += [entry for entry in sys.path if isinstance(entry, str) and os.path.basename(entry) in ("site-packages", "dist-packages")]
    return tuple(sorted({os.path.realpath(folder) + os.sep for folder in folders}))
