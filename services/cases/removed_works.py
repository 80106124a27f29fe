"""Cases whose work is no longer in the library: the page was not compared with it since."""

from collections.abc import Iterable

from services.context import Product
from store.records import Case


def removed_works(product: Product, cases: Iterable[Case]) -> frozenset[str]:
    """The ids of those works that were removed, for the cases that are not present: the copy may be there yet."""
    ids = {case.work_id for case in cases if not case.present}
    works = product.store.works.many(ids) if ids else {}
    return frozenset(id for id, work in works.items() if work.removed_at is not None)
