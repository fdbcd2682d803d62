"""Functions that nothing in the file traces, but that take tensors: another file's forward may call them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.values import Func, Instance
from flake8_torchtrace.source.walk import walk

# Code that runs around a model, not in it.
_NOT_TRACED = re.compile(
    r"__\w+__|_?init_?\w*|reset_\w+|extra_repr|(training|validation|test|predict|optimizer)_step|on_\w+|configure_\w+|\w*dataloader\w*|"
    r"fit|train|train_\w+|evaluate|eval_\w+|main|test_\w+|\w*collate\w*|from_pretrained|save\w*|_?load\w*|convert_\w*(state_dict|checkpoint|weights?|config)\w*|export\w*|"
    r"_?(pre|post)?_?hook\w*|state_dict|log|log_(dict|metrics?|stats?|images?)|plot\w*|visuali[sz]e\w*|parse_\w+|download\w*|add_args|backward|setup_context|"
    r"process|preprocess\w*|post_?process\w*|prepare_data|setup|profile\w*|benchmark\w*|_worker\w*|run|cli|summary|step_optimizer|wrap_\w+|register_\w+"
)


def orphans(it: Interpreter) -> Iterator[tuple[Func, str | None]]:
    """``(function, class)`` for each function of the file that has not been run and that no code around the model is the only caller of."""
    callers = _callers(it)
    for info in it.model.functions.values():
        if _may_be_called(it, info, callers):
            yield Func(info), None
    for cls in it.model.all_classes():
        if _is_data(cls):
            continue
        for info in cls.methods.values():
            if _may_be_called(it, info, callers):
                yield Func(info, Instance(cls)), cls.qualname


# Imports of files that work around models: scripts, training loops, data sets, tests.
_WORKS_AROUND = {
    "argparse", "matplotlib", "seaborn", "csv", "wandb", "tensorboard", "tensorboardX", "datasets", "requests", "unittest", "pytest", "click",
    "fire", "hydra", "urllib", "torch.utils.data", "torch.optim", "torch.utils.tensorboard", "torch.distributed.launch", "accelerate",
}  # fmt: skip
_AROUND_FOLDERS = {
    "pipelines", "io", "loader", "loaders", "sampler", "samplers", "explain", "tests", "test", "examples", "scripts", "tools",
    "data", "datasets", "dataset", "benchmarks", "cli", "commands", "docs",
}  # fmt: skip


_AROUND_FILES = re.compile(
    r"\w*processing\w*|\w*processors?|feature_extract\w*|tokeniz\w*|convert_\w+|train\w*|eval\w*|test_\w+|conftest|setup|__main__|dataset\w*|"
    r"data(_\w+)?|\w*dataloaders?|trainer\w*|\w*pipelines?|pipeline_\w+|callbacks?|metrics?_logger|cli|plot\w*|visuali[sz]\w*"
)


def may_be_part_of_model(it: Interpreter, func: Func) -> bool:
    """Whether the function can be part of a model, as far as its own file tells: a plain function, or a method of a class whose base
    lies in a file that is not seen here."""
    owner = func.info.owner
    return owner is None or any(base.partition(".")[0] not in _STANDARD for base in it.outer_bases(owner))


_STANDARD = {"abc", "typing", "enum", "builtins", "object", "collections", "dataclasses", "torch", "contextlib", "threading", "unittest"}


def is_tensor_library(it: Interpreter) -> bool:
    """Whether the file reads like code that models are made of: it imports torch and nothing that scripts, training loops or data sets
    need. Without an index that is all there is to tell whether its functions are traced."""
    model = it.model
    if not model.imports_torch and not model.has_star_import:
        return False
    *folders, name = re.split(r"[\\/]", model.path)
    if _AROUND_FOLDERS & set(folders) or _AROUND_FILES.fullmatch(name.removesuffix(".py")):
        return False
    used = set(model.imports.values())
    return not any(dotted == name or dotted.startswith(name + ".") for dotted in used for name in _WORKS_AROUND)


def _may_be_called(it: Interpreter, info: FunctionInfo, callers: dict[str, set[str]]) -> bool:
    if info.node in it.ran or info.is_async or _NOT_TRACED.fullmatch(info.name):
        return False
    known = callers.get(info.name, set()) - {info.name}
    return not known or any(not _NOT_TRACED.fullmatch(name) for name in known)


def _is_data(cls: ClassInfo) -> bool:
    return bool({"__getitem__", "__len__"} <= cls.methods.keys()) or any("Dataset" in ast.unparse(base) for base in cls.bases)


def _callers(it: Interpreter) -> dict[str, set[str]]:
    """For each name that is called in the file, the names of the functions that call it."""
    found: dict[str, set[str]] = {}
    functions = [*it.model.functions.values(), *(info for cls in it.model.all_classes() for info in cls.methods.values())]
    for info in functions:
        for node in walk(info.node):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else None
                if name is not None:
                    found.setdefault(name, set()).add(info.name)
    return found
