"""Add, edit, pause and resume watched sites, and suggest settings from a URL."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from crawler.addresses import ascii_host, complete_address, host_and_port, is_host_among, readable_host
from crawler.private_addresses import is_public_address
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Context, Product, audited, change_result
from wenhen.kit.errors import BadInput, Conflict, FetchRefused, NotFound
from wenhen.kit.rights import Right
from wenhen.sites.model import Layout, Site, same_site_hosts
from wenhen.sites.schedule import next_due
from wenhen.sites.site_settings import SETTING_DEFAULTS, parse_settings, start_url_host


def declare_mirrors(context: Context, site_id: str, hosts: Sequence[str]) -> Site:
    """Declare hosts as mirrors of the first host of a site. Pages are fetched only at the first host.

    Raises `NotFound`, and `BadInput` for an invalid host name.
    """
    site = context.store.sites.get(site_id)
    for host in hosts:
        if not host or any(sign in host for sign in "/:@* "):
            raise BadInput("sites.host_name", host=repr(host))
    mirrors = tuple(dict.fromkeys(host.lower() for host in hosts if host.lower() != site.hosts[0]))
    for host in set(site.mirrors) - set(mirrors):
        context.store.mirrors.part(host)
    for host in mirrors:
        context.store.mirrors.join(host, site.hosts[0], pages=0, moment=context.now())
    return context.store.sites.change(site_id, {"mirrors": mirrors})


MAX_NAME_CHARACTERS = 100  # of a suggested name
MAX_LISTS = 20


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The lists of a site and a suggested layout: by sitemaps, else by feeds, else by links."""

    url: str
    name: str
    sitemaps: tuple[str, ...]
    feeds: tuple[str, ...]
    pages: int  # number of pages in the sitemaps and feeds

    @property
    def layout(self) -> Layout:
        """Return the suggested layout."""
        return Layout.SITEMAP if self.sitemaps else Layout.FEED if self.feeds else Layout.NEWS

    @property
    def start_urls(self) -> tuple[str, ...]:
        """Return the suggested start URLs."""
        return {Layout.SITEMAP: self.sitemaps, Layout.FEED: self.feeds}.get(self.layout, (self.url,))

    def setting_values(self) -> Mapping[str, str]:
        """Return the suggested settings in the format of `wenhen.sites.site_settings`."""
        return {"urls": " ".join(self.start_urls), "name": self.name, "layout": str(self.layout)}


def survey_site(acting: Acting, url: str, *, internal: bool = False) -> Suggestion:
    """Fetch a URL, robots.txt, sitemaps and feeds by the crawler's rules in a separate process.

    A URL without a scheme is completed. An internal one is refused at once if its host alone says so.

    Raises `BadInput`, `FetchRefused` with the reason, `Unavailable`, and `Forbidden` for an internal site without the
    right `ACCESS`.
    """
    acting.require(Right.SITES)
    if internal:
        acting.require(Right.ACCESS)
    url = complete_address(url) or url
    host = start_url_host(url)
    if not internal and _is_internal_url(url):
        raise BadInput("sites.internal", url=url)
    survey = acting.product.survey(url, internal)
    if survey.problem and not survey.sitemaps and not survey.feeds:
        raise FetchRefused("crawls.of_address", url=url, reason=survey.problem)
    sitemaps, feeds = tuple(survey.sitemaps[:MAX_LISTS]), tuple(survey.feeds[:MAX_LISTS])
    return Suggestion(url, survey.title[:MAX_NAME_CHARACTERS] or host, sitemaps, feeds, survey.pages)


# Watched sites: add, change, pause and resume one or several.


_SITE_ID: Final = re.compile(r"[\w.-]{1,253}")
_FIRST_CRAWL_DELAY: Final = timedelta(seconds=1)  # after the site is added


