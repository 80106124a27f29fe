"""All clusters found anew from what is stored, as after a change of their settings."""

from collections.abc import Callable
from itertools import chain

from matcher.near_duplicates import likeness
from pipeline.context import Context
from pipeline.matching.candidates import works_like
from pipeline.matching.clustering import (
    join_near,
    join_near_pages,
    join_near_works,
    page_member,
    tell_cases,
    work_member,
)
from pipeline.matching.compare_with_candidates import sources_among
from pipeline.matching.text_with_letters import Reading
from store.records import Owner


def rebuild_clusters(context: Context, progress: Callable[[int, int], None]) -> None:
    """Forget all clusters and find them anew; texts that come in meanwhile join as ever."""
    store = context.store
    store.clusters.clear()
    total = store.works.count() + store.pages.count()
    tasks = chain(((_join_work, id) for id in store.works.ids()), ((_join_page, id) for id in store.pages.ids()))
    for done, (task, id) in enumerate(tasks, 1):
        task(context, id)
        progress(done, max(done, total))
    for page_id in {case.page_id for case in store.cases.each()}:
        tell_cases(context, [page_id])


def _join_work(context: Context, id: str) -> None:
    work = context.store.works.get(id)
    if work.removed_at is None:
        reading = Reading(context.store.blobs.get_text(work.text_digest))
        ranked = [one for one in works_like(context, reading) if one.owner_id != id]
        join_near_works(context, [(work_member(work), sources_among(context, reading, ranked))])


def _join_page(context: Context, id: str) -> None:
    page = context.store.pages.get(id)
    if page.text_digest is None:
        return
    join_near_pages(context, [(page, Reading(context.store.blobs.get_text(page.text_digest)))])
    matches = context.store.matches.of_copy(Owner.of_page(id))
    works = context.store.works.many([match.work_id for match in matches])
    present = {id: work for id, work in works.items() if work.removed_at is None}
    join_near(
        context,
        [
            (page_member(page), work_member(present[match.work_id]), likeness(match))
            for match in matches
            if match.work_id in present and present[match.work_id].version == match.work_version
        ],
    )
