"""Describe one fetch of a page as evidence: headers, bodies, connection, validators and assets."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Final, NamedTuple

from wenhen.kit.errors import Message
from wenhen.kit.web import has_secret_headers, mask_headers

RENDERED_TYPE: Final = "text/html; charset=utf-8"  # of a page that a browser rendered
RENDERED_HEADERS: Final = (("Content-Type", RENDERED_TYPE),)


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcPlace:
    """The place of an archived response: WARC file, offset and record id."""

    file: str
    offset: int  # bytes, of the record's own gzip member
    record_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """The origin of a capture that a person brought instead of a server, for example from an app on a phone."""

    by: str  # who captured it
    seen_at: datetime
    files: tuple[str, ...]  # their names, in order
    app: str | None = None
    device: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One fetch of a page as evidence: what the server sent, and its metadata. A person may have brought it instead."""

    fetched_at: datetime
    url: str  # after redirects
    status: int  # 0: no server answered
    headers: tuple[tuple[str, str], ...]  # cookies by name only: their values are secrets of a session
    body_digest: str  # sha256 of the body as received, key of the blob
    body_size: int  # bytes
    # The source of the text if it is not the body: the page as a browser rendered it, or the item of its feed.
    # `problems` tells which.
    rendered_digest: str | None = None
    assets_digest: str | None = None  # of the archive of pictures, fonts and styles that show its text
    server_address: str | None = None
    warc: WarcPlace | None = None
    problems: tuple[Message, ...] = ()  # e.g. charset lied, body cut short
    brought: Brought | None = None

    @property
    def read_digest(self) -> str:
        """Return the digest of the content that the text is extracted from."""
        return self.rendered_digest or self.body_digest

    @property
    def read_headers(self) -> tuple[tuple[str, str], ...]:
        """Return the headers of that content. The server's headers do not describe a rendered page."""
        return self.headers if self.rendered_digest is None else RENDERED_HEADERS

    def __post_init__(self) -> None:
        """Mask secret headers, which would let a reader into the site. This covers captures of earlier releases too."""
        if has_secret_headers(self.headers):
            object.__setattr__(self, "headers", mask_headers(self.headers))


NOT_MODIFIED: Final = 304


# Facts about the connection of a response: the resolver's answer and the server's certificates.


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses that a resolver returned for a name."""

    name: str
    addresses: tuple[str, ...]
    answered_at: datetime

    @property
    def target(self) -> str:
        """Return the URI of the answer (RFC 4501)."""
        return f"dns:{self.name}"

    def as_text(self) -> bytes:
        """Return the answer as text/dns (RFC 4027), a resource record a line. Resolvers do not tell the time to
        live.
        """
        kinds = {4: "A", 6: "AAAA"}
        records = ((kinds[ip_address(address.partition("%")[0]).version], address) for address in self.addresses)
        return "".join(f"{self.name}. IN {kind} {address}\n" for kind, address in records).encode("ascii")


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """The connection of a response. chain: the server's certificates as PEM, in the order in which it showed them."""

    chain: Sequence[str] = ()
    answer: DnsAnswer | None = None


class RecordedExchange(NamedTuple):  # every answer is pickled to another process, and a named tuple pickles fastest
    """A request and its response as they went over the wire. The lines hold the first line and the headers.

    address: of the server. again: an earlier crawler may have fetched the page before it went silent.
    """

    url: str
    asked: tuple[bytes, ...]
    question: bytes
    answered: tuple[bytes, ...]
    body: bytes
    address: str | None
    cut_short: bool
    again: bool
    connection: ConnectionRecord


CONDITIONAL_HEADERS = ("If-None-Match", "If-Modified-Since")
# Headers that a 304 does not refresh (RFC 9111, 3.2). They still describe the stored body.
BODY_HEADERS = frozenset(("content-length", "content-encoding", "content-type", "content-range", "transfer-encoding"))

HeaderPairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Validators:
    """The validators that a server sent with a page. By them it can tell later whether the page changed."""

    etag: str | None
    last_modified: str | None


def read_validators(headers: HeaderPairs) -> Validators | None:
    """Return the validators in the headers of a page, or None."""
    first = {name.lower(): value for name, value in reversed(headers)}
    etag, last_modified = first.get("etag"), first.get("last-modified")
    return Validators(etag, last_modified) if etag or last_modified else None


def refresh_headers(headers: HeaderPairs, by: HeaderPairs) -> tuple[tuple[str, str], ...]:
    """Return the headers of a capture, refreshed by those of a 304.

    >>> refresh_headers([("ETag", '"1"'), ("Content-Type", "text/html")], [("etag", '"2"'), ("Content-Length", "0")])
    (('Content-Type', 'text/html'), ('etag', '"2"'))
    """
    new = [(name, value) for name, value in by if name.lower() not in BODY_HEADERS]
    names = {name.lower() for name, _ in new}
    return (*(pair for pair in headers if pair[0].lower() not in names), *new)


# Assets of a page: pictures, fonts and style sheets that show its text. One archive holds them, and a capture names it
# by its digest.


FONT_SIGNATURES = (b"wOF2", b"wOFF", b"OTTO", b"true", b"\0\1\0\0")
_STYLE_SUFFIX = ".css"  # ends the names of style sheets in the archive
_FIXED_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # so that the same assets make the same archive


@dataclass(frozen=True, slots=True)
class PageAsset:
    """A picture, a font or a style sheet, with its address."""

    address: str
    content: bytes
    is_style: bool = False

    @property
    def digest(self) -> str:
        """Return the digest that keys the text of a picture."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def is_font(self) -> bool:
        """Return whether the content begins like a font."""
        return self.content.startswith(FONT_SIGNATURES)

    @property
    def is_picture(self) -> bool:
        """Return whether the asset is neither a style sheet nor a font."""
        return not (self.is_style or self.is_font)


def pack_assets(assets: Sequence[PageAsset]) -> bytes:
    """Return a ZIP archive of the assets in their order. Each has its address as its comment."""
    import io
    import zipfile

    with zipfile.ZipFile(archive := io.BytesIO(), "w") as writing:
        for number, asset in enumerate(assets, 1):
            entry = zipfile.ZipInfo(f"{number:03}{_STYLE_SUFFIX if asset.is_style else ''}", _FIXED_ZIP_DATE)
            entry.comment = asset.address.encode()
            writing.writestr(entry, asset.content)
    return archive.getvalue()


def unpack_assets(archive: bytes) -> list[PageAsset]:
    """Return the assets of an archive."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(archive)) as reading:
        return [
            PageAsset(entry.comment.decode(), reading.read(entry), entry.filename.endswith(_STYLE_SUFFIX))
            for entry in reading.infolist()
        ]
