"""All ports, opened together."""

from typing import Protocol

from store.ports.accesses import Accesses
from store.ports.audit import Audit
from store.ports.blobs import Blobs
from store.ports.captures import Captures
from store.ports.cases import Cases
from store.ports.clusters import Clusters
from store.ports.comments import Comments
from store.ports.copying import Copying
from store.ports.discoveries import Discoveries
from store.ports.exclusions import Exclusions
from store.ports.figures import Figures
from store.ports.filters import Filters
from store.ports.fingerprints import Fingerprints
from store.ports.guesses import Guesses
from store.ports.holders import Holders
from store.ports.licences import Licences
from store.ports.marks import Marks
from store.ports.matches import Matches
from store.ports.mirrors import Mirrors
from store.ports.pages import Pages
from store.ports.problems import Problems
from store.ports.runs import Runs
from store.ports.sessions import Sessions
from store.ports.sites import Sites
from store.ports.templates import Templates
from store.ports.tokens import Tokens
from store.ports.users import Users
from store.ports.webhooks import Webhooks
from store.ports.works import Works
from store.records import Space


class Store(Protocol):
    """All of them, opened together."""

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
    filters: Filters
    discoveries: Discoveries
    figures: Figures
    sites: Sites
    mirrors: Mirrors
    accesses: Accesses
    holders: Holders
    licences: Licences
    runs: Runs
    problems: Problems
    marks: Marks
    users: Users
    guesses: Guesses
    sessions: Sessions
    templates: Templates
    tokens: Tokens
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
