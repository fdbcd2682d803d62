"""Runs snippets under tracers in an interpreter of its own, each in a fresh fork. ``tracing_support`` starts it.

``python -I run_snippets.py TRACING_DIRECTORY < jobs.json > results.json``. The package under test is loaded from its
directory, as it is where flake8-torchtrace is not installed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any


def load(name: str, path: Path, folder: Path | None = None) -> Any:
    """The module in ``path``, as the package in ``folder`` if one is given."""
    places = None if folder is None else [str(folder)]
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=places)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run(tracing: Any, job: dict[str, Any]) -> Any:
    """One job in this process."""
    import torch

    path = os.path.realpath(job["path"])
    if job["target"] == "script":
        return load("script", Path(path)).check(tracing)
    if job["library"]:
        load("library", Path(job["library"]))
    module, args, kwargs = load("snippet", Path(path)).make()
    watched = path.__eq__
    with torch.no_grad() if job["no_grad"] else contextlib.nullcontext():
        if job["target"] == "eager":
            result = tracing.run_eager(module, args, kwargs, watched)
        else:
            result = tracing.run_target(job["target"], module, args, kwargs, watched)
    return {**result, "training": getattr(module, "training", None)}


def in_fork(tracing: Any, job: dict[str, Any]) -> Any:
    """The result of a job run in a forked child whose output goes nowhere."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        try:
            result = run(tracing, job)
        except BaseException:
            result = {"failed": traceback.format_exc()}
        with os.fdopen(write, "w") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"failed": "the child ended without a result"}


def main() -> None:
    """Read jobs, write results in the same order."""
    jobs = json.load(sys.stdin)
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    folder = Path(sys.argv[1])
    tracing = load("standing_alone", folder / "__init__.py", folder)
    late = "torch" not in sys.modules
    tracing.prewarm()
    import torch

    results = [in_fork(tracing, job) for job in jobs]
    alone = not any(name.split(".")[0] == "flake8_torchtrace" for name in sys.modules)
    about = {"torch": str(torch.__version__), "alone": alone, "late": late, "threads": torch.get_num_threads()}
    json.dump({**about, "results": results}, answer)
    answer.close()


if __name__ == "__main__":
    main()
