"""Answers questions across the files of a project, each once, and writes down what every answer rests on."""

from __future__ import annotations

import json
from collections.abc import Callable

from flake8_torchtrace.source.entries import enter
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.index import evaluate
from flake8_torchtrace.source.index.asking import IndexProject
from flake8_torchtrace.source.index.loaded import Loaded, Shelf
from flake8_torchtrace.source.index.modules import Modules
from flake8_torchtrace.source.index.portable import Json
from flake8_torchtrace.source.index.questions import question
from flake8_torchtrace.source.index.store import Record, Store
from flake8_torchtrace.source.project import OuterCall
from flake8_torchtrace.source.scope import BudgetError

_DEEPEST = 30
_MOST_EXACT = 16
_OF_FILE = ('["where",', '["member",', '["shape",', '["alias",')

Read = Callable[[str], tuple[str, bytes, bool] | None]


class World:
    """``dirty``: the stored answers that may be wrong, None if there are none stored; ``changed``: the modules whose files are not what they
    were when the stored answers were found."""

    def __init__(self, modules: Modules, read: Read, store: Store, methods: tuple[str, ...], dirty: set[str] | None, changed: set[str]) -> None:
        self._modules = modules
        self._store = store
        self._methods = methods
        self._dirty = dirty
        self._changed_modules = changed
        self._shelf = Shelf(read, lambda module: LiveProject(self, modules, module))
        self._values: dict[str, Json] = {}
        self._running: set[str] = set()
        self._changed: set[str] = set()
        self._stack: list[Record] = []
        self._of_files: dict[str, dict[str, None]] = {}
        self._forms: dict[str, set[str]] = {}
        self._depth = 0
        self._put_off: list[str] = []

    # -- asking --------------------------------------------------------------------------------------------------------------

    def note(self, project: LiveProject, text: str, call: OuterCall | None) -> None:
        """``project`` asks ``text``: whatever is found for its file rests on the answer."""
        is_traced = call is not None and call.is_traced
        if not self._stack or text.startswith(_OF_FILE) or (project.it.muted and not is_traced):
            self._note_for_file(project.module, text)
            return
        record = self._stack[-1]
        record.asked[text] = None
        if call is not None and is_traced and text not in record.reached:
            record.reached[text] = (call.frame.chain, call.frame.owner)

    def _note_for_file(self, module: str, text: str) -> None:
        known = self._of_files.setdefault(module, {})
        if text not in known:
            known[text] = None
            self._store.add_asked(question("file", module), [text])

    def choose(self, function: str, forms: list[str]) -> str:
        """The form to ask: the exact one until a function has been asked about in `_MOST_EXACT` ways, then the simplified one, then the last."""
        known = self._forms.setdefault(function, set())
        for form, most in zip(forms, (_MOST_EXACT, 2 * _MOST_EXACT), strict=False):
            if form in known or len(known) < most or form is forms[-1]:
                known.add(form)
                return form
        return forms[-1]

    def answer(self, text: str) -> Json:
        """The answer to a question; None also where it is being looked for already (recursion)."""
        if text not in self._values:
            if text in self._running:
                return None
            if self._depth >= _DEEPEST and text.startswith('["call"'):
                self._put_off.append(text)
                return None
            self._settle(text)
        return self._values[text]

    def finish(self) -> None:
        """Answer what was put off because it lay too deep."""
        while self._put_off:
            self.answer(self._put_off.pop())

    # -- finding -------------------------------------------------------------------------------------------------------------

    def _settle(self, text: str) -> None:
        self._running.add(text)
        try:
            old = self._stored(text)
            if old is not None:
                if (self._dirty is not None and text not in self._dirty) or self._is_valid(text, old):
                    self._values[text] = old.value
                    return
            self._find(text, old)
        finally:
            self._running.discard(text)

    def _stored(self, text: str) -> Record | None:
        if self._dirty is None:
            return None
        if text in self._dirty:
            return self._store.load(text)
        found = self._store.value(text)
        return None if found is None else Record("", found[0])

    def _is_valid(self, text: str, old: Record) -> bool:
        if old.module in self._changed_modules or text.startswith('["where",'):
            return False
        return not any(self._is_changed(child) for child in old.asked)

    def _is_changed(self, text: str) -> bool:
        self.answer(text)
        return text in self._changed

    def _find(self, text: str, old: Record | None) -> None:
        parts = json.loads(text)
        kind = parts[0]
        record = Record("" if kind == "where" else parts[1])
        self._stack.append(record)
        self._depth += 1
        try:
            record.value = self._evaluate(kind, parts, text)
        except (RecursionError, BudgetError):
            record.value = None
        finally:
            self._depth -= 1
            self._stack.pop()
        if kind not in ("where", "file"):
            record.asked[question("file", record.module)] = None
        self._values[text] = record.value
        if old is None or old.value != record.value or kind == "file":
            self._changed.add(text)
        self._store.save(text, record)
        if kind == "file":
            self._store.add_asked(text, self._of_files.get(record.module, ()))

    def _evaluate(self, kind: str, parts: Json, text: str) -> Json:
        if kind == "where":
            found = self._modules.locate(parts[1], parts[2])
            return None if found is None else list(found)
        if kind == "file":
            return None
        self.answer(question("file", parts[1]))
        if kind == "member":
            outline = self._shelf.outline(parts[1])
            if outline is None or parts[2] not in outline.valued:
                return None if outline is None else outline.member(parts[2])
        loaded = self._shelf.get(parts[1])
        if loaded is None:
            return None
        return self._in_file(loaded, kind, parts[2:], text)

    def _in_file(self, loaded: Loaded, kind: str, rest: Json, text: str) -> Json:
        if kind == "member":
            return evaluate.member(loaded, rest[0])
        if kind == "shape":
            return evaluate.shape(loaded, rest[0])
        if kind == "alias":
            return evaluate.alias(loaded, rest[0])
        if kind == "stored":
            return evaluate.stored(loaded, rest[0], rest[1])
        if kind == "root":
            return evaluate.roots(loaded, self._methods)
        if kind == "wraps":
            return evaluate.wraps(loaded.it, loaded.project, *rest)
        if kind == "wrapper":
            enter(loaded.it, loaded.project.decode_entry(text, Frame(None, {}, (), None)))
            return None
        return evaluate.called(loaded.it, loaded.project, text)


class LiveProject(IndexProject):
    """Answers are computed when they are asked for."""

    def __init__(self, world: World, modules: Modules, module: str) -> None:
        super().__init__(modules, module)
        self._world = world

    def ask(self, text: str) -> Json:
        self._world.note(self, text, None)
        return self._world.answer(text)

    def choose(self, function: str, forms: list[str]) -> str:
        return self._world.choose(function, forms)

    def ask_call(self, text: str, call: OuterCall) -> Json:
        self._world.note(self, text, call)
        return self._world.answer(text)
