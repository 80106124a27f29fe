"""Whether a search engine that was asked to delist a page still leads to it, by a server in the form of SearXNG."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.support.acting import by
from tests.support.holders import ready_holder
from tests.support.local_site import served
from tests.support.screens import MakeCaller
from tests.support.seed import MIDDLE, NOW, OPENING, Seeder
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.discovery.model import Discovery, DiscoveryStatus, ListingState
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.notices.delisting import _search_phrases, check_delisting, check_discovered_listings, check_due_delistings
from wenhen.notices.drafting import write_notices
from wenhen.notices.due_tasks import ToDo, list_tasks
from wenhen.notices.model import Notice, SentBy
from wenhen.notices.sending import record_sent_notice
from wenhen.runtime.wiring import App

PAGE = "https://copies.example/1"


@dataclass
class Engine(dict[str, tuple[str, bytes]]):
    """What it leads to, by phrase; what it was asked for, and of which engine."""

    leads_to: dict[str, str] = field(default_factory=dict)
    silent: list[list[str]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def get(self, path: str, *_: Any) -> tuple[str, bytes]:
        query = parse_qs(urlsplit(path).query)
        phrase = query["q"][0].strip('"')
        self.asked.append((phrase, query.get("engines", [""])[0]))
        found = [{"url": self.leads_to[phrase], "title": "转载"}] if phrase in self.leads_to else []
        return "application/json", json.dumps({"results": found, "unresponsive_engines": self.silent}).encode()


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def asking(product: App, engine: Engine) -> Iterator[App]:
    """A confirmed copy, and a search engine that answers for the product."""
    seed = Seeder(product.store)
    seed.work()
    seed.case(PAGE)
    ready_holder(product.store)
    with served(engine) as address:
        settings: Any = product.settings
        discover = settings.discover.model_copy(update={"url": address, "delay": 0.0})
        asked = replace(product, now=lambda: NOW, settings=settings.model_copy(update={"discover": discover}))
        decide_cases(by(asked), [1], CaseStatus.CONFIRMED)
        yield asked


def later(product: App, days: float) -> App:
    return replace(product, now=lambda: NOW + timedelta(days=days))


def told(product: App) -> Notice:
    [notice] = write_notices(by(product), 1, "baidu-search")
    return notice


def test_a_page_that_was_listed_and_is_no_more_tells_how_many_days_after_the_notice(
    asking: App, engine: Engine, client: FlaskClient, caller: MakeCaller
) -> None:
    notice = told(asking)
    phrase = _search_phrases(asking, asking.store.cases.get("1"))[0]
    engine.leads_to[phrase] = "http://copies.example/1?utm_source=x"  # by http, with what says where one came from
    [before] = check_delisting(by(asking), notice.id).listings
    assert (before.state, before.seen_at) == (ListingState.LISTED, NOW)
    record_sent_notice(by(asking), notice.id, SentBy.FORM)
    [still] = check_delisting(by(later(asking, 2)), notice.id).listings
    assert (still.state, still.days(NOW)) == (ListingState.LISTED, 2)
    assert [one.what for one in list_tasks(asking)].count(ToDo.DELIST_DUE) == 1
    engine.leads_to.clear()
    for day in (5, 9):
        [gone] = check_delisting(by(later(asking, day)), notice.id).listings
    assert (gone.state, gone.days(NOW), gone.seen_at) == (ListingState.DELISTED, 5, NOW + timedelta(days=2))
    assert ToDo.DELIST_DUE not in [one.what for one in list_tasks(asking)]
    assert {of for _, of in engine.asked} == {"baidu"}
    for address in (f"/notices/{notice.id}", "/cases/1"):
        shown = client.get(address).text
        assert "已不再收录" in shown
        assert "通知发出 5 天后起" in shown
    [one] = caller()("GET", f"/notices/{notice.id}").get_json()["listings"]
    assert (one["case"], one["absent_since"]) == (1, (NOW + timedelta(days=5)).isoformat())
    engine.leads_to[phrase] = PAGE
    [back] = check_delisting(by(later(asking, 12)), notice.id).listings
    assert back.state is ListingState.LISTED
    assert len(asking.store.audit.find(subject=f"notice:{notice.id}", action="notice.look_up")) == 5


def test_what_the_engine_found_the_page_by_is_asked_for_first_then_what_the_page_copied(
    asking: App, engine: Engine
) -> None:
    found = Discovery(
        id="1", work_id="river", url=PAGE, title="", sentences=("傍晚时河面上慢慢散开的光",), engine="x", found_at=NOW
    )
    asking.store.discoveries.add(replace(found, work_id=asking.store.cases.get("1").work_id))
    [listing] = check_delisting(by(asking), told(asking).id).listings
    assert listing.state is ListingState.UNSEEN
    assert listing.asked[0] == "傍晚时河面上慢慢散开的光"
    assert all(phrase[:6] in OPENING + MIDDLE.replace("一点一点", "一点点") for phrase in listing.asked[1:])
    assert [phrase for phrase, _ in engine.asked] == list(listing.asked)


def test_a_case_without_a_notice_tells_whether_the_engine_that_found_its_page_still_leads_there(
    asking: App, engine: Engine, client: FlaskClient, caller: MakeCaller
) -> None:
    phrase = "傍晚时河面上慢慢散开的光"
    found = Discovery(id="1", work_id="dock", url=PAGE, title="", sentences=(phrase,), engine="searxng", found_at=NOW)
    asking.store.discoveries.add(found)
    asking.store.discoveries.decide(["1"], DiscoveryStatus.ACCEPTED, moment=NOW)
    check_discovered_listings(later(asking, 1))
    assert [phrase for phrase, _ in engine.asked] == [phrase]
    for address in ("/cases/1", "/discoveries/?status=accepted"):
        assert "已不再收录" in client.get(address).text
    [told_of] = caller()("GET", "/discoveries").get_json()["items"]
    assert told_of["listing"]["absent_since"] == (NOW + timedelta(days=1)).isoformat()


def test_an_engine_that_does_not_answer_says_nothing_of_what_it_lists(asking: App, engine: Engine) -> None:
    notice = told(asking)
    engine.silent.append(["baidu", "timeout"])
    with pytest.raises(Unavailable, match=r"baidu.*timeout"):
        check_delisting(by(asking), notice.id)
    assert asking.store.notices.get(notice.id).listings == ()
    with pytest.raises(BadInput, match="no search engine"):
        check_delisting(by(asking), write_notices(by(asking), 1, "plain")[0].id)


def test_it_is_looked_up_again_by_itself_every_few_days_once_it_was_sent(asking: App, engine: Engine) -> None:
    notice = told(asking)
    check_due_delistings(asking)
    assert engine.asked == [], "not sent yet"
    record_sent_notice(by(asking), notice.id, SentBy.FORM)
    looks = []
    for day in (0, 1, 2.9, 3, 4, 6, 400):
        check_due_delistings(later(asking, day))
        [listing] = asking.store.notices.get(notice.id).listings
        looks.append((listing.looked_at - NOW).days)
    assert looks == [0, 0, 0, 3, 3, 6, 6]


def test_it_is_looked_up_again_by_itself_however_many_notices_were_sent_since(asking: App, engine: Engine) -> None:
    notice = told(asking)
    record_sent_notice(by(asking), notice.id, SentBy.FORM)
    like = asking.store.notices.get(notice.id)
    for number in range(200):
        later_one = like.written_at + timedelta(minutes=number + 1)
        asking.store.notices.add(replace(like, id=f"later-{number}", platform="plain", written_at=later_one))
    check_due_delistings(asking)
    assert engine.asked
