"""What the linter knows of torch is what torch does: what is asserted here is also measured on the installed torch."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.metadata
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from flake8_torchtrace.source import knowledge as module
from flake8_torchtrace.source.knowledge import Knowledge, load

SCRIPTS = Path(__file__).parents[2] / "scripts"

# Expressions over x (a float matrix), i (an int vector) and m (a mask), and the code of what they give.
CALLS = {
    "torch.max(x)": "T",
    "torch.max(x, 1)": "T*2",
    "torch.max(x, dim=1)": "T*2",
    "torch.max(x, axis=1)": "T*2",
    "torch.max(x, x)": "T",
    "torch.maximum(x, x)": "T",
    "torch.where(m)": "T*",
    "torch.where(m, x, x)": "T",
    "torch.nonzero(x)": "T",
    "torch.nonzero(x, as_tuple=True)": "T*",
    "torch.nonzero(x, as_tuple=False)": "T",
    "torch.unique(x)": "T",
    "torch.unique(x, return_counts=True)": "T*2",
    "torch.unique(x, return_inverse=True, return_counts=True)": "T*3",
    "torch.functional.norm(x)": "T",
    "torch.split(x, 1)": "T*",
    "torch.meshgrid(i, i, indexing='ij')": "T*",
    "torch.einsum('ij->i', x)": "T",
    "torch.topk(x, 1)": "T*2",
    "torch.std_mean(x)": "T*2",
    "torch.histogramdd(x, 2)": "(T,T*)",
    "torch.atleast_2d(i)": "T",
    "torch.atleast_2d(i, i)": "T*",
    "torch.broadcast_tensors(x, x)": "T*",
    "torch.Size([1])": "size",
    "torch.tensor(1)": "T",
    "torch.nn.Parameter(x)": "T",
    "torch.is_tensor(x)": "bool",
    "torch.equal(x, x)": "bool",
    "torch.allclose(x, x)": "bool",
    "torch.numel(x)": "int",
    "torch.is_grad_enabled()": "bool",
    "torch.cuda.is_available()": "bool",
    "torch.compiler.is_compiling()": "bool",
    "torch.jit.is_scripting()": "bool",
    "torch.jit.is_tracing()": "bool",
    "torch.get_default_dtype()": "dtype",
    "torch.linalg.svd(x)": "T*3",
    "torch.linalg.norm(x)": "T",
    "torch.fft.rfft(x)": "T",
    "torch.fft.hfft2(x)": "T",
    "torch.special.expit(x)": "T",
    "torch.nn.functional.relu(x)": "T",
    "torch.nn.functional.max_pool1d(x, 2)": "T",
    "torch.nn.functional.max_pool1d(x, 2, return_indices=True)": "T*2",
    "torch.nn.functional.one_hot(i, 3)": "T",
    "torch.nn.init.zeros_(x)": "T",
    "torch.Tensor.max(x)": "T",
    "torch.Tensor.max(x, 1)": "T*2",
    "x.max()": "T",
    "x.max(1)": "T*2",
    "x.max(dim=1, keepdim=True)": "T*2",
    "x.max(x)": "T",
    "x.median(1)": "T*2",
    "x.sum()": "T",
    "x.add_(1)": "T",
    "x.__add__(1)": "T",
    "x.__rsub__(1)": "T",
    "m.__or__(m)": "T",
    "x.__eq__(1)": "T",
    "x.__len__()": "int",
    "x.size()": "size",
    "x.size(0)": "int",
    "x.stride()": "int*",
    "x.stride(0)": "int",
    "x.type()": "str",
    "x.type(torch.float64)": "T",
    "x.dim()": "int",
    "x.numel()": "int",
    "x.is_contiguous()": "bool",
    "x.data_ptr()": "int",
    "x.element_size()": "int",
    "x.tolist()": "list",
    "x.item()": "number",
    "x.unique()": "T",
    "x.unique(return_counts=True)": "T*2",
    "x.nonzero(as_tuple=True)": "T*",
    "x.split(1)": "T*",
    "x.backward()": "none",
}
ATTRIBUTES = {
    "shape": "size",
    "dtype": "dtype",
    "device": "device",
    "ndim": "int",
    "is_cuda": "bool",
    "requires_grad": "bool",
    "T": "T",
    "mT": "T",
    "data": "T",
    "grad": "T?",
}
MODULES = {
    "torch.nn.Linear(2, 2)": "T",
    "torch.nn.modules.linear.Linear(2, 2)": "T",
    "torch.nn.LSTM(2, 2)": "(T,T*2)",
    "torch.nn.GRU(2, 2)": "T*2",
    "torch.nn.MaxPool1d(2)": "T",
    "torch.nn.MaxPool1d(2, return_indices=True)": "T*2",
}


@functools.cache
def facts() -> Knowledge:
    """The committed facts."""
    return load()


def literal_kind(node: ast.expr) -> str | None:
    """The kind of an argument written in one of the expressions above."""
    if isinstance(node, ast.Constant):
        return (
            {True: "true", False: "false"}.get(node.value)
            if isinstance(node.value, bool)
            else type(node.value).__name__
        )
    return {"x": "T", "i": "T", "m": "T", "torch.float64": "dtype"}.get(ast.unparse(node))


def ask(expression: str, about: str) -> str | None:
    """What the knowledge says of a call; ``about`` is the method to ask for a dotted name."""
    call = ast.parse(expression, mode="eval").body
    assert isinstance(call, ast.Call)
    given: dict[int | str, ast.expr] = {**dict(enumerate(call.args)), **{str(kw.arg): kw.value for kw in call.keywords}}
    keywords = [str(item.arg) for item in call.keywords]
    dotted = ast.unparse(call.func)
    about, name = ("method_return", dotted[2:]) if dotted.startswith(("x.", "m.")) else (about, dotted)
    answer: str | None = getattr(facts(), about)(name, len(call.args), keywords, lambda key: literal_kind(given[key]))
    return answer


@pytest.mark.parametrize(("expression", "code"), CALLS.items())
def test_call(expression: str, code: str) -> None:
    assert ask(expression, "function_return") == code


@pytest.mark.parametrize(("expression", "code"), MODULES.items())
def test_module_call(expression: str, code: str) -> None:
    assert ask(expression, "module_return") == code


def test_attributes_fields_and_constants() -> None:
    assert {name: facts().attribute(name) for name in ATTRIBUTES} == ATTRIBUTES
    assert facts().attribute("no_such_attribute") is None
    assert (facts().field("values"), facts().field("indices"), facts().field("no_such_field")) == ("T", "T", None)
    assert (facts().constant("torch.float32"), facts().constant("torch.pi")) == ("dtype", "float")


def test_what_the_arguments_leave_open_is_unknown() -> None:
    assert facts().function_return("torch.max", 2) == "?"
    assert facts().function_return("torch.max", None) == "?"
    assert facts().function_return("torch.relu", None) == "T"
    assert facts().function_return("torch.nonzero", 1, ["as_tuple"]) == "?"
    assert facts().function_return("torch.max", 2, (), lambda key: "int" if key == 1 else None) == "T*2"
    assert facts().function_return("torch.max", 7) == "?"


def test_names_torch_does_not_have() -> None:
    assert facts().function_return("torch.no_such_function", 1) is None
    assert facts().method_return("no_such_method") is None
    assert facts().module_return("torch.nn.Sequential") is None
    assert facts().is_tensor_method("register_hook")
    assert not facts().is_tensor_method("no_such_method")


@pytest.mark.parametrize(
    "dotted",
    ["torch.nn.Module", "torch.nn.modules.module.Module", "torch.nn.Linear", "torch.nn.modules.linear.Linear"],
)
def test_module_class(dotted: str) -> None:
    assert facts().is_module_class(dotted)


@pytest.mark.parametrize("dotted", ["torch.Tensor", "torch.nn.Parameter", "torch.nn", "Module", "other.nn.Module"])
def test_not_a_module_class(dotted: str) -> None:
    assert not facts().is_module_class(dotted)


def test_data_dependence() -> None:
    answers = {
        "torch.nonzero(x)": "shape",
        "torch.where(m)": "shape",
        "torch.where(m, x, x)": None,
        "torch.Tensor.item()": "value",
        "torch.equal(x, x)": "value",
        "torch.repeat_interleave(x, i)": "shape",
        "torch.repeat_interleave(x, 2)": None,
        "torch.repeat_interleave(x, i, output_size=4)": None,
        "torch.nn.functional.one_hot(i)": "shape",
        "torch.nn.functional.one_hot(i, 3)": None,
        "torch.relu(x)": None,
    }
    assert {expression: ask(expression, "data_dependent") for expression in answers} == answers


def test_dtype_of_a_result() -> None:
    answers = {
        "isnan": "bool",
        "eq": "bool",
        "isin": "bool",
        "__gt__": "bool",
        "argmax": "int",
        "sigmoid": "float",
        "add": None,
    }
    assert {name: facts().result_dtype(name) for name in answers} == answers
    assert facts().has_bool_result("logical_not")
    assert not facts().has_bool_result("argmax")


def test_reading_torch_is_not_needed() -> None:
    program = (
        "import sys; from flake8_torchtrace.source.knowledge import load; load(); assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=SCRIPTS.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_damaged_installation_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__file__", str(tmp_path / "knowledge.py"))
    with pytest.raises(RuntimeError, match=r"torch_knowledge\.json.*reinstall"):
        load.__wrapped__()


@pytest.fixture
def torch() -> Any:
    """The torch that the committed facts are about; without it there is nothing to measure."""
    found = pytest.importorskip("torch")
    installed = importlib.metadata.version("torch").partition("+")[0]
    if installed != facts().torch:
        pytest.skip(f"the committed facts are about torch {facts().torch}, not {installed}")
    return found


@pytest.fixture
def scripts(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the files next to the script that derives the facts importable."""
    monkeypatch.syspath_prepend(str(SCRIPTS))


