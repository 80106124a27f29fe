"""Download by Scrapy, with bounded response heads and with proxies pinned to vetted addresses.

This needs private names of Scrapy and Twisted.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, cast
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
    _ScrapyAgent,
    _ScrapyProxyAgent,
    _TunnelingAgent,
    _TunnelingTCP4ClientEndpoint,
)
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils._download_handlers import wrap_twisted_exceptions
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Protocol
from twisted.web._newclient import HTTP11ClientProtocol, ParseError
from twisted.web._newclient import Request as SentRequest
from twisted.web.client import URI, Agent
from twisted.web.http_headers import Headers
from twisted.web.iweb import IBodyProducer, IResponse

from crawler.context import META_PROXY_TARGET, CertificateChains, context_of

# Proxies are asked for the vetted address, not for the name.
#
# A proxy in our own network resolves names itself. A name that changes a moment later (DNS rebinding) would lead a
# crawl past the rule against private addresses. The server still receives the name, in the Host header and in TLS.


def format_host_port(address: str, port: int) -> str:
    """Return an address and a port as one word.

    >>> format_host_port("198.51.100.7", 80), format_host_port("2001:db8::7", 443)
    ('198.51.100.7:80', '[2001:db8::7]:443')
    """
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def url_at_host_port(url: str, where: str) -> str:
    """Return an http address with host and port replaced, for a request to a proxy.

    >>> url_at_host_port("http://name.example/a?b", "198.51.100.7:80")
    'http://198.51.100.7:80/a?b'
    """
    return urlsplit(url)._replace(netloc=where).geturl()


class VettedAgent(_ScrapyAgent):
    """Scrapy's agent, for a request whose target address was vetted."""

    def _get_agent(self, request: Request, timeout: float) -> Agent:
        agent: Any = super()._get_agent(request, timeout)
        if isinstance(agent, _TunnelingAgent):
            agent.__class__ = _Tunneling
        elif isinstance(agent, _ScrapyProxyAgent):
            agent.__class__ = _Proxied
        agent.target = request.meta[META_PROXY_TARGET]
        return cast("Agent", agent)


class _Proxied(_ScrapyProxyAgent):
    target: str

    def request(
        self,
        method: bytes,
        uri: bytes,
        headers: Headers | None = None,
        bodyProducer: IBodyProducer | None = None,  # noqa: N803  Twisted's name
    ) -> "Deferred[IResponse]":
        parsed = URI.fromBytes(uri)  # type: ignore[no-untyped-call]  # Twisted's
        headers = headers or Headers()
        if not headers.hasHeader(b"host"):
            name = self._computeHostValue(parsed.scheme, parsed.host, parsed.port)  # type: ignore[no-untyped-call]
            headers.addRawHeader(b"host", name)
        where = url_at_host_port(uri.decode("ascii"), self.target).encode("ascii")
        return super().request(method, where, headers, bodyProducer)


class _Tunneling(_TunnelingAgent):
    target: str

    def _getEndpoint(self, uri: URI) -> _TunnelingTCP4ClientEndpoint:  # noqa: N802  Twisted's name
        endpoint = super()._getEndpoint(uri)
        endpoint.__class__ = _Tunnel
        cast("_Tunnel", endpoint).target = self.target
        return endpoint


class _Tunnel(_TunnelingTCP4ClientEndpoint):
    target: str

    def requestTunnel(self, protocol: Protocol) -> Protocol:  # noqa: N802  Scrapy's name
        """Request a tunnel to the address. The TLS inside uses the name."""
        name, port = self._tunneledHost, self._tunneledPort
        host, _, target_port = self.target.rpartition(":")
        self._tunneledHost, self._tunneledPort = host, int(target_port)
        try:
            return super().requestTunnel(protocol)
        finally:
            self._tunneledHost, self._tunneledPort = name, port


# Scrapy's download handler with two additions. The head of an answer is bounded as a whole, since Twisted bounds only
# its lines. The server's certificates are recorded.


MAX_HEAD_BYTES = (
    256 << 10
)  # bytes of status lines and headers, with those of "100 Continue": servers send some kilobytes


class HeadTooLong(ParseError):
    """A server sends headers without end."""


class _BoundedParser(_LenientHTTPClientParser):
    head = 0  # bytes until now

    def lineReceived(self, line: bytes) -> None:  # noqa: N802  Twisted's name
        self.head += len(line)
        if self.head > MAX_HEAD_BYTES:
            raise HeadTooLong("the head of the answer is too long", line[:100])  # type: ignore[no-untyped-call]  # Twisted's
        super().lineReceived(line)


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    def __init__(self, quiescent: Callable[..., Any], chains: CertificateChains) -> None:
        super().__init__(quiescent)  # type: ignore[no-untyped-call]  # Twisted's
        self._chains = chains

    def request(self, request: SentRequest) -> "Deferred[IResponse]":
        answered: Deferred[IResponse] = super().request(request)
        self._parser.__class__ = _BoundedParser  # as Scrapy does: the parser's class is fixed where it is made
        return answered.addCallback(self._note_certificates)

    def _note_certificates(self, answer: IResponse) -> IResponse:
        self._chains.note(self.transport)
        return answer


class _BoundedFactory(_LenientHTTP11ClientFactory):
    def __init__(self, *given: Any, chains: CertificateChains) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]  # Twisted's
        self._chains = chains

    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: ARG002, N802  Twisted's signature
        return _BoundedProtocol(self._quiescentCallback, self._chains)


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """The download handler for http and https."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        # Twisted's types expect a class. Twisted only calls it.
        self._pool._factory = cast("type[_BoundedFactory]", partial(_BoundedFactory, chains=context_of(crawler).chains))

    async def download_request(self, request: Request) -> Response:
        """Download as Scrapy does. Through a proxy, connect to the vetted address if there is one."""
        if META_PROXY_TARGET not in request.meta:
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
