"""The recording inside the user's program: which calls are looked at, and what is done at one."""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
import time
from collections.abc import Iterable
from types import CodeType, FrameType, FunctionType
from typing import Any

from .calls import Live, arguments, is_being_traced, is_timed, is_without_data, kind, live, why_not
from .classes import Classes
from .compiled import Compiled
from .imports import AfterImport
from .own import Own
from .prelude import NoPreludeError
from .settings import Link, Recording
from .watching import Watching, watching

_MOST_LOOKS = 500
_TORCH = "torch."
_Owner = tuple[str, str]
"""File and qualified name of a class or function with findings."""


class Program:
    """Watches the program it lives in from `begin` to `end`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._process = os.getpid()
        self._started = time.time()
        self._is_over = False
        self._busy = threading.Lock()
        self._flagged: dict[str, dict[str, list[str]]] = {}
        self._kinds: dict[_Owner, set[str]] = {}
        self._closed: set[_Owner] = set()
        self._wanting: dict[int, list[type]] = {}
        self._looks: dict[int, int] = {}
        self._imports = AfterImport()
        self._classes = Classes(self._on_class)
        self._compiled = Compiled(self._on_compiled, self._on_no_longer_compiled)
        self._watching: Watching | None = None

    @functools.cached_property
    def _recording(self) -> Recording:
        return self._link.recording()

    @functools.cached_property
    def _own(self) -> Own:
        return Own(self._recording.root, self._recording.packages)

    def begin(self) -> None:
        """Watch the modules there are and those to come."""
        try:
            self._watching = watching(self._on_call)
        except NoPreludeError as error:
            self._trouble(f"calls cannot be watched: {error}")
            return
        self._imports.do("torch.nn.modules.module", self._classes.begin)
        self._imports.do("torch._dynamo.eval_frame", self._compiled.begin)

    def end(self) -> None:
        """Leave the program as it was."""
        self._is_over = True
        for part in (self._imports, self._classes, self._compiled, self._watching):
            if part is not None:
                part.end()

    def _on_class(self, cls: type) -> None:
        if self._is_over or os.getpid() != self._process or cls.__module__.startswith(_TORCH):
            return
        try:
            if self._own.file_of(cls) is not None:
                for name in self._recording.entries:
                    self._watch(cls, name)
        except (OSError, EOFError):
            self._is_over = True

    def _watch(self, cls: type, name: str) -> None:
        function = getattr(cls, name, None)
        if self._watching is None or not isinstance(function, FunctionType) or function.__module__.startswith(_TORCH):
            return
        try:
            code = self._watching.watch(function)
        except NoPreludeError as error:
            self._trouble(f"{cls.__qualname__}.{name} cannot be watched: {error}")
            return
        self._wanting.setdefault(id(code), []).append(cls)

    def _on_call(self, code: CodeType, frame: FrameType) -> None:
        if self._is_over or os.getpid() != self._process or self._compiled.is_on or not self._busy.acquire(blocking=False):
            return
        try:
            self._called(code, frame)
        except Exception as error:
            self._trouble(f"a call of {code.co_name} was not looked at: {type(error).__name__}: {error}")
        finally:
            self._busy.release()

    def _called(self, code: CodeType, frame: FrameType) -> None:
        looks = self._looks[id(code)] = self._looks.get(id(code), 0) + 1
        if looks > _MOST_LOOKS or not self._is_wanted(code):
            self._forget(code)
            return
        args, kwargs = arguments(frame)
        if not args or is_being_traced():
            return
        owner = self._owner(type(args[0]), code.co_name)
        if owner is not None:
            call = live(frame, args, kwargs)
            self._consider(owner, call, why_not(code))

    def _is_wanted(self, code: CodeType) -> bool:
        """Whether any class that uses the function has findings, and calls to be verified."""
        wanting = self._wanting.get(id(code), [])
        owners = [owner for cls in list(wanting) for owner in self._owners(cls)]
        return any(owner not in self._closed for owner in owners)

    def _forget(self, code: CodeType) -> None:
        if self._watching is not None:
            self._watching.forget(code)

    def _owner(self, cls: type, entry: str) -> _Owner | None:
        """The class with findings, the nearest base first, that a call of a ``cls`` is one of."""
        found = [owner for base in cls.__mro__ for owner in self._owners(base)]
        open_ones = [owner for owner in found if owner not in self._closed]
        exact = [owner for owner in open_ones if entry in self._flagged[owner[0]][owner[1]]]
        return next(iter([*exact, *open_ones]), None)

    def _owners(self, cls: type) -> list[_Owner]:
        """``cls`` if it has findings."""
        path = self._own.file_of(cls)
        if path is None:
            return []
        name = cls.__qualname__
        entries = self._findings(path).get(name)
        if entries is None:
            return []
        for entry in set(entries) - set(self._recording.entries):
            self._watch(cls, entry)
        return [(path, name)]

    def _findings(self, path: str) -> dict[str, list[str]]:
        if path not in self._flagged:
            self._flagged[path] = self._link.ask({"op": "flagged", "path": path})["owners"]
        return self._flagged[path]

    def _consider(self, owner: _Owner, call: Live, why: str | None) -> None:
        if is_timed() or is_without_data(call):
            return
        alike = kind(call)
        known = self._kinds.setdefault(owner, set())
        if alike in known:
            return
        known.add(alike)
        answer = self._link.ask({"op": "claim", "path": owner[0], "owner": owner[1], "kind": alike})
        if answer["is_full"]:
            self._closed.add(owner)
        if answer["is_granted"]:
            result = {"reason": why} if why is not None else self._verified(call)
            told = {"path": owner[0], "owner": owner[1], "kind": alike, "label": _label(), "name": call.name, "result": result}
            self._link.ask({"op": "result", **told})

    def _verified(self, call: Live) -> dict[str, Any]:
        from .experiment import Plan, experiment
        from .forking import aside

        recording = self._recording
        plan = Plan(recording.targets, recording.timeout, recording.jobs, self._own.has)

        def work(private: int) -> bytes:
            self.end()
            return experiment(call, plan, private)

        limit = recording.timeout * (len(recording.targets) + 1)
        start = time.perf_counter()
        found = aside(work, limit)
        result: dict[str, Any] = json.loads(found) if found else {"reason": f"its verification gave no answer within {limit:g} s"}
        return {**result, "seconds": time.perf_counter() - start, "started": self._started, **_of_torch()}

    def _on_compiled(self, call: Live | None) -> None:
        """A thread begins to run compiled."""
        if self._watching is not None:
            self._watching.pause()
        if call is None or self._is_over or os.getpid() != self._process or not self._busy.acquire(blocking=False):
            return
        try:
            if not is_being_traced():
                owner = next((owner for owner in self._inside(call) if owner not in self._closed), None)
                if owner is not None:
                    self._consider(owner, call, why_not(getattr(call.module, "__code__", _call_code())))
        except Exception as error:
            self._trouble(f"a compiled call of {call.name} was not looked at: {type(error).__name__}: {error}")
        finally:
            self._busy.release()

    def _on_no_longer_compiled(self) -> None:
        if self._watching is not None:
            self._watching.resume()

    def _inside(self, call: Live) -> Iterable[_Owner]:
        """Functions and classes with findings that a compiled call may get to."""
        if isinstance(call.module, FunctionType):
            from ..tracing.paths import real_path

            path = real_path(call.module.__code__.co_filename)
            name = call.module.__name__
            if self._own.has(path) and name in self._findings(path):
                yield path, name
        for module in _modules(call):
            for part in module.modules():
                for base in type(part).__mro__:
                    yield from self._owners(base)

    def _trouble(self, text: str) -> None:
        try:
            self._link.ask({"op": "trouble", "text": text})
        except (OSError, EOFError):  # no keeper any more: nothing is recorded
            self._is_over = True


def _modules(call: Live) -> list[Any]:
    """The modules that a function works with: its arguments, what it closes over, and globals it names."""
    import torch

    found = [call.module, *call.args, *call.kwargs.values()]
    if isinstance(call.module, FunctionType):
        for cell in call.module.__closure__ or ():
            try:
                found.append(cell.cell_contents)
            except ValueError:  # not filled yet
                continue
        found += [call.module.__globals__.get(name) for name in call.module.__code__.co_names]
    return [item for item in found if isinstance(item, torch.nn.Module)]


def _of_torch() -> dict[str, str]:
    import torch

    return {"torch": str(torch.__version__).partition("+")[0], "torch_folder": os.path.dirname(os.path.realpath(torch.__file__))}


def _call_code() -> CodeType:
    return _call_code.__code__


def _label() -> str:
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    if test:
        return f"call in {test}"
    return f"call in {' '.join([os.path.basename(sys.argv[0] if sys.argv else 'python'), *sys.argv[1:]])}"
