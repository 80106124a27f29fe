"""The remarks on cases."""

import secrets
from datetime import datetime

from pymongo.database import Database
from pymongo.operations import UpdateOne

from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import BATCH, Declared, Table, index
from store.mongo.engine.terms import found_by, terms
from store.records import Comment

COMMENTS = Declared(
    name="comments",
    schema=schema_of(Comment, terms={"bsonType": "array"}),  # what a search finds them by
    indexes=(index("case_number", "-at", "_id"), index("terms", "-at", "_id")),
)


class MongoComments:
    """Comments by case."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, COMMENTS, address)

    def complete_old(self) -> None:
        """Give comments that an earlier release stored what a search finds them by; quick where there are none."""
        while old := self.table.some({"terms": None}, limit=BATCH):
            self.table.write_all(
                [UpdateOne({"_id": one["_id"]}, {"$set": {"terms": _terms(one["text"])}}) for one in old]
            )

    def add(self, case_number: int, *, by: str, text: str, at: datetime) -> Comment:
        comment = Comment(id=secrets.token_hex(8), case_number=case_number, by=by, at=milliseconds(at), text=text)
        self.table.insert(to_document(comment) | {"terms": _terms(text)})
        return comment

    def of_case(self, number: int, *, limit: int = 200) -> list[Comment]:
        newest = self.table.some({"case_number": number}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, one) for one in reversed(newest)]

    def search(self, query: str, limit: int) -> list[Comment]:
        conditions = found_by(query)
        if not conditions:
            return []
        found = self.table.some({"$and": conditions}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, one) for one in found]


def _terms(text: str) -> list[str]:
    return terms(text, most=len(text) * 2)  # all of them
