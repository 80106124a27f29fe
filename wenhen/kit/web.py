"""Compare URLs with prefixes, and mask secrets in HTTP headers."""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from wenhen.kit.errors import BadInput

_LABEL: Final = re.compile(r"[\w-]+")


def split_address(address: str) -> SplitResult:
    """Split an address with or without a scheme. Raises BadInput if it is invalid."""
    try:
        split = urlsplit(address if "://" in address else f"//{address}")
        _port(split)  # the port is parsed on access, so an invalid one raises only here
    except ValueError as error:
        raise BadInput("store.prefix", address=repr(address), error=error) from error
    return split


def url_host(address: SplitResult) -> str:
    """Return the host in a normalized form for comparison; empty if there is none."""
    host = (address.hostname or "").rstrip(".")
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:  # a name that the DNS does not allow, such as one with an underscore and Chinese
        return host


def named_host(address: str) -> str | None:
    """Return the host of an address as `url_host` does, or None if it cannot be the name of a server.

    Raises BadInput if the address is invalid.

    >>> named_host("https://Hean.example/a"), named_host("[::1]:80"), named_host("!!"), named_host("没有")
    ('hean.example', '::1', None, None)
    """
    host = url_host(split_address(address))
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


def without_www(host: str) -> str:
    """Return the host without a leading www., because sites redirect between both names."""
    return host.removeprefix("www.")


def is_below_prefix(url: str, prefix: str) -> bool:
    """Return whether a URL has the host of the prefix, with or without www., and a path below it.

    Raises BadInput if either is invalid.
    """
    address, prefix_parts = split_address(url), split_address(prefix)
    return without_www(url_host(address)) == without_www(url_host(prefix_parts)) and is_path_below(
        address, prefix_parts
    )


def is_path_below(address: SplitResult, prefix: SplitResult) -> bool:
    """Return whether a URL of the same host is below the prefix. A prefix without a port covers every port."""
    if prefix.port is not None and prefix.port != _port(address):
        return False
    allowed = unquote(prefix.path).rstrip("/")
    path = unquote(address.path)
    return path == allowed or path.startswith(allowed + "/") or not allowed


def _port(address: SplitResult) -> int | None:
    return address.port or {"http": 80, "https": 443}.get(address.scheme)


LOOPBACK_HOSTS: Final = frozenset(("127.0.0.1", "localhost", "::1"))


# Masking of header values that would give access to a site: cookies and credentials.


MASK: Final = "***"
_COOKIE_SETTERS: Final = frozenset({"set-cookie", "set-cookie2"})  # one cookie each, followed by attributes
_CREDENTIAL_HEADERS: Final = frozenset({"authorization", "proxy-authorization"})
_SECRET_HEADERS: Final = _COOKIE_SETTERS | _CREDENTIAL_HEADERS | {"cookie"}
_MIN_SECRET_CHARACTERS: Final = (
    8  # minimum characters of a value to mask it in other headers; shorter values occur by chance
)

Header = tuple[str, str]


def has_secret_headers(headers: Iterable[Header]) -> bool:
    """Return whether one of these headers may contain a secret."""
    return any(name.lower() in _SECRET_HEADERS for name, _ in headers)


def mask_headers(headers: Sequence[Header], also: Iterable[str] = ()) -> tuple[Header, ...]:
    """Return the headers with each secret replaced by ``***``, also in other headers. also: further secrets.

    >>> mask_headers([("Set-Cookie", "sid=7f5e0c55; Path=/"), ("Location", "/read;sid=7f5e0c55")])
    (('Set-Cookie', 'sid=***; Path=/'), ('Location', '/read;sid=***'))
    """
    secrets = sorted(header_secrets(headers) | set(also), key=len, reverse=True)
    return tuple((name, _mask_echoes(_mask_value(name.lower(), value), secrets)) for name, value in headers)


def header_secrets(headers: Iterable[Header]) -> set[str]:
    """Return the values that these headers set or send, if they are long enough to be recognised elsewhere."""
    secrets: set[str] = set()
    for name, value in headers:
        kind = name.lower()
        if kind in _CREDENTIAL_HEADERS:
            secrets.add(value.partition(" ")[2] or value)
        elif kind in _SECRET_HEADERS:
            pairs = value.split(";")[:1] if kind in _COOKIE_SETTERS else value.split(";")
            secrets |= {pair.partition("=")[2].strip() for pair in pairs}
    return {secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARACTERS}


def _mask_value(kind: str, value: str) -> str:
    if kind in _COOKIE_SETTERS:
        pair, sign, attributes = value.partition(";")
        return f"{_mask_cookie(pair)}{sign}{attributes}"
    if kind == "cookie":
        return "; ".join(_mask_cookie(pair.strip()) for pair in value.split(";"))
    if kind in _CREDENTIAL_HEADERS:
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {MASK}" if space else MASK
    return value


def _mask_cookie(pair: str) -> str:
    """Return ``name=***``. A cookie without a name is all value (RFC 6265, section 5.2)."""
    name, sign, _ = pair.partition("=")
    return f"{name}={MASK}" if sign else MASK


def _mask_echoes(value: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        value = value.replace(secret, MASK)
    return value
