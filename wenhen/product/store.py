"""Gather the repositories of the product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from matcher.clusters import Clusters
    from wenhen.accounts.repository import Guesses, KeptPreferences, PasswordLinks, Sessions, Tokens, Users
    from wenhen.alerts.repository import Alerts
    from wenhen.analysis.repository import Figures
    from wenhen.audit.repository import Audit
    from wenhen.backups.database_copy import Copying
    from wenhen.cases.amounts import Amounts
    from wenhen.cases.comments import Comments
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
