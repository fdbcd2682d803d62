"""What a child does: import, build, run once, answer in plain data. The only place where user code runs."""

from __future__ import annotations

import contextlib
import os
import sysconfig
from collections.abc import Callable
from typing import Any

from ..inputs import build, conventions, recipes, variants
from ..inputs.importing import dotted_name, project_root
from ..inputs.mistakes import InputsError, describe
from ..inputs.returned import Built

Spec = dict[str, Any]
Reply = dict[str, Any]


def done(spec: Spec) -> Reply:
    """Do what ``spec`` says; never raises. ``{"ok": True, "value": ...}`` or ``{"ok": False, "reason": sentence}``.

    ``again`` in a reply: it takes a new process.
    """
    try:
        return {"ok": True, "value": _DEEDS[spec["do"]](spec)}
    except InputsError as error:
        return {"ok": False, "reason": str(error)}
    except BaseException as error:
        again = {"again": True} if getattr(error, "takes_new_process", False) else {}
        return {"ok": False, "reason": f"the verification itself failed ({spec['do']}): {describe(error)}", **again}


def _self_check(spec: Spec) -> Any:
    from .. import tracing

    return tracing.self_check()


def _list_recipes(spec: Spec) -> Any:
    return [recipe.to_dict() for recipe in recipes.list_recipes(spec["path"])]


def _list_examples(spec: Spec) -> Any:
    return build.example_classes(spec["path"], spec["owners"])


def _list_conventions(spec: Spec) -> Any:
    return conventions.convention_classes(spec["path"], spec["candidates"], spec["owners"])


def _synthesise(spec: Spec) -> Any:
    from ..inputs.synthesis.entry import synthesise

    return synthesise(spec["path"], spec["class"], spec["seconds"]).to_dict()


def _further(spec: Spec) -> Any:
    from ..inputs.synthesis.entry import further

    return further(spec["path"], spec["class"], spec["draft"], spec["missing"], spec["seconds"])


def _run_eager(spec: Spec) -> Any:
    from .. import tracing

    built = _build(spec["unit"])
    result = tracing.run_eager(built.module, built.args, built.kwargs, watcher(spec["unit"]))
    asked = built.dynamic_shapes is not None
    return {**result, "name": built.name, "files": recipes.source_files(built.module), "dynamic_shapes": asked, "sets": built.sets}


def _run_target(spec: Spec) -> Any:
    if spec.get("around"):
        return _run_around(spec)
    return _traced(spec)


def _run_around(spec: Spec) -> Any:
    """As without ``around``, passing by those places; with ``in_place`` the code is imported already."""
    from .. import tracing

    with contextlib.ExitStack() as undo:
        if spec.get("in_place"):
            undo.enter_context(tracing.stepping_around(spec["around"]))
        else:
            tracing.step_around(spec["around"])
        first = _build(spec["unit"])
        problem = tracing.remember(first.module, first.args, first.kwargs)
        if problem is not None:
            raise RuntimeError(problem)
        return _traced(spec)


def _traced(spec: Spec) -> Any:
    from .. import tracing

    built = _build(spec["unit"])
    return tracing.run_target(spec["target"], built.module, built.args, built.kwargs, watcher(spec["unit"]))


def _run_account(spec: Spec) -> Any:
    from .. import tracing

    def build() -> tuple[Any, Any, Any]:
        built = _build(spec["unit"])
        return built.module, built.args, built.kwargs

    return tracing.account(build, watcher(spec["unit"]))


def _run_repeat(spec: Spec) -> Any:
    from .. import tracing

    built = _build(spec["unit"])
    others = [variants.applied(built, {"batch": size}) for size in spec["batches"]]
    calls = [(item.args, item.kwargs) for item in (*[built] * spec["calls"], *others)]
    return tracing.repeat(built.module, calls, watcher(spec["unit"]), spec["fullgraph"])


def _run_dynamic(spec: Spec) -> Any:
    """What becomes of sizes that vary: with those that the inputs declare, or with all that there are."""
    from ..tracing import dynamic

    def make() -> tuple[Any, Any, Any]:
        built = _build(spec["unit"])
        return built.module, built.args, built.kwargs

    dims = dynamic.spec_of(_build(spec["unit"]).dynamic_shapes) if spec["declared"] else None
    return dynamic.run(spec["target"], make, watcher(spec["unit"]), dims)


def _describe(spec: Spec) -> Any:
    from .. import tracing
    from ..tracing import dynamic

    built = _build(spec["unit"])
    return tracing.described(built.module, built.args, built.kwargs, dynamic.spec_of(built.dynamic_shapes))


