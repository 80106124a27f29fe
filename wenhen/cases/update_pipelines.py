"""Update cases in MongoDB: decisions, undo, moves to another work, and counts of opened cases."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pymongo.database import Database
from pymongo.operations import ReplaceOne

from wenhen.cases.case_queries import MAX_INT64
from wenhen.cases.model import Case, CaseDecision, CaseStatus
from wenhen.cases.rules import WAKE_ACTOR, should_wake
from wenhen.kit.errors import Conflict
from wenhen.kit.mongo.codec import Document, from_document, to_document, to_milliseconds
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, Table, TableSpec, field_index
from wenhen.kit.progress import Owner, match_id
from wenhen.works.model import Work

# How many cases were ever opened of each work: a bound for what stands there now.
#
# To group all cases by their work costs more than everything else on a screen, as there are nearly as many works as
# cases. A case stays with its work and is never deleted, so no more of them can stand in any list than were opened; who
# looks for the most copied works counts the cases of the first few here, and is done when those that follow cannot have
# more. Decisions change nothing here, and a number that is too high, as after a crash, costs time and no exactness.


CASE_TALLIES: Final = TableSpec(
    name="tallies",
    schema={
        "bsonType": "object",
        "required": ["_id", "opened"],
        "properties": {"_id": {"bsonType": "string"}, "opened": {"bsonType": ["int", "long"]}},
    },
    indexes=(field_index("-opened", "_id"),),
)


class CaseTallies:
    """Numbers by the id of the work."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, CASE_TALLIES, address)

    def count_new(self, cases: Mapping[str, int]) -> None:
        """Count cases that are about to be opened: before they are there, so that no number is ever too low."""
        try:
            self.add_all(cases)
        except Conflict:  # two first cases at once: the other one made the number
            self.add_all(cases)

    def add_all(self, cases: Mapping[str, int]) -> None:
        """Count cases that are there."""
        writes = [self.table.upserting({"_id": id}, {"$inc": {"opened": count}}) for id, count in cases.items()]
        for start in range(0, len(writes), BATCH_DOCUMENTS):
            self.table.write_all(writes[start : start + BATCH_DOCUMENTS])

    def batches(self, size: int) -> Iterator[tuple[list[str], int]]:
        """Yield works, those with most cases first; beside them how many cases none of those after them exceeds."""
        start = 0
        while documents := self.table.some({}, sort=[("opened", -1), ("_id", 1)], skip=start, limit=size):
            yield [document["_id"] for document in documents], documents[-1]["opened"]
            start += size


# Cases moved from a work to the one that takes its place.
#
# The id of a case holds that of its work, so that a moved case is a new document. Numbers are never taken twice: the
# new one waits under the negative number until the old one is gone. Whoever comes after a crash finds either, and goes
# on. The old one is what people decide on until then, so it goes only as it was copied.


def move_cases_to_work(table: Table, work: Work, of_work: str) -> int:
    """Move the cases of a work to another, but for those of pages that this one has a case of; how many."""
    _settle_moved_cases(table, work)
    have = {document["page_id"] for document in table.some({"work_id": work.id}, fields={"page_id": 1})}
    moved = 0
    after = 0
    while old := table.some(
        {"work_id": of_work, "number": {"$gt": after}}, sort=[("number", 1)], limit=BATCH_DOCUMENTS
    ):
        after = old[-1]["number"]
        going = [document for document in old if document["page_id"] not in have]
        taken = table.add_all([_moved_case(document, work) for document in going])  # opened by a worker meanwhile
        going = [document for index, document in enumerate(going) if index not in taken]
        _delete_unchanged_cases(table, going)
        _settle_moved_cases(table, work)
        moved += len(going)
    return moved


def _moved_case(case: Document, work: Work) -> Document:
    id = match_id(Owner.of_page(case["page_id"]), work.id)
    changes: Document = {"_id": id, "number": -case["number"], "work_id": work.id}
    for name in ("match", "found"):
        if match := case.get(name):
            changes[name] = {**match, "id": id, "work_id": work.id}
    return {**case, **changes}


def _settle_moved_cases(table: Table, work: Work) -> None:
    """Give the cases that wait their numbers, those whose old one changed since it was copied as it is now."""
    waiting = [
        -document["number"] for document in table.some({"work_id": work.id, "number": {"$lt": 0}}, fields={"number": 1})
    ]
    while waiting and (old := table.some({"number": {"$in": waiting}})):
        new = [_moved_case(document, work) for document in old]
        table.write_all(
            [ReplaceOne({"_id": document["_id"], "number": document["number"]}, document) for document in new]
        )
        _delete_unchanged_cases(table, old)
    numbers = {"work_id": work.id, "number": {"$in": [-number for number in waiting]}}
    table.update_all(numbers, [{"$set": {"number": {"$abs": "$number"}}}])


def _delete_unchanged_cases(table: Table, cases: Sequence[Document]) -> None:
    if cases:
        table.delete({"$or": [{"_id": case["_id"], "updated_at": case["updated_at"]} for case in cases]})


# One write that moves a case on its path and keeps what stood before, and the write that takes it back.
#
# What a move makes of a case is the rule `wenhen.cases.rules.move_case`; here it is computed where the cases lie,
# so that thousands move at once and nobody's write is lost.


DECISION_FIELDS = (
    *("status", "decided_at", "decided_by", "reason", "asked"),
    *("notice_at", "deadline", "lawsuit", "extent", "wakes_at"),
)


