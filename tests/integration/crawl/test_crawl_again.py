"""Pages that were captured before, on a real site on loopback and in the real store."""

import asyncio
import dataclasses
import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from crawler.capture import Capture, Validators
from crawler.crawl_stats import Ledger
from crawler.ports import Arrival, KnownPage, KnownPagesSink, PageChange
from tests.support.crawls.crawling import HOST, missed, run
from tests.support.way import made_page, made_text, work_through
from wenhen.crawls.sink import StoringSink
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Step, page_id
from wenhen.runtime.wiring import App

LAST_MODIFIED = "Tue, 05 Mar 2024 08:30:00 GMT"
FRONT = '<html><body><a href="/one">还在</a></body></html>'


def again(*paths: str, memory: dict[str, list[str | None]], **test: Any) -> dict[str, Any]:
    """Crawl paths of which [body, ETag, Last-Modified] are remembered."""
    known = {HOST + path: said for path, said in memory.items()}
    return run(*paths, test={"memory": known} | test)


def test_a_page_that_is_as_before_is_noted_as_unchanged_and_its_links_are_followed_again() -> None:
    result = again("/tagged", memory={"/tagged": [FRONT, '"v1"', LAST_MODIFIED]})
    assert result["conditions"]["/tagged"] == ['"v1"', LAST_MODIFIED]
    assert result["same"] == [[f"{HOST}/tagged", 304]]
    assert set(result["pages"]) == {f"{HOST}/one"}, "what is new behind it is found"
    assert (result["counts"]["fetched"], result["counts"]["unchanged"]) == (2, 1)
    assert not missed(result)


def test_a_page_that_changed_is_captured() -> None:
    result = again("/tagged", memory={"/tagged": [FRONT, '"v0"', None]})
    assert set(result["pages"]) == {f"{HOST}/tagged"}
    assert "unchanged" not in result["counts"]


def test_what_is_known_of_one_address_is_not_asked_of_another_that_it_redirects_to() -> None:
    result = again("/moved", memory={"/moved": [FRONT, '"v1"', LAST_MODIFIED]})
    assert result["conditions"]["/moved"] == ['"v1"', LAST_MODIFIED]
    assert result["conditions"]["/one"] == [None, None]
    assert result["conditions"]["/robots.txt"] == [None, None]
    assert set(result["pages"]) == {f"{HOST}/one"}


def test_an_unchanged_page_that_cannot_be_noted_is_told_and_the_rest_goes_on() -> None:
    memory: dict[str, list[str | None]] = {"/tagged": [FRONT, '"v1"', None]}
    result = again("/tagged", "/one", memory=memory, failing={f"{HOST}/tagged": "no such body"})
    assert set(result["pages"]) == {f"{HOST}/one"}
    assert missed(result) == {"failed_not_stored": 1}
    assert result["counts"]["fetched"] == 1


def test_a_page_that_need_not_be_asked_for_is_not_and_its_links_are_followed() -> None:
    result = again("/tagged", memory={"/tagged": [FRONT, '"v1"', None]}, rested=[f"{HOST}/tagged"])
    assert "/tagged" not in result["seen"]
    assert set(result["pages"]) == {f"{HOST}/one"}
    assert result["same"] == []
    assert result["counts"]["fetched"] == 1
    assert not missed(result)


def test_pages_that_no_link_leads_to_are_asked_for_but_not_followed() -> None:
    result = run("/one", seeds=[f"{HOST}/", f"{HOST}/gone", "http://elsewhere.test/"])
    assert set(result["pages"]) == {f"{HOST}/one", f"{HOST}/"}
    assert set(result["gone"]) == {f"{HOST}/gone"}
    assert "elsewhere.test" not in result["hosts"]


