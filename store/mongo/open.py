"""Opens the store on a MongoDB server."""

from datetime import UTC
from typing import Any

from bson.codec_options import CodecOptions
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import PyMongoError
from pymongo.uri_parser import parse_uri

from store.errors import SetupError
from store.mongo.accesses import MongoAccesses
from store.mongo.audit import MongoAudit
from store.mongo.blobs import MongoBlobs
from store.mongo.captures import MongoCaptures
from store.mongo.cases import MongoCases
from store.mongo.clock import Clock, utc_now
from store.mongo.clusters import MongoClusters
from store.mongo.codec import Document
from store.mongo.comments import MongoComments
from store.mongo.counters import Counters
from store.mongo.discoveries import MongoDiscoveries
from store.mongo.errors import translated
from store.mongo.figures import MongoFigures
from store.mongo.filters import MongoFilters
from store.mongo.fingerprints import MongoFingerprints
from store.mongo.holders import MongoHolders
from store.mongo.licences import MongoLicences
from store.mongo.marks import MongoMarks
from store.mongo.matches import MongoMatches
from store.mongo.mirrors import MongoMirrors
from store.mongo.pages import MongoPages
from store.mongo.problems import MongoProblems
from store.mongo.runs import MongoRuns
from store.mongo.sessions import MongoSessions
from store.mongo.sites import MongoSites
from store.mongo.table import Table
from store.mongo.templates import MongoTemplates
from store.mongo.tokens import MongoTokens
from store.mongo.users import MongoUsers
from store.mongo.webhooks import MongoWebhooks
from store.mongo.works import MongoWorks
from store.ports import (
    Accesses,
    Audit,
    Blobs,
    Captures,
    Cases,
    Clusters,
    Comments,
    Discoveries,
    Figures,
    Filters,
    Fingerprints,
    Holders,
    Licences,
    Marks,
    Matches,
    Mirrors,
    Pages,
    Problems,
    Runs,
    Sessions,
    Sites,
    Store,
    Templates,
    Tokens,
    Users,
    Webhooks,
    Works,
)
from store.records import Space

LONGEST_ANSWER = 120_000  # milliseconds; a server that is silent for longer is taken for gone


def open_store(url: str, database: str = "wenhen", *, timeout_ms: int = 5000, clock: Clock = utc_now) -> Store:
    """Return the store in this database of the server at this address; connects when it is first used.

    Args:
        url: `mongodb://…` or `mongodb+srv://…`, of a standalone server, a replica set or a sharded cluster.
        database: the database's name.
        timeout_ms: how long to look for a server that answers before `Unavailable` is raised.
        clock: the time that leases and due times count by, aware.

    Raises:
        SetupError: the address or the name cannot be used.

    The store may be shared by threads but not carried over a fork: open it in the process that uses it.

    """
    return MongoStore(url, database, timeout_ms=timeout_ms, clock=clock)


