"""Inputs under the names that the ecosystem gave them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_torchtrace.inputs.conventions import build_from_convention, convention_classes
from flake8_torchtrace.inputs.mistakes import InputsError
from flake8_torchtrace.inputs.tiny import tiny

HEAD = """\
class Tensor:
    shape = (2,)
class Net:
    def forward(self, x, mask=None): ...
    __call__ = forward
"""


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Imports of one test leave nothing for the next."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("net", None)


def net(tmp_path: Path, text: str) -> str:
    path = tmp_path / "net.py"
    path.write_text(HEAD + text)
    return str(path)


OF_CLASS = [
    ("example_inputs = (1, 2)", (1, 2), {}),
    ("example_inputs = ((1,), {'mask': 2})", (1,), {"mask": 2}),
    ("example_input_array = {'x': 1}", (), {"x": 1}),
    ("dummy_inputs = property(lambda self: {'x': 1})", (), {"x": 1}),
    ("def get_dummy_inputs(self, device, seed=0): return {'x': (device, seed)}", (), {"x": ("cpu", 0)}),
    ("get_dummy_batch = staticmethod(lambda batch_size: [batch_size])", (2,), {}),
    ("get_dummy_batch = classmethod(lambda cls: {'images': 1, 'labels': 2})", ({"images": 1, "labels": 2},), {}),
]


@pytest.mark.parametrize(("body", "args", "kwargs"), OF_CLASS)
def test_of_a_class(tmp_path: Path, body: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    path = net(tmp_path, f"class Own(Net):\n    {body}\nclass Other(Net): ...\n")
    assert convention_classes(path, ["Own", "Other"], []) == ["Own"]
    built = build_from_convention(path, "Own")
    assert (built.name, built.args, built.kwargs) == ("Own", args, kwargs)


def test_a_tensor_is_the_one_argument(tmp_path: Path) -> None:
    (only,) = build_from_convention(net(tmp_path, "class Own(Net):\n    example_input_array = Tensor()\n"), "Own").args
    assert only.shape == (2,)


def test_of_a_module_is_for_its_one_class_or_for_those_with_findings(tmp_path: Path) -> None:
    path = net(tmp_path, "class Second(Net): ...\ndef get_dummy_inputs(): return {'x': 1}\n")
    assert convention_classes(path, ["Net"], []) == ["Net"]
    assert convention_classes(path, ["Net", "Second"], ["Second"]) == ["Second"]
    assert build_from_convention(path, "Second").kwargs == {"x": 1}


CONFIGURED = """\
class Config:
    def __init__(self, hidden_size=768, num_attention_heads=12, vocab_size=30522, **rest):
        self.__dict__.update(hidden_size=hidden_size, num_attention_heads=num_attention_heads, vocab_size=vocab_size)
class PreTrainedModel(Net):
    config_class = None
    main_input_name = "input_ids"
    dummy_inputs = {"x": 1}
    def __init__(self, config):
        self.config = config
class Words(PreTrainedModel):
    config_class = Config
class Pictures(PreTrainedModel):
    config_class = Config
    main_input_name = "pixel_values"
class Abstract(PreTrainedModel): ...
"""


def test_models_with_a_configuration_are_built_small(tmp_path: Path) -> None:
    path = net(tmp_path, CONFIGURED)
    assert convention_classes(path, ["Words", "Pictures", "Abstract"], []) == ["Words"]
    built = build_from_convention(path, "Words")
    assert built.kwargs == {"x": 1}
    assert vars(built.module.config) == {"hidden_size": 32, "num_attention_heads": 4, "vocab_size": 30522}


def test_a_tiny_configuration_changes_what_its_constructor_takes_only() -> None:
    class Config:
        def __init__(self, num_hidden_layers: int = 24, use_cache: bool = True) -> None:
            self.num_hidden_layers, self.hidden_size, self.use_cache = num_hidden_layers, 768, use_cache

    assert vars(tiny(Config)) == {"num_hidden_layers": 2, "hidden_size": 768, "use_cache": True}


def test_a_configuration_that_checks_itself_is_made_as_small_as_it_takes() -> None:
    class Config:
        def __init__(self, num_layers: int = 3, hidden_size: int = 768, kinds: str = "abc") -> None:
            if len(kinds) != num_layers:
                raise ValueError
            self.num_layers, self.hidden_size, self.kinds = num_layers, hidden_size, kinds

    assert vars(tiny(Config)) == {"num_layers": 3, "hidden_size": 32, "kinds": "abc"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def get_dummy_batch(self, kind): ...", "get_dummy_batch of Own in net.py needs the argument kind, which is not known"),
        ("example_inputs = 3", "example_inputs of Own in net.py must be a tensor, a tuple of arguments, (args, kwargs) or a dict, not an int"),
        ("example_inputs = (1,)\n    def __init__(self, width): ...", "example_inputs of Own in net.py: Own() without arguments failed: TypeError: "),
        ("dummy_inputs = property(lambda self: 1 / 0)", "dummy_inputs of Own in net.py failed: ZeroDivisionError: division by zero (net.py:7)"),
    ],
)
def test_mistakes(tmp_path: Path, body: str, expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        build_from_convention(net(tmp_path, f"class Own(Net):\n    {body}\n"), "Own")
    assert str(caught.value).startswith(expected)
