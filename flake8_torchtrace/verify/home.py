"""The private directory of a session: settings, the server's socket and log, the lock that says flake8 is alive."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass, field

from ..model import Target
from .locks import hold_for_life

_VARIABLE = "TORCHTRACE_SESSION"
_LONGEST_SOCKET_DIRECTORY = 80  # the path of a socket may have 104 bytes on macOS, 108 on Linux


def usable_cores() -> int:
    """How many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


@dataclass(frozen=True)
class VerifySettings:
    """``timeout``: seconds per target. ``recipes``: path of the recipes file. ``jobs``: children at once.

    ``store``: the folder in which answers are kept, if any. ``dynamic``: whether sizes that nobody declared are left open too.
    ``replay``: whether the programs of accepted exports are compared with their modules.
    ``inputs``: where they may come from, the first choice first (`config.INPUTS`).
    """

    targets: tuple[Target, ...] = tuple(Target)
    timeout: float = 60.0
    recipes: str | None = None
    python: str = sys.executable
    jobs: int = field(default_factory=usable_cores)
    store: str | None = None
    dynamic: bool = False
    replay: bool = False
    inputs: tuple[str, ...] = ("recipe", "recorded")


@dataclass(frozen=True)
class Home:
    """Where a session lives. ``owner`` is the process that made it."""

    directory: str
    working_directory: str
    owner: int
    settings: VerifySettings

    def path(self, name: str) -> str:
        """A file of the session."""
        return os.path.join(self.directory, name)


def make_home(settings: VerifySettings) -> Home:
    """Make the directory (mode 0700) and name it in the environment for workers. Raises OSError."""
    fits = len(os.fsencode(tempfile.gettempdir())) <= _LONGEST_SOCKET_DIRECTORY
    directory = tempfile.mkdtemp(prefix="torchtrace-", dir=None if fits else os.path.join(os.sep, "tmp"))
    if settings.recipes is not None:
        settings = VerifySettings(**{**vars(settings), "recipes": os.path.realpath(settings.recipes)})
    home = Home(directory, os.getcwd(), os.getpid(), settings)
    with open(home.path("session.json"), "w", encoding="utf-8") as file:
        json.dump(asdict(home), file)
    os.environ[_VARIABLE] = os.pathsep.join([*_named(), directory])
    return home


def hold_home(home: Home) -> int:
    """Show the server that this process lives, for as long as the returned descriptor is open. Raises OSError."""
    descriptor = os.open(home.path("alive"), os.O_WRONLY | os.O_CREAT, 0o600)
    hold_for_life(descriptor)
    return descriptor


def find_homes() -> list[Home]:
    """The sessions that the environment names, in the order in which they were made."""
    found = []
    for directory in _named():
        with contextlib.suppress(OSError):  # a session that is over
            found.append(read_home(directory))
    return found


def find_home() -> Home | None:
    """The session that was made last, or None."""
    return next(reversed(find_homes()), None)


def _named() -> list[str]:
    return [directory for directory in os.environ.get(_VARIABLE, "").split(os.pathsep) if directory]


def read_home(directory: str) -> Home:
    """The session of ``directory``. Raises OSError."""
    with open(os.path.join(directory, "session.json"), encoding="utf-8") as file:
        raw = json.load(file)
    settings = raw.pop("settings")
    targets = tuple(Target(target) for target in settings.pop("targets"))
    inputs = tuple(settings.pop("inputs"))
    return Home(**raw, settings=VerifySettings(targets, **settings, inputs=inputs))


def is_first_to_tell(home: Home, note: str) -> bool:
    """Whether no process of the session said so before: what is of no one file is told with one."""
    name = f"told-{hashlib.sha256(note.encode(errors='surrogatepass')).hexdigest()[:32]}"
    try:
        os.close(os.open(home.path(name), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError:  # better twice than never
        return True
    return True


def forget_home(home: Home) -> None:
    """Take the session out of the environment."""
    left = [directory for directory in _named() if directory != home.directory]
    if left:
        os.environ[_VARIABLE] = os.pathsep.join(left)
    else:
        os.environ.pop(_VARIABLE, None)
