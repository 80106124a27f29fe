"""Bodies and texts, in the layout of GridFS, under the SHA-256 of their content."""

from hashlib import sha256

from gridfs import GridFSBucket
from gridfs.errors import CorruptGridFile, NoFile
from pymongo import UpdateOne, WriteConcern
from pymongo.database import Database

from store.errors import BadInput, Conflict, NotFound
from store.mongo.clock import Clock
from store.mongo.codec import Document, milliseconds
from store.mongo.errors import translated
from store.mongo.table import Declared, Table, index

BUCKET = "blobs"
CHUNK = 255 * 1024  # bytes, the usual of GridFS

FILES = Declared(
    name=f"{BUCKET}.files",
    schema={
        "bsonType": "object",
        "required": ["_id", "length", "chunkSize", "uploadDate"],
        "properties": {
            "_id": {"bsonType": "string", "pattern": "^[0-9a-f]{64}$"},
            "length": {"bsonType": ["int", "long"]},
            "chunkSize": {"bsonType": ["int", "long"]},
            "uploadDate": {"bsonType": "date"},
        },
    },
)
CHUNKS = Declared(
    name=f"{BUCKET}.chunks",
    schema={
        "bsonType": "object",
        "required": ["files_id", "n", "data"],
        "properties": {
            "files_id": {"bsonType": "string"},
            "n": {"bsonType": ["int", "long"]},
            "data": {"bsonType": "binData"},
        },
    },
    indexes=(index("files_id", "n", unique=True),),
)

# The entry in FILES follows the chunks and is journaled, and with it, what the server wrote before.
BEFORE_THE_ENTRY = WriteConcern(w="majority")


class MongoBlobs:
    """Content by its digest.

    Written by hand rather than by GridFSBucket, whose second writer of one id deletes the chunks of the first as it
    fails. Here all writers of a digest write the same chunks, each only if it is missing, so that any mixture of them,
    living or dead, is whole.
    """

    def __init__(self, database: Database[Document], address: str, clock: Clock) -> None:
        self.files = Table(database, FILES, address)
        self.chunks = Table(database, CHUNKS, address)
        self._bucket = GridFSBucket(database, bucket_name=BUCKET)
        self._address = address
        self._clock = clock

    def put(self, content: bytes) -> str:
        digest = sha256(content).hexdigest()
        if self.files.one({"_id": digest}, fields={"_id": 1}) is None:
            self._write(digest, content)
        return digest

    def get(self, digest: str) -> bytes:
        try:
            with translated(self._address), self._bucket.open_download_stream(digest) as stream:
                return bytes(stream.read())
        except NoFile as error:
            raise NotFound(f"No content has the digest {digest}; what names it was stored without it.") from error
        except CorruptGridFile as error:
            raise NotFound(f"The content {digest} is damaged ({error}); put it in again.") from error

    def put_text(self, text: str) -> str:
        try:
            return self.put(text.encode())
        except UnicodeEncodeError as error:
            raise BadInput(
                f"The text holds a lone surrogate at {error.start}, which is no character; decode it anew."
            ) from error

    def get_text(self, digest: str) -> str:
        return self.get(digest).decode()

    def _write(self, digest: str, content: bytes) -> None:
        parts = [content[start : start + CHUNK] for start in range(0, len(content), CHUNK)]
        self.chunks.write_all(
            [
                UpdateOne({"files_id": digest, "n": n}, {"$setOnInsert": {"data": part}}, upsert=True)
                for n, part in enumerate(parts)
            ],
            concern=BEFORE_THE_ENTRY,
        )
        entry = {
            "_id": digest,
            "filename": digest,
            "length": len(content),
            "chunkSize": CHUNK,
            "uploadDate": milliseconds(self._clock()),
        }
        try:
            self.files.insert(entry)
        except Conflict:  # another writer of the same content was quicker
            return
