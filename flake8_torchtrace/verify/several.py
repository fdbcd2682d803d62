"""Two interpreters asked about the same findings, so that their answers can be compared one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..model import Finding, Outcome, TargetVerdict, Verdict
from .home import VerifySettings
from .match import UNPREDICTED_CODE
from .session import Session, Verification


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
        broken = _once(finding for verification in first for finding, _ in verification.extra if finding.code == UNPREDICTED_CODE)
        claims = [*findings, *broken]
        again = [session.judge(source, claims, found) for session, found in zip(self._sessions, asked, strict=True)]
        others = _once(finding for verification in first for finding, _ in verification.extra if finding.code != UNPREDICTED_CODE)
        before, after = (
            [*(verdict for _, verdict in judged.verdicts), *(_told(found, finding) for finding in others)]
            for judged, found in zip(again, first, strict=True)
        )
        pairs = list(zip([*claims, *others], after, strict=True))
        notes = tuple(dict.fromkeys([*first[0].notes, *first[1].notes]))
        return Verification(first[1].torch, tuple(pairs[: len(findings)]), tuple(pairs[len(findings) :]), notes, tuple(before), runs=first[1].runs)

    def put(self, path: str, source: str, request: dict[str, Any]) -> dict[str, Any]:
        """As `Session.put`, to the later one."""
        return self._sessions[1].put(path, source, request)

    @property
    def settings(self) -> VerifySettings:
        """Those of the later one."""
        return self._sessions[1].settings

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


def _told(verification: Verification, finding: Finding) -> Verdict:
    """What was told of ``finding`` beyond the breaks; that nothing was, where the modules ran and there was nothing."""
    verdict = next((verdict for other, verdict in verification.extra if _is_same(other, finding)), None)
    if verdict is not None:
        return verdict
    outcome = Outcome.DISMISSED if any(run.targets for run in verification.runs) else Outcome.UNVERIFIED
    return Verdict(verification.torch, {target: TargetVerdict(outcome, "nothing of the kind") for target in finding.targets})


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each code and statement; the torches may name different parts of one."""
    found: list[Finding] = []
    for finding in findings:
        if not any(_is_same(item, finding) for item in found):
            found.append(finding)
    return found


def _is_same(one: Finding, other: Finding) -> bool:
    return one.code == other.code and one.statement == other.statement
