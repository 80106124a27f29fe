"""Copies outside the watched sites: a real search endpoint on loopback, and a real crawl."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.support.acting import by
from tests.support.local_site import served
from tests.support.servers.search_engine import KEY, Web, search_engine
from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.cli.main import main
from wenhen.discovery.engines import open_engine
from wenhen.discovery.model import DiscoveryStatus
from wenhen.discovery.service import accept_discoveries, choose_queries, refuse_discoveries, search_for_work
from wenhen.kit.errors import BadInput, NotFound
from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import settings_environment
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.usefixtures("nursery")

RIVER, SNOW = made_text("river"), made_text("snow")
PIRATE = "http://pirate.test"
MORE = b"<a href='/more'>more</a></nav>"


@pytest.fixture
def web(request: pytest.FixtureRequest) -> Iterator[Web]:
    """Two pages that copy the river, and one that copies nothing, by a SearXNG where a test names no other engine."""
    texts = {f"{PIRATE}/copy": RIVER, f"{PIRATE}/part": SNOW + RIVER[300:], "http://other.test/a": SNOW}
    with search_engine(Web(texts, form=getattr(request, "param", "searxng"))) as engine:
        yield engine


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A library with the river, a search engine, and the pirate's site on loopback."""
    pages = {
        "/copy": ("text/html; charset=utf-8", made_page("转载", RIVER).replace(b"</nav>", MORE)),
        "/part": ("text/html; charset=utf-8", made_page("转载", SNOW + RIVER[300:])),
        "/jump?from=list": ("text/html", b"<meta http-equiv='refresh' content='0; url=/part'>"),
        "/more": ("text/html; charset=utf-8", made_page("更多", RIVER)),
    }
    with served(pages) as site:
        settings: dict[str, Any] = {
            "discover": {
                "engine": web.form,
                "url": web.address,
                "key": KEY if web.form == "brave" else None,
                "delay": 0,
            },
            "crawler": {"host_map": {"pirate.test": site.removeprefix("http://")}, "internal_delay": 0},
        }
        with opened(servers, tmp_path, **settings) as product:
            store_work(product, "river", RIVER, url="http://holder.test/river")
            work_through(product)
            for name, value in settings_environment(product.settings).items():  # for the crawl, a process of its own
                monkeypatch.setenv(name, value)
            yield product


def silent(done: int, total: int) -> None:
    """Nobody watches."""


def search(app: App, work: str = "river") -> Any:
    engine = open_engine(app.settings.discover)
    try:
        return search_for_work(app, work, engine, silent)
    finally:
        engine.close()


def urls(app: App, **wanted: Any) -> set[str]:
    return {one.url for one in app.store.discoveries.find(**wanted)}


@pytest.mark.parametrize("web", ["searxng", "brave"], indirect=True)
def test_sentences_of_the_work_find_the_pages_that_hold_them(app: App, web: Web) -> None:
    found = search(app)
    assert {one.url for one in found.new} == urls(app) == {f"{PIRATE}/copy", f"{PIRATE}/part"}
    assert len(web.asked) == len(found.asked) == app.settings.discover.sentences
    assert all(query["q"][0] == f'"{sentence}"' for query, sentence in zip(web.asked, found.asked, strict=True))
    [copy] = [one for one in app.store.discoveries.find() if one.url == f"{PIRATE}/copy"]
    assert set(copy.sentences) == set(found.asked)
    assert copy.engine == web.form
    again = search(app)
    assert (again.new, again.on_list) == ((), 2)


def test_pages_that_are_stored_and_the_holders_own_page_are_left_out(app: App, web: Web) -> None:
    web.texts["http://holder.test/river"] = RIVER
    capture(app, f"{PIRATE}/copy", made_page("转载", RIVER))
    found = search(app)
    assert {one.url for one in found.new} == {f"{PIRATE}/part"}
    assert found.known == 2


def test_what_stands_in_another_work_too_is_not_asked_for(app: App) -> None:
    store_work(app, "half", RIVER[:300])
    work_through(app)
    asked = choose_queries(app, app.store.works.get("river"))
    assert asked
    assert not any(sentence in RIVER[:300].replace("\n", "") for sentence in asked)
    with pytest.raises(BadInput, match="no sentence of its own"):
        search(app, "half")


