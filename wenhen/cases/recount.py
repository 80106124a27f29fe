"""Recount the characters of cases, works and pages of an earlier version, which also counted whitespace."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from matcher.attribution.verdict import count_match
from matcher.model import Match
from wenhen.cases.model import Case, CaseOrder, Extent
from wenhen.kit.errors import NotFound
from wenhen.product.context import Product

RECOUNT_MARK: Final = "recount"
_BATCH_CASES: Final = 50
_BATCH_TEXTS: Final = 200
_CACHED_TEXTS: Final = 16


def recount_old_cases(product: Product, most: int) -> int:
    """Recount the next cases in the order of their numbers, and return how many were examined.

    A case whose texts are lost is unchanged. Newer cases are counted correctly when they are opened.
    """
    store = product.store
    read = lru_cache(_CACHED_TEXTS)(_reader(product))

    def recount(after: object) -> tuple[int | None, int]:
        above = int(str(after or 0))
        batch = store.cases.find(order=CaseOrder.OLDEST, above=above, limit=_BATCH_CASES)
        for case in batch:
            if case.match.copied_of_page is None and (counted := _count_case(case, read)) is not None:
                store.cases.set_counts(case, counted)
        return batch[-1].number if batch else None, len(batch)

    return _go_on(product, RECOUNT_MARK, recount, most)


def recount_old_texts(product: Product, most: int) -> None:
    """Count the characters of the next works and pages of an earlier version, in the order of their ids."""
    store = product.store

    def count_works(after: object) -> tuple[str | None, int]:
        return store.works.count_old(str(after or ""), _BATCH_TEXTS), _BATCH_TEXTS

    def count_pages(after: object) -> tuple[str | None, int]:
        return store.pages.count_old(str(after or ""), _BATCH_TEXTS, store.blobs), _BATCH_TEXTS

    for mark, count in (("recount:works", count_works), ("recount:pages", count_pages)):
        _go_on(product, mark, count, most)


def _go_on(product: Product, mark: str, recount: Callable[[object], tuple[int | str | None, int]], most: int) -> int:
    """Recount further batches, and return how many records were examined.

    recount: takes the last key of the batch before, and returns that of the next one, None at the end, and its size.
    """
    place, examined = product.store.marks.get(mark) or {}, 0
    while examined < most and not place.get("done"):
        after, size = recount(place.get("after"))
        place = {"after": place.get("after") if after is None else after, "done": after is None}
        product.store.marks.set(mark, place)
        examined += size
    return examined


def _reader(product: Product) -> Callable[[str], str | None]:
    def read(digest: str) -> str | None:
        try:
            return product.store.blobs.get_text(digest)
        except NotFound:
            return None

    return read


def _count_case(case: Case, read: Callable[[str], str | None]) -> Case | None:
    page, work = read(case.page_text_digest), read(case.work_text_digest)
    if page is None or work is None:
        return None
    match = count_match(case.match, page, work)
    figures = None if case.found is None else count_match(case.found, page, work)
    return replace(case, match=match, found=figures, extent=_scale_extent(case.extent, case.match, match))


def _scale_extent(extent: Extent | None, before: Match, after: Match) -> Extent | None:
    """Return the extent of a quiet case, rescaled to counts without whitespace."""
    if extent is None or extent.counted:
        return extent
    return replace(
        extent,
        share_of_page=_scale(extent.share_of_page, before.share_of_page, after.share_of_page),
        share_of_work=_scale(extent.share_of_work, before.share_of_work, after.share_of_work),
        counted=True,
    )


def _scale(share: float, before: float, after: float) -> float:
    return min(1.0, share * after / before) if before else share
