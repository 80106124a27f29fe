"""The way of the data, as Celery tasks.

::

    work:  put ─→ fingerprint ─→ index ─→ look_up ─→ done          remove ─→ done
                                             │ pages that it may have been copied to
                                             ↓
    page:  captured ─→ extract ─→ fingerprint ─→ index ─→ look_up ─→ align ─→ done
                        ↓   ↑
                     read_pictures                        candidates  passages, matches, cases

The next step of a record stands in MongoDB; a message in a queue only says that something waits, and whose turn it is
is decided when a worker is free (`wenhen.fair_queueing`). So a task may be sent twice, late or never: a claim lets one
worker through, and the sweep sends again what is unfinished.
"""

import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from celery import Celery

from pipeline.library.rebuild_index import rebuild_index, tidy_indexes
from pipeline.library.removed_during_step import remove_leftovers
from pipeline.outcome_of_step import BatchWork, next_step
from pipeline.page_steps import align_pages, extract_pages, fingerprint_pages, index_pages, look_up_pages, match_pages
from pipeline.pages.read_pictures import read_pictures
from pipeline.run_step import Work, run_step, run_steps
from pipeline.work_steps import fingerprint_work, fingerprint_works, index_work, index_works, look_up_work, remove_work
from services.alerts.letters import send_due
from services.webhooks import outbox as webhooks
from store.records import OwnerKind, Step
from wenhen import schedule
from wenhen import sweep as sweeping
from wenhen.celery_app import broker_from_environment, make_celery
from wenhen.crawl_in_own_process import run_crawl
from wenhen.queue_names import BATCH
from wenhen.settings import load
from wenhen.task_time_limits import (
    LONGEST_BATCH_SECONDS,
    LONGEST_DELIVERY_SECONDS,
    LONGEST_EVIDENCE_SECONDS,
    LONGEST_STEP_SECONDS,
)
from wenhen.telemetry import celery_hooks
from wenhen.wiring import App, worker_app


def _alone(together: BatchWork) -> Work:
    """A step of one record, which is let go afterwards, by how it is done for many."""
    return lambda context, claim: next_step(together(context, [claim], None))


# The steps that cost less when many records do them together. Pages go their whole way at once.
TOGETHER: Mapping[OwnerKind, Mapping[Step, BatchWork]] = {
    OwnerKind.WORK: {Step.FINGERPRINT: fingerprint_works, Step.INDEX: index_works},
    OwnerKind.PAGE: {
        Step.EXTRACT: extract_pages,
        Step.FINGERPRINT: fingerprint_pages,
        Step.INDEX: index_pages,
        Step.LOOK_UP: match_pages,
        Step.ALIGN: align_pages,
    },
}

STEPS: Mapping[OwnerKind, Mapping[Step, Work]] = {
    OwnerKind.WORK: {
        Step.FINGERPRINT: fingerprint_work,
        Step.INDEX: index_work,
        Step.LOOK_UP: look_up_work,
        Step.REMOVE: remove_work,
    },
    OwnerKind.PAGE: {
        **{step: _alone(work) for step, work in {**TOGETHER[OwnerKind.PAGE], Step.LOOK_UP: look_up_pages}.items()},
        Step.READ_PICTURES: read_pictures,
    },
}


def do_batch(app: App, kind: OwnerKind, ids: Sequence[str], step: Step) -> None:
    """The next step of many records: together where that is known how, else one by one. Pages go on to their end."""
    works = TOGETHER[kind]
    if step in works:
        run_steps(app, kind, ids, step, works if kind is OwnerKind.PAGE else {step: works[step]})
        return
    for id in ids:
        run_step(app, kind, id, step, STEPS[kind][step])


def do_next(app: App, queue: str) -> None:
    """Do what comes next of a queue of steps, if anything waits there."""
    turn = app.queue.take(queue)
    if turn is None:
        return
    began = time.monotonic()
    try:
        if turn.alone:
            with _killed_after(LONGEST_STEP_SECONDS):
                run_step(app, turn.kind, turn.ids[0], turn.step, STEPS[turn.kind][turn.step])
        else:
            do_batch(app, turn.kind, turn.ids, turn.step)
    finally:
        app.queue.spent(turn, time.monotonic() - began)


@contextmanager
def _killed_after(seconds: int) -> Iterator[None]:
    """Let the kernel end this process when the block takes longer: a time limit of Celery holds for all of a task."""
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _batch(queue: str) -> None:
    do_next(worker_app(), queue)


def _crawl(run_id: str) -> None:
    run_crawl(worker_app(), run_id)


def _rebuild(kind: str) -> None:
    rebuild_index(worker_app(), OwnerKind(kind))


def _deliver() -> None:
    webhooks.deliver(worker_app())
    send_due(worker_app())


def _replies() -> None:
    from services.notices.replies.fetch_mails import fetch_due  # a library that few workers ever need

    fetch_due(worker_app())


def _evidence() -> None:
    from services.evidence.make_in_background import make_due  # a browser's tools and more, which few workers ever need

    make_due(worker_app())


def _reports() -> None:
    from dashboard.export.formats import write  # slow to import, and of no use to the other tasks
    from services.reporting import kept_reports

    kept_reports.make_due(worker_app(), write)


def _audits() -> None:
    from services.sites.reading_audit import audit_due  # a browser's tools, which few workers ever need

    audit_due(worker_app())


def _listings() -> None:
    from services.notices.delisting_look_up import look_up_due
    from services.notices.found_addresses_look_up import look_again  # what tells sentences, which few workers ever need

    look_up_due(worker_app())
    look_again(worker_app())


def _tidy() -> None:
    tidy_indexes(worker_app())
    remove_leftovers(worker_app())


def _sweep() -> None:
    sweeping.sweep(worker_app())


def _tick() -> None:
    schedule.tick(worker_app())


def build(broker: str) -> Celery:
    """The Celery application with every task of the product."""
    celery = make_celery(broker)
    celery.task(_batch, name=BATCH, time_limit=LONGEST_BATCH_SECONDS)
    celery.task(_crawl, name="crawl")
    celery.task(_rebuild, name="rebuild")
    celery.task(_deliver, name="deliver", time_limit=LONGEST_DELIVERY_SECONDS)
    celery.task(_replies, name="replies", time_limit=LONGEST_DELIVERY_SECONDS)
    celery.task(_evidence, name="evidence", time_limit=LONGEST_EVIDENCE_SECONDS)
    celery.task(_reports, name="reports", time_limit=LONGEST_EVIDENCE_SECONDS)
    celery.task(_audits, name="audits", time_limit=LONGEST_EVIDENCE_SECONDS)
    celery.task(_listings, name="listings", time_limit=LONGEST_EVIDENCE_SECONDS)
    celery.task(_tidy, name="tidy")
    celery.task(_sweep, name="sweep")
    celery.task(_tick, name="tick")
    return celery


celery = build(broker_from_environment())
celery_hooks.install(load())
