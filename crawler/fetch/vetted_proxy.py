"""Asks a proxy for the address that the crawl's own rule has passed, not for the name.

A proxy that stands in our own network resolves names for itself: one that leads elsewhere a moment later (DNS
rebinding) would take a crawl past the rule against private addresses. The server still hears the name, in the Host
header and in TLS.
"""

from typing import Any, cast
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import (
    _ScrapyAgent,
    _ScrapyProxyAgent,
    _TunnelingAgent,
    _TunnelingTCP4ClientEndpoint,
)
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol
from twisted.web.client import URI, Agent
from twisted.web.http_headers import Headers
from twisted.web.iweb import IBodyProducer, IResponse

from crawler.crawl.request_meta import TARGET


def place(address: str, port: int) -> str:
    """An address and a port as one word.

    >>> place("198.51.100.7", 80), place("2001:db8::7", 443)
    ('198.51.100.7:80', '[2001:db8::7]:443')
    """
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def at_place(url: str, where: str) -> str:
    """An address of http with its host and port replaced, as a proxy is asked for it.

    >>> at_place("http://name.example/a?b", "198.51.100.7:80")
    'http://198.51.100.7:80/a?b'
    """
    return urlsplit(url)._replace(netloc=where).geturl()


class VettedAgent(_ScrapyAgent):
    """Scrapy's, for a request whose target is known by address."""

    def _get_agent(self, request: Request, timeout: float) -> Agent:
        agent: Any = super()._get_agent(request, timeout)
        if isinstance(agent, _TunnelingAgent):
            agent.__class__ = _Tunneling
        elif isinstance(agent, _ScrapyProxyAgent):
            agent.__class__ = _Proxied
        agent.target = request.meta[TARGET]
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
        asked = URI.fromBytes(uri)  # type: ignore[no-untyped-call]  # Twisted's
        headers = headers or Headers()
        if not headers.hasHeader(b"host"):
            name = self._computeHostValue(asked.scheme, asked.host, asked.port)  # type: ignore[no-untyped-call]
            headers.addRawHeader(b"host", name)
        where = at_place(uri.decode("ascii"), self.target).encode("ascii")
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
        """Ask for a tunnel to the address; the TLS inside of it is spoken with the name."""
        name, port = self._tunneledHost, self._tunneledPort
        host, _, at = self.target.rpartition(":")
        self._tunneledHost, self._tunneledPort = host, int(at)
        try:
            return super().requestTunnel(protocol)
        finally:
            self._tunneledHost, self._tunneledPort = name, port
