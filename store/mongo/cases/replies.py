"""The mails that came to the mailbox of notices."""

from datetime import datetime

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Reply

REPLIES = Declared(
    name="replies",
    schema=schema_of(Reply),
    indexes=(index("notice", "set_aside_at", "-at"), index("assigned_at")),
)


class MongoReplies:
    """Mails by the SHA-256 of their bytes."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, REPLIES, address)

    def put(self, reply: Reply) -> None:
        self.table.put(to_document(reply))

    def get(self, id: str) -> Reply:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("replies.no_reply", id=id)
        return from_document(Reply, found)

    def known(self, id: str) -> bool:
        return self.table.one({"_id": id}, fields={"_id": 1}) is not None

    def waiting(self, limit: int = 100) -> list[Reply]:
        found = self.table.some({"notice": None, "set_aside_at": None}, sort=[("at", -1)], limit=limit)
        return [from_document(Reply, one) for one in found]

    def assigned_since(self, at: datetime) -> list[Reply]:
        found = self.table.some({"assigned_at": {"$gte": milliseconds(at)}}, sort=[("assigned_at", 1)])
        return [from_document(Reply, one) for one in found]
