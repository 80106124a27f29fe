"""Update cases in MongoDB: apply and undo decisions, move cases to another work, and tally the cases of works."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any, Final

from pymongo.operations import ReplaceOne

from wenhen.cases.case_queries import MAX_INT64
from wenhen.cases.model import Case, CaseDecision, CaseStatus
from wenhen.cases.rules import WAKE_ACTOR, should_wake
from wenhen.kit.errors import Conflict
from wenhen.kit.mongo.codec import Document, from_document, to_document, to_milliseconds
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, Records, Repository, Table, TableSpec, field_index
from wenhen.kit.progress import Owner, match_id
from wenhen.works.model import Work

# A transition and its undo as update pipelines. The rule is `wenhen.cases.rules.move_case`. The database computes it,
# so that thousands of cases move at once and no concurrent write is lost.


DECISION_FIELDS = (
    *("status", "decided_at", "decided_by", "reason", "asked", "asked_by", "opinion"),
    *("notice_at", "deadline", "lawsuit", "extent", "wakes_at"),
)


def move_pipeline(decision: CaseDecision, batch: str | None = None) -> list[Document]:
    """Return the update pipeline for a decision."""
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
        "asked_by": None,
        **{name: to_milliseconds(date) for name, date in dates.items() if date is not None},
        **({} if lawsuit is None else {"lawsuit": to_document(lawsuit)}),
    }
    move = {"status": status, "at": moment, "by": decision.by, "note": decision.reason}
    quiet = decision.status is CaseStatus.QUIET
    return [
        {
            "$set": {
                # `$literal`, because a reason may begin with a dollar sign.
                **{name: {"$literal": value} for name, value in decided.items()},
                "before": {name: {"$ifNull": [f"${name}", None]} for name in DECISION_FIELDS},
                "history": {"$concatArrays": [_history_expression(), [{"$literal": move}]]},
                "extent": _extent_expression() if quiet else {"$literal": None},
                "opinion": _opinion_expression(decision.by, moment),
            }
        }
    ]


def undo_pipeline(moment: datetime) -> list[Document]:
    """Return the update pipeline that restores the state before the last decision."""
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
    """Return an expression for the history. For a case decided before histories were stored, it is that decision."""
    earlier = {"status": "$status", "at": "$decided_at", "by": "$decided_by", "note": {"$ifNull": ["$reason", None]}}
    known = {"$ifNull": ["$history", []]}
    unknown = {"$and": [{"$eq": [known, []]}, {"$gt": ["$decided_at", None]}]}
    return {"$cond": [unknown, [earlier], known]}


def _opinion_expression(by: str, moment: datetime) -> Document:
    """Return an expression for the newest answer to a request for a second opinion. A person's decision answers it."""
    asked = {"$and": [{"$gt": ["$asked", None]}, {"$gt": ["$asked_by", None]}, by != WAKE_ACTOR]}
    answer = {"asked_by": "$asked_by", "by": {"$literal": by}, "at": {"$literal": moment}}
    return {"$cond": [asked, answer, {"$ifNull": ["$opinion", None]}]}


def _extent_expression() -> Document:
    return {
        "share_of_page": "$match.share_of_page",
        "share_of_work": "$match.share_of_work",
        "passages": {"$size": "$match.passages"},
        "counted": {"$ne": [{"$ifNull": ["$match.copied_of_page", None]}, None]},
    }


# Decisions are atomic updates in the database. A transition names its allowed source statuses. Of two concurrent
# decisions the second one finds another status, and reports the case as unchanged.


_TWIN_REASON = "作品已合并，同一网页另有案件 · works were merged, and the page has another case"


