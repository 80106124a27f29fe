"""Bodies and texts under the SHA-256 of their content, cut into chunks.

The layout is that of GridFS, but for chunks that are nearly all Han characters in UTF-8. They are kept in GB 18030,
which has every character of Unicode, common Han ones in two bytes, and is a fifth smaller once compressed. Each chunk
tells its own coding, and stands for the same bytes in either; so writers of different releases make one content
together.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from time import sleep

from pymongo import IndexModel, WriteConcern
from pymongo.database import Database

from store.errors import BadInput, Conflict, NotFound
from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import Declared, Table, index
from store.mongo.engine.utc_now import Clock

BUCKET = "blobs"
CHUNK = 255 * 1024  # bytes, the usual of GridFS
CODING = "gb18030"
HAN = 2.2  # bytes a character of UTF-8, on average, from which the other coding is worth its time

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
            "dropping": {"bsonType": "bool"},
        },
    },
    indexes=(IndexModel("dropping", partialFilterExpression={"dropping": True}),),
    compressed=True,
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
            "coding": {"enum": [CODING]},
        },
    },
    indexes=(index("files_id", "n", unique=True),),
    compressed=True,
    form=0,  # they are pieces of what stands in FILES, and written once
)

FRESH = timedelta(days=1)  # what was put in since is never dropped
PAUSE, ATTEMPTS = 0.2, 50  # seconds between looks at contents that are being dropped, and how many

# The entry in FILES follows the chunks and is journaled, and with it, what the server wrote before.
BEFORE_THE_ENTRY = WriteConcern(w="majority")


class MongoBlobs:
    """Content by its digest.

    Written by hand rather than by GridFSBucket, whose second writer of one id deletes the chunks of the first as it
    fails. Here all writers of a digest write the same chunks, each only if it is missing, so that any mixture of them,
    living or dead, is whole. What is dropped is marked first; whoever puts it in again meanwhile waits.
    """

    def __init__(self, database: Database[Document], address: str, clock: Clock) -> None:
        self.files = Table(database, FILES, address)
        self.chunks = Table(database, CHUNKS, address)
        self._clock = clock

    def put(self, content: bytes) -> str:
        return self.put_all([content])[0]

    def put_all(self, contents: Sequence[bytes]) -> list[str]:
        digests = [sha256(content).hexdigest() for content in contents]
        missing = dict(zip(digests, contents, strict=True))
        for digest in self._present(list(missing)):
            del missing[digest]
        # What another writer of the same content was quicker with is taken as it is.
        self.chunks.add_all(
            [
                {"files_id": digest, "n": n, **_coded(content[start : start + CHUNK])}
                for digest, content in missing.items()
                for n, start in enumerate(range(0, len(content), CHUNK))
            ],
            concern=BEFORE_THE_ENTRY,
        )
        now = milliseconds(self._clock())
        self.files.add_all(
            [
                {"_id": digest, "length": len(content), "chunkSize": CHUNK, "uploadDate": now}
                for digest, content in missing.items()
            ]
        )
        return digests

    def get(self, digest: str) -> bytes:
        whole = self._whole([digest])
        if digest in whole:
            return whole[digest]
        if self.files.one({"_id": digest}, fields={"_id": 1}) is None:
            raise NotFound("store.no_content", digest=digest)
        raise NotFound("store.content_damaged", digest=digest)

    def get_all(self, digests: Collection[str]) -> dict[str, bytes]:
        """Return the contents by their digests, in two questions however many there are."""
        whole = self._whole(digests)
        # Whatever is not whole goes the long way, which tells what is wrong with it.
        return {digest: whole[digest] if digest in whole else self.get(digest) for digest in set(digests)}

    def _whole(self, digests: Collection[str]) -> dict[str, bytes]:
        wanted = list(set(digests))
        if not wanted:
            return {}
        lengths = {one["_id"]: one["length"] for one in self.files.some({"_id": {"$in": wanted}}, fields={"length": 1})}
        bodies = self._bodies(wanted)
        kept = {digest: bodies.get(digest, b"") for digest in wanted}
        return {digest: content for digest, content in kept.items() if len(content) == lengths.get(digest)}

    def _bodies(self, digests: Collection[str]) -> dict[str, bytes]:
        """What there is of these, whole or not."""
        if not digests:
            return {}
        # Put in order here: the server takes half as long again where it does that.
        parts = sorted(self.chunks.some({"files_id": {"$in": list(digests)}}), key=itemgetter("files_id", "n"))
        return {digest: b"".join(map(_decoded, some)) for digest, some in groupby(parts, itemgetter("files_id"))}

    def put_text(self, text: str) -> str:
        return self.put_texts([text])[0]

    def put_texts(self, texts: Sequence[str]) -> list[str]:
        return self.put_all([_encoded(text) for text in texts])

    def get_text(self, digest: str) -> str:
        return self.get(digest).decode()

    def get_texts(self, digests: Collection[str]) -> dict[str, str]:
        """Return the texts by their digests, in one question: what has its digest is whole."""
        wanted = set(digests)
        bodies = {digest: body for digest, body in self._bodies(wanted).items() if sha256(body).hexdigest() == digest}
        return {digest: content.decode() for digest, content in (bodies | self.get_all(wanted - set(bodies))).items()}

    def texts_there(self, digests: Collection[str]) -> dict[str, str]:
        return {digest: content.decode() for digest, content in self._whole(digests).items()}

    def drop(self, digests: Collection[str], before: datetime) -> int:
        """Forget these contents, those of them that nobody has put in since; how many."""
        which = {"_id": {"$in": list(digests)}, "uploadDate": {"$lt": milliseconds(before)}}
        self.files.update_all(which, {"$set": {"dropping": True}})
        going = [one["_id"] for one in self.files.some({"dropping": True}, fields={"_id": 1})]
        self.chunks.delete({"files_id": {"$in": going}})
        return self.files.delete({"_id": {"$in": going}, "dropping": True})

    def _present(self, digests: list[str]) -> set[str]:
        """Those that are there and stay: what is old gets a new date, so that it is not dropped meanwhile."""
        for _ in range(ATTEMPTS):
            found = self.files.some({"_id": {"$in": digests}}, fields={"uploadDate": 1, "dropping": 1})
            now = milliseconds(self._clock())
            old = [one["_id"] for one in found if now - one["uploadDate"] > FRESH or one.get("dropping")]
            staying = {"_id": {"$in": old}, "dropping": {"$ne": True}}
            if not old or self.files.update_all(staying, {"$set": {"uploadDate": now}}) == len(old):
                return {one["_id"] for one in found}
            sleep(PAUSE)
        raise Conflict("store.content_dropped")


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadInput("store.surrogate", at=error.start) from error


def _coded(data: bytes) -> Document:
    """Return what a chunk holds for these bytes."""
    try:
        text = data.decode()
    except UnicodeDecodeError:  # no text, or cut inside of a character
        return {"data": data}
    return {"data": text.encode(CODING), "coding": CODING} if len(data) > HAN * len(text) else {"data": data}


def text_of(chunk: Document) -> str:
    """Return the text of content that is one chunk."""
    data: bytes = chunk["data"]
    return data.decode(chunk.get("coding", "utf-8"))


def _decoded(chunk: Document) -> bytes:
    data: bytes = chunk["data"]
    return data.decode(CODING).encode() if "coding" in chunk else data
