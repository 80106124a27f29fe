"""The captures of all pages."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from store.mongo.engine.codec import Document, from_document, milliseconds
from store.mongo.engine.table import Table
from store.ports.web.captures import Cited
from store.records import Capture
from store.rules.web.page_after_capture import CONTENT, is_superseded

BATCH = 500


class MongoCaptures:
    """Over the tables of the pages and of their captures."""

    def __init__(self, pages: Table, captures: Table) -> None:
        self._pages = pages
        self._captures = captures

    def each(self) -> Iterator[Capture]:
        for one in self._captures.each({}, by="_id"):
            yield from_document(Capture, one)

    def drop_superseded(self, before: datetime, cited: Cited) -> Sequence[str]:
        old = {"fetched_at": {"$lt": milliseconds(before)}}
        dropped: set[str] = set()
        batch: list[Document] = []
        for one in self._captures.each(old, by="_id"):
            batch.append(one)
            if len(batch) == BATCH:
                dropped |= self._drop(batch, cited)
                batch = []
        dropped |= self._drop(batch, cited)
        return sorted(dropped - self._still_had(dropped))

    def archives(self) -> set[str]:
        groups = self._captures.aggregate([{"$match": {"warc": {"$ne": None}}}, {"$group": {"_id": "$warc.file"}}])
        return {group["_id"] for group in groups if group["_id"]}

    def _drop(self, captures: Sequence[Document], cited: Cited) -> set[str]:
        ids = list({one["page_id"] for one in captures})
        fields = {"capture.fetched_at": 1}
        newest = {page["_id"]: page["capture"] for page in self._pages.some({"_id": {"$in": ids}}, fields=fields)}
        old = [(one, from_document(Capture, one), newest.get(one["page_id"], one)["fetched_at"]) for one in captures]
        pages = {one["page_id"] for one, capture, at in old if is_superseded(capture, at, ())}
        kept = cited(pages)  # asked last: a case may have opened since the captures were read
        gone = [one for one, capture, at in old if is_superseded(capture, at, kept)]
        self._captures.delete({"_id": {"$in": [one["_id"] for one in gone]}})
        return {one[name] for one in gone for name in CONTENT if one.get(name)}

    def _still_had(self, digests: Collection[str]) -> set[str]:
        wanted = sorted(digests)
        found: set[str] = set()
        for begin in range(0, len(wanted), BATCH):
            some = wanted[begin : begin + BATCH]
            for name in CONTENT:
                captures = self._captures.some({name: {"$in": some}}, fields={name: 1})
                found.update(one[name] for one in captures)
        return found
