"""Which addresses are on the public internet, and which in private networks."""

import ipaddress
from typing import Final

NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
# All that IANA gives out for the internet (registry "IPv6 Global Unicast Address Assignments"). What lies outside of it
# is for a link, a site, a translator or nothing: ::a.b.c.d, 64:ff9b:1::/48, fec0::/10.
UNICAST: Final = ipaddress.IPv6Network("2000::/3")
# Inside of it and of IPv4, what newer registries keep for other uses and some Pythons take for public.
RESERVED: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.88.99.0/24",  # relays of 6to4, RFC 7526
            "2001::/23",  # protocols: Teredo, ORCHID, benchmarks
            "3fff::/20",  # documentation, RFC 9637
        ),
    )
)


def is_public(address: str) -> bool:
    """Whether an IP address is reachable on the public internet; forms that wrap an IPv4 address count as that one.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("::127.0.0.1")
    (True, False, False, False)
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        nat64 = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
        wrapped = ip.ipv4_mapped or ip.sixtofour or nat64
        if wrapped is not None:
            return is_public(str(wrapped))
        if ip not in UNICAST:
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in RESERVED)
