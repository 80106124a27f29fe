"""Set and read the access to a site: cookies, proxies, robots.txt, font deobfuscation and JavaScript rendering."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from crawler.addresses import host_of, is_host_among
from crawler.fetch.proxy_pool import parse_proxy
from crawler.site_access import Access, Cookie, mask_url_password, parse_cookies
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.kit.rights import Right
from wenhen.kit.sealed_secrets import Seal
from wenhen.kit.web import MASK
from wenhen.sites.model import UNREADABLE_CONTENT, Site
from wenhen.steps.problems import CRAWL, ProblemKind

# Secrets of a site are sealed in the store and opened only here.


def open_access(product: Product, site_id: str) -> Access:
    """Return the cookies and proxies of a site with their secrets opened.

    Raises `SetupError` if they were sealed with an unavailable key.
    """
    kept, seal = product.store.accesses.get(site_id), product.seal
    whose = _seal_owner(site_id)
    return replace(
        kept,
        cookies=tuple(replace(cooky, value=seal.open_sealed(cooky.value, whose)) for cooky in kept.cookies),
        proxies=tuple(_with_password(url, seal.open_sealed(_proxy_password(url), whose)) for url in kept.proxies),
    )


def store_cookies(product: Product, site_id: str, cookies: Sequence[Cookie]) -> None:
    """Seal and store the cookies of a site in place of the earlier ones."""
    product.store.accesses.set_cookies(site_id, reseal_cookies(product.seal, site_id, cookies), product.now())


def reseal_cookies(seal: Seal, site_id: str, cookies: Sequence[Cookie]) -> tuple[Cookie, ...]:
    """Return the cookies with each value sealed with the current key."""
    return tuple(replace(cooky, value=seal.reseal(cooky.value, _seal_owner(site_id))) for cooky in cookies)


def reseal_proxies(seal: Seal, site_id: str, urls: Sequence[str]) -> tuple[str, ...]:
    """Return the proxy URLs with each password sealed with the current key."""
    return tuple(_with_password(url, seal.reseal(_proxy_password(url), _seal_owner(site_id))) for url in urls)


def _seal_owner(site_id: str) -> str:
    return f"site:{site_id}"


def _proxy_password(url: str) -> str:
    return urlsplit(url if "://" in url else f"http://{url}").password or ""


def _with_password(url: str, password: str) -> str:
    """Return the URL with another password. A URL without a password is returned unchanged."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.password is None:
        return url
    login, _, place = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{login.partition(':')[0]}:{password}@{place}"))


# Crawls learn that the empty pages of a site need JavaScript rendering. Users can undo this.


CRAWL_ACTOR = "wenhen"  # actor name of a crawl in the audit log


def note_needs_browser(product: Product, id: str, url: str) -> Site:
    """Record that a page shows its text only in a browser, as a crawl found. Raises `NotFound`."""
    return learn_rendering(Acting(product, CRAWL_ACTOR, frozenset({Right.SITES})), id, url)


@audited("site.learn_rendering")
def learn_rendering(acting: Acting, id: str, url: str) -> ChangeResult[Site]:
    """Render the empty pages of a site from now on, unless users disabled this. Raises `NotFound`."""
    acting.require(Right.SITES)
    sites = acting.product.store.sites
    site = sites.get(id)
    if site.render or site.render_learned_at is not None or not site.learns_render:
        return change_result(site)
    learned = {"render_learned_at": acting.product.now(), "render_learned_from": url}
    return change_result(sites.change(id, learned), AuditLine(f"site:{id}", new=url))


@audited("site.unlearn_rendering")
def forget_rendering(acting: Acting, id: str) -> ChangeResult[Site]:
    """Stop rendering the empty pages of a site, and do not learn it again. Raises `NotFound`."""
    acting.require(Right.SITES)
    sites = acting.product.store.sites
    before = sites.get(id)
    left = {"learns_render": False, "render_learned_at": None, "render_learned_from": None}
    return change_result(sites.change(id, left), AuditLine(f"site:{id}", old=before.render_learned_from))


@audited("site.try_rendering")
def retry_rendering(acting: Acting, id: str) -> ChangeResult[Site]:
    """Allow crawls to learn again whether empty pages of a site need rendering. Raises `NotFound`."""
    acting.require(Right.SITES)
    return change_result(acting.product.store.sites.change(id, {"learns_render": True}), AuditLine(f"site:{id}"))


# Decisions of administrators about the access to a site. The audit log records the old and the new value, but only the
# names of cookies and the URLs of proxies without passwords.


_MAX_REREAD_PAGES = 10_000  # pages extracted again after one decision


@audited("site.session")
def set_session_cookies(acting: Acting, id: str, text: str) -> ChangeResult[tuple[Cookie, ...]]:
    """Store the cookies of a browser session in place of the earlier ones.

    text: a Netscape cookies.txt or the value of a Cookie header.

    Raises `NotFound`, and `BadInput` if `text` is neither or no cookie is for a host of the site.
    """
    acting.require(Right.ACCESS)
    site = acting.product.store.sites.get(id)
    cookies = parse_cookies(text, host_of(site.start_urls[0]) or "")
    own = tuple(cookie for cookie in cookies if _is_cookie_for_site(cookie, site))
    if not own:
        raise BadInput("access.not_its_cookies", count=len(cookies), hosts=", ".join(site.hosts))
    return change_result(own, _set_cookies(acting, site, own))


