"""An exchange without the secrets in its heads, and what was masked: that something was is told, never what it was."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crawler.evidence.exchange import HttpExchange
from services.evidence.package.exhibit_warc import split_head
from store.records.web.masked_headers import MASK, Header, masked_headers, secrets_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """The exchange as it may leave. headers: names of those that were changed, with where; heads: as they came, for
    the sealed copy; in_body: whether a value that was masked also stands in the body, which is never changed.
    """

    exchange: HttpExchange
    headers: tuple[str, ...]
    heads: tuple[str, ...]
    in_body: bool


def masked_exchange(exchange: HttpExchange) -> Masked:
    """Mask cookies, credentials, and their values wherever they stand in either head."""
    sent, got = _head(exchange.request), _head(exchange.response)
    secrets = secrets_of(sent) | secrets_of(got)
    changed = [
        f"{where}: {name}"
        for where, before in (("request", sent), ("response", got))
        for (name, value), (_, now) in zip(before, masked_headers(before, secrets), strict=True)
        if value != now
    ]
    body = split_head(exchange.response)[1]
    masked = replace(
        exchange,
        request=None if exchange.request is None else _rewritten(exchange.request, secrets),
        response=_rewritten(exchange.response, secrets),
    )
    heads = [split_head(block)[0].decode("latin-1") for block in (exchange.request, exchange.response) if block]
    return Masked(
        exchange=masked if changed else exchange,
        headers=tuple(changed),
        heads=tuple(heads) if changed else (),
        in_body=any(secret.encode("latin-1") in body for secret in secrets),
    )


def _head(block: bytes | None) -> list[Header]:
    return [] if block is None else [_pair(line) for line in _lines(block)[1:]]


def _lines(block: bytes) -> list[str]:
    return split_head(block)[0].decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")


def _pair(line: str) -> Header:
    name, _, value = line.partition(":")
    return name, value.strip()


def _rewritten(block: bytes, secrets: set[str]) -> bytes:
    first, *lines = _lines(block)
    told: Sequence[Header] = masked_headers([_pair(line) for line in lines], secrets)
    for secret in secrets:
        first = first.replace(secret, MASK)
    head = "\r\n".join((first, *(f"{name}: {value}" for name, value in told), "", ""))
    return head.encode("latin-1") + split_head(block)[1]
