"""Addresses that a search found are looked up again while their case is open and no notice to an engine names it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.seed import NOW, Seeder
from tests.support.servers.search_engine import Web, search_engine
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.discovery.model import Discovery, DiscoveryStatus, ListingState
from wenhen.notices.delisting import check_discovered_listings
from wenhen.notices.drafting import write_notices
from wenhen.notices.model import SentBy
from wenhen.notices.sending import record_sent_notice
from wenhen.runtime.wiring import App

PHRASE = "傍晚时河面上慢慢散开的光"
PAGES = [f"https://copies.example/{number}" for number in range(4)]


@pytest.fixture
def web() -> Iterator[Web]:
    with search_engine(Web(dict.fromkeys(PAGES, PHRASE))) as served:
        yield served


@pytest.fixture
def asking(product: App, web: Web) -> App:
    """Four leads, each found by a search yesterday, and an address that is no case."""
    seed = Seeder(product.store)
    seed.work()
    ready_holder(product.store)
    for url in [*PAGES, "https://copies.example/none"]:
        if url in PAGES:
            seed.case(url)
        add(product, url)
    return at(product, web, 0)


def add(product: App, url: str, **changed: Any) -> None:
    given = {"id": url[-8:], "work_id": "dock", "url": url, "title": "", "sentences": (PHRASE,), "engine": "searxng"}
    found: Any = {**given, "found_at": NOW - timedelta(days=1), "found_by": ("bing",), **changed}
    product.store.discoveries.add(Discovery(**found))
    product.store.discoveries.decide([found["id"]], DiscoveryStatus.ACCEPTED, moment=NOW)


def at(product: App, web: Web, days: float, **changed: Any) -> App:
    """The product so many days later."""
    settings: Any = product.settings
    asked = settings.discover.model_copy(update={"url": web.address, "delay": 0.0, **changed})
    now = NOW + timedelta(days=days)
    return replace(product, now=lambda: now, settings=settings.model_copy(update={"discover": asked}))


def listings(product: App) -> dict[int, ListingState]:
    kept = (one.listing for one in product.store.discoveries.find())
    return {one.case: one.state for one in kept if one is not None}


def test_a_case_tells_whether_the_engine_still_leads_to_its_page_and_since_when_not(asking: App, web: Web) -> None:
    check_discovered_listings(asking)
    assert listings(asking) == dict.fromkeys((1, 2, 3, 4), ListingState.LISTED)
    del web.texts[PAGES[1]]
    check_discovered_listings(at(asking, web, 2))
    assert len(web.asked) == 4, "not due yet"
    check_discovered_listings(at(asking, web, 3))
    check_discovered_listings(at(asking, web, 6))
    [gone] = asking.store.discoveries.of_case(2)
    assert gone.listing is not None
    assert (gone.listing.state, gone.listing.seen_at) == (ListingState.DELISTED, NOW)
    assert gone.listing.absent_since == NOW + timedelta(days=3)
    assert listings(asking)[1] is ListingState.LISTED


def test_an_address_that_redirects_is_looked_up_for_the_case_of_the_page_that_it_leads_to(
    asking: App, web: Web
) -> None:
    old = "http://copies.example/old?from=search"
    add(asking, old)
    case = Seeder(asking.store).case(new := "https://copies.example/new")
    asking.store.discoveries.note_leads_to({new: [old]})
    web.texts[old] = PHRASE
    check_discovered_listings(asking)
    assert listings(asking)[case.number] is ListingState.LISTED


def test_no_more_are_asked_for_in_a_day_than_the_budget_allows_and_each_has_its_turn(asking: App, web: Web) -> None:
    for hours, asked in ((0, 3), (6, 3), (25, 4), (26, 4)):
        check_discovered_listings(at(asking, web, hours / 24, relook_found=3))
        assert len(web.asked) == asked
    assert len(listings(asking)) == 4
    check_discovered_listings(at(asking, web, 9, relook_found=0))
    assert len(web.asked) == 4


def test_what_is_settled_gone_or_under_a_notice_to_an_engine_is_left_alone(asking: App, web: Web) -> None:
    decide_cases(by(asking), [1], CaseStatus.DISMISSED, note="authorised")
    asking.store.cases.mark_absent([asking.store.cases.get("2").id], NOW)
    decide_cases(by(asking), [3], CaseStatus.CONFIRMED)
    [notice] = write_notices(by(asking), 3, "baidu-search")
    record_sent_notice(by(asking), notice.id, SentBy.FORM)
    decide_cases(by(asking), [4], CaseStatus.CONFIRMED)
    [draft] = write_notices(by(asking), 4, "baidu-search")
    check_discovered_listings(asking)
    assert set(listings(asking)) == {4}, f"{draft.id} is not sent"


def test_nothing_is_said_where_an_engine_that_led_there_did_not_answer(asking: App, web: Web) -> None:
    web.texts.clear()
    web.silent = [["bing", "timeout"]]
    check_discovered_listings(asking)
    assert listings(asking) == {}
    web.silent = [["google", "timeout"]]
    check_discovered_listings(at(asking, web, 1.1))
    assert listings(asking) == dict.fromkeys((1, 2, 3, 4), ListingState.DELISTED), "it was found by another"


def test_an_engine_that_is_down_is_asked_once_and_again_the_next_time(asking: App, web: Web) -> None:
    web.status = 500
    check_discovered_listings(asking)
    assert len(web.asked) == 1
    web.status = 200
    check_discovered_listings(at(asking, web, 0.25))
    assert len(listings(asking)) == 4


def test_what_another_engine_found_is_not_asked_of_this_one(product: App, web: Web) -> None:
    seed = Seeder(product.store)
    seed.work()
    seed.case(PAGES[0])
    add(product, PAGES[0], engine="brave")
    check_discovered_listings(at(product, web, 0))
    assert web.asked == []
