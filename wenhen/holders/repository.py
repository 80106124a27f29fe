"""Store rights holders by name."""

from wenhen.holders.model import Holder, Paper
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.mongo.codec import encode, from_document, schema_of, to_document
from wenhen.kit.mongo.table import RecordsById, TableSpec
from wenhen.kit.web import is_below_prefix, named_host

HOLDERS = TableSpec(name="holders", schema=schema_of(Holder))


class Holders(RecordsById[Holder]):
    """Holders by name, in MongoDB."""

    declared = HOLDERS
    record_type = Holder
    unknown_code = "store.no_holder"

    def put(self, holder: Holder) -> None:
        """Store a holder, replacing the one of that name, but keep its documents.

        Raises BadInput for a site that is not host or host/path.
        """
        if not holder.id.strip():
            raise BadInput("store.holder_unnamed")
        for site in holder.sites:
            if not named_host(site):
                raise BadInput("store.holder_site", site=repr(site), name=holder.id)
        document = to_document(holder)
        first = {"papers": document.pop("papers")}
        self.table.update({"_id": document.pop("_id")}, {"$set": document, "$setOnInsert": first}, upsert=True)

    def add_paper(self, id: str, paper: Paper) -> None:
        """Raises NotFound."""
        if not self.table.update({"_id": id}, {"$addToSet": {"papers": encode(paper)}}):
            raise NotFound("store.no_holder", id=id)

    def remove_paper(self, id: str, paper_id: str) -> None:
        self.table.update({"_id": id}, {"$pull": {"papers": {"id": paper_id}}})

    def all(self) -> list[Holder]:
        """Return the holders in name order."""
        return self._read_some({}, sort=[("_id", 1)])

    def remove(self, id: str) -> None:
        """Raises NotFound."""
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_holder", id=id)

    def at_home(self, owner: str, url: str) -> bool:
        """Return whether the address is on an own site of the owner; False for an unknown owner."""
        document = self.table.one({"_id": owner})
        if document is None:
            return False
        return any(is_below_prefix(url, site) for site in from_document(Holder, document).sites)
