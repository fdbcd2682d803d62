"""The Python files of a project."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_IGNORED = frozenset({"venv", "env", "site-packages", "node_modules", "__pycache__", "build", "dist"})


@dataclass(frozen=True)
class SourceFile:
    """A file. ``path`` is relative to the project, with slashes; ``name`` the dotted name under which it is imported; ``modified`` in ns."""

    path: str
    name: str
    is_package: bool
    size: int
    modified: int


def source_files(root: str) -> list[SourceFile]:
    """The Python files under the directory ``root``, by path. Hidden folders, environments and build output are left out."""
    return sorted(_walk(root, "", _packages_above(root)), key=lambda file: file.path)


def _packages_above(root: str) -> str:
    """The dotted name of ``root`` itself if it lies in a package, else empty."""
    names: list[str] = []
    folder = Path(root)
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names)


def _walk(root: str, inside: str, package: str) -> Iterator[SourceFile]:
    try:
        entries = list(os.scandir(os.path.join(root, inside)))
    except OSError:
        return
    for entry in entries:
        if not _is_text(entry.name):  # no import can name it, nor can SQLite
            continue
        path = f"{inside}/{entry.name}" if inside else entry.name
        try:
            if entry.is_dir():
                if not entry.is_symlink() and not _is_ignored(entry):
                    is_package = os.path.isfile(os.path.join(entry.path, "__init__.py"))
                    name = f"{package}.{entry.name}" if package else entry.name
                    yield from _walk(root, path, name if is_package else "")
            elif entry.name.endswith(".py") and entry.is_file():  # reading a pipe would wait for ever
                yield _source_file(entry, path, package)
        except OSError:
            continue


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_ignored(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith("."):
        return True
    if os.path.isfile(os.path.join(entry.path, "pyvenv.cfg")):
        return True
    return entry.name in _IGNORED and not os.path.isfile(os.path.join(entry.path, "__init__.py"))


def _source_file(entry: os.DirEntry[str], path: str, package: str) -> SourceFile:
    status = entry.stat()
    is_package = entry.name == "__init__.py"
    stem = entry.name.removesuffix(".py")
    name = package if is_package else f"{package}.{stem}" if package else stem
    return SourceFile(path, name, is_package, status.st_size, status.st_mtime_ns)


def content_hash(data: bytes) -> str:
    """What tells two contents apart."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
