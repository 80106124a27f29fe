"""What can be made again from what is stored, and held against it: the indexes, and the clusters."""

from collections.abc import Callable

from pipeline.library import rebuild_clusters as clustering
from pipeline.library import rebuild_index as indexes
from pipeline.library import rematch as rematching
from pipeline.library import verify_index as verifying
from pipeline.library.verify_index import VerifiedIndex
from services.context import Product
from store.errors import Conflict
from store.records import OwnerKind, Run

Progress = Callable[[int, int], None]


def rebuild_index(product: Product, kind: OwnerKind, progress: Progress | None = None) -> Run:
    """Build one index anew from the fingerprints, and switch over; look-ups go on meanwhile. Conflict: another does."""
    run = indexes.rebuild_index(product, kind, progress)
    if run is None:
        raise Conflict("rebuilding.under_way", kind=str(kind))
    return run


def verify_index(product: Product, kind: OwnerKind, progress: Progress | None = None) -> VerifiedIndex:
    """Look every fingerprint of this side up in its index."""
    return verifying.verify_index(product, kind, progress)


def rebuild_clusters(product: Product, progress: Progress) -> None:
    """Forget all clusters and find them anew from the stored texts."""
    clustering.rebuild_clusters(product, progress)


def rematch(product: Product, *, everything: bool = False) -> Run:
    """Look works up among the stored pages and the other works again: those that the daily run would, or all."""
    return rematching.start_rematch(product, everything=everything)
