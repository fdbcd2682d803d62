"""Making a sparse tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import COMPILE_TARGETS, Family
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
    calls = tuple(
        f"torch.{name}" for name in ("sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor")
    )
    methods = ("to_sparse", "to_sparse_coo", "to_sparse_csr", "to_sparse_csc")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.to_sparse().to_dense()
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
        yield site.hit(f"`{site.text()}` makes a sparse tensor")
