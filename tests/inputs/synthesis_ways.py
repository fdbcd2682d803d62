"""Modules with lines that their first inputs do not come to."""
# mypy: ignore-errors

from __future__ import annotations

import torch
from torch import nn


def exists(value):
    return value is not None


class Trains(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.Linear(dim, dim)

    def forward(self, x):
        x = self.layer(x)
        if not self.training:
            return x
        return x * x.mean().item()  # aim


class TakesMask(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        x = self.layer(x)
        if exists(mask):
            x = x[mask]  # aim
        return x


class Flag(nn.Module):
    def __init__(self, dim, other=False, penalty=0.0, count=0):
        super().__init__()
        self.layer = nn.Linear(dim, dim)
        self.has_penalty = penalty > 0
        self.deep = count

    def forward(self, x):
        return self.inner(self.layer(x))

    def inner(self, x):
        if self.has_penalty:
            x = x + x.sum().item()  # aim
        return x


class Both(nn.Module):
    def __init__(self, dim, mode="plain", extra=None):
        super().__init__()
        self.layer = nn.Linear(dim, dim)
        self.mode = mode

    def forward(self, x):
        if self.mode == "rare" and self.training:
            return x.sum().item()  # aim
        return self.layer(x)


class ByKeyword(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.Linear(dim, dim)

    def forward(self, x, **kwargs):
        mask = kwargs.pop("mask", None)
        if exists(mask):
            return x[mask]  # aim
        return self.layer(x)


class Whole(nn.Module):
    def __init__(self, dim, inner: Flag):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Never(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.Linear(dim, dim)

    def forward(self, x, scale=None):
        if torch.jit.is_scripting():
            return x.sum().item()  # aim
        return self.layer(x)
