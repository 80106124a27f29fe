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
from crawler.ports import Archive, Arrival, CrawlCounts, KnownPage, PageChange
from crawler.run import open_archive
from crawler.site_access import Cookie
from crawler.warc.writer import WarcArchive
from wenhen.crawls.model import Run
from wenhen.crawls.sink import SteeredStoringSink, capture_spans
from wenhen.kit.errors import Message, Unavailable
from wenhen.runtime.monitoring import set_up_logs
from wenhen.runtime.wiring import worker_app
from wenhen.sites.model import Site

# An object in a forked process, which is called from threads of this process. A crawl loop, which is CPU-bound, is not
# slowed down by work in another process, as it would be by threads of its own.


logger = logging.getLogger(__name__)


class _RaisedError(NamedTuple):
    error: Exception


class ForkedObject:
    """An object in a forked process.

    `make` creates the object there. Its `close` is called when this proxy is closed, or when this process dies.
    `at_once` calls run in parallel, each in its own thread, and further calls wait. Create it before this process has
    threads, or connections that it will use itself.
    """

    def __init__(self, make: Callable[[], Any], at_once: int) -> None:
        ways = [Pipe() for _ in range(at_once)]
        self._pid = os.fork()
        if not self._pid:
            for own_end, _ in ways:
                own_end.close()  # otherwise the end of this process would not be noticed
            _serve_and_exit(make, [theirs for _, theirs in ways])
        self._ways = [own_end for own_end, _ in ways]
        self._idle: SimpleQueue[Connection] = SimpleQueue()
        for own_end, theirs in ways:
            theirs.close()
            self._idle.put(own_end)

    def call(self, name: str, *arguments: object) -> Any:
        """Call a method (``method`` or ``part.method``) or read an attribute.

        Raises what the method raises, and `Unavailable` if the other process has ended.
        """
        connection = self._idle.get()
        try:
            connection.send((name, arguments))
            answer = connection.recv()
        except (OSError, EOFError) as error:
            raise Unavailable("crawls.no_writer") from error
        finally:
            self._idle.put(connection)
        if isinstance(answer, _RaisedError):
            raise answer.error
        return answer

    def close(self) -> None:
        """Wait for running calls, and for the end of the process."""
        for connection in self._ways:
            connection.close()
        with suppress(ChildProcessError):  # its status was already collected
            os.waitpid(self._pid, 0)


def _serve_and_exit(make: Callable[[], Any], ways: Sequence[Connection]) -> None:
    """Serve calls as long as the other end lives. Signals to the process group are left to the parent."""
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        served = make()
        threads = [Thread(target=_answer_calls, args=(connection, served)) for connection in ways]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        served.close()
        status = 0
    except Exception:
        logger.exception("the process beside %d ended", os.getppid())
    finally:
        os._exit(status)  # exit handlers of the parent must not run here


def _answer_calls(connection: Connection, served: Any) -> None:
    with suppress(OSError, EOFError):
        while True:
            name, arguments = connection.recv()
            answer = _call_object(served, name, arguments)
            try:
                connection.send(answer)
            except (TypeError, AttributeError, ValueError) as error:  # the answer cannot be pickled
                connection.send(_RaisedError(RuntimeError(f"{name}: {error}")))


def _call_object(served: Any, name: str, arguments: Sequence[object]) -> Any:
    try:
        method = attrgetter(name)(served)
        return method(*arguments) if callable(method) else method
    except Exception as error:  # noqa: BLE001  raised in the caller
        return _RaisedError(error)


# The process that stores and archives what a crawler fetched, so that the crawler only fetches pages. What the writer
# has confirmed is stored. If the writer dies, the crawl ends as if the database was lost, and is resumed.


_MAX_PARALLEL_CALLS: Final = SINK_THREADS + 1  # the calls of the ledger, and the archive


class CrawlWriter:
    """The writer of one crawl. Create it before anything is opened."""

    def __init__(self) -> None:
        self._process = ForkedObject(_WriterProcess, _MAX_PARALLEL_CALLS)

    def begin(self, run: Run, site: Site, job: CrawlJob) -> tuple["RemoteSink", "RemoteArchive | None"]:
        """Return the sink of the crawl, and its archive if it has one."""
        has_archive = self._process.call("begin", run, site, job)
        return RemoteSink(self._process), RemoteArchive(self._process) if has_archive else None

    def close(self) -> None:
        """Wait until the writer has ended."""
        self._process.close()


class RemoteSink:
    """Proxy of the sink of a crawl (`wenhen.crawls.sink.SteeredStoringSink`) in the writer."""

    def __init__(self, process: ForkedObject) -> None:
        self._call = process.call

    @property
    def gives_way(self) -> bool:
        """Return whether it stopped for the turn of another run."""
        return bool(self._call("sink.gives_way"))

    def store_captures(self, arrivals: Sequence[Arrival]) -> Sequence[PageChange | None]:
        """Implement the port. Spans are made here, in the crawler."""
        with capture_spans(arrivals):
            page_changes: Sequence[PageChange | None] = self._call("sink.store_captures", arrivals)
        return page_changes

    def recall_pages(self, urls: Sequence[str]) -> Sequence[KnownPage]:
        """Implement the port."""
        known: Sequence[KnownPage] = self._call("sink.recall_pages", urls)
        return known

    def note_unchanged(self, answers: Sequence[tuple[str, Capture]]) -> Sequence[bytes]:
        """Implement the port."""
        bodies: Sequence[bytes] = self._call("sink.note_unchanged", answers)
        return bodies

    def report_refused(self, url: str, message: Message, reason: str, /) -> None:
        """Implement the port."""
        self._call("sink.report_refused", url, message, reason)

    def report_gone(self, url: str, message: Message, /) -> None:
        """Implement the port."""
        self._call("sink.report_gone", url, message)

    def needs_browser(self, url: str, /) -> None:
        """Implement the port."""
        self._call("sink.needs_browser", url)

    def session(self, cookies: Sequence[Cookie]) -> None:
        """Implement the port."""
        self._call("sink.session", cookies)

    def progress(self, counts: CrawlCounts) -> None:
        """Implement the port."""
        self._call("sink.progress", counts)

    def should_leave_off(self) -> bool:
        """Implement the port."""
        return bool(self._call("sink.should_leave_off"))

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """Implement the port."""
        self._call("sink.looks", template, languages)


class RemoteArchive(Archive):
    """Proxy of the archive of a crawl in the writer."""

    def __init__(self, process: ForkedObject) -> None:
        self._call = process.call

    def write_all(self, answers: Sequence[RecordedExchange]) -> Sequence[WarcPlace | Exception]:
        """Implement the port."""
        places: Sequence[WarcPlace | Exception] = self._call("archive.write_all", answers)
        return places

    def close(self) -> None:
        """Implement the port."""
        self._call("archive.close")


class _WriterProcess:
    """The object in the writer process."""

    sink: SteeredStoringSink
    archive: WarcArchive | None = None

    def __init__(self) -> None:
        self._app = worker_app()
        set_up_logs(self._app.settings.log)

    def begin(self, run: Run, site: Site, job: CrawlJob) -> bool:
        """Open the sink and the archive. Return whether there is an archive."""
        self.sink = SteeredStoringSink(self._app, run, site, job.cookies)
        self.archive = open_archive(job, os.getppid())
        return self.archive is not None

    def close(self) -> None:
        """Close the archive, also of a crawler that died."""
        if self.archive is not None:
            self.archive.close()
        self._app.store.close()
