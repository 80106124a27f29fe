"""Store bodies and texts under the SHA-256 of their content."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from time import sleep

from pymongo import IndexModel, WriteConcern

from wenhen.kit.clock import Clock
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.mongo.codec import Document, to_milliseconds
from wenhen.kit.mongo.table import OpenDatabase, Table, TableSpec, field_index

# Contents by SHA-256 digest, cut into chunks in the layout of GridFS. Chunks that are nearly all Han characters in
# UTF-8 are stored in GB 18030. It has every character of Unicode, needs two bytes for common Han characters, and is a
# fifth smaller once compressed. Each chunk names its encoding and stands for the same bytes in either, so writers of
# different releases can write one content together.


BUCKET = "blobs"
CHUNK_BYTES = 255 * 1024  # bytes, the default of GridFS
HAN_ENCODING = "gb18030"
MIN_HAN_BYTES_PER_CHARACTER = 2.2  # mean bytes per character in UTF-8 above which GB 18030 is worth its time

BLOB_FILES = TableSpec(
    name=f"{BUCKET}.files",
    schema={
        "bsonType": "object",
        "required": ["_id", "length", "chunkSize", "uploadDate"],
        "properties": {
            "_id": {"bsonType": "string", "pattern": "^[0-9a-f]{64}$"},
            "length": {"bsonType": ["int", "long"]},
            "chunkSize": {"bsonType": ["int", "long"]},
            "uploadDate": {"bsonType": "date"},
            "dropping": {"bsonType": "bool"},
        },
    },
    indexes=(IndexModel("dropping", partialFilterExpression={"dropping": True}),),
    compressed=True,
)
BLOB_CHUNKS = TableSpec(
    name=f"{BUCKET}.chunks",
    schema={
        "bsonType": "object",
        "required": ["files_id", "n", "data"],
        "properties": {
            "files_id": {"bsonType": "string"},
            "n": {"bsonType": ["int", "long"]},
            "data": {"bsonType": "binData"},
            "coding": {"enum": [HAN_ENCODING]},
        },
    },
    indexes=(field_index("files_id", "n", unique=True),),
    compressed=True,
    form=0,  # pieces of contents in FILES, which are written once
)

FRESH_PERIOD = timedelta(days=1)  # contents that were stored since are never deleted
PAUSE_SECONDS, MAX_ATTEMPTS = 0.2, 50  # pause between looks at contents that are being deleted, and maximum looks

# The entry in FILES follows the chunks and is journaled, and with it all earlier writes of the server.
CHUNK_WRITE_CONCERN = WriteConcern(w="majority")


class Blobs:
    """Content by its digest.

    GridFSBucket is not used: its second writer of an id deletes the chunks of the first when it fails. Here all writers
    of a digest write the same chunks, each only if it is missing, so that any mixture of them is complete. A deletion
    is marked first, and a writer of the same content waits meanwhile.
    """

    def __init__(self, database: OpenDatabase, clock: Clock) -> None:
        self.files = Table(database, BLOB_FILES)
        self.chunks = Table(database, BLOB_CHUNKS)
        self._clock = clock

    def put(self, content: bytes) -> str:
        return self.put_all([content])[0]

    def put_all(self, contents: Sequence[bytes]) -> list[str]:
        """Store contents and return their digests. After an error some may be stored."""
        digests = [sha256(content).hexdigest() for content in contents]
        missing = dict(zip(digests, contents, strict=True))
        for digest in self._present(list(missing)):
            del missing[digest]
        # Chunks that another writer of the same content has stored are kept.
        self.chunks.add_all(
            [
                {"files_id": digest, "n": n, **_chunk_document(content[start : start + CHUNK_BYTES])}
                for digest, content in missing.items()
                for n, start in enumerate(range(0, len(content), CHUNK_BYTES))
            ],
            concern=CHUNK_WRITE_CONCERN,
        )
        now = to_milliseconds(self._clock())
        self.files.add_all(
            [
                {"_id": digest, "length": len(content), "chunkSize": CHUNK_BYTES, "uploadDate": now}
                for digest, content in missing.items()
            ]
        )
        return digests

    def get(self, digest: str) -> bytes:
        """Raises NotFound."""
        whole = self._whole([digest])
        if digest in whole:
            return whole[digest]
        if self.files.one({"_id": digest}, fields={"_id": 1}) is None:
            raise NotFound("store.no_content", digest=digest)
        raise NotFound("store.content_damaged", digest=digest)

    def get_all(self, digests: Collection[str]) -> dict[str, bytes]:
        """Return the contents by digest, in two queries. Raises NotFound."""
        whole = self._whole(digests)
        # Incomplete contents are read singly, which raises the right error.
        return {digest: whole[digest] if digest in whole else self.get(digest) for digest in set(digests)}

    def _whole(self, digests: Collection[str]) -> dict[str, bytes]:
        wanted = list(set(digests))
        if not wanted:
            return {}
        lengths = {
            document["_id"]: document["length"]
            for document in self.files.some({"_id": {"$in": wanted}}, fields={"length": 1})
        }
        bodies = self._bodies(wanted)
        kept = {digest: bodies.get(digest, b"") for digest in wanted}
        return {digest: content for digest, content in kept.items() if len(content) == lengths.get(digest)}

    def _bodies(self, digests: Collection[str]) -> dict[str, bytes]:
        """Return the stored bytes of these contents, complete or not."""
        if not digests:
            return {}
        # Sorted here: sorting on the server takes half as long again.
        parts = sorted(self.chunks.some({"files_id": {"$in": list(digests)}}), key=itemgetter("files_id", "n"))
        return {
            digest: b"".join(map(_chunk_bytes, chunks)) for digest, chunks in groupby(parts, itemgetter("files_id"))
        }

    def put_text(self, text: str) -> str:
        return self.put_texts([text])[0]

    def put_texts(self, texts: Sequence[str]) -> list[str]:
        """Store texts and return their digests. Raises BadInput, and stores nothing, if one is invalid Unicode."""
        return self.put_all([_encode_text(text) for text in texts])

    def get_text(self, digest: str) -> str:
        """Raises NotFound."""
        return self.get(digest).decode()

    def get_texts(self, digests: Collection[str]) -> dict[str, str]:
        """Return the texts by digest, in one query. A text with the right digest is complete. Raises NotFound."""
        wanted = set(digests)
        bodies = {digest: body for digest, body in self._bodies(wanted).items() if sha256(body).hexdigest() == digest}
        return {digest: content.decode() for digest, content in (bodies | self.get_all(wanted - set(bodies))).items()}

    def texts_there(self, digests: Collection[str]) -> dict[str, str]:
        """Return those texts that are there and complete."""
        return {digest: content.decode() for digest, content in self._whole(digests).items()}

    def drop(self, digests: Collection[str], before: datetime) -> int:
        """Delete those contents that were not stored again since `before`, at the latest a day ago. Return how many."""
        which = {"_id": {"$in": list(digests)}, "uploadDate": {"$lt": to_milliseconds(before)}}
        self.files.update_all(which, {"$set": {"dropping": True}})
        going = [document["_id"] for document in self.files.some({"dropping": True}, fields={"_id": 1})]
        self.chunks.delete({"files_id": {"$in": going}})
        return self.files.delete({"_id": {"$in": going}, "dropping": True})

    def _present(self, digests: list[str]) -> set[str]:
        """Return the digests that are stored and will stay. Old entries get a new date, which prevents their
        deletion.
        """
        for _ in range(MAX_ATTEMPTS):
            documents = self.files.some({"_id": {"$in": digests}}, fields={"uploadDate": 1, "dropping": 1})
            now = to_milliseconds(self._clock())
            old = [
                document["_id"]
                for document in documents
                if now - document["uploadDate"] > FRESH_PERIOD or document.get("dropping")
            ]
            staying = {"_id": {"$in": old}, "dropping": {"$ne": True}}
            if not old or self.files.update_all(staying, {"$set": {"uploadDate": now}}) == len(old):
                return {document["_id"] for document in documents}
            sleep(PAUSE_SECONDS)
        raise Conflict("store.content_dropped")


def _encode_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadInput("store.surrogate", at=error.start) from error


def _chunk_document(data: bytes) -> Document:
    """Return the fields of a chunk with these bytes."""
    try:
        text = data.decode()
    except UnicodeDecodeError:  # not a text, or cut inside a character
        return {"data": data}
    return (
        {"data": text.encode(HAN_ENCODING), "coding": HAN_ENCODING}
        if len(data) > MIN_HAN_BYTES_PER_CHARACTER * len(text)
        else {"data": data}
    )


def chunk_text(chunk: Document) -> str:
    """Return the text of a content that has one chunk."""
    data: bytes = chunk["data"]
    return data.decode(chunk.get("coding", "utf-8"))


def _chunk_bytes(chunk: Document) -> bytes:
    data: bytes = chunk["data"]
    return data.decode(HAN_ENCODING).encode() if "coding" in chunk else data
