"""All engines share one quota of a day and one cache of answers."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.support.acting import by
from tests.support.seed import Seeder
from tests.support.servers.search_engine import KEY, Web, search_engine
from wenhen.discovery.model import SearchState
from wenhen.discovery.service import (
    choose_queries,
    open_metered_engine,
    request_search,
    requested_searches,
    run_requested_searches,
)
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.runtime.wiring import App
from wenhen.settings.crawling_and_search import DiscoverSettings

PHRASE = "渡口的灯还亮着"
PAGES = [f"http://pirate.test/{number}" for number in range(3)]


@pytest.fixture(params=["searxng", "baidu"])
def web(request: pytest.FixtureRequest) -> Iterator[Web]:
    with search_engine(Web(dict.fromkeys(PAGES, PHRASE), form=request.param)) as served:
        yield served


def product_with(product: App, web: Web, *, later: timedelta = timedelta(), **changed: Any) -> App:
    now = product.now() + later
    given = {"engine": web.form, "url": web.address, "key": KEY, "delay": 0, "timeout": 5}
    discover = DiscoverSettings.model_validate({**given, **changed})
    return replace(product, settings=product.settings.model_copy(update={"discover": discover}), now=lambda: now)


def test_an_answer_is_used_again_for_some_hours_but_not_by_who_wants_it_fresh(product: App, web: Web) -> None:
    first = open_metered_engine(product_with(product, web)).search(PHRASE)
    assert [hit.url for hit in first.hits] == PAGES
    again = open_metered_engine(product_with(product, web, later=timedelta(hours=23)))
    assert (again.search(PHRASE), len(web.asked)) == (first, 1)
    again.search("雪落在瓦上")
    assert len(web.asked) == 2
    open_metered_engine(product_with(product, web), fresh=True).search(PHRASE)
    assert len(web.asked) == 3
    for changed in ("cache_hours", "results"):
        value: dict[str, Any] = {changed: 0 if changed == "cache_hours" else 7}
        open_metered_engine(product_with(product, web, **value)).search(PHRASE)
    open_metered_engine(product_with(product, web, later=timedelta(hours=25))).search(PHRASE)
    assert len(web.asked) == 6


def test_an_answer_that_lacks_engines_is_not_kept(product: App) -> None:
    with search_engine(Web({PAGES[0]: PHRASE}, silent=[["google", "timeout"]])) as web:
        for _ in range(2):
            assert open_metered_engine(product_with(product, web)).search(PHRASE).silent
        assert len(web.asked) == 2


def test_a_day_has_so_many_questions_for_all_engines_together(product: App, web: Web) -> None:
    bounded: dict[str, Any] = {"questions_a_day": 2}
    engine = open_metered_engine(product_with(product, web, **bounded), fresh=True)
    engine.search(PHRASE)
    with search_engine(Web({PAGES[0]: PHRASE}, form="brave")) as other:
        open_metered_engine(product_with(product, other, **bounded)).search(PHRASE)
        for asking in (engine, open_metered_engine(product_with(product, other, **bounded), fresh=True)):
            with pytest.raises(Unavailable, match=r"2 questions.*questions_a_day"):
                asking.search(PHRASE)
        assert open_metered_engine(product_with(product, other, **bounded)).search(PHRASE).hits, "it is in the cache"
        assert len(other.asked) == 1
    tomorrow = product_with(product, web, later=timedelta(days=1), **bounded)
    assert open_metered_engine(tomorrow, fresh=True).search(PHRASE).hits
    engine.close()


def test_a_requested_search_is_run_by_a_worker_and_says_what_it_found_or_why_not(product: App) -> None:
    Seeder(product.store).work()
    with pytest.raises(BadInput, match="search engine"):
        request_search(by(product), "dock")
    with search_engine(Web({})) as web:
        app = product_with(product, web)
        sentences = choose_queries(app, app.store.works.get("dock"))
        web.texts |= dict.fromkeys(PAGES, "".join(sentences))
        assert request_search(by(app), "dock").state is SearchState.WAITING
        assert request_search(by(app, "顾"), "dock").by == "陆"
        run_requested_searches(app)
        [done] = requested_searches(app)
        assert (done.state, done.new, done.by) == (SearchState.DONE, len(PAGES), "陆")
        asked = len(web.asked)
        run_requested_searches(app)
        assert len(web.asked) == asked, "what is done is not done again"
    request_search(by(app), "dock")  # the engine is gone
    later = product_with(product, web, later=timedelta(days=3))
    run_requested_searches(later)
    [failed] = requested_searches(later)
    assert (failed.state, failed.problem is not None) == (SearchState.FAILED, True)


def test_a_search_whose_worker_died_is_soon_taken_by_another_one(product: App) -> None:
    Seeder(product.store).work()
    with search_engine(Web({})) as web:
        app = product_with(product, web)
        request_search(by(app), "dock")
        times = iter([app.now()] * 4)

        def ends() -> datetime:
            if (moment := next(times, None)) is None:
                raise SystemExit  # as a signal ends a worker
            return moment

        with pytest.raises(SystemExit):
            run_requested_searches(replace(app, now=ends))
        asked = len(web.asked)
        for minutes, state in ((5, SearchState.WAITING), (11, SearchState.DONE)):
            later = product_with(product, web, later=timedelta(minutes=minutes))
            run_requested_searches(later)
            assert [search.state for search in requested_searches(later)] == [state]
        assert len(web.asked) > asked
