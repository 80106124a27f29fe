"""List the members of a cluster with their titles."""

from collections.abc import Collection

from matcher.clusters import Member, root_of
from wenhen.kit.progress import Owner, OwnerKind
from wenhen.pages.model import Page
from wenhen.product.store import Store
from wenhen.works.model import Work


def find_members(store: Store, id: str) -> list[Member]:
    """The members of a cluster, the first seen first; `id` may be that of one which was merged into it. NotFound."""
    return store.clusters.of(root_of(store.clusters, id).id)


def find_titles(store: Store, ids: Collection[str]) -> dict[str, str]:
    """What members (kind:owner) are called: a page without a title goes by its address."""
    owners: dict[OwnerKind, list[str]] = {kind: [] for kind in OwnerKind}
    for owner in map(Owner.parse, ids):
        owners[owner.kind].append(owner.id)
    works: dict[str, Work] = store.works.many(owners[OwnerKind.WORK])
    pages: dict[str, Page] = store.pages.many(owners[OwnerKind.PAGE])
    return {
        **{str(Owner.of_work(work.id)): work.title for work in works.values()},
        **{str(Owner.of_page(page.id)): page.title or page.url for page in pages.values()},
    }
