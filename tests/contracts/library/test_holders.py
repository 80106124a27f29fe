"""Holders are kept by name, and know which addresses are their own."""

from dataclasses import replace

import pytest

from tests.support.holders import paper
from wenhen.context.store_and_queue import Store
from wenhen.holders.model import Holder, PaperKind
from wenhen.kit.errors import BadInput, NotFound

pytestmark = pytest.mark.server

PRESS = Holder(
    id="河岸文艺社", contact="沈，010-1234", address="河岸路 1 号", sites=("hean.example", "daily.example/hean")
)


def test_a_holder_comes_back_as_it_was_put(store: Store) -> None:
    store.holders.put(PRESS)
    assert store.holders.get(PRESS.id) == PRESS
    assert store.holders.all() == [PRESS]


def test_putting_a_holder_again_replaces_it(store: Store) -> None:
    store.holders.put(PRESS)
    store.holders.put(Holder(id=PRESS.id))
    assert store.holders.all() == [Holder(id=PRESS.id)]


def test_the_papers_of_a_holder_come_and_go_one_by_one_and_stay_when_it_is_put_again(store: Store) -> None:
    identity, authority = paper(PaperKind.IDENTITY), paper(PaperKind.AUTHORITY)
    store.holders.put(replace(PRESS, papers=(identity,)))
    store.holders.add_paper(PRESS.id, authority)
    store.holders.put(Holder(id=PRESS.id))
    assert store.holders.get(PRESS.id) == Holder(id=PRESS.id, papers=(identity, authority))
    store.holders.remove_paper(PRESS.id, identity.id)
    assert store.holders.get(PRESS.id).papers == (authority,)
    with pytest.raises(NotFound):
        store.holders.add_paper("某人", identity)


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://hean.example/a/1", True),
        ("https://HEAN.example:8443/a", True),
        ("https://www.hean.example/a", True),
        ("https://m.hean.example/a", False),
        ("https://daily.example/hean/3", True),
        ("https://daily.example/heanx/3", False),
        ("https://daily.example/", False),
    ],
)
def test_an_address_is_at_home_on_the_host_and_below_the_path(store: Store, url: str, home: bool) -> None:
    store.holders.put(PRESS)
    assert store.holders.at_home(PRESS.id, url) is home


def test_nobody_is_at_home_with_an_owner_who_is_not_known(store: Store) -> None:
    assert not store.holders.at_home("某人", "https://hean.example/")


def test_a_removed_holder_is_gone(store: Store) -> None:
    store.holders.put(PRESS)
    store.holders.remove(PRESS.id)
    with pytest.raises(NotFound):
        store.holders.get(PRESS.id)
    with pytest.raises(NotFound):
        store.holders.remove(PRESS.id)


@pytest.mark.parametrize("site", ["", "http://", "host:port", "/only/a/path", "!!", "没有", "a b.example"])
def test_a_site_whose_host_no_server_can_have_is_refused(store: Store, site: str) -> None:
    with pytest.raises(BadInput):
        store.holders.put(Holder(id="甲", sites=(site,)))


def test_a_holder_without_a_name_is_refused(store: Store) -> None:
    with pytest.raises(BadInput):
        store.holders.put(Holder(id=" "))
