"""Crawlers of the product's own, each in a process of its own."""

import subprocess
import sys

from store.records import Run
from wenhen.child_environment import child_environment
from wenhen.wiring import App


def crawler(app: App, run: Run) -> "subprocess.Popen[bytes]":
    """One that takes part in a run."""
    command = [sys.executable, "-m", "wenhen.processes.crawl_process", run.id]
    return subprocess.Popen(command, env=dict(child_environment(app.settings)))
