"""Store comments on cases, the amounts of money of cases, and the filters that users save."""

import secrets
from datetime import datetime
from hashlib import sha256

from pymongo.database import Database
from pymongo.operations import UpdateOne

from wenhen.cases.model import Amount, Comment, SavedFilter
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, Table, TableSpec, field_index
from wenhen.kit.text import search_terms, term_conditions

COMMENTS = TableSpec(
    name="comments",
    schema=schema_of(Comment, terms={"bsonType": "array"}),  # search terms
    indexes=(field_index("case_number", "-at", "_id"), field_index("terms", "-at", "_id")),
)


class Comments:
    """Store comments by case."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, COMMENTS, address)

    def complete_old(self) -> None:
        """Add search terms to comments of earlier versions. This is fast if there are none."""
        while old := self.table.some({"terms": None}, limit=BATCH_DOCUMENTS):
            self.table.write_all(
                [
                    UpdateOne({"_id": document["_id"]}, {"$set": {"terms": _comment_terms(document["text"])}})
                    for document in old
                ]
            )

    def add(self, case_number: int, *, by: str, text: str, moment: datetime) -> Comment:
        comment = Comment(
            id=secrets.token_hex(8), case_number=case_number, by=by, at=to_milliseconds(moment), text=text
        )
        self.table.insert(to_document(comment) | {"terms": _comment_terms(text)})
        return comment

    def of_case(self, number: int, *, limit: int = 200) -> list[Comment]:
        """Return the newest comments of a case, oldest first."""
        newest = self.table.some({"case_number": number}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, document) for document in reversed(newest)]

    def search(self, query: str, limit: int) -> list[Comment]:
        """Return the comments that contain all words of the query, newest first."""
        conditions = term_conditions(query)
        if not conditions:
            return []
        documents = self.table.some({"$and": conditions}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, document) for document in documents]


def _comment_terms(text: str) -> list[str]:
    return search_terms(text, most=len(text) * 2)  # no limit in effect


AMOUNTS = TableSpec(
    name="amounts",
    schema=schema_of(Amount),
    indexes=(field_index("case_number", "day", "_id"), field_index("day"), field_index("page_host")),
)


class Amounts:
    """Store amounts of money by case."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, AMOUNTS, address)

    def add(self, amount: Amount) -> None:
        self.table.insert(to_document(amount))

    def of_case(self, number: int) -> list[Amount]:
        """Return the amounts of a case, the earliest first."""
        documents = self.table.some({"case_number": number}, sort=[("day", 1), ("_id", 1)])
        return [from_document(Amount, document) for document in documents]

    def remove(self, id: str) -> bool:
        """Remove an amount. Returns False if there is none with this id."""
        return bool(self.table.delete({"_id": id}))


SAVED_FILTERS = TableSpec(name="filters", schema=schema_of(SavedFilter), indexes=(field_index("user", "name"),))


class Filters:
    """Store saved filters, one per user and name."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, SAVED_FILTERS, address)

    def put(self, user: str, name: str, query: str, moment: datetime) -> SavedFilter:
        """Save a filter under a name, in place of an earlier one of the user with this name."""
        id = sha256(f"{user}\n{name}".encode("utf-8", "replace")).hexdigest()[:16]
        saved = SavedFilter(id=id, user=user, name=name, query=query, saved_at=to_milliseconds(moment))
        self.table.put(to_document(saved))
        return saved

    def of_user(self, user: str) -> list[SavedFilter]:
        """Return the filters of a user, sorted by name."""
        return [
            from_document(SavedFilter, document) for document in self.table.some({"user": user}, sort=[("name", 1)])
        ]

    def remove_of(self, user: str) -> None:
        self.table.delete({"user": user})

    def remove(self, id: str, user: str) -> bool:
        """Remove a filter. Returns False if the user has none with this id."""
        return bool(self.table.delete({"_id": id, "user": user}))