def move_pipeline(decision: CaseDecision, batch: str | None = None) -> list[Document]:
    """Return the update that moves cases as decided."""
    status, moment, lawsuit = decision.status.value, to_milliseconds(decision.at), decision.lawsuit
    dates = {"notice_at": decision.notice_at, "deadline": decision.deadline}
    decided = {
        "status": status,
        "decided_at": moment,
        "decided_by": decision.by,
        "reason": decision.reason,
        "updated_at": moment,
        "batch": batch,
        "wakes_at": None if decision.wakes_at is None else to_milliseconds(decision.wakes_at),
        "asked": None,
        **{name: to_milliseconds(date) for name, date in dates.items() if date is not None},
        **({} if lawsuit is None else {"lawsuit": to_document(lawsuit)}),
    }
    move = {"status": status, "at": moment, "by": decision.by, "note": decision.reason}
    quiet = decision.status is CaseStatus.QUIET
    return [
        {
            "$set": {
                # `$literal`, as a reason may begin with a dollar.
                **{name: {"$literal": value} for name, value in decided.items()},
                "before": {name: {"$ifNull": [f"${name}", None]} for name in DECISION_FIELDS},
                "history": {"$concatArrays": [_history_expression(), [{"$literal": move}]]},
                "extent": _extent_expression() if quiet else {"$literal": None},
            }
        }
    ]


def undo_pipeline(moment: datetime) -> list[Document]:
    """The update that puts back what stood before the last move."""
    history: dict[str, Any] = {
        "$cond": [
            {"$gt": [{"$size": "$history"}, 1]},
            {"$slice": ["$history", {"$subtract": [{"$size": "$history"}, 1]}]},
            [],
        ]
    }
    restored = {name: {"$ifNull": [f"$before.{name}", None]} for name in DECISION_FIELDS}
    return [
        {"$set": {**restored, "history": history, "updated_at": to_milliseconds(moment)}},
        {"$unset": ["before", "batch"]},
    ]


def _history_expression() -> Document:
    """The moves so far; of a case that was decided before moves were kept, that decision."""
    earlier = {"status": "$status", "at": "$decided_at", "by": "$decided_by", "note": {"$ifNull": ["$reason", None]}}
    known = {"$ifNull": ["$history", []]}
    unknown = {"$and": [{"$eq": [known, []]}, {"$gt": ["$decided_at", None]}]}
    return {"$cond": [unknown, [earlier], known]}


def _extent_expression() -> Document:
    return {
        "share_of_page": "$match.share_of_page",
        "share_of_work": "$match.share_of_work",
        "passages": {"$size": "$match.passages"},
        "counted": {"$ne": [{"$ifNull": ["$match.copied_of_page", None]}, None]},
    }


# What people decide about cases, written where the cases lie.
#
# Where two decide the same case at the same moment, one is first: a move is one write that names the statuses that it
# starts from, so the second finds the case elsewhere, leaves it, and is told that it stayed.


class DecidedCases:
    """The moves of cases on their path, as the port says."""

    table: Table

    def decide_many(
        self,
        numbers: Sequence[int],
        decision: CaseDecision,
        *,
        only_from: Collection[CaseStatus],
        batch: str,
    ) -> list[int]:
        movable = {
            "number": {"$in": [number for number in numbers if 0 < number <= MAX_INT64]},
            "status": {"$in": [status.value for status in only_from]},
        }
        self.table.update_all(movable, move_pipeline(decision, batch))
        return self.of_batch(batch)

    def of_batch(self, batch: str) -> list[int]:
        return [document["number"] for document in self.table.some({"batch": batch}, fields={"_id": 0, "number": 1})]

    def last_batch(self, since: str, until: str) -> tuple[str, CaseStatus] | None:
        named = {"batch": {"$gte": since, "$lt": until}}
        found = self.table.some(named, sort=[("batch", -1)], limit=1, fields={"_id": 0, "batch": 1, "status": 1})
        return (found[0]["batch"], CaseStatus(found[0]["status"])) if found else None

    def undo(self, batch: str, *, within: Collection[CaseStatus], by: str | None = None, at: datetime) -> list[int]:
        among = {"$in": [status.value for status in within]}
        whose: Document = {} if by is None else {"decided_by": by}
        which: Document = {"batch": batch, "status": among, "before.status": among, **whose}
        moved = [document["number"] for document in self.table.some(which, fields={"_id": 0, "number": 1})]
        self.table.update_all({**which, "number": {"$in": moved}}, undo_pipeline(at))
        return moved

    def wake(self, moment: datetime) -> int:
        due = {"wakes_at": {"$lte": to_milliseconds(moment)}, "status": CaseStatus.QUIET.value}
        lead = move_pipeline(CaseDecision(status=CaseStatus.LEAD, by=WAKE_ACTOR, at=moment))
        return self.table.update_all(due, lead)

    def woken(self, case: Case) -> Case:
        """The case, or the lead that a quiet case becomes because it grew."""
        if not should_wake(case):
            return case
        lead = move_pipeline(CaseDecision(status=CaseStatus.LEAD, by=WAKE_ACTOR, at=case.updated_at))
        woken_case = self.table.find_and_change({"_id": case.id, "status": case.status.value}, lead)
        return case if woken_case is None else from_document(Case, woken_case)
