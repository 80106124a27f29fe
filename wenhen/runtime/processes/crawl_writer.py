"""Store and archive what a crawler fetched, in a process forked from it."""

import logging
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from operator import attrgetter
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple

from crawler.capture import Capture, RecordedExchange, WarcPlace
from crawler.crawl_stats import SINK_THREADS
from crawler.job import CrawlJob
from crawler.ports import Archive, Arrival, KnownPage
from crawler.run import open_archive
from crawler.site_access import Cookie
from crawler.skip_reasons import CrawlCounts, PageChange
from crawler.warc.writer import WarcArchive
from wenhen.crawls.model import Run
from wenhen.crawls.sink import SteeredStoringSink, capture_spans
from wenhen.kit.errors import Message, Unavailable
from wenhen.runtime.monitoring import set_up_logs
from wenhen.runtime.wiring import worker_app
from wenhen.sites.model import Site

# An object that lives in a process forked from this one: what is called from threads here is done there.
#
# A process that computes one thing after another, as the loop of a crawl does, is not held up by what is done beside it
# in another process; in threads of its own it would be.


logger = logging.getLogger(__name__)


class _RaisedError(NamedTuple):
    error: Exception


class ForkedObject:
    """`make` makes the object there, and its `close` is called when this process has closed this, or died. So many
    calls are done at a time, each by a thread of its own; more wait for their turn.

    To be made before this process has threads, or connections that it means to use itself.
    """

    def __init__(self, make: Callable[[], Any], at_once: int) -> None:
        ways = [Pipe() for _ in range(at_once)]
        self._pid = os.fork()
        if not self._pid:
            for ours, _ in ways:
                ours.close()  # or it would never show that this process died
            _serve_and_exit(make, [theirs for _, theirs in ways])
        self._ways = [ours for ours, _ in ways]
        self._idle: SimpleQueue[Connection] = SimpleQueue()
        for ours, theirs in ways:
            theirs.close()
            self._idle.put(ours)

    def call(self, name: str, *arguments: object) -> Any:
        """What a method gives (``method``, or ``part.method`` of a part), or an attribute where nothing is to be
        called; raises what it raises, and `Unavailable` where the other process has ended.
        """
        way = self._idle.get()
        try:
            way.send((name, arguments))
            answer = way.recv()
        except (OSError, EOFError) as error:
            raise Unavailable("crawls.no_writer") from error
        finally:
            self._idle.put(way)
        if isinstance(answer, _RaisedError):
            raise answer.error
        return answer

    def close(self) -> None:
        """Wait for what is being done, and for the end of the process."""
        for way in self._ways:
            way.close()
        with suppress(ChildProcessError):  # whoever ended it has asked for its status
            os.waitpid(self._pid, 0)


def _serve_and_exit(make: Callable[[], Any], ways: Sequence[Connection]) -> None:
    """As long as the other end lives: whoever ends a group of processes means the one that decides."""
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        served = make()
        threads = [Thread(target=_answer_calls, args=(way, served)) for way in ways]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        served.close()
        status = 0
    except Exception:
        logger.exception("the process beside %d ended", os.getppid())
    finally:
        os._exit(status)  # what the other process is to do at its end is not ours


def _answer_calls(way: Connection, served: Any) -> None:
    with suppress(OSError, EOFError):
        while True:
            name, arguments = way.recv()
            answer = _call_object(served, name, arguments)
            try:
                way.send(answer)
            except (TypeError, AttributeError, ValueError) as error:  # no answer that can be told
                way.send(_RaisedError(RuntimeError(f"{name}: {error}")))


def _call_object(served: Any, name: str, arguments: Sequence[object]) -> Any:
    try:
        method = attrgetter(name)(served)
        return method(*arguments) if callable(method) else method
    except Exception as error:  # noqa: BLE001  raised where it was called
        return _RaisedError(error)


