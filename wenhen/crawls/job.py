"""Determine the site of a crawl, and create the job for its crawler."""

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import overload
from urllib.parse import urljoin, urlsplit

from crawler.addresses import host_and_port, host_of, is_host_among
from crawler.extraction.ocr import is_ocr_installed
from crawler.job import CrawlJob, RenderMode
from crawler.rendering.browser import find_browser
from crawler.site_access import Access
from crawler.warc.reader import WARC_SUFFIX
from wenhen.context.use_cases import Product
from wenhen.kit.errors import BadInput, NotFound, SetupError
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.kit.remote_files import AnyPath, RemotePath
from wenhen.settings.all_sections import CoreSettings
from wenhen.settings.crawling_and_search import CrawlerSettings
from wenhen.sites.model import Layout, Site

# The folder with the WARC files of this machine.


ARCHIVE_OFF = "off"


def warc_folder(settings: CoreSettings) -> Path | None:
    """Return the folder in which crawls of this machine write WARC files, or None if archiving is off."""
    named = settings.crawler.warc
    if named == ARCHIVE_OFF:
        return None
    return Path(named).absolute() if named else settings.data.absolute() / "warc"


def spider_folder(settings: CoreSettings) -> Path:
    """Return the folder with spiders of the user's own."""
    return Path(settings.crawler.spiders or settings.data / "spiders").absolute()


def warc_store(settings: CoreSettings) -> RemotePath | None:
    """Return the folder at a URL to which closed WARC files move, or None."""
    return RemotePath(settings.crawler.warc_store.rstrip("/")) if settings.crawler.warc_store else None


def warc_folders(settings: CoreSettings) -> list[AnyPath]:
    """Return where WARC files are, that of this machine first."""
    return [folder for folder in (warc_folder(settings), warc_store(settings)) if folder is not None]


@overload
def warc_files_in(folder: Path) -> list[Path]: ...


@overload
def warc_files_in(folder: RemotePath) -> list[RemotePath]: ...


def warc_files_in(folder: AnyPath) -> Sequence[AnyPath]:
    """Return the WARC files in a folder, sorted by name."""
    if isinstance(folder, RemotePath):
        return [path for path in folder.iterdir() if path.name.endswith(WARC_SUFFIX)]
    return sorted(path for path in folder.glob(f"*{WARC_SUFFIX}") if path.is_file())


# A URL that belongs to no watched site is crawled as a temporary site with these limits.


AD_HOC_PAGES = 200
AD_HOC_DEPTH = 3


def make_ad_hoc_site(url: str, host: str, now: datetime) -> Site:
    """Return a temporary site that is not stored."""
    return Site(
        id=url,
        name=url,
        start_urls=(url,),
        hosts=(host,),
        interval_hours=24,
        max_pages=AD_HOC_PAGES,
        max_depth=AD_HOC_DEPTH,
        added_at=now,
        due=now,
    )


PAGES_PER_DISCOVERY = 20  # a URL may be the first page of a multi-page text


def make_batch_site(product: Product, subject: Subject) -> Site:
    """Return a temporary site with the URLs of a discovery batch. Only next pages of a text are followed.

    Raises `NotFound`.
    """
    discoveries = product.store.discoveries.of_batch(subject.id)
    hosts = {discovery.url: urlsplit(discovery.url).hostname for discovery in discoveries}
    urls = tuple(url for url, host in hosts.items() if host)
    if not urls:
        raise NotFound("discover.no_batch", batch=subject)
    return Site(
        id=str(subject),
        name=str(subject),
        start_urls=urls,
        hosts=tuple(dict.fromkeys(host for host in hosts.values() if host)),
        interval_hours=24,
        max_pages=PAGES_PER_DISCOVERY * len(urls),
        max_depth=0,
        added_at=product.now(),
        due=product.now(),
    )


# The site of a crawl is a watched or a temporary one.


def find_crawled_site(product: Product, subject: Subject, addresses: Sequence[str] = ()) -> Site:
    """Return the site to crawl for a subject.

    For a site id, this is the watched site. For a URL, it is the watched site with this start URL, or a temporary site.
    For a discovery batch, it is a temporary site. For a list, it is the site of its first address, from which only
    these addresses and the next pages of their texts are fetched.

    Raises `NotFound`, `BadInput`.
    """
    match subject.kind:
        case SubjectKind.BATCH:
            return make_batch_site(product, subject)
        case SubjectKind.ADDRESS:
            return site_of_url(product, subject.id)
        case SubjectKind.LIST:
            return _site_of_list(product, subject, addresses)
        case _:
            return product.store.sites.get(subject.id)


