"""Cases moved from a work to the one that takes its place.

The id of a case holds that of its work, so that a moved case is a new document. Numbers are never taken twice: the new
one waits under the negative number until the old one is gone. Whoever comes after a crash finds either, and goes on.
The old one is what people decide on until then, so it goes only as it was copied.
"""

from collections.abc import Sequence

from pymongo.operations import ReplaceOne

from store.mongo.engine.codec import Document
from store.mongo.engine.table import BATCH, Table
from store.records import Owner, Work
from store.rules.record_ids import match_id


def move_cases(table: Table, work: Work, of_work: str) -> int:
    """Move the cases of a work to another, but for those of pages that this one has a case of; how many."""
    _settle(table, work)
    have = {one["page_id"] for one in table.some({"work_id": work.id}, fields={"page_id": 1})}
    moved = 0
    after = 0
    while old := table.some({"work_id": of_work, "number": {"$gt": after}}, sort=[("number", 1)], limit=BATCH):
        after = old[-1]["number"]
        going = [one for one in old if one["page_id"] not in have]
        taken = table.add_all([_moved(one, work) for one in going])  # opened by a worker meanwhile
        going = [one for at, one in enumerate(going) if at not in taken]
        _delete_unchanged(table, going)
        _settle(table, work)
        moved += len(going)
    return moved


def _moved(case: Document, work: Work) -> Document:
    id = match_id(Owner.of_page(case["page_id"]), work.id)
    changes: Document = {"_id": id, "number": -case["number"], "work_id": work.id}
    for name in ("match", "found"):
        if match := case.get(name):
            changes[name] = {**match, "id": id, "work_id": work.id}
    return {**case, **changes}


def _settle(table: Table, work: Work) -> None:
    """Give the cases that wait their numbers, those whose old one changed since it was copied as it is now."""
    waiting = [-one["number"] for one in table.some({"work_id": work.id, "number": {"$lt": 0}}, fields={"number": 1})]
    while waiting and (old := table.some({"number": {"$in": waiting}})):
        new = [_moved(one, work) for one in old]
        table.write_all([ReplaceOne({"_id": one["_id"], "number": one["number"]}, one) for one in new])
        _delete_unchanged(table, old)
    numbers = {"work_id": work.id, "number": {"$in": [-number for number in waiting]}}
    table.update_all(numbers, [{"$set": {"number": {"$abs": "$number"}}}])


def _delete_unchanged(table: Table, cases: Sequence[Document]) -> None:
    if cases:
        table.delete({"$or": [{"_id": one["_id"], "updated_at": one["updated_at"]} for one in cases]})
