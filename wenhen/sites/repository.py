"""Store sites, mirrors, domain registrations, and the cookies and proxies of sites."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from crawler.site_access import Access, Cookie
from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import Records, RecordsById, TableSpec, field_index
from wenhen.sites.model import Mirror, Registration, Site, find_new_mirror, settle_mirrors

SITES = TableSpec(name="sites", schema=schema_of(Site), indexes=(field_index("due"), field_index("added_at", "_id")))


class Sites(RecordsById[Site]):
    """Store sites by id."""

    declared = SITES
    record_type = Site
    unknown_code = "store.no_site"

    def add(self, site: Site) -> None:
        self.table.insert(to_document(site))

    def put(self, site: Site) -> None:
        self.table.put(to_document(site))

    def all(self) -> list[Site]:
        """Return the sites in the order in which they were added."""
        return self._read_some({}, sort=[("added_at", 1), ("_id", 1)])

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_site", id=id)

    def change(self, id: str, values: Mapping[str, object]) -> Site:
        """Change only these fields, so that concurrent changes to others stay. Raises `NotFound`."""
        document = self.table.find_and_change({"_id": id}, {"$set": encode(values)})
        if document is None:
            raise NotFound("store.no_site", id=id)
        return from_document(Site, document)

    def due(self, now: datetime) -> list[Site]:
        """Return the sites whose crawl is due and that are not paused."""
        return self._read_some({"due": {"$lte": to_milliseconds(now)}, "paused": {"$ne": True}}, sort=[("due", 1)])

    def move_due(self, id: str, due: datetime, to: datetime) -> bool:
        """Move a due time. Returns False if it is no longer `due`."""
        return self.table.update({"_id": id, "due": to_milliseconds(due)}, {"$set": {"due": to_milliseconds(to)}})

    def set_last_run(self, id: str, run_id: str) -> None:
        self.table.update({"_id": id}, {"$set": {"last_run_id": run_id}})


# Access to sites: cookies and proxies.


ACCESSES = TableSpec(name="accesses", schema=schema_of(Access), indexes=())


class Accesses(Records[Access]):
    """Store accesses by the id of their site."""

    declared = ACCESSES
    record_type = Access

    def get(self, id: str) -> Access:
        """Return the access of a site, by default an empty one."""
        document = self.table.one({"_id": id})
        return Access(id=id) if document is None else from_document(Access, document)

    def all(self) -> list[Access]:
        return self._read_some({}, sort=[("_id", 1)])

    def set_cookies(self, id: str, cookies: Sequence[Cookie], moment: datetime) -> None:
        """Replace the cookies. An empty sequence ends the session."""
        self._set(id, {"cookies": encode(cookies)}, moment)

    def set_proxies(self, id: str, proxies: Sequence[str], moment: datetime) -> None:
        self._set(id, {"proxies": encode(proxies)}, moment)

    def remove(self, id: str) -> None:
        """Delete the access of a site, if there is one."""
        self.table.delete({"_id": id})

    def _set(self, id: str, change: Document, moment: datetime) -> None:
        self.table.update({"_id": id}, {"$set": change | {"updated_at": to_milliseconds(moment)}}, upsert=True)


MIRRORS = TableSpec(name="mirrors", schema=schema_of(Mirror), indexes=(field_index("main", "_id"),))


class Mirrors(Records[Mirror]):
    """Store mirrors by host. There are few."""

    declared = MIRRORS
    record_type = Mirror

    def join(self, host: str, main: str, *, pages: int, moment: datetime) -> None:
        """Join two hosts. `host` and its mirrors get `main`, or the main host of `main`, as their main host."""
        new = find_new_mirror(host, main, self.mains())
        if new is None:
            return
        mirror, counted_as = new
        self.table.put({"_id": mirror, "main": counted_as, "known_since": to_milliseconds(moment), "pages": pages})
        self.table.update_all({"main": mirror}, {"$set": {"main": counted_as}})
        self._settle()

    def _settle(self) -> None:
        """Resolve chains and cycles after concurrent joins. The last writer sees all joins."""
        before = self.mains()
        after = settle_mirrors(before)
        for mirror, main in before.items():
            as_read = {"_id": mirror, "main": main}
            if mirror not in after:
                self.table.delete(as_read)
            elif after[mirror] != main:
                self.table.update(as_read, {"$set": {"main": after[mirror]}})

    def part(self, host: str) -> bool:
        """Remove a mirror. Returns False if the host is none."""
        return bool(self.table.delete({"_id": host}))

    def mains(self) -> Mapping[str, str]:
        # This sort order makes it a covered query.
        """Return the main host by mirror host."""
        documents = self.table.some({}, sort=[("main", 1), ("_id", 1)], fields={"main": 1})
        return {document["_id"]: document["main"] for document in documents}

    def all(self) -> list[Mirror]:
        """Return the mirrors, sorted by main host."""
        return self._read_some({}, sort=[("main", 1), ("_id", 1)])


REGISTRATIONS = TableSpec(
    name="registrations", schema=schema_of(Registration), indexes=(field_index("domain", "-asked_at", "_id"),)
)


class Registrations(RecordsById[Registration]):
    """Store every RDAP response."""

    declared = REGISTRATIONS
    record_type = Registration
    unknown_code = "rdap.no_answer"

    def put(self, registration: Registration) -> None:
        self.table.put(to_document(registration))

    def of_domains(self, domains: Collection[str], limit: int = 20) -> list[Registration]:
        """Return the registrations of these domains, newest first."""
        return self._read_some({"domain": {"$in": list(domains)}}, sort=[("asked_at", -1)], limit=limit)
