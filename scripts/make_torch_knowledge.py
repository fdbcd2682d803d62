"""Derives what torch functions, methods, attributes and modules return, and writes it where the linter reads it.

Run where torch is installed: ``python scripts/make_torch_knowledge.py`` rewrites
``flake8_torchtrace/source/torch_knowledge.json`` and prints what torch does not declare; ``--check`` only compares.
The format and the return codes are described in ``flake8_torchtrace.source.knowledge``, which reads the file.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import functools
import importlib
import inspect
import json
import pkgutil
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch_data_dependence as dependence
import torch_declarations as declared
import torch_numbers as numbers
import torch_probes as probes
from torch._jit_internal import boolean_dispatched
from torch_declarations import Entry

OUTPUT = Path(__file__).parents[1] / "flake8_torchtrace" / "source" / "torch_knowledge.json"
TORCH = Path(torch.__file__).parent
NAMESPACES = (
    "torch",
    "torch.amp",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.backends.cuda",
    "torch.backends.cudnn",
    "torch.backends.mps",
    "torch.compiler",
    "torch.cpu",
    "torch.cuda",
    "torch.distributed",
    "torch.fft",
    "torch.func",
    "torch.jit",
    "torch.linalg",
    "torch.masked",
    "torch.mps",
    "torch.nested",
    "torch.nn",
    "torch.nn.attention",
    "torch.nn.attention.flex_attention",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.rnn",
    "torch.onnx",
    "torch.overrides",
    "torch.random",
    "torch.signal.windows",
    "torch.sparse",
    "torch.special",
    "torch.utils.checkpoint",
    "torch.xpu",
)
STUBS = {
    "torch": ("_C/_VariableFunctions.pyi", "_C/__init__.pyi"),
    "torch.nn.functional": ("nn/functional.pyi", "_C/_VariableFunctions.pyi"),
}
# With what is below them, and without: elsewhere module classes are only imported, not offered.
MODULE_TREES = ("torch.nn", "torch.ao.nn")
MODULE_PACKAGES = ("torch.jit", "torch.fx", "torch.distributed.fsdp")
SKIPPED_PARTS = ("_backward", "cudnn_", "miopen_", "mkldnn_", "quantized_", "fbgemm_")
COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
FOREIGN_PROTOCOLS = ("__torch_", "__array", "__dlpack", "__cuda", "__module__", "__getstate__", "__setstate__")
CALLABLES = (types.FunctionType, types.BuiltinFunctionType, type(functools.cache(len)))
Section = dict[str, Any]


def derive() -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The knowledge of the installed torch, and per section the names torch does not declare."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sections = {
            "functions": functions(),
            "methods": methods(),
            "attributes": attributes(),
            "modules": modules(),
        }
        classes = module_classes()
        knowledge = {
            "torch": torch.__version__.partition("+")[0],
            **{name: with_unknown(name, section) for name, section in sections.items()},
            "fields": fields(),
            "module_classes": classes,
            "constants": constants(),
            "data_dependent": dependence.measured(),
            "int_arguments": numbers.section(function_overloads(), method_overloads()),
            "scalar_arguments": numbers.scalars(function_overloads(), method_overloads()),
            "dtypes": probes.dtypes(tensor_operations(sections)),
        }
    missing = {name: [key for key, value in section.items() if not value] for name, section in sections.items()}
    missing["data_dependent"] = dependence.unaccounted(knowledge["data_dependent"])
    return knowledge, missing


def tensor_operations(sections: dict[str, Section]) -> list[str]:
    """Names of methods and of functions directly under ``torch`` that return one tensor and do not work in place."""
    returns = {**sections["methods"], **{name[6:]: code for name, code in sections["functions"].items()}}
    plain = {name for name, code in returns.items() if code == "T" and "." not in name}
    return sorted(name for name in plain if name.startswith("__") or not name.endswith("_"))


def with_unknown(name: str, section: Section) -> Section:
    """Members of tensors are listed even where what they return is not known: that they exist is known."""
    if name in {"methods", "attributes"}:
        return {key: value or declared.UNKNOWN for key, value in section.items()}
    return {key: value for key, value in section.items() if value}


def public(namespace: str) -> Iterator[tuple[str, Any]]:
    """The names a namespace offers, without what it merely imports."""
    module = importlib.import_module(namespace)
    listed = getattr(module, "__all__", None)
    for name in dir(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", None) or "torch"
        if name.startswith("_") or any(part in name for part in SKIPPED_PARTS) or inspect.ismodule(value):
            continue
        if home.partition(".")[0] != "torch":
            continue
        # __all__ is not complete: torch.fft.hfft2 and torch.jit.is_scripting are public, their homes are not.
        if listed is None or name in listed or namespace in STUBS or home.startswith((namespace, "torch._")):
            yield name, value


def functions() -> Section:
    """What calling ``torch.<name>`` returns."""
    found: Section = {}
    for namespace in ("torch", "torch.nn"):
        for name, value in public(namespace):
            if isinstance(value, type) and (code := class_code(value)):
                found[f"{namespace}.{name}"] = code
    returned = {name: declared.merged(entries) for name, entries in function_overloads().items()}
    return {**found, **returned, **probes.functions()}


@functools.cache
def function_overloads() -> dict[str, list[Entry]]:
    """The overloads of every public function, by dotted name."""
    return {
        f"{namespace}.{name}": function_entries(namespace, name, value)
        for namespace in NAMESPACES
        for name, value in public(namespace)
        if isinstance(value, CALLABLES) and not isinstance(value, type)
    }


def class_code(value: type) -> str | None:
    """What building an instance returns, for the few classes that matter: tensors, sizes, devices, dtypes."""
    if issubclass(value, torch.Tensor) or type(value) is type(torch.FloatTensor):
        return "T"
    return {torch.Size: "size", torch.device: "device"}.get(value)


def function_entries(namespace: str, name: str, value: Any) -> list[Entry]:
    """The overloads of one function: from its own source, else from a stub, else from the operator schemas."""
    if name.endswith("_copy"):  # of some of these the stub has only the form that writes into `out` and returns None
        return operator_entries(name)
    for source in STUBS.get(namespace, ()):
        if entries := declared.annotated(stub(source).get(name, [])):
            return entries
    if not isinstance(value, types.BuiltinFunctionType):
        entries = declared.python_function(value)
        return entries or (operator_entries(name) if value.__module__ == "torch.functional" else [])
    prefix = namespace.rpartition(".")[2]
    operator = f"{prefix}_{name}" if namespace in {"torch.linalg", "torch.fft", "torch.special"} else name
    operator = value.__name__ if operator not in declared.schemas() else operator
    return operator_entries(operator)


def operator_entries(operator: str) -> list[Entry]:
    """The overloads of an operator as its schemas declare them."""
    return [declared.entry_from_schema(schema) for schema in declared.schemas().get(operator, [])]


def stub(relative: str) -> dict[str, list[ast.FunctionDef]]:
    """The functions of one of torch's stub files."""
    return declared.definitions(str(TORCH / relative))


