"""A tensor where torch takes a Python int: a size, a count, a slice bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.arguments import Key, arguments, ast_argument, is_plain_input, is_proven
from flake8_torchtrace.source.knowledge import IntArguments, load
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Sequence, Tensor, Value, drop_none

_ANY_NUMBER = IntArguments((0, 1, 2), frozenset({"start", "end", "step"}), None)
_RANGES = ("torch.arange", "torch.range")
# Which of two dimensions is never a matter of data, so most functions that take nothing but a dimension are not asked about.
_DIMENSIONS = {"dim", "dims", "dim0", "dim1", "axis", "axis0", "axis1", "start_dim", "end_dim", "dimension", "source", "destination"}
_NAMES = tuple(name for name in load().int_argument_names() if (load().int_arguments(name) or _ANY_NUMBER).named - _DIMENSIONS)

# Where a tensor comes from whose number dynamo knows while it traces.
_CONSTANTS = ("torch.tensor", "torch.as_tensor", "torch.scalar_tensor", "torch.div", "torch.floor_divide")

# Measured on torch 2.13.0. Names without their package; the rest breaks only a default compile.
_REFUSED = {
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d", "chunk", "combinations", "diag",
    "diag_embed", "diagonal", "embedding", "fft", "hamming_window", "hann_window", "histc", "ifft", "irfft", "linspace", "logspace",
    "max_pool1d", "max_pool2d", "one_hot", "pixel_shuffle", "pixel_unshuffle", "rfft", "rot90", "split", "tensor_split",
    "tril_indices", "triu_indices", "unfold", "vander",
}  # fmt: skip
_REFUSED_BUT_NONSTRICT = {"roll", "tril", "triu", "pad", "select", "kthvalue", "bincount"}


class TensorAsInt(Rule):
    code = "TTR109"
    name = "tensor-as-int"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile; export gives the result an unbacked size"
    instead = "use a size known beforehand (of the shape, or the largest there can be) and a mask"
    why = (
        "A size, a count or a slice bound is a Python int, so torch reads the number out of the tensor, as `.item()` does. With "
        "fullgraph=True and in export it becomes an unbacked symbol; functions that must decide by the number, such as split or linspace, "
        "are refused."
    )
    fine = (
        "With torch._dynamo.config.capture_scalar_outputs. An input of the module that is a 0-d int tensor is known to torch as a number, "
        "and is not reported where that suffices."
    )
    calls = (*(name for name in _NAMES if not name.startswith("torch.Tensor.")), *_RANGES)
    methods = tuple(name.removeprefix("torch.Tensor.") for name in _NAMES if name.startswith("torch.Tensor."))
    sees = ("subscript", "item")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x, lengths):
        longest = lengths.max()
        return x.new_zeros(longest, 4)
""",
            inputs="torch.randn(2, 4), torch.tensor([1, 2])",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, lengths):
        return x[:, : lengths.max()]
""",
            inputs="torch.randn(2, 4), torch.tensor([1, 2])",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, lengths):
        positions = torch.arange(lengths.max())
        return positions[None, :] < lengths[:, None]
""",
            inputs="torch.randn(2, 4), torch.tensor([1, 2])",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, lengths):
        return torch.split(x, lengths.max())
""",
            inputs="torch.randn(2, 4), torch.tensor([1, 2])",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x, lengths):
        positions = torch.arange(x.shape[1])
        return x * (positions[None, :] < lengths[:, None])
""",
            inputs="torch.randn(2, 4), torch.tensor([1, 2])",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, n):
        return x.new_zeros(n)
""",
            inputs="torch.randn(2, 4), torch.tensor(2)",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.kind in ("subscript", "item"):
            return Confidence.LIKELY if next(_bounds(event), None) is not None else None
        return Confidence.LIKELY if next(_int_tensors(event), None) is not None else None

    def check(self, site: Site) -> Iterator[Hit]:
        event = site.event
        if event.kind in ("subscript", "item"):
            targets = frozenset({Target.COMPILE, Target.EXPORT_NONSTRICT}) if event.kind == "item" else None
            effect = "breaks the graph in compile, refused by non-strict export" if targets else None
            yield site.hit(f"`{site.text()}` has a tensor for a slice bound", site.node, targets, effect)
            return
        key, place, value = next(_int_tensors(event))
        node = _item(ast_argument(event, key), place)
        text = f"`{site.text(node)}`" if node is not None else "an argument"
        targets, effect = _consequence(event.name.rpartition(".")[2])
        yield site.hit(f"{text} is a tensor where `{event.name}` takes an int{site.origin(value)}", node, targets, effect)


def _consequence(name: str) -> tuple[frozenset[Target] | None, str | None]:
    if name in _REFUSED:
        return ALL_TARGETS, "breaks the graph in compile, refused by fullgraph and export"
    if name in _REFUSED_BUT_NONSTRICT:
        return ALL_TARGETS - {Target.EXPORT_NONSTRICT}, "breaks the graph in compile, refused by fullgraph and strict export"
    return None, None


def _item(node: ast.expr | None, place: int) -> ast.expr | None:
    if not isinstance(node, ast.Tuple | ast.List) or place >= len(node.elts):
        return node
    return node if any(isinstance(item, ast.Starred) for item in node.elts) else node.elts[place]


def _int_tensors(event: Event) -> Iterator[tuple[Key, int, Tensor]]:
    """The arguments that are declared to be ints and hold a tensor: argument, place in it, tensor."""
    name = f"torch.Tensor.{event.name}" if event.kind == "method" else event.name
    ints = _ANY_NUMBER if name in _RANGES else load().int_arguments(name)
    if ints is None or (event.kind == "method" and not isinstance(drop_none(event.value) if event.value else None, Tensor)):
        return
    for key, value in arguments(event):
        if ints.has(key):
            for place, item in enumerate(_parts(value)):
                if isinstance(item, Tensor) and is_proven(item) and not _comes_from(item, _CONSTANTS) and not _is_known_number(event, key):
                    yield key, place, item


def _parts(value: Value) -> tuple[Value, ...]:
    return value.items or () if isinstance(value, Sequence) else (value,)


def _comes_from(value: Value, origins: tuple[str, ...]) -> bool:
    return isinstance(value, Tensor) and value.origin is not None and value.origin[0].startswith(origins)


def _is_known_number(event: Event, key: Key) -> bool:
    node = ast_argument(event, key)
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return any(is_plain_input(event.frame, part) for part in parts)


def _bounds(event: Event) -> Iterator[Value]:
    """The tensors among the bounds of the slices of an index."""
    index = event.index
    parts = index.items or () if isinstance(index, Sequence) and index.type == "tuple" else (index,)
    for part in parts:
        if isinstance(part, Sequence) and part.type == "slice":
            yield from filter(is_proven, part.items or ())
