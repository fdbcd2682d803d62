"""What numpy makes of Python values is a number or an array of them, and no tensor that torch would have to look into."""

from __future__ import annotations

import pytest
from linted import findings, found

from flake8_torchtrace.model import Target

NUMPY = "import numpy as np"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
            def __init__(self, window):
                super().__init__()
                self.window = window

            def forward(self, x, H):
                return x[:, : int(np.ceil(H / self.window)) * self.window]
            """,
            id="number of unknown type",
        ),
        pytest.param(
            """
            def forward(self, x, shape):
                return x.reshape(2, int(np.prod(shape)))
            """,
            id="shape of unknown type",
        ),
        pytest.param(
            """
            def forward(self, x):
                for _ in range(int(np.log2(x.shape[1]))):
                    x = x * 2
                return x
            """,
            id="size",
        ),
        pytest.param(
            """
            def forward(self, x, scale: float):
                if np.isscalar(scale) and np.float32(scale) > 1 and np.minimum(scale, 2.0) < 1:
                    return x
                return x * 2
            """,
            id="numbers",
        ),
        pytest.param(
            """
            def forward(self, x):
                return x if np.ndim(x) > 2 or np.shape(x)[0] == 1 else x * 2
            """,
            id="questions about an array",
        ),
    ],
)
def test_what_is_no_tensor(body: str) -> None:
    assert found(body, head=NUMPY) == []


@pytest.mark.parametrize("made", ["np.array(sizes)", "np.arange(3)", "np.sum([1, 2])", "np.maximum(np.zeros(3), sizes)", "np.random.rand(3)"])
def test_an_array_is_a_tensor_but_not_to_non_strict_export(made: str) -> None:
    body = f"""
    def forward(self, x, sizes):
        if ({made} > 1).any():
            return x
        return x * 2
    """
    told, _ = findings(body, possible=False, head=NUMPY)
    targets = {finding.code: finding.targets for finding in told}
    assert targets["TTR101"] == {Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT}


def test_numpy_of_a_tensor_is_refused_by_non_strict_export_too() -> None:
    body = """
    def forward(self, x):
        return x * float(np.max(x * 2))
    """
    told, _ = findings(body, possible=False, head=NUMPY)
    assert [(finding.code, Target.EXPORT_NONSTRICT in finding.targets) for finding in told] == [("TTR105", True)]


def test_a_number_out_of_a_tensor_stays_one() -> None:
    body = """
    def forward(self, x):
        count = x.sum().item()
        if np.sqrt(count) > 2:
            return x
        return x * 2
    """
    assert found(body, possible=False, head=NUMPY) == [("TTR103", "count = x.sum().item()")]


@pytest.mark.parametrize("made", ["int(np.ceil(x.shape[1] / 3))", "int(np.sqrt(4))", "int(np.log2(x.shape[1]))"])
def test_torch_calculates_with_numbers_of_numpy(made: str) -> None:
    torch = pytest.importorskip("torch")
    numpy = pytest.importorskip("numpy")
    scope = {"np": numpy}
    exec(f"def forward(x):\n    return x[:, :{made}]", scope)
    torch.compile(scope["forward"], backend="eager", fullgraph=True)(torch.ones(2, 4))
