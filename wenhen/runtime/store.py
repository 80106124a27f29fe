"""Open the MongoDB store. Migrate documents of earlier forms."""

import atexit
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Final, TypeVar

from bson.codec_options import CodecOptions
from pymongo import MongoClient
from pymongo.errors import PyMongoError
from pymongo.operations import UpdateOne
from pymongo.synchronous.monitor import _shutdown_resources
from pymongo.uri_parser import parse_uri

from matcher.clusters import Clusters
from wenhen.accounts.repository import Guesses, KeptPreferences, PasswordLinks, Sessions, Tokens, Users
from wenhen.alerts.repository import Alerts
from wenhen.analysis.repository import Figures
from wenhen.audit.repository import Audit
from wenhen.backups.database_copy import Copying
from wenhen.cases.comments_and_amounts import Amounts, Comments
from wenhen.cases.repository import Cases, Filters
from wenhen.clusters.repository import MongoClusters
from wenhen.configuration.repository import StoredSettings
from wenhen.context.store_and_queue import Space, Store
from wenhen.crawls.repository import RegionalCaptures, Runs
from wenhen.discovery.repository import Discoveries
from wenhen.evidence.repository import Exhibits, Stamps
from wenhen.exclusions.repository import Exclusions
from wenhen.fingerprints.repository import (
    FINGERPRINTS_COLLECTION,
    PACKED_FORM,
    Fingerprints,
    packed_form_update,
)
from wenhen.holders.repository import Holders
from wenhen.kit.clock import Clock, utc_now
from wenhen.kit.errors import SetupError
from wenhen.kit.mongo.blobs import Blobs
from wenhen.kit.mongo.codec import Document
from wenhen.kit.mongo.marks import Counters, Marks
from wenhen.kit.mongo.server_errors import translate_errors
from wenhen.kit.mongo.table import FORM_FIELD, OpenDatabase, Repository, Table, prepare_tables
from wenhen.licences.repository import Licences
from wenhen.marks.repository import MarkedTexts
from wenhen.matching.repository import Matches
from wenhen.notices.repository import Notices, Platforms, Replies
from wenhen.pages.capture_repository import Captures
from wenhen.pages.repository import Pages
from wenhen.pages.text_repository import PictureTexts, Templates, TextTallies
from wenhen.reports.repository import KeptReports, SharedLinks
from wenhen.sites.repository import Accesses, Mirrors, Registrations, Sites
from wenhen.steps.problems import Problems
from wenhen.triage.repository import TriageRules
from wenhen.webhooks.repository import Webhooks
from wenhen.works.repository import Works

# Migrations bring documents of earlier forms into the current form, by numbered changes, while the system runs. Each
# walks its collections by id, in batches. A mark stores the progress, from which any process continues. A change only
# matches documents of the earlier form, so that a batch may run twice or concurrently. Readers must understand both
# forms until the migration is complete: first add a field or the reading of a form, then migrate, and rely on it in a
# later release.