@audited("site.add")
def add_site(acting: Acting, written: Mapping[str, str], *, id: str | None = None) -> ChangeResult[Site]:
    """Add a watched site. Its first crawl is due now, or with a cron schedule at the next time.

    written: setting texts by the names in `SETTINGS`. Empty ones get their default.
    id: by default the first host.

    Raises `BadInput`, `Conflict` if the id is in use, and `Forbidden` for an internal site, or one with a spider of the
    user's own, without the right `ACCESS`.
    """
    acting.require(Right.SITES)
    store = acting.product.store.sites
    values = parse_settings(
        {"urls": "", **SETTING_DEFAULTS, **{name: text for name, text in written.items() if text.strip()}}
    )
    if values.get("internal") or values.get("spider"):
        acting.require(Right.ACCESS)
    if not values.get("internal") and (inside := next(filter(_is_internal_url, values["start_urls"]), None)):
        raise BadInput("sites.internal", url=inside)
    mirrors = values.pop("mirrors", ())
    site = _make_site(values, id, acting.product.now())
    try:
        store.add(site)
    except Conflict as error:
        raise Conflict("sites.taken", id=site.id) from error
    if mirrors:
        site = declare_mirrors(acting.product, site.id, mirrors)
    return change_result(site, AuditLine(f"site:{site.id}", new=" ".join(site.start_urls)))


@audited("site.edit")
def edit_site(acting: Acting, id: str, written: Mapping[str, str]) -> ChangeResult[Site]:
    """Change a site. A running crawl adopts the changes.

    Raises `NotFound`, `BadInput`, and `Forbidden` if the change widens access and the right `ACCESS` is missing.
    """
    acting.require(Right.SITES)
    before = acting.product.store.sites.get(id)
    values = parse_settings(written)
    if "start_urls" in values or "hosts" in values:
        values["hosts"] = _merge_hosts(values.get("start_urls", before.start_urls), values.get("hosts", before.hosts))
    if _is_access_widened(before, values):
        acting.require(Right.ACCESS)
    site = _change_site(acting.product, before, values)
    return change_result(site, AuditLine(f"site:{id}", before, site))


def edit_sites(acting: Acting, ids: Iterable[str], written: Mapping[str, str]) -> Sequence[Site]:
    """Change several sites alike, and return those that still exist. Raises `BadInput` before any change."""
    done = []
    for id in ids:
        with suppress(NotFound):
            done.append(edit_site(acting, id, written))
    return done


@audited("site.pause")
def pause_site(acting: Acting, id: str) -> ChangeResult[Site]:
    """Pause the scheduled crawls of a site. Raises `NotFound`."""
    acting.require(Right.SITES)
    return change_result(acting.product.store.sites.change(id, {"paused": True}), AuditLine(f"site:{id}"))


@audited("site.resume")
def resume_site(acting: Acting, id: str) -> ChangeResult[Site]:
    """Resume the scheduled crawls of a site. Raises `NotFound`.

    A site with an interval is crawled at once if it is overdue, a site with a cron schedule at the next time.
    """
    acting.require(Right.SITES)
    store, now = acting.product.store.sites, acting.product.now()
    site = store.get(id)
    moved: dict[str, Any] = {"due": next_due(site, now)} if site.cron and site.due <= now else {}
    return change_result(store.change(id, {"paused": False} | moved), AuditLine(f"site:{id}"))


def find_watched_sites(product: Product, tag: str | None = None) -> list[Site]:
    """Return all sites, or those with a tag."""
    return [site for site in product.store.sites.all() if not tag or tag in site.tags]


MAX_SUGGESTED_SITES: Final = 12


def suggest_sites(product: Product, typed: str) -> list[Site]:
    """Return watched sites whose name, id or a host contains the typed text, those that begin with it first."""
    typed = typed.strip().casefold()
    if not typed:
        return []
    named = [
        (site, [site.name.casefold(), site.id, *site.hosts, *map(readable_host, site.hosts)])
        for site in product.store.sites.all()
    ]
    fitting = [(site, words) for site, words in named if any(typed in word for word in words)]
    fitting.sort(key=lambda row: not any(word.startswith(typed) for word in row[1]))
    return [site for site, _ in fitting[:MAX_SUGGESTED_SITES]]


