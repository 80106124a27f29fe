"""Scrapy's way to a server with a bound on the head of an answer, which Twisted has for each line of it alone."""

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.crawler import Crawler
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.web._newclient import HTTP11ClientProtocol, ParseError, Request
from twisted.web.iweb import IResponse

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
    def request(self, request: Request) -> "Deferred[IResponse]":
        answered: Deferred[IResponse] = super().request(request)
        self._parser.__class__ = _BoundedParser  # as Scrapy does: the parser's class is fixed where it is made
        return answered


class _BoundedFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: ARG002, N802  Twisted's signature
        return _BoundedProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]  # Twisted's


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """For http and https."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _BoundedFactory
