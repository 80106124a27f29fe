"""Where in its file a passage of a page stands: on which page, in which chapter, in which paragraph."""

from collections.abc import Mapping

from crawler.extract.files.document import TextPlace, place_at
from crawler.extract.files.kinds import file_kind
from crawler.extract.read_page import read_page
from services.context import Product
from store.errors import NotFound, Unreadable
from store.records import Case, Passage


def places_of(product: Product, case: Case) -> Mapping[Passage, TextPlace]:
    """The place of each passage's beginning, by the capture in which the copy was found; nothing of a page that is
    no file, of a file that was lost, and of one that is read otherwise now.
    """
    capture = case.capture
    try:
        body = product.store.blobs.get(capture.body_digest)
        if file_kind(body, capture.headers, capture.url) is None:
            return {}
        page = read_page(body, capture.headers, capture.url)
        if page.text != product.store.blobs.get_text(case.page_text_digest):
            return {}
    except (NotFound, Unreadable):
        return {}
    found = {one: place_at(page.text, page.parts, one.page_start) for one in case.match.passages}
    return {one: place for one, place in found.items() if place is not None}
