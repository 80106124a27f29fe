"""Which of the addresses that a crawl comes upon are asked for."""

import re
from collections import Counter
from collections.abc import Iterator

from crawler.crawl.canonical_addresses import any_scheme, at_other_scheme, canonical, leads_on
from crawler.crawl.count_and_report import Ledger
from crawler.crawl.job import CrawlJob
from crawler.crawl.miss_reasons import Reason
from crawler.crawl.why_not_captured import Outcome
from crawler.extract.chapters.chapter_lists import in_reading_order
from crawler.spiders.crawler_traps import TrapGuard
from crawler.spiders.seen_page import SeenPage
from store.messages import message

MOST_REMEMBERED = 100_000  # addresses
_AS_LETTERS = str.maketrans("0123456789", "abcdefghij")  # figures count for nothing where traps are told
FOR_SCRIPTS = re.compile(r"(?<![a-z])(?:api|ajax|json|graphql|load|more)(?![a-z])", re.IGNORECASE)  # of an address
MOST_ANSWERS = 500  # of one endpoint, which may have no end


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
            self._ledger.missed(url, Outcome(True, Reason.TRAP, message("fetch.trap", reason=objection)))
        return not objection

    def follow(self, page: SeenPage, hops: int) -> Iterator[tuple[str, int]]:
        """The addresses that a page leads to, with the links followed up to there."""
        url = canonical(page.url)
        self._traps.learn(url, _said(page))
        own = canonical(page.own or url)
        if any_scheme(own) != any_scheme(url) and self.admits(own):
            yield own, hops
        for target in page.further:
            further = hops if page.answer or FOR_SCRIPTS.search(target) else hops + 1  # it may be the next article's
            if further <= self._job.max_depth and self._goes_on(target):
                yield target, further
        for found, words in in_reading_order(page.links):
            target = _as_here(url, found)
            further = hops if leads_on(words) else hops + 1
            if target in self._followed or further > self._job.max_depth or not self.admits(target):
                continue
            if len(self._followed) >= MOST_REMEMBERED:
                self._followed.clear()
            self._followed.add(target)
            yield target, further

    def _goes_on(self, target: str) -> bool:
        """Whether more is loaded from an address, within what one endpoint may give."""
        endpoint = target.partition("?")[0]
        if target in self._followed or self._answers[endpoint] >= MOST_ANSWERS or not self.admits(target):
            return False
        self._answers[endpoint] += 1
        self._followed.add(target)
        return True

    def forget(self) -> None:
        """Follow again what was followed before."""
        self._followed.clear()


def _said(page: SeenPage) -> str:
    """What it says by which an endless row of its like is told; of JSON that names pages, these by their numbers."""
    if not page.answer:
        return page.text
    return "\n".join((page.text, *(url for url, _ in page.links))).translate(_AS_LETTERS)


def _as_here(here: str, target: str) -> str:
    """The address of a link, by the scheme of the page where it leads to the same host: a site that moved to https
    keeps links from before.
    """
    if target.partition(":")[0] == here.partition(":")[0]:
        return target
    other = at_other_scheme(target)
    return other if other and other.split("/", 3)[:3] == here.split("/", 3)[:3] else target
