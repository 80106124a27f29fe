"""Send every request of a crawl through the site's proxies, and check them."""

import asyncio
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError, NotConfigured
from scrapy.http import Response

from crawler.addresses import host_and_port
from crawler.context import META_PROXIES_TRIED, META_PROXY_TARGET, STORED_FLAG, context_of
from crawler.crawl_stats import RequestSkipped, SkipOutcome
from crawler.fetch.download_handler import format_host_port
from crawler.fetch.proxy_pool import Proxy, ProxyPool
from crawler.fetch.resolver import resolve_target
from crawler.job import CrawlJob
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import Message, message

MAX_PROXY_CHECK_SECONDS = 10.0  # seconds in which a working proxy carries a small request
PROXY_CHECK_INTERVAL_SECONDS = 5.0  # seconds between checks of proxies after their cooldown
PROXY_ERRORS = (DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError, TunnelError)
PROXY_AUTH_REQUIRED = 407
PROXY_FAILURE_STATUSES = frozenset((PROXY_AUTH_REQUIRED, 502, 504))  # statuses of a proxy that cannot reach the server


class ProxyMiddleware:
    """Chooses proxies. It stands nearest to the server, so that evidence never names a proxy or its password.

    A failed request goes through another proxy at once. The failing proxy is checked, because the site may be to blame.
    """

    def __init__(self, job: CrawlJob) -> None:
        self._job = job
        self.pool = ProxyPool(job.proxies)
        self._rechecks: asyncio.Task[None] | None = None
        self._known = ("", "")  # an allowed address and its host and port, for checks of proxies
        self._checks: dict[str, asyncio.Task[None]] = {}
        self._problem = message("fetch.no_proxy", count=len(self.pool.proxies))  # with a single proxy, what is wrong

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ProxyMiddleware":
        """Scrapy's constructor."""
        job = context_of(crawler).job
        if not job.proxies:
            raise NotConfigured
        middleware = cls(job)
        crawler.signals.connect(middleware.end, signals.spider_closed)
        return middleware

    async def process_request(self, request: Request) -> None:
        """Choose a proxy once the target is known to be public."""
        where = await self._where(request.url)
        if not self._job.internal:
            request.meta[META_PROXY_TARGET] = where
        if self._rechecks is None:
            self._known = (request.url, where)
            self._rechecks = asyncio.create_task(self._recheck())
            for untried in self.pool.proxies:
                self.pool.note_failure(untried)  # until it has shown that it works
                self._check(untried)
        while (proxy := self.pool.choose(request.meta.get(META_PROXIES_TRIED, ()))) is None:
            if not self._checks:
                raise RequestSkipped(SkipOutcome(False, SkipReason.PROXY, self._problem))
            await asyncio.wait(self._checks.values(), return_when=asyncio.FIRST_COMPLETED)
        request.meta["proxy"] = proxy.url
        if proxy.authorization:
            request.headers["Proxy-Authorization"] = proxy.authorization

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Remove all traces of the proxy. A proxy that demands another password has failed."""
        request.headers.pop("Proxy-Authorization", None)
        if STORED_FLAG in response.flags:
            return response
        if response.status == PROXY_AUTH_REQUIRED:
            return self._elsewhere(request) or response
        if proxy := self.pool.find_proxy(request.meta["proxy"]):
            self.pool.note_success(proxy)
        return response.replace(ip_address=None)  # it is the proxy's

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Retry through another proxy. After the last, the failure counts as the site's."""
        request.headers.pop("Proxy-Authorization", None)
        return self._elsewhere(request) if isinstance(exception, PROXY_ERRORS) and "proxy" in request.meta else None

    def end(self) -> None:
        """Stop checking proxies."""
        for task in (*self._checks.values(), *([self._rechecks] if self._rechecks else [])):
            task.cancel()

    async def _where(self, url: str) -> str:
        """Return the target for a proxy: a vetted address, or the name of an internal site."""
        host, port = host_and_port(url) or ("", 0)
        if self._job.internal:
            return format_host_port(host, port)
        addresses = await resolve_target(host, port)
        return format_host_port(*min(addresses, key=lambda address: ":" in address[0]))  # not every proxy has IPv6

    def _elsewhere(self, request: Request) -> Request | None:
        if failing := self.pool.find_proxy(request.meta["proxy"]):
            self.pool.note_failure(failing)
            self._check(failing)
        tried = [*request.meta.get(META_PROXIES_TRIED, ()), request.meta["proxy"]]
        if len(tried) >= len(self.pool.proxies):
            return None
        again = request.replace(dont_filter=True)
        again.meta[META_PROXIES_TRIED] = tried
        return again

    async def _recheck(self) -> None:
        while True:
            await asyncio.sleep(PROXY_CHECK_INTERVAL_SECONDS)
            for proxy in self.pool.due_for_check():
                self._check(proxy)

    def _check(self, proxy: Proxy) -> None:
        if proxy.url in self._checks:
            return

        async def check() -> None:
            patience = min(MAX_PROXY_CHECK_SECONDS, self._job.timeout)
            problem = await find_proxy_problem(proxy, *self._known, patience)
            (self.pool.note_success if problem is None else self.pool.note_failure)(proxy)
            if problem is not None and len(self.pool.proxies) == 1:
                self._problem = problem
            del self._checks[proxy.url]

        self._checks[proxy.url] = asyncio.create_task(check())


async def find_proxy_problem(proxy: Proxy, url: str, where: str, patience: float) -> Message | None:
    """Return why a proxy does not reach the server of this address at `where` within `patience` seconds, or None.

    It is asked for a tunnel to an https server (RFC 9110, 9.3.6), or for robots.txt of an http server.
    """
    parts = urlsplit(url)
    tunnel = parts.scheme == "https"
    if tunnel:
        question = f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n"
    else:
        question = f"GET http://{where}/robots.txt HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n"
    login = b"Proxy-Authorization: " + proxy.authorization + b"\r\n" if proxy.authorization else b""
    place = proxy.url.removeprefix("http://")
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_connection(proxy.host, proxy.port)
            try:
                writer.write(question.encode("ascii") + login + b"\r\n")
                status = int((await reader.readuntil(b"\n")).split(b" ", 2)[1])
            finally:
                writer.close()
    except TimeoutError:
        return message("fetch.proxy_silent", proxy=place, seconds=round(patience))
    except (OSError, ValueError, IndexError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return message("fetch.proxy_dead", proxy=place)
    if status == PROXY_AUTH_REQUIRED:
        return message("fetch.proxy_password", proxy=place)
    if status in PROXY_FAILURE_STATUSES or (tunnel and status != 200):
        return message("fetch.proxy_answered", proxy=place, status=status)
    return None
