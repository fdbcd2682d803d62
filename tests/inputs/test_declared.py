"""What a file offers, read without running it."""

from __future__ import annotations

import pytest

from flake8_torchtrace.inputs.declared import Declared, declared


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", Declared(False, False, ())),
        ("def make(): ...\nclass A: ...\nclass B(A): ...", Declared(True, False, ("A", "B"))),
        ("def example_inputs(): ...", Declared(False, True, ())),
        ("def make(size=3, *, bias=True, **rest): ...", Declared(True, False, ())),
        ("def make(config): ...", Declared(False, False, ())),
        ("def make(*, config): ...", Declared(False, False, ())),
        ("async def make(): ...", Declared(False, False, ())),
        ("class A:\n    def make(self=None): ...", Declared(False, False, ("A",))),
        ("raise SystemExit", Declared(False, False, ())),
        ("class A:\n    dummy_inputs = 1\nclass B(A): ...\nclass C: ...", Declared(False, False, ("A", "B", "C"), ("A", "B"))),
        ("class A: ...\ndef get_dummy_batch(n): ...", Declared(False, False, ("A",), ("A",))),
        ("class A: ...\nexample_inputs: tuple = (1,)", Declared(False, False, ("A",), ("A",))),
        ("class A(hub.PreTrainedModel): ...\nclass B(A): ...", Declared(False, False, ("A", "B"), (), ("A", "B"))),
    ],
)
def test_declared(source: str, expected: Declared) -> None:
    assert declared(source) == expected
