"""The remarks on cases."""

import secrets
from datetime import datetime

from pymongo.database import Database

from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Comment

COMMENTS = Declared(name="comments", schema=schema_of(Comment), indexes=(index("case_number", "-at", "_id"),))


class MongoComments:
    """Comments by case."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, COMMENTS, address)

    def add(self, case_number: int, *, by: str, text: str, at: datetime) -> Comment:
        comment = Comment(id=secrets.token_hex(8), case_number=case_number, by=by, at=milliseconds(at), text=text)
        self.table.insert(to_document(comment))
        return comment

    def of_case(self, number: int, *, limit: int = 200) -> list[Comment]:
        newest = self.table.some({"case_number": number}, sort=[("at", -1), ("_id", 1)], limit=limit)
        return [from_document(Comment, one) for one in reversed(newest)]
