"""Headers without what would let whoever reads them into the site: values of cookies, and credentials."""

from collections.abc import Iterable, Sequence
from typing import Final

MASK: Final = "***"
_SETS: Final = frozenset({"set-cookie", "set-cookie2"})  # one cookie each, with attributes behind it
_CREDENTIALS: Final = frozenset({"authorization", "proxy-authorization"})
_SECRET: Final = _SETS | _CREDENTIALS | {"cookie"}
_TELLING: Final = (
    8  # characters from which a value is looked for in other headers: a shorter one stands there by chance
)

Header = tuple[str, str]


def holds_secrets(headers: Iterable[Header]) -> bool:
    """Whether one of these headers may hold a secret."""
    return any(name.lower() in _SECRET for name, _ in headers)


def masked_headers(headers: Sequence[Header], also: Iterable[str] = ()) -> tuple[Header, ...]:
    """The headers with each secret as ``***``, wherever it stands among them. also: secrets that others had.

    >>> masked_headers([("Set-Cookie", "sid=7f5e0c55; Path=/"), ("Location", "/read;sid=7f5e0c55")])
    (('Set-Cookie', 'sid=***; Path=/'), ('Location', '/read;sid=***'))
    """
    secrets = sorted(secrets_of(headers) | set(also), key=len, reverse=True)
    return tuple((name, _echoes_masked(_masked(name.lower(), value), secrets)) for name, value in headers)


def secrets_of(headers: Iterable[Header]) -> set[str]:
    """The values that these headers set or send, where they are long enough to be known again elsewhere."""
    found: set[str] = set()
    for name, value in headers:
        kind = name.lower()
        if kind in _CREDENTIALS:
            found.add(value.partition(" ")[2] or value)
        elif kind in _SECRET:
            pairs = value.split(";")[:1] if kind in _SETS else value.split(";")
            found |= {pair.partition("=")[2].strip() for pair in pairs}
    return {one for one in found if len(one) >= _TELLING}


def _masked(kind: str, value: str) -> str:
    if kind in _SETS:
        pair, sign, attributes = value.partition(";")
        return f"{_cookie_masked(pair)}{sign}{attributes}"
    if kind == "cookie":
        return "; ".join(_cookie_masked(pair.strip()) for pair in value.split(";"))
    if kind in _CREDENTIALS:
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {MASK}" if space else MASK
    return value


def _cookie_masked(pair: str) -> str:
    """``name=***``; what has no name is all value (RFC 6265, section 5.2)."""
    name, sign, _ = pair.partition("=")
    return f"{name}={MASK}" if sign else MASK


def _echoes_masked(value: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        value = value.replace(secret, MASK)
    return value
