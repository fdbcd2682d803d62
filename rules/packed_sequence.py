"""Packed sequences."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class PackedSequence(Rule):
    code = "TTR306"
    name = "packed-sequence"
    family = Family.SKIPPED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "pad the sequences (pad_sequence) and use a mask"
    why = (
        "The functions that pack and unpack sequences are on the list of code that dynamo declines to trace into: how much is packed "
        "depends on the lengths in a tensor."
    )
    fine = "Around the model rather than inside it. pad_sequence is traced and is not reported."
    calls = (
        "torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence", "torch.nn.utils.rnn.pad_packed_sequence",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        packed = rnn.pack_padded_sequence(x[None], torch.tensor([x.shape[0]]), batch_first=True)
        return packed.data * 2
""",
            imports="from torch.nn.utils import rnn",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return rnn.pad_sequence([x, x[:1]], batch_first=True)
""",
            imports="from torch.nn.utils import rnn",
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` packs or unpacks sequences")
