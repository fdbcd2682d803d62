"""Modules built and called from nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")
from flake8_torchtrace.inputs.importing import import_file  # noqa: E402
from flake8_torchtrace.inputs.synthesis.draft import source  # noqa: E402
from flake8_torchtrace.inputs.synthesis.search import Found, Search  # noqa: E402

MODELS = Path(__file__).with_name("synthesis_models.py")


@pytest.fixture(scope="module")
def models() -> ModuleType:
    return import_file(str(MODELS))


def found(models: ModuleType, name: str) -> Found:
    return Search(models, getattr(models, name), seconds=20.0).run()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Mlp", "in_features=32, hidden_features=32; x = float32[2, 16, 32]"),
        ("HeadsDivide", "dim=32, heads=4; x = float32[2, 16, 32]"),
        ("Channels", "planes=32; feature_map = float32[2, 32, 32, 32]"),
        ("Series", "c_in=32; wave_form_like = float32[2, 32, 32]"),
        ("Words", "vocab_size=64, d_model=32; what = int64[2, 8]"),
        ("Unpacks", "x = float32[2, 3, 8, 32, 32]"),
        ("Gpt", "config=NetConfig(n_layer=2, n_embd=128, n_head=2, vocab_size=2048); idx = int64[2, 16]"),
        ("Namespaced", "args=SimpleNamespace(hidden_dim=32, n_heads=4, num_classes=10); x = float32[2, 16, 32]"),
        ("Modes", "mode='mean', colour=Colour.RED, act=torch.nn.functional.gelu, kind='small'; x = float32[2, 16, 32]"),
        ("Wraps", "fn=torch.nn.Identity(); x = float32[2, 16, 32]"),
        ("NeedsGpt", "net=Gpt(...); ids = int64[2, 16]"),
        ("Graph", "in_channels=3, out_channels=32; x = float32[8, 3], edge_index = int64[2, 16]"),
        ("OverDecoders", "net=Stack(num_tokens=64, layers=Decoder(dim=32, depth=2)); x = int64[2, 16]"),
        ("TakesBase", "part=Doubled(); x = float32[2, 16, 32]"),
        ("Image", "image_size=32, patch_size=8, num_classes=10, dim=32; img = float32[2, 3, 32, 32]"),
        ("Pair", "images=[float32[3, 32, 32], float32[3, 32, 32]]"),
        ("OneWidth", "a = float32[2, 16, 24], b = float32[2, 16, 40]"),
        ("Masked", "x = float32[2, 16, 32], keep = bool[2, 16]"),
    ],
)
def test_built_and_called(models: ModuleType, name: str, told: str) -> None:
    outcome = found(models, name)
    assert outcome.error is None
    assert outcome.draft is not None
    assert outcome.draft.told == told


def test_ids_stay_below_the_rows_of_what_they_index(models: ModuleType) -> None:
    draft = found(models, "Typed").draft
    assert draft is not None
    assert draft.arguments["ids"].told.startswith("int64[")
    assert set(draft.arguments) == {"ids", "table"}  # what has a default is left out


def test_the_same_each_time(models: ModuleType) -> None:
    texts = {draft.text for draft in (found(models, "OneWidth").draft for _ in range(2)) if draft is not None}
    assert len(texts) == 1


def test_the_source_builds_what_was_found(models: ModuleType) -> None:
    draft = found(models, "Gpt").draft
    assert draft is not None
    names = dict(vars(models))
    exec(source(draft, models.__name__), names)
    module, args, kwargs = names["make"]()
    assert type(module).__name__ == "Gpt"
    assert not module.training
    assert module(*args, **kwargs).shape == (2, 16, 128)


def test_how_far_it_came(models: ModuleType) -> None:
    outcome = found(models, "Impossible")
    assert isinstance(outcome.error, RuntimeError)
    assert outcome.draft is not None
    assert "x = float32" in outcome.draft.told
    assert outcome.tries <= 160


ALONE = """
import json, sys
from flake8_torchtrace.inputs.synthesis.entry import synthesise
print(json.dumps({name: synthesise(sys.argv[1], name, 4.0).to_dict() for name in sys.argv[2:]}))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """The answers of a process of its own, which closes itself to files and network."""
    folder = tmp_path_factory.mktemp("alone")
    names = ["WritesAFile", "Connects", "Hangs", "OnlyInside", "Impossible"]
    done = subprocess.run([sys.executable, "-c", ALONE, str(MODELS), *names], capture_output=True, text=True, cwd=folder, timeout=120, check=True)
    assert list(folder.iterdir()) == []
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def test_in_a_closed_process(answers: dict[str, dict[str, str]]) -> None:
    assert "writing 'written.txt' is not allowed" in answers["WritesAFile"]["reason"]
    assert "socket.getaddrinfo is not allowed" in answers["Connects"]["reason"]
    assert "took longer than" in answers["Hangs"]["reason"]


def test_what_cannot_be_built_runs_inside_of_what_makes_it(answers: dict[str, dict[str, str]]) -> None:
    answer = answers["OnlyInside"]
    assert (answer["subject"], answer["used"], answer["reason"]) == ("Holder", "dim=32; x = float32[2, 16, 32]", "")


def test_a_reason_shows_a_make_to_start_from(answers: dict[str, dict[str, str]]) -> None:
    reason = answers["Impossible"]["reason"]
    assert "to start from: def make(): return Impossible(width=32), (torch.randn(2, 16, 32),), {}" in reason
    assert "no device for (2, 16, 32) (" in reason
