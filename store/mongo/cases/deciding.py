"""What people decide about cases, written where the cases lie.

Where two decide the same case at the same moment, one is first: a move is one write that names the statuses that it
starts from, so the second finds the case elsewhere, leaves it, and is told that it stayed.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from store.mongo.cases.case_query import MOST
from store.mongo.cases.move_pipelines import move_pipeline, undo_pipeline
from store.mongo.engine.codec import Document, from_document, milliseconds
from store.mongo.engine.table import Table
from store.records import Case, CaseStatus, Lawsuit
from store.rules.cases import case_moves


class DecidedCases:
    """The moves of cases on their path, as the port says."""

    table: Table

    def decide_many(
        self,
        numbers: Sequence[int],
        status: CaseStatus,
        *,
        only_from: Collection[CaseStatus],
        by: str,
        reason: str | None,
        at: datetime,
        batch: str,
        notice_at: datetime | None = None,
        deadline: datetime | None = None,
        wakes_at: datetime | None = None,
        lawsuit: Lawsuit | None = None,
    ) -> list[int]:
        movable = {
            "number": {"$in": [number for number in numbers if 0 < number <= MOST]},
            "status": {"$in": [one.value for one in only_from]},
        }
        dates = {"notice_at": notice_at, "deadline": deadline}
        move = move_pipeline(
            status, by=by, reason=reason, at=at, batch=batch, dates=dates, wakes_at=wakes_at, lawsuit=lawsuit
        )
        self.table.update_all(movable, move)
        return self.of_batch(batch)

    def of_batch(self, batch: str) -> list[int]:
        return [one["number"] for one in self.table.some({"batch": batch}, fields={"_id": 0, "number": 1})]

    def undo(self, batch: str, *, within: Collection[CaseStatus], by: str | None = None, at: datetime) -> list[int]:
        among = {"$in": [one.value for one in within]}
        whose: Document = {} if by is None else {"decided_by": by}
        which: Document = {"batch": batch, "status": among, "before.status": among, **whose}
        moved = [one["number"] for one in self.table.some(which, fields={"_id": 0, "number": 1})]
        self.table.update_all({**which, "number": {"$in": moved}}, undo_pipeline(at))
        return moved

    def wake(self, at: datetime) -> int:
        due = {"wakes_at": {"$lte": milliseconds(at)}, "status": CaseStatus.QUIET.value}
        lead = move_pipeline(CaseStatus.LEAD, by=case_moves.WAKER, reason=None, at=at)
        return self.table.update_all(due, lead)

    def woken(self, case: Case) -> Case:
        """The case, or the lead that a quiet case becomes because it grew."""
        if not case_moves.wakes(case):
            return case
        lead = move_pipeline(CaseStatus.LEAD, by=case_moves.WAKER, reason=None, at=case.updated_at)
        found = self.table.changed({"_id": case.id, "status": case.status.value}, lead)
        return case if found is None else from_document(Case, found)
