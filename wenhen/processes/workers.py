"""Celery workers as child processes: all of one machine, or those that one command asks for."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from services.upkeep.clock_alarm import SWEEP
from store.private_files import make_private
from wenhen.child_environment import child_environment, python
from wenhen.crawls_at_once import crawls_at_once
from wenhen.processes.supervise import Child
from wenhen.queue_names import BEAT_VARIABLE, CRAWL, EVIDENCE, MATCH, PICTURES, TEXT, UPKEEP, WEBHOOKS
from wenhen.wiring import App


def worker_children(app: App, *, schedule: bool = True) -> list[Child]:
    """The workers of one machine: texts and matches, crawls, upkeep; and the clock.

    schedule: the clock also starts what is due by the hour, not only what was left unfinished. All but the clock leave
    the processor to the dashboard and the servers, for which people wait.
    """
    make_private(_log(app))
    workers = [
        _worker(app, "worker", (TEXT, MATCH), app.settings.worker.concurrency),
        _worker(app, "crawler", (CRAWL,), crawls_at_once(app.settings.crawler.sites)),
        _worker(app, "pictures", (PICTURES,), 1),
        # A long rebuild, receivers and authorities that do not answer must not hold up the sweep.
        _worker(app, "upkeep", (UPKEEP, WEBHOOKS, EVIDENCE), 3),
    ]
    workers = [replace(worker, niceness=app.settings.worker.niceness) for worker in workers]
    environment = {**child_environment(app.settings), **({} if schedule else {BEAT_VARIABLE: SWEEP})}
    # A child of its own, so that it is started again when it dies.
    arguments = ("beat", "--schedule", str(_log(app) / "beat"), "--pidfile", "", "--loglevel", "WARNING")
    return [*workers, Child("clock", (*_celery(), *arguments), environment, _log(app) / "clock.log")]


def own_workers(app: App, queues: Collection[str]) -> list[Child]:
    """What a command starts that finds nobody at these queues: one process for all but crawls, which take long."""
    make_private(_log(app))
    short = sorted({*queues} - {CRAWL})
    children = [_worker(app, "worker", short, app.settings.worker.concurrency + 1)] if short else []
    return [*children, _worker(app, "crawler", (CRAWL,), 1)] if CRAWL in queues else children


def _worker(app: App, name: str, queues: Sequence[str], most: int) -> Child:
    """most: processes that it may have (`wenhen.autoscaling`)."""
    least = min(most, app.settings.worker.least)
    arguments = (
        *("worker", "--queues", ",".join(queues), "--autoscale", f"{most},{least}", "--hostname", f"{name}@%h"),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    )
    return Child(name, (*_celery(), *arguments), child_environment(app.settings), _log(app) / f"{name}.log")


def _celery() -> tuple[str, ...]:
    return *python("wenhen.processes.program", "celery"), "--quiet"


def _log(app: App) -> Path:
    return app.settings.data / "log"
