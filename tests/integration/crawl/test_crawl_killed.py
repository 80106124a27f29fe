"""Crawlers of one run are killed without a word (SIGKILL), each a process of the product's own, on the real servers."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from signal import SIGKILL
from typing import ClassVar

import pytest
from fastwarc import ArchiveIterator, WarcRecordType

from crawler.frontier.scheduler import MAX_ENTRIES_PER_REQUEST
from crawler.warc.reader import FETCHED_AGAIN_FIELD, read_body
from tests.support.crawls.crawlers import Crawler, crawler
from tests.support.crawls.serving import Handler, serving
from tests.support.crawls.watched import watch
from tests.support.way import made_text, opened, wait_for
from wenhen.crawls.job import warc_folder
from wenhen.crawls.model import Run, RunState
from wenhen.crawls.service import start_crawl
from wenhen.kit.progress import Subject
from wenhen.pages.model import Page
from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import child_environment
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.usefixtures("nursery")

SITE = "killed.test"
PAGES = 200
CONCURRENCY = 2
LEASE = 5  # seconds
SLOWLY = 0.06  # seconds for a page until one is killed, so that both have a share however late one of them starts
QUICKLY = 0.01  # and afterwards


class Tree(Handler):
    """Pages that each link to six further ones, and back to the first."""

    pause: ClassVar[float] = SLOWLY

    def page(self) -> None:
        number = int(self.path.strip("/") or 0) if self.path != "/robots.txt" else PAGES
        if number >= PAGES:
            self.reply("", status=404)
            return
        time.sleep(Tree.pause)
        links = "".join(f"<a href=/{n}>{n}</a>" for n in range(6 * number + 1, 6 * number + 7) if n < PAGES)
        self.reply(f"<html><body><p>{made_text(self.path, 60)}</p><a href=/>首页</a>{links}</body></html>")


@contextmanager
def watched(servers: ServerAddresses, tmp_path: Path) -> Iterator[tuple[App, Run]]:
    """The product with a site of which a crawl was just begun."""
    Tree.pause = SLOWLY
    with serving(Tree) as address:
        settings = {"host_map": {SITE: address}, "crawlers": 2}
        with opened(servers, tmp_path, crawler=settings, worker={"lease_seconds": LEASE}) as app:
            watch(app, SITE, max_pages=2 * PAGES, max_depth=9, concurrency=CONCURRENCY)
            yield app, start_crawl(app, Subject.read(SITE))


def pages(app: App) -> list[Page]:
    return list(app.store.pages.many(list(app.store.pages.ids())).values())


def stored_by(app: App) -> Counter[int]:
    """How many pages each process stored; its number stands in the name of its archive."""
    return Counter(int(page.capture.warc.file.split("-")[-2]) for page in pages(app) if page.capture.warc)


def each_stored(app: App, processes: list[Crawler], least: int) -> bool:
    by = stored_by(app)
    return all(by[process.pid] >= least for process in processes)


def fetched_again(folder: Path) -> set[str]:
    """Addresses of the responses that the archive marks as fetched once more."""
    marked: list[str] = []
    for path in folder.iterdir():
        with path.open("rb") as stream:
            responses = ArchiveIterator(stream, parse_http=False, record_types=WarcRecordType.response)
            marked += [one.headers["WARC-Target-URI"] for one in responses if FETCHED_AGAIN_FIELD in one.headers]
    assert len(marked) == len(set(marked)), "one record of each"
    return set(marked)


def assert_exact(app: App, run: Run, killed: int) -> None:
    """Nothing is lost, no page is double, and the run counts what is stored.

    A crawler killed between a capture and its page leaves the capture in the history: it was fetched, and is so again.
    """
    ended = app.store.runs.get(run.id)
    assert (ended.ended_at is not None, ended.problem) == (True, None)
    assert ended.counts == {"fetched": PAGES, "new": PAGES, "refused": 0, "failed": 0}
    twice = [path for path, times in Tree.seen.items() if times > 1 and path != "/robots.txt"]
    stored = pages(app)
    assert {page.url for page in stored} == {f"http://{SITE}/{number or ''}" for number in range(PAGES)}
    assert {page.captures for page in stored} == {1}
    kept = {page.url.removeprefix(f"http://{SITE}"): len(app.store.pages.captures(page.id)) for page in stored}
    assert {path for path, captures in kept.items() if captures != 1} <= set(twice)
    folder = warc_folder(app.settings)
    assert folder is not None
    for page in stored:
        assert page.capture.warc is not None
        evidence = read_body(folder, page.capture.warc)
        assert sha256(evidence).hexdigest() == page.capture.body_digest
        assert app.store.blobs.get(page.capture.body_digest) == evidence
    assert all(Tree.seen[path] == 2 for path in twice)
    again = fetched_again(folder)
    assert again >= {f"http://{SITE}{path}" for path in twice}, "the second record of each says so"
    assert len(again) <= killed * MAX_ENTRIES_PER_REQUEST * CONCURRENCY
    assert len(twice) <= killed * MAX_ENTRIES_PER_REQUEST * CONCURRENCY, "at most what the killed had in hand"


def test_of_two_crawlers_of_a_run_one_is_killed_and_the_other_ends_it_exactly(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with watched(servers, tmp_path) as (app, run):
        survivor, killed = crawlers = [crawler(app, run) for _ in range(2)]
        wait_for(lambda: each_stored(app, crawlers, 20), "20 pages by each")
        killed.kill()
        Tree.pause = QUICKLY
        assert (killed.wait(), survivor.wait(90)) == (-9, 0)
        assert_exact(app, run, killed=1)
        assert stored_by(app)[killed.pid] < PAGES / 2, "it was killed in the middle"
        assert app.store.runs.get(run.id).losses == 0


def test_both_crawlers_of_a_run_are_killed_and_the_next_goes_on_at_once_and_ends_it_exactly(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watched(servers, tmp_path) as (app, run), ThreadPoolExecutor(2) as workers:
        for name, value in child_environment(app.settings).items():
            monkeypatch.setenv(name, value)
        waiting = [workers.submit(run_crawl, app, run.id) for _ in range(2)]
        wait_for(lambda: len(stored_by(app)) == 2 and min(stored_by(app).values()) > 20, "20 pages by each")
        for pid in stored_by(app):
            os.kill(pid, SIGKILL)
        Tree.pause = QUICKLY
        assert [worker.result(30) for worker in waiting] == [None, None]
        assert app.store.pages.count() < PAGES, "they were killed in the middle"
        taken_up = app.store.runs.get(run.id)
        assert (taken_up.state, taken_up.losses) == (RunState.WAITING, 2)
        assert app.queue.count_waiting()["crawl"] >= 2, "others are called for"
        assert crawler(app, run).wait(90) == 0
        assert_exact(app, run, killed=2)
