"""Rebuild and verify indexes, and start a re-match, on request."""

from collections.abc import Callable

from wenhen.crawls.model import Run
from wenhen.kit.errors import Conflict
from wenhen.kit.progress import OwnerKind
from wenhen.matching.index_rebuild import VerifiedIndex, rebuild_index, verify_index
from wenhen.matching.rematch import start_rematch
from wenhen.product.context import Product

RebuildProgress = Callable[[int, int], None]


def request_index_rebuild(product: Product, kind: OwnerKind, progress: RebuildProgress | None = None) -> Run:
    """Build one index anew from the fingerprints, and switch over; look-ups go on meanwhile. Conflict: another does."""
    run = rebuild_index(product, kind, progress)
    if run is None:
        raise Conflict("rebuilding.under_way", kind=str(kind))
    return run


def request_index_verification(
    product: Product, kind: OwnerKind, progress: RebuildProgress | None = None
) -> VerifiedIndex:
    """Look every fingerprint of this side up in its index."""
    return verify_index(product, kind, progress)


def request_rematch(product: Product, *, everything: bool = False) -> Run:
    """Look works up among the stored pages and the other works again: those that the daily run would, or all."""
    return start_rematch(product, everything=everything)
