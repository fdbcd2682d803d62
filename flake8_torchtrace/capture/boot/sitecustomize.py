"""Found by the Python of a recorded program because ``torchtrace run`` puts this folder into PYTHONPATH. Leaves no other trace."""

import importlib.machinery
import importlib.util
import os
import sys


def _step_aside() -> None:
    """Import the program's own sitecustomize, if it has one, as if this one were not there."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _begin() -> None:
    folder = os.environ.get("TORCHTRACE_PACKAGE", "")
    try:
        import flake8_torchtrace  # noqa: F401
    except ModuleNotFoundError:  # it is installed beside flake8 only
        import types

        package = types.ModuleType("flake8_torchtrace")
        package.__path__ = [folder]
        sys.modules["flake8_torchtrace"] = package
    from flake8_torchtrace.capture.start import start

    start()


_step_aside()
_begin()
