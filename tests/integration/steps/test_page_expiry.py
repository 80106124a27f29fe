"""A page that was not seen for long leaves the index, and comes back when it is seen again."""

import dataclasses
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pipeline.context import utc_now
from pipeline.pages.page_expiry import EXPIRED, expire_pages
from store.records import OwnerKind
from store.rules.record_ids import page_id
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.embedded import Addresses
from wenhen.wiring import App

URL, RIVER = "http://site.test/a", made_text("river")


@pytest.fixture
def app(servers: Addresses, tmp_path: Path) -> Iterator[App]:
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
    assert app.store.pages.get(page_id(URL)).note == EXPIRED
    store_work(app, "river", RIVER)
    work_through(app)
    assert pairs(app) == set()
    capture(app, URL, made_page("河", RIVER))  # the very same page
    work_through(app)
    assert app.store.pages.get(page_id(URL)).note is None
    assert pairs(app) == {(URL, "river")}
    assert expire_pages(app) == 0
