"""The door to pytest: ``pytest --torchtrace``. Loaded in every run of pytest, so that nothing is imported before it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    from flake8_torchtrace.capture import options

    group = parser.getgroup("torchtrace", "graph breaks of torch.compile and refusals of torch.export")
    group.addoption("--torchtrace", action="store_true", help="verify the first calls that the tests make of every module class with findings")
    group.addoption("--torchtrace-ready", action="store_true", help="make a test of each promise that classes make (as `torchtrace ready`)")
    options.add(group.addoption, "torchtrace-")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to record, if that was asked for."""
    if config.getoption("--torchtrace"):
        from flake8_torchtrace.capture.testing import begin

        begin(config)
    if config.getoption("--torchtrace-ready"):
        from flake8_torchtrace.ready.pytest_items import begin as begin_ready

        begin_ready(config)
