"""Whether the clock goes: when it last ticked, when the sweep last came round, and since when that is too long ago."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from services.context import Product
from store.messages import Message, message

SWEEP: Final = "sweep"
TICK: Final = "tick"
TICK_SECONDS: Final = 20
_AWAITED: Final = "awaited"  # when somebody first asked, from when on a clock that never ticked is late
_PATIENCE: Final = timedelta(minutes=3)  # a worker may have something long before it
_PERIODS: Final = 5  # that may pass without one, where they are longer


class Duty(NamedTuple):
    """Something that the clock does again and again. last: None where it never was done."""

    name: str
    last: datetime | None
    late: bool


def note(product: Product, name: str) -> None:
    """Note that it was done now."""
    product.store.marks.set(f"clock:{name}", {"at": product.now()})


def duties(product: Product) -> list[Duty]:
    """How each stands. Raises `Unavailable`."""
    every = {SWEEP: product.settings.worker.sweep_seconds, TICK: TICK_SECONDS}
    return [_duty(product, name, timedelta(seconds=seconds)) for name, seconds in every.items()]


def _duty(product: Product, name: str, period: timedelta) -> Duty:
    last = _noted(product, name)
    since = product.now() - (last or _awaited(product))
    return Duty(name, last, since > max(_PATIENCE, _PERIODS * period))


def _awaited(product: Product) -> datetime:
    awaited = _noted(product, _AWAITED)
    if awaited is None:
        note(product, _AWAITED)
    return awaited or product.now()


def _noted(product: Product, name: str) -> datetime | None:
    mark = product.store.marks.get(f"clock:{name}")
    at = mark["at"] if mark else None
    assert at is None or isinstance(at, datetime)
    return at


def alarm(product: Product) -> Message | None:
    """What to say where the clock stands still; None where it goes."""
    for one in duties(product):
        if one.late:
            if one.last is None:
                return message(f"health.no_{one.name}")
            minutes = int((product.now() - one.last).total_seconds() // 60)
            return message(f"health.late_{one.name}", minutes=f"{minutes:,}")
    return None
