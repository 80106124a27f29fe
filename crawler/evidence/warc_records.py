"""Records of WARC files (ISO 28500, version 1.1), each compressed by itself.

Written by hand: of what a library does for a record, most is to find out what is known here, and its compression takes
twice the time for a two-hundredth of the room.
"""

import zlib
from base64 import b32encode
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha1
from typing import Final, NamedTuple
from uuid import uuid4

VERSION: Final = "WARC/1.1"
REQUEST: Final = "application/http; msgtype=request"
RESPONSE: Final = "application/http; msgtype=response"
FIELDS: Final = "application/warc-fields"
_LEVEL: Final = 6  # of zlib
_GZIP: Final = 16 + zlib.MAX_WBITS


class WarcRecord(NamedTuple):
    """A record; its block is the head of a message, where it has one, and the payload. fields: further ones than each
    record has.
    """

    kind: str  # its WARC-Type
    id: str
    date: str
    fields: Mapping[str, str]
    content_type: str
    payload: bytes
    head: bytes = b""

    def packed(self) -> bytes:
        """As it stands in a file."""
        digest = sha1(self.head, usedforsecurity=False)
        digest.update(self.payload)
        named = {"WARC-Type": self.kind, "WARC-Record-ID": self.id, "WARC-Date": self.date, **self.fields}
        if self.kind != "warcinfo":
            named["WARC-Payload-Digest"] = _written(sha1(self.payload, usedforsecurity=False).digest())
        named |= {
            "WARC-Block-Digest": _written(digest.digest()),
            "Content-Type": self.content_type,
            "Content-Length": str(len(self.head) + len(self.payload)),
        }
        lines = "".join([f"{name}: {value}\r\n" for name, value in named.items()])
        packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        whole = b"".join((f"{VERSION}\r\n{lines}\r\n".encode(), self.head, self.payload, b"\r\n\r\n"))
        return packing.compress(whole) + packing.flush()


def new_id() -> str:
    """A name that no other record has."""
    return f"<urn:uuid:{uuid4()}>"


def now() -> str:
    """The time as the head of a record tells it, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def warc_date(at: datetime) -> str:
    """A time as a record's head tells it: UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _written(digest: bytes) -> str:
    return f"sha1:{b32encode(digest).decode()}"
