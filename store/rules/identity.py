"""How ids are made from what a record is about."""

from hashlib import sha256


def page_id(url: str) -> str:
    """Return the id of the page at this address: 32 hex digits of its SHA-256."""
    return sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]
