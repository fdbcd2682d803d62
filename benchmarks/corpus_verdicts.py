"""Compares what the tracers are seen to do in public models with what was measured for them by other means.

    python benchmarks/corpus_verdicts.py CORPUS [NAME ...]

``CORPUS/build`` holds modules that define ``CASES = [(name, package, factory)]``; ``factory()`` gives a module with its arguments,
and options: ``train``, ``grad``. ``CORPUS/truth/NAME.json`` holds what was measured: the breaks of a default compile with their
sites, and whether the two exports accept. Every case runs in a process of its own for each target. Sites are compared by
statement. The interpreter must have the packages of the corpus.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import re
import site
import sys
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from flake8_torchtrace import tracing
from flake8_torchtrace.verify.statements import Statements

TARGETS = {"compile": "compile", "strict": "export-strict", "nonstrict": "export-nonstrict"}
SECONDS = 900
FOLDERS = tuple(os.path.realpath(folder) + os.sep for folder in site.getsitepackages())
Factory = Callable[[], Any]
Site = tuple[str, int]


def cases(build: Path, wanted: set[str]) -> Iterator[tuple[str, Factory]]:
    """The cases that the files in ``build`` define, each once. A file can use all names of one that it imports."""
    sys.path.insert(0, str(build))
    files = {file.stem: file.read_text() for file in sorted(build.glob("[!_]*.py"))}
    of_others = {name: re.findall(rf"^import ({'|'.join(files)})\b", source, re.MULTILINE) for name, source in files.items()}
    seen = set()
    for name in sorted(files, key=lambda name: len(of_others[name])):
        names = {key: value for other in of_others[name] for key, value in vars(importlib.import_module(other)).items()}
        try:
            module = types.ModuleType(name)
            sys.modules[name] = module
            vars(module).update({**names, "__name__": name})
            exec(compile(files[name], str(build / f"{name}.py"), "exec"), vars(module))
        except ImportError as error:
            print(f"{name}.py left out: {error}", flush=True)
            continue
        for case, _, factory in tuple(vars(module)["CASES"]):
            if case in wanted and case not in seen:
                seen.add(case)
                yield case, factory


def is_watched(path: str) -> bool:
    """Whether a file is of an installed package other than torch."""
    return inside(path) is not None


def inside(path: str) -> str | None:
    """``path`` relative to the folder of the package's installation; None if it is of no package, or of torch."""
    for folder in FOLDERS:
        if path.startswith(folder):
            relative = path.removeprefix(folder)
            return None if relative.startswith(("torch/", "flake8_torchtrace/")) else relative
    return None


def traced(factory: Factory, target: str) -> dict[str, Any]:
    """What a tracer does with a case, as a process forked for it tells."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            import torch

            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            torch.manual_seed(0)
            module, args, kwargs, *rest = factory()
            options = rest[0] if rest else {}
            module.train(bool(options.get("train")))
            with torch.set_grad_enabled(options.get("grad", True)):
                found = dict(tracing.run_target(target, module, args, kwargs, is_watched))
            for key in ("traced", "abandoned", "points"):
                del found[key]
        except BaseException as error:  # what a model's code raises is a result
            found = {"status": "failed", "why": f"{type(error).__name__}: {error}", "observations": [], "graphs": 0}
        with contextlib.suppress(OSError), open(writing, "w") as file:
            json.dump(found, file, default=repr)
        os._exit(0)
    os.close(writing)
    with open(reading) as file:
        text = file.read()
    os.waitpid(pid, 0)
    found = json.loads(text) if text else {"status": "failed", "why": "the process ended", "observations": [], "graphs": 0}
    return dict(found)


def statement(path: str, line: int, known: dict[str, Statements | None]) -> Site:
    """Where the statement at a line of an installed file begins."""
    if path not in known:
        file = next((Path(folder) / path for folder in FOLDERS if (Path(folder) / path).exists()), None)
        known[path] = Statements(file.read_text(encoding="utf-8")) if file else None
    statements = known[path]
    return path, statements.at(line).line if statements else line


def seen_sites(found: dict[str, Any], known: dict[str, Statements | None]) -> dict[Site, set[str]]:
    """The sites of a run's observations, with their reasons."""
    sites: dict[Site, set[str]] = {}
    for item in found["observations"]:
        frames = [(path, frame["line"]) for frame in item["stack"] if (path := inside(frame["path"])) is not None]
        place = statement(*frames[-1], known) if frames else ("", 0)
        sites.setdefault(place, set()).add(reason(item["gb_id"] or item["exception"], item["reason"]))
    return sites


