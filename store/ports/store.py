"""All ports, opened together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the repositories know everything below them, and everything knows the store
    from store.ports.cases.cases import Cases
    from store.ports.cases.comments import Comments
    from store.ports.cases.exclusions import Exclusions
    from store.ports.cases.exhibits import Exhibits
    from store.ports.cases.figures import Figures
    from store.ports.cases.filters import Filters
    from store.ports.cases.kept_reports import KeptReports
    from store.ports.cases.notices import Notices, Platforms
    from store.ports.cases.replies import Replies
    from store.ports.cases.triage_rules import TriageRules
    from store.ports.library.clusters import Clusters
    from store.ports.library.fingerprints import Fingerprints
    from store.ports.library.holders import Holders
    from store.ports.library.licences import Licences
    from store.ports.library.matches import Matches
    from store.ports.library.works import Works
    from store.ports.people.alerts import Alerts
    from store.ports.people.audit import Audit
    from store.ports.people.preferences import KeptPreferences
    from store.ports.people.sessions import Sessions
    from store.ports.people.sign_in_guesses import Guesses
    from store.ports.people.tokens import Tokens
    from store.ports.people.users import Users
    from store.ports.people.webhooks import Webhooks
    from store.ports.upkeep.blobs import Blobs
    from store.ports.upkeep.copying import Copying
    from store.ports.upkeep.marks import Marks
    from store.ports.upkeep.problems import Problems
    from store.ports.upkeep.stamps import Stamps
    from store.ports.web.accesses import Accesses
    from store.ports.web.captures import Captures
    from store.ports.web.discoveries import Discoveries
    from store.ports.web.mirrors import Mirrors
    from store.ports.web.pages import Pages
    from store.ports.web.picture_texts import PictureTexts
    from store.ports.web.registrations import Registrations
    from store.ports.web.runs import Runs
    from store.ports.web.sites import Sites
    from store.ports.web.templates import Templates
    from store.ports.web.text_tallies import TextTallies
    from store.records import Space


class Store(Protocol):
    """All of them, opened together."""

    alerts: Alerts
    audit: Audit
    blobs: Blobs
    works: Works
    pages: Pages
    fingerprints: Fingerprints
    matches: Matches
    captures: Captures
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
    marks: Marks
    users: Users
    guesses: Guesses
    preferences: KeptPreferences
    sessions: Sessions
    stamps: Stamps
    templates: Templates
    text_tallies: TextTallies
    tokens: Tokens
    triage_rules: TriageRules
    webhooks: Webhooks

    def prepare(self) -> None:
        """Make collections, validators and indexes where they are missing; safe at every start."""

    def migrations_left(self) -> list[int]:
        """Numbers of the changes of form that are not through yet; everything works meanwhile."""

    def migrate(self, batches: int) -> int:
        """Do so many batches of them, or what is left; how many documents were looked at. Any number may do this."""

    def ping(self) -> str:
        """The server's version."""

    def space(self) -> Space: ...
    def close(self) -> None: ...
