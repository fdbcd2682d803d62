"""A reason in one line is the same in every run and on every machine."""

from __future__ import annotations

from flake8_torchtrace.model import Family, Observation, ObservationKind, Target
from flake8_torchtrace.verify.reasons import short_reason


def test_addresses_and_folders_are_left_out() -> None:
    told = "call of <function f at 0x7fa3c9d6c860> in /usr/lib/site-packages/torch/nn/module.py"
    observation = Observation(Target.COMPILE, ObservationKind.BREAK, told, Family.FORCED, (), "Unsupported")
    assert short_reason(observation) == "call of <function f> in torch/nn/module.py"
