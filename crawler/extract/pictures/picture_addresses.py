"""Where the pictures of a page lie: addresses, also those that a script shows later, and what stands in the page."""

import binascii
import hashlib
from base64 import b64decode
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from crawler.crawl.canonical_addresses import canonical, linked

# Where a page names the picture that it shows once somebody scrolls there, before what it shows until then.
LATER = ("data-original", "data-src", "data-lazy-src", "data-lazy", "data-actualsrc", "data-echo", "data-url")
INSIDE = "data:"
MOST_INSIDE = 8 << 20  # characters of a picture that stands in the page


def address_of(attributes: Mapping[str, str | None], base: str) -> str | None:
    """The picture of an <img>, in full; of one that stands in the page, ``data:`` with the SHA-256 of its bytes."""
    stated = [(attributes.get(name) or "").strip() for name in (*LATER, "src")]
    named = [one for one in stated if one and not one.startswith(INSIDE)]
    if not named:
        inside = content_of(attributes)
        return None if inside is None else INSIDE + hashlib.sha256(inside).hexdigest()
    try:
        url = canonical(linked(base, named[0]))
    except ValueError:
        return None
    return url if url.startswith(("http://", "https://")) else None


def content_of(attributes: Mapping[str, str | None]) -> bytes | None:
    """The bytes of a picture that stands in the page (RFC 2397)."""
    head, comma, data = (attributes.get("src") or "").strip()[:MOST_INSIDE].partition(",")
    if not comma or not head.startswith("data:image/"):
        return None
    raw = unquote_to_bytes(data)
    try:
        return b64decode(raw) if head.endswith(";base64") else raw
    except binascii.Error:
        return None
