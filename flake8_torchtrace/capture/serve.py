"""The keeper in a process of its own: ``python -m flake8_torchtrace.capture.serve``, started and spoken to by the pytest plugin.

The standard input has the wishes in JSON, on one line; its end is the end of the keeper. The standard output has one line: a mistake
in the settings, or nothing.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from typing import Any

from flake8_torchtrace.pyproject import ConfigError
from flake8_torchtrace.report.content import Level
from flake8_torchtrace.usage import UsageError

from .host import Wishes, prepare, report
from .service import Service


def main() -> None:
    """Serve until the standard input ends."""
    wanted: dict[str, Any] = json.loads(sys.stdin.readline())
    try:
        keeper = prepare((), Wishes(tuple(wanted["packages"]), wanted["calls"], wanted["workers"]))
    except (UsageError, ConfigError, OSError) as error:
        print(error, flush=True)
        return
    print(flush=True)

    def answer(message: dict[str, Any]) -> dict[str, Any]:
        if message["op"] != "report":
            return keeper.answer(message)
        made = report(keeper, Level(message["fail_on"]) if message["fail_on"] else None)
        return {"lines": made.lines, "fails": made.fails}

    Service(answer, socket.socket(fileno=wanted["listener"]))
    sys.stdin.read()


if __name__ == "__main__":
    main()
    threading._shutdown = lambda: None  # type: ignore[attr-defined]  # its threads wait for questions that nobody asks any more