@functools.cache
def tensor_members() -> list[ast.stmt]:
    """What the stub of ``TensorBase`` and the source of ``Tensor`` define, the stub first."""
    stubbed = declared.class_body(str(TORCH / "_C/__init__.pyi"), "TensorBase")
    return [*stubbed, *declared.class_body(str(TORCH / "_tensor.py"), "Tensor")]


def is_property(node: ast.stmt) -> bool:
    """Whether a definition is read like an attribute."""
    return isinstance(node, ast.FunctionDef) and any(ast.unparse(item) == "property" for item in node.decorator_list)


def methods() -> Section:
    """What calling a tensor's method returns."""
    returned = {name: declared.merged(entries) for name, entries in method_overloads().items()}
    return {**returned, **probes.methods()}


@functools.cache
def method_overloads() -> dict[str, list[Entry]]:
    """The overloads of every public method of a tensor, by name."""
    written: dict[str, list[ast.FunctionDef]] = {}
    for node in tensor_members():
        if isinstance(node, ast.FunctionDef) and not is_property(node):
            written.setdefault(node.name, []).append(node)
    members = [name for name in dir(torch.Tensor) if is_public_member(name) and callable(getattr(torch.Tensor, name))]
    return {name: method_entries(name, written.get(name, [])) for name in members}


