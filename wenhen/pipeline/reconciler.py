"""Queue unfinished work again: due steps, lost crawls, outdated indexes, pending notifications, old records."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from matcher.attribution.verdict import count_match
from matcher.index.postings import has_outgrown
from matcher.index.protocol import Index
from matcher.model import Match
from wenhen.alerts.notifications import create_notifications
from wenhen.cases.model import Case, CaseOrder, Extent
from wenhen.context.store_and_queue import group_by_share
from wenhen.context.use_cases import Product
from wenhen.crawls.breakages import note_lost_texts
from wenhen.crawls.service import recover_lost_runs
from wenhen.evidence.exhibits import want_changed_exhibits
from wenhen.fingerprints.service import remake_outdated, remove_retired_fingerprints
from wenhen.kit.errors import IndexNotReady, NotFound, Unavailable
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.index_rebuild import lacks_rare_words
from wenhen.matching.rematch import apply_new_templates, end_finished_rematch
from wenhen.notices.sending import propagate_left
from wenhen.reports.service import queue_due_reports
from wenhen.runtime.wiring import App
from wenhen.search.service import update_phrase_index
from wenhen.steps.duties import SWEEP_DUTY, note_duty_done, run_all
from wenhen.steps.runner import lease_duration, step_records
from wenhen.triage.service import apply_rules_to_waiting
from wenhen.webhooks.service import announce_cases

logger = logging.getLogger(__name__)

MAX_MIGRATION_BATCHES = 20  # batches of a thousand documents per run
MAX_RECOUNTED_CASES = 1_000  # cases of an earlier release per run
MAX_RECOUNTED_TEXTS = 2_000  # works, and pages, of an earlier release per run
MAX_TRIAGED_CASES = 20_000  # waiting leads that triage rules examine per run
MAX_INDEXED_TEXTS = 2000  # texts that are added to the phrase index per run, in about three seconds
MAX_QUEUED_RECORDS = 2000  # records of each kind that are queued per run
MAX_OUTGROWN_SIZES = 32  # times its size that an index may outgrow while new works wait for their protection
FULL_QUEUE_RECORDS = 10_000  # records in a queue above which background work is not added


def reconcile(app: App) -> None:
    """Queue unfinished work again, after a crash, a lost message, or an emptied Redis.

    A failed duty does not stop the others. The first exception is raised at the end.
    """
    app.store.ping()  # fails early if the database is down, instead of in each duty
    waiting = app.queue.count_waiting()
    run_all(_reconciler_duties(app, max(waiting.values())))
    note_duty_done(app, SWEEP_DUTY)


def _reconciler_duties(app: App, longest: int) -> Iterator[Callable[[], object]]:
    """Yield the duties in order. longest: length of the longest queue."""
    for kind in OwnerKind:
        yield partial(_maintain_index, app, kind)
        yield partial(_queue_due_records, app, kind)
        if longest < FULL_QUEUE_RECORDS:
            yield partial(remake_outdated, app, kind)
    yield partial(app.store.migrate, MAX_MIGRATION_BATCHES)
    yield partial(recount_old_cases, app, MAX_RECOUNTED_CASES)
    yield partial(recount_old_texts, app, MAX_RECOUNTED_TEXTS)
    yield partial(recover_lost_runs, app)
    yield partial(apply_new_templates, app)
    yield partial(end_finished_rematch, app)
    yield partial(app.store.cases.wake, app.now())
    yield partial(apply_rules_to_waiting, app, MAX_TRIAGED_CASES)
    yield partial(_index_phrases, app)
    yield partial(announce_cases, app)
    yield partial(note_lost_texts, app)
    yield partial(create_notifications, app)
    yield partial(want_changed_exhibits, app)
    yield partial(propagate_left, app)
    yield partial(queue_due_reports, app)
    yield app.queue.wake


def _maintain_index(app: App, kind: OwnerKind) -> None:
    """Request a rebuild of an index that needs one, and remove retired fingerprints from it."""
    if _needs_rebuild(app, app.index(kind)) or (kind is OwnerKind.WORK and lacks_rare_words(app)):
        app.queue.rebuild(kind)
    with suppress(IndexNotReady):
        remove_retired_fingerprints(app, kind)


def _index_phrases(app: App) -> None:
    """Update the phrase index for searches, behind new works. An unwritable file does not stop other duties."""
    if app.queue.works_wait_for_protection():
        return
    try:
        update_phrase_index(app, MAX_INDEXED_TEXTS)
    except Unavailable as error:
        logger.warning("%s", error)


def _queue_due_records(app: App, kind: OwnerKind) -> None:
    records = step_records(app, kind)
    now = app.now()
    by_step: dict[Step, list[str]] = {}
    for id, step in records.due(now, MAX_QUEUED_RECORDS):
        by_step.setdefault(step, []).append(id)
    for step, ids in by_step.items():
        for share, record_ids in group_by_share(app.store, kind, ids).items():
            app.queue.steps(kind, record_ids, step, share, unless_waiting=True)
        records.mark_queued(ids, now + lease_duration(app.settings))


def _needs_rebuild(app: App, index: Index) -> bool:
    """Return whether an index is missing, or has outgrown its size.

    While new works wait for their protection, it may outgrow its size further: each rebuild takes processor time from
    them, and the next one would soon follow.
    """
    try:
        stats = index.stats()
    except IndexNotReady:
        return True
    if not stats.wants_rebuild or has_outgrown(stats.postings, MAX_OUTGROWN_SIZES * stats.buckets):
        return stats.wants_rebuild
    return not app.queue.works_wait_for_protection()


# Cases, works and pages of an earlier version, whose characters also counted white space.


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
