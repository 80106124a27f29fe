"""Run pipeline steps under leases. Retry failed records, or set them aside."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeVar

from wenhen.context.use_cases import Context
from wenhen.kit.clock import backoff_pause
from wenhen.kit.errors import Message, Unavailable, Unreadable, WenhenError, failure
from wenhen.kit.progress import Owner, OwnerKind, Step
from wenhen.kit.telemetry import STEP_FAILURES, STEP_SECONDS, record_context, trace_span
from wenhen.settings.all_sections import CoreSettings
from wenhen.steps.claims import Claim, StepRecord, Steps
from wenhen.steps.problems import PIPELINE


@contextmanager
def repeat_in_background(seconds: float, do: Callable[[], bool], name: str) -> Iterator[None]:
    """Call `do` every `seconds` in a named thread, until the block ends or `do` returns False."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            if not do():
                return

    thread = threading.Thread(target=repeat, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


T = TypeVar("T", bound=StepRecord)


def lease_duration(settings: CoreSettings) -> timedelta:
    """Return the time after which another worker may claim the record of a silent worker."""
    return timedelta(seconds=settings.worker.lease_seconds)


@contextmanager
def keep_leases(records: Steps[T], claims: Sequence[Claim[T]], lease: timedelta) -> Iterator[None]:
    """Extend the leases of the claims in the background until the block ends.

    Leases are short, so that the records of a dead worker are soon claimed again. Long steps need the extension.
    """

    def extend() -> bool:
        try:
            return records.extend_all(claims, lease)
        except Unavailable:
            return True  # the server may be back before the lease expires

    with repeat_in_background(lease.total_seconds() / 3, extend, f"lease {claims[0].id}"):
        yield


A = TypeVar("A")
B = TypeVar("B")


@dataclass(slots=True)
class StepResult:
    """The result of a step.

    claims: claims of the records that moved on, at their next step; lost claims are left out. failed: claims of records
    that failed, each with its error. The other records are not affected.
    """

    claims: Sequence[Claim[Any]]
    failed: list[tuple[Claim[Any], Exception]] = field(default_factory=list)


# With a lease, the worker continues with the records that moved on. None: another worker will.
BatchWork = Callable[[Context, Sequence[Claim[Any]], timedelta | None], StepResult]


def try_each(
    pairs: Iterable[tuple[Claim[Any], A]], do: Callable[[Claim[Any], A], B]
) -> tuple[list[tuple[Claim[Any], B]], list[tuple[Claim[Any], Exception]]]:
    """Call `do` for each claim. Return the results, and the claims that failed."""
    done, failed = [], []
    for claim, value in pairs:
        try:
            done.append((claim, do(claim, value)))
        except Exception as error:  # noqa: BLE001  it is released with its record, and does not stop the others
            failed.append((claim, error))
    return done, failed


def next_step(moved: StepResult) -> Step | None:
    """Return the next step of the record of a batch of one; None if its claim was lost. Raises its error."""
    for _, error in moved.failed:
        raise error
    return moved.claims[0].step if moved.claims else None


REMATCH_PAUSE: Final = timedelta(minutes=2)  # since the change


LONGEST_PAUSE = timedelta(minutes=15)
SHORT_OUTAGE = timedelta(seconds=10)


def give_back_claim(
    context: Context, kind: OwnerKind, records: Steps[Any], claim: Claim[Any], error: Exception
) -> None:
    """Release a record that failed, to be tried again after a pause, or set it aside."""
    tries = claim.record.progress.tries
    problem = failure(error)
    reason = error.message.code if isinstance(error, WenhenError) else type(error).__name__
    STEP_FAILURES.labels(kind, claim.step, reason).inc()
    if isinstance(error, Unavailable):  # an outage does not count as a try of the record
        records.release(claim, due=context.now() + SHORT_OUTAGE, problem=problem, counts=False)
    elif tries < context.settings.worker.max_tries and not isinstance(error, Unreadable):
        pause = backoff_pause(timedelta(seconds=1), tries, LONGEST_PAUSE)
        records.release(claim, due=context.now() + pause, problem=problem)
    else:
        set_aside_claim(context, kind, records, claim, problem, type(error).__name__)


def set_aside_claim(
    context: Context,
    kind: OwnerKind,
    records: Steps[Any],
    claim: Claim[Any],
    problem: Message,
    cause: str | None = None,
) -> None:
    """Set a record aside, and store the reason as a problem. cause: class of the error."""
    records.set_aside(claim, problem)
    context.store.problems.put(PIPELINE, str(Owner(kind, claim.id)), problem, context.now(), claim.step, kind=cause)


# One step of one record: claim it, run the step with lease renewal, then advance, release or set aside the record.


DEADLY_STEP = Message("pipeline.deadly")
RETRIED_ALONE = Message("pipeline.retried")

StepWork = Callable[[Context, Claim[Any]], Step | None]


def step_records(context: Context, kind: OwnerKind) -> Steps[Any]:
    """Return the store of the records of this kind."""
    return context.store.works if kind is OwnerKind.WORK else context.store.pages


def run_step(context: Context, kind: OwnerKind, id: str, step: Step, work: StepWork) -> None:
    """Run `step` of a record if it is the next one and the record is free.

    `work` stores and returns the next step, or returns None if its claim was lost. Calls may be repeated and
    concurrent, because only one gets the claim.
    """
    records = step_records(context, kind)
    lease = lease_duration(context.settings)
    claim = records.claim(id, step, lease)
    if claim is None:
        return
    if claim.record.progress.tries > context.settings.worker.max_tries:
        set_aside_claim(context, kind, records, claim, DEADLY_STEP)
        return
    record = str(Owner(kind, id))
    try:
        with (
            record_context(record),
            trace_span(f"{kind}.{step}", record),
            keep_leases(records, [claim], lease),
            _time_step(kind, step),
        ):
            following = work(context, claim)
    except Exception as error:  # noqa: BLE001  any error is stored with the record, and the record tried again
        give_back_claim(context, kind, records, claim, error)
        return
    context.store.problems.clear(PIPELINE, str(Owner(kind, id)))
    if following not in (None, Step.DONE):
        context.enqueue_alone(kind, id, following, begun=True)


def run_steps(
    context: Context, kind: OwnerKind, ids: Sequence[str], step: Step, works: Mapping[Step, BatchWork]
) -> None:
    """Run `step` of many free records together, then the following steps in `works` under the same claims.

    Each step is stored before the next begins, so that another worker can continue after a crash. Records that failed
    before, and all records of a failed batch, are run one by one, so that a bad record stops no other.
    """
    records = step_records(context, kind)
    lease = lease_duration(context.settings)
    place = {id: index for index, id in enumerate(ids)}  # the first page teaches the template of its host first
    claims = sorted(records.claim_all(ids, step, lease), key=lambda claim: place[claim.id])
    together: list[Claim[Any]] = []
    tried_before: list[Claim[Any]] = []
    for claim in claims:
        progress = claim.record.progress
        (together if progress.tries == 1 and not progress.problem else tried_before).append(claim)
    _run_alone(context, kind, records, tried_before, None)
    if together:
        with keep_leases(records, together, lease):
            _run_batch(context, kind, records, together, works, lease if len(works) > 1 else None)


def _run_batch(
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
            with _trace_batch(kind, step, claims), _time_step(kind, step):
                moved = works[step](context, claims, lease)
        except Exception as error:  # noqa: BLE001  the faulty record fails again when it runs alone
            _run_alone(context, kind, records, claims, error)
            break
        for claim, fault in moved.failed:
            give_back_claim(context, kind, records, claim, fault)
        done.update(claim.id for claim in moved.claims)
        done.difference_update(claim.id for claim, _ in moved.failed)
        claims = [claim for claim in moved.claims if lease is not None and claim.step in works]
        going_on = {claim.id for claim in claims}
        _queue_next_steps(context, kind, [claim for claim in moved.claims if claim.id not in going_on])
    context.store.problems.clear_all(PIPELINE, [str(Owner(kind, id)) for id in done])


def _queue_next_steps(context: Context, kind: OwnerKind, claims: Sequence[Claim[Any]]) -> None:
    """Queue the next step of the released records."""
    for step in {claim.step for claim in claims} - {Step.DONE}:
        context.enqueue(kind, [claim.id for claim in claims if claim.step is step], step, begun=True)


@contextmanager
def _trace_batch(kind: OwnerKind, step: Step, claims: Sequence[Claim[Any]]) -> Iterator[None]:
    with ExitStack() as spans:
        for claim in claims:
            spans.enter_context(trace_span(f"{kind}.{step}", str(Owner(kind, claim.id))))
        yield


def _time_step(kind: OwnerKind, step: Step) -> AbstractContextManager[object]:
    return STEP_SECONDS.labels(kind, step).time()


def _run_alone(
    context: Context, kind: OwnerKind, records: Steps[Any], claims: Sequence[Claim[Any]], error: Exception | None
) -> None:
    for claim in claims:
        problem = claim.record.progress.problem if error is None else failure(error)
        records.release(claim, due=context.now(), problem=problem or RETRIED_ALONE, counts=False)
        context.enqueue_alone(kind, claim.id, claim.step)
