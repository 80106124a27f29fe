"""The clusters of near-duplicate works and pages, as the API and the command show them."""

from collections.abc import Collection

from matcher.clusters import root_of
from store.ports import Store
from store.records import Member, OwnerKind, Page, Work


def members(store: Store, id: str) -> list[Member]:
    """The members of a cluster, the first seen first; `id` may be that of one which was merged into it. NotFound."""
    return store.clusters.of(root_of(store.clusters, id).id)


def titles(store: Store, ids: Collection[str]) -> dict[str, str]:
    """What members (kind:owner) are called: a page without a title goes by its address."""
    owners: dict[str, list[str]] = {kind: [] for kind in OwnerKind}
    for id in ids:
        kind, owner_id = id.split(":", 1)
        owners[kind].append(owner_id)
    works: dict[str, Work] = store.works.many(owners[OwnerKind.WORK])
    pages: dict[str, Page] = store.pages.many(owners[OwnerKind.PAGE])
    return {
        **{f"{OwnerKind.WORK}:{work.id}": work.title for work in works.values()},
        **{f"{OwnerKind.PAGE}:{page.id}": page.title or page.url for page in pages.values()},
    }
