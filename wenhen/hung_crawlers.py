"""Crawlers that are killed: those that do not end when they are told to, and those that say nothing any more."""

import subprocess
import time
from contextlib import suppress
from datetime import timedelta

import psutil

from store.errors import Unavailable
from store.records import Run, RunState
from wenhen.wiring import App

LOOK_SECONDS = 2.0
OBEDIENCE = 20.0  # seconds in which a crawler ends that was told to, with what it is fetching
LONGEST_SILENCE = timedelta(minutes=10)  # a crawler says every second how far it is
LEAVING = frozenset((RunState.STOPPING, RunState.PAUSING))


def watch(app: App, run_id: str, crawler: "subprocess.Popen[bytes]") -> None:
    """Until the crawler has ended, by itself or because it did not obey."""
    began, told = time.monotonic(), None
    while True:
        with suppress(subprocess.TimeoutExpired):
            crawler.wait(LOOK_SECONDS)
            return
        with suppress(Unavailable):
            run = app.store.runs.get(run_id)
            now = time.monotonic()
            starts = run.state is RunState.WAITING and now - began < LONGEST_SILENCE.total_seconds()
            if starts:  # on a busy machine for longer than others wait before they call for another crawler
                app.store.runs.move(run_id, {run.state}, run.state, app.now())
            told = (told or now) if run.ended_at or run.state in LEAVING else None
            disobeys = told is not None and now - told > OBEDIENCE
            if disobeys or (now - began > LONGEST_SILENCE.total_seconds() and _silent(app, run)):
                _kill(crawler.pid)


def _silent(app: App, run: Run) -> bool:
    return run.ended_at is None and app.now() - run.heartbeat_at > LONGEST_SILENCE


def _kill(pid: int) -> None:
    """The crawler, and the browser that it may have started."""
    with suppress(psutil.NoSuchProcess):
        crawler = psutil.Process(pid)
        for process in (*crawler.children(recursive=True), crawler):
            with suppress(psutil.NoSuchProcess):
                process.kill()
