"""Fetch the pictures, fonts and style sheets that a page's text is shown in."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.capture import Capture, PageAsset, pack_assets
from crawler.crawl_stats import Ledger, explain_error
from crawler.extraction.model import FontLinks, PagePicture
from crawler.job import CrawlJob
from crawler.sandbox.async_reader import AsyncReader
from crawler.spiders.page_summary import PageSummary
from wenhen.kit.errors import Message, Unreadable, message
from wenhen.kit.size_and_time_limits import MAX_ASSET_BYTES, MAX_STYLE_BYTES, PAGE_BOUNDS

MAX_STYLES_PER_CRAWL = 200  # sheets, each fetched once
MAX_ASSET_PROBLEMS = 3  # reported problems of a page
HTTP_OK = 200


class AssetFetcher:
    """Fetches the assets of one crawl. It has a budget of pictures, and fetches fonts if the site needs them."""

    def __init__(self, crawler: Crawler, job: CrawlJob, ledger: Ledger, reader: AsyncReader) -> None:
        self._crawler = crawler
        self._reader = reader
        self._ledger = ledger
        self._fonts = job.fonts
        self._left = job.pictures
        self._styles: dict[str, asyncio.Task[PageAsset | None]] = {}  # by address: all pages wait for one answer

    async def with_assets(
        self, url: str, taken: Capture, shown: bytes, seen: PageSummary
    ) -> tuple[Capture, bytes | None]:
        """Return the capture with its assets, and their archive. Assets of an unchanged page are not fetched again.

        shown: the page that the text is extracted from.
        """
        links = await self._font_links(shown, taken) if self._fonts else FontLinks()
        pictures = seen.pictures if self._left else ()
        if not pictures and not seen.styles and links == FontLinks():
            return taken, None
        before = (await self._ledger.recall_page(url)).last if self._ledger.remembers else None
        if before is not None and _is_same_page(before, taken) and before.assets_digest is not None:
            return replace(taken, assets_digest=before.assets_digest), None
        problems: list[Message] = []
        assets = [
            *await self._pictures(url, pictures, problems),
            *await self._linked_fonts(url, links, problems),
            *await self._linked_styles(url, seen.styles),
        ]
        taken = replace(taken, problems=(*taken.problems, *problems[:MAX_ASSET_PROBLEMS]))
        if not assets:
            return taken, None
        archive = pack_assets(assets)
        return replace(taken, assets_digest=sha256(archive).hexdigest()), archive

    async def _pictures(self, url: str, pictures: Sequence[PagePicture], problems: list[Message]) -> list[PageAsset]:
        fetched: list[PageAsset] = []
        for picture in pictures:
            content = picture.content
            if content is None:
                if not self._left:
                    break
                self._left -= 1
                content = await self._content(url, picture.address, problems)
            if content:
                fetched.append(PageAsset(picture.address, content))
        return fetched

    async def _linked_fonts(self, url: str, links: FontLinks, problems: list[Message]) -> list[PageAsset]:
        addresses = list(links.fonts)
        for style in links.styles:
            addresses += await self._fonts_in(await self._content(url, style, problems) or b"", style)
        assets = [
            PageAsset(address, await self._content(url, address, problems) or b"")
            for address in dict.fromkeys(addresses)
        ]
        return [asset for asset in assets if asset.is_font]

    async def _linked_styles(self, url: str, addresses: Sequence[str]) -> list[PageAsset]:
        """Return the sheets of a page. A missing one is not reported, because the page is read without it."""
        for address in addresses:
            if address not in self._styles and len(self._styles) < MAX_STYLES_PER_CRAWL:
                self._styles[address] = asyncio.create_task(self._style(url, address))
        styles = [await self._styles[address] for address in addresses if address in self._styles]
        return [sheet for sheet in styles if sheet is not None]

    async def _style(self, url: str, address: str) -> PageAsset | None:
        content = await self._content(url, address, [], MAX_STYLE_BYTES)
        return PageAsset(address, content, is_style=True) if content else None

    async def _font_links(self, shown: bytes, taken: Capture) -> FontLinks:
        name = "crawler.extraction.font_links:find_font_links"
        try:
            font_links: FontLinks = await self._reader.read(
                name, shown, taken.read_headers, taken.url, bounds=PAGE_BOUNDS
            )
        except Unreadable:
            return FontLinks()
        return font_links

    async def _fonts_in(self, style: bytes, base: str) -> Sequence[str]:
        try:
            fonts: Sequence[str] = await self._reader.read(
                "crawler.extraction.font_links:find_style_fonts", style, base, bounds=PAGE_BOUNDS
            )
        except Unreadable:
            return ()
        return fonts

    async def _content(
        self, url: str, address: str, problems: list[Message], most: int = MAX_ASSET_BYTES
    ) -> bytes | None:
        assert self._crawler.engine is not None
        request = Request(address, headers={"Referer": url}, meta={"download_maxsize": most})
        try:
            response: Response = await self._crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  the page is captured without the asset
            problems.append(message("pictures.lost", address=address, reason=explain_error(error).message))
            return None
        if response.status == HTTP_OK:
            return response.body
        reason = message("fetch.answered", status=response.status)
        problems.append(message("pictures.lost", address=address, reason=reason))
        return None


def _is_same_page(capture: Capture, other: Capture) -> bool:
    return (capture.body_digest, capture.rendered_digest) == (other.body_digest, other.rendered_digest)