def agrees(code: str, measured: str) -> bool:
    """Whether a value of kind ``measured`` is one that ``code`` promises."""
    if code == "T*":
        return measured.startswith("T*")
    return measured in {
        code,
        *({"int", "float", "bool"} if code == "number" else {code.removesuffix("?"), "none"} - {code}),
    }


@pytest.mark.parametrize(("expression", "code"), CALLS.items())
def test_call_on_torch(expression: str, code: str, torch: Any, scripts: None) -> None:
    probes = importlib.import_module("torch_probes")
    x = torch.ones(1, 1) if expression in {"x.item()", "x.backward()"} else torch.ones(2, 4)
    given = {"torch": torch, "x": x.requires_grad_(expression == "x.backward()"), "i": torch.tensor([0, 1]), "m": x > 0}
    value = eval(expression, given)
    if code == "(T,T*)":
        assert [probes.kind(value[0]), probes.kind(value[1])] == ["T", "T*4"]
    else:
        assert agrees(code, probes.kind(tuple(value) if isinstance(value, tuple) and "T*" in code else value))


@pytest.mark.parametrize(("expression", "code"), MODULES.items())
def test_module_call_on_torch(expression: str, code: str, torch: Any, scripts: None) -> None:
    built = eval(expression, {"torch": torch})
    assert importlib.import_module("torch_probes").kind(built(torch.ones(2, 2))) == code


def test_default_compile_breaks_on_just_these(torch: Any, scripts: None) -> None:
    dependence = importlib.import_module("torch_data_dependence")
    rows = dependence.rows()
    assert len(rows) > 40
    wrong = [
        row.dotted for row in rows if bool(dependence.dependence(row.function, row.arguments)) != breaks(torch, row)
    ]
    assert wrong == []


def breaks(torch: Any, row: Any) -> bool:
    """Whether a default ``torch.compile`` cannot keep this call in its graph."""

    def traced(*arguments: Any) -> Any:
        kept = arguments[0] + 1
        return row.function(*arguments), kept

    torch._dynamo.reset()
    try:
        with torch._dynamo.error_on_graph_break(True):
            torch.compile(traced, backend="eager")(*row.arguments)
    except torch._dynamo.exc.Unsupported:
        return True
    return False


def test_the_committed_file_is_what_this_torch_declares(torch: Any) -> None:
    script = str(SCRIPTS / "make_torch_knowledge.py")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
