"""The fingerprints of works and pages, from which the index can be rebuilt.

A document's `_id` is its side and number, for a text that is fingerprinted again has new numbers under the same record
ids, while the old numbers still wait, retired, to be taken out of the index.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from pymongo import IndexModel
from pymongo.database import Database

from store.errors import Conflict
from store.mongo.engine.codec import Document, encode, from_document
from store.mongo.engine.counters import Counters
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import FORM, Declared, Table, index
from store.mongo.library.works import WORKS
from store.mongo.library.works_and_texts import WITH_WORKS_AND_TEXTS, numbered_work
from store.mongo.upkeep.packed_form_migration import NAME, PACKED, packed
from store.records import Fingerprint, NumberedWork, Owner, OwnerKind, WorkSegment
from store.rules.library.which_fingerprints_count import rank
from store.rules.record_ids import fingerprint_id

MADE_BY = "made_by"
TOLD = "told"  # all that look-ups ask of a number, so that none reads the fingerprint itself

FINGERPRINTS = Declared(
    name=NAME,
    schema=schema_of(Fingerprint),
    indexes=(
        index("kind", "number"),  # unique by the id
        IndexModel(
            [(key, 1) for key in ("_id", "retired", "number", "owner_id", "owner_version", "segment")], name=TOLD
        ),
        index("kind", "retired", "owner_id", "segment"),
        IndexModel([(key, 1) for key in ("kind", "retired", "scheme", "parameters", "owner_id")], name=MADE_BY),
    ),
    dropped=("id_1",),
    compressed=True,
    form=PACKED,
)
BATCH = 200  # fingerprints of long segments are half a megabyte each


class MongoFingerprints:
    """Fingerprints by side and number."""

    def __init__(self, database: Database[Document], address: str, counters: Counters) -> None:
        self.table = Table(database, FINGERPRINTS, address)
        self._counters = counters

    def numbers(self, kind: OwnerKind, count: int) -> range:
        return self._counters.take(_counter(kind), count)

    def reserved(self, kind: OwnerKind) -> int:
        return self._counters.taken(_counter(kind))

    def replace(self, kind: OwnerKind, owner_id: str, fingerprints: Sequence[Fingerprint]) -> None:
        """Store these for the owner and retire all others of its; an empty sequence retires all.

        The new ones are written before the old ones retire: whoever dies in between leaves both, and doing it again
        heals that. Of two who replace at once, the one with the later version or, within a version, the later numbers
        wins. Conflict: the other one was later; what is stored is the other's.
        """
        if not fingerprints:
            self._retire(_live(kind, [owner_id]))
        elif self.replace_all(kind, {owner_id: fingerprints}):
            raise Conflict("store.later_fingerprints", kind=kind, id=owner_id, version=fingerprints[0].owner_version)

    def replace_all(self, kind: OwnerKind, fingerprints: Mapping[str, Sequence[Fingerprint]]) -> set[str]:
        """Replace as `replace` does, for many owners at once, none of them with nothing; return those that lost."""
        new = [one for some in fingerprints.values() for one in some]
        keys = [_key(kind, one.number) for one in new]
        self.table.put_all([{"_id": key, **_document(one)} for key, one in zip(keys, new, strict=True)])
        # Hardly an owner has others, for most works come in once.
        others = self.table.some(
            {**_live(kind, fingerprints), "_id": {"$nin": keys}},
            fields={"owner_id": 1, "owner_version": 1, "number": 1},
        )
        void = set()
        for owner_id, theirs in groupby(sorted(others, key=itemgetter("owner_id")), itemgetter("owner_id")):
            ours = fingerprints[owner_id]
            own = rank(ours[0].owner_version, [one.number for one in ours])
            ranked = {one["_id"]: rank(one["owner_version"], [one["number"]]) for one in theirs}
            if any(other > own for other in ranked.values()):
                void.add(owner_id)
                self._retire({"_id": {"$in": [_key(kind, one.number) for one in ours]}})
            else:
                self._retire({"_id": {"$in": list(ranked)}})
        return void

    def of(self, kind: OwnerKind, owner_id: str) -> list[Fingerprint]:
        """Return the owner's live fingerprints in the order of their segments."""
        return self.of_all(kind, [owner_id]).get(owner_id, [])

    def of_all(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, list[Fingerprint]]:
        """Return these owners' live fingerprints in the order of their segments; owners without any are absent."""
        found = self.table.some(_live(kind, owner_ids), sort=[("segment", 1)])
        by_owner: dict[str, list[Fingerprint]] = {}
        for one in found:
            by_owner.setdefault(one["owner_id"], []).append(_record(one))
        return by_owner

    def ids_of(self, kind: OwnerKind, owner_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        found = self.table.some(
            _live(kind, owner_ids), sort=[("segment", 1)], fields={"owner_id": 1, "owner_version": 1, "segment": 1}
        )
        by_owner: dict[str, tuple[str, ...]] = {}
        for one in found:
            by_owner[one["owner_id"]] = (*by_owner.get(one["owner_id"], ()), _id(kind, one))
        return by_owner

    def names(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        if not numbers:
            return {}
        fields = {"_id": 0, "number": 1, "owner_id": 1, "owner_version": 1}
        found = self.table.some(_numbered(kind, numbers), fields=fields, hint=TOLD)
        return {one["number"]: (one["owner_id"], one["owner_version"]) for one in found}

    def works(self, numbers: Collection[int]) -> dict[int, NumberedWork]:
        if not numbers:
            return {}
        which: Document = {"$match": _numbered(OwnerKind.WORK, numbers)}
        found = self.table.aggregate([which, *WITH_WORKS_AND_TEXTS], hint=TOLD)
        return {one["number"]: numbered_work(one) for one in found}

    def work_texts(self, numbers: Collection[int]) -> dict[int, WorkSegment]:
        present = [{"$match": {"removed": False}}, {"$project": {"_id": 0, "text_digest": 1, "length": 1}}]
        works = {"from": WORKS.name, "localField": "owner_id", "foreignField": "_id", "pipeline": present, "as": "work"}
        question: list[Document] = [
            {"$match": _numbered(OwnerKind.WORK, numbers)},
            {"$project": {"_id": 0, "number": 1, "owner_id": 1, "segment": 1}},
            {"$lookup": works},
        ]
        found = self.table.aggregate(question, hint=TOLD)
        return {
            one["number"]: WorkSegment(one["owner_id"], one["segment"], work["text_digest"], work["length"])
            for one in found
            for work in one["work"]
        }

    def all(self, kind: OwnerKind) -> Iterator[Fingerprint]:
        live = {"kind": kind.value, "retired": False}
        return map(_record, self.table.each(live, by="number", batch=BATCH))

    def retired(self, kind: OwnerKind, limit: int, owner_ids: Collection[str] | None = None) -> list[Fingerprint]:
        which: Document = {"kind": kind.value, "retired": True}
        if owner_ids is not None:
            which["owner_id"] = {"$in": list(owner_ids)}
        return [_record(one) for one in self.table.some(which, limit=limit)]

    def forget(self, kind: OwnerKind, numbers: Collection[int]) -> None:
        self.table.delete({"_id": {"$in": [_key(kind, number) for number in numbers]}, "retired": True})

    def count(self, kind: OwnerKind) -> int:
        return self.table.count({"kind": kind.value, "retired": False})

    def count_other(self, kind: OwnerKind, scheme: str, parameters: Mapping[str, object]) -> int:
        return sum(self.table.count(which, hint=MADE_BY) for which in _others(kind, scheme, parameters))

    def owners_of_other(
        self, kind: OwnerKind, scheme: str, parameters: Mapping[str, object], *, after: str, limit: int
    ) -> list[str]:
        found: set[str] = set()
        for which in _others(kind, scheme, parameters):
            order: list[Document] = [
                {"$match": {**which, "owner_id": {"$gt": after}}},
                {"$group": {"_id": "$owner_id"}},
                {"$sort": {"_id": 1}},
                {"$limit": limit},
            ]
            found.update(one["_id"] for one in self.table.aggregate(order, hint=MADE_BY))
        return sorted(found)[:limit]

    def _retire(self, which: Document) -> None:
        self.table.update_all(which, {"$set": {"retired": True}})


def _counter(kind: OwnerKind) -> str:
    return f"fingerprint:{kind.value}"


def _live(kind: OwnerKind, owner_ids: Iterable[str]) -> Document:
    return {"kind": kind.value, "retired": False, "owner_id": {"$in": list(owner_ids)}}


def _others(kind: OwnerKind, scheme: str, parameters: Mapping[str, object]) -> list[Document]:
    """Ranges of the index `MADE_BY` beside the one of this scheme with these parameters."""
    live: Document = {"kind": kind.value, "retired": False}
    return [
        *({**live, "scheme": other} for other in ({"$lt": scheme}, {"$gt": scheme})),
        *({**live, "scheme": scheme, "parameters": other} for other in ({"$lt": parameters}, {"$gt": parameters})),
    ]


def _numbered(kind: OwnerKind, numbers: Collection[int]) -> Document:
    return {"_id": {"$in": [_key(kind, number) for number in numbers]}, "retired": False}


def _key(kind: OwnerKind, number: int) -> str:
    return f"{kind.value}:{number}"


def _document(one: Fingerprint) -> Document:
    document: Document = encode(one)
    del document["id"]
    return document


def _record(document: Document) -> Fingerprint:
    told = {**document, "id": _id(OwnerKind(document["kind"]), document)}
    if document.get(FORM, 0) < PACKED:
        told |= packed(document)
    return from_document(Fingerprint, told)


def _id(kind: OwnerKind, document: Document) -> str:
    return fingerprint_id(Owner(kind, document["owner_id"]), document["owner_version"], document["segment"])
