"""Pages captured before: asked for only if they changed (RFC 9110, 13.1)."""

from collections.abc import Sequence

from crawler.crawl.sink import Validators

CONDITIONS = ("If-None-Match", "If-Modified-Since")
NOT_MODIFIED = 304
STORED = "stored"  # the flag of a response that no server gave: the page need not be asked for now
FOUND = "found"  # in the meta of its request: what the page was when it was captured, if that was in this run
# What a 304 says anew of the page (RFC 9111, 3.2); all else still stands as it came with the body.
NOT_FRESHENED = frozenset(("content-length", "content-encoding", "content-type", "content-range", "transfer-encoding"))

Headers = Sequence[tuple[str, str]]


def validators(headers: Headers) -> Validators | None:
    """What a server said of a page by which it can tell whether that changed, or None."""
    said = {name.lower(): value for name, value in reversed(headers)}
    etag, last_modified = said.get("etag"), said.get("last-modified")
    return Validators(etag, last_modified) if etag or last_modified else None


def freshened(headers: Headers, by: Headers) -> tuple[tuple[str, str], ...]:
    """The headers of a capture, where a 304 says them anew replaced by its own.

    >>> freshened([("ETag", '"1"'), ("Content-Type", "text/html")], [("etag", '"2"'), ("Content-Length", "0")])
    (('Content-Type', 'text/html'), ('etag', '"2"'))
    """
    new = [(name, value) for name, value in by if name.lower() not in NOT_FRESHENED]
    names = {name.lower() for name, _ in new}
    return (*(pair for pair in headers if pair[0].lower() not in names), *new)
