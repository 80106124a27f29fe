"""What the screens can set in motion; the composition root does it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from matcher.verdict.originality import Originality
from store.records import Change, Level, Licence, Site, WorkDraft

Steer = Literal["pause", "resume", "stop"]


class Refusal(NamedTuple):
    """What of an upload could not be taken: which file or line, and why."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What an upload did, by work id."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()


class Text(NamedTuple):
    """One text of an upload."""

    name: str
    text: str


class Pair(NamedTuple):
    """One copied passage, as it stands on either side."""

    page_text: str
    work_text: str
    similarity: float
    change: Change


@dataclass(frozen=True, slots=True)
class Source:
    """A work that a text is copied from."""

    work_id: str
    work_title: str
    level: Level
    score: float
    share_of_page: float
    share_of_work: float
    pairs: tuple[Pair, ...]


class Actions(Protocol):
    """Everything that is more than a read or a write of the store."""

    def import_upload(
        self, name: str, content: bytes, owner: str | None, progress: Callable[[int], None] | None = None
    ) -> Imported:
        """Import the works of one file, by the ending of its name; `progress` is told how many are done."""

    def put_work(self, draft: WorkDraft) -> tuple[str, str]:
        """Store one work and look for its copies; its id, and "new", "changed" or "unchanged"."""

    def remove_work(self, id: str) -> None: ...  # NotFound
    def read_upload(self, name: str, content: bytes) -> tuple[list[Text], list[Refusal]]:
        """The texts of one file; nothing is stored."""

    def check(self, text: str) -> list[Source]:
        """The works that a text is copied from, the likeliest first; nothing is stored."""

    def original(self, text: str, published_at: datetime | None) -> Originality:
        """Whether a text is original, and from which works that are not later it is copied; nothing is stored."""

    def put_site(self, written: Mapping[str, str], id: str | None) -> Site:
        """Watch a site, its settings as people write them. BadInput, Conflict."""

    def edit_site(self, id: str, written: Mapping[str, str]) -> Site:
        """Change a site. NotFound, BadInput."""

    def pause_site(self, id: str) -> Site: ...  # NotFound
    def resume_site(self, id: str) -> Site: ...  # NotFound
    def remove_site(self, id: str) -> None: ...  # NotFound
    def import_sites(self, content: bytes, *, internal: bool) -> tuple[list[Site], list[Refusal]]:
        """Watch the sites of a CSV file, internal ones where they may be added; what was added, and the lines that were
        refused. BadInput.
        """

    def find_site(self, url: str, *, internal: bool) -> Mapping[str, str]:
        """The settings that suit the site at an address, as people write them. BadInput, FetchRefused, Unavailable."""

    def set_session(self, id: str, cookies: str | None, by: str) -> None:
        """Keep a session that somebody began in a browser, or forget it; with its audit line. NotFound, BadInput."""

    def set_proxies(self, id: str, urls: Sequence[str], by: str) -> None:
        """Fetch a site through these alone; a masked password stays. With its audit line. NotFound, BadInput."""

    def set_robots(self, id: str, ignore: str | None, by: str) -> Site:
        """Override a site's robots.txt for this reason, or obey it; with its audit line. NotFound, BadInput."""

    def steer_run(self, id: str, to: Steer) -> None: ...  # NotFound, Conflict
    def crawl(self, site_id: str) -> None: ...  # NotFound, Conflict while it is being crawled
    def accept_discoveries(self, ids: Sequence[str]) -> None: ...  # NotFound
    def refuse_discoveries(self, ids: Sequence[str]) -> None: ...  # NotFound
    def certain_score(self) -> float: ...  # the probability from which a case is certain
    def add_licence(
        self,
        licensee: str,
        url_prefix: str,
        *,
        work_id: str | None,
        valid_from: datetime | None,
        valid_until: datetime | None,
        attribution: str | None,
    ) -> Licence: ...  # BadInput, NotFound
    def withdraw_licence(self, id: str) -> Licence: ...  # NotFound
