"""Declare and use a collection: journaled majority writes, schema, indexes, and the base of repositories.

Every write of the stores is one atomic update of one document, or a sequence of such writes that is safe to repeat. The
stores use no transactions and no retries of the driver, so a standalone server works as well as a replica set or a
sharded cluster.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, overload

from pymongo import IndexModel, ReturnDocument, WriteConcern
from pymongo.database import Database
from pymongo.errors import BulkWriteError, CollectionInvalid, OperationFailure
from pymongo.operations import ReplaceOne, UpdateMany, UpdateOne

from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import Document, from_document
from wenhen.kit.mongo.server_errors import duplicate_positions, translate_errors

JOURNALED = WriteConcern(w="majority", j=True)
BATCH_DOCUMENTS = 1000
MAX_DOCUMENTS_AT_ONCE = 1_000_000  # documents per response; the server limits it to 16 MB
NAMESPACE_EXISTS = 48
# Blocks may begin at any sector. Rounded to 4 KB, as by default, compressed files are a twentieth larger.
COMPRESSED_STORAGE = "block_compressor=zstd,allocation_size=512B"
INDEX_LEAF_KB = 8  # for indexes of compressed collections; it takes no more space
INDEX_KEYS_DIFFER = 86  # another index has the same name

FORM_FIELD = "form"  # field of every document with the number of its form
Sort = Sequence[tuple[str, int]]
R = TypeVar("R")


class OpenDatabase(NamedTuple):
    """A database, and the address of its server for messages."""

    handle: Database[Document]
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """A collection's name, schema and indexes."""

    name: str
    schema: Document
    indexes: tuple[IndexModel, ...] = ()
    dropped: tuple[str, ...] = ()  # names of indexes of earlier releases
    compressed: bool = False  # slower and smaller than the default of MongoDB
    # KB of a page of the compressed file. A page is read and unpacked as a whole, for any document that is not cached,
    # and may be four times as large unpacked. Smaller pages are faster to read but compress less.
    leaf_kb: int = 32
    # Form of its documents; a change needs a migration (`wenhen.runtime.store`). 0: documents carry no form.
    form: int = 1


def field_index(*keys: str, unique: bool = False) -> IndexModel:
    """Return an index over these fields. A leading `-` reverses the order."""
    order = [(key.removeprefix("-"), -1 if key.startswith("-") else 1) for key in keys]
    return IndexModel(order, unique=unique)


def expiring_index(field: str, after: timedelta = timedelta(), *, only: Document | None = None) -> IndexModel:
    """Return a TTL index: MongoDB deletes documents this long after the time in `field`. only: filter for them."""
    partial = {} if only is None else {"partialFilterExpression": only}
    return IndexModel([(field, 1)], name="over", expireAfterSeconds=int(after.total_seconds()), **partial)


def _compression_options(leaf_kb: int) -> Document:
    return {"wiredTiger": {"configString": f"{COMPRESSED_STORAGE},leaf_page_max={leaf_kb}KB"}}


def prepare_tables(database: OpenDatabase, tables: Iterable["Table"]) -> None:
    """Create these collections, their validators and indexes, or update those that differ. It is idempotent.

    The existing collections are listed only once, because every program does this at its start.
    """
    with translate_errors(database.address):
        present = {collection["name"]: collection for collection in database.handle.list_collections()}
        for table in tables:
            table.prepare(present.get(table.declared.name))


