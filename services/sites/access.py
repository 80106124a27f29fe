"""How a site is reached: its session and its proxies; and whether its robots.txt is obeyed.

Each of these is an administrator's decision, kept in the audit log with the old and the new value: of cookies the names
alone, of proxies the addresses without their passwords.
"""

from collections.abc import Iterable, Sequence

from crawler.crawl.hosts import host_of
from crawler.fetch.cookie_text import read_cookies
from crawler.fetch.proxies import parse_proxy
from services.context import Product
from store.errors import BadInput
from store.records import Cookie, Site
from store.rules.masking import MASK, masked


def begin_session(product: Product, id: str, text: str, *, by: str) -> tuple[Cookie, ...]:
    """Keep the cookies of a session that somebody began in a browser, in place of those before.

    `text` is a Netscape cookies.txt or a Cookie header. Raises `NotFound`, and `BadInput` for what is neither, or where
    no cookie is for a host of the site.
    """
    site = product.store.sites.get(id)
    cookies = read_cookies(text, host_of(site.start_urls[0]) or "")
    own = tuple(cookie for cookie in cookies if _concerns(cookie, site))
    if not own:
        raise BadInput(f"none of the {len(cookies)} cookies is for {', '.join(site.hosts)}")
    _set_cookies(product, site, own, by)
    return own


def end_session(product: Product, id: str, *, by: str) -> None:
    """Forget the cookies of a site. Raises `NotFound`."""
    _set_cookies(product, product.store.sites.get(id), (), by)


def set_proxies(product: Product, id: str, urls: Sequence[str], *, by: str) -> None:
    """Fetch a site through these proxies alone; without any, through those of the settings.

    One that is written with its password masked, as it is shown, keeps the password that is known of it. Raises
    `NotFound`, `BadInput`.
    """
    before = product.store.accesses.get(product.store.sites.get(id).id).proxies
    known = {masked(url): url for url in before}
    proxies = tuple(dict.fromkeys(known.get(url, url) for url in urls))
    for url in proxies:
        proxy = parse_proxy(url)
        if MASK in url:
            raise BadInput(f"the proxy {proxy.url} is not known with this name: write its password")
    product.store.accesses.set_proxies(id, proxies, product.now())
    _note(product, "site.proxies", id, by, map(masked, before), map(masked, proxies))


def override_robots(product: Product, id: str, *, reason: str, by: str) -> Site:
    """Fetch what a site's robots.txt forbids, from now on. Raises `NotFound`, and `BadInput` without a reason."""
    if not reason.strip():
        raise BadInput("overriding robots.txt needs a reason: it is kept, and shown to whoever asks why")
    return _decide(product, id, reason.strip(), by)


def obey_robots(product: Product, id: str, *, by: str) -> Site:
    """Obey a site's robots.txt again. Raises `NotFound`."""
    return _decide(product, id, None, by)


def _set_cookies(product: Product, site: Site, cookies: Sequence[Cookie], by: str) -> None:
    before = product.store.accesses.get(site.id).cookies
    product.store.accesses.set_cookies(site.id, cookies, product.now())
    _note(product, "site.session", site.id, by, map(_name, before), map(_name, cookies))


def _name(cookie: Cookie) -> str:
    return f"{cookie.name}@{cookie.domain}"


def _note(product: Product, action: str, id: str, by: str, old: Iterable[str], new: Iterable[str]) -> None:
    product.store.audit.add(product.now(), by, action, f"site:{id}", " ".join(old) or None, " ".join(new) or None)


def _decide(product: Product, id: str, reason: str | None, by: str) -> Site:
    before = product.store.sites.get(id).ignore_robots_reason
    now = product.now()
    decision = {
        "ignore_robots_reason": reason,
        "ignore_robots_by": by if reason else None,
        "ignore_robots_at": now if reason else None,
    }
    site = product.store.sites.change(id, decision)
    product.store.audit.add(
        now, by, "site.ignore_robots" if reason else "site.obey_robots", f"site:{id}", before, reason
    )
    return site


def _concerns(cookie: Cookie, site: Site) -> bool:
    domain = cookie.domain.lstrip(".").lower()
    return any(
        host == domain or host.endswith(f".{domain}") or (host.startswith("*.") and domain.endswith(host[1:]))
        for host in site.hosts
    )
