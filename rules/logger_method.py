"""Methods of a Logger, and the functions of the logging module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, COMPILE_TARGETS, Family, Target
from flake8_torchtrace.source.arguments import ast_receiver
from flake8_torchtrace.source.claims import effect_of
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Super

_LEVELS = ("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "fatal")


class LoggerMethod(Rule):
    code = "TTR302"
    name = "logger-method"
    lost_at_export = "TTR501"
    family = Family.SKIPPED
    targets = COMPILE_TARGETS
    effect = "breaks the graph in compile, refused by fullgraph; export drops it"
    instead = "guard it with `if not torch.compiler.is_compiling():` or log in the caller"
    why = "The logging package is on the list of code that dynamo declines to trace into, even when the level is switched off."
    fine = "Under `if not torch.compiler.is_compiling():`."
    calls = (
        *(f"logging.{owner}{level}" for owner in ("", "Logger.", "LoggerAdapter.") for level in _LEVELS),
        "logging.Logger.isEnabledFor",
        "logging.Logger.getEffectiveLevel",
        *(f"loguru.logger.{level}" for level in (*_LEVELS, "trace", "success")),
    )
    bad = (
        Example(
            """
log = logging.getLogger("net")


class Net(nn.Module):
    def forward(self, x):
        log.info("called")
        return x + 1
""",
            imports="import logging",
        ),
    )
    good = (
        Example(
            """
log = logging.getLogger("net")


class Net(nn.Module):
    def forward(self, x):
        if not torch.compiler.is_compiling():
            log.info("called")
        return x + 1
""",
            imports="import logging",
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        if isinstance(ast_receiver(site.event), ast.Call) and not isinstance(site.event.value, Super):
            return  # getLogger("x").info(...): looking the logger up breaks first, and that has a rule of its own
        # Strict export knows the standard library's loggers and drops their calls; this one it traces, up to where it looks at its caller's frame.
        targets = ALL_TARGETS - {Target.EXPORT_NONSTRICT} if site.event.name.startswith("loguru.") else None
        yield site.hit(f"`{site.text()}` logs from traced code", None, targets, effect_of(targets) if targets else None)
