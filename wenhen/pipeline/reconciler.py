"""Queue unfinished work again: due steps, lost crawls, outdated indexes, pending notifications."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from matcher.index.protocol import Index
from wenhen.alerts.notifications import create_notifications
from wenhen.cases.recount import recount_old_cases, recount_old_texts
from wenhen.crawls.breakages import note_lost_texts
from wenhen.crawls.service import recover_lost_runs
from wenhen.evidence.exhibits import want_changed_exhibits
from wenhen.fingerprints.service import remake_outdated, remove_retired_fingerprints
from wenhen.kit.errors import IndexNotReady, Unavailable
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.index_rebuild import lacks_rare_words
from wenhen.matching.rematch import apply_new_templates, end_finished_rematch
from wenhen.notices.sending import propagate_left
from wenhen.product.queue import group_by_share
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
    if _needs_rebuild(app.index(kind)) or (kind is OwnerKind.WORK and lacks_rare_words(app)):
        app.queue.rebuild(kind)
    with suppress(IndexNotReady):
        remove_retired_fingerprints(app, kind)


def _index_phrases(app: App) -> None:
    """Update the phrase index for searches. An unwritable file does not stop other duties."""
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


def _needs_rebuild(index: Index) -> bool:
    """Return whether an index is missing, or has outgrown its size."""
    try:
        return index.stats().wants_rebuild
    except IndexNotReady:
        return True
