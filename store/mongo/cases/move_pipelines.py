"""One write that moves a case on its path and keeps what stood before, and the write that takes it back.

What a move makes of a case is the rule `store.rules.cases.case_moves.moved`; here it is computed where the cases lie,
so that thousands move at once and nobody's write is lost.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from store.mongo.engine.codec import Document, milliseconds, to_document
from store.records import CaseStatus, Lawsuit

DECISION = (
    *("status", "decided_at", "decided_by", "reason", "asked"),
    *("notice_at", "deadline", "lawsuit", "extent", "wakes_at"),
)


def move_pipeline(
    status: CaseStatus,
    *,
    by: str,
    reason: str | None,
    at: datetime,
    batch: str | None = None,
    dates: Mapping[str, datetime | None] | None = None,
    wakes_at: datetime | None = None,
    lawsuit: Lawsuit | None = None,
) -> list[Document]:
    """The update that moves cases to the status; a date of its notice, or a lawsuit, that is None stays as it is."""
    decided = {
        "status": status.value,
        "decided_at": milliseconds(at),
        "decided_by": by,
        "reason": reason,
        "updated_at": milliseconds(at),
        "batch": batch,
        "wakes_at": None if wakes_at is None else milliseconds(wakes_at),
        "asked": None,
        **{name: milliseconds(date) for name, date in (dates or {}).items() if date is not None},
        **({} if lawsuit is None else {"lawsuit": to_document(lawsuit)}),
    }
    move = {"status": status.value, "at": milliseconds(at), "by": by, "note": reason}
    quiet = status is CaseStatus.QUIET
    return [
        {
            "$set": {
                # `$literal`, as a reason may begin with a dollar.
                **{name: {"$literal": value} for name, value in decided.items()},
                "before": {name: {"$ifNull": [f"${name}", None]} for name in DECISION},
                "history": {"$concatArrays": [_history(), [{"$literal": move}]]},
                "extent": _extent() if quiet else {"$literal": None},
            }
        }
    ]


def undo_pipeline(at: datetime) -> list[Document]:
    """The update that puts back what stood before the last move."""
    history: dict[str, Any] = {
        "$cond": [
            {"$gt": [{"$size": "$history"}, 1]},
            {"$slice": ["$history", {"$subtract": [{"$size": "$history"}, 1]}]},
            [],
        ]
    }
    restored = {name: {"$ifNull": [f"$before.{name}", None]} for name in DECISION}
    return [
        {"$set": {**restored, "history": history, "updated_at": milliseconds(at)}},
        {"$unset": ["before", "batch"]},
    ]


def _history() -> Document:
    """The moves so far; of a case that was decided before moves were kept, that decision."""
    earlier = {"status": "$status", "at": "$decided_at", "by": "$decided_by", "note": {"$ifNull": ["$reason", None]}}
    known = {"$ifNull": ["$history", []]}
    unknown = {"$and": [{"$eq": [known, []]}, {"$gt": ["$decided_at", None]}]}
    return {"$cond": [unknown, [earlier], known]}


def _extent() -> Document:
    return {
        "share_of_page": "$match.share_of_page",
        "share_of_work": "$match.share_of_work",
        "passages": {"$size": "$match.passages"},
    }
