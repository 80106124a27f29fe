"""Define the Celery tasks of the pipeline.

::

    work:  put ─→ fingerprint ─→ index ─→ look_up ─→ done          remove ─→ done
                                             │ pages that it may have been copied to
                                             ↓
    page:  captured ─→ extract ─→ fingerprint ─→ index ─→ look_up ─→ align ─→ done
                        ↓   ↑
                     read_pictures                        candidates  passages, matches, cases

The next step of a record stands in MongoDB; a message in a queue only says that something waits, and whose turn it is
is decided when a worker is free (`wenhen.steps.fair_queue`). So a task may be sent twice, late or never: a claim lets
one worker through, and the sweep sends again what is unfinished.
"""

import signal
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from celery import Celery

from wenhen.alerts.notifications import send_due_letters
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.index_rebuild import compact_indexes, rebuild_index
from wenhen.matching.rematch import remove_leftover_works
from wenhen.pages.ocr_and_fonts import read_pictures
from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.pipeline.daily_schedule import run_schedule
from wenhen.pipeline.page_and_work_steps import (
    align_pages,
    extract_pages,
    fingerprint_pages,
    fingerprint_work,
    fingerprint_works,
    index_pages,
    index_work,
    index_works,
    look_up_pages,
    look_up_work,
    look_up_works,
    match_pages,
    remove_work,
)
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime.celery_app import (
    MAX_BATCH_SECONDS,
    MAX_DELIVERY_SECONDS,
    MAX_EVIDENCE_SECONDS,
    MAX_STEP_SECONDS,
    broker_from_environment,
    install_telemetry_hooks,
    make_celery,
)
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import App, backup_environment, fetch_region_in_child, worker_app
from wenhen.steps.fair_queue import BATCH_TASK, TEXT_QUEUE, ShareTurn
from wenhen.steps.runner import BatchWork, StepWork, next_step, run_step, run_steps
from wenhen.webhooks.service import send_due_deliveries


def _single_step(together: BatchWork) -> StepWork:
    """Make the step of a single record, without further steps, from the batch step."""
    return lambda context, claim: next_step(together(context, [claim], None))


# Steps that are cheaper in batches. A task goes on with the next steps of its records, as far as `_FOLLOWING` says.
BATCH_STEPS: Mapping[OwnerKind, Mapping[Step, BatchWork]] = {
    OwnerKind.WORK: {Step.FINGERPRINT: fingerprint_works, Step.INDEX: index_works, Step.LOOK_UP: look_up_works},
    OwnerKind.PAGE: {
        Step.EXTRACT: extract_pages,
        Step.FINGERPRINT: fingerprint_pages,
        Step.INDEX: index_pages,
        Step.LOOK_UP: match_pages,
        Step.ALIGN: align_pages,
    },
}

# Pages run all of their steps in one task. Works are protected once they are indexed: their look-up waits in another
# queue, so that a large import is protected before its overlaps are looked up.
_FOLLOWING: Mapping[OwnerKind, Collection[Step]] = {
    OwnerKind.PAGE: BATCH_STEPS[OwnerKind.PAGE].keys(),
    OwnerKind.WORK: (Step.FINGERPRINT, Step.INDEX),
}

SINGLE_STEPS: Mapping[OwnerKind, Mapping[Step, StepWork]] = {
    OwnerKind.WORK: {
        Step.FINGERPRINT: fingerprint_work,
        Step.INDEX: index_work,
        Step.LOOK_UP: look_up_work,
        Step.REMOVE: remove_work,
    },
    OwnerKind.PAGE: {
        **{
            step: _single_step(work)
            for step, work in {**BATCH_STEPS[OwnerKind.PAGE], Step.LOOK_UP: look_up_pages}.items()
        },
        Step.READ_PICTURES: read_pictures,
    },
}


def run_batch(app: App, kind: OwnerKind, ids: Sequence[str], step: Step) -> None:
    """Run the next step of many records, and those that follow it in the same task.

    Records of a step that has no batch run one by one.
    """
    works = BATCH_STEPS[kind]
    if step in works:
        following = _FOLLOWING[kind] if step in _FOLLOWING[kind] else (step,)
        run_steps(app, kind, ids, step, {each: works[each] for each in following})
        return
    for id in ids:
        run_step(app, kind, id, step, SINGLE_STEPS[kind][step])


