"""Crawl runs, each in a process of its own: a Twisted reactor cannot be started twice."""

import os
import subprocess
import sys
from contextlib import suppress
from secrets import token_hex

from services.crawls.runs import DIED, lose
from store.errors import NotFound, Unavailable
from store.messages import Message
from store.metrics import PLACE_VARIABLE
from wenhen.wiring import App


def run_crawl(app: App, run_id: str) -> None:
    """Take part in a crawl."""
    try:
        run = app.store.runs.get(run_id)
    except NotFound:
        return
    name = token_hex(8)
    done = subprocess.run(
        [sys.executable, "-m", "wenhen.processes.crawl_process", run_id, name],
        env={**os.environ, PLACE_VARIABLE: f"crawl-{os.getpid()}"},
        check=False,
    )
    if done.returncode:
        with suppress(Unavailable):
            app.frontier(run, name).leave()  # or nobody could take its place for a while
        ended = Message("crawls.exit_status", {"status": done.returncode})
        lose(app, run_id, DIED if done.returncode < 0 else ended)
