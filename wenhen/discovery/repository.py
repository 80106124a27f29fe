"""Store the review list of addresses that search engines found."""

from collections.abc import Collection, Mapping
from datetime import datetime

from wenhen.discovery.model import Discovery, DiscoveryStatus
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.mongo.codec import schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import Records, TableSpec, field_index

DISCOVERIES = TableSpec(
    name="discoveries",
    schema=schema_of(Discovery),
    indexes=(
        field_index("-found_at", "_id"),
        field_index("work_id", "-found_at"),
        field_index("status", "-found_at"),
        field_index("batch"),
        field_index("status", "engine", "look_at"),
        field_index("asked_at"),
        field_index("listing.case"),
        field_index("url"),
        field_index("leads_to"),
    ),
)


class Discoveries(Records[Discovery]):
    """Discoveries by id."""

    declared = DISCOVERIES
    record_type = Discovery

    def add(self, discovery: Discovery) -> bool:
        """Store an address. Of an existing one only the sentences are extended. Return True if it is new."""
        try:
            self.table.insert(to_document(discovery))
        except Conflict:
            more = {"$addToSet": {"sentences": {"$each": list(discovery.sentences)}}}
            self.table.update({"_id": discovery.id}, more)
            return False
        return True

    def find(
        self, *, work_id: str | None = None, status: DiscoveryStatus | None = None, skip: int = 0, limit: int = 50
    ) -> list[Discovery]:
        """Return the matching discoveries, the latest first."""
        wanted = {"work_id": work_id, "status": None if status is None else status.value}
        filter = {name: value for name, value in wanted.items() if value is not None}
        return self._read_some(filter, sort=[("found_at", -1), ("_id", 1)], skip=skip, limit=limit)

    def of_batch(self, batch: str) -> list[Discovery]:
        """Return the addresses that were accepted together, in id order."""
        return self._read_some({"batch": batch}, sort=[("_id", 1)])

    def of_case(self, number: int) -> list[Discovery]:
        """Return the discoveries that were used to check the listing of a case's page."""
        return self._read_some({"listing.case": number}, sort=[("_id", 1)])

    def due(self, engine: str, now: datetime, *, limit: int) -> list[Discovery]:
        """Return the accepted addresses of this engine that are due for a look-up, the longest due first."""
        accepted = {"status": DiscoveryStatus.ACCEPTED.value, "engine": engine}
        filter = {**accepted, "look_at": {"$not": {"$gt": to_milliseconds(now)}}}  # also matches those without a time
        return self._read_some(filter, sort=[("look_at", 1)], limit=limit)

    def asked_since(self, moment: datetime) -> int:
        """Count the look-ups after a time."""
        return self.table.count({"asked_at": {"$gt": to_milliseconds(moment)}})

    def note_leads_to(self, led: Mapping[str, Collection[str]]) -> None:
        # Queried first: of a site that redirects every address, hardly any was found by a search.
        """Store the redirect target of discoveries that have, or lead to, one of the addresses. led: addresses by
        target.
        """
        any_address = {"$in": list({url for urls in led.values() for url in urls})}
        fields = {"url": 1, "leads_to": 1}
        documents = self.table.some({"$or": [{"url": any_address}, {"leads_to": any_address}]}, fields=fields)
        for page_url, urls in led.items():
            ids = [
                document["_id"] for document in documents if document["url"] in urls or document.get("leads_to") in urls
            ]
            if ids:
                self.table.update_all({"_id": {"$in": ids}}, {"$set": {"leads_to": page_url}})

    def note_look(self, discovery: Discovery) -> None:
        """Store the result of a look-up: `found_by`, `listing`, `asked_at` and `look_at`."""
        document = to_document(discovery)
        looked = {name: document[name] for name in ("found_by", "listing", "asked_at", "look_at")}
        self.table.update({"_id": discovery.id}, {"$set": looked})

    def put_off(self, ids: Collection[str], until: datetime) -> None:
        """Set the earliest time of the next look-up."""
        self.table.update_all({"_id": {"$in": list(ids)}}, {"$set": {"look_at": to_milliseconds(until)}})

    def decide(
        self, ids: Collection[str], status: DiscoveryStatus, *, moment: datetime, batch: str | None = None
    ) -> list[Discovery]:
        """Decide on addresses, even if decided before. Raises NotFound for an unknown id, without any decision."""
        which = {"_id": {"$in": list(ids)}}
        known = {document["_id"] for document in self.table.some(which, fields={"_id": 1})}
        for id in ids:
            if id not in known:
                raise NotFound("store.no_found_address", id=id)
        change = {"status": status.value, "decided_at": to_milliseconds(moment), "batch": batch}
        self.table.update_all(which, {"$set": change})
        return self._read_some(which, sort=[("_id", 1)])