def reason(name: str, text: str) -> str:
    """A reason in short."""
    return f"{name} {' '.join(text.split())[:80]}"


def measured_sites(truth: dict[str, Any], known: dict[str, Statements | None]) -> dict[Site, set[str]]:
    """The sites of the measured breaks, with their reasons."""
    sites: dict[Site, set[str]] = {}
    for item in truth.get("breaks", ()):
        place = statement(item["site"]["file"], item["site"]["line"], known) if item["site"] else ("", 0)
        sites.setdefault(place, set()).add(reason(item["gb_id"] or item["exc"], item["reason"]))
    return sites


def differences(truth: dict[str, Any], found: dict[str, dict[str, Any]], known: dict[str, Statements | None]) -> list[str]:
    """What differs between a case's measurement and its runs."""
    told = compile_differences(truth["compile"], found["compile"], known)
    for key in ("strict", "nonstrict"):
        result, measured = found[key], truth[key]
        mine = seen_sites(result, known)
        if (result["status"] == "ok") != bool(measured.get("ok")):
            told.append(f"{key} {result['status']} ({result['why'] or [*mine.values()]}); measured {outcome(measured)}")
        elif result["status"] == "refused" and measured.get("site"):
            place = statement(measured["site"]["file"], measured["site"]["line"], known)
            if place not in mine:
                told.append(f"{key} refused at {[*mine]}; measured at {place}: {outcome(measured)}")
    return [re.sub(r"0x[0-9a-f]+", "0x..", line) for line in told]


def compile_differences(truth: dict[str, Any], found: dict[str, Any], known: dict[str, Statements | None]) -> list[str]:
    """What differs in the breaks of a default compile."""
    ours, theirs = seen_sites(found, known), measured_sites(truth, known)
    told = []
    crashed = next((item["exception"] for item in found["observations"] if item["kind"] == "crash"), None)
    if truth.get("ok") is False and crashed == truth.get("exc"):
        del ours[[*ours][-1]]
    elif found["status"] in ("failed", "unusable", "crashed") or truth.get("ok") is False:
        told.append(f"compile {found['status']} ({found['why'] or crashed}); measured {outcome(truth)}")
    told += [f"compile break missed at {place[0]}:{place[1]}: {theirs[place]}" for place in theirs if place not in ours]
    told += [f"compile break not measured at {place[0]}:{place[1]}: {ours[place]}" for place in ours if place not in theirs]
    for place in ours.keys() & theirs.keys():
        if not {text.split()[0] for text in theirs[place]} <= {text.split()[0] for text in ours[place]}:
            told.append(f"compile reasons at {place[0]}:{place[1]}: {sorted(ours[place])}; measured {sorted(theirs[place])}")
    return told


def outcome(measured: dict[str, Any]) -> str:
    """What a tracer was measured to say, in a line."""
    return "accepted" if measured.get("ok") else f"{measured.get('exc')}: {(measured.get('msg') or '').splitlines()[:1]}"


def main() -> None:
    """Run the cases and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("names", nargs="*", help="cases (default: all)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", type=Path, help="write all results to this file too")
    options = parser.parse_args()
    truths = {file.stem: json.loads(file.read_text()) for file in sorted((options.corpus / "truth").glob("*.json"))}
    wanted = set(options.names or truths) & {name for name, truth in truths.items() if truth["eager"].get("ok")}
    tracing.prewarm()
    known: dict[str, Statements | None] = {}
    results, agreeing, breaks = {}, 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, factory in cases(options.corpus / "build", wanted):
            runs = pool.map(partial(traced, factory), TARGETS.values())
            results[name] = found = dict(zip(TARGETS, runs, strict=True))
            told = differences(truths[name], found, known)
            agreeing += not told
            breaks += len(measured_sites(truths[name]["compile"], known))
            print(f"{name}: {'as measured' if not told else ''}", *told, sep="\n    " if told else "", flush=True)
    print(f"{agreeing} of {len(results)} cases as measured; {breaks} statements that break compile among them")
    if options.save:
        options.save.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
