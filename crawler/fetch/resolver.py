"""Resolve names and refuse private addresses and addresses outside the job."""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any, Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.settings import BaseSettings
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]  # it ships no types

from crawler.addresses import host_of, parse_address_port
from crawler.capture import DnsAnswer
from crawler.context import META_HOPS, context_of
from crawler.crawl_stats import RequestRefused
from crawler.fetch.proxy_pool import parse_proxy
from crawler.job import CrawlJob
from crawler.private_addresses import is_public_address
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import Message, message

MAX_REMEMBERED_NAMES: Final = 4_096
MAX_ADDRESSES_PER_NAME: Final = 64


class DnsAnswers:
    """The latest answers of the resolver, by name."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, DnsAnswer] = OrderedDict()

    def of(self, name: str) -> DnsAnswer | None:
        """Return the answer for a name. Return None for an unknown name or an IP address."""
        return self._answers.get(name.lower())

    def wrap_receiver(self, receiver: Any, name: str) -> Any:
        """Return a receiver that records a resolution and passes it on."""
        return _AnswerRecorder(receiver, name.lower(), self)

    def keep(self, name: str, addresses: tuple[str, ...]) -> None:
        """Store an answer with the current time."""
        if addresses and not _is_ip_address(name):
            self._answers[name] = DnsAnswer(name, addresses, datetime.now(UTC))
            self._answers.move_to_end(name)
            if len(self._answers) > MAX_REMEMBERED_NAMES:
                self._answers.popitem(last=False)


@implementer(IResolutionReceiver)
class _AnswerRecorder:
    def __init__(self, receiver: Any, name: str, answers: DnsAnswers) -> None:
        self._receiver = receiver
        self._name = name
        self._answers = answers
        self._addresses: list[str] = []

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802  Twisted's interface
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802  Twisted's interface
        if isinstance(address, IPv4Address | IPv6Address) and len(self._addresses) < MAX_ADDRESSES_PER_NAME:
            self._addresses.append(address.host)
        self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802  Twisted's interface
        self._answers.keep(self._name, tuple(dict.fromkeys(self._addresses)))
        self._receiver.resolutionComplete()


def _is_ip_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


# The resolver that enforces the rule against private networks.
#
# Every connection of Scrapy's HTTP handler asks the reactor's name resolver, also for literal addresses and redirects.
# It connects to exactly the returned address. So a name that changes a moment later (DNS rebinding) cannot pass the
# check. Type checkers cannot read Twisted's interfaces, hence `Any`.


PROXY_FREE_PORT = 1  # a port (tcpmux) without proxies


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Passes on public addresses, and records names with private ones."""

    def __init__(self, receiver: Any, name: str, kept_back: set[str]) -> None:
        self._receiver = receiver
        self._name = name
        self._kept_back = kept_back

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802  Twisted's interface
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802  Twisted's interface
        if isinstance(address, IPv4Address | IPv6Address) and is_public_address(address.host):
            self._receiver.addressResolved(address)
        else:
            self._kept_back.add(self._name)

    def resolutionComplete(self) -> None:  # noqa: N802  Twisted's interface
        self._receiver.resolutionComplete()


