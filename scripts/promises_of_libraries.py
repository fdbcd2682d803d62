"""Holds two libraries to what they keep today, then applies patches of the kind that broke them in public reports.

``python scripts/promises_of_libraries.py`` in an environment with vit-pytorch and transformers 5.24 (the recipes are in ``fixtures/``).
Each library is copied into a project of its own; ``torchtrace ready --propose`` writes down what its classes keep, ``torchtrace ready``
holds it, and each patch has to be told at its line by flake8 alone, by ``torchtrace ready``, or by both. Exit status 1 if something is
not kept or not told.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Patch:
    """``before`` in ``file`` becomes ``after``; ``marks`` is the part of ``after`` that breaks the promise of ``name``. ``head`` is added on top."""

    what: str
    file: str
    name: str
    before: str
    after: str
    marks: str
    head: str = ""


VIT = "vit_pytorch.vit.ViT"
BERT = "transformers.models.bert.modeling_bert.BertModel"
LLAMA = "transformers.models.llama.modeling_llama.LlamaModel"
MIXTRAL = "transformers.models.mixtral.modeling_mixtral.MixtralModel"
PATCHES = {
    "vit_pytorch": (
        Patch("a logger call", "vit.py", VIT, "        x = self.norm(x)\n", "        LOG.warning('norm %s', x.shape)\n        x = self.norm(x)\n",
              "LOG.warning", "import logging\nLOG = logging.getLogger(__name__)\n"),
        Patch("an import and a clock in the hot path", "vit.py", VIT, "        x = self.to_patch_embedding(img)\n",
              "        import time\n        self.started = time.time()\n        x = self.to_patch_embedding(img)\n", "time.time()"),
        Patch(".item() for a log value", "vit.py", VIT, "        attn = self.attend(dots)\n",
              "        attn = self.attend(dots)\n        self.sharpest = attn.max().item()\n", "attn.max().item()"),
        Patch("a print left behind", "vit.py", VIT, "        out = torch.matmul(attn, v)\n",
              "        print('attention', attn.shape)\n        out = torch.matmul(attn, v)\n", "print("),
        Patch("a shortcut that depends on data", "vit.py", VIT, "        x = self.transformer(x)\n",
              "        if bool((x == 0).all()):\n            return self.mlp_head(x[:, 0])\n        x = self.transformer(x)\n", "if bool("),
        Patch("a warning", "vit.py", VIT, "        x = self.norm(x)\n", "        warnings.warn('norm')\n        x = self.norm(x)\n",
              "warnings.warn", "import warnings\n"),
        Patch("a random number of Python", "vit.py", VIT, "        x = self.dropout(x)\n",
              "        x = self.dropout(x) * (1 + 0 * random.random())\n", "random.random()", "import random\n"),
    ),
    "transformers": (
        Patch("a split by tolist()", "models/bert/modeling_bert.py", BERT, "        embeddings = self.LayerNorm(embeddings)\n",
              "        sizes = (input_ids >= 0).sum(-1).tolist()\n        embeddings = torch.stack([e[:n] for e, n in zip(embeddings, sizes)])\n"
              "        embeddings = self.LayerNorm(embeddings)\n", "tolist()"),
        Patch("a check of the values", "models/llama/modeling_llama.py", LLAMA, "        hidden_states = inputs_embeds\n",
              "        hidden_states = inputs_embeds\n        if torch.isnan(hidden_states).any():\n            raise ValueError('nan')\n",
              "if torch.isnan"),
        Patch("a numpy round trip", "models/llama/modeling_llama.py", LLAMA, "        hidden_states = inputs_embeds\n",
              "        hidden_states = inputs_embeds + torch.from_numpy(inputs_embeds.detach().numpy() * 0)\n", ".numpy()"),
        Patch("a call counter that decides", "models/mixtral/modeling_mixtral.py", MIXTRAL, "        hidden_states = inputs_embeds\n",
              "        self.calls = getattr(self, 'calls', 0) + 1\n        hidden_states = inputs_embeds * self.calls\n", "self.calls"),
    ),
}  # fmt: skip
RECIPES = {"vit_pytorch": "recipes.py", "transformers": "architectures.py"}


def main() -> int:
    """Run all; 1 if a promise is not kept or a patch is not told."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("libraries", nargs="*", help="vit_pytorch, transformers (default: both)")
    parser.add_argument("--keep", metavar="DIR", help="work in DIR and keep it")
    options = parser.parse_args()
    is_well = True
    for library in options.libraries or tuple(PATCHES):
        folder = Path(options.keep or tempfile.mkdtemp(prefix="promises-")) / library
        try:
            is_well &= _library(library, folder)
        finally:
            if options.keep is None:
                shutil.rmtree(folder.parent, ignore_errors=True)
    return 0 if is_well else 1


