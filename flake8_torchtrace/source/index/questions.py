"""Questions that one file asks of the others.

A question is a JSON text, a list whose first item is its kind:

- ``["where", dotted, asker]`` → ``[module, rest]`` or null: the file a name lies in
- ``["member", module, name]`` → ``["function"]``, ``["class"]``, ``["import", dotted]``, ``["value", value]``,
  ``["stars", [module..]]`` or null
- ``["shape", module, class]`` → a `Shape`
- ``["alias", module, name]`` → what is annotated with ``name`` (``Mask = Optional[Tensor]``), or null
- ``["stored", module, class, attribute]`` → what instances hold there
- ``["call", module, function, receiver, args, keywords, kind]`` → ``[value, is_island]``; ``function`` is qualified
  (``Net.hook``), ``kind`` one of `GIVEN`, `FORWARD` and `OPEN`
- ``["wraps", module, decorator, arguments or null]`` → whether the decorator puts a function of its own in place of
  what it decorates
- ``["wrapper", module, decorator, function, arguments or null, args, keywords]`` → null; the call of what stands in
  place of ``function``

Two more stand for a file as a whole: ``["root", module]``, answered by analysing from wherever tracing starts in it (1 if
it does), and ``["file", module]``, on which everything found in a file rests.
"""

from __future__ import annotations

import json

from flake8_torchtrace.source.index.portable import Json

GIVEN, FORWARD, OPEN = 0, 1, 2
"""Missing arguments of a call have their defaults; are tensors, as those of a forward; are what the function's code says."""
Place = tuple[str, str]
"""A module and a qualified name in it."""


def question(*parts: Json) -> str:
    """The text of a question."""
    return json.dumps(parts, separators=(",", ":"))
