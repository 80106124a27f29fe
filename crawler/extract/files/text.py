"""Plain text, in whatever charset it is."""

from crawler.extract.charset import decode
from crawler.extract.files.document import Document, whole
from store.errors import Unreadable

REPLACED_SHARE = 0.02  # of the characters; beyond it a file is not text in any charset that we know


def read_text(content: bytes, charset: str | None = None) -> Document:
    """charset: what its server says. Raises `Unreadable` for bytes that are no text."""
    decoded = decode(content, charset)
    bad = decoded.text.count("\N{REPLACEMENT CHARACTER}") + decoded.text.count("\0")
    if bad > REPLACED_SHARE * len(decoded.text):
        raise Unreadable("importing.not_text")
    return Document(whole(decoded.text), charset=decoded.charset)
