"""Store licences, and find those that cover a page."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.mongo.codec import from_document, schema_of, to_document
from wenhen.kit.mongo.table import OpenDatabase, RecordsById, Table, TableSpec, field_index
from wenhen.kit.web import named_host, split_address, url_host, without_www
from wenhen.licences.model import Licence, find_covering_licence
from wenhen.works.repository import WORKS

# Authorised reprints: who may carry which work, and where.


LICENCES = TableSpec(
    name="licences",
    # `host` is that of the address prefix, in the form in which hosts are compared.
    schema=schema_of(Licence, host={"bsonType": "string"}),
    indexes=(field_index("host"),),
)


class Licences(RecordsById[Licence]):
    """Licences by id."""

    declared = LICENCES
    record_type = Licence
    unknown_code = "store.no_licence"

    def __init__(self, database: OpenDatabase) -> None:
        super().__init__(database)
        self._works = Table(database, WORKS)

    def put(self, licence: Licence) -> None:
        """Store the licence. BadInput: its prefix is no address with a host."""
        host = named_host(licence.url_prefix)
        if not host:
            raise BadInput("store.licence_address", id=licence.id, url=repr(licence.url_prefix))
        self.table.put({**to_document(licence), "host": host})

    def all(self) -> list[Licence]:
        """Return the licences in the order of their ids."""
        return self._read_some({}, sort=[("_id", 1)])

    def hosts_of(self, licence: Licence) -> list[str]:
        """The host that it is for, in the forms in which cases may name theirs."""
        prefix = split_address(licence.url_prefix)
        return sorted({form for host in (prefix.hostname or "", url_host(prefix)) for form in _www_variants(host)})

    def remove(self, id: str) -> None:
        """Raises NotFound."""
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_licence", id=id)

    def move(self, work_id: str, to: str) -> None:
        """Let what allows the one work to be carried allow another instead."""
        self.table.update_all({"work_id": work_id}, {"$set": {"work_id": to}})

    def move_holder(self, name: str, into: str) -> None:
        self.table.update_all({"holder": name}, {"$set": {"holder": into}})

    def find_covering(self, url: str, work_id: str, moment: datetime) -> Licence | None:
        return self.find_covering_all([(url, work_id, moment)])[0]

    def find_covering_all(self, asked: Sequence[tuple[str, str, datetime]]) -> list[Licence | None]:
        """As `wenhen.licences.model.find_covering_licence` of all licences; those that cannot be it are not read."""
        if not asked:
            return []
        hosts = {url: without_www(url_host(split_address(url))) for url, _, _ in asked}
        works: list[str | None] = [None, *{work_id for _, work_id, _ in asked}]
        names = [form for host in {*hosts.values()} for form in _www_variants(host)]
        documents = self.table.some({"host": {"$in": names}, "work_id": {"$in": works}})
        by_host: defaultdict[str, list[Licence]] = defaultdict(list)
        for document in documents:
            by_host[without_www(document["host"])].append(from_document(Licence, document))
        of_holders = any(document.get("holder") is not None for document in documents)
        owners = self._owners({work_id for _, work_id, _ in asked}) if of_holders else {}
        return [
            find_covering_licence(by_host[hosts[url]], url, work_id, moment, owners.get(work_id))
            for url, work_id, moment in asked
        ]

    def _owners(self, work_ids: Collection[str]) -> dict[str, str | None]:
        works = self._works.some({"_id": {"$in": list(work_ids)}}, fields={"owner": 1})
        return {work["_id"]: work.get("owner") for work in works}


def _www_variants(host: str) -> tuple[str, str]:
    """The two names of one site, with www. before it and without."""
    return without_www(host), f"www.{without_www(host)}"
