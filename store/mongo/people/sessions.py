"""The browsers that people are signed in with; MongoDB forgets them when their time is over."""

from datetime import datetime

from pymongo.database import Database

from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, forgotten, index
from store.records import Session

SESSIONS = Declared(
    name="sessions",
    schema=schema_of(Session),
    indexes=(index("user_id", "-seen_at"), forgotten("ends_at")),
)


class MongoSessions:
    """Sessions by the digest of their secret."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, SESSIONS, address)

    def add(self, session: Session) -> None:
        self.table.insert(to_document(session))

    def get(self, id: str) -> Session | None:
        found = self.table.one({"_id": id})
        return None if found is None else from_document(Session, found)

    def seen(self, id: str, at: datetime) -> None:
        self.table.update({"_id": id}, {"$set": {"seen_at": milliseconds(at)}})

    def of(self, user_id: str) -> list[Session]:
        return [from_document(Session, one) for one in self.table.some({"user_id": user_id}, sort=[("seen_at", -1)])]

    def end(self, id: str) -> None:
        self.table.delete({"_id": id})

    def end_all(self, user_id: str, *, but: str | None = None) -> int:
        return self.table.delete({"user_id": user_id, "_id": {"$ne": but}})
