"""Brings the index of a project up to date."""

from __future__ import annotations

import gc
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flake8_torchtrace import __version__
from flake8_torchtrace.folder import NAME, make
from flake8_torchtrace.source.gate import may_be_traced
from flake8_torchtrace.source.index.lock import locked
from flake8_torchtrace.source.index.modules import Modules
from flake8_torchtrace.source.index.questions import question
from flake8_torchtrace.source.index.reach import write_entries
from flake8_torchtrace.source.index.scan import SourceFile, content_hash, source_files
from flake8_torchtrace.source.index.store import SCHEMA, TABLES, Store
from flake8_torchtrace.source.index.world import World

FOLDER = NAME
_STEM = "index"
_SETTLED = 2_000_000_000
_RECURSION = 12_000
_GARBAGE = 10_000


@dataclass(frozen=True)
class Known:
    """What an index file says of itself: its header and the files it was made from, by path."""

    meta: dict[str, str]
    files: dict[str, tuple[SourceFile, str]]


def update(root: str, methods: tuple[str, ...], folder: str | None = None) -> str:
    """Bring the index of the directory ``root`` up to date and give the path of its file.

    ``methods`` are the entry points besides forward; ``folder`` is where the file lies, ``.torchtrace`` in ``root`` if it is not told.
    Where nothing can be written there the file is a temporary one.

    Raises:
        OSError: no index can be written anywhere.
    """
    own = os.path.join(root, FOLDER)
    folder = folder or own
    stem = _STEM if os.path.realpath(folder) == os.path.realpath(own) else f"tree-{_of_root(root)}"
    try:
        make(folder)
        with locked(os.path.join(folder, f"{stem}.lock")) as is_ours:
            if is_ours:
                return _update_in(root, folder, stem, methods)
    except (OSError, sqlite3.Error):
        pass
    return _update_in(root, tempfile.mkdtemp(prefix="torchtrace-"), stem, methods)


def _of_root(root: str) -> str:
    """Tells the indexes of several directories apart that lie in one folder."""
    return content_hash(os.fsencode(os.path.realpath(root)))[:16]


def _update_in(root: str, folder: str, stem: str, methods: tuple[str, ...]) -> str:
    path = os.path.join(folder, f"{stem}.sqlite3")
    start = time.time_ns()
    files = source_files(root)
    known = read_known(path)
    header = _header(methods, files)
    if known is not None and {key: known.meta.get(key) for key in header} != header:
        known = None
    hashes = _hashes(root, files, known)
    files = [file for file in files if file.path in hashes]
    if known is not None and _is_current(files, hashes, known):
        return path
    try:
        _write(root, path, files, hashes, known, header, methods, start)
    except sqlite3.Error:
        if known is None:
            raise
        _write(root, path, files, hashes, None, header, methods, start)
    return path


def _header(methods: tuple[str, ...], files: list[SourceFile]) -> dict[str, str]:
    modules = Modules((file.path, file.name) for file in files)
    return {
        "schema": str(SCHEMA),
        "version": __version__,
        "python": platform.python_version(),
        "methods": ",".join(methods),
        "tops": ",".join(sorted(modules.tops)),
        "ambiguous": ",".join(modules.ambiguous),
    }


def read_known(path: str) -> Known | None:
    """What the index file at ``path`` was made from; None if there is none that can be believed."""
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.Error:
        return None
    try:
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            return None
        for table in TABLES:
            connection.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        rows = connection.execute("SELECT path, name, is_package, size, modified, hash FROM file")
        files = {row[0]: (SourceFile(row[0], row[1], bool(row[2]), row[3], row[4]), row[5]) for row in rows}
        return Known(meta, files) if meta.get("schema") == str(SCHEMA) else None
    except (sqlite3.Error, TypeError, ValueError):
        return None
    finally:
        connection.close()