@implementer(IHostResolution)
class _MappedResolution:
    """A resolution that is complete at once."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """Do nothing, because nothing is pending."""


@implementer(IHostnameResolver)
class GuardedResolver:
    """The reactor's resolver behind the host map and the rule against private addresses."""

    def __init__(
        self, reactor: Any, host_map: Mapping[str, str], *, internal: bool, proxies: Collection[str] = ()
    ) -> None:
        self._reactor = reactor
        self._system = reactor.nameResolver
        self._targets = {name.lower(): parse_address_port(target) for name, target in host_map.items()}
        self._internal = internal
        self._proxies = {(proxy.host.lower(), port) for proxy in map(parse_proxy, proxies) for port in (proxy.port, 0)}
        self.kept_back: set[str] = set()  # names of hosts with private addresses
        self.answers = DnsAnswers()  # of the system's resolver, before the filter

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> "GuardedResolver":
        """Scrapy's constructor. It reads only settings of the crawler."""
        settings: BaseSettings = crawler.settings
        return cls(
            reactor,
            settings.getdict("WENHEN_HOST_MAP"),
            internal=settings.getbool("WENHEN_INTERNAL"),
            proxies=settings.getlist("WENHEN_PROXIES"),
        )

    def install_on_reactor(self) -> None:
        """Replace the reactor's resolver."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802  Twisted's interface
        self,
        resolutionReceiver: Any,  # noqa: N803  Twisted's interface
        hostName: str,  # noqa: N803  Twisted's interface
        portNumber: int = 0,  # noqa: N803  Twisted's interface
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803  Twisted's interface
        transportSemantics: str = "TCP",  # noqa: N803  Twisted's interface
    ) -> Any:
        """Pass the allowed addresses to the receiver."""
        receiver = resolutionReceiver
        # A proxy may stand in our own network. Tunnels are resolved without their port, a target never is.
        if not self._internal and (hostName.lower(), portNumber) not in self._proxies:
            receiver = _PublicOnly(receiver, hostName.lower(), self.kept_back)
        target = self._targets.get(hostName.lower())
        if target is None:
            recorder = self.answers.wrap_receiver(receiver, hostName)
            return self._system.resolveHostName(recorder, hostName, portNumber, addressTypes, transportSemantics)
        host, port = target
        family = IPv6Address if ":" in host else IPv4Address
        resolution = _MappedResolution(hostName)
        receiver.resolutionBegan(resolution)
        receiver.addressResolved(family("TCP", host, port))
        receiver.resolutionComplete()
        return resolution


def dns_answer_for(request: Request) -> DnsAnswer | None:
    """Return the latest answer of the running crawl's resolver for the request's host."""
    from twisted.internet import reactor

    resolver = getattr(reactor, "nameResolver", None)
    host = urlparse_cached(request).hostname or ""
    return resolver.answers.of(host) if isinstance(resolver, GuardedResolver) else None


async def resolve_target(host: str, port: int = PROXY_FREE_PORT) -> list[tuple[str, int]]:
    """Return addresses and ports that may be connected to, by the resolver of the running crawl. Private addresses are
    excluded unless the site is internal, even those of proxies.

    Raise `CannotResolveHostError`, as a download does, if there is none.
    """
    from twisted.internet import reactor

    receiver = _AddressCollector()
    reactor.nameResolver.resolveHostName(receiver, host, PROXY_FREE_PORT)
    addresses = await receiver.complete
    if not addresses:
        raise CannotResolveHostError(f"{host} has no address that may be asked")
    return [
        (address, port if mapped_port == PROXY_FREE_PORT else mapped_port) for address, mapped_port in addresses
    ]  # the host map names ports as well


@implementer(IResolutionReceiver)
class _AddressCollector:
    """Collects the addresses of one resolution."""

    def __init__(self) -> None:
        self.complete: asyncio.Future[list[tuple[str, int]]] = asyncio.get_running_loop().create_future()
        self._addresses: list[tuple[str, int]] = []

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802  Twisted's interface
        """Do nothing."""

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802  Twisted's interface
        assert isinstance(address, IPv4Address | IPv6Address)
        self._addresses.append((address.host, address.port))

    def resolutionComplete(self) -> None:  # noqa: N802  Twisted's interface
        if not self.complete.done():
            self.complete.set_result(self._addresses)


class BoundsMiddleware:
    """Refuses addresses outside the job, also after redirects, and names private addresses as such.

    Scrapy's own check passes `dont_filter` requests, as all retries and redirects are.
    """

    def __init__(self, job: CrawlJob) -> None:
        self._job = job

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BoundsMiddleware":
        """Scrapy's constructor."""
        return cls(context_of(crawler).job)

    def process_request(self, request: Request) -> None:
        """Pass or refuse the request."""
        if not self._job.admits(request.url):
            raise RequestRefused(SkipReason.OTHER_HOST, message("fetch.other_host", url=request.url))
        is_found_link = request.meta.get(META_HOPS, 0) > 0 and "redirect_urls" not in request.meta
        if is_found_link and not self._job.wants(request.url):  # the patterns may have changed since it was found
            raise RequestRefused(SkipReason.NOT_WANTED, Message("fetch.not_wanted"))

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Turn a filtered resolution into a refusal, which is not retried."""
        if not isinstance(exception, CannotResolveHostError):
            return
        from twisted.internet import reactor

        resolver = getattr(reactor, "nameResolver", None)
        host = host_of(request.url) or ""
        if isinstance(resolver, GuardedResolver) and host in resolver.kept_back:
            why = message("fetch.private_address", host=host)
            raise RequestRefused(SkipReason.PRIVATE_ADDRESS, why) from exception
