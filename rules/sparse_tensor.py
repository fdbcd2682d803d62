"""Making a sparse tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import COMPILE_TARGETS, Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class SparseTensor(Rule):
    code = "TTR602"
    name = "sparse-tensor"
    family = Family.CONSTRUCTION
    targets = COMPILE_TARGETS
    effect = "breaks the graph in compile, refused by fullgraph"
    instead = "use index_add, scatter_add or gather on dense tensors"
    why = "Dynamo has no stand-in for sparse layouts."
    fine = "Outside of traced code."
    calls = tuple(f"torch.sparse_{layout}_tensor" for layout in ("coo", "csr", "csc", "bsr", "compressed"))
    methods = ("to_sparse", "to_sparse_coo", "to_sparse_csr", "to_sparse_csc")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.to_sparse().to_dense()
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        matrix = torch.sparse_coo_tensor(torch.tensor([[0], [1]]), torch.tensor([1.0]), (4, 4))
        return x @ matrix.to_dense()
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.clone()
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        is_built = site.event.kind == "call"
        targets = COMPILE_TARGETS | {Target.EXPORT_STRICT} if is_built else None
        effect = "breaks the graph in compile, refused by fullgraph and strict export" if is_built else None
        yield site.hit(f"`{site.text()}` makes a sparse tensor", None, targets, effect)
