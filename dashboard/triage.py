"""Decisions, one or many at once, and the way back from the last of them."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from flask import g, session

from dashboard.services import services
from store.errors import NotFound
from store.records import CaseStatus

REASON_LENGTH: Final = 1_000  # characters
MOST: Final = 200  # cases of one decision: what can be undone has to fit the cookie
_LAST: Final = "last_decision"  # in the reader's session: when it was taken, and of which cases


def decide(numbers: Collection[int], status: CaseStatus, reason: str | None) -> int:
    """Decide these cases as the present reader, and remember them for `undo`; cases that are not there are left out.

    How many were decided.
    """
    store, at = services().store, services().clock()
    decided: list[int] = []
    for number in numbers:
        try:
            store.cases.decide(str(number), status, by=g.user, reason=reason, at=at)
        except NotFound:
            continue
        decided.append(number)
    if decided:
        session[_LAST] = {"at": at.isoformat(), "cases": decided}
    return len(decided)


def undo() -> int:
    """Take the reader's last decision back, but for cases that somebody has decided since; of how many cases."""
    last = session.pop(_LAST, None)
    if last is None:
        return 0
    store, now = services().store, services().clock()
    decided_at = datetime.fromisoformat(last["at"])
    undone = [store.cases.undo(str(number), decided_at=decided_at, at=now) for number in last["cases"]]
    return sum(1 for case in undone if case is not None)


def undoable() -> int:
    """Of how many cases the last decision can be taken back."""
    last = session.get(_LAST)
    return len(last["cases"]) if last else 0
