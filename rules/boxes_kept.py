"""Non-maximum suppression of torchvision."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site

# Stands for the operator where torchvision is not installed: as there, the fake kernel says that the size is not known.
_STAND_IN = """
if not hasattr(torch.ops.torchvision, "nms"):
    library = torch.library.Library("torchvision", "DEF")
    library.define("nms(Tensor boxes, Tensor scores, float threshold) -> Tensor")
    library.impl("nms", lambda boxes, scores, threshold: scores.argsort()[:1], "CPU")

    if hasattr(torch.library, "register_fake"):
        torch.library.register_fake("torchvision::nms")(
            lambda boxes, scores, threshold: boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.long)
        )
    else:
        torch.library.impl_abstract("torchvision::nms")(
            lambda boxes, scores, threshold: boxes.new_empty(torch.library.get_ctx().create_unbacked_symint(), dtype=torch.long)
        )
"""


class BoxesKept(Rule):
    code = "TTR405"
    name = "boxes-kept"
    family = Family.DYNAMIC_SHAPE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile; export gives the result an unbacked size"
    instead = "run it behind the traced code, or keep a fixed number of boxes"
    why = "How many boxes are kept depends on how much they overlap, so the size of the result exists only when the graph has run."
    fine = "With torch._dynamo.config.capture_dynamic_output_shape_ops, and after the traced part of a detector."
    calls = (
        "torch.ops.torchvision.nms", "torchvision.ops.nms", "torchvision.ops.boxes.nms", "torchvision.ops.batched_nms",
        "torchvision.ops.boxes.batched_nms",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, boxes, scores):
        return torch.ops.torchvision.nms(boxes, scores, 0.5)
""",
            inputs="torch.rand(3, 4), torch.rand(3)",
            imports=_STAND_IN,
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, boxes, scores):
        return boxes[scores.topk(2).indices]
""",
            inputs="torch.rand(3, 4), torch.rand(3)",
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"the shape of `{site.text()}` depends on the data")
