"""Authorised reprints: who may carry which work, and where."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from pymongo.database import Database

from store.errors import BadInput, NotFound
from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Licence
from store.rules.library.licence_covers import covering
from store.rules.web.url_prefix import host_of, named_host, site_host, split_address

LICENCES = Declared(
    name="licences",
    # `host` is that of the address prefix, in the form in which hosts are compared.
    schema=schema_of(Licence, host={"bsonType": "string"}),
    indexes=(index("host"),),
)


class MongoLicences:
    """Licences by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, LICENCES, address)

    def put(self, licence: Licence) -> None:
        """Store the licence. BadInput: its prefix is no address with a host."""
        host = named_host(licence.url_prefix)
        if not host:
            raise BadInput("store.licence_address", id=licence.id, url=repr(licence.url_prefix))
        self.table.put({**to_document(licence), "host": host})

    def all(self) -> list[Licence]:
        """Return the licences in the order of their ids."""
        return [from_document(Licence, one) for one in self.table.some({}, sort=[("_id", 1)])]

    def get(self, id: str) -> Licence:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_licence", id=id)
        return from_document(Licence, found)

    def hosts_of(self, licence: Licence) -> list[str]:
        prefix = split_address(licence.url_prefix)
        return sorted({form for host in (prefix.hostname or "", host_of(prefix)) for form in _both(host)})

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_licence", id=id)

    def move(self, work_id: str, to: str) -> None:
        self.table.update_all({"work_id": work_id}, {"$set": {"work_id": to}})

    def covering(self, url: str, work_id: str, at: datetime) -> Licence | None:
        return self.covering_all([(url, work_id, at)])[0]

    def covering_all(self, asked: Sequence[tuple[str, str, datetime]]) -> list[Licence | None]:
        """As `store.rules.library.licence_covers.covering` of all licences; those that cannot be it are not read."""
        if not asked:
            return []
        hosts = {url: site_host(host_of(split_address(url))) for url, _, _ in asked}
        works: list[str | None] = [None, *{work_id for _, work_id, _ in asked}]
        names = [form for host in {*hosts.values()} for form in _both(host)]
        found = self.table.some({"host": {"$in": names}, "work_id": {"$in": works}})
        by_host: defaultdict[str, list[Licence]] = defaultdict(list)
        for one in found:
            by_host[site_host(one["host"])].append(from_document(Licence, one))
        return [covering(by_host[hosts[url]], url, work_id, at) for url, work_id, at in asked]


def _both(host: str) -> tuple[str, str]:
    """The two names of one site, with www. before it and without."""
    return site_host(host), f"www.{site_host(host)}"
