"""What is written in pictures, by the content of the pictures."""

from collections.abc import Collection

from pymongo.database import Database

from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table
from store.records import PictureText

PICTURE_TEXTS = Declared(name="picture_texts", schema=schema_of(PictureText))


class MongoPictureTexts:
    """One document a picture."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, PICTURE_TEXTS, address)

    def put(self, text: PictureText) -> None:
        self.table.put(to_document(text))

    def known(self, ids: Collection[str]) -> dict[str, PictureText]:
        return self._by_id({"_id": {"$in": list(ids)}}) if ids else {}

    def of_document(self, digest: str) -> dict[str, PictureText]:
        return self._by_id({"_id": {"$gte": f"{digest}:", "$lt": f"{digest};"}})  # the sign after the colon

    def _by_id(self, which: Document) -> dict[str, PictureText]:
        return {one["_id"]: from_document(PictureText, one) for one in self.table.some(which)}
