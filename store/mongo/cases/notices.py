"""The notices, and the platforms that somebody has set."""

from collections.abc import Collection
from datetime import datetime

from pymongo import IndexModel
from pymongo.database import Database

from store.errors import Conflict, NotFound
from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.counters import Counters
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import DeliveryState, Notice, Platform

NOTICES = Declared(
    name="notices",
    schema=schema_of(Notice),
    indexes=(
        index("case_numbers", "-written_at"),
        index("sent_at", "-written_at"),
        index("sendings.message_id"),
        index("sendings.reports.state"),
        index("answers.sender", "answers.read_at"),
        index("-written_at", "_id"),
        IndexModel("follows_since", partialFilterExpression={"follows_since": {"$type": "date"}}),
    ),
)
PLATFORMS = Declared(name="platforms", schema=schema_of(Platform))


class MongoNotices:
    """Notices by number."""

    def __init__(self, database: Database[Document], address: str, counters: Counters) -> None:
        self.table = Table(database, NOTICES, address)
        self._counters = counters

    def number(self, year: int) -> str:
        return f"{year}-{self._counters.take(f'notice:{year}', 1)[0] + 1:04}"

    def add(self, notice: Notice) -> None:
        self.table.insert(to_document(notice))

    def get(self, id: str) -> Notice:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("notices.no_notice", id=id)
        return from_document(Notice, found)

    def change(self, old: Notice, new: Notice) -> None:
        if self.table.changed(self._stored(old), {"$set": {**to_document(new)}}) is None:
            raise Conflict("notices.changed_meanwhile", id=old.id)

    def recent(self, *, sent: bool | None = None, limit: int = 200) -> list[Notice]:
        return self._some({} if sent is None else {"sent_at": {"$ne": None} if sent else None}, limit)

    def sent_to(self, platforms: Collection[str], since: datetime | None = None) -> list[Notice]:
        when: Document = {"$ne": None} if since is None else {"$gt": milliseconds(since)}
        return self._some({"sent_at": when, "platform": {"$in": list(platforms)}}, limit=0)

    def of_cases(self, numbers: Collection[int]) -> list[Notice]:
        return self._some({"case_numbers": {"$in": list(numbers)}}, limit=0)

    def of_mails(self, message_ids: Collection[str]) -> list[Notice]:
        return self._some({"sendings.message_id": {"$in": list(message_ids)}}, 200)

    def unread(self, limit: int = 200) -> list[Notice]:
        return self._some({"answers": {"$elemMatch": {"sender": {"$ne": None}, "read_at": None}}}, limit)

    def undelivered(self, limit: int = 200) -> list[Notice]:
        return self._some({"sendings.reports.state": DeliveryState.FAILED}, limit)

    def unfollowed(self, before: datetime) -> list[Notice]:
        return self._some({"follows_since": {"$lt": milliseconds(before)}}, limit=0)

    def followed(self, id: str) -> None:
        self.table.update({"_id": id}, {"$set": {"follows_since": None}})

    def remove(self, old: Notice) -> None:
        if not self.table.delete(self._stored(old)):
            raise Conflict("notices.changed_meanwhile", id=old.id)

    def _stored(self, old: Notice) -> Document:
        """The document of a notice as it stands: one of before lacks the fields that notices have got since."""
        found = self.table.one({"_id": old.id})
        if found is None or to_document(from_document(Notice, found)) != to_document(old):
            raise Conflict("notices.changed_meanwhile", id=old.id)
        return found

    def _some(self, which: Document, limit: int) -> list[Notice]:
        return [from_document(Notice, one) for one in self.table.some(which, sort=[("written_at", -1)], limit=limit)]


class MongoPlatforms:
    """Platforms by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, PLATFORMS, address)

    def put(self, platform: Platform) -> None:
        self.table.put(to_document(platform))

    def all(self) -> list[Platform]:
        return [from_document(Platform, one) for one in self.table.some({}, sort=[("_id", 1)])]

    def remove(self, id: str) -> bool:
        return bool(self.table.delete({"_id": id}))