def run_next_turn(app: App, queue: str) -> None:
    """Run the next turn of a step queue, if anything waits.

    The look-up of works goes behind new works that are not protected yet: one of their turns is run instead.
    """
    turn = app.queue.take(queue)
    if turn is not None and _is_look_up_of_works(turn) and app.queue.works_wait_for_protection():
        app.queue.put_back(turn)
        turn = app.queue.take(TEXT_QUEUE)
    if turn is None:
        return
    began = time.monotonic()
    try:
        if turn.alone:
            with _kill_after(MAX_STEP_SECONDS):
                run_step(app, turn.kind, turn.ids[0], turn.step, SINGLE_STEPS[turn.kind][turn.step])
        else:
            run_batch(app, turn.kind, turn.ids, turn.step)
    finally:
        app.queue.charge_turn(turn, time.monotonic() - began)


def _is_look_up_of_works(turn: ShareTurn) -> bool:
    return turn.kind is OwnerKind.WORK and turn.step is Step.LOOK_UP


@contextmanager
def _kill_after(seconds: int) -> Iterator[None]:
    """Kill this process if the block takes longer: a time limit of Celery only applies to the whole task."""
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _batch_task(queue: str) -> None:
    run_next_turn(worker_app(), queue)


def _crawl_task(run_id: str) -> None:
    run_crawl(worker_app(), run_id)


def _rebuild_task(kind: str) -> None:
    rebuild_index(worker_app(), OwnerKind(kind))


def _deliver_task() -> None:
    send_due_deliveries(worker_app())
    send_due_letters(worker_app())


def _replies_task() -> None:
    from wenhen.notices.mailbox import fetch_due_mails  # a mail library, which few workers need

    fetch_due_mails(worker_app())


def _evidence_task() -> None:
    from wenhen.evidence.exhibit_creation import (
        make_due_exhibits,  # browser tools and more, which few workers need
    )

    make_due_exhibits(worker_app())


def _reports_task() -> None:
    from wenhen.reports.service import (
        make_due_reports,
        render_report,  # slow to import, and unused by other tasks
    )

    make_due_reports(worker_app(), render_report)


def _audits_task() -> None:
    from wenhen.crawls.reading_audit import audit_due_sites  # browser tools, which few workers need

    audit_due_sites(worker_app())


def _listings_task() -> None:
    from wenhen.discovery.service import run_requested_searches  # text ranking, which few workers need
    from wenhen.notices.delisting import (
        check_discovered_listings,  # text ranking, which few workers need
        check_due_delistings,
    )

    run_requested_searches(worker_app())
    check_due_delistings(worker_app())
    check_discovered_listings(worker_app())


def _backup_task() -> None:
    from wenhen.backups.backup import run_requested_backup  # ciphers, which few workers need

    app = worker_app()
    run_requested_backup(app, backup_environment(load_settings(), app.store))


def _regions_task() -> None:
    from wenhen.crawls.regions import run_next_regional_capture  # alignment, which few workers need

    app = worker_app()
    run_next_regional_capture(app, lambda asked: fetch_region_in_child(app.settings, asked))


def _tidy_task() -> None:
    compact_indexes(worker_app())
    remove_leftover_works(worker_app())


def _sweep_task() -> None:
    reconcile(worker_app())


def _tick_task() -> None:
    run_schedule(worker_app())


def build_celery(broker: str) -> Celery:
    """Make the Celery application with every task of the product."""
    celery = make_celery(broker)
    celery.task(_batch_task, name=BATCH_TASK, time_limit=MAX_BATCH_SECONDS)
    celery.task(_crawl_task, name="crawl")
    celery.task(_rebuild_task, name="rebuild")
    celery.task(_deliver_task, name="deliver", time_limit=MAX_DELIVERY_SECONDS)
    celery.task(_replies_task, name="replies", time_limit=MAX_DELIVERY_SECONDS)
    celery.task(_evidence_task, name="evidence", time_limit=MAX_EVIDENCE_SECONDS)
    celery.task(_reports_task, name="reports", time_limit=MAX_EVIDENCE_SECONDS)
    celery.task(_audits_task, name="audits", time_limit=MAX_EVIDENCE_SECONDS)
    celery.task(_listings_task, name="listings", time_limit=MAX_EVIDENCE_SECONDS)
    celery.task(_backup_task, name="backup")
    celery.task(_regions_task, name="regions", time_limit=MAX_EVIDENCE_SECONDS)
    celery.task(_tidy_task, name="tidy")
    celery.task(_sweep_task, name="sweep")
    celery.task(_tick_task, name="tick")
    return celery


celery = build_celery(broker_from_environment())
install_telemetry_hooks(load_settings())
