"""Which experiments the promises of a class ask for, and asking the verification server for them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from flake8_torchtrace.inputs.declared import Declared, declared
from flake8_torchtrace.model import Target
from flake8_torchtrace.ready.collect import Promised
from flake8_torchtrace.ready.outline import read_source
from flake8_torchtrace.ready.promises import Promise, Promises
from flake8_torchtrace.verify import Pair, Session, VerifySettings
from flake8_torchtrace.verify.launch import ServerError
from flake8_torchtrace.verify.request import request

# A module that keeps a promise only at its first call breaks it at the second; guards may fail a third time.
CALLS = 4
# What these say is said of the program that export makes.
OF_EXPORT = (Promise.EXPORT, Promise.REPLAYS, Promise.NO_LOST_EFFECTS, Promise.PORTABLE, Promise.DYNAMIC)
_SHARE_OF_SEARCH = 0.5
COUNTED = (Promise.MAX_BREAKS, Promise.MAX_RECOMPILES)

Answer = dict[str, Any]


def ask(session: Session | Pair, promised: Promised, describe: bool = False) -> Answer:
    """What torch says of the promises of a class, with a description for people if that is asked for.

    A ``failure`` in place of ``runs`` says why it says nothing.
    """
    path = promised.place.path
    try:
        source = read_source(path)
        return session.put(path, source, asked_of(promised, declared(source), session.settings.recipes, session.settings.timeout, describe))
    except ServerError as error:
        return {"failure": str(error)}
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        return {"failure": f"cannot read {path}: {error}"}


def remembered(folder: str, promised: Promised, recipes: str | None, seconds: float) -> Answer | None:
    """What torch said of the promises of a class, if the store in ``folder`` has it."""
    from flake8_torchtrace.verify.recall import recalled

    settings = VerifySettings(recipes=recipes, store=folder)
    try:
        source = read_source(promised.place.path)
        return recalled(folder, settings, source, asked_of(promised, declared(source), recipes, seconds))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None


def asked_of(promised: Promised, offered: Declared, recipes: str | None, seconds: float, describe: bool = False) -> dict[str, Any]:
    """The request. ``seconds``: the time for one experiment."""
    promises, name = promised.promises, promised.place.outline.name.rpartition(".")[2]
    return request(
        promised.place.path, offered, targets(promises.made), recipes=recipes, owners=[name], only=name,
        variants=variants(promises), repeats=list(_repeats(promises)), describe=describe, portable=Promise.PORTABLE in promises.made,
        replay=not promises.made.isdisjoint((Promise.REPLAYS, Promise.NO_LOST_EFFECTS)),
        synthesis=_synthesis(promised, seconds * _SHARE_OF_SEARCH) if promises.is_synthesised else None,
    )  # fmt: skip


def _synthesis(promised: Promised, seconds: float) -> dict[str, Any]:
    outline = promised.place.outline
    return {"owned": {outline.name: [[outline.body, outline.end]]}, "seconds": seconds, "first": False}


def targets(made: Iterable[Promise]) -> list[Target]:
    """The exports that promises are about."""
    wanted = set(made)
    found = [Target.EXPORT_NONSTRICT] if not wanted.isdisjoint(OF_EXPORT) else []
    return [*found, *([Target.EXPORT_STRICT] if Promise.EXPORT_STRICT in wanted else [])]


def variants(promises: Promises) -> list[dict[str, Any]]:
    """Each condition with each other; one without any where there are none."""
    choices: list[list[dict[str, Any]]] = []
    for key, values in (("mode", promises.modes), ("dtype", promises.dtypes), ("batch", promises.batches)):
        choices.append([{key: value} for value in values] or [{}])
    if promises.dynamic:
        choices.append([{"dynamic": {name: {str(dim): dict(bounds) for dim, bounds in sizes} for name, sizes in promises.dynamic}}])
    return [{key: value for part in parts for key, value in part.items()} for parts in itertools.product(*choices)]


def _repeats(promises: Promises) -> Iterable[dict[str, Any]]:
    if Promise.FULLGRAPH in promises.made:
        yield {"calls": CALLS, "fullgraph": True, "batches": []}
    if not promises.made.isdisjoint(COUNTED):
        yield {"calls": CALLS, "fullgraph": False, "batches": list(promises.batches)}
