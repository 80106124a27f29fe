"""Opens the store on a MongoDB server."""

import atexit
from datetime import UTC
from typing import Any, Protocol, TypeVar

from bson.codec_options import CodecOptions
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import PyMongoError
from pymongo.synchronous.monitor import _shutdown_resources
from pymongo.uri_parser import parse_uri

from store.errors import SetupError
from store.mongo.cases.cases import MongoCases
from store.mongo.cases.comments import MongoComments
from store.mongo.cases.exclusions import MongoExclusions
from store.mongo.cases.exhibits import MongoExhibits
from store.mongo.cases.figures import MongoFigures
from store.mongo.cases.filters import MongoFilters
from store.mongo.cases.kept_reports import MongoKeptReports
from store.mongo.cases.notices import MongoNotices, MongoPlatforms
from store.mongo.cases.replies import MongoReplies
from store.mongo.cases.triage_rules import MongoTriageRules
from store.mongo.engine.codec import Document
from store.mongo.engine.counters import Counters
from store.mongo.engine.table import Table, prepare_tables
from store.mongo.engine.translated_errors import translated
from store.mongo.engine.utc_now import Clock, utc_now
from store.mongo.library.clusters import MongoClusters
from store.mongo.library.fingerprints import MongoFingerprints
from store.mongo.library.holders import MongoHolders
from store.mongo.library.licences import MongoLicences
from store.mongo.library.matches import MongoMatches
from store.mongo.library.works import MongoWorks
from store.mongo.people.alerts import MongoAlerts
from store.mongo.people.audit import MongoAudit
from store.mongo.people.preferences import MongoPreferences
from store.mongo.people.sessions import MongoSessions
from store.mongo.people.sign_in_guesses import MongoGuesses
from store.mongo.people.tokens import MongoTokens
from store.mongo.people.users import MongoUsers
from store.mongo.people.webhooks import MongoWebhooks
from store.mongo.upkeep.blobs import MongoBlobs
from store.mongo.upkeep.copying import MongoCopying
from store.mongo.upkeep.marks import MongoMarks
from store.mongo.upkeep.migrations import Migrations
from store.mongo.upkeep.problems import MongoProblems
from store.mongo.upkeep.stamps import MongoStamps
from store.mongo.web.accesses import MongoAccesses
from store.mongo.web.captures import MongoCaptures
from store.mongo.web.discoveries import MongoDiscoveries
from store.mongo.web.mirrors import MongoMirrors
from store.mongo.web.pages import MongoPages
from store.mongo.web.picture_texts import MongoPictureTexts
from store.mongo.web.registrations import MongoRegistrations
from store.mongo.web.runs import MongoRuns
from store.mongo.web.sites import MongoSites
from store.mongo.web.templates import MongoTemplates
from store.mongo.web.text_tallies import MongoTextTallies
from store.ports import (
    Accesses,
    Alerts,
    Audit,
    Blobs,
    Captures,
    Cases,
    Clusters,
    Comments,
    Copying,
    Discoveries,
    Exclusions,
    Exhibits,
    Figures,
    Filters,
    Fingerprints,
    Guesses,
    Holders,
    KeptPreferences,
    KeptReports,
    Licences,
    Marks,
    Matches,
    Mirrors,
    Notices,
    Pages,
    PictureTexts,
    Platforms,
    Problems,
    Registrations,
    Replies,
    Runs,
    Sessions,
    Sites,
    Stamps,
    Store,
    Templates,
    TextTallies,
    Tokens,
    TriageRules,
    Users,
    Webhooks,
    Works,
)
from store.records import Space

LONGEST_ANSWER = 120_000  # milliseconds; a server that is silent for longer is taken for gone

# Where a program ends, pymongo waits for its threads, which sleep for half a second at a time. They are daemons and
# hold nothing: each command would take that much longer.
atexit.unregister(_shutdown_resources)


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


class _Keeper(Protocol):
    """Keeps its records in one collection, or in others beside it."""

    table: Table


K = TypeVar("K", bound=_Keeper)


