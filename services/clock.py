"""Whether the clock goes: when it last ticked, when the sweep last came round, and since when that is too long ago."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from services.context import Product
from store.messages import Message, message

SWEEP: Final = "sweep"
TICK: Final = "tick"
TICK_SECONDS: Final = 20
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
    mark = product.store.marks.get(f"clock:{name}")
    last = mark["at"] if mark else None
    assert last is None or isinstance(last, datetime)
    return Duty(name, last, last is None or product.now() - last > max(_PATIENCE, _PERIODS * period))


def alarm(product: Product) -> Message | None:
    """What to say where the clock stands still; None where it goes."""
    for one in duties(product):
        if one.late:
            if one.last is None:
                return message(f"health.no_{one.name}")
            minutes = int((product.now() - one.last).total_seconds() // 60)
            return message(f"health.late_{one.name}", minutes=f"{minutes:,}")
    return None
