"""Write HTTP exchanges as WARC, and mask their secrets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.warc.reader import HttpExchange
from crawler.warc.writer import warc_date
from wenhen.kit.web import MASK, Header, header_secrets, mask_headers

# Exchanges as a reproducible WARC file (ISO 28500, version 1.1). Record ids derive from the content, dates are those
# of the capture, digests are SHA-256.


EXHIBIT_WARC_VERSION: Final = "WARC/1.1"
_HEAD_END: Final = b"\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeContext:
    """URL, time and server of an exchange.

    about: fields of the warcinfo record about the software.
    """

    url: str
    at: datetime
    server_address: str | None
    about: Mapping[str, str]


class _RawHead(StatusAndHeaders):  # type: ignore[misc]  # warcio is untyped
    """A head whose original bytes are written. warcio would reformat it."""

    def __init__(self, head: bytes) -> None:
        super().__init__("", [])
        self._head = head

    def __bool__(self) -> bool:
        return True

    def compute_headers_buffer(self, header_filter: object = None) -> None:  # noqa: ARG002  warcio's signature
        self.headers_buff = self._head


def write_warc(
    exchange: HttpExchange, seen: ExchangeContext, further: Iterable[tuple[HttpExchange, ExchangeContext]] = ()
) -> bytes:
    """Return the WARC file, with each record compressed separately. further: exchanges that follow."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version=EXHIBIT_WARC_VERSION)
    about = b"".join(f"{name}: {value}\r\n".encode() for name, value in seen.about.items())
    _write_record(writer, "warcinfo", None, about, {"WARC-Date": warc_date(seen.at)})
    for each, each_seen in ((exchange, seen), *further):
        _write_exchange(writer, each, each_seen)
    return out.getvalue()


def _write_exchange(writer: WARCWriter, exchange: HttpExchange, seen: ExchangeContext) -> None:
    more = {"WARC-IP-Address": seen.server_address} if seen.server_address else {}
    if exchange.cut_short:
        more["WARC-Truncated"] = "disconnect"
    dated = {"WARC-Date": warc_date(seen.at)}
    response = _write_record(writer, "response", seen.url, exchange.response, dated | more)
    for kind, block in (("request", exchange.request), ("metadata", exchange.connection)):
        if block is not None:
            _write_record(writer, kind, seen.url, block, {**dated, "WARC-Concurrent-To": response})
    if (name := exchange.name) is not None:
        headers = {"WARC-Date": name.date, "WARC-Concurrent-To": response, "Content-Type": "text/dns"}
        _write_record(writer, "resource", name.target, name.content, headers)


def split_head(block: bytes) -> tuple[bytes, bytes]:
    """Split a request or response into head (including the empty line) and body."""
    head, end, body = block.partition(_HEAD_END)
    return head + end, body


def _write_record(writer: WARCWriter, kind: str, url: str | None, block: bytes, headers: Mapping[str, str]) -> str:
    """Write a record and return its id."""
    digest = sha256(block).hexdigest()
    id = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{kind} {url} {headers} {digest}')}>"
    is_http = kind in {"request", "response"}
    head, body = split_head(block) if is_http else (b"", block)
    given = {**headers, "WARC-Record-ID": id, "WARC-Block-Digest": f"sha256:{digest}"}
    if kind != "warcinfo":
        given["WARC-Payload-Digest"] = f"sha256:{sha256(body).hexdigest()}"
    record = writer.create_warc_record(
        url, kind, payload=BytesIO(body), length=len(body), http_headers=_RawHead(head), warc_headers_dict=given
    )
    writer.write_record(record)
    return id


# Secrets in the heads of an exchange are masked. The exhibit records that, but not their values.


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedExchange:
    """A masked exchange.

    headers: names of masked headers, with "request" or "response".
    heads: original heads for the sealed copy.
    in_body: whether the body, which is never changed, contains a masked value.
    """

    exchange: HttpExchange
    headers: tuple[str, ...]
    heads: tuple[str, ...]
    in_body: bool


def mask_exchange(exchange: HttpExchange) -> MaskedExchange:
    """Mask cookies and credentials, and their values anywhere in both heads."""
    sent, got = _parse_head(exchange.request), _parse_head(exchange.response)
    secrets = header_secrets(sent) | header_secrets(got)
    changed = [
        f"{where}: {name}"
        for where, before in (("request", sent), ("response", got))
        for (name, value), (_, now) in zip(before, mask_headers(before, secrets), strict=True)
        if value != now
    ]
    body = split_head(exchange.response)[1]
    masked = replace(
        exchange,
        request=None if exchange.request is None else _mask_head(exchange.request, secrets),
        response=_mask_head(exchange.response, secrets),
    )
    heads = [split_head(block)[0].decode("latin-1") for block in (exchange.request, exchange.response) if block]
    return MaskedExchange(
        exchange=masked if changed else exchange,
        headers=tuple(changed),
        heads=tuple(heads) if changed else (),
        in_body=any(secret.encode("latin-1") in body for secret in secrets),
    )


def _parse_head(block: bytes | None) -> list[Header]:
    return [] if block is None else [_parse_header(line) for line in _head_lines(block)[1:]]


def _head_lines(block: bytes) -> list[str]:
    return split_head(block)[0].decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")


def _parse_header(line: str) -> Header:
    name, _, value = line.partition(":")
    return name, value.strip()


def _mask_head(block: bytes, secrets: set[str]) -> bytes:
    first, *lines = _head_lines(block)
    headers: Sequence[Header] = mask_headers([_parse_header(line) for line in lines], secrets)
    for secret in secrets:
        first = first.replace(secret, MASK)
    head = "\r\n".join((first, *(f"{name}: {value}" for name, value in headers), "", ""))
    return head.encode("latin-1") + split_head(block)[1]
