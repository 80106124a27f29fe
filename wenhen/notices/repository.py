"""Store notices, edited platforms and reply mails."""

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from pymongo import IndexModel

from wenhen.kit.errors import Conflict
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.marks import Counters
from wenhen.kit.mongo.table import OpenDatabase, Records, RecordsById, TableSpec, field_index
from wenhen.notices.model import DeliveryState, Notice, Platform, Reply

NOTICES = TableSpec(
    name="notices",
    schema=schema_of(Notice),
    indexes=(
        field_index("case_numbers", "-written_at"),
        field_index("sent_at", "-written_at"),
        field_index("holder", "-written_at"),
        field_index("sendings.message_id"),
        field_index("sendings.reports.state"),
        field_index("answers.sender", "answers.read_at"),
        field_index("-written_at", "_id"),
        IndexModel("follows_since", partialFilterExpression={"follows_since": {"$type": "date"}}),
    ),
)
PLATFORMS = TableSpec(name="platforms", schema=schema_of(Platform))


class Notices(RecordsById[Notice]):
    """Store notices by number."""

    declared = NOTICES
    record_type = Notice
    unknown_code = "notices.no_notice"

    def __init__(self, database: OpenDatabase, counters: Counters) -> None:
        super().__init__(database)
        self._counters = counters

    def number(self, year: int) -> str:
        """Return a new unique number."""
        return f"{year}-{self._counters.take(f'notice:{year}', 1)[0] + 1:04}"

    def add(self, notice: Notice) -> None:
        """Add a notice. Raises `Conflict` if its number exists."""
        self.table.insert(to_document(notice))

    def change(self, old: Notice, new: Notice) -> None:
        """Replace a notice. Raises `Conflict` after a concurrent change."""
        if self.table.find_and_change(self._find_unchanged(old), {"$set": {**to_document(new)}}) is None:
            raise Conflict("notices.changed_meanwhile", id=old.id)

    def recent(self, *, sent: bool | None = None, holder: str | None = None, limit: int = 200) -> list[Notice]:
        """Return the newest notices, on request those of one holder."""
        which: Document = {} if sent is None else {"sent_at": {"$ne": None} if sent else None}
        return self._some(which if holder is None else {**which, "holder": holder}, limit)

    def sent_to(self, platforms: Collection[str], since: datetime | None = None) -> list[Notice]:
        """Return notices sent to these platforms, optionally after a time, newest first."""
        when: Document = {"$ne": None} if since is None else {"$gt": to_milliseconds(since)}
        return self._some({"sent_at": when, "platform": {"$in": list(platforms)}}, limit=0)

    def of_cases(self, numbers: Collection[int]) -> list[Notice]:
        """Return notices about any of these cases, newest first."""
        return self._some({"case_numbers": {"$in": list(numbers)}}, limit=0)

    def of_mails(self, message_ids: Collection[str]) -> list[Notice]:
        """Return notices sent by any of these mails."""
        return self._some({"sendings.message_id": {"$in": list(message_ids)}}, 200)

    def find_unread(self, limit: int = 200) -> list[Notice]:
        """Return notices with an unclassified answer by mail, newest first."""
        return self._some({"answers": {"$elemMatch": {"sender": {"$ne": None}, "read_at": None}}}, limit)

    def find_undelivered(self, limit: int = 200) -> list[Notice]:
        """Return notices with any failed delivery report, newest first."""
        return self._some({"sendings.reports.state": DeliveryState.FAILED}, limit)

    def find_unfollowed(self, before: datetime) -> list[Notice]:
        """Return notices sent before a time whose cases are not updated yet."""
        return self._some({"follows_since": {"$lt": to_milliseconds(before)}}, limit=0)

    def mark_followed(self, id: str) -> None:
        """Record that the cases of a notice are updated."""
        self.table.update({"_id": id}, {"$set": {"follows_since": None}})

    def move_holder(self, name: str, into: str) -> None:
        """Give the notices of a holder to another one. Drafts name the new one, sent texts stay."""
        for draft in self.recent(sent=False, holder=name, limit=0):
            text = re.sub(
                rf"(?m)(?<=[:：]) ?{re.escape(name)}$", lambda found: found[0].replace(name, into), draft.text
            )
            self.change(draft, replace(draft, holder=into, text=text, approved_at=None, approved_by=None))
        self.table.update_all({"holder": name}, {"$set": {"holder": into}})

    def remove(self, old: Notice) -> None:
        """Delete a notice. Raises `Conflict` if it was changed or deleted meanwhile."""
        if not self.table.delete(self._find_unchanged(old)):
            raise Conflict("notices.changed_meanwhile", id=old.id)

    def _find_unchanged(self, old: Notice) -> Document:
        """Return the stored document of an unchanged notice. Old documents lack newer fields."""
        document = self.table.one({"_id": old.id})
        if document is None or to_document(from_document(Notice, document)) != to_document(old):
            raise Conflict("notices.changed_meanwhile", id=old.id)
        return document

    def _some(self, which: Document, limit: int) -> list[Notice]:
        return self._read_some(which, sort=[("written_at", -1)], limit=limit)


class Platforms(Records[Platform]):
    """Store platforms by id."""

    declared = PLATFORMS
    record_type = Platform

    def put(self, platform: Platform) -> None:
        self.table.put(to_document(platform))

    def all(self) -> list[Platform]:
        return self._read_some({}, sort=[("_id", 1)])

    def remove(self, id: str) -> bool:
        return bool(self.table.delete({"_id": id}))


REPLIES = TableSpec(
    name="replies",
    schema=schema_of(Reply),
    indexes=(field_index("notice", "set_aside_at", "-at"), field_index("assigned_at")),
)


class Replies(RecordsById[Reply]):
    """Store reply mails by the SHA-256 of their bytes."""

    declared = REPLIES
    record_type = Reply
    unknown_code = "replies.no_reply"

    def put(self, reply: Reply) -> None:
        self.table.put(to_document(reply))

    def is_stored(self, id: str) -> bool:
        """Return whether this mail is stored."""
        return self.table.one({"_id": id}, fields={"_id": 1}) is not None

    def find_waiting(self, limit: int = 100) -> list[Reply]:
        """Return mails that are neither assigned nor dismissed, newest first."""
        return self._read_some({"notice": None, "set_aside_at": None}, sort=[("at", -1)], limit=limit)

    def assigned_since(self, moment: datetime) -> list[Reply]:
        """Return mails assigned to a notice since a time."""
        return self._read_some({"assigned_at": {"$gte": to_milliseconds(moment)}}, sort=[("assigned_at", 1)])
