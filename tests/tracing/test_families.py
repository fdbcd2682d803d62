"""Reasons of several torch versions and their families."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from flake8_torchtrace.model import Family
from flake8_torchtrace.tracing.families import cost_of, family_of, family_of_id, is_no_break
from flake8_torchtrace.tracing.registry import first_line, gb_id, ids_by_title, titles_by_id

MARKED = "Attempted to call function marked as skipped\n  Explanation: "

# torch 2.8 and later name reasons by the Gb_type texts of their registry
REGISTERED = [
    ("Data-dependent branching", "value"),
    ("Unsupported Tensor.item() call with capture_scalar_outputs=False", "value"),
    ("Data dependent operator", "value"),
    ("Reconstruction of FakeIdVariable", "value"),
    ("Tensor.tolist() with non-integer tensor", "value"),
    ("sort with non-constant keys", "value"),
    ("Dynamic shape operator", "dynamic-shape"),
    ("Failed to trace builtin operator", "no-handler"),
    ("Unsupported method call", "no-handler"),
    (MARKED + "Dynamo does not know how to trace the builtin `time.time.` This function is either", "no-handler"),
    (MARKED + "Dynamo does not know how to trace the Python builtin `_warnings.warn`.", "skipped"),
    (MARKED + "Dynamo developers have intentionally marked that the function `seed` should not be traced.", "skipped"),
    ("Attempted to inline function marked as skipped", "skipped"),
    ("logging.Logger method not supported for non-export cases", "skipped"),
    ("Attempted to use `torch.nn.Parameter()` constructor with Dynamo", "construction"),
    ("Invalid call to __build_class__", "construction"),
    ("Unsupported context manager", "context"),
    ("Failed to mutate tensor data attribute", "mutation"),
    ("Unsupported Tensor.resize_() call", "mutation"),
    ("Unsupported Tensor.backward() call", "autograd"),
    ("setattr() on Tensor.requires_grad", "autograd"),
    ("Attempted to copy.deepcopy a tensor", "introspection"),
    ("RuntimeError when making fake tensor call", "exception"),
    ("Call to `torch._dynamo.graph_break()`", "forced"),
    ("Skip calling `torch.compiler.disable()`d function", "forced"),
    ("Dynamo recompile limit exceeded", "internal"),
]

# torch 2.2 and 2.7 have free texts
FREE_TEXTS = [
    ("generic_jump TensorVariable()", "value"),
    ("Tensor.item", "value"),
    ("call_function BuiltinVariable(bool) [TensorVariable()] {}", "value"),
    ("call_id with args (TensorVariable(),)", "value"),
    ("data dependent operator: aten._local_scalar_dense.default", "value"),
    ("Dynamic control flow is not supported at the moment.", "value"),
    ("Skipping frame because there is a graph break in a for/while loop\n<FrameSummary file x.py, line 3>", "value"),
    ("dynamic shape operator: aten.nonzero.default", "dynamic-shape"),
    ("call_function BuiltinVariable(print) [] {'end': ConstantVariable(str)}", "no-handler"),
    ("call_method UserDefinedObjectVariable(getpid) __call__ [] {}", "no-handler"),
    ("'skip function getLogger in file logging/__init__.py'", "skipped"),
    ("'skip function Parameter in file torch/nn/parameter.py'", "construction"),
    ("missing: LOAD_BUILD_CLASS", "construction"),
    ("'skip function graph_break in file torch/_dynamo/decorators.py'", "forced"),
    ("call torch._dynamo.disable() wrapped function <function f>", "forced"),
    ("BEFORE_WITH UserDefinedObjectVariable(lock)", "context"),
    ("store_attr", "mutation"),
    ("Tensor.requires_grad_", "autograd"),
    ("copy.deepcopy TensorVariable()", "introspection"),
]


@pytest.mark.parametrize(("text", "family"), REGISTERED + FREE_TEXTS)
def test_family_of_a_reason(text: str, family: str) -> None:
    assert family_of(text, "Unsupported") == family
    assert Family(family) is not Family.UNCLASSIFIED


@pytest.mark.parametrize(
    ("text", "exception", "family"),
    [
        ("Could not guard on data-dependent expression Eq(u0, 1)", "GuardOnDataDependentSymNode", "value"),
        ("aten.equal.default", "DataDependentOutputException", "value"),
        ("aten.nonzero.default", "DynamicOutputShapeException", "dynamic-shape"),
        ("We found a fake tensor in the exported program constant's list.", "RuntimeError", "effect"),
        ("", "BdbQuit", "forced"),
    ],
)
def test_family_of_a_refusal(text: str, exception: str, family: str) -> None:
    assert family_of(text, exception) == family


@pytest.mark.parametrize("text", ["", "Something torch says for the first time", "Unsupported"])
def test_unknown_text_is_unclassified(text: str) -> None:
    assert family_of(text, "Unsupported") == Family.UNCLASSIFIED.value


def test_break_that_caused_another_keeps_its_own_family_and_id() -> None:
    text = "Failed to trace builtin operator\n\n*** While handling this ***\n\ngraph break in loop"
    assert family_of(text, "Unsupported") == "no-handler"
    assert cost_of(text) == "whole frame skipped: graph break in a loop"
    if "graph break in loop" in ids_by_title():
        assert gb_id(text, "graph break in loop") == ids_by_title()["Failed to trace builtin operator"]


def test_id_is_read_from_the_link_where_the_title_is_new() -> None:
    link = "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html"
    assert gb_id(f"A title no registry has\n please visit: {link}") == "GB0170"
    assert gb_id("A title no registry has") is None


def test_ids_are_those_of_the_installed_registry() -> None:
    spec = importlib.util.find_spec("torch")
    assert spec is not None
    assert spec.origin is not None
    file = Path(spec.origin).with_name("_dynamo") / "graph_break_registry.json"
    registry = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert set(ids_by_title().values()) == set(registry)


def test_frame_without_operators_is_no_break() -> None:
    assert is_no_break("because no content in function call forward x.py 3")
    assert is_no_break("No ops traced for the FX graph. `torch.compile` will skip the frame")
    assert not is_no_break("Skipping frame because there is a graph break in a for/while loop")


def test_first_line_is_the_first_with_text() -> None:
    assert first_line("\n  \n  title \nrest") == "title"
    assert first_line("") == ""


def test_every_id_of_the_installed_registry_has_a_family() -> None:
    assert len(titles_by_id()) > 500
    assert [key for key in titles_by_id() if family_of_id(key) == Family.UNCLASSIFIED.value] == []


def test_renamed_reasons_keep_the_family_of_their_id() -> None:
    renamed = {key: titles for key, titles in titles_by_id().items() if len(set(titles)) > 1}
    assert renamed
    assert [key for key, titles in renamed.items() if len({family_of(title, "Unsupported") for title in titles}) > 1] == []


# not about the code: dimensions marked by the caller that do not fit
_ABOUT_INPUTS = "Cannot mark 0-dimension tensors to be dynamic"


@pytest.mark.parametrize("file", sorted((Path(__file__).parent / "data").glob("reasons-*.json")), ids=lambda path: path.stem)
def test_every_free_text_of_older_torch_has_a_family(file: Path) -> None:
    texts = json.loads(file.read_text(encoding="utf-8"))
    assert len(texts) > 150
    assert {text for text in texts if family_of(text, "Unsupported") == Family.UNCLASSIFIED.value} <= {_ABOUT_INPUTS}
