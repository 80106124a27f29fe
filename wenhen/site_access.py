"""How a site is reached: its session, its proxies, its headers, a browser; and whether its robots.txt is obeyed.

What concerns robots.txt is an administrator's decision, kept with its reason on the site and in the audit log.
"""

from collections.abc import Sequence

from crawler.cookies import read_cookies
from crawler.header_profiles import header_profile
from crawler.job import host_of
from crawler.proxies import parse_proxy
from store.errors import BadInput
from store.records import Cookie, Site
from wenhen.app import App


def begin_session(app: App, id: str, text: str) -> tuple[Cookie, ...]:
    """Keep the cookies of a session that somebody began in a browser, in place of those before.

    `text` is a Netscape cookies.txt or a Cookie header. Raises `NotFound`, and `BadInput` for what is neither, or where
    no cookie is for a host of the site.
    """
    site = app.store.sites.get(id)
    cookies = read_cookies(text, host_of(site.start_urls[0]) or "")
    own = tuple(cookie for cookie in cookies if _concerns(cookie, site))
    if not own:
        raise BadInput(f"none of the {len(cookies)} cookies is for {', '.join(site.hosts)}")
    app.store.accesses.set_cookies(id, own, app.now())
    return own


def end_session(app: App, id: str) -> None:
    """Forget the cookies of a site. Raises `NotFound`."""
    app.store.accesses.set_cookies(app.store.sites.get(id).id, (), app.now())


def set_proxies(app: App, id: str, urls: Sequence[str]) -> None:
    """Fetch a site through these proxies alone; without any, through those of the settings. Raises `NotFound`,
    `BadInput`.
    """
    for url in urls:
        parse_proxy(url)
    app.store.accesses.set_proxies(app.store.sites.get(id).id, urls, app.now())


def override_robots(app: App, id: str, *, reason: str, by: str) -> Site:
    """Fetch what a site's robots.txt forbids, from now on. Raises `NotFound`, and `BadInput` without a reason."""
    if not reason.strip():
        raise BadInput("overriding robots.txt needs a reason: it is kept, and shown to whoever asks why")
    return _decide(app, id, reason.strip(), by)


def obey_robots(app: App, id: str, *, by: str) -> Site:
    """Obey a site's robots.txt again. Raises `NotFound`."""
    return _decide(app, id, None, by)


def set_rendering(app: App, id: str, *, render: bool) -> Site:
    """Read a site's pages after their scripts have run in a browser, or as they come. Raises `NotFound`."""
    return app.store.sites.change(id, {"render": render})


def set_header_profile(app: App, id: str, name: str) -> Site:
    """Ask a site with another set of headers. Raises `NotFound`, `BadInput`."""
    header_profile(name)
    return app.store.sites.change(id, {"header_profile": name})


def _decide(app: App, id: str, reason: str | None, by: str) -> Site:
    before = app.store.sites.get(id).ignore_robots_reason
    now = app.now()
    decision = {
        "ignore_robots_reason": reason,
        "ignore_robots_by": by if reason else None,
        "ignore_robots_at": now if reason else None,
    }
    site = app.store.sites.change(id, decision)
    app.store.audit.add(now, by, "site.ignore_robots" if reason else "site.obey_robots", f"site:{id}", before, reason)
    return site


def _concerns(cookie: Cookie, site: Site) -> bool:
    domain = cookie.domain.lstrip(".").lower()
    return any(
        host == domain or host.endswith(f".{domain}") or (host.startswith("*.") and domain.endswith(host[1:]))
        for host in site.hosts
    )
