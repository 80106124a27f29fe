"""What the screens can set in motion; the composition root does it."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from store.records import Site

Steer = Literal["pause", "resume", "stop"]


class Refusal(NamedTuple):
    """What of an upload could not be taken: which file or line, and why."""

    what: str
    reason: str


class Actions(Protocol):
    """Everything that is more than a read or a write of the store."""

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
