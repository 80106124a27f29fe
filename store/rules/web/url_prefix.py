"""Host or host/path prefixes of addresses, as licences and holders' own sites name them."""

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from store.errors import BadInput

_LABEL: Final = re.compile(r"[\w-]+")


def split_address(address: str) -> SplitResult:
    """The parts of an address with or without a scheme. BadInput: it is none."""
    try:
        split = urlsplit(address if "://" in address else f"//{address}")
        _port(split)  # is read when it is asked for; a port that is no number shows only then
    except ValueError as error:
        raise BadInput("store.prefix", address=repr(address), error=error) from error
    return split


def host_of(address: SplitResult) -> str:
    """The host in the form in which hosts are compared; empty where there is none."""
    host = (address.hostname or "").rstrip(".")
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:  # a name that the DNS does not allow, such as one with an underscore and Chinese
        return host


def named_host(address: str) -> str | None:
    """The host that an address names, as `host_of` has it; None where no server can be called so. BadInput: it is none.

    >>> named_host("https://Hean.example/a"), named_host("[::1]:80"), named_host("!!"), named_host("没有")
    ('hean.example', '::1', None, None)
    """
    host = host_of(split_address(address))
    return host if _is_name(host) or _is_number(host) else None


def _is_name(host: str) -> bool:
    labels = host.split(".")
    return host == "localhost" or (len(labels) > 1 and all(map(_LABEL.fullmatch, labels)))


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def site_host(host: str) -> str:
    """The host without www. before it: sites send their visitors from the one name to the other."""
    return host.removeprefix("www.")


def stands_below(url: str, prefix: str) -> bool:
    """Whether an address stands on the host of the prefix, with www. before it or without, and below it. BadInput:
    either is no address.
    """
    address, prefix_parts = split_address(url), split_address(prefix)
    return site_host(host_of(address)) == site_host(host_of(prefix_parts)) and below(address, prefix_parts)


def below(address: SplitResult, prefix: SplitResult) -> bool:
    """Whether an address of the same host lies below the prefix; one without a port covers every port."""
    if prefix.port is not None and prefix.port != _port(address):
        return False
    allowed = unquote(prefix.path).rstrip("/")
    path = unquote(address.path)
    return path == allowed or path.startswith(allowed + "/") or not allowed


def _port(address: SplitResult) -> int | None:
    return address.port or {"http": 80, "https": 443}.get(address.scheme)