def site_of_url(product: Product, url: str) -> Site:
    """Return the watched site that contains a URL, with this start URL, or else a temporary site.

    Raises `BadInput`.
    """
    host = host_of(url)
    if not host:
        raise BadInput("crawls.no_host", url=url)
    for site in product.store.sites.all():
        elsewhere = site.internal and host_and_port(url) not in map(host_and_port, site.start_urls)
        if is_host_among(host, site.hosts) and not elsewhere:  # another port of an internal host is another server
            return dataclasses.replace(site, start_urls=(url,), spider=None)  # just this address is wanted
    return make_ad_hoc_site(url, host, product.now())


LISTED_LAYOUTS = frozenset((Layout.SITEMAP, Layout.FEED))  # only URLs in the list are fetched


def _site_of_list(product: Product, subject: Subject, addresses: Sequence[str]) -> Site:
    if not addresses:
        raise NotFound("discover.no_batch", batch=subject)
    site = site_of_url(product, addresses[0])
    hosts = dict.fromkeys(host for url in addresses if (host := host_of(url)))
    return dataclasses.replace(
        site,
        id=str(subject) if site.id == addresses[0] else site.id,  # else it is a watched site
        start_urls=tuple(addresses),
        hosts=tuple(dict.fromkeys((*site.hosts, *hosts))),
        layout=Layout.NEWS,
        include=(),  # somebody asked for just these addresses
        exclude=(),
        max_pages=PAGES_PER_DISCOVERY * len(addresses),
        max_depth=0,
    )


def make_crawl_job(site: Site, settings: CoreSettings, access: Access) -> CrawlJob:
    """Return the crawl job of a site."""
    rules = settings.crawler
    internal = site.internal or set(site.hosts) <= set(rules.host_map)
    return CrawlJob(
        start_urls=_start_urls(site),
        hosts=site.hosts,
        mirrors=site.mirrors,
        user_agent=rules.user_agent,
        contact=rules.contact,
        max_pages=site.max_pages,
        max_depth=0 if site.layout in LISTED_LAYOUTS and not site.spider else site.max_depth,
        include=site.include,
        exclude=site.exclude,
        internal=internal,
        host_map=rules.host_map if internal else {},
        delay=(rules.internal_delay if internal else rules.delay) if site.delay is None else site.delay,
        concurrency=site.concurrency or rules.concurrency,
        timeout=rules.timeout,
        retries=rules.retries,
        backoff=rules.backoff,
        max_body_bytes=rules.max_body_mb * 2**20,
        obey_robots=rules.obey_robots and site.ignore_robots_reason is None,
        header_profile=site.header_profile,
        cookies=access.cookies,
        proxies=access.proxies or tuple(rules.proxies),
        render=_render_mode(site, rules),
        browser=rules.browser,
        browser_seconds=rules.browser_seconds,
        pictures=rules.pictures if is_ocr_installed() else 0,
        fonts=site.decipher_reason is not None,
        spider=site.spider,
        spider_dir=spider_folder(settings) if site.spider else None,
        warc_dir=warc_folder(settings),
        time_servers=tuple(settings.evidence.ntp),
        public_address=settings.evidence.public_address,
    )


def _render_mode(site: Site, rules: CrawlerSettings) -> RenderMode:
    if site.render:
        return RenderMode.ALWAYS
    if rules.render_empty or site.render_learned_at is not None:
        return RenderMode.EMPTY
    return (
        RenderMode.LEARN
        if rules.render_learn and site.learns_render and _has_browser(rules.browser)
        else RenderMode.NEVER
    )


@cache
def _has_browser(path: str | None) -> bool:
    try:
        find_browser(path)
    except SetupError:
        return False
    return True


def _start_urls(site: Site) -> tuple[str, ...]:
    """Return the start URLs, and for the layout HOST also robots.txt, which lists sitemaps."""
    if site.layout is not Layout.HOST or site.spider:
        return site.start_urls
    return (*site.start_urls, *(urljoin(url, "/robots.txt") for url in site.start_urls))
