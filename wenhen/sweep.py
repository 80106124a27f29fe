"""What nobody is told of any more: steps that are due are queued again, what was left unfinished is taken up."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from matcher.index.port import Index
from pipeline.lease import lease_of
from pipeline.library.phrase_index import catch_up
from pipeline.library.rematch import end_finished_rematch
from pipeline.matching.apply_triage_rules import apply_to_waiting
from pipeline.matching.fingerprints import take_out_retired
from pipeline.matching.outdated_fingerprints import remake_outdated
from pipeline.matching.rare_words_of_works import lacks_rare_words
from pipeline.pages.learn_host_templates import apply_new_templates
from pipeline.run_step import records_of
from pipeline.worker_shares import shares_of
from services.alerts.ring_bells import notice_alerts
from services.crawls.lost_runs import take_up_lost
from services.evidence.wanted_exhibits import notice_changes
from services.notices.cases_follow import follow_left
from services.reporting.kept_reports import have_made
from services.upkeep.clock_alarm import SWEEP, note
from services.upkeep.in_turn import do_all
from services.webhooks.outbox import announce_cases
from store.errors import IndexNotReady, Unavailable
from store.records import OwnerKind, Step
from wenhen.wiring import App

logger = logging.getLogger(__name__)

MIGRATION_BATCHES = 20  # of a thousand documents, in one sweep
RULED_CASES = 20_000  # waiting leads that rules of triage look at, in one sweep
SEARCHED_TEXTS = 2000  # that one sweep puts into the index over phrases, in some three seconds
AT_ONCE = 2000  # records of each kind that one sweep queues
FULL = 10_000  # records of a queue that has enough to do without what nobody waits for


def sweep(app: App) -> None:
    """Queue what is unfinished and forgotten: after a crash, a lost message, an emptied Redis. A duty that fails keeps
    up no other; raises what the first one failed with.
    """
    app.store.ping()  # without it each duty would wait for it in vain
    waiting = app.queue.waiting()
    do_all(_duties(app, max(waiting.values())))
    note(app, SWEEP)


def _duties(app: App, longest: int) -> Iterator[Callable[[], object]]:
    """In their order. longest: of the queues, how many wait."""
    for kind in OwnerKind:
        yield partial(_look_after, app, kind)
        yield partial(_queue_due, app, kind)
        if longest < FULL:
            yield partial(remake_outdated, app, kind)
    yield partial(app.store.migrate, MIGRATION_BATCHES)
    yield partial(take_up_lost, app)
    yield partial(apply_new_templates, app)
    yield partial(end_finished_rematch, app)
    yield partial(app.store.cases.wake, app.now())
    yield partial(apply_to_waiting, app, RULED_CASES)
    yield partial(_index_phrases, app)
    yield partial(announce_cases, app)
    yield partial(notice_alerts, app)
    yield partial(notice_changes, app)
    yield partial(follow_left, app)
    yield partial(have_made, app)
    yield app.queue.wake


def _look_after(app: App, kind: OwnerKind) -> None:
    """Have an index rebuilt that wants to be, and take out of it what was retired."""
    if _wants_rebuild(app.index(kind)) or (kind is OwnerKind.WORK and lacks_rare_words(app)):
        app.queue.rebuild(kind)
    with suppress(IndexNotReady):
        take_out_retired(app, kind)


def _index_phrases(app: App) -> None:
    """For searches; where its file cannot be written nothing else waits for it."""
    try:
        catch_up(app, SEARCHED_TEXTS)
    except Unavailable as error:
        logger.warning("%s", error)


def _queue_due(app: App, kind: OwnerKind) -> None:
    records = records_of(app, kind)
    now = app.now()
    by_step: dict[Step, list[str]] = {}
    for id, step in records.due(now, AT_ONCE):
        by_step.setdefault(step, []).append(id)
    for step, ids in by_step.items():
        for share, some in shares_of(app.store, kind, ids).items():
            app.queue.steps(kind, some, step, share, unless_waiting=True)
        records.queued(ids, now + lease_of(app.settings))


def _wants_rebuild(index: Index) -> bool:
    """It is missing, or has outgrown its size."""
    try:
        return index.stats().wants_rebuild
    except IndexNotReady:
        return True
