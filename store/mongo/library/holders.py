"""The rights holders, and the places that are their own."""

from pymongo.database import Database

from store.errors import BadInput, NotFound
from store.mongo.engine.codec import Document, encode, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table
from store.records import Holder, Paper
from store.rules.web.url_prefix import named_host, stands_below

HOLDERS = Declared(name="holders", schema=schema_of(Holder))


class MongoHolders:
    """Holders by name."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, HOLDERS, address)

    def put(self, holder: Holder) -> None:
        if not holder.id.strip():
            raise BadInput("store.holder_unnamed")
        for site in holder.sites:
            if not named_host(site):
                raise BadInput("store.holder_site", site=repr(site), name=holder.id)
        told = to_document(holder)
        first = {"papers": told.pop("papers")}
        self.table.update({"_id": told.pop("_id")}, {"$set": told, "$setOnInsert": first}, upsert=True)

    def add_paper(self, id: str, paper: Paper) -> None:
        if not self.table.update({"_id": id}, {"$addToSet": {"papers": encode(paper)}}):
            raise NotFound("store.no_holder", id=id)

    def remove_paper(self, id: str, paper_id: str) -> None:
        self.table.update({"_id": id}, {"$pull": {"papers": {"id": paper_id}}})

    def get(self, id: str) -> Holder:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_holder", id=id)
        return from_document(Holder, found)

    def all(self) -> list[Holder]:
        """Return the holders in the order of their names."""
        return [from_document(Holder, one) for one in self.table.some({}, sort=[("_id", 1)])]

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_holder", id=id)

    def at_home(self, owner: str, url: str) -> bool:
        found = self.table.one({"_id": owner})
        if found is None:
            return False
        return any(stands_below(url, site) for site in from_document(Holder, found).sites)
