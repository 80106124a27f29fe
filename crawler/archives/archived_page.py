"""One page as an archive holds it."""

from dataclasses import dataclass
from datetime import datetime

from store.messages import Message
from store.records import WarcPlace

HTML = (("Content-Type", "text/html; charset=utf-8"),)
LARGEST = 32 << 20  # bytes of a body


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedPage:
    """A page as it was sent, or its text where the archive holds no more. place: of the record, in a WARC file."""

    url: str
    fetched_at: datetime
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    text: str | None = None
    title: str | None = None
    place: WarcPlace | None = None


@dataclass(frozen=True, slots=True)
class Unusable:
    """What is none. what: the address, or where it stands."""

    what: str
    reason: Message


def plain_text(text: str) -> str:
    """A text that others extracted, as ours are: paragraphs parted by one line feed, nothing around them."""
    return "\n".join(line for line in map(str.strip, text.splitlines()) if line)
