"""The fonts that a page carries in its own markup."""

import base64
import binascii
import re
from collections.abc import Iterator

FACE = re.compile(rb"@font-face\s*\{[^{}]*\}", re.IGNORECASE)
DATA = re.compile(rb"url\(\s*[\"']?data:[^,\"')]{0,200};base64,([A-Za-z0-9+/=\s]+)", re.IGNORECASE)
MOST = 8  # fonts of a page
LARGEST = 8_000_000  # characters of one


def embedded_fonts(body: bytes) -> list[bytes]:
    """Fonts in data: addresses (RFC 2397), as they are: WOFF2, WOFF, TrueType or OpenType."""
    return list(dict.fromkeys(_fonts(body)))[:MOST]


def _fonts(body: bytes) -> Iterator[bytes]:
    for face in FACE.findall(body):
        for written in DATA.findall(face):
            if len(written) <= LARGEST:
                try:
                    yield base64.b64decode(b"".join(written.split()), validate=True)
                except binascii.Error:
                    continue
