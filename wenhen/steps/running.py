"""One step of one record: claimed, done under a kept lease, moved on; or given back, or set aside with its reason."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from store.errors import Unavailable
from store.ports import Claim, Steps
from store.records import OwnerKind, Step
from wenhen.app import App
from wenhen.lease import kept

LONGEST_PAUSE = timedelta(minutes=15)
SHORT_OUTAGE = timedelta(seconds=10)
DEADLY = "every worker that took this up died at it: see the worker's log, and retry when its cause is mended"

Work = Callable[[App, Claim[Any]], Step | None]


def records_of(app: App, kind: OwnerKind) -> Steps[Any]:
    """The store that holds the records of this kind."""
    return app.store.works if kind is OwnerKind.WORK else app.store.pages


def run_step(app: App, kind: OwnerKind, id: str, step: Step, work: Work) -> None:
    """Do `step` of a record if it is its next one and nobody else is at it.

    `work` returns the next step, written already, or None when its claim was lost. Safe to call twice, and from any
    number of workers: the claim lets one through.
    """
    records = records_of(app, kind)
    lease = timedelta(seconds=app.settings.worker.lease_seconds)
    claim = records.claim(id, step, lease)
    if claim is None:
        return
    if claim.record.progress.tries > app.settings.worker.max_tries:
        _set_aside(app, kind, records, claim, DEADLY)
        return
    try:
        with kept(records, claim, lease):
            following = work(app, claim)
    except Exception as error:  # noqa: BLE001  whatever went wrong is kept with the record, and the record tried again
        _give_back(app, kind, records, claim, error)
        return
    app.store.problems.clear("pipeline", f"{kind}:{id}")
    if following not in (None, Step.DONE):
        app.enqueue(kind, id, following)


def _give_back(app: App, kind: OwnerKind, records: Steps[Any], claim: Claim[Any], error: Exception) -> None:
    tries = claim.record.progress.tries
    problem = f"{type(error).__name__}: {error}"
    if isinstance(error, Unavailable):  # an outage is nobody's fault: it uses up no record
        records.release(claim, due=app.now() + SHORT_OUTAGE, problem=problem, counts=False)
    elif tries < app.settings.worker.max_tries:
        pause = min(timedelta(seconds=2 ** min(tries, 20)), LONGEST_PAUSE)
        records.release(claim, due=app.now() + pause, problem=problem)
    else:
        _set_aside(app, kind, records, claim, problem)


def _set_aside(app: App, kind: OwnerKind, records: Steps[Any], claim: Claim[Any], problem: str) -> None:
    records.set_aside(claim, problem)
    app.store.problems.put("pipeline", f"{kind}:{claim.id}", problem, app.now(), claim.step)
