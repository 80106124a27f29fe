"""Where a host is, if it is on the public internet: what somebody typed in must not reach the servers beside us."""

import socket

from crawler.fetch.public_address import is_public
from store.errors import FetchRefused


class PrivateAddress(FetchRefused):
    """The name leads into a private network."""


def public_address(host: str) -> str:
    """An address of the host. Raises `PrivateAddress` where one of them is private, `OSError` for an unknown name."""
    found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    for address in found:
        if not is_public(address):
            raise PrivateAddress("webhooks.private_address", host=host)
    return found[0]
