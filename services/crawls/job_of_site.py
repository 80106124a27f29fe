"""What a crawl of a site is asked to do, by the site, the settings, and what people gave for access to it."""

from functools import cache
from urllib.parse import urljoin

from crawler.crawl.job import CrawlJob, Render
from crawler.extract.pictures.character_recognition import can_read
from crawler.fetch.rendering.browser import find_browser
from pipeline.setting_sections import CoreSettings, CrawlerSettings
from services.archive_folder import folder_of
from store.errors import SetupError
from store.records import Access, Layout, Site

LISTED = frozenset((Layout.SITEMAP, Layout.FEED))  # what is not on the list is not followed


def job_for(site: Site, settings: CoreSettings, access: Access) -> CrawlJob:
    """What to fetch, and how."""
    rules = settings.crawler
    internal = site.internal or set(site.hosts) <= set(rules.host_map)
    return CrawlJob(
        start_urls=_starts(site),
        hosts=site.hosts,
        mirrors=site.mirrors,
        user_agent=rules.user_agent,
        contact=rules.contact,
        max_pages=site.max_pages,
        max_depth=0 if site.layout in LISTED else site.max_depth,
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
        render=_render(site, rules),
        browser=rules.browser,
        browser_seconds=rules.browser_seconds,
        pictures=rules.pictures if can_read() else 0,
        fonts=site.decipher_reason is not None,
        warc_dir=folder_of(settings),
        time_servers=tuple(settings.evidence.ntp),
        public_address=settings.evidence.public_address,
    )


def _render(site: Site, rules: CrawlerSettings) -> Render:
    if site.render:
        return Render.ALWAYS
    if rules.render_empty or site.render_learned_at is not None:
        return Render.EMPTY
    return Render.LEARN if rules.render_learn and site.learns_render and _has_browser(rules.browser) else Render.NEVER


@cache
def _has_browser(given: str | None) -> bool:
    try:
        find_browser(given)
    except SetupError:
        return False
    return True


def _starts(site: Site) -> tuple[str, ...]:
    """Of a whole host its robots.txt as well, which names its sitemaps."""
    if site.layout is not Layout.HOST:
        return site.start_urls
    return (*site.start_urls, *(urljoin(url, "/robots.txt") for url in site.start_urls))
