"""Check servers, disks, queues and workers, and measure the backlog."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from wenhen.archive.retention import last_complete_backup
from wenhen.backups.backup import requested_backup
from wenhen.context.use_cases import Product
from wenhen.crawls.job import warc_folder
from wenhen.fingerprints.service import count_outdated
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Message, WenhenError, message, plain_message
from wenhen.kit.plugins import all_plugins
from wenhen.kit.progress import OwnerKind
from wenhen.notices.due_tasks import mailbox_standing
from wenhen.steps.duties import TICK_DUTY, failed_duties, last_complete_day, scheduler_alarm, scheduler_duties
from wenhen.steps.fair_queue import CRAWL_QUEUE
from wenhen.steps.runner import step_records

# Backlog: messages in the queues, due records, and sites whose crawl is due.


@dataclass(frozen=True, slots=True)
class Backlog:
    """The backlog.

    - waiting: entries of each queue.
    - sent: time of the oldest entry of each queue.
    - due: due time of the oldest unfinished record of each kind.
    - site_due: due time of the site that waits longest.
    """

    waiting: Mapping[str, int]
    sent: Mapping[str, datetime]
    due: Mapping[OwnerKind, datetime]
    site_due: datetime | None


def read_backlog(product: Product) -> Backlog:
    """Read the backlog. Raises `Unavailable`."""
    now = product.now()
    due: dict[OwnerKind, datetime] = {}
    for kind in OwnerKind:
        records = step_records(product, kind)
        for id, _ in records.due(now, 1):
            due[kind] = records.get(id).progress.due
    sites = [site.due for site in product.store.sites.due(now)]
    return Backlog(product.queue.count_waiting(), product.queue.oldest(), due, min(sites, default=None))


# Health of the servers and how full they are, for the health screen, `/readyz` and `/healthz`.


MIN_FREE_SHARE: Final = 0.05  # of a disk; below it, writes may fail soon
MAILBOX_PATIENCE: Final = timedelta(hours=1)
WEBHOOK_PATIENCE: Final = timedelta(days=1)
QUEUE_PATIENCE: Final = timedelta(minutes=30)  # of any queue but that of crawls, whose order is the pace of sites
GB: Final = 10**9
MB: Final = 10**6


class ServerState(NamedTuple):
    """Whether a part is healthy, and its version, fill level or problem."""

    answers: bool
    said: tuple[Message, ...]
    attention: bool = False  # healthy, but somebody should know

    @property
    def detail(self) -> str:
        """Return the messages in English, for programs and logs."""
        return ", ".join(map(str, self.said))


HealthCheck = Callable[[], Mapping[str, ServerState]]


def check_health(product: Product) -> Mapping[str, ServerState]:
    """Check every server, disk, queue and worker. Return the state of each, by name."""
    checks: dict[str, Callable[[], ServerState]] = {
        "wenhen": lambda: _healthy_state(plain_message(version("wenhen"))),
        "MongoDB": lambda: _healthy_state(plain_message(product.store.ping())),
        "Redis": lambda: _healthy_state(plain_message(product.queue.ping())),
        "works index": lambda: _index_state(product, OwnerKind.WORK),
        "pages index": lambda: _index_state(product, OwnerKind.PAGE),
        "database disk": lambda: _database_state(product),
        "data disk": lambda: _data_disk_state(product),
        **(
            {"archive disk": partial(_folder_disk_state, apart)} if (apart := _separate_archive_folder(product)) else {}
        ),
        "queues": lambda: _queue_state(product),
        "clock": lambda: _clock_state(product),
        "daily duties": lambda: _daily_state(product),
        "backup": lambda: _backup_state(product),
        "webhooks": lambda: _webhook_state(product),
        **({"mailbox": lambda: _mailbox_state(product)} if product.settings.notice.imap else {}),
        **({"plug-ins": plugin_state} if all_plugins() else {}),
    }
    return {**{name: _ask_state(ask) for name, ask in checks.items()}, **_worker_states(product)}


def check_readiness(product: Product) -> Mapping[str, ServerState]:
    """Check the servers that every screen needs."""
    return {
        "MongoDB": _ask_state(lambda: _healthy_state(plain_message(product.store.ping()))),
        "Redis": _ask_state(lambda: _healthy_state(plain_message(product.queue.ping()))),
    }


def _ask_state(ask: Callable[[], ServerState]) -> ServerState:
    try:
        return ask()
    except WenhenError as error:
        return _faulty_state(error.message)


def _index_state(product: Product, kind: OwnerKind) -> ServerState:
    stats, outdated = product.index(kind).stats(), count_outdated(product, kind)
    size = message("health.postings", count=f"{stats.postings:,}", size=f"{stats.bytes / MB:,.1f}")
    return _faulty_state(size, message("health.outdated", count=f"{outdated:,}")) if outdated else _healthy_state(size)


def plugin_state() -> ServerState:
    """Return the plug-ins that are installed, and what is wrong with them."""
    plugins = all_plugins()
    sentences = (
        message("plugins.named", name=plugin.name, distribution=plugin.distribution)
        if plugin.problem is None
        else message("plugins.problem", name=plugin.name, distribution=plugin.distribution, problem=plugin.problem)
        for plugin in plugins
    )
    return ServerState(all(plugin.problem is None for plugin in plugins), tuple(sentences))


def _database_state(product: Product) -> ServerState:
    space = product.store.space()
    return _disk_state(space.free, space.disk, message("health.data", size=f"{space.data / GB:,.2f}"))


def _data_disk_state(product: Product) -> ServerState:
    return _folder_disk_state(product.settings.data)


def _separate_archive_folder(product: Product) -> Path | None:
    """Return the archive folder if it is on another disk than the data folder, else None."""
    folder = warc_folder(product.settings)
    if folder is None or not folder.exists():
        return None
    return folder if folder.stat().st_dev != _nearest_folder(product.settings.data).stat().st_dev else None


def _folder_disk_state(folder: Path) -> ServerState:
    usage = shutil.disk_usage(_nearest_folder(folder))
    return _disk_state(usage.free, usage.total, plain_message(str(folder)))


def _nearest_folder(folder: Path) -> Path:
    """Return the nearest existing parent. Without embedded servers, the data folder is only made with its first
    file.
    """
    return next(parent for parent in (folder, *folder.parents) if parent.exists())


def _disk_state(free: int, total: int, what: Message) -> ServerState:
    left = message("health.disk", free=f"{free / GB:,.1f}", total=f"{total / GB:,.1f}")
    return ServerState(free >= MIN_FREE_SHARE * total, (what, left))


def _queue_state(product: Product) -> ServerState:
    sentences = [
        message(f"health.queue_{name}", count=f"{count:,}") for name, count in product.queue.count_waiting().items()
    ]
    waits = {name: product.now() - since for name, since in product.queue.oldest().items()}
    longest = max(waits.values(), default=timedelta())
    if longest >= timedelta(minutes=1):
        sentences.append(message("health.queue_oldest", minutes=_format_minutes(longest)))
    late = [name for name in waits if name != CRAWL_QUEUE and waits[name] > QUEUE_PATIENCE]
    sentences += [
        message("health.queue_late", queue=message(f"health.serves_{name}"), minutes=_format_minutes(waits[name]))
        for name in late
    ]
    return ServerState(True, tuple(sentences), attention=bool(late))


def _clock_state(product: Product) -> ServerState:
    if wrong := scheduler_alarm(product):
        return _faulty_state(wrong)
    [last] = [duty.last for duty in scheduler_duties(product) if duty.name == TICK_DUTY]
    if last is None:
        return _healthy_state(message("health.not_ticked"))
    return _healthy_state(message("health.ticked", seconds=f"{(product.now() - last).total_seconds():.0f}"))


def _daily_state(product: Product) -> ServerState:
    if failed := failed_duties(product):
        return _faulty_state(
            *(
                message("health.daily_failed", duty=message(f"health.duty_{name}"), day=china_day(since), reason=reason)
                for name, since, reason in failed
            )
        )
    day = last_complete_day(product)
    return _healthy_state(message("health.daily_done", day=day) if day else message("health.daily_not_yet"))


def _backup_state(product: Product) -> ServerState:
    last, late_days = last_complete_backup(product), product.settings.backup.late_days
    request = requested_backup(product)
    if request is not None and request.problem is not None and (last is None or last < request.asked_at):
        return _faulty_state(message("health.backup_failed", day=china_day(request.asked_at), reason=request.problem))
    if request is not None and request.is_open:
        return _healthy_state(message("health.backup_running"))
    if last is None:
        return ServerState(True, (message("health.no_backup"),), attention=True)
    days = (product.now() - last).days
    return ServerState(not late_days or days < late_days, (message("health.backup", day=china_day(last), days=days),))


def _webhook_state(product: Product) -> ServerState:
    before, running = product.now() - WEBHOOK_PATIENCE, [x for x in product.store.webhooks.all() if not x.paused_at]
    stuck = [(hook, delivery) for hook in running if (delivery := product.store.webhooks.untaken(hook.id, before))]
    if not stuck:
        return _healthy_state(
            message("health.webhooks", count=len(running)) if running else message("health.no_webhooks")
        )
    return _faulty_state(
        *(
            # Only the host is shown: the rest of the address may contain a secret, and every user sees this.
            message("health.webhook_stuck", host=urlsplit(hook.url).hostname, day=china_day(delivery.made_at))
            for hook, delivery in stuck
        )
    )


def _mailbox_state(product: Product) -> ServerState:
    """Return the state of the mailbox. A short outage is no fault, but replies that nobody reads have deadlines."""
    stands, now = mailbox_standing(product), product.now()
    if stands.failing_since is None or stands.reason is None:
        if stands.read_at is None:
            return _healthy_state(message("health.mailbox_not_yet"))
        age, longest = now - stands.read_at, 5 * timedelta(minutes=product.settings.notice.imap_minutes)
        sentence = message("health.mailbox_read", minutes=_format_minutes(age))
        return ServerState(age < max(MAILBOX_PATIENCE, longest), (sentence,))
    failing = now - stands.failing_since
    sentence = message("health.mailbox_failed", minutes=_format_minutes(failing), reason=stands.reason)
    return ServerState(failing < MAILBOX_PATIENCE, (sentence,))


def _format_minutes(time: timedelta) -> str:
    return f"{time.total_seconds() // 60:,.0f}"


def _worker_states(product: Product) -> dict[str, ServerState]:
    try:
        workers, waiting = product.queue.workers(), product.queue.count_waiting()
    except WenhenError as error:
        return {"workers": _faulty_state(error.message)}
    if not workers:
        return {"workers": _faulty_state(message("health.no_worker"))}
    serving = {
        name: _healthy_state(*(message(f"health.serves_{queue}") for queue in queues))
        for name, queues in workers.items()
    }
    served = {queue for queues in workers.values() for queue in queues}
    if left := [queue for queue in waiting if queue not in served]:
        return {**serving, "workers": _faulty_state(message("health.unserved", queues=", ".join(left)))}
    return serving


def _healthy_state(*said: Message) -> ServerState:
    return ServerState(True, said)


def _faulty_state(*said: Message) -> ServerState:
    return ServerState(False, said)
