"""Which websites are watched, and who may reprint what."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from crawler.crawl.hosts import ascii_host, readable_host
from pipeline.context import App
from pipeline.matching.licensed import mark_cases
from services.crawls.due import next_due
from services.sites.settings import host_of_start
from store.errors import BadInput, Conflict, NotFound
from store.records import Licence, Site


def watch(
    app: App,
    urls: Sequence[str],
    *,
    name: str | None = None,
    id: str | None = None,
    hosts: Sequence[str] = (),
    every: float = 24.0,
    max_pages: int = 1000,
    max_depth: int = 5,
    internal: bool = False,
    kind: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> Site:
    """Watch a site from these start addresses, every so many hours; its first crawl is due now, or with a schedule of
    fixed times at the next of them. `more` are further fields of the record.

    Raises `BadInput` for an address that cannot be crawled, `Conflict` for an id that is taken.
    """
    if not urls:
        raise BadInput("a site needs an address to start from")
    own_hosts = tuple(dict.fromkeys([*(host_of_start(url) for url in urls), *map(ascii_host, hosts)]))
    id = id or re.sub(r"[^\w.-]+", "-", own_hosts[0])
    if not re.fullmatch(r"[\w.-]{1,253}", id):
        raise BadInput(f"{id[:80]!r} is no id of a site: letters, figures, points and dashes stand in it")
    if _is_watched(app, id):
        raise Conflict(f"the site {id} is there already: remove it first, or give it another id")
    site = Site(
        id=id,
        name=name or readable_host(own_hosts[0]),
        start_urls=tuple(urls),
        hosts=own_hosts,
        interval_hours=every,
        max_pages=max_pages,
        max_depth=max_depth,
        added_at=app.now(),
        due=app.now() + timedelta(seconds=1),
        internal=internal,
        kind=kind,
        **(more or {}),
    )
    if site.cron:
        site = replace(site, due=next_due(site, app.now()))
    app.store.sites.put(site)
    return site


def _is_watched(app: App, id: str) -> bool:
    try:
        app.store.sites.get(id)
    except NotFound:
        return False
    return True


def license_reprints(
    app: App,
    licensee: str,
    url_prefix: str,
    *,
    work_id: str | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    attribution: str | None = None,
) -> Licence:
    """Allow the licensee to carry one work, or all, below the prefix (host, or host/path, without http://).

    attribution: what the page has to say of its source. Cases that were open before are marked as well.
    Raises `BadInput` for a prefix that is none or days in the wrong order, `NotFound` for a work that is not there.
    """
    licensee, url_prefix = licensee.strip(), url_prefix.strip()
    if not licensee or not url_prefix.strip("/"):
        raise BadInput("a licence needs a licensee, and the host, or host/path, that may carry the works")
    if valid_from and valid_until and valid_until <= valid_from:
        raise BadInput("the first day after a licence comes after its first day")
    if "://" in url_prefix:
        raise BadInput(f"{url_prefix}: leave out http:// and give the host, or host/path")
    if work_id:
        app.store.works.get(work_id)
    licence = Licence(
        id=hashlib.sha256(f"{licensee}\n{url_prefix}\n{work_id}".encode("utf-8", "surrogatepass")).hexdigest()[:12],
        licensee=licensee,
        url_prefix=url_prefix,
        work_id=work_id,
        valid_from=valid_from,
        valid_until=valid_until,
        attribution=attribution,
    )
    app.store.licences.put(licence)
    mark_cases(app, licence)
    return licence


def withdraw_licence(app: App, id: str) -> Licence:
    """End a licence: the cases that it marked are looked at anew. Raises `NotFound`."""
    licence = app.store.licences.get(id)
    app.store.licences.remove(id)
    mark_cases(app, licence)
    return licence
