"""The tokens that programs carry for people."""

from datetime import datetime

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Token

TOKENS = Declared(
    name="tokens",
    schema=schema_of(Token),
    indexes=(index("user_id", "-created_at"), index("-created_at"), index("parents")),
)


class MongoTokens:
    """Tokens by the id that stands in them."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, TOKENS, address)

    def add(self, token: Token) -> None:
        self.table.insert(to_document(token))

    def get(self, id: str) -> Token:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_token", id=id)
        return from_document(Token, found)

    def all(self, *, user_id: str | None = None) -> list[Token]:
        which = {} if user_id is None else {"user_id": user_id}
        return [from_document(Token, one) for one in self.table.some(which, sort=[("created_at", -1)])]

    def revoke(self, id: str, at: datetime) -> Token:
        self._revoke({"$or": [{"_id": id}, {"parents": id}]}, at)
        return self.get(id)

    def revoke_all(self, user_id: str, at: datetime) -> int:
        return self._revoke({"user_id": user_id}, at)

    def used(self, id: str, at: datetime) -> None:
        self.table.update({"_id": id}, {"$set": {"used_at": milliseconds(at)}})

    def remove_of(self, user_id: str) -> None:
        self.table.delete({"user_id": user_id})

    def _revoke(self, which: Document, at: datetime) -> int:
        return self.table.update_all({**which, "revoked_at": None}, {"$set": {"revoked_at": milliseconds(at)}})
