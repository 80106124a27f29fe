"""Store works and their versions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from pymongo import HASHED, IndexModel
from pymongo.operations import UpdateOne

from wenhen.kit.clock import Clock
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.mongo.blobs import Blobs
from wenhen.kit.mongo.codec import Document, encode, schema_of, to_milliseconds
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, OpenDatabase, Table, TableSpec, field_index
from wenhen.kit.progress import Step
from wenhen.kit.text import search_terms, term_conditions
from wenhen.steps.claims import STEP_INDEX, Claim, Steps, claim_filter, fresh_progress
from wenhen.works.model import Work, WorkDraft, imported_fields, is_new_version, is_unchanged

CHANGE_INDEX = field_index("removed", "-updated_at", "_id")
TEXT_INDEX_NAME = "text_digest_hashed"
OWNER_INDEX = field_index("owner", "_id")
COMMON_INDEX_NAME = "common_texts"  # index of common texts only
WORKS = TableSpec(
    name="works",
    # `removed` is a boolean copy of `removed_at` for indexes that count. `terms` are search terms. `looked_up`
    # tells for which change of the record, and under which conditions, the last look-up was done.
    schema=schema_of(Work, removed={"bsonType": "bool"}, terms={"bsonType": "array"}, looked_up={"bsonType": "object"}),
    indexes=(
        STEP_INDEX,
        CHANGE_INDEX,
        field_index("removed", "terms", "-updated_at", "_id"),
        IndexModel([("text_digest", HASHED)], name=TEXT_INDEX_NAME),
        IndexModel([("updated_at", -1), ("_id", 1)], name=COMMON_INDEX_NAME, partialFilterExpression={"common": True}),
        field_index("removed", "series", "chapter", "_id"),
        IndexModel(
            [("shortest_passage", 1)], name="shortest_passage", partialFilterExpression={"shortest_passage": {"$gt": 0}}
        ),
        OWNER_INDEX,
    ),
    dropped=("text_digest_1_title_1",),
    compressed=True,
    leaf_kb=8,  # larger leaves decompress about 160 other documents per read
)
MAX_EXACT_COUNT = 20_000  # number of works above which the estimate of the server is used
_COUNTED_FIELDS: Document = dict.fromkeys(("version", "versions", "text_digest", "characters"), 1)
MAX_WRITE_ATTEMPTS = 20  # of an optimistic write; each failure means that another writer succeeded


def find_owned_ids(works: Table, owner: str) -> list[str]:
    """Return the ids of all works of an owner from the index alone."""
    documents = works.some({"owner": owner}, fields={"_id": 1}, hint=OWNER_INDEX.document["name"])
    return [document["_id"] for document in documents]


class Works(Steps[Work]):
    """Store works by the id from their holder."""

    declared = WORKS
    record_type = Work
    unknown_code = "store.no_work"
    _PRESENT: ClassVar[Document] = {"removed": False}
    _NO_PART: ClassVar[Document | None] = {"terms": 0}

    def __init__(self, database: OpenDatabase, clock: Clock, blobs: Blobs) -> None:
        super().__init__(database, clock)
        self._blobs = blobs

    def complete_old(self) -> None:
        """Add search terms to works of earlier versions. This is fast if there are none."""
        while old := self.table.some({"terms": None}, limit=BATCH_DOCUMENTS):
            self.table.write_all(
                [UpdateOne({"_id": document["_id"]}, {"$set": {"terms": _search_terms(document)}}) for document in old]
            )

    def count_old(self, after: str, limit: int) -> str | None:
        """Count the characters of works of earlier versions, from this id on.

        Return the last id that was examined, or None at the end. A work whose text is lost stays uncounted.
        """
        from matcher.alignment.aligned_span import count_characters  # numpy, which most commands do not need

        documents = self.table.some({"_id": {"$gt": after}}, sort=[("_id", 1)], limit=limit, fields=_COUNTED_FIELDS)
        old = [document for document in documents if document.get("characters") is None]
        digests = {version["text_digest"] for document in old for version in document["versions"]}
        counts = {digest: count_characters(text) for digest, text in self._blobs.texts_there(digests).items()}
        self.table.write_all(
            [
                UpdateOne(_unchanged_filter(document), {"$set": _with_characters(document, counts)})
                for document in old
                if document["text_digest"] in counts
            ]
        )
        return documents[-1]["_id"] if documents else None

    def put_all(self, drafts: Sequence[WorkDraft], *, note: str | None, step: Step) -> list[tuple[Work, str]]:
        """Store works with different ids, each with its outcome.

        The outcome is "new", "changed" or "unchanged" (same text and metadata). Fields edited by users stay.

        Raises `BadInput` if a work cannot be stored. Others may be stored then. Putting them again gives "unchanged".
        """
        digests = self._blobs.put_texts([draft.text for draft in drafts])
        ids = [draft.id for draft in drafts]
        stored = {document["_id"]: document for document in self.table.some({"_id": {"$in": ids}})}
        new = {
            draft.id: self._first_version(draft, digest, note, step)
            for draft, digest in zip(drafts, digests, strict=True)
            if draft.id not in stored
        }
        documents = list(new.values())
        taken = {documents[place]["_id"] for place in self.table.add_all(documents)}
        result = []
        for draft, digest in zip(drafts, digests, strict=True):
            if draft.id in new and draft.id not in taken:
                result.append((self._record(new[draft.id]), "new"))
            elif draft.id in stored and self._is_unchanged(stored[draft.id], draft, digest):
                result.append((self._record(stored[draft.id]), "unchanged"))
            else:
                result.append(self._put(draft, digest, note, step))
        return result

    def _put(self, draft: WorkDraft, digest: str, note: str | None, step: Step) -> tuple[Work, str]:
        for _ in range(MAX_WRITE_ATTEMPTS):
            document = self.table.one({"_id": draft.id})
            if document is None:
                stored, outcome = self._insert(self._first_version(draft, digest, note, step)), "new"
            elif self._is_unchanged(document, draft, digest):
                stored, outcome = document, "unchanged"
            elif is_new_version(self._record(document), digest):
                stored = self._next_version(document, draft, digest, note, step)
                outcome = "new" if document["removed"] else "changed"
            else:
                stored, outcome = self._metadata_only(document, draft), "changed"
            if stored is not None:
                return self._record(stored), outcome
        raise Conflict("store.work_changed", id=draft.id, times=MAX_WRITE_ATTEMPTS)

    def find_same_texts(self, text_digests: Collection[str], *, common: bool = False) -> list[tuple[str, str, str]]:
        """Return (digest, title, id) of the works with one of these texts.

        common: search the common texts instead.
        """
        documents = self.table.some(
            {"text_digest": {"$in": list(text_digests)}, "removed": False, **_kind_filter(common=common)},
            fields={"text_digest": 1, "title": 1},
        )
        return [(document["text_digest"], document["title"], document["_id"]) for document in documents]

    def find(
        self, *, query: str | None = None, series: str | None = None, skip: int = 0, limit: int = 50
    ) -> list[Work]:
        """Return works that were not removed, most recently changed first. A series is sorted by chapter.

        query: words of title, author or id.
        """
        order = [("chapter", 1), ("_id", 1)] if series else [("updated_at", -1), ("_id", 1)]
        # Without a hint, MongoDB sometimes tries other indexes and sorts all works.
        hint = None if query or series else CHANGE_INDEX.document["name"]
        return self._read_some(_list_filter(query, series), sort=order, skip=skip, limit=limit, hint=hint)

    def find_common(self, *, query: str | None = None, skip: int = 0, limit: int = 50) -> list[Work]:
        """Return the common texts, most recently changed first. `find` and `count` exclude them."""
        return self._read_some(
            _list_filter(query, common=True),
            sort=[("updated_at", -1), ("_id", 1)],
            skip=skip,
            limit=limit,
            hint=COMMON_INDEX_NAME,
        )

    def count_common(self, *, query: str | None = None) -> int:
        return self.table.count(_list_filter(query, common=True), hint=COMMON_INDEX_NAME)

    def sample(self, limit: int) -> list[Work]:
        """Return a sample of works that were not removed. It does not depend on the order of their import."""
        present = {"removed": False, **_kind_filter(common=False)}
        return self._read_some(present, limit=limit, hint=TEXT_INDEX_NAME)

    def count(self, *, query: str | None = None, series: str | None = None, most: int | None = None) -> int:
        """Return the number of works that `find` would give.

        most: stop counting at this number.
        """
        if query is None and series is None and most is None:
            common = self.count_common()
            if (stored := self.table.estimate()) > MAX_EXACT_COUNT:
                return stored - self.table.count({"removed": True}) - common
            return self.table.count({"removed": False}) - common
        return self.table.count(_list_filter(query, series), most=most)

    def series(self, *, skip: int = 0, limit: int = 50) -> list[tuple[str, int]]:
        """Return (name, number of works) of the series, sorted by name."""
        groups = self.table.aggregate(
            [
                {"$match": {"removed": False, "series": {"$type": "string"}, **_kind_filter(common=False)}},
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
                {"$match": {"removed": False, "series": {"$type": "string"}, **_kind_filter(common=False)}},
                {"$group": {"_id": "$series"}},
                {"$count": "series"},
            ]
        )
        return int(groups[0]["series"]) if groups else 0

    def ids(self) -> Iterator[str]:
        """Yield the ids of the works that were not removed, in order."""
        for document in self.table.each({"removed": False}, by="_id", fields={"_id": 1}):
            yield document["_id"]

    def sum_lengths(self) -> int:
        """Return the total length of works that were not removed, in characters."""
        sums = self.table.aggregate(
            [{"$match": {"removed": False}}, {"$group": {"_id": None, "length": {"$sum": "$length"}}}]
        )
        return int(sums[0]["length"]) if sums else 0

    def last_change(self) -> datetime | None:
        """Return when any work was last stored, changed or removed, or None."""
        newest = [
            self.table.some({"removed": removed}, sort=[("updated_at", -1), ("_id", 1)], limit=1)
            for removed in (False, True)
        ]
        return max((document["updated_at"] for documents in newest for document in documents), default=None)

    def with_shortest_below(self, letters: int) -> list[Work]:
        """Return the works whose own minimum passage is shorter than `letters` initials."""
        return self._read_some({"shortest_passage": {"$gt": 0, "$lt": letters}, "removed": False})

    def removed_ids(self) -> Iterator[str]:
        """Yield the ids of removed works, in order."""
        for document in self.table.each({"removed": True}, by="_id", fields={"_id": 1}):
            yield document["_id"]

    def remove(self, id: str, *, merged_into: str | None = None) -> Work:
        """Mark a work as removed, with REMOVE as its next step. Raises `NotFound`.

        merged_into: id of the work that replaces it.
        """
        now = to_milliseconds(self._clock())
        removed = self.table.find_and_change(
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
        """Restart a work like any record. A removed work restarts only at REMOVE, so that it stays out of the index."""
        which: Document = {"_id": id} if step is Step.REMOVE else {"_id": id, "removed": False}
        return self._restart(which, step, only_from)

    def end_look_ups(self, claims: Sequence[Claim[Work]], conditions: str) -> int:
        """Advance works whose look-up is done, and note the conditions of the look-up. Return how many claims were
        valid.
        """
        done = fresh_progress(Step.DONE, self._clock())
        return self.table.write_all(
            [
                UpdateOne(
                    claim_filter(claim),
                    {
                        "$set": {
                            "progress": done,
                            "looked_up": {"updated_at": claim.record.updated_at, "conditions": conditions},
                        }
                    },
                )
                for claim in claims
            ]
        )

    def find_looked_up(self, ids: Collection[str], conditions: str) -> set[str]:
        """Return those works that were looked up under these conditions after the last change of their record."""
        documents = self.table.some(
            {
                "_id": {"$in": list(ids)},
                "looked_up.conditions": conditions,
                "$expr": {"$eq": ["$looked_up.updated_at", "$updated_at"]},
            },
            fields={"_id": 1},
        )
        return {document["_id"] for document in documents}

    def owners(self) -> list[str]:
        # The sort makes the server jump from name to name in the index.
        names: list[Document] = [
            {"$match": {"owner": {"$type": "string"}}},
            {"$sort": {"owner": 1}},
            {"$group": {"_id": "$owner"}},
            {"$sort": {"_id": 1}},
        ]
        return [group["_id"] for group in self.table.aggregate(names, hint=OWNER_INDEX.document["name"])]

    def set_owner(self, old: str, new: str) -> int:
        """Change the owner `old` to `new` in all works, as an edit by a user, and return their number.

        Removed works are included.
        """
        now = to_milliseconds(self._clock())
        update = {"$set": {"owner": new, "updated_at": now}, "$addToSet": {"edited": "owner"}}
        return self.table.update_all({"owner": old}, update)

    def edit(self, id: str, values: Mapping[str, object]) -> Work:
        """Set fields as edited by a user, so that imports keep them. Raises `NotFound`, also for a removed work."""
        encoded = {name: encode(value) for name, value in values.items()}
        for _ in range(MAX_WRITE_ATTEMPTS):
            document = self.table.one({"_id": id, "removed": False})
            if document is None:
                raise NotFound("store.no_work", id=id)
            now = to_milliseconds(self._clock())
            changes = {**encoded, "terms": _search_terms({**document, **encoded}), "updated_at": now}
            as_read = {**_unchanged_filter(document), "updated_at": document["updated_at"]}
            edited = {"$set": changes, "$addToSet": {"edited": {"$each": list(encoded)}}}
            if stored := self.table.find_and_change(as_read, edited):
                return self._record(stored)
        raise Conflict("store.work_changed", id=id, times=MAX_WRITE_ATTEMPTS)

    def set_note(self, id: str, note: str | None) -> None:
        self.set_notes([id], note)

    def set_notes(self, ids: Collection[str], note: str | None) -> None:
        if ids:
            self.table.update_all({"_id": {"$in": list(ids)}, "note": {"$ne": note}}, {"$set": {"note": note}})

    def _is_unchanged(self, document: Document, draft: WorkDraft, digest: str) -> bool:
        published = draft.published_at and to_milliseconds(draft.published_at)
        return is_unchanged(self._record(document), replace(draft, published_at=published), digest)

    def _first_version(self, draft: WorkDraft, digest: str, note: str | None, step: Step) -> Document:
        document = {"_id": draft.id, "stored_at": to_milliseconds(self._clock()), "versions": []}
        document |= self._version(draft, 1, digest, note, step)
        document["versions"] = [document.pop("newest")]
        return document

    def _insert(self, document: Document) -> Document | None:
        try:
            self.table.insert(document)
        except Conflict:
            return None
        return document

    def _next_version(
        self, document: Document, draft: WorkDraft, digest: str, note: str | None, step: Step
    ) -> Document | None:
        changes = self._version(draft, document["version"] + 1, digest, note, step, document)
        newest = changes.pop("newest")
        return self.table.find_and_change(_unchanged_filter(document), {"$set": changes, "$push": {"versions": newest}})

    def _metadata_only(self, document: Document, draft: WorkDraft) -> Document | None:
        return self.table.find_and_change(
            _unchanged_filter(document),
            {"$set": {**_draft_fields(draft, document), "updated_at": to_milliseconds(self._clock())}},
        )

    def _version(
        self,
        draft: WorkDraft,
        version: int,
        digest: str,
        note: str | None,
        step: Step,
        document: Document | None = None,
    ) -> Document:
        from matcher.alignment.aligned_span import count_characters  # numpy, which most commands do not need

        now = to_milliseconds(self._clock())
        length, characters = len(draft.text), count_characters(draft.text)
        return {
            **_draft_fields(draft, document),
            "version": version,
            "text_digest": digest,
            "length": length,
            "characters": characters,
            "progress": fresh_progress(step, now),
            "updated_at": now,
            "note": note,
            "removed_at": None,
            "removed": False,
            "newest": {
                "version": version,
                "text_digest": digest,
                "length": length,
                "characters": characters,
                "stored_at": now,
            },
        }


def _with_characters(document: Document, counts: Mapping[str, int]) -> Document:
    versions = [{**version, "characters": counts.get(version["text_digest"])} for version in document["versions"]]
    return {"characters": counts[document["text_digest"]], "versions": versions}


def _search_terms(work: Document) -> list[str]:
    return search_terms(work["title"], work.get("author"), work["_id"])


def _draft_fields(draft: WorkDraft, document: Document | None) -> dict[str, Any]:
    """Return the fields that a draft sets, without those edited by users, and the resulting search terms."""
    before = document or {}
    fields = {name: encode(getattr(draft, name)) for name in imported_fields(before.get("edited", ()))}
    return {**fields, "common": draft.common, "terms": _search_terms({**before, "_id": draft.id, **fields})}


def _unchanged_filter(document: Document) -> Document:
    """Return a filter that matches the document only while its version is unchanged.

    A concurrent removal counts as earlier than a new version, and as later than new metadata.
    """
    return {"_id": document["_id"], "version": document["version"]}


def _kind_filter(*, common: bool) -> Document:
    return {"common": True if common else {"$ne": True}}


def _list_filter(query: str | None, series: str | None = None, *, common: bool = False) -> Document:
    listed: Document = {"removed": False, **_kind_filter(common=common)}
    if series:
        listed["series"] = series
    if query:
        listed["$and"] = term_conditions(query) or [{"terms": ""}]  # a query without words matches nothing
    return listed
