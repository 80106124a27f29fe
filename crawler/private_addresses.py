"""Tell public IP addresses from private ones, which crawls, webhooks and chat channels must not reach (SSRF)."""

import ipaddress
import socket
from typing import Final

from wenhen.kit.errors import FetchRefused


class PrivateAddress(FetchRefused):
    """The name resolves to an address of a private network."""


def resolve_public_host(host: str) -> str:
    """Return an address of the host. Raise `PrivateAddress` if any address is private, `OSError` for an unknown
    name.
    """
    addresses = [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    for address in addresses:
        if not is_public_address(address):
            raise PrivateAddress("webhooks.private_address", host=host)
    return addresses[0]


NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
# All addresses that IANA assigns to the internet (registry "IPv6 Global Unicast Address Assignments"). Others belong to
# a link, a site or a translator: ::a.b.c.d, 64:ff9b:1::/48, fec0::/10.
GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
# Networks that newer registries reserve, and that some Python versions take for public.
RESERVED_NETWORKS: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.88.99.0/24",  # relays of 6to4, RFC 7526
            "2001::/23",  # protocols: Teredo, ORCHID, benchmarks
            "3fff::/20",  # documentation, RFC 9637
        ),
    )
)


def is_public_address(address: str) -> bool:
    """Return whether an IP address is reachable on the public internet. A wrapped IPv4 address counts as itself.

    >>> [is_public_address(address) for address in ("8.8.8.8", "10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1")]
    [True, False, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        nat64 = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
        wrapped = ip.ipv4_mapped or ip.sixtofour or nat64
        if wrapped is not None:
            return is_public_address(str(wrapped))
        if ip not in GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in RESERVED_NETWORKS)
