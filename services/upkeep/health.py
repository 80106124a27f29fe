"""Whether everything answers, and how full it is: what the health screen, `/readyz` and `/healthz` ask."""

import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Final, NamedTuple

from pipeline.matching.outdated_fingerprints import count_outdated
from services.context import Product
from services.upkeep import clock_alarm
from store.errors import WenhenError
from store.messages import Message, message, plain
from store.records import OwnerKind

LEAST_FREE: Final = 0.05  # of a disk; below it, what is written next may be lost
GB: Final = 10**9
MB: Final = 10**6


class ServerState(NamedTuple):
    """Whether a server answers; and its version, how full it is, or what is wrong with it."""

    answers: bool
    said: tuple[Message, ...]

    @property
    def detail(self) -> str:
        """What is said, in English for programs and logs."""
        return ", ".join(map(str, self.said))


Health = Callable[[], Mapping[str, ServerState]]


def health(product: Product) -> Mapping[str, ServerState]:
    """Every server, disk, queue and worker: whether it is well, with its figures or what is wrong."""
    asked: dict[str, Callable[[], ServerState]] = {
        "wenhen": lambda: _well(plain(version("wenhen"))),
        "MongoDB": lambda: _well(plain(product.store.ping())),
        "Redis": lambda: _well(plain(product.queue.ping())),
        "works index": lambda: _index(product, OwnerKind.WORK),
        "pages index": lambda: _index(product, OwnerKind.PAGE),
        "database disk": lambda: _database(product),
        "data disk": lambda: _data(product),
        "queues": lambda: _queues(product),
        "clock": lambda: _clock(product),
    }
    return {**{name: _state(ask) for name, ask in asked.items()}, **_workers(product)}


def readiness(product: Product) -> Mapping[str, ServerState]:
    """The servers without which no screen can be shown."""
    return {
        "MongoDB": _state(lambda: _well(plain(product.store.ping()))),
        "Redis": _state(lambda: _well(plain(product.queue.ping()))),
    }


def _state(ask: Callable[[], ServerState]) -> ServerState:
    try:
        return ask()
    except WenhenError as error:
        return _ill(error.message)


def _index(product: Product, kind: OwnerKind) -> ServerState:
    stats, outdated = product.index(kind).stats(), count_outdated(product, kind)
    size = message("health.postings", count=f"{stats.postings:,}", size=f"{stats.bytes / MB:,.1f}")
    return _ill(size, message("health.outdated", count=f"{outdated:,}")) if outdated else _well(size)


def _database(product: Product) -> ServerState:
    space = product.store.space()
    return _disk(space.free, space.disk, message("health.data", size=f"{space.data / GB:,.2f}"))


def _data(product: Product) -> ServerState:
    there = next(folder for folder in (product.settings.data, *product.settings.data.parents) if folder.exists())
    usage = shutil.disk_usage(there)  # without servers of our own the folder comes with the first thing kept in it
    return _disk(usage.free, usage.total, plain(str(product.settings.data)))


def _disk(free: int, total: int, what: Message) -> ServerState:
    left = message("health.disk", free=f"{free / GB:,.1f}", total=f"{total / GB:,.1f}")
    return ServerState(free >= LEAST_FREE * total, (what, left))


def _queues(product: Product) -> ServerState:
    waiting = product.queue.waiting()
    return _well(*(message(f"health.queue_{name}", count=f"{count:,}") for name, count in waiting.items()))


def _clock(product: Product) -> ServerState:
    if wrong := clock_alarm.alarm(product):
        return _ill(wrong)
    [last] = [one.last for one in clock_alarm.duties(product) if one.name == clock_alarm.TICK]
    if last is None:
        return _well(message("health.not_ticked"))
    return _well(message("health.ticked", seconds=f"{(product.now() - last).total_seconds():.0f}"))


def _workers(product: Product) -> dict[str, ServerState]:
    try:
        found, waiting = product.queue.workers(), product.queue.waiting()
    except WenhenError as error:
        return {"workers": _ill(error.message)}
    if not found:
        return {"workers": _ill(message("health.no_worker"))}
    serving = {name: _well(*(message(f"health.serves_{queue}") for queue in queues)) for name, queues in found.items()}
    served = {queue for queues in found.values() for queue in queues}
    if left := [queue for queue in waiting if queue not in served]:
        return {**serving, "workers": _ill(message("health.unserved", queues=", ".join(left)))}
    return serving


def _well(*said: Message) -> ServerState:
    return ServerState(True, said)


def _ill(*said: Message) -> ServerState:
    return ServerState(False, said)
