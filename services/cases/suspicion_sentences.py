"""The sentences of a suspicion, those of the page each with that of the work which it may tell anew."""

from typing import NamedTuple

from services.context import Product
from store.errors import NotFound
from store.records import Case


class SentencePair(NamedTuple):
    """What stands in the page and in the work, and the words that both have, as the page has them."""

    page: str
    work: str
    words: tuple[str, ...]


def sentence_pairs(product: Product, case: Case) -> list[SentencePair]:
    """The pairs in the order of the page; none where the case is no suspicion, or the store has lost a text."""
    if not case.match.retold:
        return []
    try:
        texts = product.store.blobs.get_texts({case.page_text_digest, case.work_text_digest})
    except NotFound:
        return []
    page, work = texts[case.page_text_digest], texts[case.work_text_digest]
    return [
        SentencePair(page[one.page_start : one.page_end], work[one.work_start : one.work_end], one.words)
        for one in case.match.retold
    ]
