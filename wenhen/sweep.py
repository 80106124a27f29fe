"""What nobody is told of any more: steps that are due are queued again, what was left unfinished is taken up."""

import logging
from contextlib import suppress

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
from services.reporting.kept_reports import have_made
from services.upkeep.clock_alarm import SWEEP, note
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
    """Queue what is unfinished and forgotten: after a crash, a lost message, an emptied Redis."""
    waiting = app.queue.waiting()
    for kind in OwnerKind:
        if _wants_rebuild(app.index(kind)) or (kind is OwnerKind.WORK and lacks_rare_words(app)):
            app.queue.rebuild(kind)
        with suppress(IndexNotReady):
            take_out_retired(app, kind)
        _queue_due(app, kind)
        if max(waiting.values()) < FULL:
            remake_outdated(app, kind)
    app.store.migrate(MIGRATION_BATCHES)
    take_up_lost(app)
    apply_new_templates(app)
    end_finished_rematch(app)
    app.store.cases.wake(app.now())
    apply_to_waiting(app, RULED_CASES)
    _index_phrases(app)
    announce_cases(app)
    notice_alerts(app)
    notice_changes(app)
    have_made(app)
    app.queue.wake()
    note(app, SWEEP)


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
