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

MAX_FOLLOWED_ADDRESSES = 100_000  # addresses
_DIGITS_TO_LETTERS = str.maketrans("0123456789", "abcdefghij")  # figures count for nothing where traps are told
SCRIPT_ENDPOINT = re.compile(r"(?<![a-z])(?:api|ajax|json|graphql|load|more)(?![a-z])", re.IGNORECASE)  # of an address
MAX_ANSWERS_PER_ENDPOINT = 500  # of one endpoint, which may have no end


class LinkPolicy:
    """Those that belong to the job and are no trap, within its depth. What was seen before the frontier knows."""

    def __init__(self, job: CrawlJob, ledger: Ledger, traps: TrapGuard) -> None:
        self._job = job
        self._ledger = ledger
        self._traps = traps
        self._answers = Counter[str]()  # asked for, by endpoint
        self._followed: set[str] = set()  # lately: a site's menu stands on all its pages

    def admits(self, url: str) -> bool:
        """Whether an address belongs to the job and is no trap."""
        url = self._job.home(url)
        if not self._job.wants(url):
            return False
        objection = self._traps.objection(url)
        if objection and self._traps.is_first(url):
            self._ledger.missed(url, SkipOutcome(True, SkipReason.TRAP, message("fetch.trap", reason=objection)))
        return not objection

    def follow(self, page: PageSummary, hops: int) -> Iterator[tuple[str, int]]:
        """The addresses that a page leads to, with the links followed up to there."""
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
        for found, words in sort_in_reading_order(page.links):
            target = _with_page_scheme(url, found)
            further = hops if is_next_link(words) else hops + 1
            if target in self._followed or further > self._job.max_depth or not self.admits(target):
                continue
            if len(self._followed) >= MAX_FOLLOWED_ADDRESSES:
                self._followed.clear()
            self._followed.add(target)
            yield target, further

    def _goes_on(self, target: str) -> bool:
        """Whether more is loaded from an address, within what one endpoint may give."""
        endpoint = target.partition("?")[0]
        if target in self._followed or self._answers[endpoint] >= MAX_ANSWERS_PER_ENDPOINT or not self.admits(target):
            return False
        self._answers[endpoint] += 1
        self._followed.add(target)
        return True

    def forget(self) -> None:
        """Follow again what was followed before."""
        self._followed.clear()


def _trap_text(page: PageSummary) -> str:
    """What it says by which an endless row of its like is told; of JSON that names pages, these by their numbers."""
    if not page.answer:
        return page.text
    return "\n".join((page.text, *(url for url, _ in page.links))).translate(_DIGITS_TO_LETTERS)


def _with_page_scheme(here: str, target: str) -> str:
    """The address of a link, by the scheme of the page where it leads to the same host: a site that moved to https
    keeps links from before.
    """
    if target.partition(":")[0] == here.partition(":")[0]:
        return target
    other = other_scheme_url(target)
    return other if other and other.split("/", 3)[:3] == here.split("/", 3)[:3] else target
