"""The case work of the present reader, and the way back from the last move."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from flask import g, session

from dashboard.frame.context import services
from dashboard.frame.permissions import may, require, who
from services.cases import BEYOND, Casework, Moved
from store.records import CaseStatus
from store.rules.rights import Right

_LAST: Final = "last_move"  # in the reader's session: its batch and of how many cases it was


def casework() -> Casework:
    """What the present reader does, now."""
    return Casework(services().store, who(), services().clock(), may_proceed=may(Right.PROCEED), token=g.get("token"))


def move(
    numbers: Sequence[int],
    status: CaseStatus,
    note: str | None,
    *,
    notice_at: datetime | None = None,
    deadline: datetime | None = None,
) -> Moved:
    """Move these cases as the present reader, and remember them for `undo`; 403 without the right."""
    require(Right.PROCEED if status in BEYOND else Right.DECIDE)
    moved = casework().move(numbers, status, note=note, notice_at=notice_at, deadline=deadline)
    if moved.moved:
        session[_LAST] = {"batch": moved.batch, "count": len(moved.moved)}
    return moved


def undo() -> int:
    """Take the reader's last move back, but for cases that somebody has moved since; of how many cases."""
    last = session.pop(_LAST, None)
    return len(casework().undo(last["batch"])) if last else 0


def undoable() -> int:
    """Of how many cases the last move can be taken back."""
    last = session.get(_LAST)
    return int(last["count"]) if last else 0
