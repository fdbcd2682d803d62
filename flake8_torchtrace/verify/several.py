"""Two interpreters asked about the same findings, so that their answers can be compared one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model import Finding, Verdict
from .session import Session, Verification
from .text import contains


class Pair:
    """In the place of one session: the verdicts are those of ``after``, and beside them stand those of ``before``."""

    def __init__(self, before: Session, after: Session) -> None:
        self._sessions = (before, after)

    def warm(self, path: str, source: str) -> None:
        """As `Session.warm`, for both."""
        for session in self._sessions:
            session.warm(path, source)

    def offers_inputs(self, source: str) -> bool:
        """As `Session.offers_inputs`, which is the same for both."""
        return self._sessions[1].offers_inputs(source)

    def verify(self, path: str, source: str, findings: Sequence[Finding]) -> Verification:
        """As `Session.verify`. What only one of the two broke on is put to the other as well, so that it says whether it traced that."""
        asked = [session.ask(path, source, findings) for session in self._sessions]
        first = [session.judge(source, findings, found) for session, found in zip(self._sessions, asked, strict=True)]
        extra = _once(finding for verification in first for finding, _ in verification.extra)
        claims = [*findings, *extra]
        before, after = (session.judge(source, claims, found) for session, found in zip(self._sessions, asked, strict=True))
        return Verification(
            first[1].torch, after.verdicts[: len(findings)], after.verdicts[len(findings) :],
            tuple(dict.fromkeys([*first[0].notes, *first[1].notes])), _verdicts(before), after.runs,
        )  # fmt: skip

    def touching(self, files: Iterable[str]) -> set[str]:
        """As `Session.touching`, of either."""
        wanted = list(files)
        return self._sessions[0].touching(wanted) | self._sessions[1].touching(wanted)

    @property
    def problem(self) -> str:
        """As `Session.problem`, of either: they keep their answers in one file."""
        return self._sessions[0].problem or self._sessions[1].problem

    def close(self) -> None:
        """As `Session.close`, for both."""
        for session in self._sessions:
            session.close()


def _verdicts(verification: Verification) -> tuple[Verdict, ...]:
    return tuple(verdict for _, verdict in verification.verdicts)


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each statement; the torches may name different parts of one."""
    found: list[Finding] = []
    for finding in findings:
        if not any(contains(item.statement, finding.statement) and contains(finding.statement, item.statement) for item in found):
            found.append(finding)
    return found
