"""Fetches the pictures that a page's text may stand in, as every address is fetched: by the pace of their host, its
robots.txt, and never from private networks.
"""

from dataclasses import replace
from hashlib import sha256

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.crawl.job import CrawlJob
from crawler.crawl.ledger import Ledger
from crawler.crawl.reasons import explain
from crawler.extract.pictures.bundle import FetchedPicture, packed
from crawler.extract.pictures.candidates import PagePicture
from store.messages import Message, message
from store.records import Capture

MOST_BYTES = 8 << 20  # of one picture
MOST_TOLD = 3  # pictures of a page of which it is told why they could not be had
OK = 200


class PictureFetcher:
    """The pictures of one crawl, which has a budget of them."""

    def __init__(self, crawler: Crawler, job: CrawlJob, ledger: Ledger) -> None:
        self._crawler = crawler
        self._ledger = ledger
        self._left = job.pictures

    async def with_pictures(
        self, url: str, taken: Capture, pictures: tuple[PagePicture, ...]
    ) -> tuple[Capture, bytes | None]:
        """A capture that names the pictures of its page, and their archive; those of a page that is as it was captured
        before are not fetched again.
        """
        if not pictures or not self._left:
            return taken, None
        before = (await self._ledger.remembered(url)).last if self._ledger.remembers else None
        if before is not None and _same_page(before, taken) and before.pictures_digest is not None:
            return replace(taken, pictures_digest=before.pictures_digest), None
        fetched, problems = await self._fetch(url, pictures)
        taken = replace(taken, problems=(*taken.problems, *problems[:MOST_TOLD]))
        if not fetched:
            return taken, None
        archive = packed(fetched)
        return replace(taken, pictures_digest=sha256(archive).hexdigest()), archive

    async def _fetch(self, url: str, pictures: tuple[PagePicture, ...]) -> tuple[list[FetchedPicture], list[Message]]:
        fetched: list[FetchedPicture] = []
        problems: list[Message] = []
        for picture in pictures:
            content = picture.content
            if content is None:
                if not self._left:
                    break
                self._left -= 1
                content = await self._content(url, picture.address, problems)
            if content:
                fetched.append(FetchedPicture(picture.address, content))
        return fetched, problems

    async def _content(self, url: str, address: str, problems: list[Message]) -> bytes | None:
        assert self._crawler.engine is not None
        request = Request(address, headers={"Referer": url}, meta={"download_maxsize": MOST_BYTES})
        try:
            response: Response = await self._crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  whatever keeps a picture back, the page is captured
            problems.append(message("pictures.lost", address=address, reason=explain(error).message))
            return None
        if response.status == OK:
            return response.body
        reason = message("fetch.answered", status=response.status)
        problems.append(message("pictures.lost", address=address, reason=reason))
        return None


def _same_page(one: Capture, other: Capture) -> bool:
    return (one.body_digest, one.rendered_digest) == (other.body_digest, other.rendered_digest)
