"""The decisions of the present reader, and the way back from the last one."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from flask import session

from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from services.cases import decisions, undoing
from services.cases.decisions import Decided
from store.records import CaseStatus, Lawsuit

_LOOKED_AT: Final = 100  # cases that were not moved, of which it is told where they lead
_LAST: Final = "last_move"  # in the reader's session: its batch and of how many cases it was


def decide(
    numbers: Sequence[int],
    status: CaseStatus,
    note: str | None = None,
    *,
    notice_at: datetime | None = None,
    deadline: datetime | None = None,
    in_passing: bool = False,
    until: datetime | None = None,
    lawsuit: Lawsuit | None = None,
) -> Decided:
    """Decide as the present reader, and remember it for `undo`."""
    decided = decisions.decide(
        acting(),
        numbers,
        status,
        note=note,
        notice_at=notice_at,
        deadline=deadline,
        in_passing=in_passing,
        until=until,
        lawsuit=lawsuit,
    )
    if decided.moved:
        session[_LAST] = {"batch": decided.batch, "count": len(decided.moved)}
    return decided


def ways_from(numbers: Sequence[int]) -> str:
    """Where cases lead that were not moved, by their statuses: 已排除 → 重新打开、确认侵权."""
    cases = services().store.cases.many(numbers[:_LOOKED_AT], passages=1).values()
    ways = {case.status: decisions.judgements(acting(), case) for case in cases}
    return t("case.then").join(f"{t(f'status.{status}')} → {listed(open) or '—'}" for status, open in ways.items())


def listed(statuses: Iterable[CaseStatus]) -> str:
    """Moves to these statuses as their buttons call them, one behind the other."""
    return t("case.and").join(t(f"case.to_{status}") for status in statuses)


def undo() -> int:
    """Take the reader's last decision back, but for cases that somebody has decided since; of how many cases."""
    last = session.pop(_LAST, None)
    return len(undoing.undo(acting(), last["batch"])) if last else 0


def undoable() -> int:
    """Of how many cases the last decision can be taken back."""
    last = session.get(_LAST)
    return int(last["count"]) if last else 0
