"""Whether a record that failed is tried again, and after which pause, or set aside with its reason."""

from datetime import timedelta
from typing import Any

from pipeline.context import Context
from store.errors import Unavailable, Unreadable, WenhenError
from store.failures import failure
from store.messages import Message
from store.metrics import STEP_FAILURES
from store.ports import Claim, Steps
from store.records import Owner, OwnerKind
from store.records.upkeep.problem import PIPELINE
from store.rules.backoff import doubled

LONGEST_PAUSE = timedelta(minutes=15)
SHORT_OUTAGE = timedelta(seconds=10)


def give_back(context: Context, kind: OwnerKind, records: Steps[Any], claim: Claim[Any], error: Exception) -> None:
    """Let a record go that failed: to be tried again after a pause, or set aside."""
    tries = claim.record.progress.tries
    problem = failure(error)
    reason = error.message.code if isinstance(error, WenhenError) else type(error).__name__
    STEP_FAILURES.labels(kind, claim.step, reason).inc()
    if isinstance(error, Unavailable):  # an outage is nobody's fault: it uses up no record
        records.release(claim, due=context.now() + SHORT_OUTAGE, problem=problem, counts=False)
    elif tries < context.settings.worker.max_tries and not isinstance(error, Unreadable):
        pause = doubled(timedelta(seconds=1), tries, LONGEST_PAUSE)
        records.release(claim, due=context.now() + pause, problem=problem)
    else:
        set_aside(context, kind, records, claim, problem, type(error).__name__)


def set_aside(
    context: Context,
    kind: OwnerKind,
    records: Steps[Any],
    claim: Claim[Any],
    problem: Message,
    cause: str | None = None,
) -> None:
    """Try a record no more, and tell why. cause: the kind of error."""
    records.set_aside(claim, problem)
    context.store.problems.put(PIPELINE, str(Owner(kind, claim.id)), problem, context.now(), claim.step, kind=cause)