@audited("site.session")
def clear_session_cookies(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete the cookies of a site. Raises `NotFound`."""
    acting.require(Right.ACCESS)
    return change_result(None, _set_cookies(acting, acting.product.store.sites.get(id), ()))


@audited("site.proxies")
def set_proxies(acting: Acting, id: str, urls: Sequence[str]) -> ChangeResult[None]:
    """Fetch a site only through these proxies, or through those of the settings if there are none.

    A URL with a masked password, as it is displayed, keeps the known password. Raises `NotFound`, `BadInput`.
    """
    acting.require(Right.ACCESS)
    accesses = acting.product.store.accesses
    before = accesses.get(acting.product.store.sites.get(id).id).proxies
    known = {mask_url_password(url): url for url in before}
    proxies = tuple(dict.fromkeys(known.get(url, url) for url in urls))
    for url in proxies:
        proxy = parse_proxy(url)
        if MASK in url:
            raise BadInput("access.unknown_proxy", url=proxy.url)
    accesses.set_proxies(id, reseal_proxies(acting.product.seal, id, proxies), acting.product.now())
    return change_result(None, _access_line(id, map(mask_url_password, before), map(mask_url_password, proxies)))


@audited("site.ignore_robots")
def override_robots(acting: Acting, id: str, *, reason: str) -> ChangeResult[Site]:
    """Ignore the robots.txt of a site from now on. Raises `NotFound`, and `BadInput` without a reason."""
    acting.require(Right.ACCESS)
    if not reason.strip():
        raise BadInput("access.no_reason")
    return _set_decision(acting, id, "ignore_robots", reason.strip())


@audited("site.obey_robots")
def respect_robots(acting: Acting, id: str) -> ChangeResult[Site]:
    """Obey the robots.txt of a site again. Raises `NotFound`."""
    acting.require(Right.ACCESS)
    return _set_decision(acting, id, "ignore_robots", None)


@audited("site.decipher_fonts")
def enable_font_deciphering(acting: Acting, id: str, *, reason: str) -> ChangeResult[Site]:
    """Read the pages of a site as their fonts display them, including known pages.

    This may circumvent a technical protection measure, so it needs a reason. Raises `NotFound`, and `BadInput` without
    a reason.
    """
    acting.require(Right.ACCESS)
    if not reason.strip():
        raise BadInput("access.no_font_reason")
    decided = _set_decision(acting, id, "decipher", reason.strip())
    _reread_pages(acting.product, decided.result)
    return decided


@audited("site.leave_fonts")
def disable_font_deciphering(acting: Acting, id: str) -> ChangeResult[Site]:
    """Stop font deobfuscation for a site. Raises `NotFound`."""
    acting.require(Right.ACCESS)
    return _set_decision(acting, id, "decipher", None)


def _set_cookies(acting: Acting, site: Site, cookies: Sequence[Cookie]) -> AuditLine:
    before = acting.product.store.accesses.get(site.id).cookies
    store_cookies(acting.product, site.id, cookies)
    return _access_line(site.id, map(_cookie_name, before), map(_cookie_name, cookies))


def _cookie_name(cookie: Cookie) -> str:
    return f"{cookie.name}@{cookie.domain}"


def _access_line(id: str, old: Iterable[str], new: Iterable[str]) -> AuditLine:
    return AuditLine(f"site:{id}", " ".join(old) or None, " ".join(new) or None)


def _set_decision(acting: Acting, id: str, what: str, reason: str | None) -> ChangeResult[Site]:
    before = getattr(acting.product.store.sites.get(id), f"{what}_reason")
    decision = {
        f"{what}_reason": reason,
        f"{what}_by": acting.who if reason else None,
        f"{what}_at": acting.product.now() if reason else None,
    }
    site = acting.product.store.sites.change(id, decision)
    return change_result(site, AuditLine(f"site:{id}", before, reason))


def _reread_pages(product: Product, site: Site) -> None:
    """Extract the pages of a site again whose text was unreadable."""
    problems = product.store.problems.of_kind(ProblemKind(CRAWL, UNREADABLE_CONTENT, None), _MAX_REREAD_PAGES)
    ids = [page_id(problem.what) for problem in problems if is_host_among(host_of(problem.what) or "", site.hosts)]
    for page in product.store.pages.many(ids).values():
        if page.site_id == site.id and product.store.pages.restart(page.id, Step.EXTRACT):
            product.store.problems.clear(CRAWL, page.url)
            product.enqueue(OwnerKind.PAGE, [page.id], Step.EXTRACT)


def _is_cookie_for_site(cookie: Cookie, site: Site) -> bool:
    domain = cookie.domain.lstrip(".").lower()
    return any(
        host == domain or host.endswith(f".{domain}") or (host.startswith("*.") and domain.endswith(host[1:]))
        for host in site.hosts
    )
