"""Which files differ from a commit, asked of git."""

from __future__ import annotations

import os
import subprocess

from flake8_torchtrace.usage import UsageError


def changed_files(base: str | None) -> set[str]:
    """Real paths of what was changed, added or deleted since ``base`` was left, or without it since the last commit. Raises UsageError."""
    top = _git(os.getcwd(), "rev-parse", "--show-toplevel").rstrip("\n")
    commit = "HEAD" if base is None else _git(top, "merge-base", base, "HEAD").strip()
    listed = _git(top, "diff", "--name-only", "--no-renames", "-z", commit, "--") + _git(top, "ls-files", "--others", "--exclude-standard", "-z")
    return {os.path.realpath(os.path.join(top, name)) for name in listed.split("\0") if name}


def _git(folder: str, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"--changed-only: cannot run git: {error.strerror}") from error
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(f"--changed-only: git {arguments[0]}: {told[0] if told else f'status {done.returncode}'}")
    return os.fsdecode(done.stdout)
