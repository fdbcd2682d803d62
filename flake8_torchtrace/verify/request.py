"""What the server is asked about a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..inputs.declared import Declared
from ..model import Target


def request(
    path: str,
    offered: Declared,
    targets: Iterable[Target],
    *,
    recipes: str | None = None,
    owners: Iterable[str] = (),
    functions: Sequence[Sequence[int]] = (),
    lines: Iterable[int] = (),
    account: bool = False,
    only: str | None = None,
    variants: Sequence[dict[str, Any]] = (),
    repeats: Sequence[dict[str, Any]] = (),
    dynamic: bool = False,
    describe: bool = False,
    portable: bool = False,
    replay: bool = False,
    synthesis: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Run what the file ``path`` offers for ``targets``.

    ``owners`` are classes that an ``example_inputs()`` without names is for; ``functions`` (first and last line) and ``lines``
    are those with findings, 1-based; with ``account`` frames, graphs and guards are counted too. ``only`` runs what is for the class
    of that name, in each of ``variants`` (``inputs.variants``), with ``repeats``: so many ``calls``,
    then one for each of ``batches``, for ``tracing.repeat``. With ``dynamic`` every size of
    the inputs is left open too. With ``describe`` the exported program is described for a person, with
    ``portable`` it is saved, and loaded by a process that cannot import the code, with ``replay`` it is compared with the module over
    several calls. With ``synthesis`` inputs are made for classes
    whose code nothing else runs: ``owned`` has the functions with findings by class, ``seconds`` the time for each search;
    ``first`` tells that it comes before what is declared.
    """
    of_class = {"only": only, "variants": list(variants), "repeats": list(repeats), "describe": describe, "portable": portable}
    extra = {} if only is None else of_class
    owners = list(owners)
    conventional = [*offered.conventional, *(name for name in offered.inheriting if name in owners and name not in offered.conventional)]
    return {
        "path": path,
        "make": offered.make,
        "example_inputs": offered.example_inputs,
        "classes": list(offered.classes),
        **({"conventional": conventional} if conventional and not offered.make else {}),
        "owners": list(owners),
        "functions": [list(function) for function in functions],
        "lines": list(lines),
        "targets": [target.value for target in targets],
        "recipes": recipes,
        "account": account,
        **extra,
        "dynamic": dynamic,
        "replay": replay,
        **({"synthesis": synthesis} if synthesis is not None else {}),
    }
