"""One step of one record: claimed, done under a kept lease, moved on; or given back, or set aside with its reason."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import timedelta
from typing import Any

from pipeline.context import Context
from pipeline.lease import kept, lease_of
from pipeline.outcome_of_step import BatchWork
from pipeline.retry_or_set_aside import give_back, set_aside
from store.at_work import at_work
from store.failures import failure
from store.messages import Message
from store.metrics import STEP_SECONDS
from store.ports import Claim, Steps
from store.records import Owner, OwnerKind, Step
from store.records.upkeep.problem import PIPELINE
from store.trace_spans import span

DEADLY = Message("pipeline.deadly")
RETRIED = Message("pipeline.retried")

Work = Callable[[Context, Claim[Any]], Step | None]


def records_of(context: Context, kind: OwnerKind) -> Steps[Any]:
    """The store that holds the records of this kind."""
    return context.store.works if kind is OwnerKind.WORK else context.store.pages


def run_step(context: Context, kind: OwnerKind, id: str, step: Step, work: Work) -> None:
    """Do `step` of a record if it is its next one and nobody else is at it.

    `work` returns the next step, written already, or None when its claim was lost. Safe to call twice, and from any
    number of workers: the claim lets one through.
    """
    records = records_of(context, kind)
    lease = lease_of(context.settings)
    claim = records.claim(id, step, lease)
    if claim is None:
        return
    if claim.record.progress.tries > context.settings.worker.max_tries:
        set_aside(context, kind, records, claim, DEADLY)
        return
    record = str(Owner(kind, id))
    try:
        with at_work(record), span(f"{kind}.{step}", record), kept(records, [claim], lease), _timed(kind, step):
            following = work(context, claim)
    except Exception as error:  # noqa: BLE001  whatever went wrong is kept with the record, and the record tried again
        give_back(context, kind, records, claim, error)
        return
    context.store.problems.clear(PIPELINE, str(Owner(kind, id)))
    if following not in (None, Step.DONE):
        context.enqueue_alone(kind, id, following, begun=True)


def run_steps(
    context: Context, kind: OwnerKind, ids: Sequence[str], step: Step, works: Mapping[Step, BatchWork]
) -> None:
    """Do `step` of many records together, of those that wait for it and that nobody else is at; then, under the same
    claims, the steps that follow, as far as `works` knows them.

    Each step is written before the next one begins, so that whoever takes up the records of a dead worker goes on where
    it was. Where a batch fails, and for what failed before, each record is done alone, so that one that is at fault
    holds up no other.
    """
    records = records_of(context, kind)
    lease = lease_of(context.settings)
    place = {id: at for at, id in enumerate(ids)}  # what comes first teaches the template of its host first
    claims = sorted(records.claim_all(ids, step, lease), key=lambda claim: place[claim.id])
    together = [claim for claim in claims if claim.record.progress.tries == 1 and not claim.record.progress.problem]
    _do_alone(context, kind, records, [claim for claim in claims if claim not in together], None)
    if together:
        with kept(records, together, lease):
            _go_through(context, kind, records, together, works, lease if len(works) > 1 else None)


def _go_through(
    context: Context,
    kind: OwnerKind,
    records: Steps[Any],
    claims: Sequence[Claim[Any]],
    works: Mapping[Step, BatchWork],
    lease: timedelta | None,
) -> None:
    done: set[str] = set()
    while claims:
        step = claims[0].step
        try:
            with _traced(kind, step, claims), _timed(kind, step):
                moved = works[step](context, claims, lease)
        except Exception as error:  # noqa: BLE001  it is told by whoever of them fails alone
            _do_alone(context, kind, records, claims, error)
            break
        for claim, fault in moved.failed:
            give_back(context, kind, records, claim, fault)
        done.update(claim.id for claim in moved.claims)
        done.difference_update(claim.id for claim, _ in moved.failed)
        claims = [claim for claim in moved.claims if lease is not None and claim.step in works]
        _send(context, kind, [claim for claim in moved.claims if claim not in claims])
    context.store.problems.clear_all(PIPELINE, [str(Owner(kind, id)) for id in done])


def _send(context: Context, kind: OwnerKind, claims: Sequence[Claim[Any]]) -> None:
    """Queue the next step of records that were let go."""
    for step in {claim.step for claim in claims} - {Step.DONE}:
        context.enqueue(kind, [claim.id for claim in claims if claim.step is step], step, begun=True)


@contextmanager
def _traced(kind: OwnerKind, step: Step, claims: Sequence[Claim[Any]]) -> Iterator[None]:
    with ExitStack() as spans:
        for claim in claims:
            spans.enter_context(span(f"{kind}.{step}", str(Owner(kind, claim.id))))
        yield


def _timed(kind: OwnerKind, step: Step) -> AbstractContextManager[object]:
    return STEP_SECONDS.labels(kind, step).time()


def _do_alone(
    context: Context, kind: OwnerKind, records: Steps[Any], claims: Sequence[Claim[Any]], error: Exception | None
) -> None:
    for claim in claims:
        problem = claim.record.progress.problem if error is None else failure(error)
        records.release(claim, due=context.now(), problem=problem or RETRIED, counts=False)
        context.enqueue_alone(kind, claim.id, claim.step)
