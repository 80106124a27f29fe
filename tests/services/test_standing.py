"""The list of sites says how each stands: why one gives nothing, and the copies found on it week by week."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.seed import NOW, Seeder, watched
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import RunKind
from wenhen.crawls.service import NO_PAGE_MESSAGE
from wenhen.dossiers.service import site_standings
from wenhen.kit.errors import Message, message, plain_message
from wenhen.kit.progress import Subject
from wenhen.runtime.wiring import App


def crawled(store: Store, problem: Message | None, **counts: int) -> None:
    run = store.runs.start(RunKind.CRAWL, Subject.read("copies"), NOW - timedelta(minutes=4))
    store.sites.set_last_run("copies", run.id)
    store.runs.end(run.id, NOW, counts, problem)


LOGIN = message("soft_block.login", sign="请登录后查看")


@pytest.mark.parametrize(
    ("reason", "kind", "why"),
    [(LOGIN, "soft_block", "login"), (message("fetch.no_name"), "name_not_found", "name_not_found")],
)
def test_a_site_that_gives_nothing_says_why_by_what_befell_its_start(
    product: App, reason: Message, kind: str, why: str
) -> None:
    store = product.store
    store.sites.put(watched("抄书网"))
    store.problems.put("crawl", "https://copies.example/", reason, NOW, kind=kind)
    crawled(store, NO_PAGE_MESSAGE, refused=3, refused_robots=3)
    [standing] = site_standings(product, store.sites.all()).values()
    assert standing.nothing
    assert (standing.nothing.why, standing.nothing.said) == (why, reason)


def test_without_a_word_of_the_start_the_most_frequent_reason_is_told_and_another_problem_as_it_is(
    product: App,
) -> None:
    store = product.store
    store.sites.put(watched("抄书网"))
    crawled(store, NO_PAGE_MESSAGE, refused=5, failed=2, refused_page_limit=4, refused_robots=1, failed_http_403=2)
    assert site_standings(product, store.sites.all())["copies"].nothing.why == "http_403"  # type: ignore[union-attr]  # it is
    crawled(store, plain_message("the disk is full"), fetched=3)
    assert str(site_standings(product, store.sites.all())["copies"].nothing.said) == "the disk is full"  # type: ignore[union-attr]  # it is
    crawled(store, None, fetched=3)
    assert site_standings(product, store.sites.all())["copies"].nothing is None


def test_the_copies_of_all_hosts_of_a_site_are_counted_by_week(product: App) -> None:
    seed = Seeder(product.store)
    seed.work()
    now = product.now()
    product.store.sites.put(replace(watched("抄书网"), hosts=("copies.example", "m.copies.example")))
    product.store.sites.put(replace(watched("空"), id="empty", hosts=("empty.example",)))
    for page, host, days in ((1, "copies", 1), (2, "m.copies", 2), (3, "copies", 20), (4, "copies", 400)):
        seed.case(f"https://{host}.example/{page}", opened_at=now - timedelta(days=days))
    found = site_standings(product, product.store.sites.all())
    assert found["copies"].trend.copies == 4
    assert found["copies"].trend.found == (0, 0, 0, 0, 0, 1, 0, 2)
    assert found["empty"].trend.found == (0,) * 8
    assert found["empty"].trend.last is None
