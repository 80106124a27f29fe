"""One address on the web, and what was fetched from it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from store.messages import Message
from store.records.upkeep.progress import Progress
from store.records.web.masked_headers import holds_secrets, masked_headers

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
        if holds_secrets(self.headers):
            object.__setattr__(self, "headers", masked_headers(self.headers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A page of a text over several pages, with the addresses of its neighbours and its own text."""

    text_digest: str | None
    previous: str | None
    next: str | None
    chapter: int | None  # the number that it tells


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """What was read from a page's newest capture, as it is kept with the page."""

    text_digest: str | None
    length: int
    title: str | None
    author: str | None
    published_at: datetime | None
    charset: str | None
    note: str | None
    language: str | None = None
    script: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One address on the web, its captures over time, and the main text of the newest one."""

    id: str
    url: str
    host: str
    site_id: str | None
    version: int  # grows when the text changes
    capture: Capture
    progress: Progress
    first_seen: datetime
    updated_at: datetime
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    charset: str | None = None
    text_digest: str | None = None  # None until extracted, and for a page without text
    length: int = 0
    note: str | None = None  # e.g. no text, too short to match
    captures: int = 1
    part: Part | None = None  # the text as matched stands with the first of the parts
    interval_hours: float = 24.0  # between two looks, by how often it changed
    look_at: datetime | None = None  # from when on the next look is due
    gone_at: datetime | None = None  # since when its server says that it is no longer there
    gone_reason: Message | None = None
    language: str | None = None  # of the text, a tag of BCP 47
    script: str | None = None  # of a Chinese text: simplified, traditional or mixed
