"""Define the store of repositories, the task queue, and the shares by which workers divide their time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from wenhen.kit.progress import OwnerKind, Step

if TYPE_CHECKING:
    from matcher.clusters import Clusters
    from wenhen.accounts.repository import Guesses, KeptPreferences, PasswordLinks, Sessions, Tokens, Users
    from wenhen.alerts.repository import Alerts
    from wenhen.analysis.repository import Figures
    from wenhen.audit.repository import Audit
    from wenhen.backups.database_copy import Copying
    from wenhen.cases.comments_and_amounts import Amounts, Comments
    from wenhen.cases.repository import Cases, Filters
    from wenhen.configuration.repository import StoredSettings
    from wenhen.crawls.repository import RegionalCaptures, Runs
    from wenhen.discovery.repository import Discoveries
    from wenhen.evidence.repository import Exhibits, Stamps
    from wenhen.exclusions.repository import Exclusions
    from wenhen.fingerprints.repository import Fingerprints
    from wenhen.holders.repository import Holders
    from wenhen.kit.mongo.blobs import Blobs
    from wenhen.kit.mongo.marks import Counters, Marks
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


class RoughCount(NamedTuple):
    """A number of records. exact: counted; else it is from the metadata of the server, which is wrong for a while after
    a crash.
    """

    number: int
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Bytes of the stored data with its indexes, and of the disk that they lie on."""

    data: int
    disk: int
    free: int


class Store(Protocol):
    """All repositories, opened together."""

    alerts: Alerts
    amounts: Amounts
    audit: Audit
    blobs: Blobs
    works: Works
    pages: Pages
    password_links: PasswordLinks
    fingerprints: Fingerprints
    matches: Matches
    captures: Captures
    regional_captures: RegionalCaptures
    cases: Cases
    clusters: Clusters
    comments: Comments
    copying: Copying
    exclusions: Exclusions
    exhibits: Exhibits
    filters: Filters
    kept_reports: KeptReports
    discoveries: Discoveries
    figures: Figures
    sites: Sites
    mirrors: Mirrors
    picture_texts: PictureTexts
    accesses: Accesses
    holders: Holders
    notices: Notices
    platforms: Platforms
    registrations: Registrations
    replies: Replies
    licences: Licences
    runs: Runs
    problems: Problems
    marked_texts: MarkedTexts
    marks: Marks
    counters: Counters
    users: Users
    guesses: Guesses
    preferences: KeptPreferences
    sessions: Sessions
    shared_links: SharedLinks
    stamps: Stamps
    stored_settings: StoredSettings
    templates: Templates
    text_tallies: TextTallies
    tokens: Tokens
    triage_rules: TriageRules
    webhooks: Webhooks

    def prepare(self) -> None:
        """Create missing collections, validators and indexes. It is idempotent."""

    def migrations_left(self) -> list[int]:
        """Return the numbers of incomplete migrations. The product works meanwhile."""

    def migrate(self, batches: int) -> int:
        """Run at most this many batches of migrations. Return how many documents were examined. Calls may be
        concurrent.
        """

    def ping(self) -> str:
        """Return the version of the server."""

    def space(self) -> Space: ...
    def close(self) -> None: ...


# Shares of the workers' time, so that the backlog of one share delays no other. Each site has a share. Work that a
# person waits for, and pages of pursued cases, have shares of their own with more weight.


class QueueShare(NamedTuple):
    """A share. weight: its part of the workers' time, relative to a site with 1, while both have waiting work."""

    name: str
    weight: int = 1


# "!" sorts before all letters and is in no site id, so these come first among shares with the same turn.
PERSON_SHARE: Final = QueueShare("!person", 16)  # submitted or retried by hand: few records, and a person waits
PURSUED_SHARE: Final = QueueShare("!pursued", 4)  # pages of pursued cases
WORKS_SHARE: Final = QueueShare("!works", 4)  # new works
BACKGROUND_SHARE: Final = QueueShare("!background")  # nobody waits: the daily re-match, outdated fingerprints


def group_by_share(store: Store, kind: OwnerKind, ids: Sequence[str]) -> dict[QueueShare, list[str]]:
    """Return the share of each record. A page without a watched site has the share of its host. Raises
    `Unavailable`.
    """
    if not ids:
        return {}
    if kind is OwnerKind.WORK:
        return {WORKS_SHARE: list(ids)}
    sites, pursued = store.pages.sites(ids), store.cases.pursued_pages(ids)
    shares: dict[QueueShare, list[str]] = {}
    for id in ids:
        if id in sites:
            shares.setdefault(PURSUED_SHARE if id in pursued else QueueShare(sites[id]), []).append(id)
    return shares


# The queue as steps and use cases see it. It only sends work; the next step of a record is in the store.


class Queue(Protocol):
    """Sends tasks, and counts those that wait. Raises `Unavailable`."""

    def step(self, kind: OwnerKind, id: str, step: Step, share: QueueShare, *, begun: bool = False) -> None:
        """Queue the next step of a record that must run alone.

        begun: the record has completed a step, so it goes before others of its share.
        """

    def steps(
        self,
        kind: OwnerKind,
        ids: Sequence[str],
        step: Step,
        share: QueueShare,
        *,
        begun: bool = False,
        unless_waiting: bool = False,
    ) -> None:
        """Queue the next step of records that may run in a batch.

        Records that wait already move to the share with more weight; with `unless_waiting` they stay.
        """

    def crawl(self, run_id: str, *, soon: bool = False) -> None:
        """Call another crawler for a stored run. soon: before scheduled crawls."""

    def deliver(self) -> None: ...  # the outbox of webhooks
    def evidence(self) -> None: ...  # due exhibits and time stamps
    def reports(self) -> None: ...  # reports that are made in the background
    def listings(self) -> None: ...  # requested searches, and what search engines list
    def backup(self) -> None: ...  # a backup that was begun on screen
    def regions(self) -> None: ...  # the next capture from a region
    def count_waiting(self) -> dict[str, int]:
        """Count the records or tasks that wait in each queue, without those that a worker holds."""

    def oldest(self) -> dict[str, datetime]:
        """Return since when the oldest entry of each non-empty queue waits."""

    def workers(self) -> dict[str, list[str]]:
        """Return the workers that answer, with the queues of each."""

    def ping(self) -> str: ...  # the version of the server