class Table:
    """A declared collection of a database. Every document that it writes carries the number of its form."""

    def __init__(self, database: OpenDatabase, declared: TableSpec) -> None:
        self.declared = declared
        self._database, self._address = database
        self._collection = self._database.get_collection(declared.name, write_concern=JOURNALED)

    def prepare(self, present: Mapping[str, Any] | None) -> None:
        """Create or update the collection. present: its description from the database; None if it is missing."""
        validator = {"$jsonSchema": self.declared.schema}
        if present is None and self._create_collection(validator):
            pass
        elif present is None or present["options"].get("validator") != validator:
            self._database.command("collMod", self.declared.name, validator=validator, validationLevel="moderate")
        if self.declared.indexes:
            self._make_indexes()
        if self.declared.dropped:
            self._drop_indexes()

    def _make_indexes(self) -> None:
        try:
            self._collection.create_indexes(list(self.declared.indexes))
        except OperationFailure as error:
            if error.code != INDEX_KEYS_DIFFER:
                raise
            # An earlier release had other keys under the same name, or a unique index.
            present = self._collection.index_information()
            for index in self.declared.indexes:
                wanted = index.document
                before = present.get(wanted["name"])
                keys_and_uniqueness = list(wanted["key"].items()), wanted.get("unique", False)
                if before is not None and (before["key"], before.get("unique", False)) != keys_and_uniqueness:
                    self._collection.drop_index(wanted["name"])
            self._collection.create_indexes(list(self.declared.indexes))

    def _drop_indexes(self) -> None:
        for name in set(self.declared.dropped) & self._collection.index_information().keys():
            self._collection.drop_index(name)

    def _create_collection(self, validator: Document) -> bool:
        engine: dict[str, Any] = {}
        if self.declared.compressed:
            file, indexes = map(_compression_options, (self.declared.leaf_kb, INDEX_LEAF_KB))
            engine = {"storageEngine": file, "indexOptionDefaults": {"storageEngine": indexes}}
        # "moderate" allows updates of documents that predate a stricter schema.
        try:
            self._database.create_collection(
                self.declared.name, validator=validator, validationLevel="moderate", check_exists=False, **engine
            )
        except CollectionInvalid:
            return False
        except OperationFailure as error:
            if error.code != NAMESPACE_EXISTS:  # another process was faster
                raise
            return False
        return True

    def one(self, filter: Document, *, fields: Document | None = None) -> Document | None:
        with translate_errors(self._address):
            return self._collection.find_one(filter, fields)

    def some(
        self,
        filter: Document,
        *,
        sort: Sort | None = None,
        skip: int = 0,
        limit: int = 0,
        fields: Document | None = None,
        hint: str | None = None,
    ) -> list[Document]:
        """Return the documents that fit. A limit of 0 means no limit."""
        # All wanted documents come in one batch, instead of a hundred first.
        batch = limit or MAX_DOCUMENTS_AT_ONCE
        with translate_errors(self._address):
            return list(
                self._collection.find(filter, fields, sort=sort, skip=skip, limit=limit, batch_size=batch, hint=hint)
            )

    def each(
        self, filter: Document, *, by: str, fields: Document | None = None, batch: int = BATCH_DOCUMENTS
    ) -> Iterator[Document]:
        """Yield the documents that fit, in the order of the unique field `by`.

        Each batch is a new query, so that a slow caller lets no cursor expire.
        """
        after: Document = {}
        while documents := self.some({**filter, **after}, sort=[(by, 1)], limit=batch, fields=fields):
            yield from documents
            after = {by: {"$gt": documents[-1][by]}}

    def count(self, filter: Document, *, hint: str | None = None, most: int | None = None) -> int:
        """Count the documents that fit. most: count at which to stop."""
        options: dict[str, Any] = {n: value for n, value in (("hint", hint), ("limit", most)) if value is not None}
        with translate_errors(self._address):
            return self._collection.count_documents(filter, **options)

    def estimate(self) -> int:
        """Return the document count from the metadata of the server. It is fast, and exact except after a crash."""
        with translate_errors(self._address):
            return self._collection.estimated_document_count()

    def aggregate(self, pipeline: Sequence[Mapping[str, Any]], *, hint: str | None = None) -> list[Document]:
        options: dict[str, Any] = {} if hint is None else {"hint": hint}
        with translate_errors(self._address), self._collection.aggregate(pipeline, **options) as cursor:
            return list(cursor)

    def insert(self, document: Document) -> None:
        """Insert a document. Raises Conflict if its id, or another unique value, exists."""
        with translate_errors(self._address):
            self._collection.insert_one(self._with_form(document))

    def add_all(self, documents: Sequence[Document], *, concern: WriteConcern = JOURNALED) -> set[int]:
        """Insert documents in any order. Return the indexes of those whose id, or another unique value, exists."""
        if not documents:
            return set()
        with translate_errors(self._address):
            try:
                self._collection.with_options(write_concern=concern).insert_many(
                    list(map(self._with_form, documents)), ordered=False
                )
            except BulkWriteError as error:
                taken = duplicate_positions(error)
                if taken is None:
                    raise
                return taken
        return set()

    def insert_while_free(self, documents: Sequence[Document]) -> int:
        """Insert documents in order, up to the first whose id, or another unique value, exists. Return how many."""
        with translate_errors(self._address):
            try:
                self._collection.insert_many(list(map(self._with_form, documents)))
            except BulkWriteError as error:
                if duplicate_positions(error) is None:
                    raise
                return int(error.details["nInserted"])
        return len(documents)

    def put(self, document: Document) -> None:
        """Store a document, replacing the one with its id."""
        with translate_errors(self._address):
            self._collection.replace_one({"_id": document["_id"]}, self._with_form(document), upsert=True)

    def put_all(self, documents: Sequence[Document], *, there: Container[Any] = ()) -> None:
        """Store documents, replacing those with their ids. there: ids that exist, as far as known."""
        # Inserts are batched, at half the cost of as many replacements.
        new = [document for document in documents if document["_id"] not in there]
        taken = [new[index] for index in sorted(self.add_all(new))]
        replaced = [document for document in documents if document["_id"] in there] + taken
        self.write_all(
            [ReplaceOne({"_id": document["_id"]}, self._with_form(document), upsert=True) for document in replaced]
        )

    def upsert_of(self, filter: Document, change: Document) -> UpdateOne:
        """Return an upsert for `write_all`."""
        return UpdateOne(filter, self._with_form_on_insert(change), upsert=True)

    def write_all(
        self,
        writes: Sequence[ReplaceOne[Document] | UpdateOne | UpdateMany],
        *,
        concern: WriteConcern = JOURNALED,
        ordered: bool = False,
    ) -> int:
        """Run these writes, in any order unless `ordered`. Ordered writes stop at the first failure.

        Returns the number of writes that matched a document.
        """
        if not writes:
            return 0
        collection = self._collection.with_options(write_concern=concern)
        with translate_errors(self._address):
            return collection.bulk_write(writes, ordered=ordered).matched_count

    def update(self, filter: Document, change: Document, *, upsert: bool = False) -> bool:
        """Update the first document that fits. Return False if none did and none was inserted."""
        with translate_errors(self._address):
            result = self._collection.update_one(
                filter, self._with_form_on_insert(change) if upsert else change, upsert=upsert
            )
        return bool(result.matched_count or result.upserted_id is not None)

    def update_all(self, filter: Document, change: Document | list[Document]) -> int:
        """Update every document that fits. Return how many did."""
        with translate_errors(self._address):
            return self._collection.update_many(filter, change).matched_count

    def find_and_change(
        self,
        filter: Document,
        change: Document | list[Document],
        *,
        upsert: bool = False,
        before: bool = False,
        concern: WriteConcern = JOURNALED,
    ) -> Document | None:
        """Update the first document that fits. Return it as it is afterwards, or as it was `before`."""
        which = ReturnDocument.BEFORE if before else ReturnDocument.AFTER
        with translate_errors(self._address):
            document: Document | None = self._collection.with_options(write_concern=concern).find_one_and_update(
                filter, self._with_form_on_insert(change) if upsert else change, upsert=upsert, return_document=which
            )
        return document

    def _with_form(self, document: Document) -> Document:
        return {**document, FORM_FIELD: self.declared.form} if self.declared.form else document

    @overload
    def _with_form_on_insert(self, change: Document) -> Document: ...
    @overload
    def _with_form_on_insert(self, change: Document | list[Document]) -> Document | list[Document]: ...
    def _with_form_on_insert(self, change: Document | list[Document]) -> Document | list[Document]:
        """Return the change, with the form of a document that it inserts."""
        form = self.declared.form
        if not form:
            return change
        if isinstance(change, list):
            return [*change, {"$set": {FORM_FIELD: {"$ifNull": [f"${FORM_FIELD}", form]}}}]
        return {**change, "$setOnInsert": {**change.get("$setOnInsert", {}), FORM_FIELD: form}}

    def delete(self, filter: Document) -> int:
        """Delete every document that fits. Return how many did."""
        with translate_errors(self._address):
            return self._collection.delete_many(filter).deleted_count


