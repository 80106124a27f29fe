"""The websites that are watched: added, changed, paused, removed; one at a time or several alike."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from crawler.crawl.host_names import place_of, readable_host
from crawler.fetch.public_address import is_public
from pipeline.pages.learning_mirrors import declare_mirrors
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.crawls.runs import stop
from services.crawls.steered_by_people import crawl
from services.crawls.when_due import next_due
from services.sites.site_settings import DEFAULTS, host_of_start, read
from store.errors import BadInput, Conflict, NotFound
from store.records import RunKind, Site, Subject, SubjectKind
from store.rules.role_rights import Right

_ID: Final = re.compile(r"[\w.-]{1,253}")
_FIRST_CRAWL: Final = timedelta(seconds=1)  # after it was added


@audited("site.add")
def add(acting: Acting, written: Mapping[str, str], *, id: str | None = None) -> Changed[Site]:
    """Watch one more site; its first crawl is due now, or with a schedule of fixed times at the next of them.

    written: by the names of `SETTINGS`; what is empty has its default. id: without one, the first host. Raises
    `BadInput`, `Conflict` for an id that is taken; `Forbidden` for an internal site without the right to these.
    """
    acting.require(Right.SITES)
    store = acting.product.store.sites
    values = read({"urls": "", **DEFAULTS, **{name: text for name, text in written.items() if text.strip()}})
    if values.get("internal"):
        acting.require(Right.ACCESS)
    elif inside := next((url for url in values["start_urls"] if _is_internal(url)), None):
        raise BadInput("sites.internal", url=inside)
    mirrors = values.pop("mirrors", ())
    site = _site_of(values, id, acting.product.now())
    try:
        store.add(site)
    except Conflict as error:
        raise Conflict("sites.taken", id=site.id) from error
    if mirrors:
        site = declare_mirrors(acting.product, site.id, mirrors)
    return changed(site, Line(f"site:{site.id}", new=" ".join(site.start_urls)))


@audited("site.edit")
def edit(acting: Acting, id: str, written: Mapping[str, str]) -> Changed[Site]:
    """Change a site, also while it is crawled: the next run goes by it. Raises `NotFound`, `BadInput`; `Forbidden` for
    what opens a way that an administrator has to open.
    """
    acting.require(Right.SITES)
    before = acting.product.store.sites.get(id)
    values = read(written)
    if "start_urls" in values or "hosts" in values:
        values["hosts"] = _hosts(values.get("start_urls", before.start_urls), values.get("hosts", before.hosts))
    if _opens_a_way(before, values):
        acting.require(Right.ACCESS)
    site = _change(acting.product, before, values)
    return changed(site, Line(f"site:{id}", before, site))


def edit_each(acting: Acting, ids: Iterable[str], written: Mapping[str, str]) -> Sequence[Site]:
    """Change several sites alike; those that are still there. Raises `BadInput`, and then none is changed."""
    done = []
    for id in ids:
        with suppress(NotFound):
            done.append(edit(acting, id, written))
    return done


@audited("site.pause")
def pause(acting: Acting, id: str) -> Changed[Site]:
    """Crawl a site no longer when it is due. Raises `NotFound`."""
    acting.require(Right.SITES)
    return changed(acting.product.store.sites.change(id, {"paused": True}), Line(f"site:{id}"))


@audited("site.resume")
def resume(acting: Acting, id: str) -> Changed[Site]:
    """Crawl a paused site again: one with an interval at once if its time has passed, one with fixed times at the next.

    Raises `NotFound`.
    """
    acting.require(Right.SITES)
    store, now = acting.product.store.sites, acting.product.now()
    site = store.get(id)
    moved: dict[str, Any] = {"due": next_due(site, now)} if site.cron and site.due <= now else {}
    return changed(store.change(id, {"paused": False} | moved), Line(f"site:{id}"))


@audited("site.remove")
def remove(acting: Acting, id: str) -> Changed[Site]:
    """Watch a site no longer, end its crawl, and forget how it was reached; its pages and cases stay. Gives what it
    was. Raises `NotFound`.
    """
    acting.require(Right.SITES)
    product = acting.product
    site = product.store.sites.get(id)
    product.store.sites.remove(id)
    product.store.accesses.remove(id)
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.subject == Subject(SubjectKind.SITE, id):
            with suppress(Conflict):  # it has ended meanwhile
                stop(product, run.id)
    return changed(site, Line(f"site:{id}", old=" ".join(site.start_urls)))


_OF_EACH: Final[Mapping[str, Callable[[Acting, str], object]]] = {
    "pause": pause,
    "resume": resume,
    "crawl": lambda acting, id: crawl(acting, Subject(SubjectKind.SITE, id)),
    "remove": remove,
}


def for_each(acting: Acting, ids: Iterable[str], what: str) -> Sequence[Site]:
    """Pause, resume, crawl or remove several sites; those for which it was done. Others are gone, or being crawled."""
    done = []
    for id in ids:
        with suppress(NotFound, Conflict):
            site = acting.product.store.sites.get(id)
            _OF_EACH[what](acting, id)
            done.append(site)
    return done


def watched(product: Product, tag: str | None = None) -> list[Site]:
    """All sites, or those with a tag."""
    return [site for site in product.store.sites.all() if not tag or tag in site.tags]


def chosen(product: Product, ids: Sequence[str], tag: str | None) -> list[str]:
    """The ids that are given, and those of the sites with the tag. Raises `BadInput` when that is none."""
    found = [*ids, *(site.id for site in watched(product, tag) if tag)]
    if not found:
        raise BadInput("sites.no_tag", tag=tag) if tag else BadInput("sites.none_named")
    return list(dict.fromkeys(found))


def _site_of(values: dict[str, Any], id: str | None, now: datetime) -> Site:
    hosts = _hosts(values["start_urls"], values.pop("hosts", ()))
    name = values.pop("name", "") or readable_host(hosts[0])
    id = id or re.sub(r"[^\w.-]+", "-", hosts[0])
    if not _ID.fullmatch(id):
        raise BadInput("sites.bad_id", id=id[:80])
    site = Site(id=id, name=name, hosts=hosts, added_at=now, due=now + _FIRST_CRAWL, **values)
    return replace(site, due=next_due(site, now)) if site.cron else site


def _is_internal(url: str) -> bool:
    """Whether an address says itself that it is none of the public internet: nothing is asked for its name."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not is_public(host)
    except ValueError:  # a name
        return False


def _change(product: Product, before: Site, values: dict[str, Any]) -> Site:
    if "name" in values:
        values["name"] = values["name"] or readable_host(before.hosts[0])
    mirrors = values.pop("mirrors", before.mirrors)
    site = replace(before, **values)
    if (site.cron, site.interval_hours) != (before.cron, before.interval_hours):
        values["due"] = next_due(replace(site, due=product.now()), product.now())
    site = product.store.sites.change(before.id, values) if values else before
    return declare_mirrors(product, before.id, mirrors) if mirrors != before.mirrors else site


def _opens_a_way(before: Site, values: Mapping[str, Any]) -> bool:
    """Whether the site becomes internal, or starts at another port of an internal host, where another server may be;
    or gets further hosts, and is internal or its robots.txt is overridden: both were decided for the hosts that it had.
    """
    if values.get("internal") and not before.internal:
        return True
    starts = map(place_of, values.get("start_urls", ()))
    if before.internal and set(starts).difference(map(place_of, before.start_urls)):
        return True
    further = set(values.get("hosts", ())).difference(before.hosts)
    return bool(further) and (before.internal or before.ignore_robots_reason is not None)


def _hosts(start_urls: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*map(host_of_start, start_urls), *others)))
