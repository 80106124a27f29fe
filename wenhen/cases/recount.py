"""Recount the copied characters of cases of an earlier version, which also counted whitespace."""

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
_CACHED_TEXTS: Final = 16


def recount_old_cases(product: Product, most: int) -> int:
    """Recount the next cases in the order of their numbers, and return how many were examined.

    A case whose texts are lost is unchanged. Newer cases are counted correctly when they are opened.
    """
    store = product.store
    mark = store.marks.get(RECOUNT_MARK) or {}
    if mark.get("done"):
        return 0
    after, looked_at = mark.get("after", 0), 0
    assert isinstance(after, int)
    read = lru_cache(_CACHED_TEXTS)(_reader(product))
    while looked_at < most:
        batch = store.cases.find(order=CaseOrder.OLDEST, above=after, limit=_BATCH_CASES)
        for case in batch:
            if case.match.copied_of_page is None and (counted := _count_case(case, read)) is not None:
                store.cases.set_counts(case, counted)
        after = batch[-1].number if batch else after
        looked_at += len(batch)
        store.marks.set(RECOUNT_MARK, {"after": after, "done": not batch})
        if not batch:
            break
    return looked_at


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