class MongoStore:
    """All collections of one database."""

    def __init__(self, url: str, database: str, *, timeout_ms: int, clock: Clock) -> None:
        self._client, self._handle, self._address = _connect(url, database, timeout_ms)
        self._tables: list[Table] = []  # all of them, which `prepare` makes
        self._where = self._handle, self._address
        counters = self._kept(Counters(*self._where))
        self._open_library(counters, clock)
        self._open_web(clock)
        self._open_cases(counters)
        self._open_people()
        self._open_upkeep(url)

    def _open_library(self, counters: Counters, clock: Clock) -> None:
        where = self._where
        self.blobs: Blobs = (blobs := MongoBlobs(*where, clock))
        self.works: Works = (works := self._kept(MongoWorks(*where, clock, blobs)))
        self.fingerprints: Fingerprints = self._kept(MongoFingerprints(*where, counters))
        self.matches: Matches = self._kept(MongoMatches(*where))
        self.clusters: Clusters = (clusters := self._kept(MongoClusters(*where)))
        self.licences: Licences = self._kept(MongoLicences(*where))
        self.holders: Holders = self._kept(MongoHolders(*where))
        self._tables += [blobs.files, blobs.chunks, clusters.members_table]
        self._works, self._contents = works, blobs.chunks

    def _open_web(self, clock: Clock) -> None:
        where = self._where
        self.pages: Pages = (pages := self._kept(MongoPages(*where, clock)))
        self.captures: Captures = MongoCaptures(pages.table, pages.captures_table)
        self.templates: Templates = (templates := MongoTemplates(*where, clock))
        self.text_tallies: TextTallies = self._kept(MongoTextTallies(*where))
        self.sites: Sites = self._kept(MongoSites(*where))
        self.accesses: Accesses = self._kept(MongoAccesses(*where))
        self.registrations: Registrations = self._kept(MongoRegistrations(*where))
        self.mirrors: Mirrors = (mirrors := self._kept(MongoMirrors(*where)))
        self.picture_texts: PictureTexts = self._kept(MongoPictureTexts(*where))
        self.discoveries: Discoveries = self._kept(MongoDiscoveries(*where))
        self.runs: Runs = self._kept(MongoRuns(*where))
        self._tables += [pages.captures_table, templates.hosts_table, templates.lines_table]
        self._mirrors = mirrors

    def _open_cases(self, counters: Counters) -> None:
        where = self._where
        self.cases: Cases = (cases := self._kept(MongoCases(*where, counters)))
        self.comments: Comments = (comments := self._kept(MongoComments(*where)))
        self.exclusions: Exclusions = self._kept(MongoExclusions(*where))
        self.exhibits: Exhibits = self._kept(MongoExhibits(*where, cases.table))
        self.filters: Filters = self._kept(MongoFilters(*where))
        self.figures: Figures = MongoFigures(*where, cases.tallies, self._mirrors)
        self.kept_reports: KeptReports = self._kept(MongoKeptReports(*where))
        self.triage_rules: TriageRules = self._kept(MongoTriageRules(*where))
        self.notices: Notices = self._kept(MongoNotices(*where, counters))
        self.platforms: Platforms = self._kept(MongoPlatforms(*where))
        self.replies: Replies = self._kept(MongoReplies(*where))
        self._tables.append(cases.tallies.table)
        self._cases, self._comments = cases, comments

    def _open_people(self) -> None:
        where = self._where
        self.alerts: Alerts = (alerts := self._kept(MongoAlerts(*where)))
        self.audit: Audit = self._kept(MongoAudit(*where))
        self.users: Users = self._kept(MongoUsers(*where))
        self.guesses: Guesses = self._kept(MongoGuesses(*where))
        self.preferences: KeptPreferences = self._kept(MongoPreferences(*where))
        self.sessions: Sessions = self._kept(MongoSessions(*where))
        self.tokens: Tokens = self._kept(MongoTokens(*where))
        self.webhooks: Webhooks = (webhooks := self._kept(MongoWebhooks(*where, self._cases.table)))
        self._tables += [alerts.alerts_table, alerts.letters_table]
        self._tables += [webhooks.deliveries_table, webhooks.told_table]

    def _open_upkeep(self, url: str) -> None:
        """What goes over all tables is opened last."""
        where = self._where
        self.stamps: Stamps = self._kept(MongoStamps(*where))
        self.problems: Problems = self._kept(MongoProblems(*where))
        self.marks: Marks = self._kept(MongoMarks(*where))
        self._migrations = Migrations(self._tables, self.marks)
        self.copying: Copying = MongoCopying(
            self._client, url, *where, [one.declared.name for one in self._tables], [self._contents.declared.name]
        )

    def _kept(self, keeper: K) -> K:
        self._tables.append(keeper.table)
        return keeper

    def prepare(self) -> None:
        prepare_tables(self._handle, self._address, self._tables)
        self._cases.complete_old()
        if self.marks.get("tallies") is None:
            self._cases.tally_old()
            self.marks.set("tallies", {})
        self._works.complete_old()
        self._comments.complete_old()

    def migrations_left(self) -> list[int]:
        return self._migrations.left()

    def migrate(self, batches: int) -> int:
        return self._migrations.go_on(batches)

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
        raise SetupError("server.mongo_name", name=repr(database), error=error) from error
    return client, handle, ", ".join(host if port is None else f"{host}:{port}" for host, port in nodes)
