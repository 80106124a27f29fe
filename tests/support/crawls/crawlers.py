"""Crawlers of the product's own, each in a process of its own."""

import os
import signal
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from tests.support.crawls.crawling import PROCESSES
from wenhen.crawls.model import Run
from wenhen.runtime.settings_sources import child_environment
from wenhen.runtime.wiring import App


class Crawler:
    """A process that takes part in a run, told of as `subprocess.Popen` tells of one."""

    def __init__(self, app: App, run: Run) -> None:
        self._process = PROCESSES.Process(
            target=_take_part, args=(run.id, child_environment(app.settings)), daemon=True
        )
        self._process.start()
        assert self._process.pid
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wait()

    def wait(self, seconds: float | None = None) -> int:
        """The exit status, -9 of one that was killed. TimeoutError: it runs after so many seconds."""
        self._process.join(seconds)
        if self._process.exitcode is None:
            raise TimeoutError(f"the crawler runs after {seconds} seconds")
        return self._process.exitcode

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def crawler(app: App, run: Run) -> Crawler:
    """One that takes part in a run, forked from a process that has imported what it needs."""
    return Crawler(app, run)


def _take_part(run_id: str, environment: Mapping[str, str]) -> None:
    from wenhen.runtime.processes.crawl_process import main  # with Scrapy, which the tests' own process does not need

    os.environ.clear()
    os.environ.update(environment)
    sys.exit(main(run_id))
