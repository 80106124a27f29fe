"""Show the stored pages to the matcher, as witnesses of what everybody writes."""

from collections.abc import Collection

from matcher.attribution.page_text import PageOrigin, StoredPages, look_up_pages
from matcher.clusters import clusters_of
from wenhen.kit.progress import Owner, OwnerKind
from wenhen.product.context import Context


def stored_pages(context: Context) -> StoredPages:
    """Return the stored pages. Nothing is asked before a passage needs them."""

    def count() -> int:
        return context.sizes.of(context.store.fingerprints, OwnerKind.PAGE)

    def find_origins(numbers: Collection[int]) -> dict[int, PageOrigin]:
        """Return the cluster and host of each page. A page without near-duplicates is a cluster of its own."""
        owners = context.store.fingerprints.names(OwnerKind.PAGE, numbers)
        ids = {id for id, _ in owners.values()}
        hosts = context.store.pages.hosts(ids)
        clusters = clusters_of(context.store.clusters, [Owner.of_page(id) for id in ids])
        return {
            number: PageOrigin(clusters[Owner.of_page(id)] or f"page:{id}", hosts[id])
            for number, (id, _) in owners.items()
            if id in hosts
        }

    return StoredPages(look_up_pages(context.pages_index, count), find_origins)