def is_public_member(name: str) -> bool:
    """Names without a leading underscore, and operators; not what every Python object has."""
    if name.startswith("__") and name.endswith("__"):
        return name in COMPARISONS or (name not in dir(object) and not name.startswith(FOREIGN_PROTOCOLS))
    return not name.startswith("_")


def method_entries(name: str, nodes: list[ast.FunctionDef]) -> list[Entry]:
    """The overloads of a method: from the stub or its annotations, else those of the function of that name."""
    if entries := declared.annotated(nodes, own="T", method=True):
        return entries
    if isinstance(function := getattr(torch, name, None), types.FunctionType):
        return [as_method(entry) for entry in declared.python_function(function)]
    tensors = [item for item in declared.schemas().get(name, []) if str(item.arguments[0].type) == "Tensor"]
    return [declared.entry_from_schema(schema, method=True) for schema in tensors]


def as_method(entry: Entry) -> Entry:
    """The same overload with its first argument bound."""
    if not entry["params"]:
        return entry
    return {**entry, "params": entry["params"][1:], "required": max(entry["required"] - 1, 0)}


def attributes() -> Section:
    """What reading a tensor's attribute returns; where the stub is silent, what it is on a plain tensor."""
    found: Section = {}
    for node in tensor_members():
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = declared.return_code(node.annotation, own="T")
        elif is_property(node) and isinstance(node, ast.FunctionDef):
            found[node.name] = declared.return_code(node.returns, own="T")
    silent = [name for name in dir(torch.Tensor) if inspect.isgetsetdescriptor(getattr(torch.Tensor, name))]
    measured = {name: probes.attribute(name) for name in silent if name not in found}
    public_names = {name: code for name, code in {**found, **measured}.items() if not name.startswith("_")}
    return {name: None if code == declared.UNKNOWN else code for name, code in public_names.items()}


def module_aliases() -> Iterator[tuple[str, type[torch.nn.Module]]]:
    """Every ``(dotted name, class)`` of a module class that torch offers under a public module path."""
    below = [module for tree in MODULE_TREES for module in walk(tree)]
    for module in [*below, *map(importlib.import_module, MODULE_PACKAGES)]:
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, torch.nn.Module) and value.__module__.startswith("torch"):
                yield f"{module.__name__}.{name}", value


def walk(package: str) -> Iterator[types.ModuleType]:
    """A package and all public modules below it; torch's own modules need nothing that torch does not bring."""
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.walk_packages(root.__path__, f"{package}."):
        if not any(part.startswith("_") for part in info.name.split(".")):
            yield importlib.import_module(info.name)


def module_classes() -> dict[str, list[str]]:
    """All names under which torch offers ``torch.nn.Module`` and its subclasses, by Python module."""
    found: dict[str, set[str]] = {}
    for dotted, _ in module_aliases():
        package, _, name = dotted.rpartition(".")
        found.setdefault(package, set()).add(name)
    return {package: sorted(names) for package, names in found.items()}


def modules() -> Section:
    """What calling an instance of a ``torch.nn`` module returns; an overload's arguments are those of ``__init__``."""
    found: Section = {}
    for name, value in module_aliases():
        if name.count(".") == 2 and name.startswith("torch.nn.") and value.forward is not torch.nn.Module.forward:
            found[name] = declared.merged(forward_entries(value))
    return found


def forward_entries(module: type[torch.nn.Module]) -> list[Entry]:
    """The overloads of a ``forward``, or of the function it hands its work to."""
    owner = next(base for base in module.__mro__ if "forward" in vars(base))
    path = inspect.getsourcefile(owner)
    body = declared.class_body(str(path), owner.__name__)
    nodes = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == "forward"]
    if entries := declared.annotated(nodes, method=True):
        # A recurrent module also declares what comes of a PackedSequence; a tensor is what it is nearly always given.
        return [entry for entry in entries if entry["types"].get(entry["params"][0]) == "T"] or entries
    return by_option(nodes[-1], module)


