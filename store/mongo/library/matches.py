"""What is known of each page against each work."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Match, Owner
from store.rules.record_ids import copy_id, copy_named

MATCHES = Declared(
    name="matches",
    schema=schema_of(Match),
    indexes=(index("page_id", "-score"), index("work_id", "-score")),
)
BEST_FIRST = [("score", -1)]


class MongoMatches:
    """Matches by page and work."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, MATCHES, address)

    def put(self, match: Match) -> None:
        self.table.put(to_document(match))

    def put_all(self, matches: Sequence[Match], *, there: Collection[str] = ()) -> None:
        self.table.put_all(list(map(to_document, matches)), there=there)

    def get(self, id: str) -> Match:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_match", id=id)
        return from_document(Match, found)

    def of_copy(self, copy: Owner) -> list[Match]:
        return [from_document(Match, one) for one in self.table.some({"page_id": copy_id(copy)}, sort=BEST_FIRST)]

    def ids_of_copies(self, copies: Collection[Owner]) -> dict[Owner, set[str]]:
        wanted = {"page_id": {"$in": list(map(copy_id, copies))}}
        ids: dict[Owner, set[str]] = {}
        for one in self.table.some(wanted, fields={"page_id": 1}):
            ids.setdefault(copy_named(one["page_id"]), set()).add(one["_id"])
        return ids

    def of_work(self, work_id: str) -> list[Match]:
        return [from_document(Match, one) for one in self.table.some({"work_id": work_id}, sort=BEST_FIRST)]

    def copies(self) -> Iterator[Owner]:
        # An id begins with the text's: its matches stand together.
        found = self.table.each({}, by="_id", fields={"page_id": 1})
        return (copy_named(id) for id, _ in groupby(found, itemgetter("page_id")))

    def remove(self, ids: Collection[str]) -> None:
        self.table.delete({"_id": {"$in": list(ids)}})
