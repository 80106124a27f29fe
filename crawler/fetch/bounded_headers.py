"""Scrapy's way to a server with a bound on the head of an answer, which Twisted has for each line of it alone; what
certificates the server showed is noted.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils._download_handlers import wrap_twisted_exceptions
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.web._newclient import HTTP11ClientProtocol, ParseError
from twisted.web._newclient import Request as SentRequest
from twisted.web.iweb import IResponse

from crawler.crawl.context import context_of
from crawler.crawl.request_meta import TARGET
from crawler.crawl.seen_certificates import SeenChains
from crawler.fetch.vetted_proxy import VettedAgent

MOST_HEAD = 256 << 10  # bytes of status lines and headers, with those of "100 Continue"; servers send some kilobytes


class HeadTooLong(ParseError):
    """A server sends headers without end."""


class _BoundedParser(_LenientHTTPClientParser):
    head = 0  # bytes of it until now

    def lineReceived(self, line: bytes) -> None:  # noqa: N802  Twisted's name
        self.head += len(line)
        if self.head > MOST_HEAD:
            raise HeadTooLong("the head of the answer is too long", line[:100])  # type: ignore[no-untyped-call]  # Twisted's
        super().lineReceived(line)


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    def __init__(self, quiescent: Callable[..., Any], chains: SeenChains) -> None:
        super().__init__(quiescent)  # type: ignore[no-untyped-call]  # Twisted's
        self._chains = chains

    def request(self, request: SentRequest) -> "Deferred[IResponse]":
        answered: Deferred[IResponse] = super().request(request)
        self._parser.__class__ = _BoundedParser  # as Scrapy does: the parser's class is fixed where it is made
        return answered.addCallback(self._noted)

    def _noted(self, answer: IResponse) -> IResponse:
        self._chains.note(self.transport)
        return answer


class _BoundedFactory(_LenientHTTP11ClientFactory):
    def __init__(self, *given: Any, chains: SeenChains) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]  # Twisted's
        self._chains = chains

    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: ARG002, N802  Twisted's signature
        return _BoundedProtocol(self._quiescentCallback, self._chains)


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """For http and https."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        # A class to Twisted's types; all that it does with it is to call it.
        self._pool._factory = cast("type[_BoundedFactory]", partial(_BoundedFactory, chains=context_of(crawler).chains))

    async def download_request(self, request: Request) -> Response:
        """Scrapy's; through a proxy to the address that was found to be public, where there is one."""
        if TARGET not in request.meta:
            return await super().download_request(request)
        agent = VettedAgent(
            contextFactory=self._contextFactory,
            bindAddress=self._bind_address,
            pool=self._pool,
            maxsize=self._default_maxsize,
            warnsize=self._default_warnsize,
            fail_on_dataloss=self._fail_on_dataloss,
            crawler=self._crawler,
            tls_verbose_logging=self._tls_verbose_logging,
        )
        with wrap_twisted_exceptions():
            return await maybe_deferred_to_future(agent.download_request(request))
