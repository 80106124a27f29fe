"""What the page of a case shows beside the text that was matched."""

from crawler.extract.files.kinds import file_kind
from crawler.extract.page import RENDERED_HEADERS
from crawler.extract.unmatched import Unmatched, unmatched
from services.context import Product
from store.errors import NotFound
from store.records import Case


def unmatched_of(product: Product, case: Case, text: str) -> list[Unmatched]:
    """What of the capture in which the copy was found is not in the page's matched text; nothing of a lost one."""
    capture = case.capture
    try:
        body = product.store.blobs.get(capture.rendered_digest or capture.body_digest)
    except NotFound:
        return []
    if file_kind(body, capture.headers, capture.url) is not None:  # all of a file is matched
        return []
    headers = capture.headers if capture.rendered_digest is None else RENDERED_HEADERS
    return unmatched(body, headers, capture.url, text)
