"""The people who may sign in."""

from collections.abc import Mapping

from pymongo.database import Database

from store.errors import Conflict, NotFound
from store.mongo.engine.codec import Document, encode, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table
from store.records import User

USERS = Declared(name="users", schema=schema_of(User))


class MongoUsers:
    """Users by their folded name."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, USERS, address)

    def add(self, user: User) -> None:
        try:
            self.table.insert(to_document(user))
        except Conflict:
            raise Conflict("store.user_there", id=user.id) from None

    def get(self, id: str) -> User:
        found = self.table.one({"_id": id})
        if found is None:
            raise _missing(id)
        return from_document(User, found)

    def all(self) -> list[User]:
        return [from_document(User, one) for one in self.table.some({}, sort=[("_id", 1)])]

    def change(self, id: str, values: Mapping[str, object]) -> User:
        found = self.table.changed({"_id": id}, {"$set": encode(values)})
        if found is None:
            raise _missing(id)
        return from_document(User, found)

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise _missing(id)

    def take_step(self, id: str, step: int) -> bool:
        return self.table.update({"_id": id, "totp_step": {"$lt": step}}, {"$set": {"totp_step": step}})

    def take_recovery(self, id: str, digest: str) -> bool:
        return self.table.update({"_id": id, "recovery": digest}, {"$pull": {"recovery": digest}})


def _missing(id: str) -> NotFound:
    return NotFound("store.no_user", id=id)