MIGRATION_BATCH: Final = 1000  # documents between two marks
MIGRATION_READ_DOCUMENTS: Final = (
    50  # documents that are read at a time; those of long texts have a quarter of a megabyte
)
MIGRATIONS_MARK: Final = "migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    """One change of form.

    - before: filter for documents of the earlier form.
    - change: an update, or a function that makes the update from a document.
    - collections: empty for all.
    """

    number: int
    what: str
    before: Document
    change: Document | list[Document] | Callable[[Document], Document]
    collections: tuple[str, ...] = ()


MIGRATIONS: Final = (
    Migration(1, "every document says which form it has", {FORM_FIELD: {"$exists": False}}, {"$set": {FORM_FIELD: 1}}),
    Migration(
        2,
        "features are packed, and the id that is made from the rest of a fingerprint is left out",
        {FORM_FIELD: {"$lt": PACKED_FORM}},
        packed_form_update,
        (FINGERPRINTS_COLLECTION,),
    ),
)


class Migrations:
    """The migrations of these tables."""

    def __init__(self, tables: Sequence[Table], marks: Marks, migrations: Sequence[Migration] = MIGRATIONS) -> None:
        self._tables: Mapping[str, Table] = {table.declared.name: table for table in tables if table.declared.form}
        self._marks = marks
        self._migrations = migrations

    def pending_numbers(self) -> list[int]:
        """Return the numbers of the migrations that are not complete."""
        done, _, _ = self._place()
        return [migration.number for migration in self._migrations if migration.number > done]

    def go_on(self, batches: int) -> int:
        """Run at most this many batches. Return how many documents were examined."""
        looked_at = 0
        for _ in range(batches):
            if not self.pending_numbers():
                break
            looked_at += self._batch()
        return looked_at

    def _batch(self) -> int:
        done, name, after = self._place()
        migration = next(step for step in self._migrations if step.number > done)
        names = sorted(migration.collections or self._tables)
        name = name or names[0]
        table = self._tables[name]
        which: Document = {} if after is None else {"_id": {"$gt": after}}
        ids = [
            document["_id"]
            for document in table.some(which, sort=[("_id", 1)], limit=MIGRATION_BATCH, fields={"_id": 1})
        ]
        if ids:
            _apply_migration(table, migration, ids)
            self._mark(done, name, ids[-1])
        elif name != names[-1]:
            self._mark(done, names[names.index(name) + 1], None)
        else:
            self._mark(migration.number, "", None)
        return len(ids)

    def _place(self) -> tuple[int, str, object]:
        mark = self._marks.get(MIGRATIONS_MARK) or {}
        done = mark.get("done", 0)
        assert isinstance(done, int)
        return done, str(mark.get("collection", "")), mark.get("after")

    def _mark(self, done: int, name: str, after: object) -> None:
        self._marks.set(MIGRATIONS_MARK, {"done": done, "collection": name, "after": after})


def _apply_migration(table: Table, migration: Migration, ids: Sequence[object]) -> None:
    change = migration.change
    if not callable(change):
        table.update_all({**migration.before, "_id": {"$in": ids}}, change)
        return
    for start in range(0, len(ids), MIGRATION_READ_DOCUMENTS):
        documents = table.some({**migration.before, "_id": {"$in": ids[start : start + MIGRATION_READ_DOCUMENTS]}})
        table.write_all(
            [UpdateOne({"_id": document["_id"], **migration.before}, change(document)) for document in documents]
        )


RepositoryT = TypeVar("RepositoryT", bound=Repository)
MAX_ANSWER_MILLISECONDS = 120_000  # milliseconds; a server that is silent for longer counts as lost

# At exit, pymongo waits for its threads, which sleep half a second at a time. They are daemons and hold nothing, so
# commands need not wait.
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


class MongoStore:
    """All collections of one database."""

    def __init__(self, url: str, database: str, *, timeout_ms: int, clock: Clock) -> None:
        self._client, self._database = _connect(url, database, timeout_ms)
        self._tables: list[Table] = []  # all tables, which `prepare` creates
        self.counters = counters = self._register(Counters(self._database))
        self._open_library(counters, clock)
        self._open_web(clock)
        self._open_cases(counters)
        self._open_people()
        self._open_upkeep(url)

    def _open_library(self, counters: Counters, clock: Clock) -> None:
        database = self._database
        self.blobs: Blobs = (blobs := Blobs(database, clock))
        self.works: Works = (works := self._register(Works(database, clock, blobs)))
        self.fingerprints: Fingerprints = self._register(Fingerprints(database, counters))
        self.matches: Matches = self._register(Matches(database))
        self.clusters: Clusters = (clusters := self._register(MongoClusters(database)))
        self.licences: Licences = self._register(Licences(database))
        self.holders: Holders = self._register(Holders(database))
        self.marked_texts: MarkedTexts = (marked := self._register(MarkedTexts(database)))
        self._tables += [
            blobs.files,
            blobs.chunks,
            clusters.members_table,
            marked.copies_table,
            marked.statements_table,
        ]
        self._works, self._contents = works, blobs.chunks

    def _open_web(self, clock: Clock) -> None:
        database = self._database
        self.pages: Pages = (pages := self._register(Pages(database, clock)))
        self.regional_captures: RegionalCaptures = (regional := self._register(RegionalCaptures(database)))
        self.captures: Captures = Captures(pages.table, pages.captures_table, regional.table)
        self.templates: Templates = (templates := Templates(database, clock))
        self.text_tallies: TextTallies = self._register(TextTallies(database))
        self.sites: Sites = self._register(Sites(database))
        self.accesses: Accesses = self._register(Accesses(database))
        self.registrations: Registrations = self._register(Registrations(database))
        self.mirrors: Mirrors = (mirrors := self._register(Mirrors(database)))
        self.picture_texts: PictureTexts = self._register(PictureTexts(database))
        self.discoveries: Discoveries = self._register(Discoveries(database))
        self.runs: Runs = self._register(Runs(database))
        self._tables += [pages.captures_table, templates.hosts_table, templates.lines_table]
        self._mirrors = mirrors

    def _open_cases(self, counters: Counters) -> None:
        database = self._database
        self.cases: Cases = (cases := self._register(Cases(database, counters)))
        self.amounts: Amounts = self._register(Amounts(database))
        self.comments: Comments = (comments := self._register(Comments(database)))
        self.exclusions: Exclusions = self._register(Exclusions(database))
        self.exhibits: Exhibits = self._register(Exhibits(database, cases.table))
        self.filters: Filters = self._register(Filters(database))
        self.figures: Figures = Figures(database, cases.tallies, self._mirrors)
        self.kept_reports: KeptReports = self._register(KeptReports(database))
        self.shared_links: SharedLinks = self._register(SharedLinks(database))
        self.triage_rules: TriageRules = self._register(TriageRules(database))
        self.notices: Notices = self._register(Notices(database, counters))
        self.platforms: Platforms = self._register(Platforms(database))
        self.replies: Replies = self._register(Replies(database))
        self._tables.append(cases.tallies.table)
        self._cases, self._comments = cases, comments

    def _open_people(self) -> None:
        database = self._database
        self.alerts: Alerts = (alerts := self._register(Alerts(database)))
        self.audit: Audit = self._register(Audit(database))
        self.users: Users = self._register(Users(database))
        self.password_links: PasswordLinks = self._register(PasswordLinks(database))
        self.guesses: Guesses = self._register(Guesses(database))
        self.preferences: KeptPreferences = self._register(KeptPreferences(database))
        self.sessions: Sessions = self._register(Sessions(database))
        self.tokens: Tokens = self._register(Tokens(database))
        self.webhooks: Webhooks = (webhooks := self._register(Webhooks(database, self._cases.table)))
        self._tables += [alerts.alerts_table, alerts.letters_table]
        self._tables += [webhooks.deliveries_table, webhooks.told_table]

    def _open_upkeep(self, url: str) -> None:
        """Open the stores of operations last, because some need all tables."""
        database = self._database
        self.stamps: Stamps = self._register(Stamps(database))
        self.problems: Problems = self._register(Problems(database))
        self.stored_settings: StoredSettings = self._register(StoredSettings(database))
        self.marks: Marks = self._register(Marks(database))
        self._migrations = Migrations(self._tables, self.marks)
        self.copying: Copying = Copying(
            self._client, url, database, [table.declared.name for table in self._tables], [self._contents.declared.name]
        )

    def _register(self, keeper: RepositoryT) -> RepositoryT:
        self._tables.append(keeper.table)
        return keeper

    def prepare(self) -> None:
        prepare_tables(self._database, self._tables)
        self._cases.complete_old()
        if self.marks.get("tallies") is None:
            self._cases.tally_old()
            self.marks.set("tallies", {})
        self._works.complete_old()
        self._comments.complete_old()

    def migrations_left(self) -> list[int]:
        return self._migrations.pending_numbers()

    def migrate(self, batches: int) -> int:
        return self._migrations.go_on(batches)

    def ping(self) -> str:
        with translate_errors(self._database.address):
            return str(self._client.server_info()["version"])

    def space(self) -> Space:
        with translate_errors(self._database.address):
            stats = self._database.handle.command("dbStats")
        return Space(data=int(stats["totalSize"]), disk=int(stats["fsTotalSize"]), free=_free_bytes(stats))

    def close(self) -> None:
        self._client.close()


def _free_bytes(stats: Document) -> int:
    return int(stats["fsTotalSize"]) - int(stats["fsUsedSize"])


def _connect(url: str, database: str, timeout_ms: int) -> tuple[MongoClient[Document], OpenDatabase]:
    """Return the client, and the database with the address for messages, without its password."""
    try:
        client: MongoClient[Document] = MongoClient(
            url,
            appname="wenhen",
            serverSelectionTimeoutMS=timeout_ms,
            connectTimeoutMS=timeout_ms,
            socketTimeoutMS=MAX_ANSWER_MILLISECONDS,
        )
        handle = client.get_database(database, CodecOptions(tz_aware=True, tzinfo=UTC))
        nodes: list[tuple[str, Any]] = parse_uri(url)["nodelist"]
    except (PyMongoError, ValueError) as error:
        raise SetupError("server.mongo_name", name=repr(database), error=error) from error
    return client, OpenDatabase(handle, ", ".join(host if port is None else f"{host}:{port}" for host, port in nodes))