def test_the_store_remembers_what_servers_said_and_an_unchanged_page_is_not_worked_on_again(app: App) -> None:
    url = f"{HOST}/one"
    body = made_page("旧信", made_text("letter"))
    first = Capture(
        fetched_at=datetime(2024, 3, 5, tzinfo=UTC),
        url=url,
        status=200,
        headers=(("Content-Type", "text/html; charset=utf-8"), ("ETag", '"v1"')),
        body_digest=hashlib.sha256(body).hexdigest(),
        body_size=len(body),
    )
    sink = StoringSink(app, "run", "site")
    assert isinstance(sink, KnownPagesSink)
    assert sink.recall_pages([url]) == [KnownPage()]
    assert sink.store_captures([Arrival(url, first, body)]) == [PageChange.NEW]
    assert sink.recall_pages([f"{HOST}/two", url]) == [KnownPage(), KnownPage(validators=Validators('"v1"', None))]
    work_through(app)

    nothing = hashlib.sha256(b"").hexdigest()
    at = datetime(2024, 3, 6, tzinfo=UTC)
    answer = dataclasses.replace(
        first, fetched_at=at, status=304, headers=(("ETag", '"v2"'),), body_digest=nothing, body_size=0
    )
    assert sink.note_unchanged([(url, answer)]) == [body]
    page = app.store.pages.get(page_id(url))
    assert (page.captures, page.version, page.progress.step) == (2, 1, Step.DONE)
    assert (page.capture.status, page.capture.fetched_at) == (304, at)
    assert page.capture.body_digest == first.body_digest
    assert sink.recall_pages([url]) == [KnownPage(validators=Validators('"v2"', None))]


def test_of_a_site_that_is_looked_at_by_schedule_only_the_pages_that_are_due_are_asked_for(app: App) -> None:
    body = made_page("旧信", made_text("letter"))
    at = app.now()
    taken = Capture(
        fetched_at=at,
        url=f"{HOST}/one",
        status=200,
        headers=(),
        body_digest=hashlib.sha256(body).hexdigest(),
        body_size=len(body),
    )
    StoringSink(app, "run", "site", interval_hours=10).store_captures([Arrival(f"{HOST}/one", taken, body)])

    def stored(hours: float, **how: Any) -> bytes | None:
        later = dataclasses.replace(app, now=lambda: at + timedelta(hours=hours))
        [remembered] = StoringSink(later, "run", "site", **how).recall_pages([f"{HOST}/one"])
        assert (remembered.change is PageChange.NEW) == (how.get("since") is not None and remembered.body is not None)
        return remembered.body

    assert stored(1) is None, "who crawls by hand wants to see what is there now"
    assert stored(1, always=()) == body
    assert stored(8.9, always=()) == body
    assert stored(9.1, always=()) is None, "nearly due"
    assert stored(1, always={f"{HOST}/one"}) is None
    assert stored(1, since=at - timedelta(seconds=1)) == body, "captured in this very run, before it was taken up again"
    assert stored(1, since=at + timedelta(minutes=1)) is None
    StoringSink(app, "run", "site").report_gone(f"{HOST}/one", plain_message("the server answered 404"))
    assert stored(1, always=()) is None, "whether it is back has to be asked"


def arrival(app: App, name: str, text: str, **values: Any) -> Arrival:
    body = made_page(name, made_text(text))
    taken = Capture(
        fetched_at=app.now(),
        url=f"{HOST}/{name}",
        status=200,
        headers=(),
        body_digest=hashlib.sha256(body).hexdigest(),
        body_size=len(body),
    )
    return Arrival(f"{HOST}/{name}", dataclasses.replace(taken, **values), body)


def test_of_pages_that_come_together_each_is_what_it_is_and_one_that_cannot_be_kept_keeps_back_no_other(
    app: App,
) -> None:
    assert StoringSink(app, "run", "site").store_captures([arrival(app, "same", "a"), arrival(app, "other", "b")])
    work_through(app)
    status: Any = "no number"
    together = [
        arrival(app, "new", "c"),
        arrival(app, "same", "a"),
        arrival(app, "bad", "d", status=status),
        arrival(app, "other", "e"),
    ]

    async def hand_over(ledger: Ledger) -> None:
        await asyncio.gather(*map(ledger.store_capture, together))

    ledger = Ledger(StoringSink(app, "run", "site"))
    asyncio.run(hand_over(ledger))
    counts = ledger.close()
    assert counts.changes == {PageChange.NEW: 1, PageChange.UNCHANGED: 1, PageChange.CHANGED: 1}
    assert (counts.fetched, counts.failed) == (3, {"not_stored": 1})
    assert app.store.problems.count() == 1
    stored = app.store.pages.many([page_id(one.url) for one in together]).values()
    assert {page.url.rpartition("/")[2]: page.captures for page in stored} == {"new": 1, "same": 2, "other": 2}
