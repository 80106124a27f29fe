"""Share the state of one crawl among Scrapy's components. Name the keys of request metadata."""

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL.crypto import X509
from OpenSSL.SSL import Error
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import Settings

from crawler.crawl_stats import Ledger
from crawler.job import CrawlJob
from crawler.politeness.cooldown import HostCooldowns
from crawler.ports import Archive, Frontier, RateLimiter
from crawler.sandbox.async_reader import AsyncReader

# What the parts of a crawl leave for each other on a request: names in its `meta`, and flags of its response.


META_HOPS: Final = "hops"  # int: links followed from a start address; requests for robots.txt have none
META_ENTRY: Final = "entry"  # str: the id of the request's entry in the frontier, in hexadecimal
META_AGAIN: Final = (
    "again"  # bool: a crawler that was not heard of any more may have fetched it before, or may still do so
)
META_SLOT: Final = "pace"  # str: the request's name among those that ask a host
META_PROXY_TARGET: Final = (
    "target"  # str: address and port that a proxy is to reach, as the crawl's own rule found them
)
META_PROXIES_TRIED: Final = "proxies_tried"  # list[str]: the addresses of those that failed
META_RECEIVED_HEADERS: Final = (
    "received_headers"  # Headers: as they came, before decompression takes Content-Encoding away
)
META_FEED_ITEM: Final = (
    "feed_item"  # list[str]: address of a feed that holds the page's text, that as a page, what it says
)
META_WARC_PLACE: Final = "warc"  # WarcPlace: where the response is kept
META_RENDERED: Final = "rendered"  # bytes: what a browser made of the page, or its feed holds, in UTF-8
META_NOT_RENDERED: Final = "not_rendered"  # Message: why a browser could not
META_PAGE_CHANGE: Final = (
    "found"  # Found | None: of a page that is stored, what it was when it was captured in this run
)

STORED_FLAG: Final = "stored"  # the flag of a response that no server gave: the page need not be asked for now


# The certificates that servers showed, until an answer that came over their connection is archived.
#
# Scrapy's responses tell the server's own certificate alone; those of who issued it are asked of the connection.


_MAX_SERVERS: Final = 4_096  # servers
_MAX_CHAIN_CERTIFICATES: Final = 16  # certificates of one; what follows them issued none of them


class CertificateChains:
    """By the certificate of the server itself; the last ones."""

    def __init__(self) -> None:
        self._chains: OrderedDict[bytes, tuple[str, ...]] = OrderedDict()

    def note(self, transport: Any) -> None:
        """Keep what the server at the other end of this transport showed; nothing where it speaks no TLS."""
        with suppress(AttributeError, Error):
            shown = transport.getHandle().get_peer_cert_chain() or []
            if shown:
                self._keep(_to_der(shown[0]), tuple(_to_pem(one) for one in shown[:_MAX_CHAIN_CERTIFICATES]))

    def of(self, response: Response) -> tuple[str, ...]:
        """PEM, the server's own first; empty where the answer came without TLS."""
        if response.certificate is None:
            return ()
        own = response.certificate.original
        return self._chains.get(_to_der(own)) or (_to_pem(own),)

    def _keep(self, own: bytes, chain: tuple[str, ...]) -> None:
        self._chains[own] = chain
        self._chains.move_to_end(own)
        if len(self._chains) > _MAX_SERVERS:
            self._chains.popitem(last=False)


def _to_der(certificate: X509) -> bytes:
    return certificate.to_cryptography().public_bytes(Encoding.DER)


def _to_pem(certificate: X509) -> str:
    return certificate.to_cryptography().public_bytes(Encoding.PEM).decode("ascii")


@dataclass(frozen=True, slots=True)
class CrawlContext:
    """Made before a crawl begins; what is None the crawl does without."""

    job: CrawlJob
    ledger: Ledger
    frontier: Frontier
    archive: Archive | None = None
    pace: RateLimiter | None = None
    rests: HostCooldowns = field(default_factory=HostCooldowns)
    chains: CertificateChains = field(default_factory=CertificateChains)
    reader: AsyncReader = field(default_factory=AsyncReader)


class ContextCrawler(Crawler):
    """Scrapy's crawler, which hands itself to every `from_crawler`, with the context of its crawl."""

    def __init__(self, spider: type[Spider], settings: Settings, context: CrawlContext) -> None:
        super().__init__(spider, settings)
        self.context = context


def context_of(crawler: Crawler) -> CrawlContext:
    """The context; for `from_crawler` alone, which gives a component what it needs of it."""
    assert isinstance(crawler, ContextCrawler)
    return crawler.context
