"""Runs all snippets once for a test session and gives out the results."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import pytest
from snippet import TARGETS, Snippet
from snippets_of_breaks import BREAKS
from snippets_of_runs import RUNS

SNIPPETS = (*BREAKS, *RUNS)
BY_NAME = {snippet.name: snippet for snippet in SNIPPETS}
TRACING = Path(__file__).resolve().parents[2] / "flake8_torchtrace" / "tracing"

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

_EXPECTED = re.compile(r"(?P<targets>[a-z*, -]+): (?P<family>[a-z-]+)")

# each defines check(tracing), whose value comes back as the result
SCRIPTS = {
    "self-check": "def check(tracing): return tracing.self_check()",
    "splits renamed": """
        from dataclasses import dataclass
        from torch._dynamo import output_graph, symbolic_convert

        @dataclass
        class Renamed:
            reason: str
            user_stack: list
            graph_break: bool = True

        def check(tracing):
            output_graph.GraphCompileReason = symbolic_convert.GraphCompileReason = Renamed
            return tracing.self_check()
        """,
    "compile gone": """
        import torch

        def check(tracing):
            torch.compile = None
            return tracing.self_check()
        """,
    "measuring spared": """
        import torch
        import torch._dynamo.guards as guards

        def check(tracing):
            measured = []
            original = guards.profile_guard_manager
            guards.profile_guard_manager = lambda *args: measured.append(args) or original(*args)
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
            before = len(measured)
            tracing.spare_measuring()
            torch.compile(lambda x: x + 2, backend="eager")(torch.ones(2))
            return before, len(measured), tracing.self_check()
        """,
    "seams restored": """
        import torch
        from torch._dynamo import bytecode_transformation, convert_frame, exc, output_graph, symbolic_convert

        def seams():
            return [
                output_graph.GraphCompileReason.__post_init__,
                convert_frame._compile,
                exc.Unsupported.__init__,
                exc.UserError.__init__,
                "__init__" in vars(exc.SkipFrame),
                symbolic_convert.InstructionTranslatorBase.step,
                bytecode_transformation.linetable_311_writer,
            ]

        def check(tracing):
            before = seams()
            for target in ("compile", "export-strict"):
                tracing.run_target(target, torch.nn.ReLU(), (torch.ones(2),), {}, lambda path: False)
            return before == seams()
        """,
    "frames of torch first": """
        import torch

        def check(tracing):
            stacks = __import__(f"{tracing.__name__}.stacks", fromlist=["stacks"])
            module, own = torch.nn.modules.module.__file__, stacks.frame("/project/net.py", 3, "forward")
            inside = stacks.frame(torch.functional.__file__, 4, "relu")
            return [stacks.from_user_code([stacks.frame(module, 2, "_call_impl"), own, inside]), stacks.from_user_code([inside])]
        """,
    "unknown target": """
        import torch

        def check(tracing):
            try:
                tracing.run_target("inductor", torch.nn.ReLU(), (torch.ones(2),), {}, lambda path: False)
            except ValueError as error:
                return str(error)
        """,
}


def _jobs(folder: Path) -> list[dict[str, Any]]:
    jobs = []
    for snippet in SNIPPETS:
        home = folder / snippet.name
        home.mkdir()
        path, library = home / "snippet.py", home / "library.py"
        path.write_text(snippet.source, encoding="utf-8")
        library.write_text(textwrap.dedent(snippet.library), encoding="utf-8")
        files = {"path": str(path), "library": str(library) if snippet.library else None}
        for target in ("eager", *snippet.targets):
            jobs.append({"name": snippet.name, "target": target, "no_grad": snippet.no_grad, **files})
    for name, body in SCRIPTS.items():
        path = folder / f"{name}.py"
        path.write_text(textwrap.dedent(body), encoding="utf-8")
        jobs.append({"name": name, "target": "script", "path": str(path)})
    return jobs


@functools.cache
def session() -> dict[str, Any]:
    """All results by name and target, and what the runner says about itself."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = _jobs(Path(folder))
        runner = Path(__file__).with_name("run_snippets.py")
        done = subprocess.run(
            [sys.executable, "-I", str(runner), str(TRACING)],
            input=json.dumps(jobs),
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        if done.returncode:
            raise AssertionError(f"the runner failed:\n{done.stderr}")
        about: dict[str, Any] = json.loads(done.stdout)
        about["results"] = {
            (job["name"], job["target"]): answer for job, answer in zip(jobs, about["results"], strict=True)
        }
        about["paths"] = {job["name"]: os.path.realpath(job["path"]) for job in jobs}
    return about


def result(name: str, target: str) -> dict[str, Any]:
    """What a snippet gave; skips where the installed torch is not the one the snippets were measured on."""
    version = session()["torch"]
    if not version.startswith("2.13."):
        pytest.skip(f"measured on torch 2.13, installed is {version}")
    answer: dict[str, Any] = script(name, target)
    return answer


def script(name: str, target: str = "script") -> Any:
    """What a script gave, on whatever torch is installed."""
    answer = session()["results"][name, target]
    if isinstance(answer, dict) and "failed" in answer:
        raise AssertionError(answer["failed"])
    return answer


def path(name: str) -> str:
    """The real path the snippet had."""
    return str(session()["paths"][name])


def lines(name: str, found: dict[str, list[int]]) -> list[int]:
    """The lines of the snippet's file; there must be no other file."""
    assert set(found) <= {path(name)}
    return found.get(path(name), [])


def expected(snippet: Snippet, target: str) -> list[tuple[int, str]]:
    """Lines and families the comments of a snippet announce for a target."""
    found = []
    for number, line in enumerate(snippet.source.splitlines(), 1):
        _, mark, comment = line.partition("  # ")
        for item in comment.split(";") if mark else ():
            match = _EXPECTED.fullmatch(item.strip())
            assert match is not None, line
            targets = {name.strip() for name in match["targets"].split(",")}
            assert targets <= {*TARGETS, "*"}, line
            if targets & {target, "*"}:
                found.append((number, match["family"]))
    return found


def observed(name: str, target: str) -> list[tuple[int, str]]:
    """Lines (innermost frame in the snippet's file) and families of what was observed."""
    found = []
    for item in result(name, target)["observations"]:
        inside = [frame for frame in item["stack"] if frame["path"] == path(name)]
        assert inside, item
        found.append((inside[-1]["line"], item["family"]))
    return sorted(found)


def only(name: str, target: str) -> dict[str, Any]:
    """The one observation of a run."""
    (item,) = result(name, target)["observations"]
    found: dict[str, Any] = item
    return found


def snippet(name: str) -> Snippet:
    """The snippet of that name."""
    return BY_NAME[name]
