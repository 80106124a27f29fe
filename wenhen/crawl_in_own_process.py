"""Crawl runs, each in a process of its own: a Twisted reactor cannot be started twice."""

import os
import subprocess
from contextlib import suppress
from secrets import token_hex

from services.crawls.end_of_run import end
from services.crawls.lost_runs import DIED, lose
from store.errors import NotFound, Unavailable
from store.messages import Message
from store.metrics import PLACE_VARIABLE
from store.records import RunState
from wenhen.child_environment import python
from wenhen.hung_crawlers import watch
from wenhen.wiring import App


def run_crawl(app: App, run_id: str) -> None:
    """Take part in a crawl. One that hangs is killed (`hung_crawlers`)."""
    try:
        run = app.store.runs.get(run_id)
    except NotFound:
        return
    name = token_hex(8)
    crawler = subprocess.Popen(
        python("wenhen.processes.crawl_process", run_id, name),
        env={**os.environ, PLACE_VARIABLE: f"crawl-{os.getpid()}"},
    )
    watch(app, run_id, crawler)
    if status := crawler.wait():
        with suppress(Unavailable):
            app.frontier(run, name).leave()  # or nobody could take its place for a while
        _settle(app, run_id, status)


def _settle(app: App, run_id: str, status: int) -> None:
    run = app.store.runs.get(run_id)
    if run.ended_at is None and run.state is RunState.STOPPING:
        end(app, run)
    else:
        lose(app, run_id, DIED if status < 0 else Message("crawls.exit_status", {"status": status}))
