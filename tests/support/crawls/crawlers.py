"""Crawlers of the product's own, each in a process of its own."""

import subprocess

from store.records import Run
from wenhen.child_environment import child_environment, python
from wenhen.wiring import App


def crawler(app: App, run: Run) -> "subprocess.Popen[bytes]":
    """One that takes part in a run."""
    command = python("wenhen.processes.crawl_process", run.id)
    return subprocess.Popen(command, env=dict(child_environment(app.settings)))
