"""Decide which of the addresses that a crawl finds are fetched."""

import re
from collections import Counter
from collections.abc import Iterator

from crawler.addresses import canonical_url, is_next_link, other_scheme_url, scheme_neutral_url
from crawler.crawl_stats import Ledger
from crawler.extraction.links import sort_in_reading_order
from crawler.fetch_errors import SkipOutcome
from crawler.job import CrawlJob
from crawler.skip_reasons import SkipReason
from crawler.spiders.crawler_traps import TrapGuard
from crawler.spiders.page_summary import PageSummary
from wenhen.kit.errors import message

MAX_FOLLOWED_ADDRESSES = 100_000  # remembered addresses
_DIGITS_TO_LETTERS = str.maketrans("0123456789", "abcdefghij")  # trap detection ignores figures
SCRIPT_ENDPOINT = re.compile(r"(?<![a-z])(?:api|ajax|json|graphql|load|more)(?![a-z])", re.IGNORECASE)  # of an address
MAX_ANSWERS_PER_ENDPOINT = 500  # responses of one endpoint, which may be endless


class LinkPolicy:
    """Follows addresses of the job that are no traps, within its depth. The frontier knows which were seen."""

    def __init__(self, job: CrawlJob, ledger: Ledger, traps: TrapGuard) -> None:
        self._job = job
        self._ledger = ledger
        self._traps = traps
        self._answers = Counter[str]()  # requested responses, by endpoint
        self._followed: set[str] = set()  # recent ones: a site's menu stands on all its pages

    def admits(self, url: str) -> bool:
        """Return whether an address belongs to the job and is no trap."""
        url = self._job.home(url)
        if not self._job.wants(url):
            return False
        objection = self._traps.objection(url)
        if objection and self._traps.is_first(url):
            self._ledger.report_missed(url, SkipOutcome(True, SkipReason.TRAP, message("fetch.trap", reason=objection)))
        return not objection

    def follow(self, page: PageSummary, hops: int) -> Iterator[tuple[str, int]]:
        """Yield the addresses that a page leads to, with their number of hops."""
        url = canonical_url(page.url)
        self._traps.learn(url, _trap_text(page))
        own = canonical_url(page.own or url)
        if scheme_neutral_url(own) != scheme_neutral_url(url) and self.admits(own):
            yield own, hops
        for target in page.further:
            further = (
                hops if page.answer or SCRIPT_ENDPOINT.search(target) else hops + 1
            )  # it may be the next article's
            if further <= self._job.max_depth and self._goes_on(target):
                yield target, further
        for link, words in sort_in_reading_order(page.links):
            target = _with_page_scheme(url, link)
            further = hops if is_next_link(words) else hops + 1
            if target in self._followed or further > self._job.max_depth or not self.admits(target):
                continue
            if len(self._followed) >= MAX_FOLLOWED_ADDRESSES:
                self._followed.clear()
            self._followed.add(target)
            yield target, further

    def _goes_on(self, target: str) -> bool:
        """Return whether more content is loaded from an address, within the limit of its endpoint."""
        endpoint = target.partition("?")[0]
        if target in self._followed or self._answers[endpoint] >= MAX_ANSWERS_PER_ENDPOINT or not self.admits(target):
            return False
        self._answers[endpoint] += 1
        self._followed.add(target)
        return True

    def forget(self) -> None:
        """Allow followed addresses again."""
        self._followed.clear()


def _trap_text(page: PageSummary) -> str:
    """Return the text by which endless rows of pages are detected. For JSON that lists pages, their numbers count."""
    if not page.answer:
        return page.text
    return "\n".join((page.text, *(url for url, _ in page.links))).translate(_DIGITS_TO_LETTERS)


def _with_page_scheme(here: str, target: str) -> str:
    """Return the address of a link, with the page's scheme if it leads to the same host. Sites that moved to https keep
    old links.
    """
    if target.partition(":")[0] == here.partition(":")[0]:
        return target
    other = other_scheme_url(target)
    return other if other and other.split("/", 3)[:3] == here.split("/", 3)[:3] else target
