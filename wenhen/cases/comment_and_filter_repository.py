"""Store comments on cases, and the filters that users save."""

import secrets
from datetime import datetime
from hashlib import sha256

from pymongo.database import Database
from pymongo.operations import UpdateOne

from wenhen.cases.model import Comment, SavedFilter
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, Table, TableSpec, field_index
from wenhen.kit.text import search_terms, term_conditions

COMMENTS = TableSpec(
    name="comments",
    schema=schema_of(Comment, terms={"bsonType": "array"}),  # what a search finds them by
    indexes=(field_index("case_number", "-at", "_id"), field_index("terms", "-at", "_id")),
)


class Comments:
    """Comments by case."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, COMMENTS, address)

    def complete_old(self) -> None:
        """Give comments that an earlier release stored what a search finds them by; quick where there are none."""
        while old := self.table.some({"terms": None}, limit=BATCH_DOCUMENTS):
            self.table.write_all(
                [
                    UpdateOne({"_id": document["_id"]}, {"$set": {"terms": _comment_terms(document["text"])}})
                    for document in old
                ]
            )

    def add(self, case_number: int, *, by: str, text: str, at: datetime) -> Comment:
        comment = Comment(id=secrets.token_hex(8), case_number=case_number, by=by, at=to_milliseconds(at), text=text)
        self.table.insert(to_document(comment) | {"terms": _comment_terms(text)})
        return comment

    def of_case(self, number: int, *, limit: int = 200) -> list[Comment]:
        """The newest, in the order in which they were written."""
        newest = self.table.some({"case_number": number}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, document) for document in reversed(newest)]

    def search(self, query: str, limit: int) -> list[Comment]:
        """Those that hold all words of the query, the newest first."""
        conditions = term_conditions(query)
        if not conditions:
            return []
        documents = self.table.some({"$and": conditions}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, document) for document in documents]


def _comment_terms(text: str) -> list[str]:
    return search_terms(text, most=len(text) * 2)  # all of them


SAVED_FILTERS = TableSpec(name="filters", schema=schema_of(SavedFilter), indexes=(field_index("user", "name"),))


class Filters:
    """Saved filters, one for each name that a user gave."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, SAVED_FILTERS, address)

    def put(self, user: str, name: str, query: str, moment: datetime) -> SavedFilter:
        """Save it under the name; one that the user saved under this name before is replaced."""
        id = sha256(f"{user}\n{name}".encode("utf-8", "replace")).hexdigest()[:16]
        saved = SavedFilter(id=id, user=user, name=name, query=query, saved_at=to_milliseconds(moment))
        self.table.put(to_document(saved))
        return saved

    def of_user(self, user: str) -> list[SavedFilter]:
        """In the order of their names."""
        return [
            from_document(SavedFilter, document) for document in self.table.some({"user": user}, sort=[("name", 1)])
        ]

    def remove_of(self, user: str) -> None:
        self.table.delete({"user": user})

    def remove(self, id: str, user: str) -> bool:
        """False where the user has none with this id."""
        return bool(self.table.delete({"_id": id, "user": user}))
