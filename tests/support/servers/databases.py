"""Databases for tests, made once and emptied for each next test: making one takes twenty times as long."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pymongo
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database
from pymongo.errors import OperationFailure

from wenhen.context.store_and_queue import Store
from wenhen.runtime.store import open_store

Document = dict[str, Any]
Client = pymongo.MongoClient[Document]


@contextmanager
def lent_database(mongo_url: str) -> Iterator[str]:
    """The name of a database for the block, as the store's `prepare` leaves it; nobody else is given it meanwhile.

    The borrower may write what it likes, and alter collections and indexes: then the database is not lent again.
    """
    lender = _lender(mongo_url)
    name = lender.database()
    yield name
    lender.free.append(name)


def store_on(mongo_url: str, database: str) -> Store:
    """The production store on a database, over a connection that many tests share: to connect takes longer than what
    most of them ask. A store of this kind stays open when it is closed.
    """
    with patch("wenhen.runtime.store.MongoClient", _shared):
        return open_store(mongo_url, database)


def drop_databases(mongo_url: str) -> None:
    """Drop those that were given back, at the end of all tests."""
    lender = _lender(mongo_url)
    while lender.free:
        lender.client.drop_database(lender.free.pop())
    lender.client.close()


class _Shared(Client):
    def close(self) -> None:
        """Another test goes on with it."""


_shared = cache(_Shared)


class _Lender:
    """The databases of one server."""

    def __init__(self, url: str) -> None:
        self.free: list[str] = []
        self.client = Client(url)
        with suppress(OperationFailure):  # a server of somebody else's
            # What is kept for some days only would be gone by the server's clock, which is not that of the tests.
            self.client.admin.command({"setParameter": 1, "ttlMonitorEnabled": False})
        self._url = url
        self._form: list[bytes] = []  # how `prepare` makes the collections
        self._names: list[str] = []  # of these
        self._content: dict[str, list[Document]] = {}  # what `prepare` puts into them

    def database(self) -> str:
        """An empty one, of those that are free or a new one."""
        client = self.client
        while self.free:
            name = self.free.pop(0)  # the one that has been back for longest
            if _form(client, name) == self._form:
                self._empty(client, name)
                return name
            client.drop_database(name)
        return self._made(client)

    def _empty(self, client: Client, name: str) -> None:
        for collection in _filled(client[name], self._names):
            client[name][collection].delete_many({})
        for collection, documents in self._content.items():
            client[name][collection].insert_many(documents)

    def _made(self, client: Client) -> str:
        name = f"test_{uuid4().hex}"
        store = open_store(self._url, name)
        store.prepare()
        store.close()
        if not self._form:
            self._form = _form(client, name)
            self._names = client[name].list_collection_names()
            found = {collection: list(client[name][collection].find()) for collection in self._names}
            self._content = {collection: documents for collection, documents in found.items() if documents}
        return name


_lender = cache(_Lender)


def _form(client: Client, database: str) -> list[bytes]:
    """The name, the options and the indexes of each collection, as the server tells them: reading takes longer."""
    as_bytes: CodecOptions[RawBSONDocument] = CodecOptions(document_class=RawBSONDocument)
    admin: Database[RawBSONDocument] = client.get_database("admin", as_bytes)  # type: ignore[assignment]  # another form of document than the client's
    told = {"name": 1, "options": "$md.options", "indexes": "$md.indexes.spec"}
    asked: list[Document] = [{"$listCatalog": {}}, {"$match": {"db": database}}, {"$sort": {"name": 1}}]
    return [bytes(one.raw) for one in admin.aggregate([*asked, {"$project": told}, {"$unset": "options.uuid"}])]


def _filled(database: Database[Document], collections: list[str]) -> list[str]:
    """Those that hold something, asked for at once: most hold nothing."""
    first, *further = collections
    asked: list[Document] = _name_if_filled(first)
    asked += [{"$unionWith": {"coll": name, "pipeline": _name_if_filled(name)}} for name in further]
    return [found["name"] for found in database[first].aggregate(asked)]


def _name_if_filled(collection: str) -> list[Document]:
    return [{"$limit": 1}, {"$project": {"_id": 0, "name": {"$literal": collection}}}]
