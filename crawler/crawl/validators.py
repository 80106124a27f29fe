"""By what a server can tell whether a page changed since it was captured (RFC 9110, 8.8 and 13.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

CONDITIONS = ("If-None-Match", "If-Modified-Since")
# What a 304 says anew of the page (RFC 9111, 3.2); all else still stands as it came with the body.
NOT_FRESHENED = frozenset(("content-length", "content-encoding", "content-type", "content-range", "transfer-encoding"))

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server said of a page, as it said it, by which it can tell later whether the page changed."""

    etag: str | None
    last_modified: str | None


def validators(headers: Headers) -> Validators | None:
    """The validators in the headers of a page; None where there are none."""
    first = {name.lower(): value for name, value in reversed(headers)}
    etag, last_modified = first.get("etag"), first.get("last-modified")
    return Validators(etag, last_modified) if etag or last_modified else None


def freshened(headers: Headers, by: Headers) -> tuple[tuple[str, str], ...]:
    """The headers of a capture, where a 304 says them anew replaced by its own.

    >>> freshened([("ETag", '"1"'), ("Content-Type", "text/html")], [("etag", '"2"'), ("Content-Length", "0")])
    (('Content-Type', 'text/html'), ('etag', '"2"'))
    """
    new = [(name, value) for name, value in by if name.lower() not in NOT_FRESHENED]
    names = {name.lower() for name, _ in new}
    return (*(pair for pair in headers if pair[0].lower() not in names), *new)
