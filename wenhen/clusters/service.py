"""List the members of a cluster with their titles, and rebuild all clusters on request."""

from collections.abc import Callable, Collection
from itertools import chain

from matcher.clusters import Member, root_of, similarity_of_shares
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Context
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import Owner, OwnerKind
from wenhen.matching.candidates import find_candidate_works
from wenhen.matching.clustering import (
    join_near_pages,
    join_near_pairs,
    join_near_works,
    page_member,
    update_case_clusters,
    work_member,
)
from wenhen.matching.comparison import compare_with_candidates
from wenhen.pages.model import Page
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


def rebuild_clusters(context: Context, progress: Callable[[int, int], None]) -> None:
    """Forget all clusters and find them anew; texts that come in meanwhile join as ever."""
    store = context.store
    store.clusters.clear()
    total = store.works.count() + store.pages.count()
    tasks = chain(((_rejoin_work, id) for id in store.works.ids()), ((_rejoin_page, id) for id in store.pages.ids()))
    for done, (task, id) in enumerate(tasks, 1):
        task(context, id)
        progress(done, max(done, total))
    for page_id in {case.page_id for case in store.cases.each()}:
        update_case_clusters(context, [page_id])


def _rejoin_work(context: Context, id: str) -> None:
    work = context.store.works.get(id)
    if work.removed_at is None:
        reading = TextReading(context.store.blobs.get_text(work.text_digest))
        ranked = [candidate for candidate in find_candidate_works(context, reading) if candidate.owner_id != id]
        join_near_works(context, [(work_member(work), compare_with_candidates(context, reading, ranked))])


def _rejoin_page(context: Context, id: str) -> None:
    page = context.store.pages.get(id)
    if page.text_digest is None:
        return
    join_near_pages(context, [(page, TextReading(context.store.blobs.get_text(page.text_digest)))])
    matches = context.store.matches.of_copy(Owner.of_page(id))
    works = context.store.works.many([match.work_id for match in matches])
    present = {id: work for id, work in works.items() if work.removed_at is None}
    join_near_pairs(
        context,
        [
            (page_member(page), work_member(present[match.work_id]), similarity_of_shares(match))
            for match in matches
            if match.work_id in present and present[match.work_id].version == match.work_version
        ],
    )
