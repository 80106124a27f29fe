"""Whether everything answers, and how full it is: what the health screen, `/readyz` and `/healthz` ask."""

import shutil
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pipeline.matching.outdated_fingerprints import count_outdated
from services.archive_folder import folder_of
from services.backup_under_way import last_whole
from services.context import Product
from services.upkeep import clock_alarm, daily_duties, mailbox_watch
from store.errors import WenhenError
from store.messages import Message, message, plain
from store.records import OwnerKind
from store.rules.china_time import day_of

LEAST_FREE: Final = 0.05  # of a disk; below it, what is written next may be lost
MAILBOX_PATIENCE: Final = timedelta(hours=1)
WEBHOOK_PATIENCE: Final = timedelta(days=1)
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
        **({"archive disk": partial(_disk_of, apart)} if (apart := _archive_apart(product)) else {}),
        "queues": lambda: _queues(product),
        "clock": lambda: _clock(product),
        "daily duties": lambda: _daily(product),
        "backup": lambda: _backup(product),
        "webhooks": lambda: _webhooks(product),
        **({"mailbox": lambda: _mailbox(product)} if product.settings.notice.imap else {}),
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
    return _disk_of(product.settings.data)


def _archive_apart(product: Product) -> Path | None:
    """The archive's folder, where it is on another disk of this machine than the data folder."""
    folder = folder_of(product.settings)
    if folder is None or not folder.exists():
        return None
    return folder if folder.stat().st_dev != _there(product.settings.data).stat().st_dev else None


def _disk_of(folder: Path) -> ServerState:
    usage = shutil.disk_usage(_there(folder))
    return _disk(usage.free, usage.total, plain(str(folder)))


def _there(folder: Path) -> Path:
    """Without servers of our own the data folder comes with the first thing kept in it."""
    return next(one for one in (folder, *folder.parents) if one.exists())


def _disk(free: int, total: int, what: Message) -> ServerState:
    left = message("health.disk", free=f"{free / GB:,.1f}", total=f"{total / GB:,.1f}")
    return ServerState(free >= LEAST_FREE * total, (what, left))


def _queues(product: Product) -> ServerState:
    said = [message(f"health.queue_{name}", count=f"{count:,}") for name, count in product.queue.waiting().items()]
    if sent := product.queue.oldest():
        waits = product.now() - min(sent.values())
        said += [message("health.queue_oldest", minutes=_minutes(waits))] if waits >= timedelta(minutes=1) else []
    return _well(*said)


def _clock(product: Product) -> ServerState:
    if wrong := clock_alarm.alarm(product):
        return _ill(wrong)
    [last] = [one.last for one in clock_alarm.duties(product) if one.name == clock_alarm.TICK]
    if last is None:
        return _well(message("health.not_ticked"))
    return _well(message("health.ticked", seconds=f"{(product.now() - last).total_seconds():.0f}"))


def _daily(product: Product) -> ServerState:
    if failed := daily_duties.failed(product):
        return _ill(
            *(
                message("health.daily_failed", duty=message(f"health.duty_{name}"), day=day_of(since), reason=reason)
                for name, since, reason in failed
            )
        )
    day = daily_duties.last_day(product)
    return _well(message("health.daily_done", day=day) if day else message("health.daily_not_yet"))


def _backup(product: Product) -> ServerState:
    last, late_days = last_whole(product), product.settings.backup.late_days
    if last is None:
        return _well(message("health.no_backup"))
    days = (product.now() - last).days
    return ServerState(not late_days or days < late_days, (message("health.backup", day=day_of(last), days=days),))


def _webhooks(product: Product) -> ServerState:
    before, running = product.now() - WEBHOOK_PATIENCE, [x for x in product.store.webhooks.all() if not x.paused_at]
    stuck = [(hook, one) for hook in running if (one := product.store.webhooks.untaken(hook.id, before))]
    if not stuck:
        return _well(message("health.webhooks", count=len(running)) if running else message("health.no_webhooks"))
    return _ill(
        *(
            # Of its address the host alone: the rest may hold a secret, and everybody reads this.
            message("health.webhook_stuck", host=urlsplit(hook.url).hostname, day=day_of(one.made_at))
            for hook, one in stuck
        )
    )


def _mailbox(product: Product) -> ServerState:
    """A server that is away for a while is no fault; an answer that nobody reads has a term that runs."""
    stands, now = mailbox_watch.standing(product), product.now()
    if stands.failing_since is None or stands.reason is None:
        if stands.read_at is None:
            return _well(message("health.mailbox_not_yet"))
        age, longest = now - stands.read_at, 5 * timedelta(minutes=product.settings.notice.imap_minutes)
        said = message("health.mailbox_read", minutes=_minutes(age))
        return ServerState(age < max(MAILBOX_PATIENCE, longest), (said,))
    failing = now - stands.failing_since
    said = message("health.mailbox_failed", minutes=_minutes(failing), reason=stands.reason)
    return ServerState(failing < MAILBOX_PATIENCE, (said,))


def _minutes(time: timedelta) -> str:
    return f"{time.total_seconds() // 60:,.0f}"


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
