"""What shows that a value is a tensor, or what class it is of: what is taken out of tensors, containers filled later, inherited methods."""

from __future__ import annotations

import pytest
from linted import findings, found

from flake8_torchtrace.model import ALL_TARGETS, Target


@pytest.mark.parametrize(
    "loop",
    [
        "for i, n in enumerate(lens): y[i, :n] = 0",
        "for n in lens: y = y + x[:, :n].sum()",
        "for n in x.sum(1).long(): y = y + x[:, :n].sum()",
        "for i, n in enumerate(torch.sum(x, 1)): y[i, :n] = 0",
        "y = y + torch.arange(lens[-1]).sum()",
        "y = y + x[:, : x.sum(1)[-1]]",
    ],
)
def test_a_number_taken_out_of_a_tensor_is_a_tensor(loop: str) -> None:
    body = f"""
    def forward(self, x, lens):
        y = x * lens.max()
        {loop}
        return y
    """
    assert [code for code, _ in found(body, possible=False)] == ["TTR109"]


@pytest.mark.parametrize("loop", ["for i, n in enumerate(lens): y[i, :n] = 0", "y = y + torch.arange(lens[-1]).sum()"])
def test_a_number_taken_out_of_what_may_be_a_list_is_none(loop: str) -> None:
    body = f"""
    def forward(self, x, lens):
        y = x * 2
        {loop}
        return y
    """
    assert found(body, possible=False) == []


@pytest.mark.parametrize(
    "filled",
    [
        "self.blocks = nn.ModuleList([nn.Linear(4, 4)])",
        "layers = []; layers.append(nn.Linear(4, 4)); self.blocks = nn.ModuleList(layers)",
        "self.blocks = nn.ModuleList(); self.blocks.append(nn.Linear(4, 4))",
        "self.blocks = nn.ModuleList(); self.blocks.extend([nn.Linear(4, 4)])",
        "self.blocks = nn.ModuleList(); self.blocks += [nn.Linear(4, 4)]",
        "blocks = nn.ModuleList(); blocks.append(nn.Linear(4, 4)); self.blocks = blocks",
    ],
)
def test_modules_of_a_list_give_tensors(filled: str) -> None:
    body = f"""
    def __init__(self):
        super().__init__()
        {filled}

    def forward(self, x):
        for block in self.blocks:
            if block(x).any():
                return x
        return x * 2
    """
    assert found(body, possible=False) == [("TTR101", "if block(x).any():")]


@pytest.mark.parametrize("module", ['self.blocks["a"]', "next(iter(self.blocks.values()))"])
def test_modules_of_a_dict_give_tensors(module: str) -> None:
    body = f"""
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleDict({{"a": nn.Linear(4, 4)}})

    def forward(self, x):
        if {module}(x).any():
            return x
        return x * 2
    """
    assert [code for code, _ in found(body, possible=False)] == ["TTR101"]


LOGGERS = """
import logging
from loguru import logger as third

class Mine(logging.Logger):
    pass

class Adapted(logging.LoggerAdapter):
    def process(self, message, keywords):
        return message, keywords

    def warning(self, message):
        super().warning(message)

first = Mine("first")
second = Adapted(logging.getLogger("second"), {})
"""


@pytest.mark.parametrize("call", ["first.info", "second.info", "second.warning", "third.success"])
def test_loggers_of_all_kinds(call: str) -> None:
    body = f"""
    def forward(self, x):
        {call}("called")
        return x * 2
    """
    told, _ = findings(body, possible=False, head=LOGGERS)
    assert [finding.code for finding in told] == ["TTR302"]
    assert (Target.EXPORT_STRICT in told[0].targets) is call.startswith("third")


@pytest.mark.parametrize(
    "call",
    [
        "sorted([x, x + 1], key=lambda part: part.sum())",
        "max([x, x + 1], key=lambda part: part.mean())",
        "parts.sort(key=lambda part: part.sum())",
        "sorted([x, x + 1], key=torch.sum)",
    ],
)
def test_a_key_that_is_a_tensor(call: str) -> None:
    body = f"""
    def forward(self, x):
        parts = [x, x + 1]
        {call}
        return x * 2
    """
    assert [code for code, _ in found(body, possible=False)] == ["TTR113"]


@pytest.mark.parametrize("key", ["lambda part: part.shape[0]", "len", "lambda part: part.dim()"])
def test_a_key_that_is_a_size(key: str) -> None:
    body = f"""
    def forward(self, x):
        return sorted([x, x[:1]], key={key})[0] + max([x, x], key={key})
    """
    assert found(body) == []


NON_STRICT = frozenset({Target.EXPORT_NONSTRICT})


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("{x.sum():.3f}", NON_STRICT),
        ("{x.sum():{width}.3f}", NON_STRICT),
        ("{x.sum()!r}", ALL_TARGETS - NON_STRICT),
        ("{x.sum()}", frozenset()),
        ("{x.shape[0]:>3}", frozenset()),
    ],
)
def test_a_tensor_in_an_f_string(text: str, broken: frozenset[Target]) -> None:
    body = f"""
    def forward(self, x, width: int):
        text = f"{text}"
        return x * 2
    """
    told, _ = findings(body, possible=False)
    assert [(finding.code, finding.targets) for finding in told] == ([("TTR116", broken)] if broken else [])
    torch = pytest.importorskip("torch")
    scope = {"nn": torch.nn}
    exec(f'class Net(nn.Module):\n    def forward(self, x):\n        width = 8\n        text = f"{text}"\n        return x * 2', scope)
    for target, is_strict in ((Target.EXPORT_STRICT, True), (Target.EXPORT_NONSTRICT, False)):
        try:
            torch.export.export(scope["Net"](), (torch.ones(2, 4),), strict=is_strict)
        except Exception:
            assert target in broken
        else:
            assert target not in broken
