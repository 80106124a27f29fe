"""Start the browser behind the guard proxy. Needs the extra `browser`."""

from playwright.async_api import Browser
from scrapy.crawler import Crawler
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider

from crawler.rendering.guard_proxy import GuardProxy


class GuardedBrowser(PlaywrightBrowserProvider):
    """A Chromium whose connections all pass the guard proxy, even those to loopback."""

    def __init__(self, guard: GuardProxy, config: Config) -> None:
        super().__init__(config)
        self._guard = guard

    async def launch_browser(self) -> Browser:
        """Start the guard proxy and the browser."""
        assert self.browser_type is not None
        address = await self._guard.start()
        options = {**self.config.launch_options, "proxy": {"server": address, "bypass": "<-loopback>"}}
        browser: Browser = await self.browser_type.launch(**options)
        return browser

    async def close(self) -> None:
        """Stop both."""
        self._guard.stop()
        await super().close()


async def start_guarded_handler(crawler: Crawler, guard: GuardProxy) -> ScrapyPlaywrightDownloadHandler:
    """Return Scrapy's download handler for the browser, ready for the first page."""
    handler = ScrapyPlaywrightDownloadHandler.from_crawler(crawler)
    handler.browser_provider = GuardedBrowser(guard, handler.config)
    await handler.browser_provider.start()  # the handler starts it only if it exists before the engine
    return handler
