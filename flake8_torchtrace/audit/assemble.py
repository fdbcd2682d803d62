"""From checked files to what the writers take: levels, fingerprints, what the baseline knows, what the gate lets pass."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flake8_torchtrace import __version__
from flake8_torchtrace.audit import baseline
from flake8_torchtrace.audit.baseline import Compared, Entry, Place
from flake8_torchtrace.audit.check import Checked, Found
from flake8_torchtrace.audit.compare import compared
from flake8_torchtrace.audit.describe import rule_help
from flake8_torchtrace.audit.files import shown
from flake8_torchtrace.audit.gate import GATES, fails
from flake8_torchtrace.config import Config
from flake8_torchtrace.model import Observation, Target, Verdict
from flake8_torchtrace.report.content import Content, Item, Level, Problem, level_of


@dataclass(frozen=True)
class Known:
    """The baseline file ``path`` and its entries."""

    path: str
    entries: Sequence[Entry]


def content(
    checked: Sequence[Checked], missing: Sequence[str], config: Config, fail_on: Level, known: Known | None, with_sources: bool = False
) -> Content:
    """All of an audit. ``missing`` are files that it did not come to. Raises UsageError."""
    ordered = sorted(checked, key=lambda item: item.path)
    pairs = [(file, found) for file in ordered for found in file.found if not found.result.is_past]
    against = _compared(ordered, pairs, known)
    numbers: Counter[str] = Counter()
    items = []
    for (file, found), is_known in zip(pairs, against.known, strict=True):
        items.append(_item(shown(file.path), found, is_known, fail_on, numbers))
    problems = [Problem(shown(file.path), file.problem, file.line) for file in ordered if file.problem is not None]
    return Content(
        version=__version__,
        python=platform.python_version(),
        torch=next((item.verdict.torch for item in items if item.verdict is not None and item.verdict.torch), ""),
        targets=config.targets,
        fail_on=fail_on,
        items=tuple(items),
        checked=tuple(shown(file.path) for file in ordered if file.problem is None),
        problems=tuple(problems),
        missing=tuple(map(shown, missing)),
        vanished=tuple(entry.words for entry in against.vanished),
        has_baseline=known is not None,
        rules=rule_help(found.result.finding.code for file in ordered for found in file.found),
        comparison=compared(ordered, config.pythons),
        modules=tuple(replace(module, path=shown(file.path)) for file in ordered for module in file.modules),
        sources=dict(_sources(ordered)) if with_sources else {},
    )


def _sources(checked: Sequence[Checked]) -> Iterator[tuple[str, str]]:
    for file in checked:
        if file.found or file.modules:
            with contextlib.suppress(OSError, SyntaxError, UnicodeDecodeError), tokenize.open(file.path) as stream:
                yield shown(file.path), stream.read()


def places(checked: Sequence[Checked], path: str) -> list[Place]:
    """What a baseline at ``path`` says of ``checked``."""
    return [_place(file, found, path) for file in checked for found in file.found if _is_for_baseline(found) and not found.result.is_past]


def kept(checked: Sequence[Checked], known: Known) -> list[Entry]:
    """Entries of files that are there and were not looked at: nothing is known of them, so they stay."""
    seen = {_relative(file.path, known.path) for file in checked if file.problem is None}
    return [entry for entry in known.entries if entry.file not in seen and not _is_gone(entry.file, known.path)]


def _compared(checked: Sequence[Checked], pairs: Sequence[tuple[Checked, Found]], known: Known | None) -> Compared:
    if known is None:
        return Compared((False,) * len(pairs), ())
    functions: Mapping[str, frozenset[str]] = {
        _relative(file.path, known.path): file.functions for file in checked if file.problem is None
    }
    wanted = [index for index, (_, found) in enumerate(pairs) if _is_for_baseline(found)]
    compared = baseline.compare(
        known.entries,
        [_place(*pairs[index], known.path) for index in wanted],
        lambda file: _is_gone(file, known.path),
        functions.get,
    )
    flags = dict(zip(wanted, compared.known, strict=True))
    return Compared(tuple(flags.get(index, False) for index in range(len(pairs))), compared.vanished)


def _is_for_baseline(found: Found) -> bool:
    return level_of(found.result.finding, found.result.verdict) in GATES


def _place(file: Checked, found: Found, path: str) -> Place:
    return Place(_relative(file.path, path), found.result.finding.code, found.function, found.source)


def _relative(path: str, baseline_path: str) -> str:
    folder = os.path.dirname(os.path.realpath(baseline_path))
    return os.path.relpath(os.path.realpath(path), folder).replace(os.sep, "/")


def _is_gone(file: str, baseline_path: str) -> bool:
    return not os.path.exists(os.path.join(os.path.dirname(os.path.realpath(baseline_path)), file))


def _item(path: str, found: Found, is_known: bool, fail_on: Level, numbers: Counter[str]) -> Item:
    finding, verdict = found.result.finding, found.result.verdict
    stem = "\0".join((path, finding.code, found.function, found.source or finding.message))
    numbers[stem] += 1
    fingerprint = hashlib.sha256(f"{stem}\0{numbers[stem]}".encode(errors="surrogateescape")).hexdigest()[:32]
    is_failing = not is_known and fails(level_of(finding, verdict), fail_on)
    return Item(path, finding, verdict, found.result.message, fingerprint, is_known, is_failing, _stack(verdict), found.function)


def _stack(verdict: Verdict | None) -> tuple[tuple[str, int, str], ...]:
    """Where torch was when it broke, by the first target that tells."""
    observation = next(_observations(verdict), None)
    frames = () if observation is None else observation.stack
    return tuple((shown(frame.path) if os.path.isabs(frame.path) else frame.path, frame.line, frame.function) for frame in frames if frame.line > 0)


def _observations(verdict: Verdict | None) -> Iterator[Observation]:
    for target in Target:
        judged = None if verdict is None else verdict.targets.get(target)
        if judged is not None and judged.observation is not None and judged.observation.stack:
            yield judged.observation
