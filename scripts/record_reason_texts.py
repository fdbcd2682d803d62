"""Record the free texts an installed torch gives for breaks, as they stand in its source.

    python scripts/record_reason_texts.py FOLDER     (with the interpreter whose torch is meant)

Writes ``FOLDER/reasons-VERSION.json``: the first lines of what ``unimplemented(...)`` and the constructors of dynamo's
exceptions are given as a text in ``torch/_dynamo``, with ``X`` where a value is filled in. Texts of torch 2.8 and later are
in its own registry instead. A test asks that each has a family.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

_SPEAKERS = frozenset({"unimplemented", "unimplemented_with_warning", "Unsupported", "UserError"})
_LONGEST = 100


def texts(tree: ast.AST) -> Iterator[str]:
    """The first lines of the texts given in one file."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or _name(call.func) not in _SPEAKERS:
            continue
        for argument in call.args:
            text = _text(argument)
            if text is not None and text.replace("X", "").strip():
                yield text.strip().splitlines()[0][:_LONGEST]


def _name(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return None


def main() -> None:
    """Read the installed torch and write its file."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        sys.exit(f"torch is not installed in {sys.executable}")
    version = importlib.metadata.version("torch").partition("+")[0]
    dynamo = Path(found.origin).parent / "_dynamo"
    all_texts = {text for path in dynamo.rglob("*.py") for text in texts(ast.parse(path.read_text(encoding="utf-8")))}
    target = Path(sys.argv[1]) / f"reasons-{version}.json"
    target.write_text(json.dumps(sorted(all_texts), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{target}: {len(all_texts)} texts")


if __name__ == "__main__":
    main()
