"""Modules whose frames, graphs and guards are counted by the tests."""

import torch
from torch import nn


class TwoPrints(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sin(x)
        print()
        z = y * 2
        print()
        return z + 1


class PrintFirst(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print()
        return x + 1


class Loop(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(2):
            x = x + 1
            print()
        return x


class Branch(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y


class InCallee(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept = x * 3
        return self.helper(x * 2) + kept

    def helper(self, x: torch.Tensor) -> torch.Tensor:
        made = x + 1
        print()
        return made * 2


class Grows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        if self.calls > 1:
            x = x + 1
        return x * self.calls


def example_inputs() -> dict[str, tuple[torch.Tensor]]:
    names = ("TwoPrints", "PrintFirst", "Loop", "Branch", "InCallee", "Grows")
    return {name: (torch.ones(4),) for name in names}
