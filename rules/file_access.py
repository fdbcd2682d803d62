"""Files and serialisation."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class FileAccess(Rule):
    code = "TTR204"
    name = "file-access"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export does it once, while tracing"
    instead = "read and write outside of traced code and pass the result in"
    why = (
        "Reading, writing and encoding is work of C code and an effect on the world, and a graph holds neither. Non-strict export does "
        "it once, while it traces, and the exported program never again."
    )
    fine = "In __init__ and in functions that save or load a model."
    calls = (
        "builtins.open", "io.open", "io.StringIO", "io.BytesIO", "json.dump", "json.dumps", "json.load", "json.loads", "pickle.dump",
        "pickle.dumps", "pickle.load", "pickle.loads", "torch.save", "torch.load", "numpy.save", "numpy.savez", "numpy.load",
        "numpy.savetxt", "numpy.loadtxt", "csv.reader", "csv.writer", "csv.DictReader", "csv.DictWriter", "hashlib.*", "glob.glob",
        "glob.iglob", "tempfile.NamedTemporaryFile", "tempfile.TemporaryFile", "builtins.input", "yaml.*", "safetensors.*",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with open(os.devnull) as file:
            file.read()
        return x * 2
""",
            imports="import os",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        text = json.dumps({"scale": 2})
        return x * len(text)
""",
            imports="import json",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.text = json.dumps({"scale": 2})

    def forward(self, x):
        return x * len(self.text)
""",
            imports="import json",
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` reads, writes or encodes data outside of the graph")