def find_named_host(product: Product, reference: str) -> str:
    """Return the host that is named by itself, by an address on it, or by the name of its watched site.

    A site of several hosts is named by its first.
    """
    reference = reference.strip()
    for site in product.store.sites.all():
        if reference.casefold() in (site.name.casefold(), site.id) and site.hosts:
            return site.hosts[0]
    with suppress(ValueError):
        if "/" in reference and (host := urlsplit(reference if "://" in reference else f"//{reference}").hostname):
            return ascii_host(host)
    return ascii_host(reference)


def is_known_host(product: Product, host: str) -> bool:
    """Return whether a host is watched, mirrors one that is, or has stored pages."""
    store = product.store
    hosts = same_site_hosts(host, store.mirrors.mains())
    return any(is_host_among(host, site.hosts) for site in store.sites.all()) or any(
        store.pages.of_host(known, 1) for known in hosts
    )


def choose_site_ids(product: Product, ids: Sequence[str], tag: str | None) -> list[str]:
    """Return the given ids and those of sites with the tag, without duplicates. Raises `BadInput` if there are none."""
    ids_found = [*ids, *(site.id for site in find_watched_sites(product, tag) if tag)]
    if not ids_found:
        raise BadInput("sites.no_tag", tag=tag) if tag else BadInput("sites.none_named")
    return list(dict.fromkeys(ids_found))


def _make_site(values: dict[str, Any], id: str | None, now: datetime) -> Site:
    hosts = _merge_hosts(values["start_urls"], values.pop("hosts", ()))
    name = values.pop("name", "") or readable_host(hosts[0])
    id = id or re.sub(r"[^\w.-]+", "-", hosts[0])
    if not _SITE_ID.fullmatch(id):
        raise BadInput("sites.bad_id", id=id[:80])
    site = Site(id=id, name=name, hosts=hosts, added_at=now, due=now + _FIRST_CRAWL_DELAY, **values)
    return replace(site, due=next_due(site, now)) if site.cron else site


def _is_internal_url(url: str) -> bool:
    """Return whether a URL is internal by its host alone, without a DNS query."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not is_public_address(host)
    except ValueError:  # a host name
        return False


def _change_site(product: Product, before: Site, values: dict[str, Any]) -> Site:
    if "name" in values:
        values["name"] = values["name"] or readable_host(before.hosts[0])
    mirrors = values.pop("mirrors", before.mirrors)
    site = replace(before, **values)
    if (site.cron, site.interval_hours) != (before.cron, before.interval_hours):
        values["due"] = next_due(replace(site, due=product.now()), product.now())
    site = product.store.sites.change(before.id, values) if values else before
    return declare_mirrors(product, before.id, mirrors) if mirrors != before.mirrors else site


def _is_access_widened(before: Site, values: Mapping[str, Any]) -> bool:
    """Return whether a change widens access in a way that an administrator must allow.

    This is so if the site gets a spider of the user's own, which is foreign code, or becomes internal, or if an
    internal site starts at another port, where another server may run. It is also so if an internal site, or one with
    overridden robots.txt, gets further hosts, because the decision was made for the earlier hosts.
    """
    if values.get("internal") and not before.internal:
        return True
    if values.get("spider") not in (None, before.spider):
        return True
    starts = map(host_and_port, values.get("start_urls", ()))
    if before.internal and set(starts).difference(map(host_and_port, before.start_urls)):
        return True
    further = set(values.get("hosts", ())).difference(before.hosts)
    return bool(further) and (before.internal or before.ignore_robots_reason is not None)


def _merge_hosts(start_urls: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*map(start_url_host, start_urls), *others)))
