"""Describe one fetch of a page as evidence: headers, bodies, connection, validators and assets."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Final, NamedTuple

from wenhen.kit.errors import Message
from wenhen.kit.web import has_secret_headers, mask_headers

RENDERED_TYPE: Final = "text/html; charset=utf-8"  # of what a browser made of a page
RENDERED_HEADERS: Final = (("Content-Type", RENDERED_TYPE),)


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcPlace:
    """Where a response stands as it came: the name of a WARC file, the place of the record in it, the record's id."""

    file: str
    offset: int  # bytes, of the record's own gzip member
    record_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """How somebody came by a capture that no server sent: seen in an app, on a device."""

    by: str  # who took it
    seen_at: datetime
    files: tuple[str, ...]  # as they were called, in their order
    app: str | None = None
    device: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One fetch of a page, as evidence: what the server sent, and what it said of it; or what somebody brought."""

    fetched_at: datetime
    url: str  # after redirects
    status: int  # 0: no server answered
    headers: tuple[tuple[str, str], ...]  # of cookies the names alone: their values are a session's
    body_digest: str  # sha256 of the body as received, key of the blob
    body_size: int  # bytes
    # Of what the text is read from: the page after its scripts ran in a browser, or the item of its feed, as told in
    # `problems`.
    rendered_digest: str | None = None
    assets_digest: str | None = None  # of an archive of pictures, fonts and styles that its text is shown in
    server_address: str | None = None
    warc: WarcPlace | None = None
    problems: tuple[Message, ...] = ()  # e.g. charset lied, body cut short
    brought: Brought | None = None

    @property
    def read_digest(self) -> str:
        """Of what its text is read from."""
        return self.rendered_digest or self.body_digest

    @property
    def read_headers(self) -> tuple[tuple[str, str], ...]:
        """Those by which that is read: what the server says of its answer is not true of what a browser made of it."""
        return self.headers if self.rendered_digest is None else RENDERED_HEADERS

    def __post_init__(self) -> None:
        """Mask what would let whoever reads it into the site; also in captures of earlier releases."""
        if has_secret_headers(self.headers):
            object.__setattr__(self, "headers", mask_headers(self.headers))


NOT_MODIFIED: Final = 304


# What is known of the connection that a response came over: what the resolver said, what the server showed.


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses that a resolver gave for a name."""

    name: str
    addresses: tuple[str, ...]
    at: datetime

    @property
    def target(self) -> str:
        """As a record names what it is of (RFC 4501)."""
        return f"dns:{self.name}"

    def as_text(self) -> bytes:
        """text/dns (RFC 4027): a resource record a line, without the time to live, which a resolver does not tell."""
        kinds = {4: "A", 6: "AAAA"}
        told = ((kinds[ip_address(one.partition("%")[0]).version], one) for one in self.addresses)
        return "".join(f"{self.name}. IN {kind} {address}\n" for kind, address in told).encode("ascii")


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """chain: the certificates in the order in which the server showed them, its own first, PEM."""

    chain: Sequence[str] = ()
    answer: DnsAnswer | None = None


class RecordedExchange(NamedTuple):  # it goes to another process for every answer: no other form is packed as fast
    """Lines are the first of a message and its headers, as they went over the wire. address: of the server; again: its
    crawler was not heard of any more, so that it may have been fetched before.
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
# What a 304 says anew of the page (RFC 9111, 3.2); all else still stands as it came with the body.
BODY_HEADERS = frozenset(("content-length", "content-encoding", "content-type", "content-range", "transfer-encoding"))

HeaderPairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server said of a page, as it said it, by which it can tell later whether the page changed."""

    etag: str | None
    last_modified: str | None


def read_validators(headers: HeaderPairs) -> Validators | None:
    """The validators in the headers of a page; None where there are none."""
    first = {name.lower(): value for name, value in reversed(headers)}
    etag, last_modified = first.get("etag"), first.get("last-modified")
    return Validators(etag, last_modified) if etag or last_modified else None


def refresh_headers(headers: HeaderPairs, by: HeaderPairs) -> tuple[tuple[str, str], ...]:
    """The headers of a capture, where a 304 says them anew replaced by its own.

    >>> refresh_headers([("ETag", '"1"'), ("Content-Type", "text/html")], [("etag", '"2"'), ("Content-Length", "0")])
    (('Content-Type', 'text/html'), ('etag', '"2"'))
    """
    new = [(name, value) for name, value in by if name.lower() not in BODY_HEADERS]
    names = {name.lower() for name, _ in new}
    return (*(pair for pair in headers if pair[0].lower() not in names), *new)


# What was fetched with a page because its text is shown in it, pictures, fonts and style sheets: kept as one
# archive, which a capture names by one digest.


FONT_SIGNATURES = (b"wOF2", b"wOFF", b"OTTO", b"true", b"\0\1\0\0")
_STYLE_SUFFIX = ".css"  # how the name of a sheet ends in the archive
_FIXED_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # so that the same assets make the same archive


@dataclass(frozen=True, slots=True)
class PageAsset:
    """A picture, a font or a style sheet, and the address that the page has it from."""

    address: str
    content: bytes
    is_style: bool = False

    @property
    def digest(self) -> str:
        """By which what is read in a picture is kept."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def is_font(self) -> bool:
        """By how it begins."""
        return self.content.startswith(FONT_SIGNATURES)

    @property
    def is_picture(self) -> bool:
        """Whether it is neither of the others."""
        return not (self.is_style or self.is_font)


def pack_assets(assets: Sequence[PageAsset]) -> bytes:
    """An archive (ZIP) of the assets in their order, each with its address as its comment."""
    import io
    import zipfile

    with zipfile.ZipFile(archive := io.BytesIO(), "w") as writing:
        for number, one in enumerate(assets, 1):
            entry = zipfile.ZipInfo(f"{number:03}{_STYLE_SUFFIX if one.is_style else ''}", _FIXED_ZIP_DATE)
            entry.comment = one.address.encode()
            writing.writestr(entry, one.content)
    return archive.getvalue()


def unpack_assets(archive: bytes) -> list[PageAsset]:
    """What was packed."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(archive)) as reading:
        return [
            PageAsset(one.comment.decode(), reading.read(one), one.filename.endswith(_STYLE_SUFFIX))
            for one in reading.infolist()
        ]
