"""One exchange as a WARC file (ISO 28500, version 1.1): the same exchange gives the same bytes.

Records are named after what they hold, dated by the capture, and carry SHA-256 digests.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.evidence.exchange import HttpExchange
from crawler.evidence.warc_records import warc_date

VERSION: Final = "WARC/1.1"
_HEAD_END: Final = b"\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Where and when an exchange took place. about: what its warcinfo says of the software."""

    url: str
    at: datetime
    server_address: str | None
    about: Mapping[str, str]


class _Block(StatusAndHeaders):  # type: ignore[misc]  # warcio is untyped
    """A head whose bytes are written as they are; warcio would put its own in their place."""

    def __init__(self, head: bytes) -> None:
        super().__init__("", [])
        self._head = head

    def __bool__(self) -> bool:
        return True

    def compute_headers_buffer(self, header_filter: object = None) -> None:  # noqa: ARG002  warcio's signature
        self.headers_buff = self._head


def as_warc(exchange: HttpExchange, seen: Seen) -> bytes:
    """The file, each record compressed by itself."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version=VERSION)
    about = b"".join(f"{name}: {value}\r\n".encode() for name, value in seen.about.items())
    _write(writer, "warcinfo", None, about, {"WARC-Date": warc_date(seen.at)})
    more = {"WARC-IP-Address": seen.server_address} if seen.server_address else {}
    if exchange.cut_short:
        more["WARC-Truncated"] = "disconnect"
    dated = {"WARC-Date": warc_date(seen.at)}
    response = _write(writer, "response", seen.url, exchange.response, dated | more)
    for kind, block in (("request", exchange.request), ("metadata", exchange.connection)):
        if block is not None:
            _write(writer, kind, seen.url, block, {**dated, "WARC-Concurrent-To": response})
    if (name := exchange.name) is not None:
        told = {"WARC-Date": name.at, "WARC-Concurrent-To": response, "Content-Type": "text/dns"}
        _write(writer, "resource", name.target, name.content, told)
    return out.getvalue()


def split_head(block: bytes) -> tuple[bytes, bytes]:
    """Head and body of a request or response; the head with the empty line that ends it."""
    head, end, body = block.partition(_HEAD_END)
    return head + end, body


def _write(writer: WARCWriter, kind: str, url: str | None, block: bytes, headers: Mapping[str, str]) -> str:
    """Write the record; its id."""
    digest = sha256(block).hexdigest()
    id = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{kind} {url} {headers} {digest}')}>"
    is_http = kind in {"request", "response"}
    head, body = split_head(block) if is_http else (b"", block)
    given = {**headers, "WARC-Record-ID": id, "WARC-Block-Digest": f"sha256:{digest}"}
    if kind != "warcinfo":
        given["WARC-Payload-Digest"] = f"sha256:{sha256(body).hexdigest()}"
    record = writer.create_warc_record(
        url, kind, payload=BytesIO(body), length=len(body), http_headers=_Block(head), warc_headers_dict=given
    )
    writer.write_record(record)
    return id
