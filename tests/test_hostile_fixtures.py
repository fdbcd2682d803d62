"""Code that hangs, dies, floods or cannot be built is a reason, told in words, and ends nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import pytest
from fixtures_support import expectations, fixture_files
from flake8_program import Reported, Run, flake8
from verdict_text import confirmed, outcome

pytest.importorskip("torch")
FILES = fixture_files("hostile")
LIMIT = "10"
LOST = "TTR501"
FLOODED = {9, 11}
HERE = "fixtures/hostile/{name}"
CAUSES = {
    "exits.py": "the code under test ended its process with exit status 0; its last output: running",
    "hangs.py": f"the code under test took longer than the limit of {LIMIT} s; its last output: running",
    "interrupts.py": "eager call of Interrupter failed: KeyboardInterrupt",
    "make_raises.py": f"make() in {HERE} failed: ValueError: no weights here ({HERE}:14)",
    "make_returns_bad_kwargs.py": f"make() in {HERE}: kwargs must be a dict with string keys, not a list of 2",
    "make_returns_no_module.py": f"make() in {HERE}: the module must be an nn.Module or another callable, not a str",
    "make_returns_number.py": f"make() in {HERE} must return (module, args, kwargs) or (module, args), not an int",
    "raises_at_import.py": f"import of {HERE} failed: RuntimeError: no such machine ({HERE}:6)",
    "segfaults.py": "the code under test was ended by signal SIGSEGV; its last output: running",
    "system_exit.py": "eager call of Quitter failed: SystemExit: 3",
    "wrong_inputs.py": "eager call of Unfit failed: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x3 and 5x5)",
}


@pytest.fixture(scope="module")
def run() -> Run:
    """All of them in one run."""
    return flake8("--torchtrace-verify", "--torchtrace-timeout", LIMIT, *FILES)


@pytest.fixture(scope="module")
def found(run: Run) -> Mapping[str, list[Reported]]:
    """Findings by file name. Reading them fails if anything but a finding was printed."""
    by_file: dict[str, list[Reported]] = defaultdict(list)
    for item in run.reported:
        by_file[item.path.name].append(item)
    return by_file


def test_every_finding_and_nothing_else_is_printed(run: Run, found: Mapping[str, list[Reported]]) -> None:
    assert run.status == 1
    for path in FILES:
        predicted = [item for item in found[path.name] if item.code != LOST]
        assert sorted((item.line, item.code) for item in predicted) == sorted(expectations(path)), found[path.name]
        assert {item.line for item in found[path.name] if item.code == LOST} == (FLOODED if path.name == "floods.py" else set())


@pytest.mark.parametrize("name", [path.name for path in FILES if path.name != "floods.py"])
def test_the_cause_is_named(name: str, found: Mapping[str, list[Reported]]) -> None:
    verdicts = {outcome(item.text) for item in found[name]}
    assert verdicts == {("unverified", CAUSES[name].format(name=name))}


def test_a_flood_of_output_harms_nothing(found: Mapping[str, list[Reported]]) -> None:
    path = next(path for path in FILES if path.name == "floods.py")
    broke = {(item.line, item.code): confirmed(item.text) for item in found["floods.py"] if item.code != LOST}
    assert broke == {key: value.targets for key, value in expectations(path).items()}


def test_every_file_is_in_one_of_the_tests() -> None:
    assert {path.name for path in FILES} == {*CAUSES, "floods.py"}
