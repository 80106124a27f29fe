"""Store the match of each page with each work."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from matcher.model import Match
from wenhen.kit.mongo.codec import schema_of, to_document
from wenhen.kit.mongo.table import RecordsById, TableSpec, field_index
from wenhen.kit.progress import Owner, copy_id, parse_copy_id

MATCHES = TableSpec(
    name="matches",
    schema=schema_of(Match),
    indexes=(field_index("page_id", "-score"), field_index("work_id", "-score")),
)
BEST_FIRST = [("score", -1)]


class Matches(RecordsById[Match]):
    """Matches by page and work, in MongoDB."""

    declared = MATCHES
    record_type = Match
    unknown_code = "store.no_match"

    def put(self, match: Match) -> None:
        self.table.put(to_document(match))

    def put_all(self, matches: Sequence[Match], *, there: Collection[str] = ()) -> None:
        """Store matches. there: ids of those that are already stored, as far as known."""
        self.table.put_all(list(map(to_document, matches)), there=there)

    def of_copy(self, copy: Owner) -> list[Match]:
        """Return the matches of a page or work with the works it shares text with, the most probable copy first."""
        return self._read_some({"page_id": copy_id(copy)}, sort=BEST_FIRST)

    def ids_of_copies(self, copies: Collection[Owner]) -> dict[Owner, set[str]]:
        """Return the ids of the matches of each text. Texts without matches are absent."""
        wanted = {"page_id": {"$in": list(map(copy_id, copies))}}
        ids: dict[Owner, set[str]] = {}
        for document in self.table.some(wanted, fields={"page_id": 1}):
            ids.setdefault(parse_copy_id(document["page_id"]), set()).add(document["_id"])
        return ids

    def versions(self, ids: Collection[str]) -> dict[str, tuple[int, int]]:
        """Return the versions of the copying and of the copied text of each match, by match id. Matches that are not
        stored are absent.
        """
        stored = self.table.some({"_id": {"$in": list(ids)}}, fields={"page_version": 1, "work_version": 1})
        return {document["_id"]: (document["page_version"], document["work_version"]) for document in stored}

    def copies_of(self, work_ids: Collection[str]) -> set[Owner]:
        """Return the pages and works that copy any of these works."""
        stored = self.table.some({"work_id": {"$in": list(work_ids)}}, fields={"page_id": 1})
        return {parse_copy_id(document["page_id"]) for document in stored}

    def of_work(self, work_id: str) -> list[Match]:
        """Return the matches of all pages and works that copy a work, the most probable copy first."""
        return self._read_some({"work_id": work_id}, sort=BEST_FIRST)

    def copies(self) -> Iterator[Owner]:
        # A match id begins with the id of the copy, so the matches of one text are adjacent.
        """Yield each text that has a match with a work."""
        documents = self.table.each({}, by="_id", fields={"page_id": 1})
        return (parse_copy_id(id) for id, _ in groupby(documents, itemgetter("page_id")))

    def remove(self, ids: Collection[str]) -> None:
        if ids:
            self.table.delete({"_id": {"$in": list(ids)}})
