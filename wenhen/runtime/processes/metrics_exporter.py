"""Export the state of queues, indexes and schedule to Prometheus."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from wenhen.kit.errors import WenhenError
from wenhen.kit.progress import OwnerKind
from wenhen.operations.health import check_health, read_backlog
from wenhen.runtime.monitoring import serve_metrics, set_up_logs
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import App, worker_app
from wenhen.steps.duties import scheduler_duties

# Metrics of the servers, read when Prometheus asks, in one process for the whole installation.


class StateCollector(Collector):
    """Opens the product on first use. Metrics that cannot be read are left out, and `wenhen_up` shows that."""

    def __init__(self, opened: Callable[[], App]) -> None:
        self._opened = opened

    def describe(self) -> list[GaugeMetricFamily]:
        """Return nothing: the servers may be away when the process starts."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield all metrics."""
        up = GaugeMetricFamily(
            "wenhen_up", "1 where a part of the product is well, as its health screen has it.", labels=["part"]
        )
        try:
            app = self._opened()
        except WenhenError:
            up.add_metric(["store"], 0)
            yield up
            return
        for name, state in check_health(app).items():
            up.add_metric([name], int(state.answers))
        yield up
        for ask in (_queue_metrics, _record_metrics, _clock_metrics, _index_metrics, _space_metrics):
            with suppress(WenhenError):
                yield from ask(app)


def _queue_metrics(app: App) -> Iterator[GaugeMetricFamily]:
    backlog = read_backlog(app)
    length = GaugeMetricFamily("wenhen_queue_messages", "Records, or other tasks, that wait.", labels=["queue"])
    oldest = GaugeMetricFamily(
        "wenhen_queue_oldest_seconds", "Since when what waits longest in a queue does.", labels=["queue"]
    )
    for queue, count in backlog.waiting.items():
        length.add_metric([queue], count)
        oldest.add_metric([queue], _age_seconds(app, backlog.sent.get(queue)))
    due = GaugeMetricFamily(
        "wenhen_oldest_due_seconds", "Since when the oldest unfinished record waits.", labels=["kind"]
    )
    for kind in OwnerKind:
        due.add_metric([kind], _age_seconds(app, backlog.due.get(kind)))
    yield from (length, oldest, due)
    yield GaugeMetricFamily(
        "wenhen_schedule_lag_seconds",
        "Since when the crawl is due that waits longest to start.",
        _age_seconds(app, backlog.site_due),
    )


def _record_metrics(app: App) -> Iterator[GaugeMetricFamily]:
    records = GaugeMetricFamily("wenhen_records", "Works and pages at each step.", labels=["kind", "step"])
    for kind, store in ((OwnerKind.WORK, app.store.works), (OwnerKind.PAGE, app.store.pages)):
        for step, count in store.count_by_step().items():
            records.add_metric([kind, step], count)
    yield records
    yield GaugeMetricFamily("wenhen_problems", "Input that was refused or set aside.", app.store.problems.count())


def _clock_metrics(app: App) -> Iterator[GaugeMetricFamily]:
    last = GaugeMetricFamily("wenhen_clock_seconds", "Since when the clock did not do a duty.", labels=["duty"])
    for duty in scheduler_duties(app):
        last.add_metric([duty.name], _age_seconds(app, duty.last) if duty.last else float("inf"))
    yield last


def _index_metrics(app: App) -> Iterator[GaugeMetricFamily]:
    postings = GaugeMetricFamily("wenhen_index_postings", "Postings of an index.", labels=["index"])
    size = GaugeMetricFamily("wenhen_index_bytes", "Bytes of the postings of an index.", labels=["index"])
    for kind in OwnerKind:
        stats = app.index(kind).stats()
        postings.add_metric([kind], stats.postings)
        size.add_metric([kind], stats.bytes)
    yield from (postings, size)


def _space_metrics(app: App) -> Iterator[GaugeMetricFamily]:
    space = app.store.space()
    yield GaugeMetricFamily("wenhen_database_bytes", "Bytes that the database holds.", space.data)
    yield GaugeMetricFamily("wenhen_database_free_bytes", "Bytes free on the database's disk.", space.free)


def _age_seconds(app: App, since: datetime | None) -> float:
    return 0.0 if since is None else max(0.0, (app.now() - since).total_seconds())


# The metrics process, run as `python -m wenhen.runtime.processes.metrics_exporter`.


def main() -> None:
    """Serve metrics until SIGTERM or SIGINT."""
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: over.set())
    settings = load_settings()
    set_up_logs(settings.log)
    serve_metrics(settings.metrics, [StateCollector(worker_app)])
    while not over.wait(1.0):  # signal handlers could not run during an endless wait
        pass


if __name__ == "__main__":
    main()
