"""Share the state of one crawl among Scrapy's components. Name the keys of request metadata."""

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL.crypto import X509
from OpenSSL.SSL import Error
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import Settings

from crawler.crawl_stats import Ledger
from crawler.job import CrawlJob
from crawler.ports import Archive, Frontier, RateLimiter
from crawler.sandbox.async_reader import AsyncReader

if TYPE_CHECKING:
    from crawler.politeness.backoff_and_cooldowns import HostCooldowns

# Names in the `meta` of requests and flags of responses, by which the components of a crawl communicate.


META_HOPS: Final = "hops"  # int: links followed from a start address. Requests for robots.txt lack it.
META_ENTRY: Final = "entry"  # str: the id of the request's entry in the frontier, in hexadecimal
META_AGAIN: Final = "again"  # bool: a crawler that went silent may have fetched it, or may still do so
META_SLOT: Final = "pace"  # str: the name of the request in the rate limiter
META_PROXY_TARGET: Final = "target"  # str: the vetted address and port that a proxy connects to
META_PROXIES_TRIED: Final = "proxies_tried"  # list[str]: addresses of proxies that failed
META_RECEIVED_HEADERS: Final = "received_headers"  # Headers: as received, before decompression removes Content-Encoding
META_FEED_ITEM: Final = (
    "feed_item"  # list[str]: address of a feed with the text of the page, that text as a page, and as plain text
)
META_WARC_PLACE: Final = "warc"  # WarcPlace: where the response is archived
META_RENDERED: Final = "rendered"  # bytes: the page as rendered by a browser or as its feed holds it, in UTF-8
META_NOT_RENDERED: Final = "not_rendered"  # Message: why rendering failed
META_PAGE_CHANGE: Final = "found"  # PageChange | None: of a stored page, its change when this run captured it

STORED_FLAG: Final = "stored"  # the flag of a response from the store: no request is due now


# The certificates that servers showed, until the answers over their connections are archived.
#
# Scrapy's responses hold only the server's own certificate. The issuers' certificates come from the connection.


_MAX_SERVERS: Final = 4_096  # servers
_MAX_CHAIN_CERTIFICATES: Final = 16  # certificates of one server


class CertificateChains:
    """The certificate chains of the latest servers, by the server's own certificate."""

    def __init__(self) -> None:
        self._chains: OrderedDict[bytes, tuple[str, ...]] = OrderedDict()

    def note(self, transport: Any) -> None:
        """Store the certificates of the server at the other end of a transport. Do nothing if it speaks no TLS."""
        with suppress(AttributeError, Error):
            shown = transport.getHandle().get_peer_cert_chain() or []
            if shown:
                self._keep(
                    _to_der(shown[0]), tuple(_to_pem(certificate) for certificate in shown[:_MAX_CHAIN_CERTIFICATES])
                )

    def of(self, response: Response) -> tuple[str, ...]:
        """Return the chain of an answer as PEM, the server's own first. It is empty for an answer without TLS."""
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
    """The state that components of one crawl share. A crawl works without the parts that are None."""

    job: CrawlJob
    ledger: Ledger
    frontier: Frontier
    rests: "HostCooldowns"
    archive: Archive | None = None
    pace: RateLimiter | None = None
    chains: CertificateChains = field(default_factory=CertificateChains)
    reader: AsyncReader = field(default_factory=AsyncReader)


class ContextCrawler(Crawler):
    """Scrapy's crawler with the context of its crawl. Scrapy hands it to every `from_crawler`."""

    def __init__(self, spider: type[Spider], settings: Settings, context: CrawlContext) -> None:
        super().__init__(spider, settings)
        self.context = context


def context_of(crawler: Crawler) -> CrawlContext:
    """Return the context of a crawler. Only `from_crawler` calls this, and passes on what a component needs."""
    assert isinstance(crawler, ContextCrawler)
    return crawler.context
