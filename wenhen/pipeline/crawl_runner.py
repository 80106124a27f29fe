"""Run each crawl in a process of its own. Kill crawlers that hang."""

import os
import subprocess
import time
from contextlib import suppress
from datetime import timedelta
from secrets import token_hex

import psutil

from wenhen.archive.integrity import MAX_FILES_AFTER_CRAWL, stamp_closed_files
from wenhen.archive.retention import store_closed_files
from wenhen.crawls.model import Run, RunState
from wenhen.crawls.service import DIED_MESSAGE, end_run, lose_run
from wenhen.kit.errors import Message, NotFound, Unavailable, WenhenError
from wenhen.kit.python_process import python_command
from wenhen.kit.telemetry import METRICS_PLACE_VARIABLE
from wenhen.runtime.wiring import App

# Watchdog of crawlers: it kills those that do not stop when told to, and those that send no heartbeat.


WATCH_SECONDS = 2.0
MAX_STOP_SECONDS = 20.0  # seconds for a crawler to stop, with the pages that it is fetching
MAX_SILENCE = timedelta(minutes=10)  # a crawler sends its progress every second
STOPPING_STATES = frozenset((RunState.STOPPING, RunState.PAUSING))


def watch_crawler(app: App, run_id: str, crawler: "subprocess.Popen[bytes]") -> None:
    """Wait until the crawler has ended, and kill it if it hangs."""
    began, stop_told_at = time.monotonic(), None
    while True:
        with suppress(subprocess.TimeoutExpired):
            crawler.wait(WATCH_SECONDS)
            return
        with suppress(Unavailable):
            run = app.store.runs.get(run_id)
            now = time.monotonic()
            starts = run.state is RunState.WAITING and now - began < MAX_SILENCE.total_seconds()
            if starts:  # a start on a busy machine may outlast the wait for another crawler
                app.store.runs.move(run_id, {run.state}, run.state, app.now())
            stop_told_at = (stop_told_at or now) if run.ended_at or run.state in STOPPING_STATES else None
            disobeys = stop_told_at is not None and now - stop_told_at > MAX_STOP_SECONDS
            if disobeys or (now - began > MAX_SILENCE.total_seconds() and _is_silent(app, run)):
                _kill_crawler(crawler.pid)


def _is_silent(app: App, run: Run) -> bool:
    return run.ended_at is None and app.now() - run.heartbeat_at > MAX_SILENCE


def _kill_crawler(pid: int) -> None:
    """Kill the crawler, and its browser if it has one."""
    with suppress(psutil.NoSuchProcess):
        crawler = psutil.Process(pid)
        for process in (*crawler.children(recursive=True), crawler):
            with suppress(psutil.NoSuchProcess):
                process.kill()


# Each crawl runs in its own process, because a Twisted reactor cannot be restarted.


def run_crawl(app: App, run_id: str) -> None:
    """Run a crawler for this run. The watchdog kills one that hangs."""
    try:
        run = app.store.runs.get(run_id)
    except NotFound:
        return
    name = token_hex(8)
    crawler = subprocess.Popen(
        python_command("wenhen.runtime.processes.crawl_process", run_id, name),
        env={**os.environ, METRICS_PLACE_VARIABLE: f"crawl-{os.getpid()}"},
    )
    watch_crawler(app, run_id, crawler)
    if status := crawler.wait():
        with suppress(Unavailable):
            app.frontier(run, name).leave()  # otherwise its place would be taken for a while
        _settle_run(app, run_id, status)
    with suppress(WenhenError, OSError):  # the daily run tries again
        stamp_closed_files(app, MAX_FILES_AFTER_CRAWL)
        store_closed_files(app, MAX_FILES_AFTER_CRAWL)


def _settle_run(app: App, run_id: str, status: int) -> None:
    run = app.store.runs.get(run_id)
    if run.ended_at is None and run.state is RunState.STOPPING:
        end_run(app, run)
    else:
        lose_run(app, run_id, DIED_MESSAGE if status < 0 else Message("crawls.exit_status", {"status": status}))
