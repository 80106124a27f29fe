"""The process beside a crawler that stores and archives what it fetched: a crawler's own has its hands full with the
next pages.

Nothing else is different: what the writer has answered is stored, and where it dies, the crawl ends as it does without
its database, and is taken up again.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Final

from crawler.crawl.address_counts import CrawlCounts, Found
from crawler.crawl.answered import Answered
from crawler.crawl.archive_port import Archive
from crawler.crawl.count_and_report import THREADS
from crawler.crawl.job import CrawlJob
from crawler.crawl.sink_port import Arrival, Remembered
from crawler.evidence.warc_writer import WarcArchive
from crawler.run_crawl import archive_of
from services.crawls.leaving_off import SteeredStoringSink
from services.crawls.storing_sink import spans_of
from store.messages import Message
from store.records import Capture, Cookie, Run, Site, WarcPlace
from wenhen.processes.forked import Forked
from wenhen.telemetry.logs import set_up_logs
from wenhen.wiring import worker_app

_AT_ONCE: Final = THREADS + 1  # those of the ledger, and the archive


class CrawlWriter:
    """The writer of one crawl, as the crawler sees it; to be made before anything is opened."""

    def __init__(self) -> None:
        self._process = Forked(_Writer, _AT_ONCE)

    def begin(self, run: Run, site: Site, job: CrawlJob) -> tuple["SinkBeside", "ArchiveBeside | None"]:
        """Where the crawl delivers, and its archive, where it has one."""
        has_archive = self._process.call("begin", run, site, job)
        return SinkBeside(self._process), ArchiveBeside(self._process) if has_archive else None

    def close(self) -> None:
        """Wait until it has ended."""
        self._process.close()


class SinkBeside:
    """The sink of a crawl (`services.crawls.leaving_off.SteeredStoringSink`) in the writer."""

    def __init__(self, process: Forked) -> None:
        self._call = process.call

    @property
    def gives_way(self) -> bool:
        """Whether it left off so that another run has its turn."""
        return bool(self._call("sink.gives_way"))

    def captured(self, arrivals: Sequence[Arrival]) -> Sequence[Found | None]:
        """As the port says; traced here, where the crawl is."""
        with spans_of(arrivals):
            found: Sequence[Found | None] = self._call("sink.captured", arrivals)
        return found

    def remembered(self, urls: Sequence[str]) -> Sequence[Remembered]:
        """As the port says."""
        known: Sequence[Remembered] = self._call("sink.remembered", urls)
        return known

    def unchanged(self, answers: Sequence[tuple[str, Capture]]) -> Sequence[bytes]:
        """As the port says."""
        bodies: Sequence[bytes] = self._call("sink.unchanged", answers)
        return bodies

    def refused(self, url: str, message: Message, reason: str, /) -> None:
        """As the port says."""
        self._call("sink.refused", url, message, reason)

    def gone(self, url: str, message: Message, /) -> None:
        """As the port says."""
        self._call("sink.gone", url, message)

    def needs_browser(self, url: str, /) -> None:
        """As the port says."""
        self._call("sink.needs_browser", url)

    def session(self, cookies: Sequence[Cookie]) -> None:
        """As the port says."""
        self._call("sink.session", cookies)

    def progress(self, counts: CrawlCounts) -> None:
        """As the port says."""
        self._call("sink.progress", counts)

    def leaves_off(self) -> bool:
        """As the port says."""
        return bool(self._call("sink.leaves_off"))

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """As the port says."""
        self._call("sink.looks", template, languages)


class ArchiveBeside(Archive):
    """The archive of a crawl in the writer."""

    def __init__(self, process: Forked) -> None:
        self._call = process.call

    def write_all(self, answers: Sequence[Answered]) -> Sequence[WarcPlace | Exception]:
        """As the port says."""
        places: Sequence[WarcPlace | Exception] = self._call("archive.write_all", answers)
        return places

    def close(self) -> None:
        """As the port says."""
        self._call("archive.close")


class _Writer:
    """What the process holds."""

    sink: SteeredStoringSink
    archive: WarcArchive | None = None

    def __init__(self) -> None:
        self._app = worker_app()
        set_up_logs(self._app.settings.log)

    def begin(self, run: Run, site: Site, job: CrawlJob) -> bool:
        """Whether there is an archive."""
        self.sink = SteeredStoringSink(self._app, run, site, job.cookies)
        self.archive = archive_of(job, os.getppid())
        return self.archive is not None

    def close(self) -> None:
        """End the archive of a crawler that died."""
        if self.archive is not None:
            self.archive.close()
        self._app.store.close()
