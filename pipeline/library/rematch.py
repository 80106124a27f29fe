"""The library matched anew: against the pages already stored, and against itself."""

from datetime import timedelta

from pipeline.context import Context
from pipeline.library.unfinished import unfinished
from pipeline.shares import BACKGROUND
from store.records import OwnerKind, Run, RunKind, Step

RESTARTABLE = (Step.DONE,)
BEAT = 1_000  # works between two signs of life while they are sent
LOST_AFTER = timedelta(minutes=10)


def start_rematch(context: Context) -> Run:
    """Send every work through its look-up again; pages that it may have been copied to follow by themselves."""
    run = context.store.runs.start(RunKind.REMATCH, None, context.now())
    works = 0
    for number, id in enumerate(context.store.works.ids(), 1):
        if context.store.works.restart(id, Step.LOOK_UP, only_from=RESTARTABLE):
            context.enqueue(OwnerKind.WORK, [id], Step.LOOK_UP, BACKGROUND)
            works += 1
        if number % BEAT == 0:
            context.store.runs.beat(run.id, context.now(), {})
    context.store.runs.beat(run.id, context.now(), {"works": works, "cases_before": context.store.cases.count()})
    return context.store.runs.get(run.id)


def end_finished_rematch(context: Context) -> None:
    """End the runs after which no record is on its way any more; the others show how many are. One whose process died
    before it had sent all works is ended with that reason.
    """
    for run in context.store.runs.active(RunKind.REMATCH):
        if "works" not in run.counts:
            continue
        waiting = unfinished(context)
        counts = {**run.counts, "waiting": waiting}
        if waiting:
            context.store.runs.beat(run.id, context.now(), counts)
        else:
            opened = context.store.cases.count() - counts.pop("cases_before", 0)
            context.store.runs.end(run.id, context.now(), {**counts, "cases_opened": opened})
    context.store.runs.end_lost(RunKind.REMATCH, context.now() - LOST_AFTER)
