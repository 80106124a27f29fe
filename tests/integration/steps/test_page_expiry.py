"""A page that was not seen for long leaves the index, and comes back when it is seen again."""

import dataclasses
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.support.killed import Killed, killed
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.clock import utc_now
from wenhen.kit.progress import OwnerKind, page_id
from wenhen.pages.service import EXPIRED_NOTE, expire_pages
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

URL, RIVER = "http://site.test/a", made_text("river")


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path, index={"page_days": 30}) as product:
        capture(product, URL, made_page("河", RIVER))
        work_through(product)
        yield product


def later(app: App, days: int) -> App:
    return dataclasses.replace(app, now=lambda: utc_now() + timedelta(days=days))


def test_a_page_that_was_seen_lately_stays(app: App) -> None:
    assert expire_pages(later(app, 29)) == 0
    assert app.store.fingerprints.of(OwnerKind.PAGE, page_id(URL))


def test_an_expired_page_is_found_by_no_new_work_and_found_again_once_it_is_seen_again(app: App) -> None:
    assert expire_pages(later(app, 31)) == 1
    assert app.store.pages.get(page_id(URL)).note == EXPIRED_NOTE
    store_work(app, "river", RIVER)
    work_through(app)
    assert pairs(app) == set()
    capture(app, URL, made_page("河", RIVER))  # the very same page
    work_through(app)
    assert app.store.pages.get(page_id(URL)).note is None
    assert pairs(app) == {(URL, "river")}
    assert expire_pages(app) == 0


def test_a_page_that_is_seen_just_as_it_is_about_to_expire_stays_in_the_index(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, night = app.store.pages.unseen_since, later(app, 31)

    def seen_after(moment: datetime, limit: int) -> list[str]:
        monkeypatch.undo()
        ids = found(moment, limit)
        capture(night, URL, made_page("河", RIVER))
        return ids

    monkeypatch.setattr(app.store.pages, "unseen_since", seen_after)
    assert expire_pages(night) == 0
    work_through(app)
    assert_found(app)


def test_a_page_that_is_seen_while_its_fingerprints_retire_is_fingerprinted_again(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    retire, night = app.store.fingerprints.replace, later(app, 31)

    def seen_before(kind: OwnerKind, owner_id: str, fingerprints: Sequence[Fingerprint]) -> None:
        monkeypatch.undo()
        capture(night, URL, made_page("河", RIVER))
        work_through(app)
        retire(kind, owner_id, fingerprints)

    monkeypatch.setattr(app.store.fingerprints, "replace", seen_before)
    expire_pages(night)
    work_through(app)
    assert_found(app)


def test_a_page_that_is_seen_again_by_a_crawl_that_dies_before_it_can_say_so_is_fingerprinted_again(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its text is read from another body meanwhile, and is the same as ever."""
    expire_pages(later(app, 31))
    with monkeypatch.context() as dying:
        dying.setattr("wenhen.crawls.sink.restore_expired_page", killed)
        with pytest.raises(Killed):
            capture(app, URL, made_page("河", RIVER) + b"<!-- 2 -->")
    work_through(app)
    capture(app, URL, made_page("河", RIVER) + b"<!-- 2 -->")
    work_through(app)
    assert_found(app)


def test_a_page_that_is_seen_again_is_fingerprinted_anew_though_whoever_saw_it_dies_before_its_next_write(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    expire_pages(later(app, 31))
    with monkeypatch.context() as dying:
        for where, write in ((type(app.store.pages), "restart"), (type(app.queue), "steps")):
            dying.setattr(where, write, killed)
        with pytest.raises(Killed):
            capture(app, URL, made_page("河", RIVER))
    capture(app, URL, made_page("河", RIVER))
    work_through(app)
    assert_found(app)


def assert_found(app: App) -> None:
    """The page is in the index: a new work finds it."""
    assert app.store.pages.get(page_id(URL)).note is None
    store_work(app, "river", RIVER)
    work_through(app)
    assert pairs(app, present=True) == {(URL, "river")}