# The process beside a crawler that stores and archives what it fetched: a crawler's own has its hands full with the
# next pages.
#
# Nothing else is different: what the writer has answered is stored, and where it dies, the crawl ends as it does
# without its database, and is taken up again.


_MAX_PARALLEL_CALLS: Final = SINK_THREADS + 1  # those of the ledger, and the archive


class CrawlWriter:
    """The writer of one crawl, as the crawler sees it; to be made before anything is opened."""

    def __init__(self) -> None:
        self._process = ForkedObject(_WriterProcess, _MAX_PARALLEL_CALLS)

    def begin(self, run: Run, site: Site, job: CrawlJob) -> tuple["RemoteSink", "RemoteArchive | None"]:
        """Where the crawl delivers, and its archive, where it has one."""
        has_archive = self._process.call("begin", run, site, job)
        return RemoteSink(self._process), RemoteArchive(self._process) if has_archive else None

    def close(self) -> None:
        """Wait until it has ended."""
        self._process.close()


class RemoteSink:
    """The sink of a crawl (`wenhen.crawls.sink.SteeredStoringSink`) in the writer."""

    def __init__(self, process: ForkedObject) -> None:
        self._call = process.call

    @property
    def gives_way(self) -> bool:
        """Whether it left off so that another run has its turn."""
        return bool(self._call("sink.gives_way"))

    def store_captures(self, arrivals: Sequence[Arrival]) -> Sequence[PageChange | None]:
        """As the port says; traced here, where the crawl is."""
        with capture_spans(arrivals):
            page_changes: Sequence[PageChange | None] = self._call("sink.store_captures", arrivals)
        return page_changes

    def recall_pages(self, urls: Sequence[str]) -> Sequence[KnownPage]:
        """As the port says."""
        known: Sequence[KnownPage] = self._call("sink.recall_pages", urls)
        return known

    def note_unchanged(self, answers: Sequence[tuple[str, Capture]]) -> Sequence[bytes]:
        """As the port says."""
        bodies: Sequence[bytes] = self._call("sink.note_unchanged", answers)
        return bodies

    def report_refused(self, url: str, message: Message, reason: str, /) -> None:
        """As the port says."""
        self._call("sink.report_refused", url, message, reason)

    def report_gone(self, url: str, message: Message, /) -> None:
        """As the port says."""
        self._call("sink.report_gone", url, message)

    def needs_browser(self, url: str, /) -> None:
        """As the port says."""
        self._call("sink.needs_browser", url)

    def session(self, cookies: Sequence[Cookie]) -> None:
        """As the port says."""
        self._call("sink.session", cookies)

    def progress(self, counts: CrawlCounts) -> None:
        """As the port says."""
        self._call("sink.progress", counts)

    def should_leave_off(self) -> bool:
        """As the port says."""
        return bool(self._call("sink.should_leave_off"))

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """As the port says."""
        self._call("sink.looks", template, languages)


class RemoteArchive(Archive):
    """The archive of a crawl in the writer."""

    def __init__(self, process: ForkedObject) -> None:
        self._call = process.call

    def write_all(self, answers: Sequence[RecordedExchange]) -> Sequence[WarcPlace | Exception]:
        """As the port says."""
        places: Sequence[WarcPlace | Exception] = self._call("archive.write_all", answers)
        return places

    def close(self) -> None:
        """As the port says."""
        self._call("archive.close")


class _WriterProcess:
    """What the process holds."""

    sink: SteeredStoringSink
    archive: WarcArchive | None = None

    def __init__(self) -> None:
        self._app = worker_app()
        set_up_logs(self._app.settings.log)

    def begin(self, run: Run, site: Site, job: CrawlJob) -> bool:
        """Whether there is an archive."""
        self.sink = SteeredStoringSink(self._app, run, site, job.cookies)
        self.archive = open_archive(job, os.getppid())
        return self.archive is not None

    def close(self) -> None:
        """End the archive of a crawler that died."""
        if self.archive is not None:
            self.archive.close()
        self._app.store.close()