class DecidedCases(Records[Case]):
    """Apply decisions to cases."""

    record_type = Case

    def decide_many(
        self,
        numbers: Sequence[int],
        decision: CaseDecision,
        *,
        only_from: Collection[CaseStatus],
        batch: str,
    ) -> list[int]:
        """Move the cases that are at one of the statuses `only_from`, and return their numbers.

        batch: unique id by which `undo` finds the cases.
        """
        movable = {
            "number": {"$in": [number for number in numbers if 0 < number <= MAX_INT64]},
            "status": {"$in": [status.value for status in only_from]},
        }
        self.table.update_all(movable, move_pipeline(decision, batch))
        return self.of_batch(batch)

    def dismiss_twins(self, work: Work, of_work: str, *, by: str, moment: datetime) -> int:
        """Dismiss one of two cases of a page with both works, and return how many were dismissed.

        That of `of_work` is dismissed if nobody has judged it. If it is pursued and the other was not judged, the other
        is dismissed. Two judged cases stay.
        """
        waiting = [CaseStatus.LEAD, CaseStatus.SUSPECTED, CaseStatus.QUIET]
        dismissed = 0
        twins = self.table.some({"work_id": of_work}, fields={"_id": 0, "page_id": 1, "number": 1, "status": 1})
        for start in range(0, len(twins), BATCH_DOCUMENTS):
            batch = twins[start : start + BATCH_DOCUMENTS]
            both = {"work_id": work.id, "page_id": {"$in": [twin["page_id"] for twin in batch]}}
            numbers = {
                case["page_id"]: case["number"] for case in self.table.some(both, fields={"page_id": 1, "number": 1})
            }
            superfluous = [
                twin["number"] if CaseStatus(twin["status"]) in waiting else numbers[twin["page_id"]]
                for twin in batch
                if twin["page_id"] in numbers and twin["status"] != CaseStatus.DISMISSED
            ]
            decision = CaseDecision(status=CaseStatus.DISMISSED, by=by, at=moment, reason=_TWIN_REASON)
            dismissed += len(self.decide_many(superfluous, decision, only_from=waiting, batch=token_hex(8)))
        return dismissed

    def of_batch(self, batch: str) -> list[int]:
        """Return the numbers of the cases whose last decision is this batch."""
        return [document["number"] for document in self.table.some({"batch": batch}, fields={"_id": 0, "number": 1})]

    def last_batch(self, since: str, until: str) -> tuple[str, CaseStatus] | None:
        """Return the id and status of the last batch with `since <= id < until`, or None."""
        named = {"batch": {"$gte": since, "$lt": until}}
        documents = self.table.some(named, sort=[("batch", -1)], limit=1, fields={"_id": 0, "batch": 1, "status": 1})
        return (documents[0]["batch"], CaseStatus(documents[0]["status"])) if documents else None

    def undo(self, batch: str, *, within: Collection[CaseStatus], by: str | None = None, moment: datetime) -> list[int]:
        """Undo a batch and return the numbers of the restored cases. Cases that were decided since are unchanged.

        within: restore only cases whose current and previous status are in it.
        by: only decisions of this user. None: of any user.
        """
        among = {"$in": [status.value for status in within]}
        whose: Document = {} if by is None else {"decided_by": by}
        which: Document = {"batch": batch, "status": among, "before.status": among, **whose}
        moved = [document["number"] for document in self.table.some(which, fields={"_id": 0, "number": 1})]
        self.table.update_all({**which, "number": {"$in": moved}}, undo_pipeline(moment))
        return moved

    def give_opinion(self, number: int, *, by: str, moment: datetime) -> None:
        """Record that the person asked for a second opinion has written. Only the first time counts, before a decision.

        The request stays open until the decision.
        """
        open = {"number": number, "asked": by, "asked_by": {"$type": "string"}, "opinion": None}
        opinion = {"asked_by": "$asked_by", "by": {"$literal": by}, "at": {"$literal": to_milliseconds(moment)}}
        self.table.update_all(open, [{"$set": {"opinion": opinion, "updated_at": to_milliseconds(moment)}}])

    def wake(self, moment: datetime) -> int:
        """Turn the quiet cases whose time has come into leads, and return their number."""
        due = {"wakes_at": {"$lte": to_milliseconds(moment)}, "status": CaseStatus.QUIET.value}
        lead = move_pipeline(CaseDecision(status=CaseStatus.LEAD, by=WAKE_ACTOR, at=moment))
        return self.table.update_all(due, lead)

    def wake_case(self, case: Case) -> Case:
        """Return the case, or the lead that a quiet or suspected case becomes after a new match."""
        if not should_wake(case):
            return case
        lead = move_pipeline(CaseDecision(status=CaseStatus.LEAD, by=WAKE_ACTOR, at=case.updated_at))
        woken_case = self.table.find_and_change({"_id": case.id, "status": case.status.value}, lead)
        return case if woken_case is None else from_document(Case, woken_case)


# Moves of cases to another work. The id of a case contains the id of its work, so a moved case is a new document.
# Numbers are unique, so the copy has the negative number until the old document is deleted. After a crash, the next
# move completes it. Users decide on the old document until then, so it is deleted only if it is unchanged since the
# copy.


def move_cases_to_work(table: Table, work: Work, of_work: str) -> int:
    """Move the cases of a work to another and return their number. Pages with a case of the new work are skipped."""
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
    """Complete interrupted moves: refresh copies whose original changed, then set their numbers."""
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


# Tallies: the number of cases ever opened per work, an upper bound of the cases in any list. Grouping all cases by work
# would be too slow, because there are nearly as many works as cases. To find the most copied works, count the cases of
# the works with the highest tallies. Stop when no further work can have more. A tally that is too high, as after a
# crash, costs only time.


CASE_TALLIES: Final = TableSpec(
    name="tallies",
    schema={
        "bsonType": "object",
        "required": ["_id", "opened"],
        "properties": {"_id": {"bsonType": "string"}, "opened": {"bsonType": ["int", "long"]}},
    },
    indexes=(field_index("-opened", "_id"),),
)
MAX_IDS_PER_QUERY = 10_000  # ids per query


class CaseTallies(Repository):
    """Store tallies by work id."""

    declared = CASE_TALLIES

    def count_new(self, cases: Mapping[str, int]) -> None:
        """Count cases before they are opened, so that no tally is ever too low."""
        try:
            self.add_all(cases)
        except Conflict:  # a concurrent first case created the tally
            self.add_all(cases)

    def add_all(self, cases: Mapping[str, int]) -> None:
        """Add to the tallies."""
        writes = [self.table.upsert_of({"_id": id}, {"$inc": {"opened": count}}) for id, count in cases.items()]
        for start in range(0, len(writes), BATCH_DOCUMENTS):
            self.table.write_all(writes[start : start + BATCH_DOCUMENTS])

    def with_cases(self, work_ids: Sequence[str]) -> list[str]:
        """Return those of these works that ever had a case."""
        return [
            document["_id"]
            for start in range(0, len(work_ids), MAX_IDS_PER_QUERY)
            for document in self.table.some(
                {"_id": {"$in": list(work_ids[start : start + MAX_IDS_PER_QUERY])}}, fields={"_id": 1}
            )
        ]

    def batches(self, size: int) -> Iterator[tuple[list[str], int]]:
        """Yield batches of work ids, highest tally first, each with an upper bound for the tallies after it."""
        start = 0
        while documents := self.table.some({}, sort=[("opened", -1), ("_id", 1)], skip=start, limit=size):
            yield [document["_id"] for document in documents], documents[-1]["opened"]
            start += size
