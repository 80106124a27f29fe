"""Sinks that remember what a crawl brings, for a process whose reports the tests read."""

import hashlib
import os
import signal
import threading
from collections.abc import Sequence

from crawler.capture import Capture, Validators, unpack_assets
from crawler.ports import Arrival, CrawlCounts, KnownPage
from crawler.site_access import Cookie
from wenhen.kit.errors import PLAIN_CODE, Message, Unavailable


class Recorder:
    """A sink that remembers, and fails where it is told to."""

    def __init__(self, failing: dict[str, str], stop_after: int) -> None:
        self.failing = failing
        self.stop_after = stop_after
        self.pages: dict[str, dict[str, object]] = {}
        self.reasons: dict[str, str] = {}
        self.reports: list[dict[str, int]] = []
        self.threads: set[str] = set()
        self.same: list[tuple[str, int]] = []
        self.cookies: dict[str, str] = {}
        self.vanished: dict[str, str] = {}
        self.in_a_browser: list[str] = []  # pages that showed their text there alone

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[None]:
        self.threads.add(threading.current_thread().name)
        for one in arrivals:
            self.record(one.url, one.capture, one.body, one.rendered)
            if one.assets is not None:
                assert one.capture.assets_digest == hashlib.sha256(one.assets).hexdigest()
                self.pages[one.url]["assets"] = [
                    (its.address, its.content.decode()) for its in unpack_assets(one.assets)
                ]
        return [None] * len(arrivals)

    def needs_browser(self, url: str) -> None:
        self.in_a_browser.append(url)

    def record(self, url: str, capture: Capture, body: bytes, rendered: bytes | None) -> None:
        failure = self.failing.get(url)
        if failure == "unavailable":
            raise Unavailable(PLAIN_CODE, text="the store is away")
        if failure:
            raise ValueError(failure)
        assert len(body) == capture.body_size
        assert capture.rendered_digest == (None if rendered is None else hashlib.sha256(rendered).hexdigest())
        self.pages[url] = {
            "url": capture.url,
            "status": capture.status,
            "headers": capture.headers,
            "digest": capture.body_digest,
            "warc": capture.warc and (capture.warc.file, capture.warc.offset, capture.warc.record_id),
            "size": capture.body_size,
            "server": capture.server_address,
            "problems": [*map(str, capture.problems)],
            "dom": rendered and rendered.decode(),
            "begin": body[:2000].decode("latin-1"),
        }
        if len(self.pages) == self.stop_after:
            os.kill(os.getpid(), signal.SIGTERM)

    def report_refused(self, url: str, reason: Message, kind: str) -> None:
        self.reasons[url] = str(reason)

    def report_gone(self, url: str, reason: Message) -> None:
        self.vanished[url] = str(reason)

    def session(self, cookies: Sequence[Cookie]) -> None:
        self.cookies = {cookie.name: cookie.value for cookie in cookies}

    def progress(self, counts: CrawlCounts) -> None:
        self.reports.append(counts.as_mapping())


class Remembering(Recorder):
    """The same with a memory of pages: their bodies, and what their server said of them."""

    def __init__(
        self, failing: dict[str, str], stop_after: int, memory: dict[str, list[str]], rested: list[str]
    ) -> None:
        super().__init__(failing, stop_after)
        self.memory = memory
        self.rested = rested  # need not be asked for

    def recall_pages(self, urls: Sequence[str]) -> list[KnownPage]:
        return [
            KnownPage(self.memory[url][0].encode())
            if url in self.rested
            else KnownPage(validators=Validators(*self.memory[url][1:]) if url in self.memory else None)
            for url in urls
        ]

    def note_unchanged(self, answers: Sequence[tuple[str, Capture]]) -> list[bytes]:
        for url, _ in answers:
            if url in self.failing:
                raise ValueError(self.failing[url])
        self.same += [(url, capture.status) for url, capture in answers]
        return [self.memory[url][0].encode() for url, _ in answers]
