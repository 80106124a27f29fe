"""Databases for tests, made once and emptied for each next test: making one takes twenty times as long."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from uuid import uuid4

import pymongo
from pymongo.database import Database

from store.mongo import open_store

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


def drop_databases(mongo_url: str) -> None:
    """Drop those that were given back, at the end of all tests."""
    lender = _lender(mongo_url)
    while lender.free:
        lender.client.drop_database(lender.free.pop())
    lender.client.close()


class _Lender:
    """The databases of one server."""

    def __init__(self, url: str) -> None:
        self.free: list[str] = []
        self.client = Client(url)
        self._url = url
        self._form: Document = {}  # how `prepare` makes the collections
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
        for collection in _filled(client[name], list(self._form)):
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
            found = {collection: list(client[name][collection].find()) for collection in self._form}
            self._content = {collection: documents for collection, documents in found.items() if documents}
        return name


_lender = cache(_Lender)


def _form(client: Client, database: str) -> Document:
    """The options and the indexes of each collection, by its name."""
    found = client.admin.aggregate([{"$listCatalog": {}}, {"$match": {"db": database}}])
    return {one["name"]: (_options(one["md"]), _indexes(one["md"])) for one in found}


def _filled(database: Database[Document], collections: list[str]) -> list[str]:
    """Those that hold something, asked for at once: most hold nothing."""
    first, *further = collections
    asked: list[Document] = _name_if_filled(first)
    asked += [{"$unionWith": {"coll": name, "pipeline": _name_if_filled(name)}} for name in further]
    return [found["name"] for found in database[first].aggregate(asked)]


def _name_if_filled(collection: str) -> list[Document]:
    return [{"$limit": 1}, {"$project": {"_id": 0, "name": {"$literal": collection}}}]


def _options(about: Document) -> Document:
    return {name: value for name, value in about["options"].items() if name != "uuid"}


def _indexes(about: Document) -> Document:
    return {one["spec"]["name"]: one["spec"] for one in about["indexes"]}
