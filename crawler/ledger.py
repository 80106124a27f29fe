"""Counts what becomes of every address and tells the sink, off the reactor's thread."""

import asyncio
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor

from crawler.job import CrawlCounts, Sink
from crawler.reasons import Outcome, Reason
from store.errors import Unavailable
from store.records import Capture

THREADS = 4  # captures that are stored at the same time


class Ledger:
    """All methods but `close` are called on the reactor's thread."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sink")
        self._fetched = 0
        self._refused: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self.fatal: Exception | None = None  # an error of the sink that ends the crawl

    @property
    def counts(self) -> CrawlCounts:
        """The counts up to now."""
        return CrawlCounts(self._fetched, dict(self._refused), dict(self._failed))

    async def captured(self, url: str, capture: Capture, body: bytes) -> None:
        """Hand a capture over; returns when the sink has taken it, or its refusal is counted."""
        self._fetched += 1
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._sink.captured, url, capture, body)
        except Unavailable as error:
            self._fetched -= 1
            self.fatal = self.fatal or error
        except Exception as error:  # noqa: BLE001  whatever one page does to the sink, the rest goes on
            self._fetched -= 1
            self.missed(url, Outcome(False, Reason.NOT_STORED, f"not stored: {type(error).__name__}: {error}"))

    def missed(self, url: str, outcome: Outcome) -> None:
        """Count an address that gave no capture, and say why."""
        (self._refused if outcome.refused else self._failed)[str(outcome.reason)] += 1
        self._threads.submit(self._sink.refused, url, outcome.message).add_done_callback(self._heard)

    def report(self) -> None:
        """Tell the counts."""
        self._threads.submit(self._sink.progress, self.counts).add_done_callback(self._heard)

    def _heard(self, told: "Future[None]") -> None:
        error = told.exception()
        if isinstance(error, Exception):
            self.fatal = self.fatal or error

    def close(self) -> CrawlCounts:
        """Wait for what is under way, tell the last counts and return them; raises what ended the crawl."""
        self._threads.shutdown(wait=True)
        if self.fatal is not None:
            raise self.fatal
        counts = self.counts
        self._sink.progress(counts)
        return counts
