"""Run daily duties once a day, and detect a stopped scheduler."""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from wenhen.context.use_cases import Product
from wenhen.kit.errors import Message, failure, message

# Scheduler watchdog: the times of the last tick and the last reconciler run, and whether they are too long ago.


SWEEP_DUTY: Final = "sweep"
TICK_DUTY: Final = "tick"
TICK_SECONDS: Final = 20
_AWAITED_MARK: Final = "awaited"  # time of the first check; a scheduler that never ticked is late from then on
_PATIENCE: Final = timedelta(minutes=3)  # a worker may have a long task before it
_MAX_MISSED_PERIODS: Final = 5  # missed periods before a duty is late, if that is longer


class SchedulerDuty(NamedTuple):
    """A periodic duty of the scheduler. last: None if it never ran."""

    name: str
    last: datetime | None
    late: bool


def note_duty_done(product: Product, name: str) -> None:
    """Record that the duty was done now."""
    product.store.marks.set(f"clock:{name}", {"at": product.now()})


def scheduler_duties(product: Product) -> list[SchedulerDuty]:
    """Return the state of each duty. Raises `Unavailable`."""
    every = {SWEEP_DUTY: product.settings.worker.sweep_seconds, TICK_DUTY: TICK_SECONDS}
    return [_duty_state(product, name, timedelta(seconds=seconds)) for name, seconds in every.items()]


def _duty_state(product: Product, name: str, period: timedelta) -> SchedulerDuty:
    last = _last_done(product, name)
    since = product.now() - (last or _awaited_since(product))
    return SchedulerDuty(name, last, since > max(_PATIENCE, _MAX_MISSED_PERIODS * period))


def _awaited_since(product: Product) -> datetime:
    awaited = _last_done(product, _AWAITED_MARK)
    if awaited is None:
        note_duty_done(product, _AWAITED_MARK)
    return awaited or product.now()


def _last_done(product: Product, name: str) -> datetime | None:
    mark = product.store.marks.get(f"clock:{name}")
    moment = mark["at"] if mark else None
    assert moment is None or isinstance(moment, datetime)
    return moment


def scheduler_alarm(product: Product) -> Message | None:
    """Return a message if a duty of the scheduler is late, else None."""
    for duty in scheduler_duties(product):
        if duty.late:
            if duty.last is None:
                return message(f"health.no_{duty.name}")
            minutes = int((product.now() - duty.last).total_seconds() // 60)
            return message(f"health.late_{duty.name}", minutes=f"{minutes:,}")
    return None


logger = logging.getLogger(__name__)


def run_all(duties: Iterable[Callable[[], object]]) -> None:
    """Run all duties, then raise the first exception. Later ones are logged."""
    failures: list[Exception] = []
    for duty in duties:
        try:
            duty()
        except Exception as error:  # the first is raised at the end, the others are logged here
            if failures:
                logger.warning("%s", error, exc_info=error)
            failures.append(error)
    if failures:
        raise failures[0]


# Daily duties: each runs once a day. A failed one is retried, and does not stop the others.


_DAILY_MARK: Final = "daily"
_MAX_REASON_CHARACTERS: Final = 200  # characters of a failure


class FailedDuty(NamedTuple):
    """A duty whose last try failed. since: time of the first failed try of that day."""

    name: str
    since: datetime
    reason: Message


def is_day_done(product: Product, day: str) -> bool:
    """Return whether all duties of this day are done."""
    return bool(_daily_state(product).get("day") == day)


def run_daily_duties(product: Product, day: str, duties: Mapping[str, Callable[[], object]]) -> None:
    """Run the duties that were not done on this day, in order. Raises the first exception at the end."""
    done = _daily_state(product).get("done", {})
    run_all(partial(_run_duty, product, day, name, duty) for name, duty in duties.items() if done.get(name) != day)
    product.store.marks.set(_DAILY_MARK, {**_daily_state(product), "day": day, "failed": {}})


def failed_duties(product: Product) -> list[FailedDuty]:
    """Return the duties whose last try failed."""
    return [
        FailedDuty(name, failure["since"], Message.read(failure["reason"]))
        for name, failure in _daily_state(product).get("failed", {}).items()
    ]


def last_complete_day(product: Product) -> str | None:
    """Return the last day on which all duties were done."""
    return _daily_state(product).get("day")


def _run_duty(product: Product, day: str, name: str, duty: Callable[[], object]) -> None:
    try:
        duty()
    except Exception as error:
        _note_duty_failed(product, name, failure(error, _MAX_REASON_CHARACTERS))
        raise
    _note_day_done(product, name, day)


def _note_day_done(product: Product, name: str, day: str) -> None:
    mark = _daily_state(product)
    left = {duty: how for duty, how in mark.get("failed", {}).items() if duty != name}
    product.store.marks.set(_DAILY_MARK, {**mark, "done": {**mark.get("done", {}), name: day}, "failed": left})


def _note_duty_failed(product: Product, name: str, reason: Message) -> None:
    mark = _daily_state(product)
    before = mark.get("failed", {})
    since = before[name]["since"] if name in before else product.now()
    failed = {**before, name: {"since": since, "reason": reason}}
    product.store.marks.set(_DAILY_MARK, {**mark, "failed": failed})


def _daily_state(product: Product) -> Mapping[str, Any]:
    return product.store.marks.get(_DAILY_MARK) or {}
