"""The library matched anew: against the pages already stored, and against itself."""

from datetime import timedelta

from pipeline.context import App
from store.records import OwnerKind, Run, RunKind, Step
from wenhen.processes.workers import unfinished

RESTARTABLE = (Step.DONE,)
BEAT = 1_000  # works between two signs of life while they are sent
LOST_AFTER = timedelta(minutes=10)


def start_rematch(app: App) -> Run:
    """Send every work through its look-up again; pages that it may have been copied to follow by themselves."""
    run = app.store.runs.start(RunKind.REMATCH, None, app.now())
    works = 0
    for number, id in enumerate(app.store.works.ids(), 1):
        if app.store.works.restart(id, Step.LOOK_UP, only_from=RESTARTABLE):
            app.enqueue(OwnerKind.WORK, id, Step.LOOK_UP)
            works += 1
        if number % BEAT == 0:
            app.store.runs.beat(run.id, app.now(), {})
    app.store.runs.beat(run.id, app.now(), {"works": works, "cases_before": app.store.cases.count()})
    return app.store.runs.get(run.id)


def end_finished_rematch(app: App) -> None:
    """End the runs after which no record is on its way any more; the others show how many are. One whose process died
    before it had sent all works is ended with that reason.
    """
    for run in app.store.runs.active(RunKind.REMATCH):
        if "works" not in run.counts:
            continue
        waiting = unfinished(app)
        counts = {**run.counts, "waiting": waiting}
        if waiting:
            app.store.runs.beat(run.id, app.now(), counts)
        else:
            opened = app.store.cases.count() - counts.pop("cases_before", 0)
            app.store.runs.end(run.id, app.now(), {**counts, "cases_opened": opened})
    app.store.runs.end_lost(RunKind.REMATCH, app.now() - LOST_AFTER)
