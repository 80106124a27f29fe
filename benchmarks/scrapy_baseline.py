"""Fetch a site with plain Scrapy: `python -m benchmarks.scrapy_baseline FIRST PAGES AT_ONCE`.

With PAGES it knows every address and reads no page. With 0 it follows the links from the first page, like any crawl. It
stores nothing. It prints the number of pages, and the seconds of processor time.
"""

import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor


class BareSpider(Spider):
    """A spider that only fetches."""

    name = "bare"
    got = 0

    def __init__(self, first: str, pages: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._first = first
        self._pages = pages
        self._links = LinkExtractor()

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for every known page."""
        for number in range(self._pages or 1):
            yield Request(f"{self._first}{number}")

    def parse(self, response: Response) -> Iterator[Request]:
        """Follow the links if the addresses are unknown."""
        BareSpider.got += response.status == 200
        if not self._pages and isinstance(response, TextResponse):
            for link in self._links.extract_links(response):
                yield Request(link.url)


def main(first: str, pages: int, at_once: int) -> None:
    """Fetch all pages."""
    process = AsyncCrawlerProcess(
        {"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "CONCURRENT_REQUESTS": at_once * 2}
        | {"CONCURRENT_REQUESTS_PER_DOMAIN": at_once, "DOWNLOAD_DELAY": 0}
    )
    process.crawl(BareSpider, first=first, pages=pages)
    process.start()
    print(BareSpider.got, time.process_time())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
