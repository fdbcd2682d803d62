"""The examples of torch.export that torch itself keeps: each comes out as its stated support level says."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_torchtrace.model import EXPORT_TARGETS
from flake8_torchtrace.verify import Session, Verification, VerifySettings

torch = pytest.importorskip("torch")
_SPEC = importlib.util.find_spec("torch._export.db.examples")
FILES = sorted(Path(_SPEC.origin).parent.glob("[!_]*.py")) if _SPEC and _SPEC.origin else []
MAKE = """

def make():
    here = globals()
    return here["model"], here["example_args"], here.get("example_kwargs", {}), here.get("dynamic_shapes")
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    made = Session(VerifySettings(targets=tuple(sorted(EXPORT_TARGETS)), replay=True))
    yield made
    made.close()


@pytest.fixture
def verified(session: Session, tmp_path: Path, request: pytest.FixtureRequest) -> Verification:
    """What is told of a copy of the example, run with its own inputs and dynamic shapes."""
    path = tmp_path / request.param.name
    text = request.param.read_text(encoding="utf-8") + MAKE
    path.write_text(text, encoding="utf-8")
    return session.verify(str(path), text, [])


def test_there_are_examples() -> None:
    assert len(FILES) > 30


@pytest.mark.parametrize(("verified", "file"), [(file, file) for file in FILES], indirect=["verified"], ids=[file.stem for file in FILES])
def test_support_level(verified: Verification, file: Path) -> None:
    (run,) = verified.runs
    assert run.reason is None
    accepted = all(result.status == "ok" for result in run.targets.values())
    refused_with_sizes = any(finding.code == "TTR704" for finding, _ in verified.extra)
    is_supported = "NOT_SUPPORTED_YET" not in file.read_text(encoding="utf-8")
    assert (accepted and not refused_with_sizes) == is_supported, verified.extra
    # A supported example loses nothing either.
    assert not is_supported or not [finding for finding, _ in verified.extra if finding.code.startswith("TTR5")]
    assert verified.notes == ()
