"""The product on a replica set of three, whose primary is killed in the middle of the work."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from typing import TypeVar

import pytest
import redis

from tests.support.servers.replica_set import ReplicaSet, replica_set  # noqa: F401  a fixture
from tests.support.way import INDEX, QUEUES, capture, made_page, made_text, pairs, store_work, wait_for
from wenhen.kit.errors import Unavailable
from wenhen.kit.progress import OwnerKind, Step
from wenhen.matching.index_rebuild import verify_index
from wenhen.pipeline.reconciler import reconcile
from wenhen.pipeline.tasks import run_next_turn
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import App, open_app
from wenhen.steps.fair_queue import STEP_QUEUES

pytestmark = pytest.mark.server
T = TypeVar("T")
WORKS, PAGES = 4, 30
PAUSE = 60  # seconds


@pytest.fixture
def app(replica_set: ReplicaSet, servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:  # noqa: F811  the fixture
    urls = {number: f"{servers.redis_url}?db={number}" for number in (QUEUES, INDEX)}
    for url in urls.values():
        with redis.Redis.from_url(url) as client:
            client.flushdb()
    app = open_app(
        load_settings(
            data=tmp_path,
            mongo={"url": replica_set.url},
            redis={"url": urls[QUEUES]},
            index={"url": urls[INDEX]},
            worker={"lease_seconds": 5},
        )
    )
    for kind in OwnerKind:
        app.index(kind).create(postings=100_000)
        app.index(kind).publish()
    with closing(app.store):
        yield app


def work(app: App, over: Event) -> None:
    """As a worker and the clock do: what fails for an outage is left to the next sweep."""
    while not over.is_set():
        try:
            for queue in STEP_QUEUES:
                run_next_turn(app, queue)
            if not any(app.queue.count_waiting()[queue] for queue in STEP_QUEUES):
                reconcile(app)
        except Unavailable:
            time.sleep(0.1)


def in_the_end(write: Callable[[], T]) -> T:
    """As a crawler does: what was not acknowledged is written again."""
    until = time.monotonic() + PAUSE
    while True:
        try:
            return write()
        except Unavailable:
            assert time.monotonic() < until, "nobody became primary"
            time.sleep(0.05)


def is_done(app: App) -> bool:
    return in_the_end(app.store.pages.count_by_step) == {Step.DONE: PAGES}


def test_nothing_is_lost_when_the_primary_is_killed_in_the_middle_of_the_work(
    app: App,
    replica_set: ReplicaSet,  # noqa: F811  the fixture
) -> None:
    texts = {f"w{number}": made_text(f"work {number}") for number in range(WORKS)}
    for id, text in texts.items():
        store_work(app, id, text)
    over = Event()
    worker = Thread(target=work, args=(app, over))
    worker.start()
    try:
        for number in range(PAGES):
            if number == PAGES // 2:
                killed = replica_set.kill_primary()
            url, text = f"http://site.test/{number}", texts[f"w{number % WORKS}"]
            in_the_end(lambda url=url, text=text: capture(app, url, made_page("转载", text)))  # type: ignore[misc]  # bound now
        wait_for(lambda: is_done(app), "all pages")
    finally:
        over.set()
        worker.join()
    assert replica_set.primary() not in (None, killed)
    assert pairs(app) == {(f"http://site.test/{number}", f"w{number % WORKS}") for number in range(PAGES)}
    assert len({case.number for case in app.store.cases.each()}) == PAGES
    assert app.store.pages.set_aside_ids(1) == []
    assert {kind: verify_index(app, kind).missing for kind in OwnerKind} == dict.fromkeys(OwnerKind, 0)
