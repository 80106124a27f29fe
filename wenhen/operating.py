"""What operators set in motion from the dashboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.actions import Refusal, Steer
from services.crawls.runs import pause, resume, start_crawl, stop
from services.sites import access as site_access
from services.sites import sites as watched_sites
from services.sites.survey import find_site
from store.records import Site
from wenhen.wiring import App


@dataclass(frozen=True, slots=True)
class Operations:
    """The same as the commands do, for `dashboard.actions.Actions`."""

    app: App

    def put_site(self, written: Mapping[str, str], id: str | None) -> Site:
        """Watch a site, its settings as people write them."""
        return watched_sites.add(self.app, written, id=id)

    def edit_site(self, id: str, written: Mapping[str, str]) -> Site:
        """Change a site."""
        return watched_sites.edit(self.app, id, written)

    def pause_site(self, id: str) -> Site:
        """Crawl it no longer when it is due."""
        return watched_sites.pause(self.app, id)

    def resume_site(self, id: str) -> Site:
        """Crawl it again."""
        return watched_sites.resume(self.app, id)

    def remove_site(self, id: str) -> None:
        """Watch it no longer."""
        watched_sites.remove(self.app, id)

    def import_sites(self, content: bytes, *, internal: bool) -> tuple[list[Site], list[Refusal]]:
        """Watch the sites of a CSV file."""
        done = watched_sites.import_csv(self.app, content, internal=internal)
        return list(done.added), [Refusal(str(line), reason) for line, reason in done.refused]

    def find_site(self, url: str, *, internal: bool) -> Mapping[str, str]:
        """The settings that suit the site at an address."""
        return find_site(self.app, url, internal=internal).written()

    def set_session(self, id: str, cookies: str | None, by: str) -> None:
        """Keep a session that somebody began in a browser, or forget it."""
        if cookies is None:
            site_access.end_session(self.app, id, by=by)
        else:
            site_access.begin_session(self.app, id, cookies, by=by)

    def set_proxies(self, id: str, urls: Sequence[str], by: str) -> None:
        """Fetch a site through these alone."""
        site_access.set_proxies(self.app, id, urls, by=by)

    def set_robots(self, id: str, ignore: str | None, by: str) -> Site:
        """Override a site's robots.txt for this reason, or obey it."""
        if ignore is None:
            return site_access.obey_robots(self.app, id, by=by)
        return site_access.override_robots(self.app, id, reason=ignore, by=by)

    def steer_run(self, id: str, to: Steer) -> None:
        """Pause, resume or stop a crawl."""
        {"pause": pause, "resume": resume, "stop": stop}[to](self.app, id)

    def crawl(self, site_id: str) -> None:
        """Queue a crawl."""
        start_crawl(self.app, site_id)
