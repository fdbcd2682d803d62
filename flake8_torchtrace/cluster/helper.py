"""A process on a worker that checks one file after the other; started by ``watch``, and ended by the end of its input.

Its standard input has a `Job` and then pairs of a path and what the store knows of it; its standard output the answers. Both ends are this
package, so they are pickled.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from typing import BinaryIO

from flake8_torchtrace.audit.check import Checker
from flake8_torchtrace.audit.settings import begin
from flake8_torchtrace.cluster.job import Job, identity
from flake8_torchtrace.folder import VARIABLE
from flake8_torchtrace.run import Run
from flake8_torchtrace.verify.child import adopt_orphans
from flake8_torchtrace.verify.store import Store


def main() -> None:
    """Serve until there is no more to do."""
    adopt_orphans()  # so that whoever watches this process sees the verification server below it
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed may get between the answers
    job: Job = pickle.load(sys.stdin.buffer)
    with tempfile.TemporaryDirectory(prefix="torchtrace-") as folder:
        os.environ[VARIABLE] = folder
        os.chdir(job.directory)
        options, run = begin(job.settings)
        try:
            _tell(answers, _differences(job))
            _serve(Checker(options, _with_index(run, job)), Store(folder), answers)
        finally:
            if run.session is not None:
                run.session.close()


def _serve(checker: Checker, store: Store, answers: BinaryIO) -> None:
    while True:
        try:
            path, rows = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        store.adopt(rows)
        checked = checker.check(path)
        _tell(answers, (checked, [row for row in store.rows(os.path.realpath(path)) if row not in rows]))


def _tell(answers: BinaryIO, answer: object) -> None:
    pickle.dump(answer, answers)
    answers.flush()


def _differences(job: Job) -> str:
    """How this place differs from that of the audit, in words; empty if it does not."""
    own = identity()
    told = [f"{name} {own[name]} instead of {value}" for name, value in job.identity.items() if own[name] != value]
    return ", ".join(told)


def _with_index(run: Run, job: Job) -> Run:
    """The index that the audit made is read where it lies; a worker that does not see it makes one of its own."""
    if job.index is not None:
        root, path = job.index
        if os.path.isfile(path):
            from flake8_torchtrace.source.index.access import Index

            run.index = Index(root, path)
        else:
            run.follow(root)
    return run




if __name__ == "__main__":
    main()