def _hashes(root: str, files: list[SourceFile], known: Known | None) -> dict[str, str]:
    """The content hash of every file that can be read; taken from the index where size and time have not changed since well before it."""
    written = int(known.meta.get("written", "0")) if known is not None else 0
    hashes: dict[str, str] = {}
    for file in files:
        old = known.files.get(file.path) if known is not None else None
        if old is not None and old[0] == file and file.modified < written - _SETTLED:
            hashes[file.path] = old[1]
            continue
        content = read_file(root, file.path)
        if content is not None:
            hashes[file.path] = content_hash(content)
    return hashes


def read_file(root: str, path: str) -> bytes | None:
    """The content of a file of the project; None if it cannot be read."""
    try:
        with open(os.path.join(root, path), "rb") as stream:
            return stream.read()
    except OSError:
        return None


def _is_current(files: list[SourceFile], hashes: dict[str, str], known: Known) -> bool:
    return {path: digest for path, (_, digest) in known.files.items()} == hashes and all(
        known.files[file.path][0].name == file.name for file in files
    )


def _write(
    root: str, path: str, files: list[SourceFile], hashes: dict[str, str], known: Known | None, header: dict[str, str],
    methods: tuple[str, ...], start: int,
) -> None:  # fmt: skip
    stem = f"{Path(path).stem}-"
    for left in Path(path).parent.glob(f"{stem}*.tmp"):
        left.unlink()  # of a run that was killed
    descriptor, temporary = tempfile.mkstemp(".tmp", stem, os.path.dirname(path))
    os.close(descriptor)
    try:
        if known is None:
            store = Store.create(temporary)
        else:
            shutil.copyfile(path, temporary)
            store = Store.open(temporary)
        try:
            _fill(root, store, files, hashes, known, methods)
            store.set_meta({**header, "written": str(start)})
            store.set_files((f.path, f.name, int(f.is_package), f.size, f.modified, hashes[f.path]) for f in files)
        except BaseException:
            store.discard()
            raise
        store.close()
        os.chmod(temporary, 0o644)  # as any file of the project, not only for who happens to run first
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _fill(root: str, store: Store, files: list[SourceFile], hashes: dict[str, str], known: Known | None, methods: tuple[str, ...]) -> None:
    modules = Modules((file.path, file.name) for file in files)
    packages = {file.path for file in files if file.is_package}
    names = {file.path: modules.identity(file.path) or "" for file in files}
    changed: set[str] = set()
    dirty: set[str] | None = None
    if known is not None:
        changed = {names[path] for path in hashes if path not in known.files or known.files[path][1] != hashes[path]}
        changed |= {Modules([(p, f.name)]).identity(p) or "" for p, (f, _) in known.files.items() if p not in hashes}
        moved = store.questions_of_kind("where") if set(known.files) != set(hashes) else []
        dirty = store.resting_on(changed, moved)

    def read(module: str) -> tuple[str, bytes, bool] | None:
        if module not in modules:
            return None
        path = modules.path(module)
        content = read_file(root, path)
        return None if content is None else (path, content, path in packages)

    world = World(modules, read, store, methods, dirty, changed)
    with _deep_recursion():
        roots = []
        for file in files:
            text = question("root", names[file.path])
            is_clean = dirty is not None and text not in dirty and names[file.path] not in changed
            if store.value(text) is not None if is_clean else _may_be_root(root, file, methods):
                world.answer(text)
                roots.append(text)
        world.finish()
    write_entries(store, roots, modules.path)


def _may_be_root(root: str, file: SourceFile, methods: tuple[str, ...]) -> bool:
    content = read_file(root, file.path)
    if content is None:
        return False
    text = content.decode("utf-8", "replace")
    return "\nclass " in text or may_be_traced([text], ("forward", *methods), False)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """The analysis of a call runs inside that of its caller, across all files."""
    before, thresholds = sys.getrecursionlimit(), gc.get_threshold()
    sys.setrecursionlimit(max(before, _RECURSION))
    gc.set_threshold(_GARBAGE, *thresholds[1:])
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        gc.set_threshold(*thresholds)
