"""Gather the dossier of a site, and summarize how all sites stand.

A dossier has the operator, the servers, the copied works, and how the site answered. It is gathered when it is
asked for: from a few of the stored pages, and from the site's cases.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from crawler.addresses import canonical_url
from crawler.extraction.documents.file_kinds import detect_response_kind
from crawler.extraction.model import ContactKind, SiteContact
from crawler.extraction.sandbox_calls import read_imprint
from crawler.skip_reasons import INTENDED_REASONS, SkipReason
from wenhen.analysis.model import HostTrend, MoneyFigure, SiteTaking
from wenhen.cases.model import Case, CaseOrder
from wenhen.cases.rules import last_notice_time
from wenhen.context.use_cases import Product
from wenhen.crawls.model import Run, RunState
from wenhen.crawls.service import NO_PAGE_MESSAGE
from wenhen.kit.errors import Message, NotFound, Unreadable
from wenhen.kit.progress import page_id
from wenhen.pages.model import Page
from wenhen.sites.model import Registration, Site, same_site_hosts
from wenhen.sites.registrations import find_registrations
from wenhen.steps.problems import CRAWL

MAX_READ_PAGES: Final = 12  # pages; who runs a site stands in the foot of each
MAX_SOUGHT_PAGES: Final = 60  # pages of a host among which those about the site are looked for
MAX_HOSTS: Final = 10  # of which pages are read
MAX_WORKS: Final = 10  # that are named
_ABOUT_WORDS: Final = ("about", "contact", "copyright", "guanyu", "lianxi", "legal", "imprint")


@dataclass(frozen=True, slots=True)
class Stated:
    """What pages of the site say of it; url: the first of them that was read, as it was fetched then."""

    kind: ContactKind
    value: str
    pages: int
    url: str
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class SiteServer:
    """An address that pages of the site came from."""

    address: str
    pages: int
    last_seen: datetime


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of the law, and how far the site is from it. source: where it stands, and since when."""

    found: int
    named: int
    source: str

    @property
    def share(self) -> float:
        """Of the number."""
        return self.found / self.named


# Repeat infringement: copies found after the first notice, or back after their removal.


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatOffences:
    """Numbers of repeat infringements.

    after_notice: copies found after the first notice.
    returned: copies that are back after their removal.
    """

    after_notice: int
    returned: int

    @property
    def repeats(self) -> bool:
        """Return whether there are any."""
        return self.after_notice + self.returned > 0


def count_repeat_offences(product: Product, hosts: Sequence[str], first_notice: datetime | None) -> RepeatOffences:
    """Count the repeat infringements on these hosts."""
    cases = product.store.cases
    return RepeatOffences(
        after_notice=cases.count(hosts=hosts, copies=True, since=first_notice) if first_notice else 0,
        returned=cases.count(hosts=hosts, returned=True),
    )


_MAX_SEARCHED_CASES: Final = 50  # oldest confirmed cases searched for the first notice


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRecord(RepeatOffences):
    """Statistics of all cases of a site."""

    hosts: tuple[str, ...]
    copies: int
    confirmed: int