class MongoStore:
    """All collections of one database."""

    def __init__(self, url: str, database: str, *, timeout_ms: int, clock: Clock) -> None:
        self._client, handle, address = _connect(url, database, timeout_ms)
        self._address = address
        self._handle = handle
        counters = Counters(handle, address)
        audit = MongoAudit(handle, address, counters)
        blobs = MongoBlobs(handle, address, clock)
        works = MongoWorks(handle, address, clock, blobs)
        pages = MongoPages(handle, address, clock)
        fingerprints = MongoFingerprints(handle, address, counters)
        matches = MongoMatches(handle, address)
        cases = MongoCases(handle, address, counters)
        clusters = MongoClusters(handle, address)
        discoveries = MongoDiscoveries(handle, address)
        comments = MongoComments(handle, address)
        filters = MongoFilters(handle, address)
        sites = MongoSites(handle, address)
        holders = MongoHolders(handle, address)
        licences = MongoLicences(handle, address)
        runs = MongoRuns(handle, address)
        problems = MongoProblems(handle, address)
        marks = MongoMarks(handle, address)
        self.audit: Audit = audit
        self.blobs: Blobs = blobs
        self.works: Works = works
        self.pages: Pages = pages
        self.captures: Captures = MongoCaptures(pages.table, pages.captures_table)
        self.fingerprints: Fingerprints = fingerprints
        self.matches: Matches = matches
        self.cases: Cases = cases
        self._cases, self._works = cases, works
        self.comments: Comments = comments
        self.filters: Filters = filters
        self.clusters: Clusters = clusters
        self.discoveries: Discoveries = discoveries
        self.sites: Sites = sites
        self.mirrors: Mirrors = (mirrors := MongoMirrors(handle, address))
        self.figures: Figures = MongoFigures(handle, address, cases.tallies, mirrors)
        self.accesses: Accesses = (accesses := MongoAccesses(handle, address))
        self.holders: Holders = holders
        self.licences: Licences = licences
        self.runs: Runs = runs
        self.problems: Problems = problems
        self.marks: Marks = marks
        self.templates: Templates = (templates := MongoTemplates(handle, address, clock))
        keepers = (audit, works, pages, fingerprints, matches, cases, sites, licences, runs, problems, marks, counters)
        self._tables = [blobs.files, blobs.chunks, pages.captures_table, *(keeper.table for keeper in keepers)]
        self._tables += [clusters.table, clusters.members_table, discoveries.table]
        self._tables += [accesses.table, mirrors.table, holders.table, templates.hosts_table, templates.lines_table]
        self._tables += [comments.table, filters.table, cases.tallies.table]
        self._tables += self._open_people(handle, address, cases.table)

    def _open_people(self, handle: Database[Document], address: str, cases: Table) -> list[Table]:
        """Open what is kept of people and of the programs that act for them."""
        users, sessions = MongoUsers(handle, address), MongoSessions(handle, address)
        tokens = MongoTokens(handle, address)
        webhooks = MongoWebhooks(handle, address, cases)
        self.users: Users = users
        self.sessions: Sessions = sessions
        self.tokens: Tokens = tokens
        self.webhooks: Webhooks = webhooks
        outbox = [webhooks.table, webhooks.deliveries_table, webhooks.told_table]
        return [users.table, sessions.table, tokens.table, *outbox]

    def prepare(self) -> None:
        for table in self._tables:
            table.prepare()
        self._cases.complete_old()
        if self.marks.get("tallies") is None:
            self._cases.tally_old()
            self.marks.set("tallies", {})
        self._works.complete_old()

    def ping(self) -> str:
        with translated(self._address):
            return str(self._client.server_info()["version"])

    def space(self) -> Space:
        with translated(self._address):
            told = self._handle.command("dbStats")
        return Space(data=int(told["totalSize"]), disk=int(told["fsTotalSize"]), free=_free(told))

    def close(self) -> None:
        self._client.close()


def _free(told: Document) -> int:
    return int(told["fsTotalSize"]) - int(told["fsUsedSize"])


def _connect(url: str, database: str, timeout_ms: int) -> tuple[MongoClient[Document], Database[Document], str]:
    """Return the client, the database and, without the password that it may hold, the address for messages."""
    try:
        client: MongoClient[Document] = MongoClient(
            url,
            appname="wenhen",
            serverSelectionTimeoutMS=timeout_ms,
            connectTimeoutMS=timeout_ms,
            socketTimeoutMS=LONGEST_ANSWER,
        )
        handle = client.get_database(database, CodecOptions(tz_aware=True, tzinfo=UTC))
        nodes: list[tuple[str, Any]] = parse_uri(url)["nodelist"]
    except (PyMongoError, ValueError) as error:
        raise SetupError(
            f"MongoDB's address or the database's name {database!r} cannot be used: {error}. Check WENHEN_MONGO_URL."
        ) from error
    return client, handle, ", ".join(host if port is None else f"{host}:{port}" for host, port in nodes)
