"""Addresses that somebody pastes: each fetched once by the rules of crawls, matched, and told of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.acting import by
from tests.support.local_site import served
from tests.support.way import made_page, made_text, opened, pairs, store_work, work_through
from wenhen.crawls.address_fetches import AddressOutcome, OutcomeState, fetch_addresses, find_outcomes
from wenhen.crawls.model import Run
from wenhen.kit.progress import SubjectKind
from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import settings_environment
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site

pytestmark = pytest.mark.usefixtures("nursery")

RIVER, SNOW = made_text("river"), made_text("snow")
PIRATE = "http://pirate.test"
HTML = "text/html; charset=utf-8"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """A library with the river, and the pirate's site on loopback."""
    pages = {
        "/copy": (HTML, made_page("转载", RIVER).replace(b"</nav>", b"<a href='/more'>more</a></nav>")),
        "/own": (HTML, made_page("自己写的", SNOW)),
        "/more": (HTML, made_page("更多", RIVER)),
        "/jump?from=list": ("text/html", b"<meta http-equiv='refresh' content='0; url=/copy'>"),
    }
    with served(pages) as site:
        host_map = {"pirate.test": site.removeprefix("http://")}
        settings = {"crawler": {"host_map": host_map, "internal_delay": 0, "retries": 0}}
        with opened(servers, tmp_path, **settings) as product:
            store_work(product, "river", RIVER, url="http://holder.test/river")
            work_through(product)
            for name, value in settings_environment(product.settings).items():  # for the crawl, a process of its own
                monkeypatch.setenv(name, value)
            yield product


def outcomes(app: App, runs: list[Run]) -> dict[str, AddressOutcome]:
    return {one.url: one for one in find_outcomes(app, [app.store.runs.get(run.id) for run in runs])}


def test_each_address_is_fetched_alone_and_its_copy_becomes_a_case(app: App) -> None:
    copy, own, gone = f"{PIRATE}/copy", f"{PIRATE}/own", f"{PIRATE}/nowhere"
    runs = fetch_addresses(by(app), [copy, own, gone, copy])
    assert {one.state for one in outcomes(app, runs).values()} == {OutcomeState.WAITING}
    [run] = runs
    run_crawl(app, run.id)
    assert app.store.runs.get(run.id).counts["fetched"] == 2, "what the pages link to is not fetched"
    assert outcomes(app, runs)[copy].state is OutcomeState.MATCHING
    work_through(app)
    told = outcomes(app, runs)
    assert [told[url].state for url in (copy, own, gone)] == [
        OutcomeState.CASE,
        OutcomeState.NO_CASE,
        OutcomeState.MISSED,
    ]
    assert pairs(app) == {(copy, "river")}
    assert told[copy].cases == (1,)
    assert told[gone].reason is not None


def test_an_address_that_sends_on_has_the_page_that_it_leads_to(app: App) -> None:
    runs = fetch_addresses(by(app), [f"{PIRATE}/jump?from=list"])
    run_crawl(app, runs[0].id)
    work_through(app)
    [told] = outcomes(app, runs).values()
    assert (told.state, told.page_url) == (OutcomeState.CASE, f"{PIRATE}/copy")


def test_an_address_inside_the_network_is_not_fetched(app: App) -> None:
    runs = fetch_addresses(by(app), ["http://127.0.0.1:9/copy", f"{PIRATE}/own"])
    assert len(runs) == 2, "what may be reached inside is asked apart from what stands outside"
    for run in runs:
        run_crawl(app, run.id)
    work_through(app)
    told = outcomes(app, runs)
    assert told["http://127.0.0.1:9/copy"].state is OutcomeState.MISSED
    assert told[f"{PIRATE}/own"].state is OutcomeState.NO_CASE


def test_with_its_links_an_address_is_a_crawl_of_its_own(app: App) -> None:
    [run] = fetch_addresses(by(app), [f"{PIRATE}/copy"], follow=True)
    assert run.subject is not None
    assert run.subject.kind is SubjectKind.ADDRESS
    run_crawl(app, run.id)
    work_through(app)
    assert pairs(app) == {(f"{PIRATE}/copy", "river"), (f"{PIRATE}/more", "river")}


def test_an_address_of_a_watched_site_is_asked_by_its_settings_and_is_no_crawl_of_it(app: App) -> None:
    site = add_site(by(app), {"urls": f"{PIRATE}/own", "exclude": "/copy"})
    [run] = fetch_addresses(by(app), [f"{PIRATE}/copy"])
    run_crawl(app, run.id)
    work_through(app)
    assert outcomes(app, [run])[f"{PIRATE}/copy"].cases == (1,)
    assert app.store.sites.get(site.id).last_run_id is None
