"""Which addresses are on the public internet, and which in private networks."""

import ipaddress

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address is reachable on the public internet; forms that wrap an IPv4 address count as that one.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("169.254.169.254")
    (True, False, False, False)
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        nat64 = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
        wrapped = ip.ipv4_mapped or ip.sixtofour or nat64
        if wrapped is not None:
            return is_public(str(wrapped))
    return ip.is_global and not ip.is_multicast
