"""Crawlers of the product's own, each in a process of its own."""

import subprocess
import sys

from pipeline.context import App
from store.records import Run
from wenhen.wiring import worker_environment


def crawler(app: App, run: Run) -> "subprocess.Popen[bytes]":
    """One that takes part in a run."""
    command = [sys.executable, "-m", "wenhen.processes.crawl_process", run.id]
    return subprocess.Popen(command, env=dict(worker_environment(app.settings)))
