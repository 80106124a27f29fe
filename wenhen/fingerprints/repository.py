"""Store the fingerprints of works and pages, from which the index can be rebuilt."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from pymongo import IndexModel

from wenhen.fingerprints.model import Fingerprint, NumberedWork, WorkSegment, fingerprint_rank
from wenhen.kit.errors import Conflict
from wenhen.kit.mongo.blobs import BLOB_CHUNKS, chunk_text
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of
from wenhen.kit.mongo.marks import Counters
from wenhen.kit.mongo.table import FORM_FIELD, OpenDatabase, Repository, TableSpec, field_index
from wenhen.kit.progress import Owner, OwnerKind, fingerprint_id
from wenhen.works.model import Work
from wenhen.works.repository import WORKS

# Works of fingerprints with their texts, joined by the server. A query costs a quarter of a millisecond, whatever it
# asks for. A join of three collections takes half the time of three queries. From about ten works on it gains nothing,
# because each work is joined separately.


MAX_JOINED_TEXT_CHARACTERS: Final = 20_000  # characters of a text that is joined; it is smaller than one chunk
_NO_TEXT_DIGEST: Final = ""  # a digest that no text has

JOIN_WORKS_AND_TEXTS: Final[tuple[Document, ...]] = (
    {"$project": {"_id": 0, "number": 1, "owner_id": 1, "owner_version": 1}},  # an index covers these fields
    {"$lookup": {"from": WORKS.name, "localField": "owner_id", "foreignField": "_id", "as": "work"}},
    {"$unwind": "$work"},
    {
        "$set": {
            "text": {
                "$cond": [{"$lte": ["$work.length", MAX_JOINED_TEXT_CHARACTERS]}, "$work.text_digest", _NO_TEXT_DIGEST]
            }
        }
    },
    {"$lookup": {"from": BLOB_CHUNKS.name, "localField": "text", "foreignField": "files_id", "as": "chunks"}},
)


def to_numbered_work(document: Document) -> NumberedWork:
    """Convert a joined document. A text that is incomplete is left out; reading it later reports the error."""
    work = from_document(Work, document["work"])
    text = chunk_text(document["chunks"][0]) if len(document["chunks"]) == 1 else None
    return NumberedWork(
        document["owner_version"], work, text if text is not None and len(text) == work.length else None
    )


# Fingerprints in MongoDB. The `_id` of a document is its kind and number. A text that is fingerprinted again has new
# numbers under the same record ids, while the old, retired numbers wait to be removed from the index.


MADE_BY_INDEX = "made_by"
COVERING_INDEX = "told"  # covers the fields that look-ups need, so that no query reads the fingerprint itself

FINGERPRINTS_COLLECTION: Final = "fingerprints"
PACKED_FORM: Final = 2  # version of the packed form of features

FINGERPRINTS = TableSpec(
    name=FINGERPRINTS_COLLECTION,
    schema=schema_of(Fingerprint),
    indexes=(
        field_index("kind", "number"),  # unique by the id
        IndexModel(
            [(key, 1) for key in ("_id", "retired", "number", "owner_id", "owner_version", "segment")],
            name=COVERING_INDEX,
        ),
        field_index("kind", "retired", "owner_id", "segment"),
        IndexModel([(key, 1) for key in ("kind", "retired", "scheme", "parameters", "owner_id")], name=MADE_BY_INDEX),
    ),
    dropped=("id_1",),
    compressed=True,
    form=PACKED_FORM,
)
WRITE_BATCH_SIZE = 200  # a fingerprint of a long segment has half a megabyte


class Fingerprints(Repository):
    """Fingerprints by kind and number, in MongoDB."""

    declared = FINGERPRINTS

    def __init__(self, database: OpenDatabase, counters: Counters) -> None:
        super().__init__(database)
        self._counters = counters

    def numbers(self, kind: OwnerKind, count: int) -> range:
        """Reserve `count` consecutive numbers that were never used for this kind."""
        return self._counters.take(_counter_name(kind), count)

    def count_reserved(self, kind: OwnerKind) -> int:
        """Count the numbers that were ever reserved. This is at least `count`, and costs one small read."""
        return self._counters.count_given(_counter_name(kind))

    def replace(self, kind: OwnerKind, owner_id: str, fingerprints: Sequence[Fingerprint]) -> None:
        """Store the fingerprints of an owner and retire its others. An empty sequence retires all.

        The new ones are written before the old ones retire. A worker that dies in between leaves both, and a retry
        repairs that. Of two concurrent writers, the later version wins, and within a version the later numbers. Raises
        Conflict if the other writer was later; its fingerprints are stored.
        """
        if not fingerprints:
            self._retire(_live_filter(kind, [owner_id]))
        elif self.replace_all(kind, {owner_id: fingerprints}):
            raise Conflict("store.later_fingerprints", kind=kind, id=owner_id, version=fingerprints[0].owner_version)

    def replace_all(self, kind: OwnerKind, fingerprints: Mapping[str, Sequence[Fingerprint]]) -> set[str]:
        """Store fingerprints of many owners, at least one for each. Return the owners whose writer lost."""
        new = [fingerprint for owner_fingerprints in fingerprints.values() for fingerprint in owner_fingerprints]
        keys = [_fingerprint_key(kind, fingerprint.number) for fingerprint in new]
        self.table.put_all(
            [{"_id": key, **_to_stored(fingerprint)} for key, fingerprint in zip(keys, new, strict=True)]
        )
        # Most works are stored only once, so few owners have others.
        others = self.table.some(
            {**_live_filter(kind, fingerprints), "_id": {"$nin": keys}},
            fields={"owner_id": 1, "owner_version": 1, "number": 1},
        )
        void = set()
        for owner_id, theirs in groupby(sorted(others, key=itemgetter("owner_id")), itemgetter("owner_id")):
            current = fingerprints[owner_id]
            own = fingerprint_rank(current[0].owner_version, [our.number for our in current])
            ranked = {their["_id"]: fingerprint_rank(their["owner_version"], [their["number"]]) for their in theirs}
            if any(other > own for other in ranked.values()):
                void.add(owner_id)
                self._retire({"_id": {"$in": [_fingerprint_key(kind, our.number) for our in current]}})
            else:
                self._retire({"_id": {"$in": list(ranked)}})
        return void

    def of(self, kind: OwnerKind, owner_id: str) -> list[Fingerprint]:
        """Return the owner's live fingerprints in the order of their segments."""
        return self.of_all(kind, [owner_id]).get(owner_id, [])

    def of_all(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, list[Fingerprint]]:
        """Return these owners' live fingerprints in the order of their segments; owners without any are absent."""
        documents = self.table.some(_live_filter(kind, owner_ids), sort=[("segment", 1)])
        by_owner: dict[str, list[Fingerprint]] = {}
        for document in documents:
            by_owner.setdefault(document["owner_id"], []).append(_to_fingerprint(document))
        return by_owner

    def packed_features(self, kind: OwnerKind, owner_ids: Collection[str]) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield number, positions and values of the live fingerprints of these owners, as they are packed."""
        fields = {"_id": 0, "number": 1, "positions": 1, "values": 1, FORM_FIELD: 1}
        for document in self.table.some(_live_filter(kind, owner_ids), fields=fields):
            packed = document if document.get(FORM_FIELD, 0) >= PACKED_FORM else pack_features(document)
            yield document["number"], packed["positions"], packed["values"]

    def ids_of(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the live fingerprints of each owner, in segment order. Owners without any are absent."""
        documents = self.table.some(
            _live_filter(kind, owner_ids),
            sort=[("segment", 1)],
            fields={"owner_id": 1, "owner_version": 1, "segment": 1},
        )
        by_owner: dict[str, tuple[str, ...]] = {}
        for document in documents:
            by_owner[document["owner_id"]] = (*by_owner.get(document["owner_id"], ()), _stored_id(kind, document))
        return by_owner

    def names(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        """Return id and version of the owners of live fingerprints, by number. Retired numbers are absent."""
        if not numbers:
            return {}
        fields = {"_id": 0, "number": 1, "owner_id": 1, "owner_version": 1}
        documents = self.table.some(_number_filter(kind, numbers), fields=fields, hint=COVERING_INDEX)
        return {document["number"]: (document["owner_id"], document["owner_version"]) for document in documents}

    def names_of(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[int, tuple[str, int]]:
        """Return id and version of these owners, by the numbers of their live fingerprints."""
        fields = {"_id": 0, "number": 1, "owner_id": 1, "owner_version": 1}
        documents = self.table.some(_live_filter(kind, owner_ids), fields=fields)
        return {document["number"]: (document["owner_id"], document["owner_version"]) for document in documents}

    def works(self, numbers: Collection[int]) -> dict[int, NumberedWork]:
        """Return the works of fingerprints, including removed works, with short texts, in one query.

        It is meant for few numbers: for many it takes as long as several queries.
        """
        if not numbers:
            return {}
        which: Document = {"$match": _number_filter(OwnerKind.WORK, numbers)}
        documents = self.table.aggregate([which, *JOIN_WORKS_AND_TEXTS], hint=COVERING_INDEX)
        return {document["number"]: to_numbered_work(document) for document in documents}

    def work_texts(self, numbers: Collection[int]) -> dict[int, WorkSegment]:
        """Return the segments that live fingerprints were made of, if their work was not removed."""
        present = [{"$match": {"removed": False}}, {"$project": {"_id": 0, "text_digest": 1, "length": 1}}]
        works = {"from": WORKS.name, "localField": "owner_id", "foreignField": "_id", "pipeline": present, "as": "work"}
        question: list[Document] = [
            {"$match": _number_filter(OwnerKind.WORK, numbers)},
            {"$project": {"_id": 0, "number": 1, "owner_id": 1, "segment": 1}},
            {"$lookup": works},
        ]
        documents = self.table.aggregate(question, hint=COVERING_INDEX)
        return {
            document["number"]: WorkSegment(
                document["owner_id"], document["segment"], work["text_digest"], work["length"]
            )
            for document in documents
            for work in document["work"]
        }

    def all(self, kind: OwnerKind) -> Iterator[Fingerprint]:
        """Yield every live fingerprint in number order."""
        live = {"kind": kind.value, "retired": False}
        return map(_to_fingerprint, self.table.each(live, by="number", batch=WRITE_BATCH_SIZE))

    def find_retired(self, kind: OwnerKind, limit: int, owner_ids: Collection[str] | None = None) -> list[Fingerprint]:
        which: Document = {"kind": kind.value, "retired": True}
        if owner_ids is not None:
            which["owner_id"] = {"$in": list(owner_ids)}
        return [_to_fingerprint(document) for document in self.table.some(which, limit=limit)]

    def forget(self, kind: OwnerKind, numbers: Collection[int]) -> None:
        """Delete those fingerprints that are retired. Their postings must be out of the index."""
        self.table.delete({"_id": {"$in": [_fingerprint_key(kind, number) for number in numbers]}, "retired": True})

    def count(self, kind: OwnerKind) -> int:
        return self.table.count({"kind": kind.value, "retired": False})

    def count_other(self, kind: OwnerKind, scheme: str, parameters: Mapping[str, object]) -> int:
        """Count the live fingerprints of another scheme or with other parameters. The cost grows with their number."""
        return sum(
            self.table.count(which, hint=MADE_BY_INDEX) for which in _other_form_filters(kind, scheme, parameters)
        )

    def owners_of_other(
        self, kind: OwnerKind, scheme: str, parameters: Mapping[str, object], *, after: str, limit: int
    ) -> list[str]:
        """Return the next owner ids of such fingerprints after this one, in order."""
        owners: set[str] = set()
        for which in _other_form_filters(kind, scheme, parameters):
            order: list[Document] = [
                {"$match": {**which, "owner_id": {"$gt": after}}},
                {"$group": {"_id": "$owner_id"}},
                {"$sort": {"_id": 1}},
                {"$limit": limit},
            ]
            owners.update(document["_id"] for document in self.table.aggregate(order, hint=MADE_BY_INDEX))
        return sorted(owners)[:limit]

    def _retire(self, which: Document) -> None:
        self.table.update_all(which, {"$set": {"retired": True}})


def _counter_name(kind: OwnerKind) -> str:
    return f"fingerprint:{kind.value}"


def _live_filter(kind: OwnerKind, owner_ids: Iterable[str]) -> Document:
    return {"kind": kind.value, "retired": False, "owner_id": {"$in": list(owner_ids)}}


def _other_form_filters(kind: OwnerKind, scheme: str, parameters: Mapping[str, object]) -> list[Document]:
    """Return filters that together match every other scheme or parameters, as ranges of `MADE_BY_INDEX`."""
    live: Document = {"kind": kind.value, "retired": False}
    return [
        *({**live, "scheme": other} for other in ({"$lt": scheme}, {"$gt": scheme})),
        *({**live, "scheme": scheme, "parameters": other} for other in ({"$lt": parameters}, {"$gt": parameters})),
    ]


def _number_filter(kind: OwnerKind, numbers: Collection[int]) -> Document:
    return {"_id": {"$in": [_fingerprint_key(kind, number) for number in numbers]}, "retired": False}


def _fingerprint_key(kind: OwnerKind, number: int) -> str:
    return f"{kind.value}:{number}"


def _to_stored(fingerprint: Fingerprint) -> Document:
    document: Document = encode(fingerprint)
    del document["id"]
    return document


def _to_fingerprint(document: Document) -> Fingerprint:
    fields = {**document, "id": _stored_id(OwnerKind(document["kind"]), document)}
    if document.get(FORM_FIELD, 0) < PACKED_FORM:
        fields |= pack_features(document)
    return from_document(Fingerprint, fields)


def _stored_id(kind: OwnerKind, document: Document) -> str:
    return fingerprint_id(Owner(kind, document["owner_id"]), document["owner_version"], document["segment"])


def packed_form_update(document: Document) -> Document:
    """Return the update that converts a document of the former form."""
    return {"$set": {**pack_features(document), FORM_FIELD: PACKED_FORM}, "$unset": {"id": ""}}


def pack_features(document: Document) -> Document:
    """Return the features of a document of the former form in the current form."""
    # Imported here, so that commands without look-ups start without NumPy.
    from fingerprinter.features.model import repack_features

    positions, values = repack_features(document["positions"], document["values"])
    return {"positions": positions, "values": values}