def load_site_record(product: Product, case: Case) -> SiteRecord:
    """Load the record of the site of a case's page."""
    cases, hosts = product.store.cases, same_site_hosts(case.page_host, product.store.mirrors.mains())
    oldest = cases.find(hosts=hosts, confirmed=True, order=CaseOrder.OLDEST, limit=_MAX_SEARCHED_CASES)
    first = min((noticed_at for case in oldest if (noticed_at := last_notice_time(case)) is not None), default=None)
    offences = count_repeat_offences(product, hosts, first)
    return SiteRecord(
        hosts=hosts,
        copies=cases.count(hosts=hosts, copies=True),
        confirmed=cases.count(hosts=hosts, confirmed=True),
        after_notice=offences.after_notice,
        returned=offences.returned,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier(RepeatOffences):
    """All of it. `pay`, `confirmed_pay`: yuan; of all copies, and of those that a person has confirmed."""

    site_id: str
    name: str
    hosts: tuple[str, ...]
    mirrors: tuple[str, ...]  # hosts that carry the same site, and are not watched as it
    pages_read: int
    stated: tuple[Stated, ...]
    registrations: tuple[Registration, ...]  # of its domains, the last answer first
    servers: tuple[SiteServer, ...]
    taken: SiteTaking
    library: int  # works that there are
    rate: float  # yuan for 1,000 characters
    rate_source: str
    criminal_works: Measured  # confirmed works
    money: tuple[MoneyFigure, ...]  # amounts of the site's cases, by currency

    @property
    def pay(self) -> float:
        """For all copies."""
        return self.taken.characters * self.rate / 1_000

    @property
    def confirmed_pay(self) -> float:
        """For the confirmed copies."""
        return self.taken.confirmed_characters * self.rate / 1_000


def make_dossier(product: Product, site_id: str) -> Dossier:
    """What is known of a watched site. Raises `NotFound`."""
    store, settings = product.store, product.settings.dossier
    site = store.sites.get(site_id)
    pages = _dossier_pages(product, site)
    read, stated = _stated_contacts(product, pages)
    taken = store.figures.site_taking(site.hosts)
    offences = count_repeat_offences(product, site.hosts, taken.first_notice)
    return Dossier(
        site_id=site.id,
        name=site.name,
        hosts=site.hosts,
        mirrors=_mirror_hosts(product, site),
        pages_read=read,
        stated=stated,
        registrations=tuple(find_registrations(product, site.hosts)),
        servers=_site_servers(pages),
        taken=taken,
        library=store.works.count(),
        rate=settings.rate,
        rate_source=settings.rate_source,
        criminal_works=Measured(taken.confirmed_works, settings.criminal_works, settings.criminal_source),
        money=tuple(store.figures.money_of_hosts(site.hosts)),
        after_notice=offences.after_notice,
        returned=offences.returned,
    )


def _mirror_hosts(product: Product, site: Site) -> tuple[str, ...]:
    mains = product.store.mirrors.mains()
    same = {host for own_host in site.hosts[:MAX_HOSTS] for host in same_site_hosts(own_host, mains)}
    return tuple(sorted(same - set(site.hosts)))


def _dossier_pages(product: Product, site: Site) -> list[Page]:
    """Pages of the site: where it begins, those about it, then any."""
    hosts = site.hosts[:MAX_HOSTS]
    fronts = [f"{scheme}://{host}/" for host in hosts for scheme in ("https", "http")]
    begins = [page_id(canonical_url(url)) for url in (*fronts, *site.start_urls)]
    known = product.store.pages.many(begins)
    others = [page for host in hosts for page in product.store.pages.of_host(host, MAX_SOUGHT_PAGES)]
    pages = [known[id] for id in begins if id in known] + sorted(others, key=lambda page: not _is_about_page(page))
    return list({page.id: page for page in pages if page.host in site.hosts}.values())


def _is_about_page(page: Page) -> bool:
    path = urlsplit(page.url).path.lower()
    return any(word in path for word in _ABOUT_WORDS)


def _stated_contacts(product: Product, pages: Sequence[Page]) -> tuple[int, tuple[Stated, ...]]:
    """How many pages were read, and what they say by kind, what most of them say first."""
    pages_by_contact: dict[SiteContact, list[Page]] = {}
    stated = [
        (page, contacts) for page in pages[:MAX_READ_PAGES] if (contacts := _page_contacts(product, page)) is not None
    ]
    for page, contacts in stated:
        for contact in contacts:
            pages_by_contact.setdefault(contact, []).append(page)
    kinds = list(ContactKind)
    ordered = sorted(pages_by_contact.items(), key=lambda item: (kinds.index(item[0].kind), -len(item[1])))
    return len(stated), tuple(
        Stated(
            contact.kind,
            contact.value,
            len(contact_pages),
            contact_pages[0].capture.url,
            contact_pages[0].capture.fetched_at,
        )
        for contact, contact_pages in ordered
    )


def _page_contacts(product: Product, page: Page) -> Iterable[SiteContact] | None:
    """None of a page that is lost, or is no web page."""
    capture = page.capture
    try:
        body = product.store.blobs.get(capture.read_digest)
        if capture.rendered_digest is None and detect_response_kind(body, capture.headers, capture.url) is not None:
            return None
        return read_imprint(body, capture.read_headers)
    except (NotFound, Unreadable):
        return None


def _site_servers(pages: Iterable[Page]) -> tuple[SiteServer, ...]:
    """The one that most pages came from first."""
    seen: dict[str, list[datetime]] = {}
    for page in pages:
        if page.capture.server_address:
            seen.setdefault(page.capture.server_address, []).append(page.capture.fetched_at)
    servers = [SiteServer(address, len(times), max(times)) for address, times in seen.items()]
    return tuple(sorted(servers, key=lambda server: (-server.pages, server.address)))


TREND_WEEKS: Final = 8  # of a trend
_MISSED_PREFIXES: Final = ("refused_", "failed_")


@dataclass(frozen=True, slots=True)
class NoPageReason:
    """Why a crawl gave no page. why: a word of `SkipReason`, a kind of soft block or http_403, for which there is
    advice; None where only the run's own problem is known. said: of a start address, what happened there.
    """

    why: str | None
    said: Message | None


@dataclass(frozen=True, slots=True)
class SiteStanding:
    """One site. trend: of its hosts together, the newest week last."""

    run: Run | None
    nothing: NoPageReason | None
    trend: HostTrend


def site_standings(product: Product, sites: Sequence[Site]) -> dict[str, SiteStanding]:
    """How each of these sites stands, by id."""
    store, now = product.store, product.now()
    runs = store.runs.many([site.last_run_id for site in sites if site.last_run_id])
    bounds = [now - timedelta(weeks=weeks) for weeks in range(TREND_WEEKS, 0, -1)]
    trends = store.figures.trends({host for site in sites for host in site.hosts}, bounds)
    return {
        site.id: SiteStanding(
            run=(run := runs.get(site.last_run_id or "")),
            nothing=None if run is None else explain_empty_run(product, site, run),
            trend=HostTrend.together([trends[host] for host in site.hosts if host in trends], TREND_WEEKS),
        )
        for site in sites
    }


def explain_empty_run(product: Product, site: Site, run: Run) -> NoPageReason | None:
    """Why an ended crawl of a site gave no page; None where it gave some, or was stopped."""
    if run.ended_at is None or run.problem is None or run.state is RunState.STOPPING:
        return None
    if run.problem.code != NO_PAGE_MESSAGE.code:
        return NoPageReason(None, run.problem)
    starts = {canonical_url(url) for url in site.start_urls}
    problem = product.store.problems.newest_of(CRAWL, starts)
    if problem is None:
        return NoPageReason(_most_frequent_reason(run), None)
    return _make_reason(problem.kind or _most_frequent_reason(run), problem.reason)


def explain_no_page(product: Product, run: Run) -> NoPageReason:
    """Why a run that ended with `NO_PAGE_MESSAGE` got none, by what befell most of its addresses."""
    word = _most_frequent_reason(run)
    kept = product.store.problems.of_run(run.id, 1, kind=word) if word else []
    return _make_reason(word, kept[0].reason) if kept else NoPageReason(word, run.problem)


def _make_reason(word: str | None, sentence: Message) -> NoPageReason:
    """word: that a crawl counts it by; a soft block is told by its kind."""
    return NoPageReason(sentence.code.removeprefix("soft_block.") if word == SkipReason.SOFT_BLOCK else word, sentence)


def _most_frequent_reason(run: Run) -> str | None:
    counts = {
        word: count
        for name, count in run.counts.items()
        for outcome in _MISSED_PREFIXES
        if (word := name.removeprefix(outcome)) != name and word not in INTENDED_REASONS
    }
    return max(counts, key=lambda word: counts[word], default=None)