def by_option(forward: ast.FunctionDef, module: type[torch.nn.Module]) -> list[Entry]:
    """``return F.max_pool2d(..., return_indices=self.return_indices)``: what comes out was decided in ``__init__``."""
    statement = forward.body[-1]
    if not (isinstance(statement, ast.Return) and isinstance(statement.value, ast.Call)):
        return []
    call = statement.value
    function: Any = getattr(torch.nn.functional, ast.unparse(call.func).removeprefix("F."), len)
    if function not in boolean_dispatched:
        return []
    option = str(boolean_dispatched[function]["arg_name"])
    signature = inspect.signature(module.__init__)
    return [option_entry(entry, option, signature) for entry in declared.python_function(function)]


def option_entry(entry: Entry, option: str, signature: inspect.Signature) -> Entry:
    """An overload of the constructor, from one of the function it configures; only the option tells them apart."""
    names = list(signature.parameters)[1:]
    must = {"must": [option]} if option in entry.get("must", []) else {}
    return {"params": names, "required": 0, **must, "types": {option: entry["types"][option]}, "ret": entry["ret"]}


def fields() -> dict[str, str]:
    """The fields of torch's named results, ``torch.return_types``: ``x.max(0).values`` is a tensor."""
    found: dict[str, set[str]] = {}
    for name, value in vars(torch.return_types).items():
        if not name.startswith("_") and not name.endswith("_out") and hasattr(value, "__match_args__"):
            for field, code in declared.named_fields(name).items():
                found.setdefault(field, set()).add(code)
    codes = {field: declared.union_code(known) for field, known in found.items()}
    return {field: code for field, code in codes.items() if code != declared.UNKNOWN}


def constants() -> dict[str, str]:
    """Values under ``torch`` that are no functions: dtypes, numbers, switches."""
    codes: dict[type, str] = {torch.dtype: "dtype", float: "float", bool: "bool", int: "int", type(None): "none"}
    found = {"torch.__version__": "str"}
    for namespace in ("torch", "torch.backends.cudnn", "torch.backends.cuda.matmul"):
        module = functools.reduce(getattr, namespace.split(".")[1:], torch)
        for name in dir(module):
            code = codes.get(type(getattr(module, name, ...)))
            if code and not name.startswith("_") and not name.isupper():
                found[f"{namespace}.{name}"] = code
    return found


def render(knowledge: dict[str, Any]) -> str:
    """The file's text: one entry a line, sorted, so that a difference between two torch versions can be read."""
    parts = [f'"torch": {json.dumps(knowledge["torch"])}']
    dump: Callable[[Any], str] = functools.partial(json.dumps, separators=(",", ":"))
    for name, section in knowledge.items():
        if isinstance(section, dict):
            lines = [f"{dump(key)}:{dump(section[key])}" for key in sorted(section)]
            parts.append(f'"{name}": {{\n' + ",\n".join(lines) + "\n}")
        elif isinstance(section, list):
            parts.append(f'"{name}": [\n' + ",\n".join(map(dump, section)) + "\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def check(text: str) -> int:
    """Say how the committed file differs from what this torch declares; 0 if it does not."""
    old = OUTPUT.read_text(encoding="utf-8").splitlines()
    difference = list(difflib.unified_diff(old, text.splitlines(), "committed", "derived", n=0, lineterm=""))
    print(*(difference or [f"{OUTPUT.name} is what torch {torch.__version__} declares"]), sep="\n")
    return 1 if difference else 0


def main() -> int:
    """Write the file, or only compare it, and say what could not be derived."""
    parser = argparse.ArgumentParser(description="Derive what the linter knows of torch from the torch installed here.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the file would change")
    options = parser.parse_args()
    knowledge, missing = derive()
    text = render(knowledge)
    if options.check:
        return check(text)
    OUTPUT.write_text(text, encoding="utf-8")
    print(f"torch {knowledge['torch']}: {len(text)} bytes")
    for name, section in knowledge.items():
        if not isinstance(section, str):
            unknown = missing.get(name, [])
            print(f"{name}: {len(section)} known, {len(unknown)} not declared by torch", *unknown, sep="\n  ")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