# Repositories: most hold records of one class in one collection.


class Repository:
    """A repository with one collection."""

    declared: ClassVar[TableSpec]

    def __init__(self, database: OpenDatabase) -> None:
        self.table = Table(database, self.declared)


class Records(Repository, Generic[R]):
    """A repository of records of one class."""

    record_type: type[R]

    def _read_one(self, filter: Document) -> R | None:
        """Return a record that fits, or None."""
        document = self.table.one(filter)
        return None if document is None else from_document(self.record_type, document)

    def _read_some(
        self,
        filter: Document,
        *,
        sort: Sort | None = None,
        skip: int = 0,
        limit: int = 0,
        fields: Document | None = None,
        hint: str | None = None,
    ) -> list[R]:
        """Return the records that fit. A limit of 0 means no limit."""
        documents = self.table.some(filter, sort=sort, skip=skip, limit=limit, fields=fields, hint=hint)
        return [from_document(self.record_type, document) for document in documents]


class RecordsById(Records[R]):
    """A repository of records that are asked for by id."""

    unknown_code: ClassVar[str]  # code of the message for an unknown id

    def get(self, id: str) -> R:
        """Return the record with this id. Raises `NotFound`."""
        record = self._read_one({"_id": id})
        if record is None:
            raise NotFound(self.unknown_code, id=id)
        return record
