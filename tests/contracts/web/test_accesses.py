"""How a site is reached is kept apart from the site."""

from datetime import timedelta

from crawler.site_access import Access, Cookie
from tests.support.samples import NOON
from wenhen.context.store_and_queue import Store

SESSION = Cookie(name="sid", value="7f", domain=".news.example", secure=True, expires=NOON + timedelta(days=30))


def test_nothing_is_known_of_a_site_that_nobody_prepared(store: Store) -> None:
    assert store.accesses.get("s1") == Access(id="s1")
    store.accesses.remove("s1")


def test_session_and_proxies_come_back_whole_and_each_changes_by_itself(store: Store) -> None:
    store.accesses.set_cookies("s1", [SESSION], NOON)
    store.accesses.set_proxies("s1", ["http://user:word@proxy.example:3128"], NOON + timedelta(hours=1))
    assert store.accesses.get("s1") == Access(
        id="s1",
        cookies=(SESSION,),
        proxies=("http://user:word@proxy.example:3128",),
        updated_at=NOON + timedelta(hours=1),
    )
    store.accesses.set_cookies("s1", [], NOON)
    assert store.accesses.get("s1").cookies == ()
    assert store.accesses.get("s1").proxies
    assert store.accesses.get("s2") == Access(id="s2")
    store.accesses.remove("s1")
    assert store.accesses.get("s1") == Access(id="s1")
