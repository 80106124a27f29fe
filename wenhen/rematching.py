"""The library matched anew: against the pages already stored, and against itself."""

from store.records import OwnerKind, Run, RunKind, Step
from wenhen.app import App
from wenhen.working import unfinished

RESTARTABLE = (Step.DONE,)


def start_rematch(app: App) -> Run:
    """Send every work through its look-up again; pages that it may have been copied to follow by themselves."""
    run = app.store.runs.start(RunKind.REMATCH, None, app.now())
    works = 0
    for id in app.store.works.ids():
        if app.store.works.restart(id, Step.LOOK_UP, only_from=RESTARTABLE):
            app.enqueue(OwnerKind.WORK, id, Step.LOOK_UP)
            works += 1
    app.store.runs.beat(run.id, app.now(), {"works": works, "cases_before": app.store.cases.count()})
    return app.store.runs.get(run.id)


def end_finished_rematch(app: App) -> None:
    """End the runs after which no record is on its way any more; the others show how many are."""
    for run in app.store.runs.recent(kind=RunKind.REMATCH):
        if run.ended_at is not None or "works" not in run.counts:
            continue
        waiting = unfinished(app)
        counts = {**run.counts, "waiting": waiting}
        if waiting:
            app.store.runs.beat(run.id, app.now(), counts)
        else:
            opened = app.store.cases.count() - counts.pop("cases_before", 0)
            app.store.runs.end(run.id, app.now(), {**counts, "cases_opened": opened})
