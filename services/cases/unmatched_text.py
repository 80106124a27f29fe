"""What the page of a case shows beside the text that was matched."""

from crawler.extract.files.file_kinds import file_kind
from crawler.extract.read_page import read_unmatched
from crawler.extract.unmatched import Unmatched
from pipeline.pages.deciphering import DECIPHERED
from services.context import Product
from store.errors import NotFound, Unreadable
from store.records import Case


def unmatched_of(product: Product, case: Case, text: str) -> list[Unmatched]:
    """What of the capture in which the copy was found is not in the page's matched text; nothing of one that is lost,
    or cannot be read.
    """
    capture = case.capture
    try:
        body = product.store.blobs.get(capture.read_digest)
    except NotFound:
        return []
    if file_kind(body, capture.headers, capture.url) is not None or _deciphered(product, case):  # all of it is matched
        return []
    try:
        return read_unmatched(body, capture.read_headers, capture.url, text)
    except Unreadable:
        return []


def _deciphered(product: Product, case: Case) -> bool:
    page = product.store.pages.many([case.page_id]).get(case.page_id)
    return page is not None and page.note == DECIPHERED