def _run_replay(spec: Spec) -> Any:
    from ..inputs.synthesis import sandbox
    from ..tracing.replay import replay

    def make() -> tuple[Any, Any, Any]:
        built = _build(spec["unit"])
        return built.module, built.args, built.kwargs

    if not spec["targets"]:
        return {"faults": {}, "problems": {}}
    with sandbox.paused("os.fork", "os.kill"):  # the experiments are forks of this process
        return replay(spec["targets"], make, watcher(spec["unit"]), spec["executed"], spec["traced"])


def _save(spec: Spec) -> Any:
    from .. import tracing
    from ..inputs.synthesis import sandbox
    from ..tracing import dynamic

    def make() -> tuple[Any, Any, Any]:
        built = _build(spec["unit"])
        return built.module, built.args, built.kwargs

    dims = dynamic.spec_of(_build(spec["unit"]).dynamic_shapes)
    with sandbox.paused("os.fork", "os.kill"):  # one of the two is done in a fork of this process
        found, archive, call = tracing.save(make, dims)
    with sandbox.paused():
        for name, data in (("archive", archive), ("call", call)):
            with open(spec[name], "wb") as file:
                file.write(data)
    return found


def _load(spec: Spec) -> Any:
    from .. import tracing

    return tracing.load(spec["archive"], spec["call"], spec["blocked"])


_DEEDS: dict[str, Callable[[Spec], Any]] = {
    "self-check": _self_check,
    "list-recipes": _list_recipes,
    "list-examples": _list_examples,
    "list-conventions": _list_conventions,
    "synthesise": _synthesise,
    "further": _further,
    "eager": _run_eager,
    "target": _run_target,
    "account": _run_account,
    "repeat": _run_repeat,
    "dynamic": _run_dynamic,
    "describe": _describe,
    "replay": _run_replay,
    "save": _save,
    "load": _load,
}


_ready: list[tuple[dict[str, Any], Built | InputsError]] = []


def hold(unit: dict[str, Any]) -> None:
    """Build ``unit`` now, for the next deed that asks for it. What goes wrong is told there."""
    _ready.clear()
    try:
        _ready.append((unit, _build(unit)))
    except InputsError as error:
        _ready.append((unit, error))


def let_go() -> None:
    """Build anew for the next deed."""
    _ready.clear()


def _build(unit: dict[str, Any]) -> Built:
    if _ready and _ready[0][0] == unit:
        held = _ready.pop()[1]
        if isinstance(held, InputsError):
            raise held
        return held
    built = _as_given(unit)
    return variants.applied(built, unit["variant"]) if "variant" in unit else built


def _as_given(unit: dict[str, Any]) -> Built:
    which = int(unit.get("set", 0))
    if unit["kind"] == "make":
        return build.build_from_make(unit["path"], which)
    if unit["kind"] == "examples":
        return build.build_from_examples(unit["path"], unit["class"])
    if unit["kind"] == "convention":
        return conventions.build_from_convention(unit["path"], unit["class"])
    if unit["kind"] == "synthesised":
        from ..inputs.synthesis import sandbox

        sandbox.close()
        return build.build_from_source(unit["path"], unit["source"], f"synthesised inputs for {unit['class']}")
    return recipes.build_from_recipe(unit["path"], unit["key"], which)


def watcher(unit: dict[str, Any]) -> Callable[[str], bool]:
    """Which files, by real path, a run keeps lines of: the one under test; for a recipe, which serves many, all but torch's.

    ``around`` in a unit is a file: then those of its package and of the project.
    """
    if "around" in unit:
        return _own_files(unit["around"])
    if unit["kind"] != "recipe":
        return lambda path: path == unit["path"]
    import torch

    torch_folder = os.path.dirname(os.path.realpath(torch.__file__ or "torch")) + os.sep
    standard_library = os.path.realpath(sysconfig.get_path("stdlib")) + os.sep
    installed = tuple(os.path.realpath(sysconfig.get_path(key)) + os.sep for key in ("purelib", "platlib"))

    def is_watched(path: str) -> bool:
        if path.startswith(torch_folder):
            return False
        return path.startswith(installed) or not path.startswith(standard_library)

    return is_watched


def _own_files(path: str) -> Callable[[str], bool]:
    root, name = dotted_name(path)
    own = os.path.join(root, name.partition(".")[0])
    projects = tuple(os.path.realpath(folder) + os.sep for folder in (os.getcwd(), project_root(path)) if folder)

    def is_own(other: str) -> bool:
        if other == path or other.startswith(own + os.sep):
            return True
        return other.startswith(projects) and not any(folder in other for folder in ("site-packages", "dist-packages"))

    return is_own