def _library(library: str, folder: Path) -> bool:
    spec = find_spec(library)
    if spec is None or spec.origin is None:
        print(f"{library} is not installed")
        return False
    if not folder.exists():
        shutil.copytree(Path(spec.origin).parent, folder / library, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "fixtures" / RECIPES[library], folder / "recipes.py")
        (folder / "pyproject.toml").write_text('# a copy\n[tool.torchtrace]\nrecipes = "recipes.py"\n')
    if "torchtrace.ready" not in (folder / "pyproject.toml").read_text():
        _propose(library, folder)
    kept = _run(folder, "ready")
    print(f"{library}: hold: status {kept.returncode}: {kept.stderr.strip().splitlines()[-1]}", flush=True)
    told = [_patched(patch, folder, library) for patch in PATCHES[library]]
    return kept.returncode == 0 and all(told)


def _propose(library: str, folder: Path) -> None:
    text = (folder / "recipes.py").read_text()
    wanted = re.findall(rf'"({library}\.[\w.]+)":', text) or _architectures(folder)
    start = time.monotonic()
    done = _run(folder, "ready", "--propose", "-v", *[name for name in wanted if name.startswith(f"{library}.")])
    print(done.stdout, done.stderr, sep="", end="")
    print(f"{library}: proposed in {time.monotonic() - start:.0f} s: status {done.returncode}", flush=True)


def _architectures(folder: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-c", "import recipes; print(*recipes.RECIPES)"], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split()


def _patched(patch: Patch, folder: Path, library: str) -> bool:
    """Whether the patch is told at its line."""
    file = folder / library / patch.file
    original = file.read_text()
    if patch.before not in original:
        print(f"  {patch.what}: {patch.file} has no such place")
        return False
    try:
        patched = original.replace(patch.before, patch.after, 1)
        after_future = re.sub(r"\A((?:#.*\n|\s*\n|from __future__.*\n)*)", lambda match: match[1] + patch.head, patched, count=1)
        file.write_text(after_future)
        places = {number for number, line in enumerate(after_future.splitlines(), 1) if patch.marks in line and patch.marks not in original}
        places |= {number for number, line in enumerate(after_future.splitlines(), 1) if patch.marks in line and line not in original.splitlines()}
        flake8 = _flake8(folder, file, places)
        ready = _run(folder, "ready", patch.name, "--format", "json")
        broken = [item for item in json.loads(ready.stdout or "[]") if not item["kept"]]
        at_line = [item for item in broken if item["at"]["line"] in places and item["at"]["path"] == file.relative_to(folder).as_posix()]
    finally:
        file.write_text(original)
    by_ready = ", ".join(f"{item['promise']}: {item['why']}" for item in at_line) or "not at its line"
    elsewhere = "; ".join(f"{item['promise']} at {item['at']['path']}:{item['at']['line']}" for item in broken if item not in at_line)
    print(f"  {patch.what} ({patch.file}:{min(places)})")
    print(f"    flake8: {', '.join(sorted(flake8)) or 'nothing at its line'}")
    print(f"    ready: {by_ready}{f'; elsewhere: {elsewhere}' if elsewhere else ''}", flush=True)
    return bool(flake8 or at_line)


def _flake8(folder: Path, file: Path, places: set[int]) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--select", "TTR", "--torchtrace-project", ".", str(file.relative_to(folder))],
        cwd=folder, capture_output=True, text=True, check=False, env=_environment(),
    )  # fmt: skip
    if done.returncode not in (0, 1):
        sys.exit(f"flake8 could not do its work: {done.stderr.strip()}")
    found = re.findall(r":(\d+):\d+: (TTR\d+)", done.stdout)
    return {code for line, code in found if int(line) in places and code != "TTR910"}


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flake8_torchtrace", *arguments], cwd=folder, capture_output=True, text=True, check=False, env=_environment()
    )


def _environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}


if __name__ == "__main__":
    sys.exit(main())
