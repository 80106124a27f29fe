"""How a site is reached: its session and its proxies; whether its robots.txt is obeyed, and its fonts are deciphered.

Each of these is an administrator's decision, kept in the audit log with the old and the new value: of cookies the names
alone, of proxies the addresses without their passwords.
"""

from collections.abc import Iterable, Sequence

from crawler.crawl.host_names import belongs, host_of
from crawler.fetch.cookie_text import read_cookies
from crawler.fetch.proxy_pool import parse_proxy
from pipeline.pages.extracting import LOST
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.crawls.opened_access import keep_cookies, renewed_proxies
from store.errors import BadInput
from store.records import Cookie, OwnerKind, ProblemKind, Site, Step
from store.records.upkeep.problem import CRAWL
from store.records.web.masked_headers import MASK
from store.rules.record_ids import page_id
from store.rules.role_rights import Right
from store.rules.web.shown_access import masked

_MOST = 10_000  # pages that are read again by one decision


@audited("site.session")
def begin_session(acting: Acting, id: str, text: str) -> Changed[tuple[Cookie, ...]]:
    """Keep the cookies of a session that somebody began in a browser, in place of those before.

    `text` is a Netscape cookies.txt or a Cookie header. Raises `NotFound`, and `BadInput` for what is neither, or where
    no cookie is for a host of the site.
    """
    acting.require(Right.ACCESS)
    site = acting.product.store.sites.get(id)
    cookies = read_cookies(text, host_of(site.start_urls[0]) or "")
    own = tuple(cookie for cookie in cookies if _concerns(cookie, site))
    if not own:
        raise BadInput("access.not_its_cookies", count=len(cookies), hosts=", ".join(site.hosts))
    return changed(own, _set_cookies(acting, site, own))


@audited("site.session")
def end_session(acting: Acting, id: str) -> Changed[None]:
    """Forget the cookies of a site. Raises `NotFound`."""
    acting.require(Right.ACCESS)
    return changed(None, _set_cookies(acting, acting.product.store.sites.get(id), ()))


@audited("site.proxies")
def set_proxies(acting: Acting, id: str, urls: Sequence[str]) -> Changed[None]:
    """Fetch a site through these proxies alone; without any, through those of the settings.

    One that is written with its password masked, as it is shown, keeps the password that is known of it. Raises
    `NotFound`, `BadInput`.
    """
    acting.require(Right.ACCESS)
    accesses = acting.product.store.accesses
    before = accesses.get(acting.product.store.sites.get(id).id).proxies
    known = {masked(url): url for url in before}
    proxies = tuple(dict.fromkeys(known.get(url, url) for url in urls))
    for url in proxies:
        proxy = parse_proxy(url)
        if MASK in url:
            raise BadInput("access.unknown_proxy", url=proxy.url)
    accesses.set_proxies(id, renewed_proxies(acting.product.seal, id, proxies), acting.product.now())
    return changed(None, _line(id, map(masked, before), map(masked, proxies)))


@audited("site.ignore_robots")
def override_robots(acting: Acting, id: str, *, reason: str) -> Changed[Site]:
    """Fetch what a site's robots.txt forbids, from now on. Raises `NotFound`, and `BadInput` without a reason."""
    acting.require(Right.ACCESS)
    if not reason.strip():
        raise BadInput("access.no_reason")
    return _decide(acting, id, "ignore_robots", reason.strip())


@audited("site.obey_robots")
def obey_robots(acting: Acting, id: str) -> Changed[Site]:
    """Obey a site's robots.txt again. Raises `NotFound`."""
    acting.require(Right.ACCESS)
    return _decide(acting, id, "ignore_robots", None)


@audited("site.decipher_fonts")
def decipher_fonts(acting: Acting, id: str, *, reason: str) -> Changed[Site]:
    """Read a site's pages as their fonts show them, those that are known too; it may get round what the law protects.

    Raises `NotFound`, and `BadInput` without a reason.
    """
    acting.require(Right.ACCESS)
    if not reason.strip():
        raise BadInput("access.no_font_reason")
    decided = _decide(acting, id, "decipher", reason.strip())
    _read_again(acting.product, decided.result)
    return decided


@audited("site.leave_fonts")
def leave_fonts(acting: Acting, id: str) -> Changed[Site]:
    """Decipher no fonts of a site any more. Raises `NotFound`."""
    acting.require(Right.ACCESS)
    return _decide(acting, id, "decipher", None)


def _set_cookies(acting: Acting, site: Site, cookies: Sequence[Cookie]) -> Line:
    before = acting.product.store.accesses.get(site.id).cookies
    keep_cookies(acting.product, site.id, cookies)
    return _line(site.id, map(_name, before), map(_name, cookies))


def _name(cookie: Cookie) -> str:
    return f"{cookie.name}@{cookie.domain}"


def _line(id: str, old: Iterable[str], new: Iterable[str]) -> Line:
    return Line(f"site:{id}", " ".join(old) or None, " ".join(new) or None)


def _decide(acting: Acting, id: str, what: str, reason: str | None) -> Changed[Site]:
    before = getattr(acting.product.store.sites.get(id), f"{what}_reason")
    decision = {
        f"{what}_reason": reason,
        f"{what}_by": acting.who if reason else None,
        f"{what}_at": acting.product.now() if reason else None,
    }
    site = acting.product.store.sites.change(id, decision)
    return changed(site, Line(f"site:{id}", before, reason))


def _read_again(product: Product, site: Site) -> None:
    """Give the pages of a site that are not what their readers see another reading."""
    told = product.store.problems.of_kind(ProblemKind(CRAWL, LOST, None), _MOST)
    ids = [page_id(problem.what) for problem in told if belongs(host_of(problem.what) or "", site.hosts)]
    for page in product.store.pages.many(ids).values():
        if page.site_id == site.id and product.store.pages.restart(page.id, Step.EXTRACT):
            product.store.problems.clear(CRAWL, page.url)
            product.enqueue(OwnerKind.PAGE, [page.id], Step.EXTRACT)


def _concerns(cookie: Cookie, site: Site) -> bool:
    domain = cookie.domain.lstrip(".").lower()
    return any(
        host == domain or host.endswith(f".{domain}") or (host.startswith("*.") and domain.endswith(host[1:]))
        for host in site.hosts
    )