def test_the_names_of_a_book_find_pages_entitled_like_it_elsewhere(app: App, web: Web) -> None:
    names = {"author": "岸上客", "series": "转载", "url": "http://holder.test/1"}
    store_work(app, "first", made_text("first"), chapter=1, **names)
    store_work(app, "second", made_text("second"), chapter=2, **names)
    work_through(app)
    web.texts = {
        f"{PIRATE}/book": '转载" "岸上客',  # the engine on loopback looks for the whole query, and titles all "转载"
        "http://holder.test/book": '转载" "岸上客',
    }
    found = search(app, "first")
    assert found.asked[-1] == '转载" "岸上客'
    assert [one.url for one in found.new] == [f"{PIRATE}/book"], "not the site of the first publication"
    assert '转载" "岸上客' not in search(app, "second").asked, "a series is asked for once"


def test_pages_that_only_mention_the_names_are_left_out(app: App, web: Web) -> None:
    store_work(app, "book", made_text("book"), title="潮汐簿", author="岸上客")
    work_through(app)
    web.texts = {f"{PIRATE}/talk": '潮汐簿" "岸上客'}
    assert search(app, "book").new == ()


def test_near_duplicates_of_the_work_do_not_keep_its_sentences_from_being_asked_for(app: App) -> None:
    store_work(app, "edition", "".join(char for place, char in enumerate(RIVER) if place % 50))
    work_through(app)
    assert choose_queries(app, app.store.works.get("river"))


def test_accepted_addresses_are_fetched_alone_and_their_copies_found(app: App) -> None:
    found = search(app)
    run = accept_discoveries(by(app), [one.id for one in found.new])
    run_crawl(app, run.id)
    ended = app.store.runs.get(run.id)
    assert (ended.problem, ended.counts["fetched"]) == (None, 2), "what the pages link to is not fetched"
    work_through(app)
    assert pairs(app) == {(f"{PIRATE}/copy", "river"), (f"{PIRATE}/part", "river")}
    assert urls(app, status=DiscoveryStatus.ACCEPTED) == urls(app)


def test_an_accepted_address_that_sends_on_keeps_the_page_that_it_leads_to(app: App, web: Web) -> None:
    web.texts = {f"{PIRATE}/jump?from=list": RIVER, f"{PIRATE}/copy": RIVER}
    run_crawl(app, accept_discoveries(by(app), [one.id for one in search(app).new]).id)
    led = {one.url: one.leads_to for one in app.store.discoveries.find()}
    assert led == {f"{PIRATE}/jump?from=list": f"{PIRATE}/part", f"{PIRATE}/copy": None}


def test_an_address_inside_the_network_is_not_fetched(app: App, web: Web) -> None:
    web.texts = {"http://127.0.0.1:9/copy": RIVER}
    run = accept_discoveries(by(app), [one.id for one in search(app).new])
    run_crawl(app, run.id)
    ended = app.store.runs.get(run.id)
    assert ended.ended_at is not None, ended
    assert ended.counts.get("fetched", 0) == 0
    assert app.store.pages.count() == 0


def test_refused_addresses_stay_refused_when_they_are_found_again(app: App) -> None:
    refuse_discoveries(by(app), [one.id for one in search(app).new])
    assert search(app).new == ()
    assert urls(app, status=DiscoveryStatus.REFUSED) == urls(app)
    with pytest.raises(NotFound):
        refuse_discoveries(by(app), ["none"])


def command(app: App, *arguments: str) -> Result:
    return CliRunner(env=settings_environment(app.settings)).invoke(main, arguments)


def test_the_commands_review_and_crawl(app: App) -> None:
    found = json.loads(command(app, "discover", "river", "--json").stdout)
    assert len(found["new"]) == 2
    ids = {one["url"]: one["id"] for one in found["new"]}
    assert command(app, "discovered", "refuse", ids[f"{PIRATE}/part"]).exit_code == 0
    listed = json.loads(command(app, "discovered", "list", "--status", "pending", "--json").stdout)
    assert [one["url"] for one in listed] == [f"{PIRATE}/copy"]
    assert ids[f"{PIRATE}/copy"] in command(app, "discovered", "list").stdout
    accepted = command(app, "discovered", "accept", ids[f"{PIRATE}/copy"], "--json")
    assert accepted.exit_code == 0, accepted.output
    assert json.loads(accepted.stdout)["counts"]["fetched"] == 1
    assert pairs(app) == {(f"{PIRATE}/copy", "river")}


def test_discover_with_crawl_fetches_at_once(app: App) -> None:
    done = command(app, "discover", "river", "--crawl", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["run"]["counts"]["fetched"] == 2
    assert pairs(app) == {(f"{PIRATE}/copy", "river"), (f"{PIRATE}/part", "river")}
