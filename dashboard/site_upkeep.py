"""What changes sites and steers their crawls, and writes it into the audit log; for the browser and the API."""

from collections.abc import Iterable, Mapping, Sequence

from crawler.crawl.hosts import host_of
from dashboard import audit
from dashboard.actions import Refusal, Steer
from dashboard.frame.context import services
from dashboard.frame.permissions import may, require, who
from store.errors import Conflict, NotFound
from store.records import Site
from store.rules.rights import Right


def put_site(written: Mapping[str, str], id: str | None = None) -> Site:
    """Watch one more site. BadInput, Conflict; 403 for an internal one without the right."""
    if written.get("internal") == "yes":
        require(Right.ACCESS)
    site = services().actions.put_site(written, id)
    audit.record("site.add", f"site:{site.id}", new=" ".join(site.start_urls))
    return site


def edit_site(id: str, written: Mapping[str, str]) -> Site:
    """Change a site. NotFound, BadInput; 403 for what opens a way that an administrator has to open."""
    before = services().store.sites.get(id)
    if _opens_a_way(before, written):
        require(Right.ACCESS)
    after = services().actions.edit_site(id, written)
    audit.record("site.edit", f"site:{id}", old=before, new=after)
    return after


def edit_each(ids: Iterable[str], written: Mapping[str, str]) -> Sequence[Site]:
    """Change several sites alike; those that are still there. BadInput, and then none is changed."""
    done = []
    for id in ids:
        try:
            done.append(edit_site(id, written))
        except NotFound:
            continue
    return done


def import_sites(content: bytes) -> tuple[list[Site], list[Refusal]]:
    """Watch the sites of a CSV file. BadInput."""
    added, refused = services().actions.import_sites(content, internal=may(Right.ACCESS))
    for site in added:
        audit.record("site.add", f"site:{site.id}", new=" ".join(site.start_urls))
    return added, refused


def find_site(url: str, *, internal: bool) -> Mapping[str, str]:
    """The settings that suit the site at an address; 403 for an internal one without the right. BadInput,
    FetchRefused, Unavailable.
    """
    if internal:
        require(Right.ACCESS)
    return services().actions.find_site(url, internal=internal)


def set_session(id: str, cookies: str | None) -> None:
    """Keep a session that somebody began in a browser, or forget it. NotFound, BadInput."""
    services().actions.set_session(id, cookies, who())


def set_proxies(id: str, urls: Sequence[str]) -> None:
    """Fetch a site through these proxies alone; one whose password is masked keeps it. NotFound, BadInput."""
    services().actions.set_proxies(id, urls, who())


def set_robots(id: str, ignore: str | None) -> Site:
    """Override a site's robots.txt for this reason, or obey it. NotFound, BadInput."""
    return services().actions.set_robots(id, ignore, who())


def steer_run(id: str, to: Steer) -> None:
    """Pause, resume or stop a crawl. NotFound, Conflict."""
    services().actions.steer_run(id, to)
    audit.record(f"run.{to}", f"run:{id}")


def for_each(ids: Iterable[str], what: str) -> Sequence[Site]:
    """Pause, resume, crawl or remove several sites; those for which it was done. Others are gone, or being crawled."""
    actions, done = services().actions, []
    for id in ids:
        try:
            site = services().store.sites.get(id)
            {
                "pause": actions.pause_site,
                "resume": actions.resume_site,
                "crawl": actions.crawl,
                "remove": actions.remove_site,
            }[what](id)
        except (NotFound, Conflict):
            continue
        audit.record(f"site.{what}", f"site:{id}", old=" ".join(site.start_urls) if what == "remove" else None)
        done.append(site)
    return done


def _opens_a_way(before: Site, written: Mapping[str, str]) -> bool:
    """Whether the site becomes internal; or gets further hosts, and is internal or its robots.txt is overridden: both
    were decided for the hosts that it had.
    """
    if written.get("internal") == "yes" and not before.internal:
        return True
    starts = {host_of(url) for url in written.get("urls", "").split()}
    further = starts.union(written.get("hosts", "").lower().split()).difference(before.hosts, [None])
    return bool(further) and (before.internal or before.ignore_robots_reason is not None)
