"""The works, and the versions of each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pymongo import HASHED, IndexModel
from pymongo.database import Database
from pymongo.operations import UpdateOne

from store.errors import Conflict, NotFound
from store.mongo.engine.codec import Document, encode, milliseconds
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import BATCH, Declared, Table, index
from store.mongo.engine.terms import found_by, terms
from store.mongo.engine.utc_now import Clock
from store.mongo.upkeep.blobs import MongoBlobs
from store.mongo.upkeep.step_claims import STEP_INDEX, MongoSteps, fresh_progress
from store.records import Step, Work, WorkDraft
from store.rules.library.work_versions import is_unchanged, makes_version, told_by

BY_CHANGE = index("removed", "-updated_at", "_id")
BY_TEXT = "text_digest_hashed"
WORKS = Declared(
    name="works",
    # `removed` says of `removed_at` whether it is set, in a form that an index can count by; `terms` are for searches.
    schema=schema_of(Work, removed={"bsonType": "bool"}, terms={"bsonType": "array"}),
    indexes=(
        STEP_INDEX,
        BY_CHANGE,
        index("removed", "terms", "-updated_at", "_id"),
        IndexModel([("text_digest", HASHED)], name=BY_TEXT),
        index("removed", "series", "chapter", "_id"),
    ),
    dropped=("text_digest_1_title_1",),
    compressed=True,
    leaf_kb=8,  # else a hundred and sixty others are unpacked beside the one that is read
)
EXACT = 20_000  # works that are counted one by one; of more the server's own book-keeping is told
ATTEMPTS = 20  # of an optimistic write; each failure means that another writer of the same work got through


class MongoWorks(MongoSteps[Work]):
    """Works by the id that their holder gave them."""

    _PRESENT: ClassVar[Document] = {"removed": False}
    _NO_PART: ClassVar[Document | None] = {"terms": 0}

    def __init__(self, database: Database[Document], address: str, clock: Clock, blobs: MongoBlobs) -> None:
        super().__init__(Table(database, WORKS, address), Work, clock)
        self._blobs = blobs

    def complete_old(self) -> None:
        """Give works that an earlier release stored what a search finds them by; quick where there are none."""
        while old := self.table.some({"terms": None}, limit=BATCH):
            self.table.write_all([UpdateOne({"_id": one["_id"]}, {"$set": {"terms": _terms(one)}}) for one in old])

    def put_all(self, drafts: Sequence[WorkDraft], *, note: str | None, step: Step) -> list[tuple[Work, str]]:
        """Store works, no two with the same id; those that are new or unchanged cost a few round trips altogether."""
        digests = self._blobs.put_texts([draft.text for draft in drafts])
        ids = [draft.id for draft in drafts]
        found = {one["_id"]: one for one in self.table.some({"_id": {"$in": ids}})}
        new = {
            draft.id: self._first_version(draft, digest, note, step)
            for draft, digest in zip(drafts, digests, strict=True)
            if draft.id not in found
        }
        documents = list(new.values())
        taken = {documents[place]["_id"] for place in self.table.add_all(documents)}
        result = []
        for draft, digest in zip(drafts, digests, strict=True):
            if draft.id in new and draft.id not in taken:
                result.append((self._record(new[draft.id]), "new"))
            elif draft.id in found and self._is_unchanged(found[draft.id], draft, digest):
                result.append((self._record(found[draft.id]), "unchanged"))
            else:
                result.append(self._put(draft, digest, note, step))
        return result

    def _put(self, draft: WorkDraft, digest: str, note: str | None, step: Step) -> tuple[Work, str]:
        for _ in range(ATTEMPTS):
            found = self.table.one({"_id": draft.id})
            if found is None:
                stored, outcome = self._inserted(self._first_version(draft, digest, note, step)), "new"
            elif self._is_unchanged(found, draft, digest):
                stored, outcome = found, "unchanged"
            elif makes_version(self._record(found), digest):
                stored = self._next_version(found, draft, digest, note, step)
                outcome = "new" if found["removed"] else "changed"
            else:
                stored, outcome = self._metadata_only(found, draft), "changed"
            if stored is not None:
                return self._record(stored), outcome
        raise Conflict("store.work_changed", id=draft.id, times=ATTEMPTS)

    def find_same_texts(self, text_digests: Collection[str]) -> list[tuple[str, str, str]]:
        found = self.table.some(
            {"text_digest": {"$in": list(text_digests)}, "removed": False}, fields={"text_digest": 1, "title": 1}
        )
        return [(one["text_digest"], one["title"], one["_id"]) for one in found]

    def find(
        self, *, query: str | None = None, series: str | None = None, skip: int = 0, limit: int = 50
    ) -> list[Work]:
        """Return works that were not removed, the last changed first; `query` holds words of title, author or id.

        Those of a series come in the order of their chapters.
        """
        order = [("chapter", 1), ("_id", 1)] if series else [("updated_at", -1), ("_id", 1)]
        # Left to itself, MongoDB tries the other indexes again now and then, and sorts all works.
        hint = None if query or series else BY_CHANGE.document["name"]
        found = self.table.some(_listed(query, series), sort=order, skip=skip, limit=limit, hint=hint)
        return [self._record(one) for one in found]

    def sample(self, limit: int) -> list[Work]:
        return [self._record(one) for one in self.table.some({"removed": False}, limit=limit, hint=BY_TEXT)]

    def count(self, *, query: str | None = None, series: str | None = None, most: int | None = None) -> int:
        if query is None and series is None and most is None and (stored := self.table.estimate()) > EXACT:
            return stored - self.table.count({"removed": True})
        return self.table.count(_listed(query, series), most=most)

    def series(self, *, skip: int = 0, limit: int = 50) -> list[tuple[str, int]]:
        groups = self.table.aggregate(
            [
                {"$match": {"removed": False, "series": {"$type": "string"}}},
                {"$group": {"_id": "$series", "works": {"$sum": 1}}},
                {"$sort": {"_id": 1}},
                {"$skip": skip},
                {"$limit": limit},
            ]
        )
        return [(group["_id"], group["works"]) for group in groups]

    def count_series(self) -> int:
        groups = self.table.aggregate(
            [
                {"$match": {"removed": False, "series": {"$type": "string"}}},
                {"$group": {"_id": "$series"}},
                {"$count": "series"},
            ]
        )
        return int(groups[0]["series"]) if groups else 0

    def ids(self) -> Iterator[str]:
        """Yield the ids of the works that were not removed, in order."""
        for one in self.table.each({"removed": False}, by="_id", fields={"_id": 1}):
            yield one["_id"]

    def removed_ids(self) -> Iterator[str]:
        """Yield the ids of those that were, in order."""
        for one in self.table.each({"removed": True}, by="_id", fields={"_id": 1}):
            yield one["_id"]

    def remove(self, id: str, *, merged_into: str | None = None) -> Work:
        now = milliseconds(self._clock())
        removed = self.table.changed(
            {"_id": id, "removed": False},
            {
                "$set": {
                    "removed": True,
                    "removed_at": now,
                    "merged_into": merged_into,
                    "updated_at": now,
                    "progress": fresh_progress(Step.REMOVE, now),
                }
            },
        )
        return self.get(id) if removed is None else self._record(removed)

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        """Restart as any record; a removed work only towards REMOVE, or it would find its way back into the index."""
        which: Document = {"_id": id} if step is Step.REMOVE else {"_id": id, "removed": False}
        return self._restart(which, step, only_from)

    def set_owner(self, old: str, new: str) -> int:
        now = milliseconds(self._clock())
        said = {"$set": {"owner": new, "updated_at": now}, "$addToSet": {"edited": "owner"}}
        return self.table.update_all({"owner": old}, said)

    def edit(self, id: str, values: Mapping[str, object]) -> Work:
        said = {name: encode(value) for name, value in values.items()}
        for _ in range(ATTEMPTS):
            found = self.table.one({"_id": id, "removed": False})
            if found is None:
                raise NotFound("store.no_work", id=id)
            now = milliseconds(self._clock())
            changes = {**said, "terms": _terms({**found, **said}), "updated_at": now}
            as_read = {**_as_read(found), "updated_at": found["updated_at"]}
            edited = {"$set": changes, "$addToSet": {"edited": {"$each": list(said)}}}
            if stored := self.table.changed(as_read, edited):
                return self._record(stored)
        raise Conflict("store.work_changed", id=id, times=ATTEMPTS)

    def set_note(self, id: str, note: str | None) -> None:
        self.set_notes([id], note)

    def set_notes(self, ids: Collection[str], note: str | None) -> None:
        self.table.update_all({"_id": {"$in": list(ids)}, "note": {"$ne": note}}, {"$set": {"note": note}})

    def _is_unchanged(self, found: Document, draft: WorkDraft, digest: str) -> bool:
        published = draft.published_at and milliseconds(draft.published_at)
        return is_unchanged(self._record(found), replace(draft, published_at=published), digest)

    def _first_version(self, draft: WorkDraft, digest: str, note: str | None, step: Step) -> Document:
        document = {"_id": draft.id, "stored_at": milliseconds(self._clock()), "versions": []}
        document |= self._version(draft, 1, digest, note, step)
        document["versions"] = [document.pop("newest")]
        return document

    def _inserted(self, document: Document) -> Document | None:
        try:
            self.table.insert(document)
        except Conflict:
            return None
        return document

    def _next_version(
        self, found: Document, draft: WorkDraft, digest: str, note: str | None, step: Step
    ) -> Document | None:
        changes = self._version(draft, found["version"] + 1, digest, note, step, found)
        newest = changes.pop("newest")
        return self.table.changed(_as_read(found), {"$set": changes, "$push": {"versions": newest}})

    def _metadata_only(self, found: Document, draft: WorkDraft) -> Document | None:
        return self.table.changed(
            _as_read(found),
            {
                "$set": {**_told(draft, found), "updated_at": milliseconds(self._clock())},
            },
        )

    def _version(
        self,
        draft: WorkDraft,
        version: int,
        digest: str,
        note: str | None,
        step: Step,
        found: Document | None = None,
    ) -> Document:
        now = milliseconds(self._clock())
        length = len(draft.text)
        return {
            **_told(draft, found),
            "version": version,
            "text_digest": digest,
            "length": length,
            "progress": fresh_progress(step, now),
            "updated_at": now,
            "note": note,
            "removed_at": None,
            "removed": False,
            "newest": {"version": version, "text_digest": digest, "length": length, "stored_at": now},
        }


def _terms(work: Document) -> list[str]:
    return terms(work["title"], work.get("author"), work["_id"])


def _told(draft: WorkDraft, found: Document | None) -> dict[str, Any]:
    """What the draft says of the work, but for what people have set, and the words by which it is found then."""
    before = found or {}
    told = {name: encode(getattr(draft, name)) for name in told_by(before.get("edited", ()))}
    return {**told, "terms": _terms({**before, "_id": draft.id, **told})}


def _as_read(found: Document) -> Document:
    """Return the filter that fits the document only while nobody else gave it another version.

    A removal meanwhile counts as having come before a new version, and after new metadata.
    """
    return {"_id": found["_id"], "version": found["version"]}


def _listed(query: str | None, series: str | None = None) -> Document:
    listed: Document = {"removed": False}
    if series:
        listed["series"] = series
    if query:
        listed["$and"] = found_by(query) or [{"terms": ""}]  # signs alone find nothing: no index knows of them
    return listed
