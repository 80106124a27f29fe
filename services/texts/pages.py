"""The crawled pages as people look into them: the text as extracted, and as it came."""

from dataclasses import dataclass
from typing import Final

from crawler.extract.charset import decode
from services.context import Product
from store.errors import NotFound
from store.records import Page
from store.rules.record_ids import page_id

RAW: Final = 100_000  # bytes of a body that are shown
_BROKEN: Final = 0.05  # share of undecodable characters from which bytes are no text
OPENING: Final = 5_000  # characters of a page whose fingerprint is shown: as many as fit into a form


def named(product: Product, given: str) -> Page:
    """The page of this id or address. NotFound."""
    return product.store.pages.get(page_id(given) if "/" in given else given)


def text_of(product: Product, page: Page) -> str:
    """The text as extracted from the newest capture; empty where there is none."""
    return "" if page.text_digest is None else product.store.blobs.get_text(page.text_digest)


@dataclass(frozen=True, slots=True)
class RawBody:
    """The beginning of a body as its server sent it, in the charset that it was read in. left_out: bytes after it."""

    text: str
    charset: str
    left_out: int


def raw_body(product: Product, page: Page) -> RawBody | None:
    """What the text of a page was read from, as it came; None for pictures, documents and other bytes that are no text,
    and where the body is no longer kept.
    """
    try:
        body = product.store.blobs.get(page.capture.body_digest)
    except NotFound:
        return None
    shown = body[:RAW]
    charset = page.charset or decode(shown).charset  # nothing was read from it yet
    text = shown.decode(charset, "replace")
    if b"\0" in shown or text.count("\ufffd") > _BROKEN * len(text):
        return None
    return RawBody(text, charset, len(body) - len(shown))
